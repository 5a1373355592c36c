//! Faults, and what processes with bodies do by themselves, as actions.
//!
//! A message that is lost is taken, and nothing else happens; one that is duplicated is taken, and there are two of it: other ways
//! to run the action of the message. A crash and a restart are actions that are always on offer. How often a fault with
//! a bound has happened is a variable.

use super::bodies::own;
use super::code::CodeRewriter;
use super::control_flow::{Point, Told};
use super::{ActionBuilder, Refusal, local};
use crate::build::{assign, binary, global, nat, operation, stmt};
use crate::handlers::written_address;
use crate::visit::{VisitMut, walk_mut};
use crate::{
    Action, ActionId, BinOp, Binder, Block, Code, Expr, FamilyId, Fault, FaultKind, Global,
    GlobalId, Local, LocalId, Moves, Place, Role, Root, StartValue, StateVar, Stmt, StmtKind, Ty,
    VarId,
};
use plainsong_diagnostics::Span;

impl ActionBuilder<'_> {
    /// What processes with bodies do by themselves.
    pub(super) fn moves(&self) -> Result<Vec<Action>, Refusal> {
        let mut all = Vec::new();
        for body in &self.control.bodies {
            let points = body.points.iter().enumerate();
            for (number, point) in points.filter(|(number, _)| is_passed(body, *number)) {
                if let Some(block) = &point.moves {
                    let mut code = vec![assumed(body.is_at(number))];
                    code.extend(block.iter().cloned());
                    let name = self.told(body.family, point);
                    let mut action = self.of_member(body.family, &name, code, point.span)?;
                    action.role.moves = Some(Moves {
                        family: body.family,
                        between: matches!(point.told, Told::GoesOn),
                    });
                    all.push(action);
                }
            }
        }
        Ok(all)
    }

    fn told(&self, family: FamilyId, point: &Point) -> String {
        let name = &self.song.families[family.index()].name;
        match point.told {
            Told::Starts => format!("{name} starts"),
            Told::Sends(message) => format!("{name} sends {}", self.message_name(message)),
            Told::Waits => format!("{name} gives up waiting"),
            Told::GoesOn => format!("{name} goes on"),
        }
    }

    /// An action that is always on offer to the members of a family that are up.
    fn of_member(
        &self,
        family: FamilyId,
        name: &str,
        mut body: Block,
        span: Span,
    ) -> Result<Action, Refusal> {
        body.splice(0..0, self.control.is_up(family).map(assumed));
        let process = self.voices.processes.iter();
        let process = process.filter(|process| process.family == family);
        let locals = process.flat_map(|process| process.locals.iter().cloned());
        self.offered(family, name, (body, locals.collect()), span)
    }

    /// An action that is always on offer, of code of a member whose first locals are the indices.
    fn offered(
        &self,
        family: FamilyId,
        name: &str,
        (mut body, locals): (Block, Vec<Local>),
        span: Span,
    ) -> Result<Action, Refusal> {
        let arity = self.indices(family).len();
        let member = (0..arity).map(|at| local(&locals, at, span)).collect();
        let mut inside = CodeRewriter {
            member: Some((family, member)),
            ..CodeRewriter::of_init(self)
        };
        inside.block(&mut body);
        match inside.refused {
            Some(why) => Err(why),
            None => Ok(Action {
                name: name.to_owned(),
                code: Code {
                    arity,
                    locals,
                    body,
                },
                role: Role {
                    repeat: true,
                    ..Role::default()
                },
                span,
            }),
        }
    }

    pub(super) fn crashes_and_restarts(&self) -> Result<Vec<Action>, Refusal> {
        let mut all = Vec::new();
        for (number, fault) in self.voices.faults.iter().enumerate() {
            match fault.kind {
                FaultKind::Crash(family) => all.push(self.crash(number, family, fault.span)?),
                FaultKind::Restart(family) => {
                    all.extend(self.restart(number, family, fault.span)?);
                }
                FaultKind::Lose(_) | FaultKind::Duplicate(_) => {}
            }
        }
        Ok(all)
    }

    fn crash(&self, number: usize, family: FamilyId, span: Span) -> Result<Action, Refusal> {
        let mut body: Block = Vec::new();
        body.extend(self.control.is_not_over(family).map(assumed));
        body.extend(self.spent(number));
        body.extend(self.crashed_var(family).map(|var| down(var, true)));
        let name = format!("{} crashes", self.song.families[family.index()].name);
        self.of_member(family, &name, body, span)
    }

    /// A restart; none of a family that never crashes.
    fn restart(
        &self,
        number: usize,
        family: FamilyId,
        span: Span,
    ) -> Result<Option<Action>, Refusal> {
        let Some(var) = self.crashed_var(family) else {
            return Ok(None);
        };
        let mut body = vec![assumed(own(var, Ty::Bool))];
        body.extend(self.spent(number));
        body.push(down(var, false));
        let indices = self.indices(family).iter();
        let mut locals: Vec<Local> = indices.map(|one| name(one, span)).collect();
        for (at, row) in self.vars(family).iter().enumerate() {
            if !row.durable {
                body.push(again(
                    VarId::from(at),
                    row,
                    &mut locals,
                    self.indices(family),
                ));
            }
        }
        if let Some(flow) = self.control.of(family) {
            let first = nat(flow.first as i64);
            body.push(assign(Root::Own(flow.position), Vec::new(), first));
        }
        let name = format!("{} restarts", self.song.families[family.index()].name);
        self.offered(family, &name, (body, locals), span).map(Some)
    }

    fn crashed_var(&self, family: FamilyId) -> Option<VarId> {
        let mut rows = self.control.crashed.iter();
        rows.find(|(one, _)| *one == family).map(|(_, var)| *var)
    }

    /// `crashed(p)`, if `p` is written out.
    pub(super) fn has_crashed(&self, address: &Expr) -> Option<Expr> {
        let (family, indices) = written_address(address, None)?;
        Some(match self.crashed_var(family) {
            Some(var) => self.entry(family, var, indices, &own(var, Ty::Bool)),
            None => crate::build::truth(false),
        })
    }

    /// The code of a message's action, with what may become of the message instead.
    pub(super) fn with_message_faults(
        &self,
        number: usize,
        parameters: &[Local],
        handled: Block,
    ) -> Block {
        let message = self.rows[number].message;
        let faults = self.voices.faults.iter().enumerate();
        let own = faults.filter(|(_, fault)| match fault.kind {
            FaultKind::Lose(kind) | FaultKind::Duplicate(kind) => kind == message,
            FaultKind::Crash(_) | FaultKind::Restart(_) => false,
        });
        own.fold(handled, |rest, (at, fault)| {
            let mut body = self.spent(at);
            if let FaultKind::Duplicate(_) = fault.kind {
                let arguments: Vec<Expr> = (0..parameters.len())
                    .map(|at| local(parameters, at, fault.span))
                    .collect();
                let copy = stmt(StmtKind::Async(ActionId::from(number), arguments));
                body.extend([copy.clone(), copy]);
            }
            vec![stmt(StmtKind::Maybe(body, rest)).at(fault.span)]
        })
    }

    /// The variable that counts a fault with a bound.
    fn budget(&self, number: usize) -> Option<(GlobalId, u32)> {
        let bounded = |fault: &&Fault| fault.most.is_some();
        let most = self.voices.faults[number].most?;
        let earlier = self.voices.faults[..number].iter().filter(bounded).count();
        let processes = self.voices.processes.iter();
        let vars: usize = processes.map(|one| self.vars(one.family).len()).sum();
        Some((GlobalId::from(vars + earlier), most))
    }

    /// Once more, if that is allowed.
    fn spent(&self, number: usize) -> Block {
        let Some((at, most)) = self.budget(number) else {
            return Vec::new();
        };
        let count = global(at, &Ty::Nat);
        let more = binary(BinOp::Lt, count.clone(), nat(i64::from(most)));
        let next = operation(BinOp::Add, count, nat(1));
        vec![assumed(more), assign(Root::Global(at), Vec::new(), next)]
    }

    /// The variables that count faults with a bound.
    pub(super) fn budgets(&self) -> Vec<Global> {
        let bounded = self.voices.faults.iter();
        let bounded = bounded.filter(|fault| fault.most.is_some());
        let rows = bounded.map(|fault| Global {
            name: format!("{} {}", fault.kind.name(), self.struck(fault.kind)),
            ty: Ty::Nat,
            start: StartValue::Value(nat(0)),
            locals: Vec::new(),
            linear: false,
            share: None,
            layers: None,
            span: fault.span,
        });
        rows.collect()
    }

    fn struck(&self, kind: FaultKind) -> &str {
        match kind {
            FaultKind::Crash(family) | FaultKind::Restart(family) => {
                &self.song.families[family.index()].name
            }
            FaultKind::Lose(message) | FaultKind::Duplicate(message) => self.message_name(message),
        }
    }
}

