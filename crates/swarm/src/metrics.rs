//! What a worker did, in the text format of Prometheus, over HTTP.

use crate::presence::Desks;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Counters of one worker's process.
#[derive(Debug, Default)]
pub struct Metrics {
    pub(crate) pieces: AtomicU64,
    pub(crate) dropped: AtomicU64,
    pub(crate) shared: AtomicU64,
    pub(crate) children: AtomicU64,
    pub(crate) garbage: AtomicU64,
    pub(crate) troubles: AtomicU64,
    pub(crate) busy: AtomicU64,
    /// What its threads do now.
    pub(crate) desks: Desks,
}

pub(crate) fn count(counter: &AtomicU64, more: u64) {
    counter.fetch_add(more, Ordering::Relaxed);
}

impl Metrics {
    /// How many pieces have an outcome from here.
    pub fn pieces(&self) -> u64 {
        self.pieces.load(Ordering::Relaxed)
    }

    /// As text.
    pub fn text(&self) -> String {
        let rows = [
            (
                "pieces_total",
                "Pieces whose outcome was stored",
                &self.pieces,
            ),
            (
                "pieces_dropped_total",
                "Pieces that somebody else had done before",
                &self.dropped,
            ),
            (
                "pieces_shared_total",
                "Pieces that were split for idle workers",
                &self.shared,
            ),
            (
                "children_total",
                "Pieces that were left for later",
                &self.children,
            ),
            (
                "garbage_total",
                "Messages that are no pieces",
                &self.garbage,
            ),
            (
                "troubles_total",
                "Requests that the server did not answer as hoped",
                &self.troubles,
            ),
            (
                "busy_milliseconds_total",
                "Time at work on pieces",
                &self.busy,
            ),
        ];
        let mut text = String::new();
        for (name, help, value) in rows {
            let value = value.load(Ordering::Relaxed);
            text += &format!(
                "# HELP plainsong_worker_{name} {help}.\n# TYPE plainsong_worker_{name} counter\nplainsong_worker_{name} {value}\n"
            );
        }
        text
    }

    /// Answers requests at this address from now on; returns the address, whose port may have been left open.
    pub fn serve(self: &Arc<Self>, address: SocketAddr) -> std::io::Result<SocketAddr> {
        let listener = TcpListener::bind(address)?;
        let bound = listener.local_addr()?;
        let metrics = self.clone();
        std::thread::Builder::new().spawn(move || {
            for stream in listener.incoming().flatten() {
                // Whoever asks and goes away is no concern of ours.
                let _ = metrics.answer(stream);
            }
        })?;
        Ok(bound)
    }

    fn answer(&self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(Duration::from_secs(2)))?;
        stream.set_write_timeout(Some(Duration::from_secs(2)))?;
        let mut first = String::new();
        BufReader::new(std::io::Read::take(&stream, 4096)).read_line(&mut first)?;
        let (status, body) = match first.starts_with("GET /metrics ") {
            true => ("200 OK", self.text()),
            false => ("404 Not Found", "ask for /metrics\n".to_owned()),
        };
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
            body.len()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn a_scraper_reads_the_counters() {
        let metrics = Arc::new(Metrics::default());
        count(&metrics.pieces, 3);
        let address = metrics.serve(([127, 0, 0, 1], 0).into());
        let mut stream = TcpStream::connect(address.expect("a free port")).expect("it listens");
        stream
            .write_all(b"GET /metrics HTTP/1.1\r\n\r\n")
            .expect("it reads");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("it answers");
        assert!(text.starts_with("HTTP/1.1 200 OK"), "{text}");
        assert!(
            text.contains("\nplainsong_worker_pieces_total 3\n"),
            "{text}"
        );
    }
}
