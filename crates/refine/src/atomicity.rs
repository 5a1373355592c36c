//! Atomicity by Lipton reduction: between two yields a thread acts as if alone.
//!
//! Statement. From yield to yield, the steps of a procedure are right movers, then at most one step of any
//! kind, then left movers. As an automaton with the states *before* and *after* the commit point:
//!
//! ```text
//! before --right, both, local, yield--> before      before --atomic, left--> after
//! after  --left, both, local--> after               after  --yield--> before
//! ```
//!
//! A procedure passes when this automaton simulates its code; the largest simulation is computed
//! backwards through the statements.
//!
//! Why sound. Right movers are carried to the commit point and left movers back to it, so every execution
//! has one with the same end in which threads are switched at yields only [Kragl20] section 2.5. A
//! thread that passed its commit point comes to its next yield: left movers do not block, local steps that
//! may block (`assume`, a choice that may have no candidate) count as right movers, and a loop comes to its end:
//! a `while` that does not yield stands before the commit point, or has a `decreases`. A loop that
//! yields somewhere in its body also yields whenever it begins a round.
//!
//! Labels at a layer: an action has its declared type (or an inferred one, [`crate::inferred_movers`]; `atomic` when there is none), and so has a procedure that moves, at
//! its own layer ([`crate::procedures`]); any other procedure that is still there is a yield, `async` is a left mover, and what is synchronized is one, too; `yield` of an invariant is a yield at the
//! invariant's layer and nothing elsewhere, a bare `yield` is one at every layer.
//!
//! Arms of a `par` are threads of their own, so they move past each other. If all are actions, they are one block in any
//! order. Beside procedures, an action that moves left is moved to where the `par` begins, one that moves right to where it
//! ends: left movers, a yield, right movers. Where they stand in the text says nothing. One that does neither has no place.

use crate::layer_program::{Meant, action_at, meant, moves_here};
use plainsong_diagnostics::Span;
use plainsong_ir::visit::any_stmt;
use plainsong_ir::{
    ActionId, Actions, Block, Call, Callee, Choice, Domain, InvariantCall, Mover, Procedure,
    ProcedureId, Stmt, StmtKind, Ty,
};

/// What one step of a procedure is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Label {
    Local,
    Mover(Mover),
    Yield,
}

/// Before and after the commit point: in which of them may a thread be?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Phases {
    before: bool,
    after: bool,
}

const ANY: Phases = Phases {
    before: true,
    after: true,
};

/// Why a procedure is not atomic between its yields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupted {
    /// The step that does not fit.
    pub span: Span,
    /// The action that it is, if it is one.
    pub step: Option<ActionId>,
    /// One sentence without a full stop.
    pub message: String,
}

/// Is there always something to choose? Every sort has a member, and so every type has a value.
fn has_candidates(choice: &Choice) -> bool {
    let whole = matches!(&choice.domain, Domain::Type(ty) if *ty != Ty::Process);
    whole && choice.filter.is_none()
}

/// Is a procedure atomic between its yields at a layer?
pub fn atomicity(actions: &Actions, procedure: &Procedure, layer: u32) -> Result<(), Interrupted> {
    let mut checking = AtomicityCheck {
        actions,
        layer,
        synchronized: synchronized(procedure, layer),
        first: None,
        step: None,
        earlier: None,
        loops: Vec::new(),
    };
    if let Some(mover) = moves_here(procedure, layer) {
        return moves_as_a_whole(checking, procedure, mover);
    }
    let phases = checking.block(&procedure.code.body, ANY)?;
    if phases.before || phases.after {
        return Ok(());
    }
    let (step, earlier) = (checking.step, checking.earlier);
    let (span, what) = checking.first.unwrap_or((procedure.span, String::new()));
    let elsewhere = match yields_elsewhere(actions, &procedure.code.body, layer) {
        true => {
            format!(
                " (a `yield` with invariants is one at their layers only, and none at layer {layer})"
            )
        }
        false => String::new(),
    };
    let earlier = earlier.unwrap_or("a step that is not a right mover".to_owned());
    let message = format!(
        "`{}` is interrupted at layer {layer}: {what} comes after {earlier}, \
         and is not a left mover; yield between them{elsewhere}, or let it move",
        procedure.name
    );
    Err(Interrupted {
        span,
        step,
        message,
    })
}

