//! The rules: how a symbolic state goes on, one rule per file, and the order in which they are tried.
//!
//! The search does not backtrack: a rule that fails leaves the state as it was, and its reason is kept for
//! the report. [`Engine::run`] saturates single steps over the components that are not frozen, in a fixed
//! order, then tries the loop rules on whoever stands at a loop; `finish.rs` adds joint loops and clients
//! against daemons.
//!
//! Why the whole is sound, in outline. Fix an instance and the outcome of every local choice. (1) Enabled
//! actions of different processes commute: each queue has one writer and one reader, a send only
//! appends, a receive only removes the oldest entry. The only conflict is inside one process: the choice of
//! the sender in a receive from any member. (2) Programs only compare identities, so an execution can be
//! renamed such that senders are picked in the canonical order, provided that in each loop they are a
//! permutation of the family or arbitrary. (3) By commutation the renamed execution can be reordered into
//! the canonical one without changing what any process sees; if the canonical one completes, all do.
//! (4) The loop rules are inductions over members or rounds; forgetting what loops assign makes the
//! induction hypothesis true in every round. `docs/CONDITIONS.md` states the conditions S1 to S17 and names the
//! trap that each one is there for; the tests hold all of them.

mod advice;
pub(crate) mod alternatives;
mod assign;
mod causes;
mod decide;
mod entail;
mod families;
mod finish;
mod focus;
mod fold;
mod havoc;
mod index_loop;
mod joint_loop;
mod late;
mod receive;
mod send;
mod set_loop;
mod several_kinds;
mod timeout;
mod two_roles;
mod unfold;
mod unroll;

use crate::derivation_log::At;
use crate::eval::{Eval, Fact, fresh, next};
use crate::process_code::{OpKind, Part, Place, Var};
use crate::race::Senders;
use crate::state::{Index, SymbolicState};
use crate::stuck::{Obstacle, Stuck};
use crate::value::{Comp, Role, Value};
use crate::voices_to_parts::Score;
use alternatives::Alternatives;
use plainsong_diagnostics::Span;
use plainsong_ir::{Local, MessageId, StartValue, Ty};
use std::collections::{BTreeMap, BTreeSet};

/// More steps than any sensible protocol takes.
const STEPS: usize = 50_000;
/// More messages in one queue than any sensible protocol has in flight.
const WAITING: usize = 1_000;
/// More branches than can be told apart.
const LEAVES: usize = 4_096;

/// The search for a line.
pub(crate) struct Engine<'a> {
    pub(crate) score: Score<'a>,
    pub(crate) senders: Senders,
    locals: BTreeMap<plainsong_ir::FamilyId, &'a [Local]>,
    /// Who is asked what follows from what.
    pub(crate) arbiter: &'a dyn crate::Arbiter,
    /// Numbers of unknowns, members and sendings.
    numbers: u32,
    pub(crate) steps: usize,
    /// Where an assertion or an operation may fail.
    pub(crate) risks: BTreeSet<Span>,
    /// Was a path cut short because an assertion on it certainly fails?
    pub(crate) pruned: bool,
    /// Do members of a family begin rounds of daemons, which then interleave?
    pub(crate) interleaves: bool,
    /// Families whose members never end.
    pub(crate) endless: BTreeSet<plainsong_ir::FamilyId>,
    /// How far everybody came together.
    pub(crate) farthest: Option<SymbolicState>,
    /// Kinds that a daemon takes from whoever it serves, and kinds that it takes otherwise (`causes.rs`).
    pub(crate) confined: BTreeMap<(plainsong_ir::FamilyId, MessageId), Span>,
    pub(crate) roaming: BTreeSet<(plainsong_ir::FamilyId, MessageId)>,
    /// Why the loops at hand could not be taken.
    pub(crate) failed_loops: Vec<Stuck>,
    /// Sendings of which each path does one.
    pub(crate) alternatives: Alternatives,
}

/// What holds while some components run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scene {
    /// These do not move.
    pub(crate) frozen: BTreeSet<Comp>,
    /// Whose round it is.
    pub(crate) owner: Option<Comp>,
    /// What the messages in bags of this level are counted by.
    pub(crate) index: Option<Index>,
    /// In how many rounds of loops this is.
    pub(crate) depth: usize,
    /// Where the owner of a loop over members goes on after it, if the loop is in no other.
    pub(crate) beyond: Option<(Comp, Place)>,
    /// The member that is looked at from start to end.
    pub(crate) focus: Option<Comp>,
    /// The family whose conversations begin and end within one round.
    pub(crate) closed: Option<plainsong_ir::FamilyId>,
    /// The loop at which members of a family have ended the round that everybody goes through together.
    pub(crate) halts: Option<(plainsong_ir::FamilyId, Place)>,
}

