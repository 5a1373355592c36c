//! Contracts of external functions that nothing satisfies: for which arguments.
//!
//! That for all arguments there is a result that the contract allows is an obligation of every proof that relies on it
//! (`plainsong_prove::vc`). Where it is open, small arguments are tried by the interpreter; of those for which it finds
//! no result, the solver is asked whether there is none at all. If so the contract is refuted, with its argument.

use crate::request::Asked;
use plainsong_ir::{Expr, ExprKind, FnId, Function, SortKind, Ty};
use plainsong_prove::discharge::{Effort, Shown, discharge};
use plainsong_prove::theory::Theory;
use plainsong_prove::vc::nothing_allowed;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::outcomes::call_without_result;
use plainsong_semantics::value::Value;
use plainsong_smt::{Cancel, Solvers};

/// So many arguments are tried.
const MOST: usize = 400;
/// In so many instances.
const INSTANCES: usize = 4;

/// A sentence about arguments for which nothing satisfies the contract of a function, if some are found.
pub(crate) fn unsatisfied(
    asked: &Asked,
    name: &str,
    theory: &mut Theory,
    solvers: &Solvers,
) -> Option<String> {
    let mut functions = asked.song.functions.iter();
    let at = functions.position(|one| one.is_external() && one.name == name)?;
    let (id, decl) = (FnId::from(at), &asked.song.functions[at]);
    for sizes in asked.further.iter().chain(&asked.sizes) {
        let instances = Instance::all(asked.song.clone(), sizes, &asked.bounds);
        for instance in instances.into_iter().flatten().take(INSTANCES) {
            let Some((arguments, call)) = call_without_result(&instance, id, MOST) else {
                continue;
            };
            let is_sure = literals(decl, &arguments, asked).is_some_and(|arguments| {
                let all = nothing_allowed(theory, id, &arguments).into_iter();
                let all: Vec<_> = all.collect();
                let effort = Effort {
                    name: name.to_owned(),
                    ..Effort::default()
                };
                let shown = discharge(theory, &all, solvers, &effort, &Cancel::default());
                shown == [Shown::Yes]
            });
            return Some(match is_sure {
                true => format!("the contract is refuted: nothing satisfies it for `{call}`"),
                false => format!("no result within the bounds satisfies it for `{call}`"),
            });
        }
    }
    None
}

/// Arguments as text; nothing if they are not numbers or truth values.
fn literals(decl: &Function, arguments: &[Value], asked: &Asked) -> Option<Vec<Expr>> {
    let parameters = decl.locals[..decl.arity].iter().zip(arguments);
    let literal = |(parameter, value): (&plainsong_ir::Local, &Value)| {
        let span = parameter.span;
        let expr = |kind, ty| Expr { kind, ty, span };
        match (&parameter.ty, value) {
            (Ty::Bool, Value::Bool(truth)) => Some(expr(ExprKind::Bool(*truth), Ty::Bool)),
            (Ty::Int | Ty::Nat, Value::Int(number)) => {
                Some(expr(ExprKind::Int(*number), parameter.ty.clone()))
            }
            (Ty::Sort(id), Value::Int(number)) => {
                let is_range = matches!(asked.song.sorts[id.index()].kind, SortKind::Range(_));
                let number = expr(ExprKind::Int(*number), Ty::Int);
                let narrow = ExprKind::Narrow(Box::new(number));
                is_range.then(|| expr(narrow, parameter.ty.clone()))
            }
            _ => None,
        }
    };
    parameters.map(literal).collect()
}
