//! Bringing what an expression reads to one endpoint.
//!
//! The largest parts that one other endpoint can evaluate alone are sent whole; a part that can
//! fail is sent as the variables in it, so that nothing is evaluated that the line would not
//! evaluate (`a.ok && b.list.first() > 0`). A variable of a member that a bound name selects
//! (`forall s: Server :: server[s].vote`) is gathered from every member, into a map.

use super::{Locate, core};
use crate::core::{Core, CoreKind, Gather, Item};
use crate::owner::{Owner, Reads};
use crate::terms::{expr, is_total, local, unwrap};
use plainsong_ir::visit::{VisitMut, free_locals, walk_mut};
use plainsong_ir::{BinOp, Expr, ExprKind, FamilyId, LocalId, Ty, VarId};
use std::collections::BTreeSet;

impl Locate<'_> {
    /// `value` in terms of what `to` has once `items` have arrived; gathering is added to `out`.
    pub(super) fn fetch(
        &mut self,
        value: &Expr,
        to: &Owner,
        items: &mut Vec<Item>,
        out: &mut Vec<Core>,
    ) -> Expr {
        self.fetch_under(BTreeSet::new(), value, to, items, out)
    }

    /// The same, where some names are bound at `to` alone, as the candidate of a choice is: nobody else can evaluate
    /// what mentions them.
    pub(super) fn fetch_under(
        &mut self,
        bound: BTreeSet<LocalId>,
        value: &Expr,
        to: &Owner,
        items: &mut Vec<Item>,
        out: &mut Vec<Core>,
    ) -> Expr {
        let reads = Reads::of([value], &self.located);
        if !reads.others(to).is_empty() || reads.gathers {
            self.calls_brought(value, &bound);
        }
        let mut value = value.clone();
        Fetch {
            locate: self,
            to,
            items,
            out,
            bound,
            gathered: Vec::new(),
            is_lazy: false,
        }
        .expr(&mut value);
        value
    }
}

struct Fetch<'f, 'a> {
    locate: &'f mut Locate<'a>,
    to: &'f Owner,
    items: &'f mut Vec<Item>,
    out: &'f mut Vec<Core>,
    bound: BTreeSet<LocalId>,
    gathered: Vec<(FamilyId, VarId, LocalId)>,
    /// May the line not come to what is looked at, although it comes to the whole?
    is_lazy: bool,
}

impl VisitMut for Fetch<'_, '_> {
    fn expr(&mut self, of: &mut Expr) {
        let reads = Reads::of([&*of], &self.locate.located);
        if reads.others(self.to).is_empty() && !reads.gathers {
            return;
        }
        if let ExprKind::Of(family, index, var) = &of.kind {
            let owner = Owner::new(*family, index);
            if !owner.locals().is_disjoint(&self.bound) {
                *of = self.gather(*family, index.clone(), *var, &of.ty);
                return;
            }
        }
        let is_leaf = matches!(of.kind, ExprKind::Of(..) | ExprKind::Local(_));
        if let [owner] = &reads.owners[..]
            && !reads.gathers
            && (is_leaf || is_total(of) || self.locate.is_call_out(of))
            && free_locals(of).is_disjoint(&self.bound)
        {
            if self.is_lazy && self.locate.is_call_out(of) {
                self.locate.is_not_always_made(owner, of.span);
            }
            *of = self.item(owner, of);
            return;
        }
        if self.locate.is_call_out(of) {
            // Of one endpoint, but with a name that it does not know; the others are reported.
            if let ([owner], false) = (&reads.owners[..], reads.gathers) {
                self.locate.is_not_always_made(owner, of.span);
            }
            return;
        }
        self.parts(of);
    }

    fn binds(&mut self, local: &mut LocalId) {
        self.bound.insert(*local);
    }
}

