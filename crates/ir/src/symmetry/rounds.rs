//! Loops whose rounds do not see each other: the order of the rounds makes no difference.
//!
//! Statement. If [`dependence`] finds nothing, a `for` comes to the same state, creates
//! the same asyncs, and fails or blocks just the same, in whatever order it takes them.
//!
//! Why. Each variable from outside that the body writes is written in one of three ways:
//! - *own part*: `g[x] …`, where `x` is the element, and `g` is read at `[x]` only: rounds write and read
//!   different parts;
//! - *growing*: `g = g + e`, `g = g | e` or `g = g.with(e)`, always the same of these, where nothing else in the body reads
//!   `g`: the operations commute;
//! - *the same for all*: `g = e` in one place, where `e` depends neither on the round nor on anything the body
//!   writes, and nothing in the body reads `g`.
//!
//! Where rounds may send at all, what they send arrives in no order, or goes to a different process in each
//! round. What is `causal` may not be sent: a message carries what its sender sent before, to whomever.
//!
//! So no round depends on another one. A body that may both block and fail is refused, since which comes first
//! decides; so is one that leaves the loop.

use super::{Asymmetry, is_total};
use crate::visit::{Visit, locals_bound, walk};
use crate::{
    Access, BinOp, Builtin, Choice, Delivery, Expr, ExprKind, FnId, LocalId, MessageId, Place,
    Root, Song, Stmt, StmtKind, Ty,
};
use plainsong_diagnostics::Span;
use std::collections::BTreeSet;

/// How rounds of a `for` over `element` depend on their order; none when they do not.
pub(super) fn dependence(
    song: &Song,
    element: LocalId,
    filter: Option<&Expr>,
    body: &[Stmt],
    sends: Option<Sends<'_>>,
) -> Option<Asymmetry> {
    let mut rounds = Rounds {
        song,
        element,
        sends,
        inside: locals_bound(body),
        writes: Vec::new(),
        reads: Vec::new(),
        calls: BTreeSet::new(),
        depth: 0,
        blocks: None,
        fails: false,
        found: None,
    };
    filter.into_iter().for_each(|filter| rounds.expr(filter));
    body.iter().for_each(|stmt| rounds.stmt(stmt));
    rounds.verdict()
}

/// How a message of some kind is delivered; none where that depends on its receiver.
pub(super) type Sends<'s> = &'s dyn Fn(MessageId) -> Option<Delivery>;

/// A variable from outside of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Variable {
    Local(LocalId),
    Own(crate::VarId),
    Global(crate::GlobalId),
}

/// How a statement writes a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    OwnPart,
    Adds,
    Joins,
    Includes,
    Same,
    Other,
}

struct Rounds<'s> {
    song: &'s Song,
    element: LocalId,
    /// How messages are delivered, where rounds may send some.
    sends: Option<Sends<'s>>,
    /// Locals that each round has for itself.
    inside: BTreeSet<LocalId>,
    writes: Vec<(Variable, Way, Span)>,
    /// What is read, and whether at the round's own part.
    reads: Vec<(Variable, bool)>,
    calls: BTreeSet<FnId>,
    /// How many loops we are inside of.
    depth: u32,
    blocks: Option<Span>,
    fails: bool,
    found: Option<Asymmetry>,
}