/// Does each step of a procedure move as the whole is declared to, without a yield between them?
fn moves_as_a_whole(
    mut checking: AtomicityCheck<'_>,
    procedure: &Procedure,
    mover: Mover,
) -> Result<(), Interrupted> {
    let (name, body) = (&procedure.name, &procedure.code.body);
    let layer = checking.layer;
    if yields(checking.actions, body, layer) {
        let message = format!("`{name}` is declared to move at layer {layer}, and yields there");
        return Err(Interrupted {
            span: procedure.span,
            step: None,
            message,
        });
    }
    let right = Phases {
        before: true,
        after: false,
    };
    let moves_left = !mover.is_left() || checking.block(body, ANY)?.after;
    let moves_right = !mover.is_right() || checking.block(body, right)?.before;
    let side = match (moves_left, moves_right) {
        (true, true) => return Ok(()),
        (false, _) => "left",
        (true, false) => "right",
    };
    let (span, what) = checking
        .first
        .unwrap_or((procedure.span, "a step".to_owned()));
    let message =
        format!("`{name}` is declared to move {side} at layer {layer}, but {what} does not");
    Err(Interrupted {
        span,
        step: None,
        message,
    })
}

/// Is there a `yield` that is none at this layer?
fn yields_elsewhere(actions: &Actions, block: &Block, layer: u32) -> bool {
    any_stmt(block, |stmt| match &stmt.kind {
        StmtKind::Yield(calls) => !yields_here(actions, calls, layer),
        _ => false,
    })
}

/// The actions whose types the atomicity of a procedure rests on at a layer.
pub fn movers_used(actions: &Actions, procedure: &Procedure, layer: u32) -> Vec<ActionId> {
    let mut used = Vec::new();
    collect(actions, &procedure.code.body, layer, &mut used);
    let synchronized = synchronized(procedure, layer).iter();
    let done = synchronized.filter_map(|id| actions.procedures[id.index()].refines);
    used.extend(done.map(|action| action_at(actions, action, layer)));
    used.sort();
    used.dedup();
    used
}

fn collect(actions: &Actions, block: &Block, layer: u32, used: &mut Vec<ActionId>) {
    for stmt in block {
        let calls: &[Call] = match &stmt.kind {
            StmtKind::Call(_, call) => std::slice::from_ref(call),
            StmtKind::Par(calls) => calls,
            _ => &[],
        };
        for call in calls {
            if let Meant::Action(id) = meant(actions, call.callee, layer) {
                used.push(id);
            }
        }
        match &stmt.kind {
            StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
                collect(actions, yes, layer, used);
                collect(actions, no, layer, used);
            }
            StmtKind::Match(_, arms) => {
                let bodies = arms.iter().map(|(_, body)| body);
                bodies.for_each(|body| collect(actions, body, layer, used));
            }
            StmtKind::While(_, _, body) | StmtKind::For { body, .. } => {
                collect(actions, body, layer, used);
            }
            _ => {}
        }
    }
}

struct AtomicityCheck<'s> {
    actions: &'s Actions,
    layer: u32,
    /// What is done where it is started.
    synchronized: &'s [ProcedureId],
    /// The step nearest to the end at which nothing was left.
    first: Option<(Span, String)>,
    /// The action that it is, if it is one.
    step: Option<ActionId>,
    /// The one before it that it cannot come after.
    earlier: Option<String>,
    /// For each loop around: the phases at its head and behind it.
    loops: Vec<(Phases, Phases)>,
}

