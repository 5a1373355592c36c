//! Somebody at the port who means harm: it learns nothing, takes nobody's time, place or memory, and the people of
//! this side are told what it did.
//!
//! Every test is bounded, in time and in what it sends.

use crate::shapes::swap::Pair;
use crate::when_tcp_breaks::{
    answer_to, end_of, hello, play, pose_as_b, quick, refusal, stations, swap_cast,
};
use plainsong_runtime::tcp::{Options, TcpNet};
use plainsong_runtime::{Cast, Error, Net, Rx, Tx, perform};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// What a frame looks like: see `tcp/frame.rs`.
fn frame(kind: u8, link: u16, site: u32, payload: &[u8]) -> Vec<u8> {
    let mut bytes = u32::try_from(payload.len()).unwrap().to_le_bytes().to_vec();
    bytes.push(kind);
    bytes.extend(link.to_le_bytes());
    bytes.extend(site.to_le_bytes());
    bytes.extend(payload);
    bytes
}

/// A role a that waits for b, alone with the stranger, and how it ends.
fn alone_with(options: Options, stranger: impl FnOnce(SocketAddr)) -> Error {
    let (stations, addresses) = stations(2);
    let port = stations[0].address();
    let a = play(stations.into_iter().next().unwrap(), 0, &addresses, options);
    stranger(port);
    end_of(&a).unwrap_err()
}

/// Greetings that are wrong in one thing each, and what the people here are told of each.
fn nearly_right() -> Vec<(Vec<u8>, &'static str)> {
    let larger = Cast::new("swap", swap_cast().hash(), ["a", "b", "c"]);
    let other = swap_cast().given("Parameters { x: 7, y: 2 }");
    let protocol = Cast::new("swap", swap_cast().hash() ^ 1, ["a", "b"]);
    let right = hello(&swap_cast(), 1, 0);
    let changed = |at: usize| {
        let mut bytes = right.clone();
        bytes[at] ^= 1;
        bytes
    };
    vec![
        (hello(&protocol, 1, 0), "another protocol: its hash is"),
        (hello(&larger, 1, 0), "other sizes: here the roles are a, b"),
        (hello(&other, 1, 0), "other parameters than here: "),
        (changed(8), "it speaks version 3"),
        (changed(34), "another session: its is 1, this is 0"),
        (hello(&swap_cast(), 1, 1), "it looks for b, and this is a"),
        (hello(&swap_cast(), 0, 0), "a does not connect to a"),
        (hello(&swap_cast(), 7, 0), "role number 7 does not connect"),
    ]
}

#[test]
fn a_stranger_learns_only_that_it_is_refused_and_the_people_here_learn_why() {
    let options = Options {
        patience: Duration::from_millis(1500),
        ..quick()
    };
    let error = alone_with(options, |port| {
        // Nothing at all for those who do not begin like a role.
        for garbage in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[b'x'; 50], &[0; 50]] {
            assert_eq!(answer_to(port, garbage), []);
        }
        for (greeting, said) in nearly_right() {
            assert_eq!(answer_to(port, &greeting), refusal(), "{said}");
        }
    });
    let told = error.to_string();
    for (_, said) in nearly_right() {
        assert!(told.contains(said), "{said}: {told}");
    }
    assert!(told.contains("3 strangers were refused"), "{told}");
}

/// What the listener was told.
static TOLD: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn listen(said: &str) {
    TOLD.lock().unwrap().push(said.to_owned());
}

#[test]
fn whoever_listens_is_told_at_once_and_each_reason_once() {
    let (stations, addresses) = stations(2);
    let port = stations[0].address();
    let mut stations = stations.into_iter();
    let options = Options {
        on_refusal: Some(listen),
        ..quick()
    };
    let a = play(stations.next().unwrap(), 0, &addresses, options);
    for _ in 0..20 {
        answer_to(port, b"nonsense");
        answer_to(port, &hello(&swap_cast(), 1, 1));
    }
    let b = play(stations.next().unwrap(), 1, &addresses, quick());
    assert!(end_of(&a).is_ok() && end_of(&b).is_ok());
    let told = TOLD.lock().unwrap().clone();
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told[1].contains("it looks for b, and this is a"),
        "{told:?}"
    );
}

