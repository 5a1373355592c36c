//! Variables, parameters and constants: what expressions end in, and what can be assigned.

use super::composer::Composer;
use super::normal::{self, expr};
use plainsong_ir::{Access, Expr, ExprKind, FamilyId, GlobalId, Root, Ty, VarId};

impl Composer {
    /// Indices for a member of a family.
    pub(super) fn index(&mut self, family: FamilyId, depth: usize) -> Vec<Expr> {
        let types = self.song.families[family.index()]
            .index
            .iter()
            .map(|row| row.ty.clone());
        let types: Vec<Ty> = types.collect();
        self.checks(&types, depth)
    }

    /// A variable, parameter or constant of this type.
    pub(super) fn leaf(&mut self, ty: &Ty) -> Option<Expr> {
        let mut found: Vec<Expr> = Vec::new();
        for local in &self.scope.visible {
            if self.scope.locals[local.index()].ty == *ty && !self.is_hidden(&Root::Local(*local)) {
                found.push(expr(ExprKind::Local(*local), ty.clone()));
            }
        }
        if let Some((family, known)) = self.scope.own {
            let vars = self.song.families[family.index()]
                .vars
                .iter()
                .take(known)
                .enumerate();
            for (at, var) in vars {
                let id = VarId::from(at);
                if var.ty == *ty && !self.is_hidden(&Root::Own(id)) {
                    found.push(expr(ExprKind::Own(id), ty.clone()));
                }
            }
        }
        if let Some(actions) = self.song.actions() {
            for (at, global) in actions.globals.iter().take(self.scope.globals).enumerate() {
                let id = GlobalId::from(at);
                if global.ty == *ty && !self.is_hidden(&Root::Global(id)) {
                    found.push(expr(ExprKind::Global(id), ty.clone()));
                }
            }
        }
        if found.is_empty() || self.dice.once_in(4) {
            found.extend(self.constants(ty));
        }
        let of = self.variables_of_endpoints(ty);
        match self.dice.below(found.len() + of.len() + 1) {
            at if at < found.len() => Some(found[at].clone()),
            at if at < found.len() + of.len() => {
                let (family, var) = of[at - found.len()];
                // Indices do not name variables of endpoints in turn: that might not end.
                let endpoints = std::mem::take(&mut self.scope.endpoints);
                let index = self.index(family, 0);
                self.scope.endpoints = endpoints;
                Some(expr(ExprKind::Of(family, index, var), ty.clone()))
            }
            _ => found.into_iter().next(),
        }
    }

    /// The constants and parameters of this type.
    pub(super) fn constants(&self, ty: &Ty) -> Vec<Expr> {
        let consts = (0..self.song.consts.len()).map(|at| normal::constant(&self.song, at.into()));
        consts.filter(|constant| constant.ty == *ty).collect()
    }

    fn variables_of_endpoints(&self, ty: &Ty) -> Vec<(FamilyId, VarId)> {
        let mut found = Vec::new();
        for family in &self.scope.endpoints {
            let vars = self.song.families[family.index()].vars.iter().enumerate();
            let fitting = vars.filter(|(_, var)| var.ty == *ty);
            found.extend(fitting.map(|(at, _)| (*family, VarId::from(at))));
        }
        found
    }

    fn is_hidden(&self, root: &Root) -> bool {
        self.scope.hidden.as_ref() == Some(root)
    }

    /// A part of a variable, as a way to it.
    pub(super) fn path(&mut self, ty: Ty) -> (Vec<Access>, Ty) {
        let mut path = Vec::new();
        let mut ty = ty;
        while path.len() < 2 && self.dice.once_in(2) {
            let access = match &ty {
                Ty::Struct(id) => {
                    Access::Field(self.dice.below(self.song.structs[id.index()].fields.len()))
                }
                Ty::Tuple(parts) => Access::Project(self.dice.below(parts.len())),
                Ty::Map(key, _) => {
                    let key = (**key).clone();
                    Access::Index(self.check(&key, 1))
                }
                Ty::Seq(_) => Access::Index(self.check(&Ty::Int, 1)),
                _ => break,
            };
            let Some(part) = access.part_ty(&self.song, &ty) else {
                break;
            };
            path.push(access);
            ty = part;
        }
        (path, ty)
    }
}