/// Can a member come to this point? Heads of loops are points only where some segment says so.
fn is_passed(body: &super::bodies::OfBody, number: usize) -> bool {
    let goes_here = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Assign(place, value) => {
            place.root == Root::Own(body.position) && *value == nat(number as i64)
        }
        _ => false,
    };
    let mut blocks = body.points.iter().flat_map(|point| {
        let receives = point.receives.iter().map(|(_, block)| block);
        point.moves.iter().chain(receives)
    });
    number == body.first || blocks.any(|block| crate::visit::any_stmt(block, goes_here))
}

fn assumed(condition: Expr) -> Stmt {
    stmt(StmtKind::Assume(condition))
}

fn down(var: VarId, value: bool) -> Stmt {
    assign(Root::Own(var), Vec::new(), crate::build::truth(value))
}

fn name(binder: &Binder, span: Span) -> Local {
    Local {
        name: binder.name.clone(),
        ty: binder.ty.clone(),
        mutable: false,
        span,
    }
}

/// A variable starts again.
fn again(var: VarId, row: &StateVar, locals: &mut Vec<Local>, indices: &[Binder]) -> Stmt {
    struct Moved {
        indices: usize,
        by: usize,
    }
    impl Moved {
        fn name(&self, local: &mut LocalId) {
            if local.index() >= self.indices {
                *local = LocalId::from(local.index() + self.by);
            }
        }
    }
    impl VisitMut for Moved {
        fn binds(&mut self, local: &mut LocalId) {
            self.name(local);
        }
        fn uses(&mut self, local: &mut LocalId) {
            self.name(local);
        }
    }
    let mut moved = Moved {
        indices: indices.len(),
        by: locals.len(),
    };
    locals.extend(row.locals.iter().cloned());
    let mut start = row.start.clone();
    walk_mut::start(&mut moved, &mut start);
    let place = Place {
        root: Root::Own(var),
        path: Vec::new(),
        span: row.span,
    };
    stmt(match start {
        StartValue::Value(value) => StmtKind::Assign(place, value),
        StartValue::Choice(choice) => StmtKind::AssignChoice(place, choice),
    })
    .at(row.span)
}