impl Fetch<'_, '_> {
    /// The parts of an expression; those are lazy that are not evaluated whenever it is.
    fn parts(&mut self, of: &mut Expr) {
        let was_lazy = self.is_lazy;
        match &mut of.kind {
            ExprKind::Binary(BinOp::And | BinOp::Or | BinOp::Implies, first, second) => {
                self.expr(first);
                self.is_lazy = true;
                self.expr(second);
            }
            ExprKind::If(condition, then, otherwise) => {
                self.expr(condition);
                self.is_lazy = true;
                self.expr(then);
                self.expr(otherwise);
            }
            ExprKind::Match(scrutinee, arms) => {
                self.expr(scrutinee);
                self.is_lazy = true;
                for (pattern, value) in arms {
                    self.pattern(pattern);
                    self.expr(value);
                }
            }
            ExprKind::Quantifier(..) | ExprKind::Comprehension(..) | ExprKind::MapOf(..) => {
                self.is_lazy = true;
                walk_mut::expr(self, of);
            }
            _ => walk_mut::expr(self, of),
        }
        self.is_lazy = was_lazy;
    }

    fn item(&mut self, owner: &Owner, value: &Expr) -> Expr {
        let same = |item: &&Item| item.from == *owner && item.value == *value;
        if let Some(item) = self.items.iter().find(same) {
            return local(item.local, &value.ty);
        }
        let name = self.name(value);
        let item = self.locate.item(owner, value.clone(), &name);
        let new = local(item.local, &value.ty);
        self.items.push(item);
        new
    }

    fn name(&self, value: &Expr) -> String {
        let read = plainsong_ir::visit::endpoints_read(value);
        let song = self.locate.song;
        let name = read
            .first()
            .map(|(family, _, var)| song.families[family.index()].vars[var.index()].name.clone());
        name.unwrap_or_else(|| "value".to_owned())
    }

    /// The variable of the member with these indices, out of the map that all of them went into.
    fn gather(&mut self, family: FamilyId, index: Vec<Expr>, var: VarId, ty: &Ty) -> Expr {
        let known = self.gathered.iter();
        let known = known
            .filter(|(f, v, _)| (*f, *v) == (family, var))
            .map(|row| row.2)
            .next();
        let map = known.unwrap_or_else(|| self.gather_all(family, var, ty));
        self.gathered.push((family, var, map));
        let map_ty = self.locate.locals[map.index()].ty.clone();
        let Ty::Map(_, value_ty) = &map_ty else {
            unreachable!("values are gathered into a map");
        };
        let whole = Box::new(local(map, &map_ty));
        let found = expr(
            ExprKind::Index(whole, Box::new(key(index))),
            (**value_ty).clone(),
            Default::default(),
        );
        match **value_ty == *ty {
            true => found,
            false => unwrap(found, ty.clone()),
        }
    }

    fn gather_all(&mut self, family: FamilyId, var: VarId, ty: &Ty) -> LocalId {
        let decl = &self.locate.song.families[family.index()];
        let name = decl.vars[var.index()].name.clone();
        let binders = decl.index.clone();
        let keys: Vec<LocalId> = binders
            .iter()
            .map(|binder| self.locate.fresh(&binder.name, &binder.ty))
            .collect();
        let index: Vec<Expr> = keys
            .iter()
            .zip(&binders)
            .map(|(id, binder)| local(*id, &binder.ty))
            .collect();
        let has_default =
            crate::terms::default_of(self.locate.song, ty, &mut |_, _| LocalId(0)).is_some();
        let stored = match has_default {
            true => ty.clone(),
            false => Ty::Option(Box::new(ty.clone())),
        };
        let map_ty = Ty::Map(Box::new(key(index.clone()).ty), Box::new(stored));
        let map = self.locate.fresh(&format!("all_{name}"), &map_ty);
        let from = Owner::new(family, &index);
        let value = expr(
            ExprKind::Of(family, index, var),
            ty.clone(),
            Default::default(),
        );
        let local = self.locate.fresh(&format!("one_{name}"), ty);
        let message = self.locate.message(&name, ty);
        let gather = Gather {
            to: self.to.clone(),
            keys,
            from,
            value,
            map,
            local,
            message,
        };
        self.out
            .push(core(CoreKind::Gather(gather), Default::default()));
        map
    }
}

/// What a map over the members of a family is indexed by.
pub(crate) fn key(mut index: Vec<Expr>) -> Expr {
    if index.len() == 1 {
        return index.remove(0);
    }
    let ty = Ty::Tuple(index.iter().map(|part| part.ty.clone()).collect());
    expr(ExprKind::Tuple(index), ty, Default::default())
}
