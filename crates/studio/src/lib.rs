//! The studio: an editor with diagnostics, verdicts, executions and stepping in the browser.
//!
//! One page is served, on the loopback interface only, to whoever knows the token that stands in its address. The page is a
//! client of the language server ([`language`]), which runs here, one for each page that is open; so the studio knows
//! nothing of songs that an editor does not know. Nothing is fetched from anywhere else.
//!
//! Who is let in: [`gate`]. What is answered: [`routes`]. HTTP as far as it is needed: [`http`].

mod gate;
mod http;
mod language;
mod routes;
mod songs;

use gate::Gate;
use language::Sessions;
use std::io;
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// More connections than one browser opens are refused.
const MOST_CONNECTIONS: usize = 64;

/// A studio that listens.
pub struct Studio {
    listener: TcpListener,
    shared: Arc<Shared>,
}

/// What all connections share.
pub(crate) struct Shared {
    gate: Gate,
    sessions: Sessions,
    /// The folder whose songs are offered and saved.
    folder: Option<PathBuf>,
    connections: AtomicUsize,
}

impl Studio {
    /// Listens on the loopback interface, on this port or any that is free.
    pub fn open(folder: Option<PathBuf>, port: u16) -> io::Result<Studio> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let gate = Gate::new(listener.local_addr()?.port())?;
        let shared = Arc::new(Shared {
            gate,
            sessions: Sessions::default(),
            folder,
            connections: AtomicUsize::new(0),
        });
        Ok(Studio { listener, shared })
    }

    /// The address to open, with its token.
    pub fn address(&self) -> String {
        self.shared.gate.address()
    }

    /// Serves until the process ends, or the listener breaks.
    pub fn serve(&self) -> io::Result<()> {
        for stream in self.listener.incoming() {
            let stream = match stream {
                Ok(stream) => stream,
                // The client was gone before it was greeted.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
                Err(error) => return Err(error),
            };
            let shared = self.shared.clone();
            if shared.connections.fetch_add(1, Ordering::SeqCst) >= MOST_CONNECTIONS {
                shared.connections.fetch_sub(1, Ordering::SeqCst);
                continue;
            }
            let work = move || {
                // A connection that breaks is the browser's matter.
                let _ = converse(&shared, stream);
                shared.connections.fetch_sub(1, Ordering::SeqCst);
            };
            std::thread::Builder::new().spawn(work)?;
        }
        Ok(())
    }
}

/// One request, one answer.
fn converse(shared: &Shared, mut stream: TcpStream) -> io::Result<()> {
    let answer = match http::read(&mut stream)? {
        Ok(request) => match shared.gate.admits(&request) {
            true => routes::answer(shared, &request),
            false => http::Answer::refused("open the address that `plainsong studio` printed"),
        },
        Err(answer) => answer,
    };
    http::write(&mut stream, &answer)
}
