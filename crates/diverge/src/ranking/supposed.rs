//! Measures that nobody declared, supposed: a number of some processes, and an order of the kinds of messages.
//!
//! Requests are answered, jobs are handed out and asked for: whoever answers has nothing that gets less, but an answer
//! comes later than a request. So kinds of messages get levels, such that a process without a number of its own sends only
//! later ones; the others need a number that gets less when they send something that does not come later. What is
//! supposed is a song with these `decreases`: that they get less has to be shown like that of declared ones, which
//! is why anything may be supposed here.
//!
//! Numbers: a natural number; how far an integer is from what it is compared with; a flag that is set, or cleared; an
//! option that is filled.

use super::{does_send, handlers, sending};
use crate::terms::{both, expr, filled, integer, number};
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    BinOp, Expr, ExprKind, Handler, Measures, MessageId, Place, Root, Song, StmtKind, System, Ty,
    VarId,
};
use std::collections::BTreeSet;

/// Levels of messages, and which processes need a number of their own.
pub struct Supposed {
    song: Song,
    /// The processes that need a number.
    pub measured: Vec<usize>,
    /// The messages whose level makes a difference, the first ones first.
    pub order: Vec<String>,
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
    let chosen = ways.into_iter().map(|way| {
        let has_bit = |(at, _): &(usize, &usize)| way & (1 << at) != 0;
        let measured = senders.iter().enumerate().filter(has_bit);
        measured.map(|(_, process)| *process).collect()
    });
    chosen
        .filter_map(|measured: Vec<usize>| levelled(song, measured))
        .collect()
}

impl Supposed {
    /// The song with a number for one of the measured processes; each with the number in words.
    pub fn numbers(&self, process: usize) -> Vec<(Song, String)> {
        let voices = self.song.voices().expect("voices");
        let family = &self.song.families[voices.processes[process].family.index()];
        let mut all = Vec::new();
        for (at, var) in family.vars.iter().enumerate() {
            for (level, words) in numbers(&self.song, process, VarId::from(at), &var.ty) {
                let name = format!("`{}` of `{}`", var.name, family.name);
                let words = words.replace('@', &name);
                all.push((self.with(process, level), words));
            }
        }
        all
    }

    /// The song as it is, for processes without a number.
    pub fn plain(&self) -> &Song {
        &self.song
    }

    fn with(&self, process: usize, level: Expr) -> Song {
        let mut song = self.song.clone();
        let System::Voices(voices) = &mut song.system else {
            return song;
        };
        let process = &mut voices.processes[process];
        let indices = song.families[process.family.index()].index.len();
        process.measures = Measures {
            locals: process.locals[..indices].to_vec(),
            levels: vec![level],
        };
        song
    }
}

/// The song with levels such that handlers of all others send only later messages; none if they go round.
fn levelled(song: &Song, measured: Vec<usize>) -> Option<Supposed> {
    let voices = song.voices()?;
    let (mut all, mut kept): (Arcs, Arcs) = Default::default();
    for process in 0..voices.processes.len() {
        for handler in handlers(voices, process) {
            let from = handler.accept.message.index();
            let arcs = sent(handler).into_iter().map(|to| (from, to.index()));
            let arcs: Arcs = arcs.collect();
            if !(measured.contains(&process) && writes(handler)) {
                kept.extend(&arcs);
            }
            all.extend(arcs);
        }
    }
    let back = closure(&all);
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
    let mut song = song.clone();
    let System::Voices(voices) = &mut song.system else {
        return None;
    };
    let mut named: Vec<(i64, String)> = Vec::new();
    for (message, level) in voices.messages.iter_mut().zip(&levels) {
        message.measures = Measures {
            locals: Vec::new(),
            levels: vec![number(*level)],
        };
        named.push((-level, message.name.clone()));
    }
    let is_told = |at: &usize| arcs.iter().any(|(from, to)| at == from || at == to);
    let told = (0..count).filter(is_told);
    let mut order: Vec<(i64, String)> = told.map(|at| named[at].clone()).collect();
    order.sort();
    Some(Supposed {
        song,
        measured,
        order: order.into_iter().map(|(_, name)| name).collect(),
    })
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

/// Numbers of a variable that may get less, with `@` for its name.
fn numbers(song: &Song, process: usize, var: VarId, ty: &Ty) -> Vec<(Expr, String)> {
    let own = expr(ExprKind::Own(var), ty.clone());
    let choice = |condition: Expr, yes: i64, no: i64| {
        let kind = ExprKind::If(condition.into(), number(yes).into(), number(no).into());
        expr(kind, Ty::Int)
    };
    match ty {
        Ty::Bool => vec![
            (choice(own.clone(), 0, 1), "@ is set".to_owned()),
            (choice(own, 1, 0), "@ is cleared".to_owned()),
        ],
        Ty::Option(_) => vec![(choice(filled(own), 0, 1), "@ is filled".to_owned())],
        Ty::Nat | Ty::Int => {
            let mut all = Vec::new();
            if *ty == Ty::Nat {
                all.push((own.clone(), "@ gets less".to_owned()));
            }
            let voices = song.voices().expect("voices");
            let mut limits = Limits {
                var,
                found: Vec::new(),
            };
            for handler in handlers(voices, process) {
                limits.block(&handler.body);
            }
            for limit in limits.found {
                // One more, for those that may reach it.
                let beyond = both(BinOp::Add, integer(limit), number(1));
                let beyond = Expr {
                    ty: Ty::Int,
                    ..beyond
                };
                let left = both(BinOp::Sub, beyond, integer(own.clone()));
                let left = Expr {
                    ty: Ty::Int,
                    ..left
                };
                all.push((left, "@ comes nearer to its limit".to_owned()));
            }
            all
        }
        _ => Vec::new(),
    }
}

/// What a variable is compared with.
struct Limits {
    var: VarId,
    found: Vec<Expr>,
}

impl Visit for Limits {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Binary(_, left, right) = &expr.kind {
            for (one, other) in [(left, right), (right, left)] {
                let is_number = matches!(other.ty, Ty::Int | Ty::Nat);
                let is_closed = matches!(bare(other).kind, ExprKind::Int(_) | ExprKind::Const(_));
                let limit = bare(other);
                if bare(one).kind == ExprKind::Own(self.var) && is_number && is_closed {
                    let known = self.found.iter().any(|known| known.kind == limit.kind);
                    if !known {
                        self.found.push(limit.clone());
                    }
                }
            }
        }
        walk::expr(self, expr);
    }
}

/// An expression without its conversions between numbers.
fn bare(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Widen(inner) | ExprKind::Narrow(inner) => bare(inner),
        _ => expr,
    }
}

/// Does a handler write a variable of its process?
fn writes(handler: &Handler) -> bool {
    struct Writes(bool);
    impl Visit for Writes {
        fn place(&mut self, place: &Place) {
            self.0 |= matches!(place.root, Root::Own(_));
            walk::place(self, place);
        }
    }
    let mut writes = Writes(false);
    writes.block(&handler.body);
    writes.0
}

/// The messages that a handler may send.
fn sent(handler: &Handler) -> Vec<MessageId> {
    struct Sent(Vec<MessageId>);
    impl Visit for Sent {
        fn stmt(&mut self, stmt: &plainsong_ir::Stmt) {
            if let StmtKind::Send(message, ..) = stmt.kind {
                self.0.push(message);
            }
            walk::stmt(self, stmt);
        }
    }
    let mut sent = Sent(Vec::new());
    if does_send(&handler.body) {
        sent.block(&handler.body);
    }
    sent.0
}
