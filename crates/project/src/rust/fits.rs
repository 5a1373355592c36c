//! Is a value that comes from outside one of its type? Numbers of a `nat` and members of a sort are plain integers in
//! Rust, so what own code returns is looked at, also inside of collections: proofs rely on types.

use super::Emit;
use super::names::snake;
use crate::names::camel;
use plainsong_ir::Ty;

impl Emit<'_> {
    /// A condition in Rust; nothing if every value of the Rust type is one. `place` is the value, or with `reference` a reference.
    pub(super) fn fits(&self, ty: &Ty, place: &str, reference: bool) -> Option<String> {
        let value = if reference {
            format!("*{place}")
        } else {
            place.to_owned()
        };
        let each = |ty: &Ty| {
            let inner = self.fits(ty, "one", true)?;
            Some(format!("{place}.iter().all(|one| {inner})"))
        };
        match ty {
            Ty::Bool | Ty::Int | Ty::Process => None,
            Ty::Nat => Some(format!("{value} >= 0")),
            Ty::Sort(id) => {
                let borrowed = if reference {
                    place.to_owned()
                } else {
                    format!("&{place}")
                };
                Some(format!(
                    "world.{}.contains({borrowed})",
                    self.sort_name(*id)
                ))
            }
            Ty::Option(inner) | Ty::Set(inner) | Ty::Bag(inner) | Ty::Seq(inner) => each(inner),
            Ty::Map(key, of) => {
                let key = self.fits(key, "key", true);
                let of = self.fits(of, "one", true);
                let (names, fit) = match (key, of) {
                    (None, None) => return None,
                    (Some(key), None) => ("(key, _)", key),
                    (None, Some(of)) => ("(_, one)", of),
                    (Some(key), Some(of)) => ("(key, one)", format!("{key} && {of}")),
                };
                Some(format!("{place}.iter().all(|{names}| {fit})"))
            }
            Ty::Tuple(parts) => {
                let parts = parts.iter().enumerate();
                joined(parts.filter_map(|(at, ty)| self.fits(ty, &format!("{place}.{at}"), false)))
            }
            Ty::Struct(id) => {
                let fields = self.song.structs[id.index()].fields.iter();
                joined(fields.filter_map(|(name, ty)| {
                    self.fits(ty, &format!("{place}.{}", snake(name)), false)
                }))
            }
            Ty::Enum(id) => self.variant_fits(id.index(), place, reference),
        }
    }

    fn variant_fits(&self, at: usize, place: &str, reference: bool) -> Option<String> {
        let decl = &self.song.enums[at];
        let name = self.type_name(&decl.name);
        let mut arms = String::new();
        for variant in &decl.variants {
            let parts = variant.fields.iter().enumerate();
            let fit = parts.map(|(at, ty)| (at, self.fits(ty, &format!("part_{at}"), true)));
            let fit: Vec<_> = fit.collect();
            let Some(condition) = joined(fit.iter().filter_map(|(_, fit)| fit.clone())) else {
                continue;
            };
            let names = fit.iter().map(|(at, fit)| match fit {
                Some(_) => format!("part_{at}"),
                None => "_".to_owned(),
            });
            let names: Vec<String> = names.collect();
            let variant = camel(&variant.name);
            arms.push_str(&format!(
                "{name}::{variant}({}) => {condition}, ",
                names.join(", ")
            ));
        }
        if arms.is_empty() {
            return None;
        }
        let matched = arms.matches("::").count();
        let rest = if matched < decl.variants.len() {
            "_ => true, "
        } else {
            ""
        };
        let borrowed = if reference {
            place.to_owned()
        } else {
            format!("&{place}")
        };
        Some(format!("match {borrowed} {{ {arms}{rest}}}"))
    }
}

fn joined(parts: impl Iterator<Item = String>) -> Option<String> {
    // A `match` is no operand of `&&` where a statement begins, so each part has parentheses.
    let parts: Vec<String> = parts.collect();
    match &parts[..] {
        [] => None,
        [one] => Some(one.clone()),
        _ => Some(
            parts
                .iter()
                .map(|one| format!("({one})"))
                .collect::<Vec<_>>()
                .join(" && "),
        ),
    }
}
