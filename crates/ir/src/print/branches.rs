//! Expressions that branch: `if`, `match`, `is`, and the blocks in their branches.

use super::layout::{Doc, group, indent, join, list, text};
use super::levels::{self, POSTFIX, RANGE, level};
use super::writer::Writer;
use crate::{Expr, ExprKind, LocalId, Pattern, PatternKind, Ty};

impl Writer<'_> {
    /// `if c { a } else { b }`; when it does not fit on a line, every branch has lines of its own.
    pub(super) fn if_expr(&mut self, condition: &Expr, yes: &Expr, no: &Expr) -> Doc {
        group([self.if_chain(condition, yes, no)])
    }

    fn if_chain(&mut self, condition: &Expr, yes: &Expr, no: &Expr) -> Doc {
        let head = self.before_block(|w| w.expr(condition));
        let yes = self.delimited(|w| w.branch(yes));
        let no = match &no.bare().kind {
            ExprKind::If(condition, yes, no) => self.if_chain(condition, yes, no),
            _ => self.delimited(|w| w.branch(no)),
        };
        join([text("if "), head, text(" "), yes, text(" else "), no])
    }

    /// `{ let x = 1; x + 1 }`: what stands in a branch or as the body of a function. It is broken
    /// with the group it stands in.
    pub(super) fn branch(&mut self, expr: &Expr) -> Doc {
        self.scoped(|w| {
            let mut inner = vec![Doc::Line];
            let mut rest = expr.bare();
            while let ExprKind::Let(local, value, body) = &rest.kind {
                inner.push(w.let_line("let", *local, value));
                inner.push(Doc::Line);
                rest = body.bare();
            }
            inner.push(w.delimited(|w| w.expr(rest)));
            join([text("{"), indent(inner), Doc::Line, text("}")])
        })
    }

    /// `let x: T = e;`, without the type when the value tells it.
    pub(super) fn let_line(&mut self, word: &str, local: LocalId, value: &Expr) -> Doc {
        let doc = self.delimited(|w| w.expr(value));
        let typed = word == "var" || !levels::tells_its_type(value);
        let annotation = if typed {
            format!(": {}", self.ty(&value.ty))
        } else {
            String::new()
        };
        let name = self.names.bind(local);
        group([
            text(format!("{word} {name}{annotation} = ")),
            doc,
            text(";"),
        ])
    }

    /// `match e { p => a, q => b }`.
    pub(super) fn match_expr(&mut self, scrutinee: &Expr, arms: &[(Pattern, Expr)]) -> Doc {
        let head = self.before_block(|w| w.expr(scrutinee));
        let arms = self.delimited(|w| arms.iter().map(|arm| w.arm(arm)).collect());
        let body = list("{", arms, "}", Doc::Line);
        join([text("match "), head, text(" "), body])
    }

    fn arm(&mut self, (pattern, value): &(Pattern, Expr)) -> Doc {
        self.scoped(|w| {
            let pattern = w.pattern(pattern);
            let value = if starts_with_brace(value) {
                group([w.branch(value)])
            } else {
                w.expr(value)
            };
            join([pattern, text(" => "), value])
        })
    }

    /// `e is p`.
    pub(super) fn is_expr(&mut self, scrutinee: &Expr, pattern: &Pattern) -> Doc {
        let print = |w: &mut Self| {
            let scrutinee = w.expr_at(scrutinee, levels::COMPARE + 1);
            let pattern = w.scoped(|w| w.pattern(pattern));
            join([scrutinee, text(" is "), pattern])
        };
        if self.block_follows() && has_struct(pattern) {
            self.parenthesised(print)
        } else {
            print(self)
        }
    }
}

/// Would the text begin with `{`, and so be taken for a block where a branch stands?
fn starts_with_brace(expr: &Expr) -> bool {
    let expr = expr.bare();
    match &expr.kind {
        ExprKind::Let(..) => true,
        ExprKind::Literal(_) => matches!(expr.ty, Ty::Set(_)),
        ExprKind::Comprehension(..) => matches!(expr.ty, Ty::Set(_)),
        ExprKind::Binary(op, a, _) => {
            level(a) >= levels::operator(*op).left && starts_with_brace(a)
        }
        ExprKind::Is(a, _) => level(a) > levels::COMPARE && starts_with_brace(a),
        ExprKind::Range { start: a, .. } => level(a) > RANGE && starts_with_brace(a),
        ExprKind::Project(a, _) | ExprKind::Field(a, _) | ExprKind::Index(a, _) => {
            level(a) >= POSTFIX && starts_with_brace(a)
        }
        ExprKind::Method(_, arguments) => arguments
            .first()
            .is_some_and(|a| level(a) >= POSTFIX && starts_with_brace(a)),
        _ => false,
    }
}

/// Does a pattern contain a struct, whose `{` could be taken for a block?
fn has_struct(pattern: &Pattern) -> bool {
    match &pattern.kind {
        PatternKind::Struct(..) => true,
        PatternKind::Some(inner) => has_struct(inner),
        PatternKind::Tuple(parts)
        | PatternKind::Variant(_, _, parts)
        | PatternKind::Pid(_, parts) => parts.iter().any(has_struct),
        _ => false,
    }
}