/// Many more idle connections than there are seats, again and again, while the other role joins.
#[test]
fn a_flood_of_idle_connections_keeps_nobody_out() {
    let (stations, addresses) = stations(2);
    let port = stations[0].address();
    let mut stations = stations.into_iter();
    let options = Options {
        patience: Duration::from_secs(9),
        ..quick()
    };
    let a = play(stations.next().unwrap(), 0, &addresses, options.clone());
    thread::sleep(Duration::from_millis(100));
    let is_over = AtomicBool::new(false);
    let count = AtomicUsize::new(0);
    thread::scope(|scope| {
        let flood = || {
            let mut idle = std::collections::VecDeque::new();
            let begin = Instant::now();
            while !is_over.load(Ordering::SeqCst) && begin.elapsed() < Duration::from_secs(20) {
                if let Ok(mut stream) = TcpStream::connect(port) {
                    let count = count.fetch_add(1, Ordering::SeqCst);
                    let _ = stream.write_all(&hello(&swap_cast(), 1, 0)[..count % 50]);
                    idle.push_back(stream);
                }
                if idle.len() > 200 {
                    idle.pop_front();
                }
            }
        };
        scope.spawn(flood);
        scope.spawn(flood);
        let begin = Instant::now();
        while count.load(Ordering::SeqCst) < 500 && begin.elapsed() < Duration::from_secs(5) {
            thread::sleep(Duration::from_millis(10));
        }
        let b = play(stations.next().unwrap(), 1, &addresses, options);
        let ends = (end_of(&a), end_of(&b));
        is_over.store(true, Ordering::SeqCst);
        assert_eq!(ends.0, Ok(Pair { v: 2, t: 1 }));
        assert_eq!(ends.1, Ok(Pair { v: 1, t: 2 }));
    });
    let count = count.into_inner();
    assert!(count >= 500, "that was no flood: {count}");
}

/// Seats are for some time only, and few: so many connections hold neither threads nor each other.
#[test]
fn idle_connections_that_stay_keep_nobody_out() {
    let (stations, addresses) = stations(2);
    let port = stations[0].address();
    let mut stations = stations.into_iter();
    let options = Options {
        greeting: Duration::from_secs(8),
        patience: Duration::from_secs(8),
        ..quick()
    };
    let a = play(stations.next().unwrap(), 0, &addresses, options.clone());
    let idle: Vec<TcpStream> = (0..400)
        .filter_map(|_| TcpStream::connect(port).ok())
        .collect();
    assert!(idle.len() > 300);
    let begin = Instant::now();
    let b = play(stations.next().unwrap(), 1, &addresses, options);
    assert_eq!(end_of(&a), Ok(Pair { v: 2, t: 1 }));
    assert_eq!(end_of(&b), Ok(Pair { v: 1, t: 2 }));
    assert!(
        begin.elapsed() < Duration::from_secs(3),
        "{:?}",
        begin.elapsed()
    );
}

/// The deadline of a greeting is for all of it.
#[test]
fn a_greeting_byte_by_byte_ends_in_time() {
    let options = Options {
        patience: Duration::from_millis(1500),
        ..quick()
    };
    let error = alone_with(options, |port| {
        let mut stream = TcpStream::connect(port).unwrap();
        let begin = Instant::now();
        for byte in hello(&swap_cast(), 1, 0) {
            thread::sleep(Duration::from_millis(25));
            if stream.write_all(&[byte]).is_err() {
                break;
            }
        }
        let mut answer = Vec::new();
        let _ = stream.set_read_timeout(Some(Duration::from_secs(1)));
        let _ = stream.read_to_end(&mut answer);
        assert_eq!(answer, []);
        assert!(begin.elapsed() < Duration::from_millis(1400));
    });
    let told = error.to_string();
    assert!(told.contains("it did not greet in time"), "{told}");
}

/// What an impostor in the place of b does, and how a ends, in which time.
fn with_impostor(options: Options, misdeed: impl FnOnce(TcpStream) + Send + 'static) -> String {
    let (stations, addresses) = stations(2);
    let port = stations[0].address();
    let a = play(stations.into_iter().next().unwrap(), 0, &addresses, options);
    let b = pose_as_b(port);
    let misdeed = thread::spawn(move || misdeed(b));
    let error = end_of(&a).unwrap_err().to_string();
    misdeed.join().unwrap();
    error
}

