//! Bodies as control points of an action system: where each process is, is a variable of it.

use super::Refusal;
use super::control_flow::{Flow, Point, flow};
use super::kept_locals::{Kept, read_before_bound, variable};
use crate::build::{equal, expr, nat, not, truth};
use crate::visit::VisitMut;
use crate::{
    Accept, Block, Body, Expr, ExprKind, FamilyId, FaultKind, Local, Process, Root, Song,
    StartValue, StateVar, StmtKind, Ty, VarId,
};
use plainsong_diagnostics::Span;

/// What processes are, beside their variables.
#[derive(Default)]
pub(super) struct Control {
    /// The families that have bodies.
    pub(super) bodies: Vec<OfBody>,
    /// The families whose members may crash, with the variable that says who has.
    pub(super) crashed: Vec<(FamilyId, VarId)>,
}

/// The control points of the members of a family.
pub(super) struct OfBody {
    pub(super) family: FamilyId,
    pub(super) position: VarId,
    /// Where a member begins.
    pub(super) first: usize,
    pub(super) points: Vec<Point>,
}

impl OfBody {
    /// Is the member at a point?
    pub(super) fn is_at(&self, number: usize) -> Expr {
        equal(own(self.position, Ty::Nat), nat(number as i64))
    }
}

/// A variable of the process whose code this is.
pub(super) fn own(var: VarId, ty: Ty) -> Expr {
    expr(ExprKind::Own(var), ty)
}

impl Control {
    pub(super) fn of(&self, family: FamilyId) -> Option<&OfBody> {
        self.bodies.iter().find(|one| one.family == family)
    }

    /// That the member whose code this is has not crashed, if it can.
    pub(super) fn is_up(&self, family: FamilyId) -> Option<Expr> {
        let row = self.crashed.iter().find(|(one, _)| *one == family);
        row.map(|(_, var)| not(own(*var, Ty::Bool)))
    }

    /// That the member whose code this is has not come to its end, if it can.
    pub(super) fn is_not_over(&self, family: FamilyId) -> Option<Expr> {
        self.of(family).map(|one| not(one.is_at(one.points.len())))
    }

    /// The handlers of a kind of message, or the receives, each with where the member has to be.
    pub(super) fn accepting(
        &self,
        process: &Process,
        message: crate::MessageId,
    ) -> Vec<(Option<Expr>, Accept, Block)> {
        let mut rows = Vec::new();
        match (&process.body, self.of(process.family)) {
            (Body::Handlers(handlers), _) => {
                let own = handlers.iter().filter(|one| one.accept.message == message);
                rows.extend(own.map(|one| (None, one.accept.clone(), one.body.clone())));
            }
            (Body::Sequential(_), Some(body)) => {
                for (number, point) in body.points.iter().enumerate() {
                    let own = point.receives.iter();
                    let own = own.filter(|(accept, _)| accept.message == message);
                    rows.extend(own.map(|(accept, block)| {
                        (Some(body.is_at(number)), accept.clone(), block.clone())
                    }));
                }
            }
            (Body::Sequential(_), None) => {}
        }
        rows
    }
}

/// The song with variables for positions, names that are kept, and crashes; and the control points.
pub(super) fn with_control(song: &Song) -> Result<(Song, Control), Refusal> {
    let mut song = song.clone();
    let mut control = Control::default();
    let voices = song.voices().ok_or(Refusal::NoProcesses)?.clone();
    for (number, process) in voices.processes.iter().enumerate() {
        if let Body::Sequential(body) = &process.body
            && !body.is_empty()
        {
            let (body, locals) = of_body(&mut song, process, body)?;
            control.bodies.push(body);
            if let crate::System::Voices(own) = &mut song.system {
                own.processes[number].locals = locals;
            }
        }
    }
    for fault in &voices.faults {
        let known = |family| control.crashed.iter().any(|(one, _)| *one == family);
        if let FaultKind::Crash(family) = fault.kind
            && !known(family)
        {
            let start = StartValue::Value(truth(false));
            let var = added(&mut song, family, "crashed", Ty::Bool, start, fault.span);
            control.crashed.push((family, var));
        }
    }
    Ok((song, control))
}

/// Adds a variable to a family.
fn added(
    song: &mut Song,
    family: FamilyId,
    name: &str,
    ty: Ty,
    start: StartValue,
    span: Span,
) -> VarId {
    let row = &mut song.families[family.index()];
    let locals = row.index.iter().map(|one| index(one, span)).collect();
    row.vars.push(StateVar {
        name: name.to_owned(),
        ty,
        start,
        locals,
        durable: true,
        is_input: false,
        span,
    });
    VarId::from(row.vars.len() - 1)
}

fn index(binder: &crate::Binder, span: Span) -> Local {
    Local {
        name: binder.name.clone(),
        ty: binder.ty.clone(),
        mutable: false,
        span,
    }
}

fn of_body(
    song: &mut Song,
    process: &Process,
    body: &Block,
) -> Result<(OfBody, Vec<Local>), Refusal> {
    let family = process.family;
    let span = song.families[family.index()].span;
    let zero = StartValue::Value(nat(0));
    let position = added(song, family, "position", Ty::Nat, zero, span);
    let next = position.index() + 1;
    let Flow {
        mut points,
        left,
        locals,
    } = flow(body, &process.locals, position, next)?;
    let row = &mut song.families[family.index()];
    let indices: Vec<Local> = row.index.iter().map(|one| index(one, span)).collect();
    row.vars.extend(left.into_iter().map(|var| StateVar {
        locals: indices.clone(),
        durable: true,
        is_input: false,
        ..var
    }));
    let segments = points.iter().flat_map(|point| {
        let receives = point.receives.iter();
        let receives = receives.map(|(accept, block)| (Some(accept), block));
        point
            .moves
            .iter()
            .map(|block| (None, block))
            .chain(receives)
    });
    let read = read_before_bound(segments, indices.len());
    let mut vars = std::collections::BTreeMap::new();
    for name in read {
        let local = &locals[name.index()];
        if local.ty == Ty::Process {
            return Err(Refusal::KeptAddress(local.name.clone(), local.span));
        }
        vars.insert(name, VarId::from(row.vars.len()));
        row.vars.push(variable(local, &indices));
    }
    let mut kept = Kept::new(vars, &locals);
    for point in &mut points {
        point.moves.iter_mut().for_each(|block| kept.block(block));
        for (accept, block) in &mut point.receives {
            kept.received(accept, block);
        }
    }
    let first = beginning(&points, position);
    row.vars[position.index()].start = StartValue::Value(nat(first as i64));
    let body = OfBody {
        family,
        position,
        first,
        points,
    };
    Ok((body, locals))
}

/// The first point at which something is done.
fn beginning(points: &[Point], position: VarId) -> usize {
    let Some(Some(start)) = points.first().map(|point| &point.moves) else {
        return 0;
    };
    let [only] = &start[..] else {
        return 0;
    };
    match &only.kind {
        StmtKind::Assign(place, value) if place.root == Root::Own(position) => match value.kind {
            ExprKind::Int(number) => number as usize,
            _ => 0,
        },
        _ => 0,
    }
}
