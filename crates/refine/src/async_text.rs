//! Asyncs in words, as the user knows them: `RELEASE(Tid#0)`; of a handler, the message: `Tell(1) to node[0]`.

use plainsong_ir::{Action, ActionId, FamilyId, Global, Ty};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::show::show;
use plainsong_semantics::value::Value;

/// The value of a variable: `x = 1`; of a variable of processes, member by member: `node[0].heard = bag {}`.
pub(crate) fn told_global(instance: &Instance, row: &Global, value: &Value) -> Vec<String> {
    let song = instance.song();
    let of = row.name.split_once('.').and_then(|(family, name)| {
        let mut families = song.families.iter();
        let found = families.find(|one| one.name == family)?;
        Some((found, name))
    });
    let Some((family, name)) = of.filter(|(family, _)| !family.index.is_empty()) else {
        return vec![format!("{} = {}", row.name, show(instance, value, &row.ty))];
    };
    let mut members = vec![(Vec::new(), value, &row.ty)];
    for _ in &family.index {
        let inner = members
            .iter()
            .flat_map(|(indices, value, ty)| match (value, ty) {
                (Value::Map(entries), Ty::Map(key_ty, value_ty)) => entries
                    .iter()
                    .map(|(key, value)| {
                        let mut indices = indices.clone();
                        indices.push(number(show(instance, key, key_ty)));
                        (indices, value, &**value_ty)
                    })
                    .collect(),
                _ => Vec::new(),
            });
        members = inner.collect();
    }
    let told = members.iter().map(|(indices, value, ty)| {
        let value = show(instance, value, ty);
        format!("{}[{}].{name} = {value}", family.name, indices.join(", "))
    });
    told.collect()
}

/// Of `Node#0` the number, as members of families are shown everywhere.
fn number(shown: String) -> String {
    match shown.rsplit_once('#') {
        Some((_, number)) => number.to_owned(),
        None => shown,
    }
}

/// An async of an action, with its arguments.
pub(crate) fn told_async(instance: &Instance, action: &Action, arguments: &[Value]) -> String {
    let rows = action.code.locals.iter().zip(arguments);
    let values = rows.map(|(row, value)| show(instance, value, &row.ty));
    let values: Vec<String> = values.collect();
    let Some(message) = &action.role.handles else {
        return format!("{}({})", action.name, values.join(", "));
    };
    let song = instance.song();
    let count = |family: FamilyId| song.families[family.index()].index.len();
    let (to, rest) = values.split_at(count(message.to).min(values.len()));
    let asked = message.from.map_or(0, count).min(rest.len());
    let (from, payload) = rest.split_at(asked);
    let member = |family: FamilyId, indices: &[String]| {
        let name = &song.families[family.index()].name;
        let indices: Vec<String> = indices.iter().cloned().map(number).collect();
        match indices[..] {
            [] => name.clone(),
            _ => format!("{name}[{}]", indices.join(", ")),
        }
    };
    let payload = match payload {
        [] => String::new(),
        _ => format!("({})", payload.join(", ")),
    };
    let from = message.from.map_or(String::new(), |family| {
        format!(" from {}", member(family, from))
    });
    let to = member(message.to, to);
    format!("{}{payload} to {to}{from}", message.name)
}

/// Several asyncs, in their order, or that there are none.
pub(crate) fn told_asyncs(instance: &Instance, all: &[(ActionId, Vec<Value>)]) -> String {
    let song = instance.song();
    if all.is_empty() {
        return "nothing".to_owned();
    }
    let rows = song
        .actions()
        .map_or(&[][..], |actions| &actions.actions[..]);
    let told = all
        .iter()
        .map(|(id, arguments)| told_async(instance, &rows[id.index()], arguments));
    told.collect::<Vec<_>>().join(", ")
}