fn brisk() -> Options {
    Options {
        silence: Duration::from_millis(500),
        patience: Duration::from_millis(500),
        ..quick()
    }
}

/// Every byte comes before the silence is over, and the message never.
#[test]
fn a_message_byte_by_byte_is_a_lost_peer() {
    for announced in [4, 100_000] {
        let begin = Instant::now();
        let said = with_impostor(brisk(), move |mut b| {
            let message = frame(1, 0, 1, &vec![0; announced]);
            for byte in &message[..message.len().min(60)] {
                if b.write_all(&[*byte]).is_err() {
                    return;
                }
                thread::sleep(Duration::from_millis(100));
            }
        });
        assert!(said.contains("did not complete it within"), "{said}");
        assert!(begin.elapsed() < Duration::from_secs(4), "{said}");
    }
}

/// Signs of life between the bytes of a message are none: they are bytes of it.
#[test]
fn beats_are_signs_of_life_and_half_beats_are_not() {
    let beat = frame(2, 0, 0, b"");
    let whole = beat.clone();
    let deadline = Options {
        deadline: Some(Duration::from_millis(1500)),
        ..brisk()
    };
    let said = with_impostor(deadline, move |mut b| {
        while b.write_all(&whole).is_ok() {
            thread::sleep(Duration::from_millis(100));
        }
    });
    assert!(said.contains("nothing came from b"), "{said}");
    let said = with_impostor(brisk(), move |mut b| {
        let _ = b.write_all(&beat[..7]);
        thread::sleep(Duration::from_millis(1200));
    });
    assert!(said.contains("did not complete it within"), "{said}");
}

/// Sends until nobody takes it any more; says how many bytes went.
fn flood(b: &mut TcpStream, message: &[u8], most: usize) -> usize {
    let _ = b.set_write_timeout(Some(Duration::from_secs(3)));
    let mut sent = 0;
    while sent < most && b.write_all(message).is_ok() {
        sent += message.len();
    }
    sent
}

#[test]
fn messages_for_a_link_that_does_not_exist_are_refused() {
    let said = with_impostor(brisk(), |mut b| {
        let message = frame(1, 77, 5, &[7; 60_000]);
        let sent = flood(&mut b, &message, 200 << 20);
        assert!(sent < 40 << 20, "{sent} bytes were taken");
    });
    assert!(
        said.contains("link 77, which does not exist here"),
        "{said}"
    );
    let said = with_impostor(brisk(), |mut b| {
        for link in 100..=u16::MAX {
            if b.write_all(&frame(1, link, 5, b"")).is_err() {
                return;
            }
        }
        thread::sleep(Duration::from_millis(800));
    });
    assert!(said.contains("which does not exist here"), "{said}");
}

/// A peer that sends and sends over a link that exists, to a role that is busy.
#[test]
fn more_messages_than_there_is_room_for_are_refused() {
    let (stations, addresses) = stations(2);
    let mut stations = stations.into_iter();
    let cast = Cast::new("flood", 3, ["a", "b"]);
    let options = Options {
        backlog: 1 << 20,
        ..brisk()
    };
    let sender = {
        let (station, cast) = (stations.next().unwrap(), cast.clone());
        let (addresses, options) = (addresses.clone(), options.clone());
        thread::spawn(move || {
            let net = station.connect(&cast, 0, &addresses, &options)?;
            perform(net, |net: &mut TcpNet| {
                let mut to_b = net.tx::<Vec<u8>>(1, 0)?;
                (0..20_000).try_for_each(|_| to_b.send(1, vec![7; 1000]))
            })
        })
    };
    let net = stations
        .next()
        .unwrap()
        .connect(&cast, 1, &addresses, &options);
    let end = net.and_then(|net| {
        perform(net, |net: &mut TcpNet| {
            let mut from_a = net.rx::<Vec<u8>>(0, 0)?;
            thread::sleep(Duration::from_millis(600));
            let mut count = 0;
            while count < 20_000 {
                from_a.recv(1)?;
                count += 1;
            }
            Ok(count)
        })
    });
    let said = end.unwrap_err().to_string();
    assert!(said.contains("over 1048576 bytes wait"), "{said}");
    assert!(sender.join().unwrap().is_err());
}

