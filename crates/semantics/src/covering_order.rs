//! Covering orders: states that can do at least as much as an earlier one, because the song says so (`covers`).
//!
//! Statement. Let each process be in a state that covers its earlier one, and let every earlier task have a task of its
//! own, of the same kind between the same processes, that covers it. If the earlier state has an infinite execution, so
//! has the later one; and if an execution leads from the earlier to the later one, it can be repeated for ever.
//!
//! Why sound. Only if `covers` is *compatible* with the handlers: whatever a handler does with a task, it can do with
//! one that covers it, in a state that covers its own, with messages and a state that cover those of before. A handler
//! reads and writes nothing but its own process, so that is a question about one handler at a time, and what holds
//! for one step holds for all. Nothing of this is decided here: whoever has had it shown (by a prover, see
//! `plainsong_diverge::covering_order`) says so with [`Machine::trusting_order`]; for other machines there is no order.
//!
//! That the relation is reflexive, transitive or well-founded is nowhere needed.
//!
//! Source. [Alive12], section 6: any order that is compatible with the steps will do.
//! NOT COVERED. Actions, bodies, faults, and messages that are delivered in order: there is no order for them.

use crate::eval::Eval;
use crate::idle::{Idle, Task};
use crate::instance::Instance;
use crate::machine::{Config, Form, Machine};
use crate::value::{Pid, Value};
use crate::world::World;
use plainsong_diagnostics::Span;
use plainsong_ir::covers::Pair;
use plainsong_ir::{Body, Expr, ExprKind, LocalId, Song, Ty, Voices};

/// What the song says about covering, for one machine.
#[derive(Clone, Debug)]
pub struct CoveringOrder {
    instance: Instance,
    /// Of each family of processes.
    families: Vec<Relation>,
    /// Of each kind of message.
    messages: Vec<Relation>,
}

/// Does a song say which states cover others?
pub fn is_declared(song: &Song) -> bool {
    song.voices().is_some_and(|voices| {
        let processes = voices.processes.iter().map(|one| &one.order);
        let messages = voices.messages.iter().map(|one| &one.order);
        processes
            .chain(messages)
            .any(plainsong_ir::Covers::is_declared)
    })
}

/// Is everything a handler, and nothing goes wrong?
pub fn is_covered(voices: &Voices) -> bool {
    let handles = |body: &Body| matches!(body, Body::Handlers(_));
    voices.faults.is_empty() && voices.processes.iter().all(|one| handles(&one.body))
}

impl CoveringOrder {
    /// The order of a machine that trusts it, if the song declares one that is covered here.
    pub fn of(machine: &Machine) -> Option<CoveringOrder> {
        let instance = machine.instance();
        let song = instance.song();
        let voices = song.voices()?;
        if !machine.trusts_order || !is_declared(song) || !is_covered(voices) {
            return None;
        }
        let mut families = vec![Relation::default(); song.families.len()];
        for process in &voices.processes {
            let family = &song.families[process.family.index()];
            let parts = family.vars.iter().map(|var| var.ty.clone()).collect();
            let names = family.index.iter().map(|one| one.ty.clone()).collect();
            families[process.family.index()] = Relation::new(&process.order, names, parts, true);
        }
        let messages = voices.messages.iter().map(|message| {
            let parts = message.fields.iter().map(|one| one.ty.clone()).collect();
            Relation::new(&message.order, Vec::new(), parts, false)
        });
        Some(CoveringOrder {
            instance: instance.clone(),
            families,
            messages: messages.collect(),
        })
    }

    /// Does a state without its bag cover an earlier one?
    pub fn rest(&self, before: &Config, now: &Config) -> bool {
        let (Form::Voices(before), Form::Voices(now)) = (&before.0, &now.0) else {
            return false;
        };
        let is_empty = |network: &crate::voices::network::Network| network.messages().is_empty();
        let same = before.begun == now.begun
            && before.trouble == now.trouble
            && is_empty(&before.network)
            && is_empty(&now.network);
        let pairs = before.voices.iter().zip(&now.voices).enumerate();
        same && pairs.into_iter().all(|(lane, (before, now))| {
            let member = &self.instance.members()[lane];
            let relation = &self.families[member.family.index()];
            let world = Me(Pid::Member(lane as u32));
            let alike = (before.pc, &before.slots) == (now.pc, &now.slots);
            alike
                && relation.holds(
                    &self.instance,
                    &world,
                    &member.index,
                    &before.vars,
                    &now.vars,
                )
        })
    }

