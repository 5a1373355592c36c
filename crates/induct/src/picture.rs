//! Counterexamples to induction as lines of text: before, step, after; only what is not as at the start, or changes.

use crate::counterexample::{Counterexample, Var, variables};
use crate::system::System;
use plainsong_ir::{ActionId, FamilyId, Ty};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::show::show;
use plainsong_semantics::value::Value;

impl Counterexample {
    /// The lines of the picture.
    pub fn picture(&self, system: &System) -> Vec<String> {
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for (at, var) in variables(system).into_iter().enumerate() {
            let ty = var.ty(system);
            let entries = |value: &Value| {
                let mut all = Vec::new();
                spread(&ty, value, &mut Vec::new(), &mut all);
                all
            };
            let (start, then) = (entries(&self.start[at]), entries(&self.before[at]));
            let now = entries(&self.after[at]);
            for ((place, held), (value, next)) in then.iter().zip(start.iter().zip(&now)) {
                let changes = held != &next.1;
                let named = |value: &(Value, Ty)| self.told(system, var, place, value);
                if changes || held != &value.1 {
                    before.push(named(held));
                }
                if changes {
                    after.push(named(&next.1));
                }
            }
        }
        let claim = &system.song.properties[self.claim].name;
        let sizes = self.instance.bound();
        let sizes: Vec<String> = sizes.iter().map(|(at, n)| format!("{at}={n}")).collect();
        vec![
            format!(
                "before   {}   <- allowed by the invariants{}",
                joined(before, "as at the start"),
                if sizes.is_empty() {
                    String::new()
                } else {
                    format!(" ({})", sizes.join(", "))
                }
            ),
            format!(
                "step     {}{}",
                self.step(system),
                self.unrestricted(system)
            ),
            format!(
                "after    {}   <- {claim} is false",
                joined(after, "the same")
            ),
        ]
    }

    /// A remark where no claim counts what is run: then it may run at any time.
    fn unrestricted(&self, system: &System) -> &'static str {
        let is_offered = system.actions().actions[self.action.index()].role.repeat;
        match is_offered || system.counted.contains(&self.action) {
            true => "",
            false => "   <- no claim says when this is in flight",
        }
    }

    /// `client[1] takes Grant`, or `Enter(Thread#0)`.
    fn step(&self, system: &System) -> String {
        let action = &system.actions().actions[self.action.index()];
        let types: Vec<Ty> = crate::state::parameters(&action.code);
        let values: Vec<(Value, Ty)> = self.arguments.iter().cloned().zip(types).collect();
        match &action.role.handles {
            Some(handled) => {
                let (to, rest) = self.member(system, handled.to, &values);
                let (from, rest) = match handled.from {
                    Some(family) => {
                        let (from, rest) = self.member(system, family, rest);
                        (format!(" from {from}"), rest)
                    }
                    None => (String::new(), rest),
                };
                format!(
                    "{to} takes {}{from}",
                    call(&self.instance, &handled.name, rest)
                )
            }
            None => call(&self.instance, &action.name, &values),
        }
    }

    /// A variable, or an entry of one, with its value.
    fn told(
        &self,
        system: &System,
        var: Var,
        place: &[(Value, Ty)],
        (value, ty): &(Value, Ty),
    ) -> String {
        let instance = &self.instance;
        match var {
            Var::Global(at) => {
                let name = &system.actions().globals[at.index()].name;
                format!(
                    "{} = {}",
                    entry(instance, name, place),
                    show(instance, value, ty)
                )
            }
            Var::Pending(action) => self.pending(system, action, place, value),
        }
    }

    /// `Grant to client[0] is pending`.
    fn pending(
        &self,
        system: &System,
        action: ActionId,
        place: &[(Value, Ty)],
        count: &Value,
    ) -> String {
        let row = &system.actions().actions[action.index()];
        let what = match &row.role.handles {
            None => call(&self.instance, &row.name, place),
            Some(handled) => {
                let (to, rest) = self.member(system, handled.to, place);
                let (from, rest) = match handled.from {
                    Some(family) => {
                        let (from, rest) = self.member(system, family, rest);
                        (format!(" from {from}"), rest)
                    }
                    None => (String::new(), rest),
                };
                format!(
                    "{} to {to}{from}",
                    call(&self.instance, &handled.name, rest)
                )
            }
        };
        match count {
            Value::Int(0) => format!("no {what}"),
            Value::Int(1) => format!("{what} is in flight"),
            Value::Int(count) => format!("{count} times {what} in flight"),
            _ => what,
        }
    }

    /// `client[0]`, and the values behind its indices.
    fn member<'v>(
        &self,
        system: &System,
        family: FamilyId,
        values: &'v [(Value, Ty)],
    ) -> (String, &'v [(Value, Ty)]) {
        let family = &system.song.families[family.index()];
        let (own, rest) = values.split_at(family.index.len());
        (indexed(&self.instance, &family.name, own), rest)
    }
}

/// Keys, and the value there; each with its type.
type Entry = (Vec<(Value, Ty)>, (Value, Ty));

/// Each entry of a map, and of maps in it, with its keys; anything else as it is.
fn spread(ty: &Ty, value: &Value, at: &mut Vec<(Value, Ty)>, all: &mut Vec<Entry>) {
    match (ty, value) {
        (Ty::Map(key, held), Value::Map(entries)) => {
            for (one, value) in entries.iter() {
                at.push((one.clone(), (**key).clone()));
                spread(held, value, at, all);
                at.pop();
            }
        }
        _ => all.push((at.clone(), (value.clone(), ty.clone()))),
    }
}

/// `place[Thread#0]`; a variable of a process is named as in the text, `client[0].holds`.
fn entry(instance: &Instance, name: &str, place: &[(Value, Ty)]) -> String {
    match name.split_once('.') {
        Some((family, var)) => {
            let song = instance.song();
            let family_row = song.families.iter().find(|row| row.name == family);
            let count = family_row.map_or(0, |row| row.index.len()).min(place.len());
            let (own, rest) = place.split_at(count);
            let whose = indexed(instance, family, own);
            indexed(instance, &format!("{whose}.{var}"), rest)
        }
        None => indexed(instance, name, place),
    }
}

fn indexed(instance: &Instance, name: &str, place: &[(Value, Ty)]) -> String {
    let indices = place.iter().map(|(value, ty)| match value {
        Value::Id(number) => format!("[{number}]"),
        _ => format!("[{}]", show(instance, value, ty)),
    });
    format!("{name}{}", indices.collect::<String>())
}

fn call(instance: &Instance, name: &str, values: &[(Value, Ty)]) -> String {
    if values.is_empty() {
        return name.to_owned();
    }
    let values: Vec<String> = values
        .iter()
        .map(|(value, ty)| show(instance, value, ty))
        .collect();
    format!("{name}({})", values.join(", "))
}

fn joined(parts: Vec<String>, otherwise: &str) -> String {
    match parts.is_empty() {
        true => otherwise.to_owned(),
        false => parts.join(", "),
    }
}
