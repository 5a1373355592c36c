//! Shift invariance: states that differ only by where their points lie.
//!
//! Some integers have no meaning by themselves: of ballots, terms and sequence numbers it matters only how far
//! they lie apart. Such integers are *points*; integers that are compared with literals, multiplied or used
//! as indices are *numbers*. A point plus a number is a point, the difference of two points is a number,
//! points are compared with points only ([`infer`]).
//!
//! Statement. If a state after `init` can take a step, the state with all points shifted by the same amount can
//! take the same step, and it leads to the state shifted likewise.
//!
//! Why sound. By induction over expressions: shifting all points shifts the value of an expression of
//! points and leaves that of an expression of numbers as it is. Comparisons, minima and the order of sets see
//! only differences. The one check that sees where a point lies is the one that a `nat` is not negative: it
//! passes after a shift upwards if it passed before, so downwards only where there is no such check
//! ([`Shift::may_sink`]). Integers beyond 64 bits are ours to bear, not the program's.
//!
//! Source. [Alive12], section 6, where the order is given by hand; here it is inferred, and payloads are
//! shifted with the variables.
//! NOT COVERED. Bodies with blocking receives, and processes that restart: there is no shift for them.

pub(crate) mod infer;
mod spot;

use crate::idle::Task;
use crate::machine::{Config, Form, Machine};
use crate::value::Value;
use infer::{Inferred, Manner, Spot, has_points, infer};
use plainsong_ir::{
    ActionId, Body, FamilyId, FaultKind, GlobalId, MessageId, Song, System, Ty, VarId,
};
use std::sync::Arc;

/// What the integers of an expression are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Class {
    /// There are none.
    Neither,
    Number,
    Point,
}

/// How the states of a song are shifted.
#[derive(Clone, Debug)]
pub struct Shift {
    song: Arc<Song>,
    inferred: Inferred,
    /// The family of each process.
    families: Vec<FamilyId>,
}

impl Shift {
    /// The shift of a machine's states, if they have points.
    pub fn of(machine: &Machine) -> Option<Shift> {
        let instance = machine.instance();
        let song = instance.song();
        if let System::Voices(voices) = &song.system {
            let handles = |body: &Body| matches!(body, Body::Handlers(_));
            let restarts = |kind: FaultKind| matches!(kind, FaultKind::Restart(_));
            if !voices
                .processes
                .iter()
                .all(|process| handles(&process.body))
                || voices.faults.iter().any(|fault| restarts(fault.kind))
            {
                return None;
            }
        }
        let members = &instance.members()[instance.lanes(machine.subject())];
        let shift = Shift {
            song: song.clone(),
            inferred: infer(song, Manner::default()),
            families: members.iter().map(|member| member.family).collect(),
        };
        (!shift.names().is_empty()).then_some(shift)
    }

    /// The shift of an action system's states, whatever the sizes, if they have points.
    pub fn of_actions(song: &Arc<Song>) -> Option<Shift> {
        let shift = Shift {
            song: song.clone(),
            inferred: infer(song, Manner::default()),
            families: Vec::new(),
        };
        let globals = song.actions()?.globals.len();
        let mut globals = (0..globals).map(GlobalId::from);
        globals
            .any(|global| shift.moves_global(global))
            .then_some(shift)
    }

    /// Does this global variable hold points?
    pub fn moves_global(&self, global: GlobalId) -> bool {
        let globals = self.song.actions().map(|actions| &actions.globals);
        let known = globals.and_then(|globals| globals.get(global.index()));
        known.is_some_and(|known| self.is_point(Spot::Global(global), &known.ty))
    }

    /// Does this argument of an action hold points?
    pub fn moves_argument(&self, action: ActionId, at: usize) -> bool {
        let actions = self.song.actions().map(|actions| &actions.actions);
        let known = actions.and_then(|actions| actions.get(action.index()));
        let known = known.and_then(|action| action.code.locals.get(at));
        known.is_some_and(|known| self.is_point(Spot::Argument(action, at), &known.ty))
    }