/// Is there a yield of this layer in a block?
pub fn yields(actions: &Actions, block: &Block, layer: u32) -> bool {
    let procedure = |callee| match meant(actions, callee, layer) {
        Meant::Procedure(id) => moves_here(&actions.procedures[id.index()], layer).is_none(),
        Meant::Action(_) | Meant::Nothing => false,
    };
    block.iter().any(|stmt| match &stmt.kind {
        StmtKind::Yield(calls) => yields_here(actions, calls, layer),
        StmtKind::Call(_, call) => procedure(call.callee),
        StmtKind::Par(calls) => calls.iter().any(|call| procedure(call.callee)),
        StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
            yields(actions, yes, layer) || yields(actions, no, layer)
        }
        StmtKind::Match(_, arms) => arms.iter().any(|(_, body)| yields(actions, body, layer)),
        StmtKind::While(_, _, body) | StmtKind::For { body, .. } => yields(actions, body, layer),
        _ => false,
    })
}

/// Is `yield` of these invariants one at this layer?
pub(crate) fn yields_here(actions: &Actions, calls: &[InvariantCall], layer: u32) -> bool {
    let mut layers = calls
        .iter()
        .map(|call| actions.invariants[call.invariant.index()].layer);
    calls.is_empty() || layers.any(|one| one == layer)
}

