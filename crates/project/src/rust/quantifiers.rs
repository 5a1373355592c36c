//! Quantifiers, comprehensions, and the elements that they and loops go through.

use super::Emit;
use super::exprs::{Scope, collection};
use super::places::Piece;
use crate::names::camel;
use plainsong_diagnostics::Span;
use plainsong_ir::{Binding, Domain, Expr, ExprKind, LocalId, Quantifier, SortId, Ty};

impl Scope<'_> {
    /// A quantifier as a call that gives a `Result`.
    pub(super) fn quantifier(
        &mut self,
        quantifier: Quantifier,
        bindings: &[Binding],
        body: &Expr,
    ) -> String {
        let names: Vec<(LocalId, &Binding, bool)> = bindings
            .iter()
            .flat_map(|binding| {
                let last = binding.names.len() - 1;
                let names = binding.names.iter().enumerate();
                names.map(move |(at, name)| (*name, binding, at == last))
            })
            .collect();
        self.nested(quantifier, &names, body)
    }

    fn nested(
        &mut self,
        quantifier: Quantifier,
        names: &[(LocalId, &Binding, bool)],
        body: &Expr,
    ) -> String {
        let Some(((name, binding, is_last), rest)) = names.split_first() else {
            return self.result(body);
        };
        let elements = self.elements(&binding.domain, *name);
        let (function, otherwise) = match (quantifier, rest.is_empty()) {
            (Quantifier::Forall, _) => ("forall", "true"),
            (Quantifier::Exists, _) => ("exists", "false"),
            (Quantifier::Count, true) => ("count", "false"),
            (Quantifier::Count, false) | (Quantifier::Sum, _) => ("sum", "0"),
        };
        self.inside(|scope| {
            let bound = scope.bind(*name);
            let inner = match binding.filter.as_ref().filter(|_| *is_last) {
                None => scope.nested(quantifier, rest, body),
                Some(filter) => {
                    let filter = scope.expr(filter).value();
                    let inner = scope.nested(quantifier, rest, body);
                    format!("if {filter} {{ {inner} }} else {{ Ok({otherwise}) }}")
                }
            };
            format!("value::{function}({elements}, |{bound}| {inner})")
        })
    }

    pub(super) fn comprehension(&mut self, ty: &Ty, binding: &Binding, body: &Expr) -> Piece {
        let Some(name) = binding.names.first() else {
            return Piece::tight("()");
        };
        let elements = self.elements(&binding.domain, *name);
        let kind = collection(ty);
        let made = self.inside(|scope| {
            let bound = scope.bind(*name);
            let filter = binding
                .filter
                .as_ref()
                .map(|filter| scope.expr(filter).value());
            let body = scope.value(body);
            match filter {
                None => format!("|{bound}| Ok(Some({body}))"),
                Some(filter) => {
                    format!("|{bound}| if {filter} {{ Ok(Some({body})) }} else {{ Ok(None) }}")
                }
            }
        });
        Piece::tight(format!("{kind}::made({elements}, {made})?"))
    }

    /// The elements of a domain, to go through; `name` is what takes them.
    pub(super) fn elements(&mut self, domain: &Domain, name: LocalId) -> String {
        match domain {
            Domain::Type(ty) => {
                let (local, of) = (self.locals[name.index()].span, self.family);
                let of = of.map(|id| self.emit.song.families[id.index()].span);
                let span = if local == Span::default() {
                    of.unwrap_or(local)
                } else {
                    local
                };
                self.emit.listed(ty, span)
            }
            Domain::In(set) => match &set.kind {
                ExprKind::All(ty) => self.emit.listed(ty, set.span),
                ExprKind::Range { .. } => self.range(set),
                _ => self.value(set),
            },
        }
    }

    /// A range of integers, to go through or to look into.
    pub(super) fn range(&mut self, of: &Expr) -> String {
        let ExprKind::Range {
            start,
            end,
            inclusive,
        } = &of.kind
        else {
            return self.value(of);
        };
        let (start, end) = (self.value(start), self.value(end));
        match inclusive {
            true => format!("value::range_with({start}, {end})?"),
            false => format!("value::range({start}, {end})"),
        }
    }
}

