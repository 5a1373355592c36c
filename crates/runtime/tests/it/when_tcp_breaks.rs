//! What happens over TCP when something breaks: a clear error at every role that remains, in time, and
//! nothing is let in that does not belong.
//!
//! Every test is bounded: [`within`] fails when a role hangs.

use crate::shapes::swap::{Pair, Parameters, Swap};
use plainsong_runtime::tcp::{self, Options, Station, TcpNet};
use plainsong_runtime::{Cast, Error, Fault, Net, Protocol, Rx, Tx, perform};
use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

pub(crate) fn quick() -> Options {
    Options {
        patience: Duration::from_secs(3),
        greeting: Duration::from_millis(300),
        silence: Duration::from_secs(3),
        farewell: Some(Duration::from_secs(2)),
        ..Options::default()
    }
}

/// Runs something on a thread; fails when it takes longer than this.
fn within<T: Send + 'static>(limit: Duration, what: impl FnOnce() -> T + Send + 'static) -> T {
    let (tx, rx) = mpsc::channel();
    thread::spawn(move || tx.send(what()));
    let started = Instant::now();
    rx.recv_timeout(limit)
        .unwrap_or_else(|error| panic!("after {:?}: {error}", started.elapsed()))
}

pub(crate) fn swap_cast() -> Cast {
    Swap.cast(&Swap.parameters()).unwrap()
}

/// Addresses at which roles already listen.
pub(crate) fn stations(count: usize) -> (Vec<Station>, Vec<String>) {
    let stations: Vec<Station> = (0..count)
        .map(|_| Station::bind("127.0.0.1:0").unwrap())
        .collect();
    let addresses = stations
        .iter()
        .map(|station| station.address().to_string())
        .collect();
    (stations, addresses)
}

/// Plays a role of swap at a station, on a thread.
pub(crate) fn play(
    station: Station,
    role: usize,
    addresses: &[String],
    options: Options,
) -> mpsc::Receiver<Result<Pair, Error>> {
    let addresses = addresses.to_vec();
    let (tx, rx) = mpsc::channel();
    thread::spawn(move || {
        let net = station.connect(&swap_cast(), role, &addresses, &options);
        let end = net
            .and_then(|net| perform(net, |net| Swap.play(role, net, &Parameters { x: 1, y: 2 })));
        tx.send(end)
    });
    rx
}

pub(crate) fn end_of<T>(role: &mpsc::Receiver<T>) -> T {
    role.recv_timeout(Duration::from_secs(10))
        .expect("the role does not hang")
}

/// Connects like role 1 of swap, and is let in.
pub(crate) fn pose_as_b(address: SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.write_all(&hello(&swap_cast(), 1, 0)).unwrap();
    let mut answer = [0; 25];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(answer[10], 1, "let in");
    stream
}

