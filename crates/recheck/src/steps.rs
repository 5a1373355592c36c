//! Steps of one process: assignments, choices, decisions, sends.

use crate::actor::Actor;
use crate::derivation::{Checker, Scene};
use crate::position::{Position, Var, assigned, communicates, is_endless};
use crate::state::{Message, SymbolicState, general};
use crate::symbol::Symbol;
use crate::{Refused, not_covered, refuse};
use plainsong_certificate::Event;
use plainsong_ir::visit::any_expr;
use plainsong_ir::{
    BinOp, Choice, Domain, ExprKind, FamilyId, MessageId, Place, Root, Stmt, StmtKind, Ty,
};
use std::collections::{BTreeMap, BTreeSet};

impl<'a> Checker<'a> {
    /// A statement that does not communicate.
    pub(crate) fn does(
        &mut self,
        state: &mut SymbolicState<'a>,
        actor: Actor,
        stmt: &'a Stmt,
    ) -> Result<(), Refused> {
        match &stmt.kind {
            StmtKind::Let(local, value) => {
                let value = state.eval(&mut self.numbers, actor, value);
                state.values.insert((actor, Var::Local(*local)), value);
            }
            StmtKind::LetChoice(choice) => {
                let value = self.chosen(state, actor, choice);
                let var = Var::Local(choice.local);
                state.values.insert((actor, var), value);
            }
            StmtKind::Assign(place, value) => {
                let value = state.eval(&mut self.numbers, actor, value);
                self.put(state, actor, place, value);
            }
            StmtKind::AssignChoice(place, choice) => {
                let value = self.chosen(state, actor, choice);
                self.put(state, actor, place, value);
            }
            StmtKind::Assert(_) | StmtKind::Assume(_) => {}
            StmtKind::For { .. } if !communicates(stmt) => {
                let vars = assigned(std::slice::from_ref(stmt));
                state.forget(&mut self.numbers, actor, &vars);
            }
            _ => return refuse("a statement of another kind"),
        }
        self.advance(state, actor);
        Ok(())
    }

    /// A choice: one of a list, or anything.
    fn chosen(&mut self, state: &SymbolicState<'a>, actor: Actor, choice: &Choice) -> Symbol {
        let Domain::In(set) = &choice.domain else {
            return self.numbers.fresh(actor);
        };
        let ExprKind::Literal(elements) = &set.kind else {
            return self.numbers.fresh(actor);
        };
        let among = elements.iter();
        let among = among
            .map(|one| state.eval(&mut self.numbers, actor, one))
            .collect();
        self.numbers.one_of(actor, Some(among))
    }

    fn put(&mut self, state: &mut SymbolicState<'a>, actor: Actor, place: &Place, value: Symbol) {
        let var = match &place.root {
            Root::Local(local) => Var::Local(*local),
            Root::Own(var) => Var::Own(*var),
            Root::Of(..) | Root::Global(_) => return,
        };
        let value = match place.path.is_empty() {
            true => value,
            false => self.numbers.fresh(actor),
        };
        state.values.insert((actor, var), value);
    }

