//! What an instance fixes, in words for a verdict.

use super::Instance;
use crate::outcomes::told;
use crate::show::show;
use crate::sizes::External;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Choice, Domain, Song, Ty};
use std::collections::BTreeMap;

/// Sizes of sorts, values of parameters, the windows of integers where they matter, and the delivery
/// model if one was chosen for all messages.
pub(super) fn bound(instance: &Instance) -> BTreeMap<String, String> {
    let song = instance.song();
    let mut bound = BTreeMap::new();
    for (at, sort) in song.sorts.iter().enumerate() {
        if sort.is_sized() {
            bound.insert(sort.name.clone(), instance.size(at.into()).to_string());
        }
    }
    for (at, constant) in song.consts.iter().enumerate() {
        if constant.value.is_none() {
            let value = show(instance, instance.constant(at.into()), &constant.ty);
            bound.insert(constant.name.clone(), value);
        }
    }
    let uses = Windows::of(instance);
    let windows = instance.bounds();
    if uses.int {
        let window = format!("{}..={}", windows.int.0, windows.int.1);
        let more = spans(&instance.constants_beyond(&Ty::Int));
        bound.insert("int".to_owned(), window + &more);
    }
    if uses.nat {
        let more = spans(&instance.constants_beyond(&Ty::Nat));
        bound.insert("nat".to_owned(), format!("0..={}{more}", windows.nat));
    }
    if uses.length {
        bound.insert("length".to_owned(), format!("0..={}", windows.length));
    }
    if let (Some(returned), true) = (windows.external.name(), uses.external) {
        bound.insert("external".to_owned(), returned.to_owned());
    }
    let outcomes = told(instance);
    if !outcomes.is_empty() {
        bound.insert("external".to_owned(), outcomes);
    }
    if let (Some(delivery), Some(_)) = (instance.delivery(), song.voices()) {
        bound.insert("delivery".to_owned(), delivery.name().to_owned());
    }
    bound
}

/// Integers after a window, ascending: `, 7, 99..=101`.
fn spans(numbers: &[i64]) -> String {
    let mut text = String::new();
    for span in numbers.chunk_by(|one, next| one.checked_add(1) == Some(*next)) {
        match span {
            [only] => text += &format!(", {only}"),
            [first, .., last] => text += &format!(", {first}..={last}"),
            [] => {}
        }
    }
    text
}

/// Which infinite types a song chooses from.
struct Windows<'a> {
    song: &'a Song,
    int: bool,
    nat: bool,
    length: bool,
    external: bool,
}

impl Windows<'_> {
    fn of(instance: &Instance) -> Windows<'_> {
        let song = instance.song();
        let mut windows = Windows {
            song,
            int: false,
            nat: false,
            length: false,
            external: false,
        };
        for function in &song.functions {
            if function.is_external() && instance.bounds().external != External::Refused {
                windows.external = true;
                windows.ty(&function.result, 0);
            }
        }
        for param in &instance.facts.tried {
            windows.ty(&song.consts[param.index()].ty, 0);
        }
        for line in &song.lines {
            for local in &line.code.locals[..line.code.arity] {
                windows.ty(&local.ty, 0);
            }
        }
        walk::song(&mut windows, song);
        windows
    }

    fn ty(&mut self, ty: &Ty, depth: u32) {
        let deeper = depth + 1;
        if depth > 100 {
            return;
        }
        match ty {
            Ty::Int => self.int = true,
            Ty::Nat => self.nat = true,
            Ty::Bool | Ty::Process | Ty::Sort(_) => {}
            Ty::Enum(id) => {
                let variants = &self.song.enums[id.index()].variants;
                variants
                    .iter()
                    .flat_map(|v| &v.fields)
                    .for_each(|ty| self.ty(ty, deeper));
            }
            Ty::Struct(id) => {
                let fields = &self.song.structs[id.index()].fields;
                fields.iter().for_each(|(_, ty)| self.ty(ty, deeper));
            }
            Ty::Tuple(types) => types.iter().for_each(|ty| self.ty(ty, deeper)),
            Ty::Option(ty) | Ty::Set(ty) => self.ty(ty, deeper),
            Ty::Bag(ty) | Ty::Seq(ty) => {
                self.length = true;
                self.ty(ty, deeper);
            }
            Ty::Map(key, value) => {
                self.ty(key, deeper);
                self.ty(value, deeper);
            }
        }
    }
}

impl Visit for Windows<'_> {
    fn choice(&mut self, choice: &Choice) {
        if let Domain::Type(ty) = &choice.domain {
            self.ty(ty, 0);
        }
        walk::choice(self, choice);
    }
}