/// What a single step comes to.
pub(crate) enum Step {
    /// It cannot be taken now.
    Waits,
    /// It was taken.
    Taken,
    /// It leads to several states, or to none that matters.
    Split(Vec<SymbolicState>),
}

impl<'a> Engine<'a> {
    pub(crate) fn new(score: Score<'a>, senders: Senders, arbiter: &'a dyn crate::Arbiter) -> Self {
        let processes = score.voices.processes.iter();
        let locals = processes
            .map(|process| (process.family, &process.locals[..]))
            .collect();
        let numbers = score.song.consts.len() as u32 + 1;
        let interleaves = members_begin_rounds(&score, &senders);
        Engine {
            score,
            senders,
            locals,
            arbiter,
            numbers,
            steps: 0,
            risks: BTreeSet::new(),
            pruned: false,
            interleaves,
            endless: BTreeSet::new(),
            farthest: None,
            confined: BTreeMap::new(),
            roaming: BTreeSet::new(),
            failed_loops: Vec::new(),
            alternatives: Alternatives::default(),
        }
    }

    /// Everybody at their start.
    pub(crate) fn start(&mut self) -> SymbolicState {
        let mut state = SymbolicState::default();
        let families: Vec<_> = self.score.parts.keys().copied().collect();
        for family in families {
            let part = &self.score.parts[&family];
            let role = match part.sort {
                Some(_) => Role::Rest,
                None => Role::Single,
            };
            let comp = Comp { family, role };
            let place = Place::start(part, crate::process_code::BlockId::ENTRY);
            state.places.insert(comp, place);
            self.start_values(&mut state, comp);
            self.claim(&mut state, comp);
        }
        self.constraints(&mut state);
        state
    }

    /// SymbolicState variables; their initialisers see the index and the variables before.
    fn start_values(&mut self, state: &mut SymbolicState, comp: Comp) {
        let song = self.score.song;
        let family = &song.families[comp.family.index()];
        if comp.is_rest() {
            let index = Var::Local(plainsong_ir::LocalId(0));
            state.env.insert((comp, index), Value::Id(comp));
        }
        for (at, var) in family.vars.iter().enumerate() {
            let value = match &var.start {
                StartValue::Value(expr) => {
                    let value = self.eval(state, comp, |eval| eval.expr(expr));
                    value.unwrap_or_else(|_| self.fresh(comp, &var.ty))
                }
                StartValue::Choice(_) => self.fresh(comp, &var.ty),
            };
            state.env.insert((comp, Var::Own(at.into())), value);
        }
    }

    /// Lets everybody who is not frozen go on until nobody can; the states that this leads to.
    pub(crate) fn run(
        &mut self,
        state: SymbolicState,
        scene: &Scene,
    ) -> Result<Vec<SymbolicState>, Stuck> {
        let mut leaves = Vec::new();
        let mut open = vec![state];
        while let Some(mut state) = open.pop() {
            match self.advance(&mut state, scene)? {
                Step::Waits => leaves.push(state),
                Step::Taken => open.push(state),
                Step::Split(states) => open.extend(states.into_iter().rev()),
            }
            if leaves.len() + open.len() > LEAVES {
                return Err(self.too_long("too many branches"));
            }
        }
        Ok(leaves)
    }

    /// One step of the first who can, else one loop.
    fn advance(&mut self, state: &mut SymbolicState, scene: &Scene) -> Result<Step, Stuck> {
        let comps: Vec<Comp> = state.places.keys().copied().collect();
        for &comp in &comps {
            if scene.frozen.contains(&comp) {
                continue;
            }
            match self.step(state, comp, scene)? {
                Step::Waits => {}
                other => return Ok(other),
            }
        }
        self.failed_loops.clear();
        for comp in comps {
            let halts = scene.halts.as_ref().is_some_and(|(family, place)| {
                *family == comp.family && state.places[&comp] == *place
            });
            if scene.frozen.contains(&comp) || comp.is_rest() || halts {
                continue;
            }
            if let Some(next) = self.take_loop(state, comp, scene)? {
                let consumed = std::mem::take(&mut state.consumed);
                *state = next;
                state.consumed = consumed;
                return Ok(Step::Taken);
            }
        }
        match self.idle(state, scene)? {
            true => Ok(Step::Taken),
            false => Ok(Step::Waits),
        }
    }

