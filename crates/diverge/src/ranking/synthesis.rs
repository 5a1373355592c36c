//! Ranking synthesis: measures that nobody declared (a number of some processes, and strata of the kinds of messages).
//!
//! Requests are answered, jobs are handed out and asked for: whoever answers has nothing that decreases, but an answer
//! comes later than a request. So kinds of messages get levels, such that a process without a number of its own sends only
//! later ones; the others need a number that decreases when they send something that does not come later. What is
//! supposed is a song with these `decreases`: that they decrease has to be shown like that of declared ones, which
//! is why anything may be supposed here.
//!
//! Queries that are passed on a number of times and answered need both: answers come later, and a query that leads to
//! another has a greater number in it. So a message may have the first natural number of its payload behind its level.
//!
//! Or numbers in payloads come before all else: work is passed on with less and less, and what acknowledges it need not be
//! looked at where work is done.
//!
//! The numbers of processes, see [`numbers`](super::numbers), may be several, compared from the first on. Whoever shows
//! them puts such a tuple together: a number that no handler makes greater while those before it stay as they are can do no
//! harm behind them.

use super::measure_templates::{Number, Written, numbers};
use super::{Measure, declared_measures, handlers, no_more_measures, number_of, sending};
use crate::terms::{integer, local, named, number};
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Block, Handler, LocalId, Measures, Message, MessageId, Song, Stmt, StmtKind, System,
};
use std::collections::BTreeSet;

/// Levels of messages, and which processes need a number of their own.
pub struct Supposed {
    song: Song,
    /// The processes that need a number.
    pub measured: Vec<usize>,
    /// The messages whose level makes a difference, the first ones first.
    pub order: Vec<String>,
    /// Do numbers in payloads count?
    pub counts: Counts,
}

/// What numbers in payloads count for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counts {
    /// Nothing.
    No,
    /// Among messages of one level.
    Last,
    /// Before all else.
    First,
}

/// The most processes that are told apart.
const PROCESSES: usize = 4;

/// Every way to divide processes into those with a number and those without, few numbers first.
pub fn supposed(song: &Song) -> Vec<Supposed> {
    let senders = sending(song).unwrap_or_default();
    if senders.is_empty() || senders.len() > PROCESSES {
        return Vec::new();
    }
    let mut ways: Vec<u32> = (0..1 << senders.len()).collect();
    ways.sort_by_key(|way| way.count_ones());
    let measured = |way: u32| -> Vec<usize> {
        let has_bit = |(at, _): &(usize, &usize)| way & (1 << at) != 0;
        let chosen = senders.iter().enumerate().filter(has_bit);
        chosen.map(|(_, process)| *process).collect()
    };
    let all = |counts: Counts| ways.iter().map(move |way| (*way, counts));
    all(Counts::No)
        .chain(all(Counts::Last))
        .chain(all(Counts::First))
        .filter_map(|(way, counts)| levelled(song, measured(way), counts))
        .collect()
}

impl Supposed {
    /// Numbers of a process that may decrease.
    pub fn numbers(&self, process: usize) -> Vec<Number> {
        numbers(&self.song, process)
    }

    /// How it is shown that what is declared decreases.
    pub fn ways(&self) -> Option<[Measure; 2]> {
        let first = self.counts == Counts::First;
        let ways = declared_measures(&self.song)?;
        Some(ways.map(|way| way.behind_payloads(first)))
    }

    /// How it is shown that numbers of a process get no greater.
    pub fn no_more(&self) -> [Measure; 2] {
        let first = self.counts == Counts::First;
        no_more_measures().map(|way| way.behind_payloads(first))
    }

    /// The song as it is, for processes without a number.
    pub fn plain(&self) -> &Song {
        &self.song
    }

    /// A song where a process has a tuple of numbers.
    pub fn with(song: &Song, process: usize, tuple: &[Number]) -> Song {
        let mut song = song.clone();
        let System::Voices(voices) = &mut song.system else {
            return song;
        };
        let process = &mut voices.processes[process];
        let indices = song.families[process.family.index()].index.len();
        process.measures = Measures {
            locals: process.locals[..indices].to_vec(),
            levels: tuple.iter().map(|one| one.level.clone()).collect(),
        };
        song
    }
}