/// The greeting of a role, byte by byte: see `tcp/greeting.rs`.
pub(crate) fn hello(cast: &Cast, from: u32, to: u32) -> Vec<u8> {
    let mut digest: u64 = 0xcbf2_9ce4_8422_2325;
    for name in cast.roles() {
        for byte in name.bytes().chain([0]) {
            digest = (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    let mut bytes = b"plnsong\n\x02\x00".to_vec();
    bytes.extend(cast.hash().to_le_bytes());
    bytes.extend(digest.to_le_bytes());
    bytes.extend(plainsong_runtime::digest([cast.what_was_given(), "0"]).to_le_bytes());
    bytes.extend(0_u64.to_le_bytes());
    bytes.extend(from.to_le_bytes());
    bytes.extend(to.to_le_bytes());
    bytes
}

/// What everybody who is refused is told, whatever the reason.
pub(crate) fn refusal() -> Vec<u8> {
    let mut bytes = b"plnsong\n\x02\x00".to_vec();
    bytes.resize(25, 0);
    bytes
}

/// Everything that comes until the other side hangs up or a second has passed.
pub(crate) fn answer_to(address: SocketAddr, said: &[u8]) -> Vec<u8> {
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .set_read_timeout(Some(Duration::from_secs(1)))
        .unwrap();
    stream.write_all(said).unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    answer
}

#[test]
fn garbage_at_the_port_is_refused_and_the_run_goes_on() {
    let (stations, addresses) = stations(2);
    let port = stations[0].address();
    let mut stations = stations.into_iter();
    let a = play(stations.next().unwrap(), 0, &addresses, quick());
    let garbage: [&[u8]; 4] = [
        b"GET / HTTP/1.1\r\nHost: nobody\r\n\r\n and so on and so forth",
        &[0; 100],
        &[0xff; 70_000],
        b"",
    ];
    for bytes in garbage {
        let answer = answer_to(port, bytes);
        assert!(answer.is_empty() || answer[10] == 0, "{answer:?}");
    }
    let b = play(stations.next().unwrap(), 1, &addresses, quick());
    assert_eq!(end_of(&a), Ok(Pair { v: 2, t: 1 }));
    assert_eq!(end_of(&b), Ok(Pair { v: 1, t: 2 }));
}

#[test]
fn slow_and_partial_greetings_hold_nobody_up() {
    let (stations, addresses) = stations(2);
    let port = stations[0].address();
    let mut stations = stations.into_iter();
    let a = play(stations.next().unwrap(), 0, &addresses, quick());
    let hello = hello(&swap_cast(), 1, 0);
    // Silent, or stopping in the middle, for as long as the role lives.
    let idle: Vec<TcpStream> = (0..20)
        .map(|count| {
            let mut stream = TcpStream::connect(port).unwrap();
            stream.write_all(&hello[..count * 2]).unwrap();
            stream
        })
        .collect();
    // One byte at a time, too slowly: the greeting has to be complete in time, not each byte of it.
    let mut drip = TcpStream::connect(port).unwrap();
    let dripping = thread::spawn(move || {
        let sent = hello.iter().try_for_each(|byte| {
            thread::sleep(Duration::from_millis(20));
            drip.write_all(&[*byte])
        });
        let mut answer = Vec::new();
        let _ = drip.set_read_timeout(Some(Duration::from_secs(1)));
        let _ = drip.read_to_end(&mut answer);
        (sent, answer)
    });
    let b = play(stations.next().unwrap(), 1, &addresses, quick());
    assert_eq!(end_of(&a), Ok(Pair { v: 2, t: 1 }));
    assert_eq!(end_of(&b), Ok(Pair { v: 1, t: 2 }));
    let (_, answer) = dripping.join().unwrap();
    assert!(answer.is_empty() || answer[10] == 0, "{answer:?}");
    drop(idle);
}

#[test]
fn another_protocol_is_refused_on_both_sides() {
    let (stations, addresses) = stations(2);
    let mut stations = stations.into_iter();
    let a = play(stations.next().unwrap(), 0, &addresses, quick());
    let other = Cast::new("swap", Swap::HASH ^ 1, ["a", "b"]);
    let station = stations.next().unwrap();
    let refused = within(Duration::from_secs(8), move || {
        station.connect(&other, 1, &addresses, &quick()).map(drop)
    })
    .unwrap_err();
    let Fault::Refused { why, .. } = refused.fault() else {
        panic!("{refused}")
    };
    assert!(why.contains("does not say why"), "{why}");
    let error = end_of(&a).unwrap_err();
    let Fault::Unreachable { peer, why } = error.fault() else {
        panic!("{error}")
    };
    assert_eq!(peer, "b");
    assert!(why.contains("another protocol"), "{why}");
}

#[test]
fn other_sizes_another_session_and_wrong_roles_are_refused() {
    let (stations, addresses) = stations(2);
    let port = stations[0].address();
    let mut stations = stations.into_iter();
    let a = play(stations.next().unwrap(), 0, &addresses, quick());
    let larger = Cast::new("swap", Swap::HASH, ["a", "b", "c"]);
    let other = swap_cast().given("Parameters { x: 7, y: 2 }");
    let mut session = hello(&swap_cast(), 1, 0);
    session[34] = 1;
    let cases = [
        hello(&larger, 1, 0),
        hello(&other, 1, 0),
        session,
        hello(&swap_cast(), 1, 1),
        hello(&swap_cast(), 0, 0),
        hello(&swap_cast(), 7, 0),
    ];
    for greeting in cases {
        assert_eq!(answer_to(port, &greeting), refusal());
    }
    let b = play(stations.next().unwrap(), 1, &addresses, quick());
    assert!(end_of(&a).is_ok() && end_of(&b).is_ok());
}

#[test]
fn a_second_connection_for_a_role_is_refused() {
    let (stations, addresses) = stations(2);
    let port = stations[0].address();
    let a = play(stations.into_iter().next().unwrap(), 0, &addresses, quick());
    let mut first = pose_as_b(port);
    assert_eq!(answer_to(port, &hello(&swap_cast(), 1, 0)), refusal());
    // The first one is still the one that counts.
    first
        .write_all(&[1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 84])
        .unwrap();
    thread::sleep(Duration::from_millis(200));
    first.write_all(&[0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0]).unwrap();
    assert_eq!(end_of(&a), Ok(Pair { v: 42, t: 1 }));
}

#[test]
fn nobody_listens() {
    let (stations, mut addresses) = stations(2);
    let free = TcpListener::bind("127.0.0.1:0").unwrap();
    addresses[0] = free.local_addr().unwrap().to_string();
    drop(free);
    let station = stations.into_iter().nth(1).unwrap();
    let options = Options {
        patience: Duration::from_millis(500),
        ..quick()
    };
    let b = play(station, 1, &addresses, options);
    let error = end_of(&b).unwrap_err();
    let Fault::Unreachable { peer, .. } = error.fault() else {
        panic!("{error}")
    };
    assert!(peer.starts_with("a at 127.0.0.1"), "{peer}");
}

#[test]
fn nobody_comes() {
    let (stations, addresses) = stations(2);
    let options = Options {
        patience: Duration::from_millis(300),
        ..quick()
    };
    let a = play(stations.into_iter().next().unwrap(), 0, &addresses, options);
    let error = end_of(&a).unwrap_err().to_string();
    assert!(
        error.contains("b was not reached: it did not connect"),
        "{error}"
    );
}

#[test]
fn something_else_listens() {
    let (stations, mut addresses) = stations(2);
    let other = TcpListener::bind("127.0.0.1:0").unwrap();
    addresses[0] = other.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for stream in other.incoming().flatten() {
            let mut stream = stream;
            let _ = stream.write_all(b"220 mail.example.org ESMTP ready\r\n");
            thread::sleep(Duration::from_secs(1));
        }
    });
    let b = play(stations.into_iter().nth(1).unwrap(), 1, &addresses, quick());
    let error = end_of(&b).unwrap_err().to_string();
    assert!(error.contains("no Plainsong role"), "{error}");
}

/// What b does to a after it was let in, and what a says.
fn after(misdeed: impl FnOnce(TcpStream)) -> String {
    let (stations, addresses) = stations(2);
    let port = stations[0].address();
    let options = Options {
        largest: 1000,
        silence: Duration::from_millis(700),
        patience: Duration::from_millis(500),
        ..quick()
    };
    let a = play(stations.into_iter().next().unwrap(), 0, &addresses, options);
    misdeed(pose_as_b(port));
    end_of(&a).unwrap_err().to_string()
}

#[test]
fn after_it_was_let_in_a_peer_can_do_no_harm_either() {
    let cut = after(drop);
    assert!(
        cut.contains("b is gone before it sent what statement 1 receives"),
        "{cut}"
    );
    assert!(cut.contains("without a goodbye"), "{cut}");

    let in_the_middle = after(|mut b| b.write_all(&[5, 0, 0, 0, 1, 0]).unwrap());
    assert!(
        in_the_middle.contains("in the middle of a message"),
        "{in_the_middle}"
    );

    let garbage = after(|mut b| {
        let _ = b.write_all(&[0xee; 5000]);
        thread::sleep(Duration::from_millis(300));
    });
    assert!(garbage.contains("no message"), "{garbage}");

    let oversize = after(|mut b| {
        b.write_all(&[0, 0, 0, 0x40, 1, 0, 0, 1, 0, 0, 0]).unwrap();
        thread::sleep(Duration::from_millis(300));
    });
    assert!(oversize.contains("1073741824 bytes"), "{oversize}");

    let site = after(|mut b| {
        b.write_all(&[1, 0, 0, 0, 1, 0, 0, 9, 0, 0, 0, 84]).unwrap();
        thread::sleep(Duration::from_millis(300));
    });
    assert!(site.contains("sent by statement 9"), "{site}");

    let unreadable = after(|mut b| {
        b.write_all(&[2, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0x80, 0x80])
            .unwrap();
        thread::sleep(Duration::from_millis(300));
    });
    assert!(unreadable.contains("cannot be read"), "{unreadable}");

    let left_over = after(|mut b| {
        b.write_all(&[2, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 84, 84])
            .unwrap();
        thread::sleep(Duration::from_millis(300));
    });
    assert!(left_over.contains("1 bytes are left over"), "{left_over}");

    let silent = after(|b| {
        thread::sleep(Duration::from_millis(2000));
        drop(b);
    });
    assert!(silent.contains("no sign of life"), "{silent}");

    let early_goodbye = after(|mut b| {
        b.write_all(&[2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0])
            .unwrap();
        thread::sleep(Duration::from_millis(300));
    });
    assert!(
        early_goodbye.contains("it came to its end"),
        "{early_goodbye}"
    );

    let failed = after(|mut b| {
        b.write_all(&[4, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, b'n', b'o'])
            .unwrap();
        thread::sleep(Duration::from_millis(300));
    });
    assert!(failed.contains("it failed: no"), "{failed}");

    let half_closed = after(|b| {
        b.shutdown(Shutdown::Write).unwrap();
        thread::sleep(Duration::from_millis(300));
    });
    assert!(half_closed.contains("without a goodbye"), "{half_closed}");
}

/// A ring of four that goes round for long; one fails in the middle.
fn ring_of_four(
    fail: impl Fn(usize, u32) -> Result<(), Error> + Send + Sync + 'static,
) -> Vec<Result<u32, Error>> {
    within(Duration::from_secs(10), move || {
        let cast = Cast::new("ring", 1, ["p", "q", "r", "s"]);
        tcp::run(&cast, &quick(), |role, net: &mut TcpNet| {
            let mut next = net.tx::<u32>((role + 1) % 4, 0)?;
            let mut previous = net.rx::<u32>((role + 3) % 4, 0)?;
            let mut sum = 0;
            for round in 0..1000 {
                fail(role, round)?;
                next.send(1, round)?;
                sum += previous.recv(1)?;
            }
            Ok(sum)
        })
    })
}

#[test]
fn a_failure_and_a_panic_reach_everybody_with_their_reason() {
    let good = ring_of_four(|_, _| Ok(()));
    assert!(good.iter().all(|end| *end == Ok(499_500)), "{good:?}");

    let failed = ring_of_four(|role, round| match (role, round) {
        (2, 500) => Err(Error::assumption("the disk is there")),
        _ => Ok(()),
    });
    for end in failed {
        let said = end.unwrap_err().to_string();
        assert!(said.contains("the disk is there"), "{said}");
    }

    let panicked = ring_of_four(|role, round| {
        assert!((role, round) != (1, 700), "external code broke");
        Ok(())
    });
    for end in panicked {
        let said = end.unwrap_err().to_string();
        assert!(said.contains("external code broke"), "{said}");
    }
}

#[test]
fn a_deadline_passes() {
    let ends = within(Duration::from_secs(10), || {
        let cast = Cast::new("mutual", 1, ["a", "b", "c"]);
        let options = Options {
            deadline: Some(Duration::from_millis(100)),
            ..quick()
        };
        tcp::run(&cast, &options, |role, net| {
            net.rx::<bool>((role + 1) % 3, 0)?.recv(7)
        })
    });
    let passed = |end: &Result<bool, Error>| {
        matches!(end.as_ref().unwrap_err().fault(), Fault::Deadline { .. })
    };
    assert!(ends.iter().any(passed), "{ends:?}");
}

#[test]
fn a_message_that_is_too_large_is_not_sent() {
    let ends = within(Duration::from_secs(10), || {
        let cast = Cast::new("large", 1, ["a", "b"]);
        let options = Options {
            largest: 1000,
            ..quick()
        };
        tcp::run(&cast, &options, |role, net| {
            if role == 0 {
                let mut to_b = net.tx(1, 0)?;
                to_b.send(1, vec![7_u8; 900])?;
                to_b.send(2, vec![7_u8; 1100])?;
                return Ok(0);
            }
            let mut from_a = net.rx::<Vec<u8>>(0, 0)?;
            Ok(from_a.recv(1)?.len() + from_a.recv(2)?.len())
        })
    });
    for end in ends {
        let said = end.unwrap_err().to_string();
        assert!(said.contains("has 1102 bytes, and at most 1000"), "{said}");
    }
}

/// Plays role 1 of a ring of three in a process of its own: see the test below.
#[test]
#[ignore = "started by the test below, as a process to be killed"]
fn a_role_in_a_process_of_its_own() {
    let Ok(addresses) = std::env::var("PLAINSONG_TEST_PEERS") else {
        return;
    };
    let addresses: Vec<String> = addresses.split(',').map(str::to_owned).collect();
    let net = tcp::connect(&three(), 1, &addresses, &quick()).unwrap();
    let _ = perform(net, |net| round_and_round(net, 1));
}

fn three() -> Cast {
    Cast::new("three", 1, ["p", "q", "r"])
}

/// Goes round for ever.
fn round_and_round(net: &mut TcpNet, role: usize) -> Result<(), Error> {
    let mut next = net.tx::<u32>((role + 1) % 3, 0)?;
    let mut previous = net.rx::<u32>((role + 2) % 3, 0)?;
    loop {
        next.send(1, 1)?;
        previous.recv(1)?;
    }
}

#[test]
fn a_process_is_killed() {
    for end in ends_after(round_and_round, |child| child.kill().unwrap()) {
        let said = end.unwrap_err().to_string();
        assert!(said.contains("q is gone"), "{said}");
    }
}

/// The process is there, its connections stand, and nothing moves any more: as when a machine is gone.
#[test]
#[cfg(unix)]
fn a_process_is_stopped() {
    for play in [round_and_round, sends_and_sends] {
        for end in ends_after(play, stop) {
            let said = end.unwrap_err().to_string();
            assert!(said.contains("q is gone"), "{said}");
            assert!(said.contains("no sign of life"), "{said}");
        }
    }
}

/// Role 0 sends more than anybody could keep and receives nothing; role 2 only receives.
fn sends_and_sends(net: &mut TcpNet, role: usize) -> Result<(), Error> {
    if role == 0 {
        let mut flood = net.tx::<Vec<u8>>(1, 1)?;
        loop {
            flood.send(2, vec![0; 1 << 20])?;
            thread::sleep(Duration::from_millis(20));
        }
    }
    let mut previous = net.rx::<u32>(1, 0)?;
    loop {
        previous.recv(1)?;
    }
}

#[cfg(unix)]
fn stop(child: &mut Child) {
    let stopped = Command::new("kill")
        .args(["-STOP", &child.id().to_string()])
        .status();
    assert!(stopped.unwrap().success());
}

/// How roles 0 and 2 of a ring end when something happens to role 1, which is a process of its own.
fn ends_after(
    play: fn(&mut TcpNet, usize) -> Result<(), Error>,
    misdeed: impl FnOnce(&mut Child),
) -> Vec<Result<(), Error>> {
    let (stations, addresses) = stations(3);
    let mut stations: Vec<Option<Station>> = stations.into_iter().map(Some).collect();
    stations[1] = None; // its address is free again for the process
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact"])
        .arg("when_tcp_breaks::a_role_in_a_process_of_its_own")
        .env("PLAINSONG_TEST_PEERS", addresses.join(","))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let (met, has_met) = mpsc::channel();
    let roles = [0, 2].map(|role| {
        let (station, addresses, met) = (stations[role].take(), addresses.clone(), met.clone());
        thread::spawn(move || {
            let net = station
                .unwrap()
                .connect(&three(), role, &addresses, &quick())?;
            met.send(()).unwrap();
            perform(net, |net| play(net, role))
        })
    });
    for _ in 0..2 {
        has_met
            .recv_timeout(Duration::from_secs(10))
            .expect("all roles meet");
    }
    thread::sleep(Duration::from_millis(50));
    misdeed(&mut child);
    let ends = within(Duration::from_secs(20), move || {
        roles.map(|role| role.join().unwrap()).into_iter().collect()
    });
    child.kill().unwrap();
    child.wait().unwrap();
    ends
}