    fn step(
        &mut self,
        state: &mut SymbolicState,
        comp: Comp,
        scene: &Scene,
    ) -> Result<Step, Stuck> {
        let Some((at, kind, span)) = self.op(state, comp) else {
            return Ok(Step::Waits);
        };
        self.steps += 1;
        if self.steps > STEPS {
            return Err(self.too_long("too many steps"));
        }
        let step = match kind {
            OpKind::Set(..) | OpKind::SetPart(..) => self.assign(state, at, &kind),
            OpKind::Choose(..) | OpKind::ChoosePart(..) => self.choose(state, at, &kind, scene),
            OpKind::Opaque(stmt, vars) => self.opaque(state, at, stmt, &vars),
            OpKind::If(condition, yes, no) => self.branch(state, at, condition, yes, no),
            OpKind::Maybe(yes, no) => self.maybe(state, at, yes, no),
            OpKind::Match(value, arms) => self.match_(state, at, value, &arms),
            OpKind::Unless(condition) => self.unless(state, at, condition),
            OpKind::Assert(condition) => self.assert(state, at, condition, span),
            OpKind::Assume(condition) => {
                self.risks.extend(crate::eval::risks_in(condition));
                state.story.push(crate::derivation_log::Event::Did(at));
                self.advance_place(state, comp);
                Ok(Step::Taken)
            }
            OpKind::Send(message, arguments, address) => {
                self.send(state, at, message, arguments, address, span)
            }
            OpKind::Receive(accept) => self.receive(state, at, &[(accept, None)], scene),
            OpKind::Select { arms, timeout } => {
                let arms = arms.into_iter();
                let arms: Vec<_> = arms.map(|(accept, block)| (accept, Some(block))).collect();
                match timeout {
                    Some(block) => self.receive_or_time_out(state, at, &arms, block, scene),
                    None => self.receive(state, at, &arms, scene),
                }
            }
            OpKind::Loop(body) => self.unroll(state, comp, body),
            OpKind::Break => {
                let part = &self.score.parts[&comp.family];
                place_mut(state, comp).leave_loop(part);
                Ok(Step::Taken)
            }
            OpKind::Continue => {
                let part = &self.score.parts[&comp.family];
                place_mut(state, comp).next_round(part);
                Ok(Step::Taken)
            }
            OpKind::For { .. } => Ok(Step::Waits),
        }?;
        if let Step::Split(states) = step {
            let mut states = states;
            for next in &mut states {
                self.back_at_head(next, comp);
            }
            return Ok(Step::Split(states));
        }
        if matches!(step, Step::Taken) {
            self.back_at_head(state, comp);
        }
        Ok(step)
    }

    /// The statement that a component is at.
    pub(crate) fn op(&self, state: &SymbolicState, comp: Comp) -> Option<(At, OpKind<'a>, Span)> {
        let place = state.places.get(&comp)?;
        let op = place.op(&self.score.parts[&comp.family])?;
        let frame = place.0.last()?;
        let at = At {
            comp,
            block: frame.block,
            at: frame.at,
        };
        Some((at, op.kind.clone(), op.span))
    }

