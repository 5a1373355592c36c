//! Inductive sequentialization by an invariant action: the literal rule, for what no schedule can say.
//!
//! `sequentialize A, B as C into M as N by I(x) choosing k with k = e { … }` replaces the action `M` by `N`, which does
//! what `M` and all asyncs of `A` and `B` do that it leaves behind. `I` is an action that does what `M` does followed by
//! *some* of them, and leaves the others behind. The block is the choice: from what `I` chose, and the variables
//! behind it, it says which of the asyncs left behind comes next, and then what `I` would have chosen to have that one done,
//! too. Unlike a schedule it may depend on choices of `M`, and so on how many asyncs there are at all.
//!
//! # The rule
//!
//! Let `E` be the eliminated actions and `A*` what stands for `A`, as for schedules ([`super`]).
//!
//! | rule | asks |
//! |---|---|
//! | `sequentialize/base` | where `I` does not fail, `M` does not, and `I` can do what `M` does |
//! | `sequentialize/choice` | what comes next was left behind by `I`; where nothing comes next, nothing of `E` was |
//! | `sequentialize/step` | what comes next does not fail behind `I`, and `I` can do what `I` and then `A*` do |
//! | `sequentialize/conclusion` | where `N` does not fail, `I` does not, and `N` can do what `I` does when it leaves nothing of `E` |
//! | `sequentialize/abstraction`, `mover/…`, `sequentialize/cooperation`, `sequentialize/invariant` | as for schedules |
//!
//! # Why sound
//!
//! Claimed is that the program with `N` in the place of `M` is an abstraction of the one with `M`: if it cannot fail, that
//! one cannot, and whatever that one ends in, with nothing pending, it can end in. Take an execution of the program with
//! `M` that ends or fails, and its first step of `M(x)`, from the configuration `(s, Ω + M(x))`. Everything before it is an
//! execution of the other program, too. If `N` fails there, so does the other program, and nothing is claimed. Otherwise
//! `I` does not fail there (`conclusion`), and `M` does not (`base`), so its step leads to some `(g, Ω + W)`, and `I` can
//! do the same (`base`). From here on the invariant is: the rest of the execution starts in `(g, Ω + W)`, which `I`
//! leads to from `s`. As long as `W` has an async of `E`, take the choices with which `I` leads there. The block names an
//! `A(y)` in `W`, and not nothing (`choice`), and `A*` does not fail at `g` (`step`).
//!
//! - If the rest runs `A(y)` it is replaced by a step of `A*` and moved left to `(g, Ω + W)`; if it does not, the execution
//!   fails, and a step of `A*` that makes the measure smaller is inserted before the failure and moved left. Both as for
//!   schedules, past steps of the original actions.
//! - Then `I` can do what `I` and this step do (`step`), and the rest begins behind it.
//!
//! Each time either the rest has fewer steps, or it has as many and the measure of its last configuration is smaller; so
//! this ends, with a `W` that has nothing of `E`, and `N` can do what `I` does then (`conclusion`). No step of `M` was
//! added or taken away (`M` is not in `E`), and those that are left come later; so one after the other is replaced, from
//! the first on, and what steps are moved past are always original actions.
//!
//! The invariants of the program may be relied on in `s`: all configurations on the way are reached by steps of the
//! program and of abstractions, which keep them; that `I` and `N` *can do the same* is never used to reach another one.
//!
//! The choices that the block, or `with`, or a name names are guesses. Whether they lead to the same is what is asked; so
//! expressions without a value in them are no matter.
//!
//! NOT COVERED, and refused: `M` among the eliminated, results, different permissions of `M` and `N`, induction behind a
//! schedule; loops and more than one call in the block.
//!
//! Source. \[Kragl20\] section 5.2.
//! DIFFERS. The choice is a function of the choices of `I`, not of its transitions: of the choices that lead to the same,
//! any will do. Cooperation is always asked for.

mod base;
mod can_do;
mod conclusion;
mod step;
mod witness;

use super::context::{Known, arbitrary};
use super::example::{Asked, Scene};
use super::pool::created;
use crate::answer::{Missing, Proof, Prover};
use crate::movers::picks;
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Action, ActionId, Actions, Block, GlobalId, Induction, Place, Root, Sequentialization, Song,
    Stmt, StmtKind,
};
use plainsong_prove::gated_actions::Gated;
use plainsong_prove::lower::Store;
use plainsong_prove::obligation::Obligation;
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};
use std::collections::BTreeSet;

