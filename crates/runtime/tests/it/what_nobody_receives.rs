//! A message that was sent and never received is told at the end, on every transport, whatever comes first.

use plainsong_runtime::{Cast, Error, Fault, Net, Role, Rx, Tx, sim, tcp, threads};
use std::thread;
use std::time::Duration;

/// What a role does on any transport.
trait Play: Sync {
    fn play<N: Net>(&self, role: Role, net: &mut N) -> Result<u32, Error>;
}

/// How the two roles end on threads, over TCP, and in the simulator with several seeds.
fn ends(play: &impl Play) -> Vec<[Result<u32, Error>; 2]> {
    let cast = Cast::new("two", 1, ["a", "b"]);
    let on_threads = threads::run(&cast, &threads::Options::default(), |role, net| {
        play.play(role, net)
    });
    let over_tcp = tcp::run(&cast, &tcp::Options::default(), |role, net| {
        play.play(role, net)
    });
    let simulated = |seed| sim::run(&cast, seed, |role, net| play.play(role, net));
    let all = [on_threads, over_tcp]
        .into_iter()
        .chain((0..20).map(simulated));
    all.map(|ends| ends.try_into().expect("two roles"))
        .collect()
}

/// a sends so many messages over two links; b receives so many of the first.
struct Stream {
    sends: u32,
    receives: u32,
    /// Before b receives.
    pause: Duration,
}

impl Play for Stream {
    fn play<N: Net>(&self, role: Role, net: &mut N) -> Result<u32, Error> {
        if role == 0 {
            let mut to_b = net.tx::<u32>(1, 0)?;
            let mut other = net.tx::<bool>(1, 1)?;
            (0..self.sends).try_for_each(|count| match count < self.receives {
                true => to_b.send(1, count),
                false => other.send(2, true),
            })?;
            return Ok(self.sends);
        }
        let mut from_a = net.rx::<u32>(0, 0)?;
        let _never = net.rx::<bool>(0, 1)?;
        thread::sleep(self.pause);
        (0..self.receives).try_for_each(|_| from_a.recv(1).map(drop))?;
        Ok(self.receives)
    }
}

#[test]
fn it_is_told_by_the_one_that_sent_it() {
    for round in 0..4 {
        for (sends, receives) in [(1, 0), (2, 1), (5, 3)] {
            let stream = Stream {
                sends,
                receives,
                pause: Duration::from_millis(round % 3),
            };
            for [a, b] in ends(&stream) {
                assert_eq!(b, Ok(receives));
                let error = a.unwrap_err();
                match error.fault() {
                    Fault::Unreceived {
                        peer, count, last, ..
                    } => {
                        assert_eq!((&**peer, *last), ("b", 2));
                        assert_eq!(*count, u64::from(sends - receives));
                    }
                    // b had ended before a sent.
                    Fault::PeerGone { .. } => {
                        let said = error.to_string();
                        assert!(
                            said.contains("before it got what statement 2 sends"),
                            "{said}"
                        );
                    }
                    _ => panic!("{error}"),
                }
            }
        }
    }
}

#[test]
fn the_sentence_says_who_what_and_why() {
    let stream = |sends| Stream {
        sends,
        receives: 0,
        pause: Duration::from_millis(100),
    };
    let said = |sends, at: usize| ends(&stream(sends))[at][0].clone().unwrap_err().to_string();
    for way in 0..2 {
        assert_eq!(
            said(1, way),
            "b never received what statement 2 sent to it: it came to its end"
        );
        assert_eq!(
            said(3, way),
            "b never received 3 messages that were sent to it, the last one by statement 2: it came to its end"
        );
    }
}

#[test]
fn a_slow_receiver_is_waited_for() {
    let stream = Stream {
        sends: 3,
        receives: 3,
        pause: Duration::from_millis(400),
    };
    for end in ends(&stream) {
        assert_eq!(end, [Ok(3), Ok(3)]);
    }
}

/// b fails after it has received one of so many messages.
struct Fails(u32);

impl Play for Fails {
    fn play<N: Net>(&self, role: Role, net: &mut N) -> Result<u32, Error> {
        if role == 0 {
            let mut to_b = net.tx::<u32>(1, 0)?;
            (0..self.0).try_for_each(|count| to_b.send(1, count))?;
            return Ok(self.0);
        }
        net.rx::<u32>(0, 0)?.recv(1)?;
        thread::sleep(Duration::from_millis(50));
        Err(Error::assumption("the disk is there"))
    }
}

#[test]
fn a_receiver_that_fails_later_matters_only_to_whom_it_owes_something() {
    for [a, b] in ends(&Fails(1)) {
        assert_eq!(a, Ok(1));
        assert!(b.is_err());
    }
    for [a, b] in ends(&Fails(2)) {
        assert!(a.is_err() && b.is_err(), "{a:?}");
    }
}
