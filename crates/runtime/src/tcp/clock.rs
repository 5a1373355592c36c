//! Clocks for whole messages: somebody who sends or reads one byte at a time gains no time by it.
//!
//! The timeouts of a socket are for one call. Between messages that is right: whoever gives a sign of life may be silent
//! again. Within a message it is not: a byte a second would go on for ever. So a message, once begun, has to be
//! complete within the time of a silence and what its length takes at the slowest rate ([`Pace`]).
//!
//! In the good case no clock is looked at: a message that lies in the buffer as a whole, or goes out at once,
//! costs nothing.

use std::io::{self, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// How fast messages have to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pace {
    /// How long nothing may happen at all.
    pub(super) silence: Duration,
    /// So many bytes a second have to come.
    pub(super) slowest: u64,
}

impl Pace {
    /// How long a message of this length may take.
    fn of(self, bytes: usize) -> Duration {
        self.silence + self.more(bytes)
    }

    fn more(self, bytes: usize) -> Duration {
        let slowest = self.slowest.max(1);
        Duration::from_millis((bytes as u64).saturating_mul(1000) / slowest)
    }
}

/// What messages are read from.
pub(super) trait Paced: Read {
    /// So many bytes more belong to the message that is being read.
    fn expect(&mut self, bytes: usize);
}

/// Bytes that are there.
impl Paced for &[u8] {
    fn expect(&mut self, _bytes: usize) {}
}

impl Paced for BufReader<Clocked> {
    fn expect(&mut self, bytes: usize) {
        self.get_mut().expect(bytes);
    }
}

/// A connection that is read with a clock.
#[derive(Debug)]
pub(super) struct Clocked {
    stream: TcpStream,
    pace: Pace,
    /// How long to wait for a message to begin.
    standing: Duration,
    /// Has the socket another timeout than `standing`?
    is_changed: bool,
    message: Message,
}

/// Where the reader is.
#[derive(Clone, Copy, Debug)]
enum Message {
    /// Between messages.
    None,
    /// In one that may take so long from the first time that it has to be waited for.
    Begun(Duration),
    /// In one that has to be complete by then, and may take so long.
    Until(Instant, Duration),
}

impl Clocked {
    /// The first message may take longer to begin.
    pub(super) fn new(stream: TcpStream, pace: Pace, first: Duration) -> Clocked {
        Clocked {
            stream,
            pace,
            standing: first,
            is_changed: true,
            message: Message::None,
        }
    }

    /// A message begins.
    pub(super) fn begin(&mut self) {
        self.message = Message::Begun(self.pace.silence);
    }

    /// It is complete.
    pub(super) fn finish(&mut self) {
        self.message = Message::None;
        if self.standing != self.pace.silence {
            self.standing = self.pace.silence;
            self.is_changed = true;
        }
    }

    fn expect(&mut self, bytes: usize) {
        let more = self.pace.more(bytes);
        self.message = match self.message {
            Message::None => Message::None,
            Message::Begun(time) => Message::Begun(time + more),
            Message::Until(until, time) => Message::Until(until + more, time + more),
        };
    }
}

impl Read for Clocked {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if let Message::Begun(time) = self.message {
            self.message = Message::Until(Instant::now() + time, time);
        }
        if let Message::Until(until, time) = self.message {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(slow(time));
            }
            self.is_changed = true;
            self.stream.set_read_timeout(Some(left))?;
            let read = self.stream.read(buffer);
            return read.map_err(|error| match is_late(&error) {
                true => slow(time),
                false => error,
            });
        }
        if self.is_changed {
            let standing = self.standing.max(Duration::from_millis(1));
            self.stream.set_read_timeout(Some(standing))?;
            self.is_changed = false;
        }
        self.stream.read(buffer)
    }
}

/// Writes all bytes to a socket whose timeout is that of a silence; in time or not at all.
pub(super) fn write_all(stream: &mut TcpStream, bytes: &[u8], pace: Pace) -> io::Result<()> {
    let mut rest = bytes;
    let mut until: Option<Instant> = None;
    while !rest.is_empty() {
        if let Some(until) = until {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            stream.set_write_timeout(Some(left))?;
        }
        match stream.write(rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(count) => rest = &rest[count..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        if !rest.is_empty() {
            until.get_or_insert_with(|| Instant::now() + pace.of(rest.len()));
        }
    }
    if until.is_some() {
        stream.set_write_timeout(Some(pace.silence.max(Duration::from_millis(1))))?;
    }
    Ok(())
}

/// Did a timeout of the socket pass?
pub(super) fn is_late(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut
    )
}

fn slow(time: Duration) -> io::Error {
    let said = format!("it began a message and did not complete it within {time:?}");
    io::Error::new(io::ErrorKind::TimedOut, said)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;
    use std::thread;

    fn pair() -> (TcpStream, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        (one, listener.accept().unwrap().0)
    }

    const PACE: Pace = Pace {
        silence: Duration::from_millis(200),
        slowest: 1_000_000,
    };

    #[test]
    fn a_byte_now_and_then_is_no_message() {
        let (mut sender, receiver) = pair();
        let sending = thread::spawn(move || {
            let mut drip = || {
                thread::sleep(Duration::from_millis(50));
                sender.write_all(&[1]).is_ok()
            };
            (0..40).take_while(|_| drip()).count()
        });
        let mut clocked = Clocked::new(receiver, PACE, Duration::from_secs(1));
        let begin = Instant::now();
        let mut first = [0];
        clocked.read_exact(&mut first).unwrap();
        clocked.begin();
        clocked.expect(100_000); // a tenth of a second
        let error = clocked.read_exact(&mut [0; 100]).unwrap_err();
        assert!(error.to_string().contains("did not complete it"), "{error}");
        assert!(begin.elapsed() < Duration::from_secs(1), "{begin:?}");
        drop(clocked);
        assert!(sending.join().unwrap() < 40);
    }

    #[test]
    fn between_messages_every_byte_is_a_sign_of_life() {
        let (mut sender, receiver) = pair();
        thread::spawn(move || {
            for _ in 0..8 {
                thread::sleep(Duration::from_millis(100));
                let _ = sender.write_all(&[1]);
            }
        });
        let mut clocked = Clocked::new(receiver, PACE, Duration::from_secs(1));
        for _ in 0..8 {
            clocked.read_exact(&mut [0]).unwrap();
            clocked.begin();
            clocked.finish();
        }
    }

    #[test]
    fn somebody_who_reads_a_byte_at_a_time_is_not_waited_for() {
        let (mut sender, mut receiver) = pair();
        sender.set_write_timeout(Some(PACE.silence)).unwrap();
        let reading = thread::spawn(move || {
            let mut sip = || {
                thread::sleep(Duration::from_millis(20));
                matches!(receiver.read(&mut [0; 1000]), Ok(count) if count > 0)
            };
            while sip() {}
        });
        let begin = Instant::now();
        let fast = Pace {
            slowest: 100_000_000,
            ..PACE
        };
        let error = write_all(&mut sender, &[7; 32 << 20], fast).unwrap_err();
        assert!(is_late(&error), "{error}");
        assert!(begin.elapsed() < Duration::from_secs(3), "{begin:?}");
        sender.shutdown(std::net::Shutdown::Both).unwrap();
        drop(sender);
        drop(reading); // It sips what is left.
    }
}