    /// May points be shifted downwards?
    pub fn may_sink(&self) -> bool {
        !self.inferred.is_checked
    }

    /// The variables and parts of payloads that are points, by name.
    pub fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut add = |is_point: bool, name: &String| {
            if is_point && !names.contains(name) {
                names.push(name.clone());
            }
        };
        for (at, family) in self.song.families.iter().enumerate() {
            for (var, known) in family.vars.iter().enumerate() {
                let spot = Spot::Var(FamilyId::from(at), VarId::from(var));
                add(self.is_point(spot, &known.ty), &known.name);
            }
        }
        if let Some(actions) = self.song.actions() {
            for (at, global) in actions.globals.iter().enumerate() {
                let spot = Spot::Global(GlobalId::from(at));
                add(self.is_point(spot, &global.ty), &global.name);
            }
        }
        if let Some(voices) = self.song.voices() {
            for (at, message) in voices.messages.iter().enumerate() {
                for (field, known) in message.fields.iter().enumerate() {
                    let spot = Spot::Field(MessageId::from(at), field);
                    add(self.is_point(spot, &known.ty), &known.name);
                }
            }
        }
        names
    }

    /// The least point of a state's variables, if they have one. Before `init` nothing is a point.
    pub fn base(&self, config: &Config) -> Option<i64> {
        let has_begun = match &config.0 {
            Form::Voices(config) => config.begun,
            Form::Actions(config) => config.begun,
            Form::Line(_) => false,
        };
        if !has_begun {
            return None;
        }
        let mut least = None;
        self.each(config, &mut |value, ty| {
            lower(value, ty, &mut least);
        });
        least
    }

    /// The state with all its points shifted.
    #[must_use]
    pub fn config(&self, config: &Config, by: i64) -> Config {
        let mut after = config.clone();
        match &mut after.0 {
            Form::Voices(config) => {
                for (voice, family) in config.voices.iter_mut().zip(&self.families) {
                    let vars = &self.song.families[family.index()].vars;
                    let mut changed = (**voice).clone();
                    for (at, (value, var)) in changed.vars.iter_mut().zip(vars).enumerate() {
                        let spot = Spot::Var(*family, VarId::from(at));
                        self.change(spot, value, &var.ty, by);
                    }
                    *voice = Arc::new(changed);
                }
                config.network.payloads(|kind, payload| {
                    let fields = &self.song.voices().expect("voices").messages[kind.index()].fields;
                    let mut values = payload.to_vec();
                    for (at, (value, field)) in values.iter_mut().zip(fields).enumerate() {
                        self.change(Spot::Field(kind, at), value, &field.ty, by);
                    }
                    values.into()
                });
            }
            Form::Actions(config) => {
                let globals = &self.song.actions().expect("actions").globals;
                for (at, (value, global)) in config.globals.iter_mut().zip(globals).enumerate() {
                    self.change(Spot::Global(GlobalId::from(at)), value, &global.ty, by);
                }
                for pending in &mut config.pending {
                    pending.arguments = self.arguments(pending.action, &pending.arguments, by);
                }
                config.pending.sort();
            }
            Form::Line(_) => {}
        }
        after
    }

    /// The task with its points shifted.
    #[must_use]
    pub fn task(&self, task: &Task, by: i64) -> Task {
        let values = match &self.song.system {
            System::Voices(voices) => {
                let kind = MessageId::from(task.kind());
                let mut values = task.values().to_vec();
                let fields = &voices.messages[kind.index()].fields;
                for (at, (value, field)) in values.iter_mut().zip(fields).enumerate() {
                    self.change(Spot::Field(kind, at), value, &field.ty, by);
                }
                values.into()
            }
            _ => self.arguments(ActionId::from(task.kind()), task.values(), by),
        };
        task.with_values(values)
    }

    fn arguments(&self, action: ActionId, values: &[Value], by: i64) -> Arc<[Value]> {
        let code = &self.song.actions().expect("actions").actions[action.index()].code;
        let mut values = values.to_vec();
        for (at, (value, local)) in values.iter_mut().zip(&code.locals).enumerate() {
            self.change(Spot::Argument(action, at), value, &local.ty, by);
        }
        values.into()
    }

    fn change(&self, spot: Spot, value: &mut Value, ty: &Ty, by: i64) {
        if by != 0 && self.is_point(spot, ty) {
            *value = shifted(value, ty, by);
        }
    }

    fn is_point(&self, spot: Spot, ty: &Ty) -> bool {
        has_points(ty) && !self.inferred.numbers.contains(&spot)
    }

    /// Looks at every variable that is a point.
    fn each(&self, config: &Config, look: &mut dyn FnMut(&Value, &Ty)) {
        match &config.0 {
            Form::Voices(config) => {
                for (voice, family) in config.voices.iter().zip(&self.families) {
                    let vars = &self.song.families[family.index()].vars;
                    for (at, (value, var)) in voice.vars.iter().zip(vars).enumerate() {
                        if self.is_point(Spot::Var(*family, VarId::from(at)), &var.ty) {
                            look(value, &var.ty);
                        }
                    }
                }
            }
            Form::Actions(config) => {
                let globals = &self.song.actions().expect("actions").globals;
                for (at, (value, global)) in config.globals.iter().zip(globals).enumerate() {
                    if self.is_point(Spot::Global(GlobalId::from(at)), &global.ty) {
                        look(value, &global.ty);
                    }
                }
            }
            Form::Line(_) => {}
        }
    }
}

