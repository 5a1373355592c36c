//! Patterns that cover a type, each arm reachable.

use super::composer::Composer;
use plainsong_ir::{Pattern, PatternKind, Ty};

impl Composer {
    /// Patterns that together cover a type; nothing is named yet.
    pub(super) fn cover(&mut self, ty: &Ty, depth: usize) -> Vec<Pattern> {
        if depth == 0 || self.dice.once_in(4) {
            return vec![wild()];
        }
        let mut arms = match ty {
            Ty::Bool => {
                let first = self.dice.once_in(2);
                vec![
                    pattern(PatternKind::Bool(first)),
                    pattern(PatternKind::Bool(!first)),
                ]
            }
            Ty::Int | Ty::Nat => self.numbers_and_rest(ty),
            Ty::Sort(_) if plainsong_ir::finite::is_number(&self.song, ty) => {
                self.numbers_and_rest(ty)
            }
            Ty::Option(inner) => {
                let mut arms = vec![pattern(PatternKind::None)];
                let inner = self.cover(inner, depth - 1);
                arms.extend(
                    inner
                        .into_iter()
                        .map(|p| pattern(PatternKind::Some(Box::new(p)))),
                );
                arms
            }
            Ty::Tuple(parts) => self.split_first(parts, depth, PatternKind::Tuple),
            Ty::Struct(id) => {
                let fields = &self.song.structs[id.index()].fields;
                let types: Vec<Ty> = fields.iter().map(|(_, field)| field.clone()).collect();
                let id = *id;
                self.split_first(&types, depth, move |parts| PatternKind::Struct(id, parts))
            }
            Ty::Enum(id) => {
                let variants = self.song.enums[id.index()].variants.clone();
                let mut arms = Vec::new();
                for (at, variant) in variants.iter().enumerate() {
                    let id = *id;
                    let wrap = move |parts| PatternKind::Variant(id, at, parts);
                    arms.extend(self.split_first(&variant.fields, depth, wrap));
                }
                arms
            }
            Ty::Process => {
                let mut arms = Vec::new();
                for family in self.processes.clone() {
                    let index = self.song.families[family.index()].index.len();
                    arms.push(pattern(PatternKind::Pid(family, vec![wild(); index])));
                }
                arms
            }
            _ => vec![wild()],
        };
        if arms.len() > 2 && self.dice.once_in(3) {
            // The rest under one arm.
            arms.truncate(self.dice.between(1, arms.len() - 1));
            arms.push(wild());
        }
        arms
    }

    fn numbers_and_rest(&mut self, ty: &Ty) -> Vec<Pattern> {
        let mut arms: Vec<Pattern> = Vec::new();
        for _ in 0..self.dice.between(1, 2) {
            let mut value = self.dice.below(6) as i64;
            if *ty == Ty::Int && self.dice.once_in(3) {
                value = -1 - value;
            }
            let arm = pattern(PatternKind::Int(value));
            if !arms.contains(&arm) {
                arms.push(arm);
            }
        }
        arms.push(wild());
        arms
    }

    /// Splits the first part and leaves the others whole.
    fn split_first(
        &mut self,
        parts: &[Ty],
        depth: usize,
        wrap: impl Fn(Vec<Pattern>) -> PatternKind,
    ) -> Vec<Pattern> {
        let Some((first, rest)) = parts.split_first() else {
            return vec![pattern(wrap(Vec::new()))];
        };
        let arms = self.cover(first, depth - 1);
        let arms = arms.into_iter().map(|first| {
            let mut parts = vec![first];
            parts.extend(rest.iter().map(|_| wild()));
            pattern(wrap(parts))
        });
        arms.collect()
    }

    /// Gives names to some of the parts that accept anything.
    pub(super) fn name_parts(&mut self, shape: Pattern, ty: &Ty) -> Pattern {
        let kind = match (shape.kind, ty) {
            (PatternKind::Wild, _) if self.dice.once_in(2) => {
                PatternKind::Bind(self.bind_fresh(ty.clone()))
            }
            (PatternKind::Some(inner), Ty::Option(part)) => {
                PatternKind::Some(Box::new(self.name_parts(*inner, part)))
            }
            (PatternKind::Tuple(parts), Ty::Tuple(types)) => {
                PatternKind::Tuple(self.name_each(parts, types))
            }
            (PatternKind::Variant(id, at, parts), _) => {
                let types = self.song.enums[id.index()].variants[at].fields.clone();
                PatternKind::Variant(id, at, self.name_each(parts, &types))
            }
            (PatternKind::Struct(id, parts), _) => {
                let fields = &self.song.structs[id.index()].fields;
                let types: Vec<Ty> = fields.iter().map(|(_, field)| field.clone()).collect();
                PatternKind::Struct(id, self.name_each(parts, &types))
            }
            (PatternKind::Pid(family, parts), _) => {
                let index = &self.song.families[family.index()].index;
                let types: Vec<Ty> = index.iter().map(|row| row.ty.clone()).collect();
                PatternKind::Pid(family, self.name_each(parts, &types))
            }
            (kind, _) => kind,
        };
        pattern(kind)
    }

    fn name_each(&mut self, parts: Vec<Pattern>, types: &[Ty]) -> Vec<Pattern> {
        let parts = parts.into_iter().zip(types);
        parts.map(|(part, ty)| self.name_parts(part, ty)).collect()
    }
}

fn pattern(kind: PatternKind) -> Pattern {
    Pattern {
        kind,
        span: Default::default(),
    }
}

fn wild() -> Pattern {
    pattern(PatternKind::Wild)
}