/// An induction and what it is about, in a staged song.
pub(super) struct Inductive<'k, 's> {
    pub(super) known: &'k Known<'s>,
    /// The sequentialization, whose code is the choice.
    pub(super) sequence: &'k Sequentialization,
    pub(super) by: &'k Induction,
    /// The action that becomes another one.
    pub(super) into: ActionId,
}

/// What one of the conditions asks for.
type Asks = fn(&Inductive<'_, '_>, &mut Theory) -> Result<Asked>;

/// Shows what an induction asks for besides what schedules ask for.
pub(super) fn shown(
    inductive: &Inductive<'_, '_>,
    prover: &mut Prover<'_>,
    proof: &mut Proof,
) -> std::result::Result<(), Missing> {
    let ways: [(&str, Asks); 3] = [
        ("base", base::base),
        ("step", step::step),
        ("conclusion", conclusion::conclusion),
    ];
    for (name, asks) in ways {
        let asks = |theory: &mut Theory| asks(inductive, theory).map(Some);
        super::all_shown(name, inductive.known, &asks, prover, proof)?;
    }
    Ok(())
}

/// Why an induction is refused, before anything is shown.
pub(super) fn refused(actions: &Actions, sequence: &Sequentialization) -> Option<String> {
    let (by, into) = (sequence.by.as_ref()?, sequence.into?);
    let row = |id: ActionId| &actions.actions[id.index()];
    let all = [into, by.becomes, by.invariant];
    if sequence.eliminated.iter().any(|one| one.action == into) {
        let name = &row(into).name;
        return Some(format!("`{name}` is eliminated and becomes another action"));
    }
    if all.iter().any(|id| row(*id).role.result.is_some()) {
        return Some("actions with results leave no asyncs behind".to_owned());
    }
    let permissions = |id: ActionId| {
        let role = &row(id).role;
        (&role.linear, &role.taken, &role.given)
    };
    if permissions(into) != permissions(by.becomes) {
        return Some(format!(
            "`{}` and `{}` have different permissions",
            row(into).name,
            row(by.becomes).name
        ));
    }
    let mut looking = InvariantActionShape::default();
    looking.block(&sequence.code.body);
    if looking.wrong.is_none() && calls(&sequence.code.body) > 1 {
        looking.wrong = Some("one async comes next");
    }
    let wrong = looking.wrong?;
    Some(format!("the choice is refused: {wrong}"))
}

/// The most calls on a way through a block.
fn calls(block: &Block) -> usize {
    let of = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Call(..) => 1,
        StmtKind::If(_, yes, no) => calls(yes).max(calls(no)),
        _ => 0,
    };
    block.iter().map(of).sum()
}

#[derive(Default)]
struct InvariantActionShape {
    wrong: Option<&'static str>,
}

impl Visit for InvariantActionShape {
    fn stmt(&mut self, stmt: &Stmt) {
        let fits = matches!(
            stmt.kind,
            StmtKind::Let(..) | StmtKind::If(..) | StmtKind::Call(..) | StmtKind::Assign(..)
        );
        if !fits {
            self.wrong = Some("it names, decides, calls one async and assigns to what is chosen");
        }
        walk::stmt(self, stmt);
    }

    fn place(&mut self, place: &Place) {
        if !matches!(place.root, Root::Local(_)) || !place.path.is_empty() {
            self.wrong = Some("it changes no variables; what it calls does");
        }
        walk::place(self, place);
    }
}

/// The song in which actions are as an induction says.
pub(super) fn applied(actions: &mut Actions, into: ActionId, by: &Induction) {
    let code = actions.actions[by.becomes.index()].code.clone();
    actions.actions[into.index()].code = code;
}

/// The song without choices, which are no schedules.
pub(super) fn without_choices(song: &Song) -> Song {
    let mut song = song.clone();
    if let plainsong_ir::System::Actions(actions) = &mut song.system {
        for sequence in &mut actions.sequences {
            if sequence.by.is_some() {
                sequence.code.body.clear();
            }
        }
    }
    song
}

/// Something that has to hold, behind a word for it.
type Part = (String, Term);

/// How often asyncs are left behind by two runs, by action and arguments.
type Counts<'c> = dyn Fn(&mut Theory, ActionId, &[Term]) -> [Term; 2] + 'c;