impl Emit<'_> {
    /// All values of a type, ascending, to go through.
    pub(super) fn listed(&self, ty: &Ty, span: Span) -> String {
        match ty {
            Ty::Bool => "[false, true]".to_owned(),
            Ty::Sort(id) => format!("world.{}.clone()", self.sort_name(*id)),
            // What exploration tries where any number could be chosen.
            Ty::Int => "-2..=2".to_owned(),
            Ty::Nat => "0..=3".to_owned(),
            Ty::Option(inner) => {
                let inner = self.listed(inner, span);
                format!("std::iter::once(None).chain(({inner}).into_iter().map(Some))")
            }
            Ty::Tuple(parts) => self.products(parts, "", span),
            Ty::Struct(id) => {
                let decl = &self.song.structs[id.index()];
                let types: Vec<Ty> = decl.fields.iter().map(|(_, ty)| ty.clone()).collect();
                let fields = decl.fields.iter().enumerate();
                let fields: Vec<String> = fields
                    .map(|(at, (name, _))| format!("{}: part_{at}", super::names::snake(name)))
                    .collect();
                let made = format!("{} {{ {} }}", self.type_name(&decl.name), fields.join(", "));
                self.product(&types, 0, &made, span)
            }
            Ty::Enum(id) => self.variants(*id, span),
            Ty::Set(inner) => format!("value::all_sets({})?", self.listed(inner, span)),
            Ty::Bag(inner) => format!("value::all_bags({})?", self.listed(inner, span)),
            Ty::Seq(inner) => format!("value::all_seqs({})?", self.listed(inner, span)),
            Ty::Map(key, of) => {
                let (keys, values) = (self.listed(key, span), self.listed(of, span));
                format!("value::all_maps({keys}, {values})?")
            }
            Ty::Process => {
                self.refuse(span, "all values of this type cannot be listed in Rust");
                "[]".to_owned()
            }
        }
    }

    fn variants(&self, id: plainsong_ir::EnumId, span: Span) -> String {
        let decl = &self.song.enums[id.index()];
        let name = self.type_name(&decl.name);
        let each = decl.variants.iter().map(|variant| {
            let path = format!("{name}::{}", camel(&variant.name));
            match variant.fields.is_empty() {
                true => format!("[{path}].into_iter()"),
                false => self.products(&variant.fields, &path, span),
            }
        });
        if decl
            .variants
            .iter()
            .all(|variant| variant.fields.is_empty())
        {
            let variants = decl.variants.iter();
            let variants = variants.map(|variant| format!("{name}::{}", camel(&variant.name)));
            return format!("[{}]", variants.collect::<Vec<_>>().join(", "));
        }
        let each: Vec<String> = each.collect();
        each.join(".chain(") + &")".repeat(each.len() - 1)
    }

    fn products(&self, types: &[Ty], path: &str, span: Span) -> String {
        let parts: Vec<String> = (0..types.len()).map(|at| format!("part_{at}")).collect();
        self.product(types, 0, &format!("{path}({})", parts.join(", ")), span)
    }

    /// Every combination of parts from the one at `at` on, made into `made`.
    fn product(&self, types: &[Ty], at: usize, made: &str, span: Span) -> String {
        let Some(ty) = types.get(at) else {
            return format!("[{made}].into_iter()");
        };
        let one = self.listed(ty, span);
        let fails = |ty: &Ty| self.listed(ty, span).contains('?');
        if at + 1 == types.len() {
            return format!("({one}).into_iter().map(move |part_{at}| {made})");
        }
        if types[at + 1..].iter().any(fails) {
            // It could fail inside of a function that does not return a result: the parts are listed before.
            let (all, parts) = self.paired(types, at, span);
            return format!("{all}.into_iter().map(move |{parts}| {made})");
        }
        let rest = self.product(types, at + 1, made, span);
        format!("({one}).into_iter().flat_map(move |part_{at}| {rest})")
    }

    /// Every combination of parts from the one at `at` on, as pairs of pairs, and the pattern of one.
    fn paired(&self, types: &[Ty], at: usize, span: Span) -> (String, String) {
        let one = self.listed(&types[at], span);
        if at + 1 == types.len() {
            return (one, format!("part_{at}"));
        }
        let (rest, parts) = self.paired(types, at + 1, span);
        (
            format!("value::all_pairs({one}, {rest})?"),
            format!("(part_{at}, {parts})"),
        )
    }

    /// The field of the world that has the members of a sort.
    pub(super) fn sort_name(&self, id: SortId) -> String {
        format!(
            "all_{}",
            super::names::snake(&self.song.sorts[id.index()].name)
        )
    }
}
