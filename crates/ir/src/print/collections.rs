//! Collections and what ranges over them: literals, comprehensions, maps, quantifiers.

use super::layout::{Doc, commas, delimited, group, indent, join, list, text};
use super::levels::{DOMAIN, OPEN};
use super::writer::Writer;
use crate::{
    BinOp, Binding, Collection, Domain, Expr, ExprKind, Fairness, LocalId, Quantifier, Temporal,
    TemporalPart, Ty,
};

impl Writer<'_> {
    /// `{a, b}`, `bag {a, b}` or `[a, b]`.
    pub(super) fn literal(&mut self, ty: &Ty, elements: &[Expr]) -> Doc {
        let (open, close) = match Collection::of(ty) {
            Some(Collection::Seq) => ("[", "]"),
            Some(Collection::Bag) => ("bag {", "}"),
            _ => ("{", "}"),
        };
        if let ("{", [only]) = (open, elements)
            && matches!(only.bare().kind, ExprKind::Binary(BinOp::In, _, _))
        {
            // `{ x in S }` would be a comprehension.
            return join([text("{"), self.parenthesised(|w| w.expr(only)), text("}")]);
        }
        list(open, self.exprs(elements), close, Doc::Break)
    }

    /// `{ x in S where p }`, `{ e for x in S where p }`, `[ e for x in S where p ]`.
    pub(super) fn comprehension(&mut self, ty: &Ty, binding: &Binding, body: &Expr) -> Doc {
        let seq = Collection::of(ty) == Some(Collection::Seq);
        let itself = matches!(&body.kind, ExprKind::Local(local) if binding.names == [*local]);
        let short = itself && !seq;
        let inner = self.delimited(|w| {
            w.scoped(|w| {
                let binding = w.binding(binding, " in ");
                if short {
                    return binding;
                }
                let body = w.expr_at(body, OPEN + 1);
                join([body, Doc::Line, text("for "), binding])
            })
        });
        let (open, close) = if seq { ("[", "]") } else { ("{", "}") };
        delimited(open, inner, close, Doc::Line)
    }

    /// `map k: K => e`.
    pub(super) fn map_of(&mut self, ty: &Ty, local: LocalId, body: &Expr) -> Doc {
        let key = match ty {
            Ty::Map(key, _) => self.ty(key),
            other => self.ty(other),
        };
        self.scoped(|w| {
            let name = w.names.bind(local);
            group([
                text(format!("map {name}: {key} =>")),
                indent([Doc::Line, w.expr(body)]),
            ])
        })
    }

    /// `forall x: T where p :: q`.
    pub(super) fn quantifier(
        &mut self,
        quantifier: Quantifier,
        bindings: &[Binding],
        body: &Expr,
    ) -> Doc {
        let word = match quantifier {
            Quantifier::Forall => "forall ",
            Quantifier::Exists => "exists ",
            Quantifier::Count => "count ",
            Quantifier::Sum => "sum ",
        };
        self.scoped(|w| {
            let bindings = bindings
                .iter()
                .map(|binding| w.binding(binding, ": "))
                .collect();
            let head = group([text(word), indent([commas(bindings)]), text(" ::")]);
            group([head, indent([Doc::Line, w.expr(body)])])
        })
    }

    /// A temporal claim: `forall c: Client :: p leads to q`, several of them in brackets.
    pub(super) fn temporal(&mut self, temporal: &Temporal) -> Doc {
        let claim = match &temporal.parts[..] {
            [part] => self.temporal_part(part),
            parts => {
                let mut docs = Vec::new();
                for part in parts {
                    if !docs.is_empty() {
                        docs.extend([Doc::Line, text("&& ")]);
                    }
                    docs.extend([text("("), self.temporal_part(part), text(")")]);
                }
                join(docs)
            }
        };
        match temporal.fairness.and_then(Fairness::suffix) {
            Some(suffix) => join([claim, text(format!(" {suffix}"))]),
            None => claim,
        }
    }

    fn temporal_part(&mut self, part: &TemporalPart) -> Doc {
        if part.bindings.is_empty() {
            return self.temporal_form(part);
        }
        self.scoped(|w| {
            let bindings = part.bindings.iter();
            let bindings = bindings.map(|one| w.binding(one, ": ")).collect();
            let head = group([text("forall "), indent([commas(bindings)]), text(" ::")]);
            group([head, indent([Doc::Line, w.temporal_form(part)])])
        })
    }

    /// A quantifier in front is put in brackets: without them it would be about the claim.
    fn temporal_form(&mut self, part: &TemporalPart) -> Doc {
        let word = part.operator.words();
        let mut goal = self.expr(&part.goal);
        if !part.measure.is_empty() {
            let measures = part.measure.iter().map(|one| self.expr(one)).collect();
            goal = join([goal, text(" by measure ("), commas(measures), text(")")]);
        }
        match &part.premise {
            None => join([text(format!("{word} ")), goal]),
            Some(premise) => {
                let premise = match premise.bare().kind {
                    ExprKind::Quantifier(..) => self.parenthesised(|w| w.expr(premise)),
                    _ => self.expr(premise),
                };
                join([premise, text(format!(" {word} ")), goal])
            }
        }
    }

    /// `a, b: Db where a != b`; the names are bound from here on. `before_type` is what stands
    /// before a domain that is a type.
    fn binding(&mut self, binding: &Binding, before_type: &str) -> Doc {
        let before = match &binding.domain {
            Domain::Type(_) => before_type,
            Domain::In(_) => " in ",
        };
        let domain = join([text(before), self.domain(&binding.domain)]);
        let names: Vec<String> = binding
            .names
            .iter()
            .map(|name| self.names.bind(*name))
            .collect();
        let mut parts = vec![text(names.join(", ")), domain];
        parts.extend(
            binding
                .filter
                .as_ref()
                .map(|filter| self.closed_filter(filter)),
        );
        Doc::Join(parts)
    }

    /// What follows `in` or `choose`.
    pub(super) fn domain(&mut self, domain: &Domain) -> Doc {
        match domain {
            Domain::Type(ty) => text(self.ty(ty)),
            Domain::In(set) => self.expr_at(set, DOMAIN),
        }
    }

    /// ` where p`.
    pub(super) fn filter(&mut self, filter: &Expr) -> Doc {
        join([text(" where "), self.expr(filter)])
    }

    /// ` where p`, where more may follow that a quantifier would swallow.
    fn closed_filter(&mut self, filter: &Expr) -> Doc {
        join([text(" where "), self.expr_at(filter, OPEN + 1)])
    }
}
