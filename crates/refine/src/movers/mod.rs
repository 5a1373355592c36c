//! Movers (Lipton reduction): actions that commute with those of other threads, so that they may be moved past them.
//!
//! | condition | asks | needed when |
//! |---|---|---|
//! | commutes | `X; A` can be replaced by `A; X` | `X` moves right or `A` moves left |
//! | gate | what `A` needs survives `X` | same |
//! | failure | what makes `X` fail after `A` makes it fail before | `A` moves left |
//! | nonblocking | `A` can act whenever it may | `A` moves left |
//! | async-free | `X` creates nothing | `X` moves right |
//!
//! for every other action that exists at a common layer, itself included, with arguments of another
//! thread: `linear` parameters of one type are different.
//!
//! Why sound. If the left mover `A` directly follows `X` of another thread, the two are swapped without
//! changing the state reached; repeating this carries it to the rest of its atomic block. If the
//! execution ends before `A` ran, it can be inserted where it is wanted because it does not block, and
//! it hides no failure. Symmetrically for right movers. [Kragl20] section 2.4.
//!
//! Asyncs are a bag: what both create together is the same in both orders.
//!
//! What an action `requires` may be relied on when it is moved to the left ([`conditional`]).
//!
//! DIFFERS. Choices of the swapped order are those of the original one (the identity as witness), but that a
//! `maybe` that did nothing does nothing; where that does not do, those that the song names ([`witness`]); at last
//! the existential is asked.

mod conditional;
mod conditions;
mod setting;
mod witness;

use crate::answer::{Answer, GUESS, Missing, Proof, Prover, Refutation};
use crate::brute::Brute;
use crate::negative_cache::Tried;
use crate::read_write_sets::Footprint;
pub use conditional::strengthened;
pub(crate) use conditions::some_way;
use plainsong_ir::{ActionId, Actions, Mover, Song};
use plainsong_prove::lower::Store;
use plainsong_prove::obligation::Obligation;
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};
pub(crate) use witness::picks;

/// A condition on an ordered pair of actions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Condition {
    /// First then second can be replaced by second then first.
    Commutes,
    /// What the second needs survives the first.
    Gate,
    /// What makes the first fail after the second makes it fail before.
    Failure,
    /// The second can act whenever it may.
    Nonblocking,
    /// The first creates nothing.
    AsyncFree,
}

impl Condition {
    /// The name of its rule.
    pub fn name(self) -> &'static str {
        match self {
            Condition::Commutes => "mover/commutativity",
            Condition::Gate => "mover/gate-preservation",
            Condition::Failure => "mover/failure-preservation",
            Condition::Nonblocking => "mover/nonblocking",
            Condition::AsyncFree => "mover/async-freedom",
        }
    }
}

/// A direction to move in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Before what comes before it.
    Left,
    /// Behind what comes after it.
    Right,
}

impl Side {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Side::Left => "left",
            Side::Right => "right",
        }
    }
}

/// What more is known about a state in which two actions are about to act.
pub trait Context {
    /// About the globals and the arguments of the first and the second.
    fn known(
        &self,
        theory: &mut Theory,
        store: &Store,
        pair: [(ActionId, &[Term]); 2],
    ) -> Result<Vec<Term>>;

    /// About the globals and the arguments of one that is looked at by itself.
    fn alone(
        &self,
        theory: &mut Theory,
        store: &Store,
        one: (ActionId, &[Term]),
    ) -> Result<Vec<Term>>;
}

/// Any state: nothing more is known.
pub struct Anywhere;

impl Context for Anywhere {
    fn known(&self, _: &mut Theory, _: &Store, _: [(ActionId, &[Term]); 2]) -> Result<Vec<Term>> {
        Ok(Vec::new())
    }

    fn alone(&self, _: &mut Theory, _: &Store, _: (ActionId, &[Term])) -> Result<Vec<Term>> {
        Ok(Vec::new())
    }
}

/// Something that has to hold for a mover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Need {
    pub condition: Condition,
    /// The action that acts first in the original order.
    pub first: ActionId,
    /// The one that acts second.
    pub second: ActionId,
}