    pub(crate) fn part(&self, comp: Comp) -> &Part<'a> {
        &self.score.parts[&comp.family]
    }

    /// May it wait for ever at its loop?
    pub(crate) fn is_daemon(&self, state: &SymbolicState, comp: Comp) -> bool {
        self.part(comp).daemon || state.reactive.contains(&comp.family)
    }

    pub(crate) fn advance_place(&self, state: &mut SymbolicState, comp: Comp) {
        place_mut(state, comp).advance(&self.score.parts[&comp.family]);
    }

    /// Past the statement at hand and into a block under it.
    pub(crate) fn enter(
        &self,
        state: &mut SymbolicState,
        comp: Comp,
        block: crate::process_code::BlockId,
    ) {
        let part = &self.score.parts[&comp.family];
        let place = place_mut(state, comp);
        if let Some(frame) = place.0.last_mut() {
            frame.at += 1;
        }
        place.enter(part, block, false);
    }

    /// Evaluates in the state of a component. What may fail is remembered if there is a result.
    pub(crate) fn eval<T>(
        &mut self,
        state: &SymbolicState,
        comp: Comp,
        what: impl FnOnce(&mut Eval<'_, 'a>) -> Result<T, Fact>,
    ) -> Result<T, Fact> {
        let mark = self.numbers + 1;
        let mut eval = Eval {
            score: &self.score,
            comp,
            env: &state.env,
            differs: &state.differs,
            params: &state.params,
            numbers: &mut self.numbers,
            mark,
            bound: BTreeMap::new(),
            risks: BTreeSet::new(),
        };
        let result = what(&mut eval);
        let risks = eval.risks;
        if result.is_ok() {
            self.risks.extend(risks);
        }
        result
    }

    pub(crate) fn fresh(&mut self, comp: Comp, ty: &Ty) -> Value {
        fresh(&self.score, comp, &mut self.numbers, ty)
    }

    pub(crate) fn number(&mut self) -> u32 {
        next(&mut self.numbers)
    }

    /// The table of a process's locals.
    pub(crate) fn locals(&self, family: plainsong_ir::FamilyId) -> &'a [Local] {
        self.locals[&family]
    }

    pub(crate) fn ty(&self, comp: Comp, var: Var) -> &'a Ty {
        match var {
            Var::Own(var) => &self.score.song.families[comp.family.index()].vars[var.index()].ty,
            Var::Local(local) => &self.locals[&comp.family][local.index()].ty,
        }
    }

    /// Forgets what these variables hold.
    pub(crate) fn forget(&mut self, state: &mut SymbolicState, comp: Comp, vars: &BTreeSet<Var>) {
        for &var in vars {
            if state.env.contains_key(&(comp, var)) {
                let value = self.fresh(comp, self.ty(comp, var));
                state.env.insert((comp, var), value);
            }
        }
    }

    /// How a component is called in sentences.
    pub(crate) fn call(&self, comp: Comp) -> String {
        let name = self.score.name(comp.family);
        match comp.role {
            Role::Single => format!("`{name}`"),
            Role::Rest => format!("every member of `{name}`"),
            Role::Member(_) => format!("a member of `{name}`"),
        }
    }

    pub(crate) fn message(&self, message: MessageId) -> &'a str {
        &self.score.voices.messages[message.index()].name
    }

    /// What a component is about to do, in words, and where.
    pub(crate) fn about_to(&self, state: &SymbolicState, comp: Comp) -> (String, Span) {
        let Some((_, kind, span)) = self.op(state, comp) else {
            return ("is at its end".to_owned(), Span::default());
        };
        let words = match kind {
            OpKind::Receive(accept) => {
                let what = self.message(accept.message);
                match self.senders.get(&accept.span) {
                    Some(from) => format!("waits for `{what}` from `{}`", self.score.name(*from)),
                    None => format!("waits for `{what}`"),
                }
            }
            OpKind::Select { arms, .. } => {
                let arms = arms.iter().map(|(accept, block)| (*accept, Some(*block)));
                format!("waits for {}", self.kinds(&arms.collect::<Vec<_>>()))
            }
            OpKind::Send(message, ..) => format!("is about to send `{}`", self.message(message)),
            OpKind::For { .. } => "is at a loop".to_owned(),
            OpKind::Loop(_) => "is at the head of its loop".to_owned(),
            OpKind::If(..) | OpKind::Match(..) | OpKind::Maybe(..) | OpKind::Unless(_) => {
                "is at a decision that differs between members".to_owned()
            }
            _ => "computes".to_owned(),
        };
        (
            format!("{words} ({})", plainsong_diagnostics::place_marker(span)),
            span,
        )
    }

    fn too_long(&self, what: &str) -> Stuck {
        Stuck::new(
            Obstacle::TooLong,
            Span::default(),
            format!("{what} on the way to a line"),
        )
    }
}

pub(crate) fn place_mut(state: &mut SymbolicState, comp: Comp) -> &mut Place {
    state
        .places
        .get_mut(&comp)
        .expect("a component that steps has a place")
}

/// Does a daemon receive from any of several processes?
fn members_begin_rounds(score: &Score<'_>, senders: &Senders) -> bool {
    let daemons = score.parts.values().filter(|part| part.daemon);
    let mut ops = daemons.flat_map(|part| part.ops(crate::process_code::BlockId::ENTRY));
    ops.any(|op| {
        op.kind.accepts().into_iter().any(|accept| {
            let family = senders.get(&accept.span);
            family.is_some_and(|family| score.parts[family].sort.is_some())
                || senders.clients.contains_key(&accept.span)
        })
    })
}
