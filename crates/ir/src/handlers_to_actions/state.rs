//! State variables of processes as global maps, with their first values.

use super::code::CodeRewriter;
use super::{ActionBuilder, at, both, local};
use crate::build::{binary, global};
use crate::visit::{VisitMut, replace, walk_mut};
use crate::{
    BinOp, Binding, Choice, Domain, Expr, ExprKind, FamilyId, Global, Local, LocalId, Quantifier,
    StartValue, StateVar, Ty, VarId,
};

impl ActionBuilder<'_> {
    /// The type of the global that holds a state variable of type `ty`.
    pub(super) fn global_ty(&self, family: FamilyId, ty: &Ty) -> Ty {
        let indices = self.indices(family).iter().rev();
        indices.fold(ty.clone(), |ty, index| {
            Ty::Map(Box::new(index.ty.clone()), Box::new(ty))
        })
    }

    pub(super) fn globals(&self) -> Vec<Global> {
        let mut globals = Vec::new();
        for process in &self.voices.processes {
            for var in self.vars(process.family) {
                globals.push(self.variable(process.family, var));
            }
        }
        globals
    }

    fn variable(&self, family: FamilyId, var: &StateVar) -> Global {
        let count = self.indices(family).len();
        let mut locals = var.locals.clone();
        let own: Vec<Expr> = (0..count).map(|at| local(&locals, at, var.span)).collect();
        let mut inside = CodeRewriter {
            member: Some((family, own)),
            ..CodeRewriter::of_init(self)
        };
        let start = match &var.start {
            StartValue::Value(value) => {
                let mut value = value.clone();
                inside.expr(&mut value);
                StartValue::Value(self.for_each_member(family, value))
            }
            StartValue::Choice(choice) if count == 0 => {
                let mut choice = choice.clone();
                walk_mut::choice(&mut inside, &mut choice);
                StartValue::Choice(choice)
            }
            StartValue::Choice(choice) => {
                let mut choice = choice.clone();
                walk_mut::choice(&mut inside, &mut choice);
                StartValue::Choice(self.choice_of_all(family, &choice, &mut locals, var))
            }
        };
        let name = &self.song.families[family.index()].name;
        Global {
            name: format!("{name}.{}", var.name),
            ty: self.global_ty(family, &var.ty),
            start,
            locals,
            linear: false,
            share: None,
            layers: None,
            span: var.span,
        }
    }

    /// What an expression of a variable of a member is: an entry of the global map.
    pub(super) fn entry(&self, family: FamilyId, var: VarId, indices: &[Expr], own: &Expr) -> Expr {
        let ty = self.global_ty(family, &own.ty);
        let whole = global(self.global(family, var), &ty).at(own.span);
        at(whole, indices)
    }

    /// `map i: I => value`, whose name is the local of the index.
    fn for_each_member(&self, family: FamilyId, value: Expr) -> Expr {
        let indices = self.indices(family).iter().enumerate().rev();
        indices.fold(value, |value, (at, index)| {
            let span = value.span;
            let ty = Ty::Map(Box::new(index.ty.clone()), Box::new(value.ty.clone()));
            Expr {
                kind: ExprKind::MapOf(LocalId::from(at), Box::new(value)),
                ty,
                span,
            }
        })
    }

    /// One choice of a map whose entries satisfy what each member's choice asks for.
    fn choice_of_all(
        &self,
        family: FamilyId,
        choice: &Choice,
        locals: &mut Vec<Local>,
        var: &StateVar,
    ) -> Choice {
        let whole = LocalId::from(locals.len());
        let ty = self.global_ty(family, &var.ty);
        locals.push(Local {
            name: var.name.clone(),
            ty: ty.clone(),
            mutable: false,
            span: var.span,
        });
        let own: Vec<Expr> = (0..self.indices(family).len())
            .map(|at| local(locals, at, var.span))
            .collect();
        let entry = at(local(locals, whole.index(), var.span), &own);
        let mut parts = Vec::new();
        if let Domain::In(set) = &choice.domain {
            parts.push(binary(BinOp::In, entry.clone(), set.clone()).at(var.span));
        }
        if let Some(filter) = &choice.filter {
            let mut filter = filter.clone();
            replace(&mut filter, |expr| {
                (expr.kind == ExprKind::Local(choice.local)).then(|| entry.clone())
            });
            parts.push(filter);
        }
        let filter = parts.into_iter().reduce(both).map(|filter| {
            let rows = self.indices(family).iter().enumerate();
            let bindings = rows.map(|(at, index)| Binding {
                names: vec![LocalId::from(at)],
                domain: Domain::Type(index.ty.clone()),
                filter: None,
            });
            let span = filter.span;
            Expr {
                kind: ExprKind::Quantifier(
                    Quantifier::Forall,
                    bindings.collect(),
                    Box::new(filter),
                ),
                ty: Ty::Bool,
                span,
            }
        });
        Choice {
            local: whole,
            domain: Domain::Type(ty),
            filter,
        }
    }
}