/// Everything that has to hold for `action` to move to a side past all others that exist at a common layer;
/// what follows from what the actions touch is left out.
pub fn needs(actions: &Actions, action: ActionId, side: Side) -> Vec<Need> {
    let others = (0..actions.actions.len()).map(ActionId::from);
    let others: Vec<ActionId> = others
        .filter(|other| coexist(actions, action, *other))
        .collect();
    needs_past(actions, action, side, &others)
}

/// The same past some others.
pub fn needs_past(
    actions: &Actions,
    action: ActionId,
    side: Side,
    others: &[ActionId],
) -> Vec<Need> {
    let mut all = Vec::new();
    let own = Footprint::of(&actions.actions[action.index()]);
    let mut need = |condition, first, second| {
        all.push(Need {
            condition,
            first,
            second,
        });
    };
    match side {
        Side::Left if own.blocks => need(Condition::Nonblocking, action, action),
        Side::Right if own.creates => need(Condition::AsyncFree, action, action),
        _ => {}
    }
    for &other_id in others {
        let touch = Footprint::of(&actions.actions[other_id.index()]);
        let (first, second, one, two) = match side {
            Side::Left => (other_id, action, &touch, &own),
            Side::Right => (action, other_id, &own, &touch),
        };
        if !one.unread_by(two) {
            need(Condition::Gate, first, second);
        }
        if side == Side::Left && !two.unread_by(one) {
            need(Condition::Failure, first, second);
        }
        if !(one.leaves_alone(two) && two.leaves_alone(one)) {
            need(Condition::Commutes, first, second);
        }
    }
    all
}

/// Is there a layer at which both exist?
pub fn coexist(actions: &Actions, a: ActionId, b: ActionId) -> bool {
    let layers = |id: ActionId| actions.actions[id.index()].role.layers;
    match (layers(a), layers(b)) {
        (Some(a), Some(b)) => a.first <= b.last && b.first <= a.last,
        _ => true,
    }
}

/// Does `action` move to `side`?
pub fn moves(
    song: &Song,
    action: ActionId,
    side: Side,
    brute: &Brute,
    prover: &mut Prover<'_>,
) -> Answer {
    let Some(actions) = song.actions() else {
        return Answer::unknown("there are no actions".to_owned());
    };
    let needs = needs(actions, action, side);
    let tried = Tried::new(prover.solvers, song);
    let search = |needs: &[Need], about: &str, refutes: &dyn Fn(&Need) -> Option<Refutation>| {
        let mut found = needs.iter().map(|need| {
            let about = format!("{about} {need:?}");
            tried.search(&about, || refutes(need))
        });
        found.find_map(|found| found).map(Answer::Refuted)
    };
    // A proof costs less than many states, and few states less than a proof that fails. What is not proved soon is
    // mostly false: then many states cost less than going on.
    if let Some(refuted) = search(&needs, "at once", &|need| brute.refutes_at_once(need)) {
        return refuted;
    }
    let name = &actions.actions[action.index()].name;
    let open = not_shown_soon(name, side, &needs, prover);
    if let Some(refuted) = search(&open, "small states", &|need| brute.refutes(need)) {
        return refuted;
    }
    show(actions, name, side, needs, &Anywhere, prover)
}

/// What the first steps of a proof leave open.
fn not_shown_soon(name: &str, side: Side, needs: &[Need], prover: &mut Prover<'_>) -> Vec<Need> {
    let (mut all, mut owners, mut open) = (Vec::new(), Vec::new(), Vec::new());
    for need in needs {
        match conditions::obligations(prover.theory, need, &Anywhere) {
            Ok(list) => {
                owners.extend(list.iter().map(|_| *need));
                all.extend(list);
            }
            Err(_) => open.push(*need),
        }
    }
    let left = prover.open_within(&format!("{name}/{}", side.name()), &all, GUESS);
    for (at, _) in left {
        if !open.contains(&owners[at]) {
            open.push(owners[at]);
        }
    }
    open
}

/// Is it shown that `action` moves to `side` past some others? Nothing is tried out.
pub fn moves_past(
    song: &Song,
    action: ActionId,
    side: Side,
    others: &[ActionId],
    prover: &mut Prover<'_>,
) -> Answer {
    let Some(actions) = song.actions() else {
        return Answer::unknown("there are no actions".to_owned());
    };
    let needs = needs_past(actions, action, side, others);
    let name = &actions.actions[action.index()].name;
    show(actions, name, side, needs, &Anywhere, prover)
}