impl AtomicityCheck<'_> {
    fn block(&mut self, block: &Block, mut phases: Phases) -> Result<Phases, Interrupted> {
        for stmt in block.iter().rev() {
            phases = self.stmt(stmt, phases)?;
        }
        Ok(phases)
    }

    /// The phases before a statement, from those behind it.
    fn stmt(&mut self, stmt: &Stmt, behind: Phases) -> Result<Phases, Interrupted> {
        let label = match &stmt.kind {
            StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
                let yes = self.block(yes, behind)?;
                let told = self.told();
                let no = self.block(no, behind)?;
                self.tell_again(told);
                return Ok(both(yes, no));
            }
            StmtKind::Match(_, arms) => {
                let mut all = ANY;
                for (_, body) in arms {
                    let told = self.told();
                    let arm = self.block(body, behind)?;
                    self.tell_again(told);
                    all = both(all, arm);
                }
                return Ok(all);
            }
            StmtKind::While(_, clauses, body) => {
                return self.repeated(stmt.span, body, behind, !clauses.decreases.is_empty());
            }
            StmtKind::For { body, .. } => return self.repeated(stmt.span, body, behind, true),
            StmtKind::Break | StmtKind::Continue => {
                let (head, exit) = self.loops.last().copied().unwrap_or((ANY, ANY));
                return Ok(match stmt.kind {
                    StmtKind::Break => exit,
                    _ => head,
                });
            }
            StmtKind::Call(_, call) => self.call(call.callee),
            StmtKind::Par(calls) => {
                let [early, middle, late] = self.par(calls, stmt.span)?;
                let phases = self.passed(stmt, late, behind);
                let phases = self.passed(stmt, middle, phases);
                return Ok(self.passed(stmt, early, phases));
            }
            StmtKind::Yield(calls) => match yields_here(self.actions, calls, self.layer) {
                true => Label::Yield,
                false => Label::Local,
            },
            StmtKind::Spawn(id, _) if self.synchronized.contains(id) => {
                match self.call(Callee::Procedure(*id)) {
                    Label::Mover(Mover::Both) => Label::Mover(Mover::Left),
                    Label::Mover(Mover::Left) | Label::Local => self.call(Callee::Procedure(*id)),
                    _ => return Err(not_left(self.actions, *id, stmt.span)),
                }
            }
            StmtKind::Spawn(id, _) => {
                match meant(self.actions, Callee::Procedure(*id), self.layer) {
                    Meant::Nothing => Label::Local,
                    _ => Label::Mover(Mover::Left),
                }
            }
            StmtKind::Assume(_) => Label::Mover(Mover::Right),
            StmtKind::LetChoice(choice) | StmtKind::AssignChoice(_, choice) => {
                match has_candidates(choice) {
                    true => Label::Local,
                    false => Label::Mover(Mover::Right),
                }
            }
            _ => Label::Local,
        };
        Ok(self.passed(stmt, label, behind))
    }

    /// The phases before a step of a statement; remembers where nothing is left.
    fn passed(&mut self, stmt: &Stmt, label: Label, behind: Phases) -> Phases {
        let ahead = step(label, behind);
        let is_last = !ahead.before && !ahead.after && (behind.before || behind.after);
        if is_last && self.first.is_some() && self.earlier.is_none() {
            let named = self.named(stmt, label);
            self.earlier = Some(named.trim_end_matches(',').to_owned());
        }
        if is_last || !ahead.after && behind.after {
            self.is_first(stmt, label);
        }
        if label == Label::Yield && ahead == ANY && self.earlier.is_none() {
            // What comes behind a yield stands in nobody's way before it.
            (self.first, self.step) = (None, None);
        }
        ahead
    }

    /// What is remembered, before another branch is looked at.
    fn told(&self) -> (Option<(Span, String)>, Option<ActionId>) {
        (self.first.clone(), self.step)
    }

    /// Remembers it again, unless there is something else.
    fn tell_again(&mut self, (first, step): (Option<(Span, String)>, Option<ActionId>)) {
        if self.first.is_none() {
            (self.first, self.step) = (first, step);
        }
    }

    /// Remembers a step, unless there is one already.
    fn is_first(&mut self, stmt: &Stmt, label: Label) {
        if self.first.is_some() {
            return;
        }
        self.first = Some((stmt.span, self.named(stmt, label)));
        if let StmtKind::Call(_, call) = &stmt.kind
            && let Meant::Action(id) = meant(self.actions, call.callee, self.layer)
        {
            self.step = Some(id);
        }
    }

    /// The phases at the head of a loop: the largest ones from which a round leads back to them.
    fn repeated(
        &mut self,
        span: Span,
        body: &Block,
        behind: Phases,
        ends: bool,
    ) -> Result<Phases, Interrupted> {
        let yields = yields(self.actions, body, self.layer);
        let ends = ends || yields;
        if !ends && self.first.is_none() && self.repeated(span, body, behind, true)?.after {
            let told = "a loop that may go on for ever (say what it `decreases`)";
            self.first = Some((span, told.to_owned()));
        }
        let mut head = Phases {
            before: true,
            after: ends,
        };
        loop {
            self.loops.push((head, behind));
            let inside = self.block(body, head);
            self.loops.pop();
            let inside = match yields {
                true => step(Label::Yield, inside?),
                false => inside?,
            };
            let mut again = both(step(Label::Local, inside), step(Label::Local, behind));
            again.after &= ends;
            if again == head {
                return Ok(head);
            }
            head = again;
        }
    }

    /// What a step is, with the name of the action that it is.
    fn named(&self, stmt: &Stmt, label: Label) -> String {
        let told = told(label);
        let StmtKind::Call(_, call) = &stmt.kind else {
            return told;
        };
        match meant(self.actions, call.callee, self.layer) {
            Meant::Action(id) => {
                let name = &self.actions.actions[id.index()].name;
                format!("`{name}`, {told},")
            }
            _ => told,
        }
    }

    fn call(&self, callee: Callee) -> Label {
        match meant(self.actions, callee, self.layer) {
            Meant::Nothing => Label::Local,
            Meant::Procedure(id) => {
                let procedure = &self.actions.procedures[id.index()];
                moves_here(procedure, self.layer).map_or(Label::Yield, Label::Mover)
            }
            Meant::Action(id) => {
                let mover = self.actions.actions[id.index()].role.mover;
                Label::Mover(mover.unwrap_or(Mover::Atomic))
            }
        }
    }

    /// What comes first, then, and last. All arms procedures: a yield. All actions: in any order one block, so all right,
    /// all left, or one of any kind among movers of both kinds. Both: left movers, a yield, right movers.
    fn par(&self, calls: &[Call], span: Span) -> Result<[Label; 3], Interrupted> {
        let labels = calls.iter().map(|call| self.call(call.callee));
        let labels: Vec<Label> = labels.filter(|label| *label != Label::Local).collect();
        let movers: Vec<Mover> = labels
            .iter()
            .filter_map(|label| match label {
                Label::Mover(mover) => Some(*mover),
                _ => None,
            })
            .collect();
        let wrong = |message: &str| Interrupted {
            span,
            step: None,
            message: message.to_owned(),
        };
        if movers.len() == labels.len() {
            let block = together(&movers)
                .ok_or_else(|| wrong("the arms of this `par` do not move past each other"))?;
            return Ok([Label::Local, block, Label::Local]);
        }
        if movers.contains(&Mover::Atomic) {
            return Err(wrong(BESIDE_PROCEDURES));
        }
        let (left, right): (Vec<Mover>, Vec<Mover>) =
            movers.into_iter().partition(|mover| mover.is_left());
        let side = |movers: &[Mover]| together(movers).unwrap_or(Label::Local);
        Ok([side(&left), Label::Yield, side(&right)])
    }
}