/// A peer that reads one byte at a time does not keep a role that sends to it.
#[test]
fn a_peer_that_reads_slowly_is_lost() {
    let (stations, addresses) = stations(2);
    let port = stations[0].address();
    let station = stations.into_iter().next().unwrap();
    let options = Options {
        slowest: 100 << 20,
        ..brisk()
    };
    let sending = thread::spawn(move || {
        let net = station.connect(&swap_cast(), 0, &addresses, &options)?;
        perform(net, |net: &mut TcpNet| {
            let mut to_b = net.tx::<Vec<u8>>(1, 0)?;
            to_b.send(1, vec![7; 30 << 20])
        })
    });
    let mut b = pose_as_b(port);
    b.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    let begin = Instant::now();
    while !sending.is_finished() && begin.elapsed() < Duration::from_secs(8) {
        let _ = b.write_all(&frame(2, 0, 0, b""));
        let _ = b.read(&mut [0; 100]);
        thread::sleep(Duration::from_millis(50));
    }
    assert!(begin.elapsed() < Duration::from_secs(8));
    let said = sending.join().unwrap().unwrap_err().to_string();
    assert!(said.contains("too slowly"), "{said}");
}

/// A role that gives up at the meeting tells those it has met why.
#[test]
fn an_abort_at_the_meeting_reaches_those_who_were_met() {
    let (stations, mut addresses) = stations(3);
    let cast = Cast::new("three", 5, ["a", "b", "c"]);
    // Nobody is where c looks for b.
    let right = addresses.clone();
    addresses[1] = {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        free.local_addr().unwrap().to_string()
    };
    let wrong = addresses;
    let patience = |millis| Options {
        patience: Duration::from_millis(millis),
        ..quick()
    };
    let mut roles = Vec::new();
    for (role, station) in stations.into_iter().enumerate() {
        let cast = cast.clone();
        let (addresses, options) = match role {
            2 => (wrong.clone(), patience(700)),
            _ => (right.clone(), patience(2000)),
        };
        roles.push(thread::spawn(move || {
            let net = station.connect(&cast, role, &addresses, &options)?;
            perform(net, |net: &mut TcpNet| net.rx::<u8>(2, 0)?.recv(9))
        }));
    }
    let ends: Vec<String> = roles
        .into_iter()
        .map(|role| role.join().unwrap().unwrap_err().to_string())
        .collect();
    assert!(ends[2].contains("b at 127.0.0.1") && ends[2].contains("no answer within"));
    // What c said, and nothing about frames or tallies.
    assert!(ends[0].contains("it failed: b at 127.0.0.1"), "{}", ends[0]);
    assert!(ends[1].contains("did not connect within"), "{}", ends[1]);
}

/// A role that is started again before the run has begun gets its place back.
#[test]
fn a_connection_that_is_gone_before_the_run_begins_can_be_replaced() {
    let (stations, addresses) = stations(3);
    let cast = Cast::new("three", 5, ["a", "b", "c"]);
    let port = stations[0].address();
    let mut stations = stations.into_iter();
    let start = |station: plainsong_runtime::tcp::Station, role: usize| {
        let (cast, addresses) = (cast.clone(), addresses.clone());
        thread::spawn(move || {
            let net = station.connect(&cast, role, &addresses, &quick())?;
            perform(net, |net: &mut TcpNet| {
                let mut next = net.tx::<u8>((role + 1) % 3, 0)?;
                next.send(1, 7)?;
                net.rx::<u8>((role + 2) % 3, 0)?.recv(1)
            })
        })
    };
    let a = start(stations.next().unwrap(), 0);
    let mut first = TcpStream::connect(port).unwrap();
    first.write_all(&hello(&cast, 2, 0)).unwrap();
    let mut answer = [0; 25];
    first.read_exact(&mut answer).unwrap();
    assert_eq!(answer[10], 1, "let in");
    assert_eq!(
        answer_to(port, &hello(&cast, 2, 0)),
        refusal(),
        "its place is taken"
    );
    drop(first);
    let (b, c) = (stations.next().unwrap(), stations.next().unwrap());
    let c = start(c, 2);
    thread::sleep(Duration::from_millis(300));
    let b = start(b, 1);
    for role in [a, b, c] {
        assert_eq!(role.join().unwrap(), Ok(7));
    }
}