    /// A choice of a member: any that is looked at already, or another one. In a round, that may be one that earlier
    /// rounds chose: what its code changes is forgotten.
    pub(crate) fn chooses(
        &mut self,
        state: &SymbolicState<'a>,
        actor: Actor,
        stmt: &'a Stmt,
        events: &[&Event],
        scene: &Scene<'a>,
    ) -> Result<Vec<SymbolicState<'a>>, Refused> {
        let (var, choice) = match &stmt.kind {
            StmtKind::LetChoice(choice) => (Var::Local(choice.local), choice),
            StmtKind::AssignChoice(place, choice) if place.path.is_empty() => match &place.root {
                Root::Local(local) => (Var::Local(*local), choice),
                Root::Own(var) => (Var::Own(*var), choice),
                Root::Of(..) | Root::Global(_) => return refuse("it is no choice"),
            },
            _ => return refuse("it is no choice of a member"),
        };
        let Some(family) = self.chosen_family(choice) else {
            return refuse("it is no choice of a member");
        };
        let mut left: BTreeSet<Actor> = state.members(family).into_iter().collect();
        let mut another = true;
        let mut states = Vec::new();
        for event in events {
            let Event::Chooses { member, .. } = event else {
                return refuse("it is a choice of a member");
            };
            let member = Actor::named(self.song, member)?;
            let mut next = state.clone();
            if !left.remove(&member) {
                let is_new = member.family == family
                    && member.member.is_some()
                    && !next.positions.contains_key(&member);
                if !is_new || !std::mem::take(&mut another) {
                    return refuse("a choice of a member that is not there");
                }
                next.unfold(member);
                next.strangers.insert(family);
                if scene.depth > 0 {
                    let vars = next.positions[&member].assigned();
                    next.forget(&mut self.numbers, member, &vars);
                }
            }
            next.engaged.entry(member).or_default().insert(actor);
            next.values.insert((actor, var), Symbol::Member(member));
            self.advance(&mut next, actor);
            states.push(next);
        }
        match left.is_empty() && !another {
            true => Ok(states),
            false => refuse("a member that may be chosen is missing"),
        }
    }

    fn chosen_family(&self, choice: &Choice) -> Option<FamilyId> {
        let ty = match &choice.domain {
            Domain::Type(ty) => ty,
            Domain::In(set) => match &set.kind {
                ExprKind::All(ty) => ty,
                _ => return None,
            },
        };
        self.family_of(ty)
    }

    /// The family whose members a sort names.
    pub(crate) fn family_of(&self, ty: &Ty) -> Option<FamilyId> {
        let mut families = self.bodies.keys();
        let named = families.find(|family| {
            let index = &self.song.families[family.index()].index;
            index.first().is_some_and(|index| index.ty == *ty)
        });
        named.copied()
    }

    /// A message joins its queue.
    pub(crate) fn sends(
        &mut self,
        state: &mut SymbolicState<'a>,
        actor: Actor,
        stmt: &'a Stmt,
        to: Actor,
    ) -> Result<(), Refused> {
        let StmtKind::Send(message, arguments, address) = &stmt.kind else {
            return refuse("it is no `send`");
        };
        let address = state.eval(&mut self.numbers, actor, address);
        if address != Symbol::Process(to) {
            return refuse("it is not known that the message goes there");
        }
        let channel = (actor, to, *message);
        if state.per_round.contains_key(&general(&channel)) {
            return refuse("a message joins those of a loop's rounds");
        }
        if let Some((served, _)) = state.serving.get(&actor)
            && to != *served
            && !self.is_daemon(state, to)
        {
            return refuse("a daemon sends to another process while it serves");
        }
        self.may_tell(state, actor, to)?;
        self.not_to_itself(actor, to, *message)?;
        let values = arguments.iter();
        let values = values
            .map(|one| state.eval(&mut self.numbers, actor, one))
            .collect();
        let heard = state.heard_by(actor);
        let knows = state.knows.get(&actor).cloned().unwrap_or_default();
        let purpose = state.rounds.get(&actor).and_then(|round| round.purpose);
        state.queues.entry(channel).or_default().push(Message {
            values,
            sending: self.numbers.next(),
            heard,
            knows,
            purpose,
        });
        self.advance(state, actor);
        Ok(())
    }

    /// A message to a daemon that may be lost: both must be there.
    pub(crate) fn sends_or_loses(
        &mut self,
        state: &SymbolicState<'a>,
        actor: Actor,
        stmt: &'a Stmt,
        events: &[&Event],
    ) -> Result<Vec<SymbolicState<'a>>, Refused> {
        let StmtKind::Send(message, ..) = &stmt.kind else {
            return refuse("it is no `send`");
        };
        let mut states = Vec::new();
        let (mut sent, mut lost) = (0, 0);
        for event in events {
            let mut next = state.clone();
            match event {
                Event::Sends { to, .. } => {
                    let to = Actor::named(self.song, to)?;
                    if !self.may_miss(actor, to, *message) {
                        return refuse("a message that cannot be lost");
                    }
                    self.sends(&mut next, actor, stmt, to)?;
                    sent += 1;
                }
                Event::Loses { .. } => {
                    self.advance(&mut next, actor);
                    lost += 1;
                }
                _ => return refuse("it is a message that may be lost"),
            }
            states.push(next);
        }
        match (sent, lost) {
            (1, 1) => Ok(states),
            _ => refuse("a message is always, or never, lost"),
        }
    }

    fn may_miss(&self, actor: Actor, to: Actor, message: MessageId) -> bool {
        self.faults.may_miss(actor.family, to.family, message)
    }

    /// A decision: every arm that is possible, and no other.
    pub(crate) fn decides(
        &mut self,
        state: &SymbolicState<'a>,
        actor: Actor,
        stmt: &'a Stmt,
        events: &[&Event],
    ) -> Result<Vec<SymbolicState<'a>>, Refused> {
        let is_head = matches!(stmt.kind, StmtKind::While(..))
            && state.positions[&actor].is_outermost()
            && self.is_daemon(state, actor);
        if is_head {
            return refuse("a daemon begins a round with a decision");
        }
        let mut arms = self.arms(state, actor, stmt)?;
        let mut states = Vec::new();
        for event in events {
            let Event::Decides { arm, .. } = event else {
                return refuse("it is a decision");
            };
            let Some(mut next) = arms.remove(arm) else {
                return refuse("a way takes an arm that is not there or not possible");
            };
            self.settle(&mut next, actor);
            states.push(next);
        }
        match arms.is_empty() {
            true => Ok(states),
            false if compares_numbers(stmt) => {
                not_covered("a decision that follows from more than sums of numbers is not covered")
            }
            false => refuse("a way that is possible is missing"),
        }
    }

    /// Leaves out decisions for arms that are not possible: nothing is shown by them, and nothing is lost.
    pub(crate) fn drop_impossible(
        &mut self,
        state: &SymbolicState<'a>,
        actor: Actor,
        stmt: &'a Stmt,
        events: &mut Vec<&Event>,
    ) -> Result<(), Refused> {
        if matches!(events.first(), Some(Event::Decides { .. })) {
            let arms = self.arms(state, actor, stmt)?;
            events.retain(
                |event| matches!(event, Event::Decides { arm, .. } if arms.contains_key(arm)),
            );
        }
        Ok(())
    }

    /// The arms that are possible, and the state in each.
    fn arms(
        &mut self,
        state: &SymbolicState<'a>,
        actor: Actor,
        stmt: &'a Stmt,
    ) -> Result<BTreeMap<usize, SymbolicState<'a>>, Refused> {
        let numbers = &mut self.numbers;
        let mut arms = BTreeMap::new();
        let mut go = |arm: usize, mut next: SymbolicState<'a>, way: &dyn Fn(&mut Position<'a>)| {
            if let Some(position) = next.positions.get_mut(&actor) {
                way(position);
            }
            arms.insert(arm, next);
        };
        match &stmt.kind {
            StmtKind::If(condition, ..) | StmtKind::While(condition, ..) if !is_endless(stmt) => {
                let known = state.truth(numbers, actor, condition);
                for (arm, truth) in [(0, true), (1, false)] {
                    if known == Some(!truth) {
                        continue;
                    }
                    let mut next = state.clone();
                    if known.is_none() {
                        next.suppose(numbers, actor, condition, truth);
                    }
                    go(arm, next, &|position| match (&stmt.kind, truth) {
                        (StmtKind::If(_, yes, _), true) => position.enter(yes, false),
                        (StmtKind::If(_, _, no), false) => position.enter(no, false),
                        (StmtKind::While(_, _, body), true) => position.enter(body, true),
                        _ => position.advance(),
                    });
                }
            }
            StmtKind::Maybe(yes, no) => {
                go(0, state.clone(), &|position| position.enter(yes, false));
                go(1, state.clone(), &|position| position.enter(no, false));
            }
            StmtKind::Match(value, rows) => {
                let value = state.eval(numbers, actor, value);
                for (arm, (pattern, block)) in rows.iter().enumerate() {
                    let fits = state.fits(&value, pattern);
                    if fits == Some(false) {
                        continue;
                    }
                    let mut next = state.clone();
                    next.open(numbers, actor, &value, pattern);
                    go(arm, next, &|position| position.enter(block, false));
                    if fits == Some(true) {
                        break;
                    }
                }
            }
            _ => return refuse("it is no decision"),
        }
        Ok(arms)
    }
}

/// Is a decision about an order of numbers?
fn compares_numbers(stmt: &Stmt) -> bool {
    let (StmtKind::If(condition, ..) | StmtKind::While(condition, ..)) = &stmt.kind else {
        return false;
    };
    any_expr(condition, |expr| {
        matches!(
            expr.kind,
            ExprKind::Binary(BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, ..)
        )
    })
}
