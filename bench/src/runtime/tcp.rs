//! A stream of messages over TCP on the loopback interface, against frames written by hand.

use super::Contestant;
use plainsong_runtime::{Cast, Net, Rx, Tx, tcp};
use std::hint::black_box;
use std::io::{BufReader, BufWriter, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

/// Messages of a stream.
pub const MESSAGES: u32 = 300_000;

pub fn contestants() -> Vec<Contestant> {
    vec![
        Contestant::new("framed socket by hand", by_hand),
        Contestant::new("plainsong-runtime, tcp", ours),
    ]
}

/// Frames of a length and a number, through buffers.
fn by_hand() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut stream =
                BufWriter::with_capacity(32 << 10, TcpStream::connect(address).unwrap());
            for n in 0..u64::from(MESSAGES) {
                stream.write_all(&8_u32.to_le_bytes()).unwrap();
                stream.write_all(&n.to_le_bytes()).unwrap();
            }
            stream.flush().unwrap();
        });
        scope.spawn(move || {
            let (stream, _) = listener.accept().unwrap();
            let mut stream = BufReader::with_capacity(64 << 10, stream);
            let mut sum = 0_u64;
            for _ in 0..MESSAGES {
                let mut length = [0; 4];
                stream.read_exact(&mut length).unwrap();
                let mut payload = vec![0; u32::from_le_bytes(length) as usize];
                stream.read_exact(&mut payload).unwrap();
                sum = sum.wrapping_add(u64::from_le_bytes(payload[..8].try_into().unwrap()));
            }
            black_box(sum);
        });
    });
}

fn ours() {
    let cast = Cast::new("stream", 1, ["a", "b"]);
    let ends = tcp::run(&cast, &tcp::Options::default(), |role, net| {
        let mut sum = 0_u64;
        if role == 0 {
            let mut to_b = net.tx::<u64>(1, 0)?;
            for n in 0..u64::from(MESSAGES) {
                to_b.send(1, n)?;
            }
        } else {
            let mut from_a = net.rx::<u64>(0, 0)?;
            for _ in 0..MESSAGES {
                sum = sum.wrapping_add(from_a.recv(1)?);
            }
        }
        Ok(sum)
    });
    assert!(ends.iter().all(Result::is_ok));
}