/// Why an action that does not move is no arm beside procedures.
pub(crate) const BESIDE_PROCEDURES: &str = "an action that is an arm of a `par` beside procedures has to move left, \
    to where the `par` begins, or right, to where it ends";

/// Actions in any order as one step, if they are one.
fn together(movers: &[Mover]) -> Option<Label> {
    let others = movers.iter().filter(|mover| **mover != Mover::Both).count();
    let is_left = movers.iter().all(|mover| mover.is_left());
    let is_right = movers.iter().all(|mover| mover.is_right());
    Some(match (is_left, is_right) {
        _ if movers.is_empty() => Label::Local,
        (true, true) => Label::Mover(Mover::Both),
        (true, false) => Label::Mover(Mover::Left),
        (false, true) => Label::Mover(Mover::Right),
        (false, false) if others == 1 => Label::Mover(Mover::Atomic),
        (false, false) => return None,
    })
}

/// What a procedure does where it starts it, at a layer.
fn synchronized(procedure: &Procedure, layer: u32) -> &[ProcedureId] {
    match procedure.layer == layer {
        true => &procedure.synchronizes,
        false => &[],
    }
}

fn not_left(actions: &Actions, id: ProcedureId, span: Span) -> Interrupted {
    let name = &actions.procedures[id.index()].name;
    Interrupted {
        span,
        step: None,
        message: format!("`{name}` is synchronized, but its action is not declared to move left"),
    }
}

fn both(a: Phases, b: Phases) -> Phases {
    Phases {
        before: a.before && b.before,
        after: a.after && b.after,
    }
}

/// The phases from which a step leads to one of `behind`.
fn step(label: Label, behind: Phases) -> Phases {
    match label {
        Label::Local => Phases {
            // From before the commit point one may pass it at any time.
            before: behind.before || behind.after,
            after: behind.after,
        },
        Label::Yield => Phases {
            before: behind.before,
            after: behind.before,
        },
        Label::Mover(Mover::Right) => Phases {
            before: behind.before || behind.after,
            after: false,
        },
        Label::Mover(Mover::Both) => Phases {
            before: behind.before || behind.after,
            after: behind.after,
        },
        Label::Mover(Mover::Left) => Phases {
            before: behind.after,
            after: behind.after,
        },
        Label::Mover(Mover::Atomic) => Phases {
            before: behind.after,
            after: false,
        },
    }
}

fn told(label: Label) -> String {
    match label {
        Label::Local => "a local step".to_owned(),
        Label::Yield => "a yield".to_owned(),
        Label::Mover(Mover::Atomic) => "a step that does not move".to_owned(),
        Label::Mover(mover) => format!("a {} mover", mover.name()),
    }
}