impl Rounds<'_> {
    fn verdict(self) -> Option<Asymmetry> {
        let at = |span: Span, why: &str| {
            let why = why.to_owned();
            Some(Asymmetry { span, why })
        };
        if self.found.is_some() {
            return self.found;
        }
        if let (Some(span), true) = (self.blocks, self.fails) {
            return at(span, "a round of this loop may block where another fails");
        }
        for (variable, way, span) in &self.writes {
            let others = self.writes.iter().filter(|write| write.0 == *variable);
            let alike = others.clone().all(|other| other.1 == *way);
            let mut reads = self.reads.iter().filter(|read| read.0 == *variable);
            let is_apart = match way {
                Way::OwnPart => alike && reads.all(|read| read.1),
                Way::Adds | Way::Joins | Way::Includes => alike && reads.next().is_none(),
                Way::Same => others.count() == 1 && reads.next().is_none(),
                Way::Other => false,
            };
            if !is_apart {
                return at(*span, "rounds of this loop see what others wrote");
            }
        }
        None
    }

    fn is_element(&self, of: &Expr) -> bool {
        matches!(of.kind, ExprKind::Local(local) if local == self.element)
    }

    /// The variable from outside that this is, if it is one.
    fn variable(&self, of: &Expr) -> Option<Variable> {
        match of.kind {
            ExprKind::Local(local) if local != self.element && !self.inside.contains(&local) => {
                Some(Variable::Local(local))
            }
            ExprKind::Global(global) => Some(Variable::Global(global)),
            ExprKind::Own(var) => Some(Variable::Own(var)),
            _ => None,
        }
    }

    fn root(&self, place: &Place) -> Option<Variable> {
        match place.root {
            Root::Local(local) if self.inside.contains(&local) => None,
            Root::Local(local) => Some(Variable::Local(local)),
            Root::Global(global) => Some(Variable::Global(global)),
            Root::Own(var) => Some(Variable::Own(var)),
            Root::Of(..) => None,
        }
    }

    /// Does the order of rounds show in the order of what they send?
    fn send(&mut self, kind: MessageId, to: &Expr, span: Span) {
        let own = |parts: &[Expr]| parts.iter().any(|part| self.is_element(part));
        let apart = matches!(&to.kind, ExprKind::Pid(_, parts) if own(parts));
        match self.sends.map(|delivery| delivery(kind)) {
            None => self.refuse(span, "rounds of this loop act one after the other"),
            Some(Some(Delivery::Causal)) => {
                self.refuse(
                    span,
                    "what this loop sends first is before the rest in causal order",
                );
            }
            Some(Some(Delivery::Unordered)) => {}
            Some(_) if apart => {}
            Some(_) => self.refuse(
                span,
                "what this loop sends arrives in the order of its rounds",
            ),
        }
    }

    /// What a growing assignment adds, and how.
    fn growth<'e>(&self, of: Variable, value: &'e Expr) -> Option<(Way, &'e Expr)> {
        match &value.kind {
            ExprKind::Binary(by @ (BinOp::Add | BinOp::Union), a, b)
                if self.variable(a) == Some(of) && !matches!(value.ty, Ty::Seq(_)) =>
            {
                let way = if *by == BinOp::Add {
                    Way::Adds
                } else {
                    Way::Joins
                };
                Some((way, b))
            }
            ExprKind::Method(Builtin::With, parts) if self.variable(&parts[0]) == Some(of) => {
                Some((Way::Includes, &parts[1]))
            }
            _ => None,
        }
    }

    /// Is it the same in every round, as far as names inside the loop go?
    fn is_the_same(&self, value: &Expr) -> bool {
        let free = crate::visit::free_locals(value);
        !free.contains(&self.element) && free.is_disjoint(&self.inside)
    }

    fn assign(&mut self, place: &Place, value: &Expr) {
        let Some(variable) = self.root(place) else {
            return self.expr(value);
        };
        if place.path.is_empty()
            && let Some((way, added)) = self.growth(variable, value)
        {
            self.writes.push((variable, way, place.span));
            return self.expr(added);
        }
        let way = match place.path.first() {
            Some(Access::Index(at)) if self.is_element(at) => Way::OwnPart,
            None if self.is_the_same(value) => Way::Same,
            _ => Way::Other,
        };
        self.writes.push((variable, way, place.span));
        self.expr(value);
    }

    fn choose(&mut self, choice: &Choice) {
        if choice.filter.is_some() || matches!(choice.domain, crate::Domain::In(_)) {
            let span = match (&choice.filter, &choice.domain) {
                (Some(filter), _) => filter.span,
                (None, crate::Domain::In(set)) => set.span,
                (None, crate::Domain::Type(_)) => Span::default(),
            };
            self.blocks.get_or_insert(span);
        }
    }

    fn refuse(&mut self, span: Span, why: &str) {
        let why = why.to_owned();
        self.found.get_or_insert(Asymmetry { span, why });
    }
}