/// A configuration in which an action is pending, its arguments, and what is known.
struct Start {
    store: Store,
    arguments: Vec<Term>,
    known: Vec<Term>,
}

impl Inductive<'_, '_> {
    fn action(&self, id: ActionId) -> &Action {
        self.known.stage.action(id)
    }

    fn start(&self, theory: &mut Theory) -> Result<Start> {
        use crate::movers::Context;
        let (store, arguments, mut known) = arbitrary(theory, &self.action(self.into).code)?;
        let more = self.known.alone(theory, &store, (self.into, &arguments))?;
        known.extend(more);
        Ok(Start {
            store,
            arguments,
            known,
        })
    }

    /// What is asked about the start, and a run of an action from there.
    fn asked(&self, start: &Start, (id, run): (ActionId, &Gated), all: Vec<Obligation>) -> Asked {
        let (store, arguments) = (start.store.clone(), start.arguments.clone());
        let mut scene = Scene::new(self.into, store, arguments);
        let action = self.action(id);
        let chosen = picks(action).into_iter().map(|(at, local)| {
            let row = &action.code.locals[local.index()];
            let name = format!("{} of {}", row.name, action.name);
            (name, row.ty.clone(), run.choices[at])
        });
        scene.chosen = chosen.collect();
        Asked { all, scene }
    }

    /// Runs an action from the start, with fresh choices or given ones.
    fn run(
        &self,
        theory: &mut Theory,
        start: &Start,
        id: ActionId,
        given: Option<&[Term]>,
    ) -> Result<Gated> {
        let code = &self.action(id).code;
        Gated::run(theory, code, None, &start.store, &start.arguments, given)
    }

    /// The actions of which one of these leaves asyncs behind.
    fn created(&self) -> BTreeSet<ActionId> {
        let own = [self.into, self.by.becomes, self.by.invariant];
        let pairs = &self.known.stage.staged.eliminated[self.known.sequence];
        let all = own.into_iter().chain(pairs.iter().map(|(_, by)| *by));
        all.flat_map(|id| created(&self.action(id).code.body))
            .collect()
    }

    /// That after two runs the variables are the same, and so are the asyncs, counted by `counts`; each with a
    /// word for it.
    fn same(
        &self,
        theory: &mut Theory,
        [one, other]: [&Store; 2],
        counts: &Counts<'_>,
    ) -> Result<Vec<Part>> {
        let song = theory.song.clone();
        let globals = song.actions().map_or(&[][..], |actions| &actions.globals);
        let mut parts = Vec::new();
        for (at, global) in globals.iter().enumerate() {
            let id = GlobalId::from(at);
            let (a, b) = (one.globals[&id], other.globals[&id]);
            if a != b {
                let told = format!("`{}` is the same", global.name);
                parts.push((told, theory.equal(&global.ty, a, b)));
            }
        }
        for action in self.created() {
            let same = self.for_all_arguments(theory, action, &|theory, keys| {
                let [a, b] = counts(theory, action, keys);
                theory.terms.eq(a, b)
            })?;
            let name = &self.action(action).name;
            parts.push((format!("the asyncs of `{name}` are the same"), same));
        }
        Ok(parts)
    }

    /// That nothing that is eliminated is among the asyncs of a run.
    fn nothing_left(&self, theory: &mut Theory, run: &Gated) -> Result<Vec<Term>> {
        let pairs = &self.known.stage.staged.eliminated[self.known.sequence];
        let all = pairs.iter().map(|(action, _)| {
            self.for_all_arguments(theory, *action, &|theory, keys| {
                let count = run.created(theory, *action, keys);
                let zero = theory.terms.int(0);
                theory.terms.eq(count, zero)
            })
        });
        all.collect()
    }

    fn for_all_arguments(
        &self,
        theory: &mut Theory,
        action: ActionId,
        holds: &dyn Fn(&mut Theory, &[Term]) -> Term,
    ) -> Result {
        let code = &self.action(action).code;
        let (mut keys, mut valid) = (Vec::new(), Vec::new());
        for row in &code.locals[..code.arity] {
            let (value, fits) = theory.arbitrary(&row.name, &row.ty, Span::default())?;
            keys.push(value);
            valid.push(fits);
        }
        let holds = holds(theory, &keys);
        let valid = theory.terms.and(&valid);
        let mut all = theory.terms.implies(valid, holds);
        for key in keys.into_iter().rev() {
            all = theory.terms.forall(key, all);
        }
        Ok(all)
    }
}
