//! Programs in which word travels: what one process receives decides what it sends next, so causes
//! pass through several messages before two of them meet at a receiver.
//!
//! Programs of the general kind seldom do this: without reads-from in the causal past of either side
//! hundreds of them were still the same to both.

use crate::build::{Band, accept, int, pid, receive, send_kind};
use plainsong_ir::{Delivery, MessageId, Song, Source, Stmt};
use plainsong_testkit::random_song::Dice;

/// The most messages that processes send.
const MOST_SENT: usize = 6;

/// Three or four processes; each sends and receives what is in flight in some order that is possible.
/// The first kind of message is delivered by `first`, the second by any model.
pub(crate) fn relays(seed: u64, first: Delivery) -> Song {
    let mut dice = Dice::new(seed);
    let names = &["a", "b", "c", "d"][..dice.between(3, 4)];
    let mut band = Band::new(names);
    let other = *dice.pick(&Delivery::ALL);
    let kinds = [
        band.message("First", Some(first)),
        band.message("Other", Some(other)),
    ];
    let mut plot = Plot {
        waiting: vec![Vec::new(); names.len()],
        bodies: vec![Vec::new(); names.len()],
        sent: 0,
    };
    let init = (0..dice.below(3))
        .map(|_| plot.send(&mut dice, kinds))
        .collect();
    band.init(init);
    for _ in 0..dice.between(6, 12) {
        plot.go_on(&mut dice, kinds);
    }
    plot.read_the_rest();
    for (at, body) in (0..).zip(plot.bodies) {
        band.body(at, body);
    }
    band.done()
}

/// One way in which the program can go.
struct Plot {
    /// For each process, the kinds of messages that it has not received.
    waiting: Vec<Vec<MessageId>>,
    bodies: Vec<Vec<Stmt>>,
    sent: usize,
}

impl Plot {
    /// Some process sends, or receives and sends on.
    fn go_on(&mut self, dice: &mut Dice, kinds: [MessageId; 2]) {
        let who = dice.below(self.bodies.len());
        if let Some(kind) = self.waiting[who].pop() {
            self.bodies[who].push(take(kind));
        }
        if self.sent < MOST_SENT {
            self.sent += 1;
            let send = self.send(dice, kinds);
            self.bodies[who].push(send);
        }
    }

    /// A message to somebody; most go to the first two, so that they meet.
    fn send(&mut self, dice: &mut Dice, kinds: [MessageId; 2]) -> Stmt {
        let to = dice
            .below(self.bodies.len())
            .min(dice.below(self.bodies.len()));
        let kind = kinds[usize::from(dice.once_in(3))];
        self.waiting[to].push(kind);
        send_kind(kind, int(0), pid(to as u32))
    }

    fn read_the_rest(&mut self) {
        for (body, waiting) in self.bodies.iter_mut().zip(&mut self.waiting) {
            body.extend(waiting.drain(..).map(take));
        }
    }
}

/// Receives a message of this kind from anyone.
fn take(kind: MessageId) -> Stmt {
    receive(accept(kind, None, Source::Anyone(None), None))
}