impl Visit for Rounds<'_> {
    fn expr(&mut self, of: &Expr) {
        self.fails |= crate::visit::may_fail_here(of)
            || matches!(of.kind, ExprKind::Call(..)) && !is_total(self.song, of);
        if let ExprKind::Index(whole, at) = &of.kind
            && let Some(variable) = self.variable(whole)
        {
            let own = self.is_element(at);
            self.reads.push((variable, own));
            return self.expr(at);
        }
        if let Some(variable) = self.variable(of) {
            self.reads.push((variable, false));
        }
        if let ExprKind::Call(function, _) = &of.kind
            && self.calls.insert(*function)
        {
            let song = self.song;
            let computed = song.functions[function.index()].computed();
            computed.for_each(|expr| reads_of_function(self, expr));
        }
        walk::expr(self, of);
    }

    fn choice(&mut self, choice: &Choice) {
        self.choose(choice);
        walk::choice(self, choice);
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Assign(place, value) => {
                indices(self, place);
                self.assign(place, value);
            }
            StmtKind::AssignChoice(place, choice) => {
                indices(self, place);
                if let Some(variable) = self.root(place) {
                    let way = match place.path.first() {
                        Some(Access::Index(at)) if self.is_element(at) => Way::OwnPart,
                        _ => Way::Other,
                    };
                    self.writes.push((variable, way, place.span));
                }
                self.choice(choice);
            }
            StmtKind::While(..) | StmtKind::For { .. } => {
                self.depth += 1;
                walk::stmt(self, stmt);
                self.depth -= 1;
            }
            StmtKind::Break if self.depth == 0 => {
                self.refuse(
                    stmt.span,
                    "which round leaves the loop depends on their order",
                );
            }
            StmtKind::Assert(_) => {
                self.fails = true;
                walk::stmt(self, stmt);
            }
            StmtKind::Assume(_) => {
                self.blocks.get_or_insert(stmt.span);
                walk::stmt(self, stmt);
            }
            StmtKind::Let(..)
            | StmtKind::LetChoice(_)
            | StmtKind::If(..)
            | StmtKind::Match(..)
            | StmtKind::Maybe(..)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Async(..) => walk::stmt(self, stmt),
            StmtKind::Send(kind, _, to) => {
                self.send(*kind, to, stmt.span);
                walk::stmt(self, stmt);
            }
            StmtKind::Receive(_)
            | StmtKind::Select(..)
            | StmtKind::Spawn(..)
            | StmtKind::Call(..)
            | StmtKind::Par(_)
            | StmtKind::Use(_)
            | StmtKind::Part(_)
            | StmtKind::Yield(_) => {
                self.refuse(stmt.span, "rounds of this loop act one after the other");
            }
        }
    }
}

/// The expressions inside a place that is written.
fn indices(rounds: &mut Rounds<'_>, place: &Place) {
    for access in &place.path {
        if let Access::Index(at) = access {
            rounds.expr(at);
        }
    }
}

/// Globals that a function reads: the locals of a function are its own.
fn reads_of_function(rounds: &mut Rounds<'_>, body: &Expr) {
    struct Globals<'r, 's>(&'r mut Rounds<'s>);
    impl Visit for Globals<'_, '_> {
        fn expr(&mut self, of: &Expr) {
            if let ExprKind::Global(global) = of.kind {
                self.0.reads.push((Variable::Global(global), false));
            }
            if let ExprKind::Call(function, _) = &of.kind
                && self.0.calls.insert(*function)
            {
                let song = self.0.song;
                let computed = song.functions[function.index()].computed();
                computed.for_each(|expr| self.expr(expr));
            }
            walk::expr(self, of);
        }
    }
    Globals(rounds).expr(body);
}
