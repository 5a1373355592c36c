//! Scalar replacement of aggregates: templates are read off a program whose structs and tuples are variables of their own.
//!
//! A variable of a struct or tuple gets a variable for each part, beside itself. Reading a part is reading that variable, assigning a
//! part is assigning it, and assigning the whole is assigning each part. So `sums.ayes += 1` is read like `ayes += 1`. Candidates
//! are written with parts again before they are tried ([`Fields::joined`]).
//!
//! What comes of it are guesses: Houdini discharges each of them, or drops it. So it does not matter that parts are assigned one after
//! the other, where the program assigns them at once.

use plainsong_ir::build::{self, stmt};
use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{
    Access, Block, Expr, ExprKind, FamilyId, Place, Root, Song, StartValue, StateVar, StmtKind, Ty,
    VarId,
};
use std::collections::BTreeMap;

/// Which variable holds which part of another one.
#[derive(Default)]
pub(super) struct Fields {
    /// The parts of a variable, in order.
    parts: BTreeMap<(FamilyId, VarId), Vec<VarId>>,
    /// Of what a variable is which part.
    origins: BTreeMap<(FamilyId, VarId), (VarId, usize)>,
}

impl Fields {
    /// A song with variables for parts, and a body that uses them.
    pub(super) fn split(song: &Song, body: &Block) -> (Fields, Song, Block) {
        let (mut song, mut body) = (song.clone(), body.clone());
        let mut fields = Fields::default();
        for number in 0..song.families.len() {
            let family = FamilyId::from(number);
            let mut at = 0;
            // Parts may have parts.
            while let Some(whole) = song.families[number].vars.get(at) {
                for (part, row) in parts_of(&song, whole).into_iter().enumerate() {
                    let vars = &mut song.families[number].vars;
                    let new = VarId::from(vars.len());
                    vars.push(row);
                    let whole = VarId::from(at);
                    fields.parts.entry((family, whole)).or_default().push(new);
                    fields.origins.insert((family, new), (whole, part));
                }
                at += 1;
            }
        }
        Split(&song, &fields).block(&mut body);
        (fields, song, body)
    }

    /// What is said of variables for parts as what it says of the parts.
    pub(super) fn joined(&self, song: &Song, candidate: &mut Expr) {
        Join(song, self).expr(candidate);
    }
}

/// The parts of a variable as variables. Where the whole is chosen at the start, so they are: nothing is read off that.
fn parts_of(song: &Song, whole: &StateVar) -> Vec<StateVar> {
    let named: Vec<(String, Ty)> = match &whole.ty {
        Ty::Struct(id) => song.structs[id.index()].fields.clone(),
        Ty::Tuple(parts) => {
            let parts = parts.iter().enumerate();
            parts.map(|(at, ty)| (at.to_string(), ty.clone())).collect()
        }
        _ => Vec::new(),
    };
    let mut rows = Vec::new();
    for (at, (name, ty)) in named.into_iter().enumerate() {
        let mut row = whole.clone();
        row.name = format!("{}.{name}", whole.name);
        if let StartValue::Value(value) = &whole.start {
            row.start = StartValue::Value(part(value, at, &ty));
        }
        row.ty = ty;
        rows.push(row);
    }
    rows
}

/// A part of a value, by its position.
fn part(value: &Expr, at: usize, ty: &Ty) -> Expr {
    let kind = match &value.kind {
        ExprKind::Struct(_, parts) | ExprKind::Tuple(parts) => return parts[at].clone(),
        ExprKind::Update(of, parts) => {
            return match parts.iter().find(|(part, _)| *part == at) {
                Some((_, value)) => value.clone(),
                None => part(of, at, ty),
            };
        }
        ExprKind::If(condition, yes, no) => {
            let (yes, no) = (part(yes, at, ty), part(no, at, ty));
            ExprKind::If(condition.clone(), Box::new(yes), Box::new(no))
        }
        _ if matches!(value.ty, Ty::Tuple(_)) => ExprKind::Project(Box::new(value.clone()), at),
        _ => ExprKind::Field(Box::new(value.clone()), at),
    };
    build::expr(kind, ty.clone())
}

/// Variables of parts in the place of parts.
struct Split<'a>(&'a Song, &'a Fields);

impl VisitMut for Split<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut one in std::mem::take(block) {
            match one.kind {
                StmtKind::Assign(place, value) => self.assigned(place, value, block),
                _ => {
                    self.stmt(&mut one);
                    block.push(one);
                }
            }
        }
    }

    fn place(&mut self, place: &mut Place) {
        while let (Root::Of(family, _, var), Some(Access::Field(at) | Access::Project(at))) =
            (&mut place.root, place.path.first())
            && let Some(parts) = self.1.parts.get(&(*family, *var))
        {
            *var = parts[*at];
            place.path.remove(0);
        }
        walk_mut::place(self, place);
    }

    fn expr(&mut self, expr: &mut Expr) {
        walk_mut::expr(self, expr);
        if let ExprKind::Field(whole, at) | ExprKind::Project(whole, at) = &expr.kind
            && let ExprKind::Of(family, index, var) = &whole.kind
            && let Some(parts) = self.1.parts.get(&(*family, *var))
        {
            expr.kind = ExprKind::Of(*family, index.clone(), parts[*at]);
        }
    }
}

impl Split<'_> {
    /// An assignment as those of the parts.
    fn assigned(&mut self, mut place: Place, mut value: Expr, block: &mut Block) {
        self.place(&mut place);
        self.expr(&mut value);
        let whole = match &place.root {
            Root::Of(family, index, var) if place.path.is_empty() => Some((*family, index, *var)),
            _ => None,
        };
        let parts = whole.and_then(|(family, _, var)| self.1.parts.get(&(family, var)));
        let (Some((family, index, _)), Some(parts)) = (whole, parts) else {
            block.push(stmt(StmtKind::Assign(place, value)));
            return;
        };
        for (at, var) in parts.iter().enumerate() {
            let ty = &self.0.families[family.index()].vars[var.index()].ty;
            let mut new = part(&value, at, ty);
            self.expr(&mut new);
            if new.kind != ExprKind::Of(family, index.clone(), *var) {
                let mut place = place.clone();
                place.root = Root::Of(family, index.clone(), *var);
                self.assigned(place, new, block);
            }
        }
    }
}

/// Parts in the place of variables for parts.
struct Join<'a>(&'a Song, &'a Fields);

impl VisitMut for Join<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Of(family, index, var) = &expr.kind
            && let Some((whole, at)) = self.1.origins.get(&(*family, *var))
        {
            let ty = &self.0.families[family.index()].vars[whole.index()].ty;
            let whole = build::expr(ExprKind::Of(*family, index.clone(), *whole), ty.clone());
            *expr = part(&whole, *at, &expr.ty);
        }
        walk_mut::expr(self, expr);
    }
}
