//! Patterns, checked against the type of what they are matched with.

use super::Lowering;
use super::codes::matching::BAD_PATTERN;
use super::codes::names::DUPLICATE_NAME;
use super::codes::suspicions::LIKE_A_VARIANT;
use super::codes::types::ARGUMENT_COUNT;
use super::unit::Binder;
use crate::ast::{self, AstNode, LiteralValue};
use crate::names::{Item, near};
use crate::types::{UNKNOWN, a, is_hole, is_unknown};
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{FamilyId, Pattern, PatternKind, StructId, Ty};
use std::collections::HashMap;

/// The names that one whole pattern binds, and where.
pub(crate) type Bound = HashMap<String, Span>;

impl Lowering<'_> {
    /// A whole pattern for values of type `ty`; its names are visible from here on.
    pub(crate) fn pattern(
        &mut self,
        written: Option<ast::Pattern>,
        ty: &Ty,
        span: Span,
    ) -> Pattern {
        let mut bound = Bound::new();
        match written {
            Some(written) => self.subpattern(&written, ty, &mut bound),
            None => Pattern {
                kind: PatternKind::Wild,
                span,
            },
        }
    }

    fn subpattern(&mut self, written: &ast::Pattern, ty: &Ty, bound: &mut Bound) -> Pattern {
        let ty = &self.pattern_type(written, ty);
        self.note_type(written.span(), ty);
        let span = written.span();
        let kind = match written {
            ast::Pattern::Wildcard(_) => PatternKind::Wild,
            ast::Pattern::Name(p) => self.name_pattern(p, ty, bound),
            ast::Pattern::Literal(p) => self.literal_pattern(p, ty),
            ast::Pattern::None(_) => match self.option_pattern(ty, span) {
                Some(_) => PatternKind::None,
                None => PatternKind::Wild,
            },
            ast::Pattern::Some(p) => self.some_pattern(p, ty, bound),
            ast::Pattern::Tuple(p) => self.tuple_pattern(p, ty, bound),
            ast::Pattern::Variant(p) => self.variant_pattern(p, ty, bound),
            ast::Pattern::Struct(p) => self.struct_pattern(p, ty, bound),
            ast::Pattern::Process(p) => self.process_pattern(p, ty, bound),
        };
        Pattern { kind, span }
    }

    /// The type of what a pattern is matched with. If it is not known yet, the pattern says more.
    fn pattern_type(&mut self, written: &ast::Pattern, ty: &Ty) -> Ty {
        let ty = self.shallow(ty);
        if !is_hole(&ty) {
            return ty;
        }
        let span = written.span();
        let implied = match written {
            ast::Pattern::Literal(p) => match p.value() {
                Some(LiteralValue::Bool(_)) => Ty::Bool,
                _ => Ty::Int,
            },
            ast::Pattern::None(_) | ast::Pattern::Some(_) => {
                Ty::Option(Box::new(self.unit.holes.fresh(span)))
            }
            ast::Pattern::Tuple(p) => Ty::Tuple(
                p.components()
                    .map(|part| self.unit.holes.fresh(part.span()))
                    .collect(),
            ),
            ast::Pattern::Wildcard(_) | ast::Pattern::Name(_) => return ty,
            ast::Pattern::Variant(_) | ast::Pattern::Struct(_) | ast::Pattern::Process(_) => {
                return self.known_type(&ty, span);
            }
        };
        self.unit.holes.unify(&ty, &implied);
        implied
    }

    /// A bare name: a variant of the value's enum, a process, or a new name.
    fn name_pattern(&mut self, p: &ast::NamePattern, ty: &Ty, bound: &mut Bound) -> PatternKind {
        let Some(name) = p.name() else {
            return PatternKind::Wild;
        };
        match ty {
            Ty::Enum(id) => {
                if let Some(at) = self.names.variant(*id, name.text()) {
                    return self.variant_parts(*id, at, Vec::new(), false, p.span(), bound);
                }
            }
            Ty::Process => {
                if let Some(Item::Family(family)) = self.names.item(name.text()) {
                    return self.family_pattern(family, Vec::new(), p.span(), bound);
                }
            }
            _ => {}
        }
        if self.is_variant_of_another(&name, ty) {
            return PatternKind::Wild;
        }
        self.like_a_variant(&name, ty);
        self.bind_pattern(&name, ty, bound)
    }

    /// Reports a bare name that is a variant, but not of what it is matched with: as a new name it
    /// would match everything, which nobody means.
    fn is_variant_of_another(&mut self, name: &ast::Name, ty: &Ty) -> bool {
        let Some(&(other, _)) = self.names.enums_with(name.text()).first() else {
            return false;
        };
        if is_unknown(ty) || is_hole(ty) {
            return false;
        }
        let (text, owner) = (name.text(), &self.types.enums[other.index()].name);
        let help = match ty {
            Ty::Enum(id) => {
                let variants = self.types.enums[id.index()].variants.iter();
                let listed: Vec<String> = variants
                    .map(|variant| format!("`{}`", variant.name))
                    .collect();
                format!(
                    "`{text}` is a variant of `{owner}`; here it is one of {}, or `_` for all that remain",
                    listed.join(", ")
                )
            }
            Ty::Option(inner) if **inner == Ty::Enum(other) => {
                format!("`{text}` is a variant of `{owner}`; did you mean `some({text})`?")
            }
            _ => format!(
                "`{text}` is a variant of `{owner}`; to match everything use `_` or a name that is no variant"
            ),
        };
        self.bad_pattern(name.span(), ty, &help);
        true
    }

    /// Warns about a new name that looks like a variant or process.
    fn like_a_variant(&mut self, name: &ast::Name, ty: &Ty) {
        let (known, of): (Vec<&str>, &str) = match ty {
            Ty::Enum(id) => {
                let decl = &self.types.enums[id.index()];
                (
                    decl.variants
                        .iter()
                        .map(|variant| variant.name.as_str())
                        .collect(),
                    &decl.name,
                )
            }
            Ty::Process => {
                let processes = &self.families[..self.process_count];
                (
                    processes
                        .iter()
                        .map(|family| family.name.as_str())
                        .collect(),
                    "process",
                )
            }
            _ => return,
        };
        if near(name.text(), known.iter().copied()).is_empty() {
            return;
        }
        let message = format!(
            "`{}` is a new name here and matches every `{of}`",
            name.text()
        );
        let diagnostic = Diagnostic::warning(&LIKE_A_VARIANT, name.span(), message);
        self.report(self.suggest(diagnostic, name, known));
    }

    fn bind_pattern(&mut self, name: &ast::Name, ty: &Ty, bound: &mut Bound) -> PatternKind {
        if let Some(&earlier) = bound.get(name.text()) {
            let message = format!("`{}` is bound twice in one pattern", name.text());
            self.report(
                Diagnostic::error(&DUPLICATE_NAME, name.span(), message)
                    .also(earlier, "first bound here")
                    .help("use two names and compare them"),
            );
        }
        bound.insert(name.text().to_owned(), name.span());
        PatternKind::Bind(
            self.unit
                .bind(name.text(), ty.clone(), Binder::Pattern, name.span()),
        )
    }

    fn literal_pattern(&mut self, p: &ast::LiteralPattern, ty: &Ty) -> PatternKind {
        match p.value() {
            Some(LiteralValue::Bool(value)) if *ty == Ty::Bool => PatternKind::Bool(value),
            Some(LiteralValue::Int(value)) if self.types.number(ty).is_some() => {
                if value < 0 && *ty == Ty::Nat {
                    self.bad_pattern(p.span(), ty, "a `nat` is never negative");
                }
                PatternKind::Int(value)
            }
            Some(_) => {
                self.bad_pattern(p.span(), ty, "");
                PatternKind::Wild
            }
            None => PatternKind::Wild,
        }
    }

    /// The type inside of the option that `ty` is; reports when it is none.
    fn option_pattern(&mut self, ty: &Ty, span: Span) -> Option<Ty> {
        match ty {
            Ty::Option(inner) => Some((**inner).clone()),
            _ => {
                self.bad_pattern(span, ty, "`none` and `some(…)` match options");
                None
            }
        }
    }

    fn some_pattern(&mut self, p: &ast::SomePattern, ty: &Ty, bound: &mut Bound) -> PatternKind {
        let inner_ty = self.option_pattern(ty, p.span()).unwrap_or(UNKNOWN);
        match p.inner() {
            Some(inner) => PatternKind::Some(Box::new(self.subpattern(&inner, &inner_ty, bound))),
            None => PatternKind::Wild,
        }
    }

    fn tuple_pattern(&mut self, p: &ast::TuplePattern, ty: &Ty, bound: &mut Bound) -> PatternKind {
        let written: Vec<ast::Pattern> = p.components().collect();
        let types = match ty {
            Ty::Tuple(types) if types.len() == written.len() => types.clone(),
            Ty::Tuple(types) => {
                let help = format!("it has {} components", types.len());
                self.bad_pattern(p.span(), ty, &help);
                Vec::new()
            }
            _ => {
                self.bad_pattern(p.span(), ty, "");
                Vec::new()
            }
        };
        PatternKind::Tuple(self.parts(&written, &types, bound))
    }

    /// Patterns for parts of the given types; a missing type is unknown.
    fn parts(&mut self, written: &[ast::Pattern], types: &[Ty], bound: &mut Bound) -> Vec<Pattern> {
        let mut parts = Vec::new();
        for (at, part) in written.iter().enumerate() {
            parts.push(self.subpattern(part, types.get(at).unwrap_or(&UNKNOWN), bound));
        }
        parts
    }

    fn variant_pattern(
        &mut self,
        p: &ast::VariantPattern,
        ty: &Ty,
        bound: &mut Bound,
    ) -> PatternKind {
        let written: Vec<ast::Pattern> = p.arguments().collect();
        let found = match (p.enum_name(), p.variant()) {
            (Some(of), Some(name)) => self.variant_of(&of, &name),
            (None, Some(name)) => self.bare_variant_pattern(&name, ty),
            (_, None) => None,
        };
        match (found, ty) {
            (Some((id, at)), Ty::Enum(of)) if id == *of => {
                self.variant_parts(id, at, written, p.has_arguments(), p.span(), bound)
            }
            (Some((id, _)), _) => {
                let shown = self.types.enums[id.index()].name.clone();
                self.bad_pattern(p.span(), ty, &format!("this is a variant of `{shown}`"));
                self.parts(&written, &[], bound);
                PatternKind::Wild
            }
            (None, _) => {
                self.parts(&written, &[], bound);
                PatternKind::Wild
            }
        }
    }

    fn bare_variant_pattern(
        &mut self,
        name: &ast::Name,
        ty: &Ty,
    ) -> Option<(plainsong_ir::EnumId, usize)> {
        if let Ty::Enum(id) = ty {
            let at = self.names.variant(*id, name.text());
            if at.is_none() {
                self.unknown_variant(*id, name);
            }
            return at.map(|at| (*id, at));
        }
        match self.names.enums_with(name.text()) {
            [] if is_unknown(ty) => None,
            [] => {
                self.bad_pattern(name.span(), ty, "");
                None
            }
            rows => Some(rows[0]),
        }
    }

    fn variant_parts(
        &mut self,
        id: plainsong_ir::EnumId,
        at: usize,
        written: Vec<ast::Pattern>,
        parentheses: bool,
        span: Span,
        bound: &mut Bound,
    ) -> PatternKind {
        let decl = &self.types.enums[id.index()];
        let variant = &decl.variants[at];
        let types = variant.fields.clone();
        if written.len() != types.len() || parentheses && types.is_empty() {
            let name = variant.name.clone();
            let wild = vec!["_"; types.len()].join(", ");
            let form = if types.is_empty() {
                name.clone()
            } else {
                format!("{name}({wild})")
            };
            let message = match types.len() {
                0 => format!("`{name}` carries nothing"),
                1 => format!("`{name}` carries 1 value"),
                count => format!("`{name}` carries {count} values"),
            };
            let diagnostic = Diagnostic::error(&ARGUMENT_COUNT, span, message)
                .also(decl.span, format!("`{}` is declared here", decl.name))
                .help(format!("write `{form}`"));
            self.report(diagnostic);
            self.parts(&written, &[], bound);
            return PatternKind::Wild;
        }
        PatternKind::Variant(id, at, self.parts(&written, &types, bound))
    }

    fn struct_pattern(
        &mut self,
        p: &ast::StructPattern,
        ty: &Ty,
        bound: &mut Bound,
    ) -> PatternKind {
        let id = p.name().and_then(|name| self.struct_named(&name));
        let id = match (id, ty) {
            (Some(id), Ty::Struct(of)) if id == *of => Some(id),
            (Some(_), _) => {
                self.bad_pattern(p.span(), ty, "");
                None
            }
            (None, _) => None,
        };
        match id {
            Some(id) => PatternKind::Struct(id, self.field_patterns(id, p, bound)),
            None => {
                for inner in p.fields().filter_map(|field| field.pattern()) {
                    self.subpattern(&inner, &UNKNOWN, bound);
                }
                PatternKind::Wild
            }
        }
    }

    /// One pattern for each field, in the order of the declaration.
    fn field_patterns(
        &mut self,
        id: StructId,
        p: &ast::StructPattern,
        bound: &mut Bound,
    ) -> Vec<Pattern> {
        let wild = Pattern {
            kind: PatternKind::Wild,
            span: p.span(),
        };
        let mut patterns = vec![wild; self.types.structs[id.index()].fields.len()];
        let mut seen = HashMap::new();
        for field in p.fields() {
            let Some(name) = field.name() else { continue };
            let Some(&at) = self.names.fields[id.index()].get(name.text()) else {
                self.unknown_field(id, &name);
                continue;
            };
            self.distinct(&name, "in this pattern", &mut seen);
            let ty = self.types.structs[id.index()].fields[at].1.clone();
            patterns[at] = match field.pattern() {
                Some(inner) => self.subpattern(&inner, &ty, bound),
                None => Pattern {
                    kind: self.bind_pattern(&name, &ty, bound),
                    span: name.span(),
                },
            };
        }
        patterns
    }

    fn process_pattern(
        &mut self,
        p: &ast::ProcessPattern,
        ty: &Ty,
        bound: &mut Bound,
    ) -> PatternKind {
        let written: Vec<ast::Pattern> = p.indices().collect();
        let family = p.name().and_then(|name| self.process_named(&name));
        match (family, ty) {
            (Some(family), Ty::Process) => self.family_pattern(family, written, p.span(), bound),
            (family, ty) => {
                if family.is_some() {
                    self.bad_pattern(p.span(), ty, "this matches a process");
                }
                self.parts(&written, &[], bound);
                PatternKind::Wild
            }
        }
    }

    fn family_pattern(
        &mut self,
        family: FamilyId,
        written: Vec<ast::Pattern>,
        span: Span,
        bound: &mut Bound,
    ) -> PatternKind {
        let row = &self.families[family.index()];
        let types: Vec<Ty> = row.index.iter().map(|binder| binder.ty.clone()).collect();
        if types.len() != written.len() {
            let wild = vec!["_"; types.len()].join(", ");
            let form = if types.is_empty() {
                row.name.clone()
            } else {
                format!("{}[{wild}]", row.name)
            };
            let message = match types.len() {
                0 => format!("`{}` is a single process and has no index", row.name),
                1 => format!("`{}` has one index", row.name),
                count => format!("`{}` has {count} indices", row.name),
            };
            let diagnostic = Diagnostic::error(&ARGUMENT_COUNT, span, message)
                .also(row.span, format!("`{}` is declared here", row.name))
                .help(format!("write `{form}`"));
            self.report(diagnostic);
            self.parts(&written, &[], bound);
            return PatternKind::Wild;
        }
        PatternKind::Pid(family, self.parts(&written, &types, bound))
    }

    fn bad_pattern(&mut self, span: Span, ty: &Ty, help: &str) {
        if is_unknown(ty) {
            return;
        }
        let shown = a(&self.show(ty));
        let message = format!("{} does not match {shown}", self.quote(span));
        let mut diagnostic = Diagnostic::error(&BAD_PATTERN, span, message);
        if !help.is_empty() {
            diagnostic = diagnostic.help(help);
        }
        self.report(diagnostic);
    }
}
