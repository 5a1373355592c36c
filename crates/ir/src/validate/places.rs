//! What is assigned, and what patterns take apart.

use super::scope::{Home, Scope};
use super::show;
use crate::finite::is_number;
use crate::visit::{Visit, any_expr, walk};
use crate::{Access, Choice, Expr, ExprKind, Pattern, PatternKind, Place, Root, Ty};
use plainsong_diagnostics::Span;

impl Scope<'_, '_> {
    /// Can this be assigned here, and is there such a part?
    pub(super) fn check_place(&mut self, place: &Place) {
        let allowed = match &place.root {
            Root::Local(local) => {
                self.use_local(*local);
                self.locals
                    .get(local.index())
                    .is_some_and(|row| row.mutable)
            }
            Root::Own(_) => matches!(self.home, Home::Body | Home::Handler),
            Root::Of(family, index, _) => {
                walk::exprs(self, index);
                let result = self.known().index(*family, index);
                self.expect(place.span, result);
                match self.home {
                    Home::Line(at) => self.song.lines[at].endpoints.contains(family),
                    _ => false,
                }
            }
            Root::Global(_) => matches!(self.home, Home::Action | Home::Procedure),
        };
        if !allowed {
            self.wrong(place.span, "this cannot be assigned here");
        }
        self.check_path(place);
    }

    fn check_path(&mut self, place: &Place) {
        let mut ty = place.root.ty(self.song, self.locals, self.family).cloned();
        for access in &place.path {
            if let Access::Index(key) = access {
                self.expr(key);
                let wanted = match &ty {
                    Some(Ty::Map(wanted, _)) => Some((**wanted).clone()),
                    Some(Ty::Seq(_)) => Some(Ty::Int),
                    _ => None,
                };
                if let Some(wanted) = wanted {
                    let result = self.known().want(key, &wanted);
                    self.expect(key.span, result);
                }
            }
            ty = ty.and_then(|ty| access.part_ty(self.song, &ty));
        }
        if ty.is_none() {
            self.wrong(place.span, "there is no such part");
        }
    }

    /// `place = choose …`: the candidate has the name of the variable and hides it.
    pub(super) fn assign_choice(&mut self, place: &Place, choice: &Choice, span: Span) {
        self.place(place);
        self.scoped(|scope| {
            scope.choice(choice);
            if scope
                .locals
                .get(choice.local.index())
                .is_some_and(|row| row.mutable)
            {
                scope.wrong(span, "a candidate is not assigned");
            }
        });
        let name = place.root.name(self.song, self.locals, self.family);
        let ty = place.ty(self.song, self.locals, self.family);
        self.candidate(choice, name, ty.as_ref(), span);
        if choice
            .filter
            .as_ref()
            .is_some_and(|filter| reads(filter, &place.root))
        {
            self.wrong(
                span,
                "the condition of a choice cannot read what is assigned",
            );
        }
    }

    /// Does a pattern fit a type? Its names are bound from here on.
    pub(super) fn check_pattern(&mut self, pattern: &Pattern, ty: &Ty) {
        let song = self.song;
        match (&pattern.kind, ty) {
            (PatternKind::Wild, _) => {}
            (PatternKind::Bind(local), _) => {
                self.bind_fixed(*local);
                if self.known().local(*local).is_ok_and(|found| found != *ty) {
                    self.wrong(
                        pattern.span,
                        "a name in a pattern has another type than the value",
                    );
                }
            }
            (PatternKind::Bool(_), Ty::Bool) => {}
            (PatternKind::Int(value), _) if is_number(song, ty) => {
                if *value < 0 && *ty == Ty::Nat {
                    self.wrong(pattern.span, "a nat is not negative");
                }
            }
            (PatternKind::None, Ty::Option(_)) => {}
            (PatternKind::Some(inner), Ty::Option(part)) => self.check_pattern(inner, part),
            (PatternKind::Tuple(parts), Ty::Tuple(types)) => {
                self.check_parts(pattern, parts, types);
            }
            (PatternKind::Variant(id, at, parts), Ty::Enum(of)) if id == of => {
                let variant = song
                    .enums
                    .get(id.index())
                    .and_then(|decl| decl.variants.get(*at));
                match variant {
                    Some(variant) => self.check_parts(pattern, parts, &variant.fields),
                    None => self.wrong(pattern.span, "there is no such variant"),
                }
            }
            (PatternKind::Struct(id, parts), Ty::Struct(of)) if id == of => {
                let fields = song
                    .structs
                    .get(id.index())
                    .map_or(&[][..], |decl| &decl.fields);
                let types: Vec<Ty> = fields.iter().map(|(_, field)| field.clone()).collect();
                self.check_parts(pattern, parts, &types);
            }
            (PatternKind::Pid(family, parts), Ty::Process) => {
                let index = song
                    .families
                    .get(family.index())
                    .map_or(&[][..], |decl| &decl.index);
                let types: Vec<Ty> = index.iter().map(|row| row.ty.clone()).collect();
                self.check_parts(pattern, parts, &types);
            }
            _ => {
                let message = format!("a pattern does not fit {}", show(song, ty));
                self.wrong(pattern.span, message);
            }
        }
    }

    fn check_parts(&mut self, whole: &Pattern, parts: &[Pattern], types: &[Ty]) {
        if parts.len() != types.len() {
            self.wrong(
                whole.span,
                "a pattern has another number of parts than the value",
            );
        }
        for (part, ty) in parts.iter().zip(types) {
            self.check_pattern(part, ty);
        }
    }
}

/// Does an expression read the variable by its bare name?
fn reads(expr: &Expr, root: &Root) -> bool {
    any_expr(expr, |expr| match (&expr.kind, root) {
        (ExprKind::Local(local), Root::Local(root)) => local == root,
        (ExprKind::Own(var), Root::Own(root)) => var == root,
        (ExprKind::Global(id), Root::Global(root)) => id == root,
        _ => false,
    })
}
