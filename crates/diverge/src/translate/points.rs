//! Values whose points are moved, as expressions.
//!
//! Which variables and arguments hold points is inferred ([`Shift`]); how such a value is moved follows from its type.

use super::Refused;
use crate::terms::{equal, expr, index, local, named, none, some, unwrapped};
use plainsong_diagnostics::Span;
use plainsong_ir::{
    ActionId, BinOp, Binding, Domain, EnumId, Expr, ExprKind, Function, GlobalId, Local, LocalId,
    Pattern, PatternKind, Song, Ty,
};
use plainsong_semantics::shift_invariance::Shift;

/// The expression with its points moved by `delta`; names that are bound are added to `locals`.
pub(super) fn moved(value: Expr, delta: &Expr, locals: &mut Vec<Local>) -> Result<Expr, Refused> {
    let ty = value.ty.clone();
    let bind = |locals: &mut Vec<Local>, ty: &Ty| {
        locals.push(named("each", ty));
        LocalId::from(locals.len() - 1)
    };
    Ok(match &ty {
        Ty::Int | Ty::Nat => {
            let sum = ExprKind::Binary(BinOp::Add, Box::new(value), Box::new(delta.clone()));
            expr(sum, ty)
        }
        Ty::Option(_) => {
            let inner = moved(unwrapped(value.clone()), delta, locals)?;
            let is_none = equal(value, none(&ty));
            let parts = [is_none, none(&ty), some(inner)].map(Box::new);
            let [condition, then, other] = parts;
            expr(ExprKind::If(condition, then, other), ty)
        }
        Ty::Map(key, _) => {
            let at = bind(locals, key);
            let inner = moved(index(value, local(at, key)), delta, locals)?;
            expr(ExprKind::MapOf(at, Box::new(inner)), ty)
        }
        Ty::Set(element) | Ty::Seq(element) => {
            let at = bind(locals, element);
            let inner = moved(local(at, element), delta, locals)?;
            let binding = Binding {
                names: vec![at],
                domain: Domain::In(value),
                filter: None,
            };
            let each = ExprKind::Comprehension(Box::new(binding), Box::new(inner));
            expr(each, ty)
        }
        Ty::Tuple(types) => {
            let mut parts = Vec::new();
            for (at, part) in types.iter().enumerate() {
                let project = ExprKind::Project(Box::new(value.clone()), at);
                parts.push(moved(expr(project, part.clone()), delta, locals)?);
            }
            expr(ExprKind::Tuple(parts), ty)
        }
        Ty::Bag(_) => {
            let why = "points in a bag are not translated";
            return Err(Refused::new(value.span, why));
        }
        Ty::Bool | Ty::Sort(_) | Ty::Enum(_) | Ty::Struct(_) | Ty::Process => value,
    })
}

/// `fn moved(t: Task, by: Delta) -> Task`: a task with its points moved.
pub(super) fn function(
    song: &Song,
    shift: &Shift,
    name: String,
    task: EnumId,
    delta: &Ty,
) -> Result<Function, Refused> {
    let mut locals = vec![named("t", &Ty::Enum(task)), named("by", delta)];
    let by = local(LocalId::from(1), delta);
    let mut arms = Vec::new();
    for (action, variant) in song.enums[task.index()].variants.iter().enumerate() {
        let mut patterns = Vec::new();
        let mut values = Vec::new();
        for (at, ty) in variant.fields.iter().enumerate() {
            locals.push(named(&format!("a{at}"), ty));
            let bound = LocalId::from(locals.len() - 1);
            patterns.push(pattern(PatternKind::Bind(bound)));
            let value = local(bound, ty);
            values.push(match shift.moves_argument(ActionId::from(action), at) {
                true => moved(value, &by, &mut locals)?,
                false => value,
            });
        }
        let made = ExprKind::Variant(task, action, values);
        arms.push((
            pattern(PatternKind::Variant(task, action, patterns)),
            expr(made, Ty::Enum(task)),
        ));
    }
    let whole = local(LocalId::from(0), &Ty::Enum(task));
    Ok(Function {
        name,
        arity: 2,
        locals,
        contract: Default::default(),
        result: Ty::Enum(task),
        body: Some(expr(ExprKind::Match(Box::new(whole), arms), Ty::Enum(task))),
        at: None,
        span: Span::default(),
    })
}

/// Does this variable hold points?
pub(super) fn is_point(shift: Option<&Shift>, global: GlobalId) -> bool {
    shift.is_some_and(|shift| shift.moves_global(global))
}

fn pattern(kind: PatternKind) -> Pattern {
    Pattern {
        kind,
        span: Span::default(),
    }
}
