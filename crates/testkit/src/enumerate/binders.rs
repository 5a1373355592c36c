//! Expressions that bind names over a domain: quantifiers, comprehensions, maps.

use super::eval::{Store, Undefined, allows, arithmetic, eval, number};
use super::instance::Instance;
use super::value::Value;
use plainsong_ir::{BinOp, Binding, Expr, LocalId, Quantifier, Ty};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// `forall`, `exists`, `count`, `sum`.
pub(super) fn quantified(
    instance: &Instance<'_>,
    quantifier: Quantifier,
    bindings: &[Binding],
    body: &Expr,
    store: &mut Store,
) -> Result<Value, Undefined> {
    let mut values = Vec::new();
    let stopped = each(instance, bindings, store, &mut |store| {
        let value = eval(instance, body, store)?;
        let decided = match quantifier {
            Quantifier::Forall => value == Value::Bool(false),
            Quantifier::Exists => value == Value::Bool(true),
            Quantifier::Count | Quantifier::Sum => false,
        };
        values.push(value);
        Ok(if decided {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        })
    })?;
    let decided = stopped.is_break();
    Ok(match quantifier {
        Quantifier::Forall => Value::Bool(!decided),
        Quantifier::Exists => Value::Bool(decided),
        Quantifier::Count => Value::Int(
            values
                .into_iter()
                .filter(|v| *v == Value::Bool(true))
                .count() as i128,
        ),
        Quantifier::Sum => {
            let mut total = 0;
            for value in values {
                total = arithmetic(BinOp::Add, total, number(value))?;
            }
            Value::Int(total)
        }
    })
}

/// `e for x in S where p`: the values of `e`, in the order of `S`.
pub(super) fn comprehension(
    instance: &Instance<'_>,
    binding: &Binding,
    body: &Expr,
    store: &mut Store,
) -> Result<Vec<Value>, Undefined> {
    let mut elements = Vec::new();
    let _all = each(
        instance,
        std::slice::from_ref(binding),
        store,
        &mut |store| {
            elements.push(eval(instance, body, store)?);
            Ok(ControlFlow::Continue(()))
        },
    )?;
    Ok(elements)
}

/// `map x: K => e`, of type `ty`.
pub(super) fn map_of(
    instance: &Instance<'_>,
    ty: &Ty,
    local: LocalId,
    body: &Expr,
    store: &mut Store,
) -> Result<Value, Undefined> {
    let Ty::Map(key, _) = ty else {
        unreachable!("{ty:?} is not a map")
    };
    let mut entries = BTreeMap::new();
    for key in instance.values(key)? {
        store.bind(local, key.clone());
        entries.insert(key, eval(instance, body, store)?);
    }
    Ok(Value::Map(entries))
}

/// Whether the rest of the combinations still matters.
type Visited = Result<ControlFlow<()>, Undefined>;

/// Runs `body` for every combination of the bindings' names that the filters let through, until it
/// has seen enough.
fn each(
    instance: &Instance<'_>,
    bindings: &[Binding],
    store: &mut Store,
    body: &mut dyn FnMut(&mut Store) -> Visited,
) -> Visited {
    let Some((binding, rest)) = bindings.split_first() else {
        return body(store);
    };
    let elements = instance.elements(&binding.domain, store)?;
    each_name(&binding.names, &elements, store, &mut |store| {
        if allows(instance, binding.filter.as_ref(), store)? {
            each(instance, rest, store, body)
        } else {
            Ok(ControlFlow::Continue(()))
        }
    })
}

fn each_name(
    names: &[LocalId],
    elements: &[Value],
    store: &mut Store,
    body: &mut dyn FnMut(&mut Store) -> Visited,
) -> Visited {
    let Some((name, rest)) = names.split_first() else {
        return body(store);
    };
    for element in elements {
        store.bind(*name, element.clone());
        if each_name(rest, elements, store, body)?.is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}
