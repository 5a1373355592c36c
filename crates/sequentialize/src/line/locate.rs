//! Expressions of a process as expressions of the line: every variable says whose it is.

use super::Teller;
use crate::process_code::Var;
use crate::value::{Comp, Role};
use plainsong_ir::build::expr;
use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{
    Expr, ExprKind, FamilyId, LocalId, Place, Root, SortId, StartValue, StateVar, Stmt, Ty,
};
use std::collections::BTreeMap;

/// The identity of a family's member, in its own initialisers.
pub(super) fn own_pid(family: FamilyId, sort: Option<SortId>) -> ExprKind {
    let index = sort.map(|sort| expr(ExprKind::Local(LocalId(0)), Ty::Sort(sort)));
    ExprKind::Pid(family, index.into_iter().collect())
}

/// A state variable's first value, for an endpoint.
pub(super) fn start(var: &mut StateVar, family: FamilyId) {
    struct Own(FamilyId, Option<SortId>);
    impl VisitMut for Own {
        fn expr(&mut self, expr: &mut Expr) {
            if expr.kind == ExprKind::SelfPid {
                expr.kind = own_pid(self.0, self.1);
            }
            walk_mut::expr(self, expr);
        }
    }
    let sort = var.locals.first().and_then(|local| match local.ty {
        Ty::Sort(sort) => Some(sort),
        _ => None,
    });
    if let StartValue::Value(value) = &mut var.start {
        Own(family, sort).expr(value);
    }
}

impl Teller<'_, '_> {
    /// An expression of a component. `named` says which names of loops stand for which member.
    pub(super) fn located(
        &mut self,
        comp: Comp,
        expr: &Expr,
        named: &BTreeMap<LocalId, LocalId>,
    ) -> Result<Expr, String> {
        let mut expr = expr.clone();
        let mut locate = Locate::new(self, comp, named);
        locate.expr(&mut expr);
        locate.wrong.map_or(Ok(expr), Err)
    }

    /// What a component assigns.
    pub(super) fn located_place(&mut self, comp: Comp, place: &Place) -> Result<Place, String> {
        let mut place = place.clone();
        let named = BTreeMap::new();
        let mut locate = Locate::new(self, comp, &named);
        locate.place(&mut place);
        locate.wrong.map_or(Ok(place), Err)
    }

    /// A statement that does not communicate.
    pub(super) fn located_stmt(&mut self, comp: Comp, stmt: &Stmt) -> Result<Stmt, String> {
        let mut stmt = stmt.clone();
        let named = BTreeMap::new();
        let mut locate = Locate::new(self, comp, &named);
        locate.stmt(&mut stmt);
        locate.wrong.map_or(Ok(stmt), Err)
    }

    /// A whole variable of a component.
    pub(super) fn whole(&mut self, comp: Comp, var: Var) -> Result<Root, String> {
        let index = self.index(comp)?;
        let id = self.var(comp.family, var);
        Ok(Root::Of(self.endpoints[&comp.family], index, id))
    }
}

struct Locate<'t, 'e, 'a> {
    teller: &'t mut Teller<'e, 'a>,
    comp: Comp,
    named: &'t BTreeMap<LocalId, LocalId>,
    /// Names bound inside.
    bound: BTreeMap<LocalId, LocalId>,
    wrong: Option<String>,
}

impl<'t, 'e, 'a> Locate<'t, 'e, 'a> {
    fn new(
        teller: &'t mut Teller<'e, 'a>,
        comp: Comp,
        named: &'t BTreeMap<LocalId, LocalId>,
    ) -> Self {
        Locate {
            teller,
            comp,
            named,
            bound: BTreeMap::new(),
            wrong: None,
        }
    }

    fn local(&mut self, local: LocalId) -> Result<ExprKind, String> {
        if let Some(name) = self.bound.get(&local).or_else(|| self.named.get(&local)) {
            return Ok(ExprKind::Local(*name));
        }
        let family = self.comp.family;
        if local.index() == 0 && self.comp.role != Role::Single {
            let index = self.teller.index(self.comp)?;
            return Ok(index
                .into_iter()
                .next()
                .map_or(ExprKind::None, |one| one.kind));
        }
        if let Some(name) = self.teller.loops.get(&(family, local)) {
            return Ok(ExprKind::Local(*name));
        }
        if self.teller.is_loop_name(family, local) {
            let name = &self.teller.engine.locals(family)[local.index()].name;
            return Err(format!(
                "the name `{name}` of a loop is used where the line has none for it; let an invariant speak of \
                 variables instead"
            ));
        }
        self.variable(Var::Local(local))
    }

    fn variable(&mut self, var: Var) -> Result<ExprKind, String> {
        let index = self.teller.index(self.comp)?;
        let family = self.comp.family;
        let id = self.teller.var(family, var);
        Ok(ExprKind::Of(self.teller.endpoints[&family], index, id))
    }

    fn replace(&mut self, expr: &mut Expr) -> Result<bool, String> {
        expr.kind = match &expr.kind {
            ExprKind::Local(local) => self.local(*local)?,
            ExprKind::Own(var) => self.variable(Var::Own(*var))?,
            ExprKind::SelfPid => {
                let index = self.teller.index(self.comp)?;
                ExprKind::Pid(self.comp.family, index)
            }
            _ => return Ok(false),
        };
        Ok(true)
    }
}

impl VisitMut for Locate<'_, '_, '_> {
    fn expr(&mut self, expr: &mut Expr) {
        match self.replace(expr) {
            Ok(true) => {}
            Ok(false) => walk_mut::expr(self, expr),
            Err(why) => self.wrong = Some(why),
        }
    }

    fn place(&mut self, place: &mut Place) {
        let var = match &place.root {
            Root::Local(local) => Var::Local(*local),
            Root::Own(var) => Var::Own(*var),
            Root::Of(..) | Root::Global(_) => return,
        };
        match self.teller.whole(self.comp, var) {
            Ok(root) => place.root = root,
            Err(why) => self.wrong = Some(why),
        }
        let mut path = std::mem::take(&mut place.path);
        for access in &mut path {
            if let plainsong_ir::Access::Index(key) = access {
                self.expr(key);
            }
        }
        place.path = path;
    }

    fn binds(&mut self, local: &mut LocalId) {
        let row = &self.teller.engine.locals(self.comp.family)[local.index()];
        let name = self.teller.name(&row.name, row.ty.clone());
        self.bound.insert(*local, name);
        *local = name;
    }
}
