//! Process identities as data, for the prover.
//!
//! A value of type `process` names one process: its family and its index. That is an enum with one variant for each
//! family, so the prover needs nothing of its own for them.

use plainsong_diagnostics::Span;
use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{
    Claim, Domain, EnumDecl, EnumId, Expr, ExprKind, FamilyId, Local, Pattern, PatternKind, Song,
    StartValue, Stmt, StmtKind, Ty, Variant,
};

/// The song with identities as data in its last choreography, its endpoints and its properties. Its processes are
/// no longer to be run.
pub fn as_data(mut song: Song) -> Song {
    let Some(voices) = song.voices() else {
        return song;
    };
    let families: Vec<FamilyId> = voices.processes.iter().map(|one| one.family).collect();
    let mut data = Data {
        pid: EnumId::from(song.enums.len()),
        families,
    };
    let variants = data.families.iter().map(|family| {
        let family = &song.families[family.index()];
        Variant {
            name: family.name.clone(),
            fields: family.index.iter().map(|index| index.ty.clone()).collect(),
        }
    });
    let mut name = "Process".to_owned();
    while song.enums.iter().any(|one| one.name == name) {
        name.push('_');
    }
    let decl = EnumDecl {
        splits: None,
        name,
        variants: variants.collect(),
        span: Span::default(),
    };
    data.declarations(&mut song);
    song.enums.push(decl);
    song
}

struct Data {
    pid: EnumId,
    families: Vec<FamilyId>,
}

impl Data {
    fn declarations(&mut self, song: &mut Song) {
        for field in song.enums.iter_mut().flat_map(|one| &mut one.variants) {
            field.fields.iter_mut().for_each(|ty| self.ty(ty));
        }
        for (_, ty) in song.structs.iter_mut().flat_map(|one| &mut one.fields) {
            self.ty(ty);
        }
        for var in song.families.iter_mut().flat_map(|one| &mut one.vars) {
            self.ty(&mut var.ty);
            self.locals(&mut var.locals);
            match &mut var.start {
                StartValue::Value(value) => self.expr(value),
                StartValue::Choice(choice) => {
                    if let Domain::Type(ty) = &mut choice.domain {
                        self.ty(ty);
                    }
                    if let Domain::In(set) = &mut choice.domain {
                        self.expr(set);
                    }
                    if let Some(filter) = &mut choice.filter {
                        self.expr(filter);
                    }
                }
            }
        }
        for function in &mut song.functions {
            self.locals(&mut function.locals);
            self.ty(&mut function.result);
            function.body.iter_mut().for_each(|body| self.expr(body));
        }
        if let Some(line) = song.lines.last_mut() {
            self.locals(&mut line.code.locals);
            self.block(&mut line.code.body);
        }
        for property in &mut song.properties {
            self.locals(&mut property.locals);
            if let Claim::Finally(claim) = &mut property.claim {
                self.expr(claim);
            }
        }
    }

    fn locals(&self, locals: &mut [Local]) {
        locals.iter_mut().for_each(|local| self.ty(&mut local.ty));
    }

    fn ty(&self, ty: &mut Ty) {
        match ty {
            Ty::Process => *ty = Ty::Enum(self.pid),
            Ty::Tuple(parts) => parts.iter_mut().for_each(|part| self.ty(part)),
            Ty::Option(inner) | Ty::Set(inner) | Ty::Bag(inner) | Ty::Seq(inner) => self.ty(inner),
            Ty::Map(key, value) => {
                self.ty(key);
                self.ty(value);
            }
            Ty::Bool | Ty::Int | Ty::Nat | Ty::Sort(_) | Ty::Enum(_) | Ty::Struct(_) => {}
        }
    }

    fn variant(&self, family: FamilyId) -> Option<usize> {
        self.families.iter().position(|one| *one == family)
    }

    fn domain(&self, domain: &mut Domain) {
        if let Domain::Type(ty) = domain {
            self.ty(ty);
        }
    }
}

impl VisitMut for Data {
    fn expr(&mut self, expr: &mut Expr) {
        walk_mut::expr(self, expr);
        self.ty(&mut expr.ty);
        match &mut expr.kind {
            ExprKind::Pid(family, index) => {
                if let Some(at) = self.variant(*family) {
                    expr.kind = ExprKind::Variant(self.pid, at, std::mem::take(index));
                }
            }
            ExprKind::All(ty) => self.ty(ty),
            ExprKind::Quantifier(_, bindings, _) => {
                bindings
                    .iter_mut()
                    .for_each(|one| self.domain(&mut one.domain));
            }
            ExprKind::Comprehension(binding, _) => self.domain(&mut binding.domain),
            _ => {}
        }
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        walk_mut::stmt(self, stmt);
        match &mut stmt.kind {
            StmtKind::LetChoice(choice) | StmtKind::AssignChoice(_, choice) => {
                self.domain(&mut choice.domain);
            }
            StmtKind::For { domain, .. } => self.domain(domain),
            _ => {}
        }
    }

    fn pattern(&mut self, pattern: &mut Pattern) {
        walk_mut::pattern(self, pattern);
        if let PatternKind::Pid(family, parts) = &mut pattern.kind
            && let Some(at) = self.variant(*family)
        {
            pattern.kind = PatternKind::Variant(self.pid, at, std::mem::take(parts));
        }
    }
}