/// The song with levels such that handlers of all others send only later messages, or, where numbers count, others with
/// numbers; none if they go round, or if there are no numbers to count.
fn levelled(song: &Song, measured: Vec<usize>, counts: Counts) -> Option<Supposed> {
    let voices = song.voices()?;
    let has_number = |at: usize| number_of(song, MessageId::from(at)).is_some();
    if counts != Counts::No && !(0..voices.messages.len()).any(has_number) {
        return None;
    }
    let (mut all, mut kept): (Arcs, Arcs) = Default::default();
    for process in 0..voices.processes.len() {
        for handler in handlers(voices, process) {
            let from = handler.accept.message.index();
            if counts == Counts::First && has_number(from) {
                continue;
            }
            let arc = |to: &MessageId| (from, to.index());
            let sent = sent(handler);
            all.extend(sent.all.iter().map(arc));
            kept.extend(match measured.contains(&process) {
                true => sent.for_nothing.iter().map(arc).collect::<Arcs>(),
                false => sent.all.iter().map(arc).collect(),
            });
        }
    }
    let back = closure(&all);
    if counts == Counts::Last {
        kept.retain(|(from, to)| {
            let goes_round = back.contains(&(*to, *from));
            !(goes_round && has_number(*from) && has_number(*to))
        });
    }
    let onward = all
        .iter()
        .filter(|(from, to)| !back.contains(&(*to, *from)));
    let arcs: Arcs = onward.chain(&kept).copied().collect();
    let count = voices.messages.len();
    let mut levels = vec![0_i64; count];
    // The longest way; one that is longer than there are messages goes round.
    for _ in 0..=count {
        for (from, to) in &arcs {
            levels[*from] = levels[*from].max(levels[*to] + 1);
        }
    }
    if levels.iter().any(|level| *level > count as i64) {
        return None;
    }
    let number_in = |at: usize| number_of(song, MessageId::from(at));
    let numbers_in: Vec<Option<usize>> = (0..count).map(number_in).collect();
    let mut song = song.clone();
    let System::Voices(voices) = &mut song.system else {
        return None;
    };
    let mut known: Vec<(i64, String)> = Vec::new();
    for (at, (message, level)) in voices.messages.iter_mut().zip(&levels).enumerate() {
        message.measures = measures(
            message,
            *level,
            numbers_in[at].filter(|_| counts == Counts::Last),
        );
        known.push((-level, message.name.clone()));
    }
    let is_told = |at: &usize| arcs.iter().any(|(from, to)| at == from || at == to);
    let told = (0..count).filter(is_told);
    let mut order: Vec<(i64, String)> = told.map(|at| known[at].clone()).collect();
    order.sort();
    Some(Supposed {
        song,
        measured,
        order: order.into_iter().map(|(_, name)| name).collect(),
        counts,
    })
}

/// The level of a message, and behind it the number at a place of its payload.
fn measures(message: &Message, level: i64, place: Option<usize>) -> Measures {
    let fields = message.fields.iter();
    let number_there = place.map(|at| {
        let there = local(LocalId::from(at), &message.fields[at].ty);
        integer(there)
    });
    Measures {
        locals: fields.map(|field| named(&field.name, &field.ty)).collect(),
        levels: [number(level)].into_iter().chain(number_there).collect(),
    }
}

/// Which message leads to which.
type Arcs = BTreeSet<(usize, usize)>;

/// Which message leads to which in the end.
fn closure(arcs: &Arcs) -> Arcs {
    let mut all = arcs.clone();
    loop {
        let further = all.iter().flat_map(|(from, middle)| {
            let next = arcs.iter().filter(move |(start, _)| start == middle);
            next.map(move |(_, to)| (*from, *to))
        });
        let further: Arcs = further.filter(|arc| !all.contains(arc)).collect();
        if further.is_empty() {
            return all;
        }
        all.extend(further);
    }
}

/// The messages that a handler may send.
#[derive(Default)]
struct Sent {
    all: Vec<MessageId>,
    /// Those for which no variable of the process is written on the way, so that none of its numbers can decrease.
    for_nothing: Vec<MessageId>,
    /// Is one written on the way?
    is_paid: bool,
}

impl Visit for Sent {
    fn block(&mut self, block: &Block) {
        let writes: Vec<bool> = block.iter().map(writes).collect();
        for (at, stmt) in block.iter().enumerate() {
            let outside = self.is_paid;
            let beside = (writes.iter().enumerate()).any(|(other, writes)| other != at && *writes);
            self.is_paid |= beside;
            self.stmt(stmt);
            self.is_paid = outside;
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Send(message, ..) = stmt.kind {
            self.all.push(message);
            if !self.is_paid {
                self.for_nothing.push(message);
            }
        }
        walk::stmt(self, stmt);
    }
}

fn sent(handler: &Handler) -> Sent {
    let mut sent = Sent::default();
    sent.block(&handler.body);
    sent
}

/// May a statement write a variable of the process?
fn writes(stmt: &Stmt) -> bool {
    let mut written = Written(Vec::new());
    written.stmt(stmt);
    !written.0.is_empty()
}