    /// Does a task cover an earlier one?
    pub fn task(&self, before: &Task, now: &Task) -> bool {
        if before.with_values(now.values().into()) != *now {
            return false;
        }
        let relation = &self.messages[before.kind()];
        let world = Me(Pid::Init);
        relation.holds(&self.instance, &world, &[], before.values(), now.values())
    }

    /// For each task of an earlier state one of the later state that covers it, if the later state covers the earlier
    /// one: pairs of tasks, and what is left over.
    pub fn covers(&self, before: &Idle, now: &Idle) -> Option<Matched> {
        if !self.rest(&before.rest, &now.rest) {
            return None;
        }
        self.matched(&before.bag, &now.bag)
    }

    /// For each task one of its own that covers it, and what is left over.
    pub fn matched(&self, before: &[Task], now: &[Task]) -> Option<Matched> {
        let found = matching(before.len(), now.len(), |one, other| {
            self.task(&before[one], &now[other])
        })?;
        let pairs = before.iter().zip(&found);
        let pairs = pairs.map(|(one, other)| (one.clone(), now[*other].clone()));
        let left = (0..now.len()).filter(|at| !found.contains(at));
        Some(Matched {
            pairs: pairs.collect(),
            left: left.map(|at| now[at].clone()).collect(),
        })
    }
}

/// How a bag covers an earlier one.
#[derive(Clone, Debug)]
pub struct Matched {
    /// Each earlier task with the one that covers it.
    pub pairs: Vec<(Task, Task)>,
    /// Later tasks that cover none.
    pub left: Vec<Task>,
}

/// For each of `these` one of `those`, no two the same, if that is possible: along augmenting ways.
pub fn matching(
    these: usize,
    those: usize,
    fits: impl Fn(usize, usize) -> bool,
) -> Option<Vec<usize>> {
    if these > those {
        return None;
    }
    let mut taken: Vec<Option<usize>> = vec![None; those];
    for one in 0..these {
        let mut seen = vec![false; those];
        if !augment(one, &mut taken, &mut seen, &fits) {
            return None;
        }
    }
    let mut found = vec![0; these];
    for (other, one) in taken.into_iter().enumerate() {
        one.into_iter().for_each(|one| found[one] = other);
    }
    Some(found)
}

fn augment(
    one: usize,
    taken: &mut [Option<usize>],
    seen: &mut [bool],
    fits: &impl Fn(usize, usize) -> bool,
) -> bool {
    for other in 0..taken.len() {
        if seen[other] || !fits(one, other) {
            continue;
        }
        seen[other] = true;
        let is_free = match taken[other] {
            None => true,
            Some(holder) => augment(holder, taken, seen, fits),
        };
        if is_free {
            taken[other] = Some(one);
            return true;
        }
    }
    false
}

/// What `covers` says of one family or kind of message, over locals: indices, earlier parts, later parts, and what the
/// clauses bind.
#[derive(Clone, Debug, Default)]
struct Relation {
    holds: Vec<Expr>,
    /// So many locals do the clauses bind.
    inner: usize,
    is_declared: bool,
}

impl Relation {
    fn new(order: &plainsong_ir::Covers, names: Vec<Ty>, parts: Vec<Ty>, own: bool) -> Relation {
        let count = parts.len();
        let locals = |types: &[Ty], first: usize| -> Vec<Expr> {
            let types = types.iter().zip(first..);
            let local = |(ty, at): (&Ty, usize)| Expr {
                kind: ExprKind::Local(LocalId::from(at)),
                ty: ty.clone(),
                span: Span::default(),
            };
            types.map(local).collect()
        };
        let pair = Pair {
            before: locals(&parts, names.len()),
            now: locals(&parts, names.len() + count),
            first: names.len() + 2 * count,
            names: locals(&names, 0),
            own,
        };
        Relation {
            holds: order.holds(&pair),
            inner: order.inner(&pair).len(),
            is_declared: order.is_declared(),
        }
    }

    fn holds(
        &self,
        instance: &Instance,
        world: &dyn World,
        names: &[Value],
        before: &[Value],
        now: &[Value],
    ) -> bool {
        if !self.is_declared {
            return before == now;
        }
        let inner = vec![Value::None; self.inner];
        let mut slots = [names, before, now, &inner].concat();
        let mut eval = Eval::new(instance, world);
        let mut clauses = self.holds.iter();
        // What cannot be computed does not cover.
        clauses.all(|clause| eval.truth(clause, &mut slots).unwrap_or(false))
    }
}

/// The process that an order speaks of.
struct Me(Pid);

impl World for Me {
    fn me(&self) -> Option<Pid> {
        Some(self.0)
    }
}
