//! Expressions as written in the text, with as few parentheses as the levels allow.

use super::layout::{Doc, commas, delimited, group, indent, join, list, text};
use super::levels::{self, POSTFIX, PREFIX, RANGE, level};
use super::references::variant_name;
use super::types::named;
use super::writer::Writer;
use crate::{BinOp, Builtin, Expr, ExprKind, PendingOf, StructId, Ty, UnOp};

impl Writer<'_> {
    /// An expression where any may stand.
    pub(super) fn expr(&mut self, expr: &Expr) -> Doc {
        self.expr_at(expr, 0)
    }

    /// An expression where those of at least this level may stand without parentheses.
    pub(super) fn expr_at(&mut self, expr: &Expr, least: u8) -> Doc {
        let expr = expr.bare();
        if level(expr) < least {
            self.parenthesised(|w| w.bare(expr))
        } else {
            self.bare(expr)
        }
    }

    /// Expressions inside brackets.
    pub(super) fn exprs(&mut self, exprs: &[Expr]) -> Vec<Doc> {
        self.delimited(|w| exprs.iter().map(|expr| w.expr(expr)).collect())
    }

    fn bare(&mut self, expr: &Expr) -> Doc {
        match &expr.kind {
            ExprKind::Bool(value) => text(value.to_string()),
            ExprKind::Int(value) => text(value.to_string()),
            ExprKind::Local(local) => text(self.names.name(*local)),
            ExprKind::Own(var) => text(self.var_name(self.family, *var)),
            ExprKind::Of(family, index, var) => self.var_of(*family, index, *var),
            ExprKind::Global(id) => {
                let globals = self.song.actions().map(|actions| &actions.globals);
                let row = globals.and_then(|globals| globals.get(id.index()));
                text(named(row.map(|row| &row.name), "global", id.0))
            }
            ExprKind::Const(id) => {
                let row = self.song.consts.get(id.index());
                text(named(row.map(|row| &row.name), "const", id.0))
            }
            ExprKind::All(ty) => text(self.ty(ty)),
            ExprKind::Pid(family, index) => self.member(*family, index),
            ExprKind::SelfPid => text("self"),
            ExprKind::Unary(op, inner) => {
                let symbol = match op {
                    UnOp::Not => "!",
                    UnOp::Neg => "-",
                };
                join([text(symbol), self.expr_at(inner, PREFIX)])
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Range {
                start,
                end,
                inclusive,
            } => {
                let dots = if *inclusive { "..=" } else { ".." };
                join([
                    self.expr_at(start, RANGE + 1),
                    text(dots),
                    self.expr_at(end, RANGE + 1),
                ])
            }
            ExprKind::If(condition, yes, no) => self.if_expr(condition, yes, no),
            ExprKind::Match(scrutinee, arms) => self.match_expr(scrutinee, arms),
            ExprKind::Is(scrutinee, pattern) => self.is_expr(scrutinee, pattern),
            ExprKind::Let(..) => group([self.branch(expr)]),
            ExprKind::Tuple(parts) => list("(", self.exprs(parts), ")", Doc::Break),
            ExprKind::Project(tuple, at) => {
                join([self.expr_at(tuple, POSTFIX), text(format!(".{at}"))])
            }
            ExprKind::Field(value, at) => self.field(value, *at),
            ExprKind::Struct(id, values) => self.struct_expr(*id, values.iter().enumerate(), None),
            ExprKind::Update(base, changes) => self.update(base, changes),
            ExprKind::Variant(id, variant, arguments) => {
                let name = variant_name(self.song, *id, *variant);
                if arguments.is_empty() {
                    text(name)
                } else {
                    self.call(&name, arguments)
                }
            }
            ExprKind::None => text("none"),
            ExprKind::Some(inner) => self.wrapped("some(", inner),
            ExprKind::Old(inner) => self.wrapped("old(", inner),
            ExprKind::Crashed(inner) => self.wrapped("crashed(", inner),
            ExprKind::Literal(elements) => self.literal(&expr.ty, elements),
            ExprKind::Comprehension(binding, body) => self.comprehension(&expr.ty, binding, body),
            ExprKind::MapOf(local, body) => self.map_of(&expr.ty, *local, body),
            ExprKind::Index(value, key) => {
                let value = self.expr_at(value, POSTFIX);
                let key = self.delimited(|w| w.expr(key));
                join([value, text("["), key, text("]")])
            }
            ExprKind::Method(builtin, arguments) => self.method(*builtin, arguments),
            ExprKind::Call(id, arguments) => {
                let row = self.song.functions.get(id.index());
                self.call(&named(row.map(|row| &row.name), "fn", id.0), arguments)
            }
            ExprKind::Quantifier(quantifier, bindings, body) => {
                self.quantifier(*quantifier, bindings, body)
            }
            ExprKind::PendingOf(action, arguments) => {
                if let Some(message) = self.message_to(*action, arguments) {
                    return join([text("pending("), message, text(")")]);
                }
                let name = self.action_name(*action);
                join([text("pending("), self.call(&name, arguments), text(")")])
            }
            ExprKind::Pending(what) => text(format!("pending({})", self.pending(*what))),
            ExprKind::Widen(inner) | ExprKind::Narrow(inner) => self.bare(inner.bare()),
        }
    }

    /// `f(a, b)`.
    pub(super) fn call(&mut self, name: &str, arguments: &[Expr]) -> Doc {
        list(&format!("{name}("), self.exprs(arguments), ")", Doc::Break)
    }

    /// `some(e)`: like a call, but there can be no comma after `e`.
    fn wrapped(&mut self, open: &str, inner: &Expr) -> Doc {
        let inner = self.delimited(|w| w.expr(inner));
        delimited(open, inner, ")", Doc::Break)
    }

    /// A chain of one operator breaks before each of its occurrences, or before none.
    fn binary(&mut self, op: BinOp, a: &Expr, b: &Expr) -> Doc {
        let mut rest = Vec::new();
        let first = self.chain(op, a, b, &mut rest);
        group([first, indent(rest)])
    }

    fn chain(&mut self, op: BinOp, a: &Expr, b: &Expr, rest: &mut Vec<Doc>) -> Doc {
        let operator = levels::operator(op);
        let first = match &a.bare().kind {
            ExprKind::Binary(inner, x, y)
                if levels::operator(*inner).level == operator.level
                    && operator.left == operator.level =>
            {
                self.chain(*inner, x, y, rest)
            }
            _ => self.expr_at(a, operator.left),
        };
        let right = self.expr_at(b, operator.right);
        rest.push(join([
            Doc::Line,
            text(format!("{} ", operator.symbol)),
            right,
        ]));
        first
    }

    fn field(&mut self, value: &Expr, at: usize) -> Doc {
        let name = match &value.ty {
            Ty::Struct(id) => self.field_name(*id, at),
            _ => format!("field_{at}"),
        };
        join([self.expr_at(value, POSTFIX), text(format!(".{name}"))])
    }

    fn update(&mut self, base: &Expr, changes: &[(usize, Expr)]) -> Doc {
        let id = match &base.ty {
            Ty::Struct(id) => *id,
            _ => StructId(u32::MAX),
        };
        self.struct_expr(
            id,
            changes.iter().map(|(at, value)| (*at, value)),
            Some(base),
        )
    }

    /// `Point { x: 5, ..p }`, in parentheses where a block follows.
    fn struct_expr<'e>(
        &mut self,
        id: StructId,
        values: impl Iterator<Item = (usize, &'e Expr)>,
        base: Option<&Expr>,
    ) -> Doc {
        let parenthesised = self.block_follows();
        let decl = self.song.structs.get(id.index());
        let name = named(decl.map(|decl| &decl.name), "struct", id.0);
        let doc = self.delimited(|w| {
            let mut parts: Vec<Doc> = values
                .map(|(at, value)| {
                    join([text(format!("{}: ", w.field_name(id, at))), w.expr(value)])
                })
                .collect();
            let open = format!("{name} {{");
            match base {
                None => list(&open, parts, "}", Doc::Line),
                Some(base) => {
                    parts.push(join([text(".."), w.expr(base)]));
                    delimited(&open, commas(parts), "}", Doc::Line)
                }
            }
        });
        if parenthesised {
            join([text("("), doc, text(")")])
        } else {
            doc
        }
    }

    fn method(&mut self, builtin: Builtin, arguments: &[Expr]) -> Doc {
        let Some((receiver, arguments)) = arguments.split_first() else {
            return text(builtin.name());
        };
        let receiver = self.expr_at(receiver, POSTFIX);
        join([
            receiver,
            self.call(&format!(".{}", builtin.name()), arguments),
        ])
    }

    fn pending(&self, what: PendingOf) -> String {
        match what {
            PendingOf::All => String::new(),
            PendingOf::Message(id) => self.message_name(id),
            PendingOf::Action(id) => self.action_name(id),
        }
    }
}