/// That what one action needs survives another, of another thread; nothing where that follows from what they touch.
pub(crate) fn survives(
    theory: &mut Theory,
    first: ActionId,
    second: ActionId,
) -> Result<Vec<Obligation>> {
    let song = theory.song.clone();
    let touches = [first, second].map(|id| {
        let actions = song.actions().expect("a mover is an action");
        Footprint::of(&actions.actions[id.index()])
    });
    if touches[0].unread_by(&touches[1]) {
        return Ok(Vec::new());
    }
    let need = Need {
        condition: Condition::Gate,
        first,
        second,
    };
    conditions::obligations(theory, &need, &Anywhere)
}

/// Shows everything that is needed, relying on what is known besides.
pub(crate) fn show(
    actions: &Actions,
    name: &str,
    side: Side,
    needs: Vec<Need>,
    context: &dyn Context,
    prover: &mut Prover<'_>,
) -> Answer {
    let mut proof = Proof::default();
    let mut open: Vec<(Need, Vec<Obligation>)> = Vec::new();
    for need in needs {
        match conditions::obligations(prover.theory, &need, context) {
            Ok(obligations) => open.push((need, obligations)),
            Err(unsupported) => {
                let names = pair(actions, &need);
                return Answer::unknown(format!("{names}: {}", unsupported.message));
            }
        }
    }
    let all: Vec<Obligation> = open.iter().flat_map(|(_, list)| list.clone()).collect();
    let left = prover.open(&format!("{name}/{}", side.name()), &all);
    let mut from = 0;
    for (need, list) in &open {
        let range = from..from + list.len();
        from = range.end;
        let missing = left.iter().find(|(at, _)| range.contains(at));
        if let Some((at, why)) = missing
            && let Some(why) = again(need, context, prover, why)
        {
            let told = format!(
                "not proved to be a {} mover: {} ({}), {why}",
                side.name(),
                all[*at].sentence,
                need.condition.name(),
            );
            return Answer::unknown(Missing::of(told, &all, &[(*at, why)]));
        }
        proof.obligations += list.len();
        proof.explained.push(explained(actions, need));
    }
    Answer::Proved(proof)
}

/// What the identity of choices does not show, another choice may; `None` if it does.
fn again(need: &Need, context: &dyn Context, prover: &mut Prover<'_>, why: &str) -> Option<String> {
    if need.condition != Condition::Commutes {
        return Some(why.to_owned());
    }
    for commute in witness::named(prover.theory, need) {
        let Ok(all) = conditions::commutes_with(prover.theory, need, context, &commute) else {
            continue;
        };
        if prover.open("witness", &all).is_empty() {
            return None;
        }
    }
    match conditions::commutes_somehow(prover.theory, need, context) {
        Ok(Some(one)) => {
            let open = prover.open("witness", &[one]);
            (!open.is_empty()).then(|| why.to_owned())
        }
        _ => Some(why.to_owned()),
    }
}

fn pair(actions: &Actions, need: &Need) -> String {
    let name = |id: ActionId| &actions.actions[id.index()].name;
    if need.first == need.second {
        return format!("`{}`", name(need.first));
    }
    format!("`{}`, then `{}`", name(need.first), name(need.second))
}

/// What a condition says, in words.
fn explained(actions: &Actions, need: &Need) -> String {
    let name = |id: ActionId| &actions.actions[id.index()].name;
    let first = format!("`{}`", name(need.first));
    let second = match need.first == need.second {
        true => format!("`{}` of another thread", name(need.second)),
        false => format!("`{}`", name(need.second)),
    };
    let said = match need.condition {
        Condition::Commutes => {
            format!("what {first} and then {second} lead to, the other order leads to as well")
        }
        Condition::Gate => format!("{first} does not make {second} fail"),
        Condition::Failure => format!("where {first} fails, it fails behind {second} as well"),
        Condition::Nonblocking => format!("`{}` does not wait", name(need.second)),
        Condition::AsyncFree => format!("{first} leaves nothing behind"),
    };
    format!("{}: {said}", need.condition.name())
}

/// The sides that a declared type claims.
pub fn sides(mover: Mover) -> Vec<Side> {
    let mut sides = Vec::new();
    if mover.is_left() {
        sides.push(Side::Left);
    }
    if mover.is_right() {
        sides.push(Side::Right);
    }
    sides
}