/// A value with its integers shifted; those of structs, enums, sorts and keys stay.
pub(crate) fn shifted(value: &Value, ty: &Ty, by: i64) -> Value {
    mapped(value, ty, &mut |int| int.wrapping_add(by))
}

/// A value with its integers changed; those of structs, enums, sorts and keys stay.
pub(crate) fn mapped(value: &Value, ty: &Ty, new: &mut dyn FnMut(i64) -> i64) -> Value {
    match (value, ty) {
        (Value::Int(int), Ty::Int | Ty::Nat) => Value::Int(new(*int)),
        (Value::Some(inner), Ty::Option(ty)) => Value::some(mapped(inner, ty, new)),
        (Value::Tuple(parts), Ty::Tuple(types)) => {
            let parts = parts.iter().zip(types);
            Value::Tuple(parts.map(|(part, ty)| mapped(part, ty, new)).collect())
        }
        (Value::Set(elements), Ty::Set(ty)) => {
            Value::set(elements.iter().map(|one| mapped(one, ty, new)).collect())
        }
        (Value::Bag(elements), Ty::Bag(ty)) => {
            Value::bag(elements.iter().map(|one| mapped(one, ty, new)).collect())
        }
        (Value::Seq(elements), Ty::Seq(ty)) => {
            Value::Seq(elements.iter().map(|one| mapped(one, ty, new)).collect())
        }
        (Value::Map(pairs), Ty::Map(_, ty)) => {
            let pairs = pairs.iter();
            Value::Map(
                pairs
                    .map(|(key, value)| (key.clone(), mapped(value, ty, new)))
                    .collect(),
            )
        }
        (other, _) => other.clone(),
    }
}

/// The least integer seen so far.
pub(crate) fn lower(value: &Value, ty: &Ty, least: &mut Option<i64>) {
    match (value, ty) {
        (Value::Int(int), Ty::Int | Ty::Nat) => {
            *least = Some(least.map_or(*int, |known| known.min(*int)));
        }
        (Value::Some(inner), Ty::Option(ty)) => lower(inner, ty, least),
        (Value::Tuple(parts), Ty::Tuple(types)) => {
            let parts = parts.iter().zip(types);
            parts.for_each(|(part, ty)| lower(part, ty, least));
        }
        (
            Value::Set(elements) | Value::Bag(elements) | Value::Seq(elements),
            Ty::Set(ty) | Ty::Bag(ty) | Ty::Seq(ty),
        ) => elements.iter().for_each(|one| lower(one, ty, least)),
        (Value::Map(pairs), Ty::Map(_, ty)) => {
            pairs.iter().for_each(|(_, value)| lower(value, ty, least));
        }
        _ => {}
    }
}
