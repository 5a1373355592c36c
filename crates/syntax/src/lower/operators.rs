//! Operators.
//!
//! Which conversions are inserted is part of the language's contract with its printer:
//! - `+ * / %`, comparisons, `==` and `!=`: an integer literal is a `nat` when the other side is one;
//!   sides of the same type stay as they are (members of range sorts are widened in arithmetic);
//!   otherwise both numbers are widened to `int`.
//! - `-`, between and before, always works on `int`.
//! - `a..b` is between two `int`s.
//!
//! A side without a type of its own (`none`, `{}`, a bare variant of several enums) takes that of the
//! other side, whichever comes first.

use super::Lowering;
use super::codes::types::{BAD_OPERAND, TYPE_MISMATCH};
use super::fit::{Want, Wanted, Why};
use crate::ast::{self, AstNode, BinaryOp, LiteralValue, PrefixOp};
use crate::types::{Number, UNKNOWN, a, is_hole, is_unknown, widen};
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{BinOp, Collection, Expr, ExprKind, Ty, UnOp};

/// An operand that may not have been looked at yet.
enum Operand<'e> {
    Written(&'e ast::Expr),
    Done(Expr),
}

/// One operator with its right side.
struct Link {
    op: BinaryOp,
    right: ast::Expr,
    span: Span,
    op_span: Span,
    /// What the surroundings want of the whole.
    wanted: Option<Ty>,
}

impl Lowering<'_> {
    /// `a + b - c …`: a tree that leans to the left is walked in a loop, not by recursion.
    pub(crate) fn binary(&mut self, e: &ast::BinaryExpr, wanted: Wanted) -> Expr {
        let mut links = Vec::new();
        let mut wanted = wanted.map(|wanted| wanted.ty.clone());
        let mut current = e.clone();
        let first = loop {
            let span = current.span();
            let (Some(op), Some(left), Some(right)) =
                (current.op(), current.left(), current.right())
            else {
                return self.wrong(span);
            };
            let op_span = current.op_span().unwrap_or(span);
            let inner = self.wanted_of_operands(op, wanted.as_ref());
            links.push(Link {
                op,
                right,
                span,
                op_span,
                wanted,
            });
            wanted = inner;
            match left {
                ast::Expr::Binary(inner) => current = inner,
                first => break first,
            }
        };
        let mut left = Operand::Written(&first);
        while let Some(link) = links.pop() {
            left = Operand::Done(self.link(left, &link));
        }
        match left {
            Operand::Done(whole) => whole,
            Operand::Written(only) => self.expr(only, None),
        }
    }

    /// What the operands should be when the result is wanted to be `wanted`.
    fn wanted_of_operands(&self, op: BinaryOp, wanted: Option<&Ty>) -> Option<Ty> {
        match op {
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Union | BinaryOp::Intersect => wanted
                .map(|ty| self.shallow(ty))
                .filter(|ty| Collection::of(ty).is_some()),
            _ => None,
        }
    }

    fn link(&mut self, left: Operand, link: &Link) -> Expr {
        let (kind, ty) = match link.op {
            BinaryOp::And | BinaryOp::Or | BinaryOp::Implies | BinaryOp::Iff => {
                self.logical(left, link)
            }
            BinaryOp::In => self.membership(left, link),
            BinaryOp::Equal | BinaryOp::NotEqual => self.equality(left, link),
            BinaryOp::Less
            | BinaryOp::LessOrEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterOrEqual => self.comparison(left, link),
            BinaryOp::Union | BinaryOp::Intersect => self.set_operation(left, link),
            _ => self.arithmetic(left, link),
        };
        Expr {
            kind,
            ty,
            span: link.span,
        }
    }

    fn logical(&mut self, left: Operand, link: &Link) -> (ExprKind, Ty) {
        let why = Why::Word(spelling(link.op));
        let left = match left {
            Operand::Written(left) => self.check(left, &Ty::Bool, why),
            Operand::Done(left) => self.fit(left, &Ty::Bool, why),
        };
        let right = self.check(&link.right, &Ty::Bool, why);
        (binary_kind(link.op, left, right), Ty::Bool)
    }

    /// `x in s`
    fn membership(&mut self, left: Operand, link: &Link) -> (ExprKind, Ty) {
        let right = self.expr(&link.right, None);
        let element = match self.known_type(&right.ty, right.span) {
            ty if is_unknown(&ty) => UNKNOWN,
            Ty::Set(element) | Ty::Bag(element) | Ty::Seq(element) => *element,
            ty => {
                self.bad_operand(link, right.span, &ty, "a set, bag or sequence on its right");
                UNKNOWN
            }
        };
        let why = Why::Element(right.span);
        let left = match left {
            Operand::Written(left) => self.check(left, &element, why),
            Operand::Done(left) => self.fit(left, &element, why),
        };
        (binary_kind(link.op, left, right), Ty::Bool)
    }

    fn equality(&mut self, left: Operand, link: &Link) -> (ExprKind, Ty) {
        let (left, right) = self.sides(left, link);
        let (left, right) = self.balance(left, right, link);
        (binary_kind(link.op, left, right), Ty::Bool)
    }

    fn comparison(&mut self, left: Operand, link: &Link) -> (ExprKind, Ty) {
        let (left, right) = self.sides(left, link);
        let errors = self.errors;
        let (left, right) = self.balance(left, right, link);
        if self.errors == errors {
            self.want_ordered(&left.ty, left.span, spelling(link.op));
        }
        (binary_kind(link.op, left, right), Ty::Bool)
    }

    /// `|` on sets and bags, `&` on sets.
    fn set_operation(&mut self, left: Operand, link: &Link) -> (ExprKind, Ty) {
        let (left, right) = self.sides(left, link);
        let (left, right) = self.balance(left, right, link);
        let ty = self.known_type(&left.ty, left.span);
        let fits = match &ty {
            Ty::Set(_) => true,
            Ty::Bag(_) => link.op == BinaryOp::Union,
            ty => is_unknown(ty),
        };
        if !fits {
            let wanted = if link.op == BinaryOp::Union {
                "sets or bags"
            } else {
                "sets"
            };
            self.bad_operand(link, left.span, &ty, wanted);
        }
        let ty = if fits { ty } else { UNKNOWN };
        (binary_kind(link.op, left, right), ty)
    }

    /// `+ - * / %` on numbers; `+` on sequences, `-` on sets and bags.
    fn arithmetic(&mut self, left: Operand, link: &Link) -> (ExprKind, Ty) {
        let (left, right) = self.sides(left, link);
        if is_hole(&left.ty) || is_hole(&right.ty) {
            self.unit.holes.unify(&left.ty, &right.ty);
        }
        let left_ty = self.known_type(&left.ty, left.span);
        let right_ty = self.known_type(&right.ty, right.span);
        if is_unknown(&left_ty) || is_unknown(&right_ty) {
            return (binary_kind(link.op, left, right), UNKNOWN);
        }
        let collections = match &left_ty {
            Ty::Seq(_) => link.op == BinaryOp::Add,
            Ty::Set(_) | Ty::Bag(_) => link.op == BinaryOp::Subtract,
            _ => false,
        };
        if collections {
            let (left, right) = self.balance(left, right, link);
            return (binary_kind(link.op, left, right), left_ty);
        }
        for (side, ty) in [(&left, &left_ty), (&right, &right_ty)] {
            if self.types.number(ty).is_none() {
                self.bad_operand(link, side.span, ty, operands(link.op));
                return (ExprKind::Bool(false), UNKNOWN);
            }
        }
        self.numbers(left, right, link)
    }

    fn numbers(&mut self, mut left: Expr, mut right: Expr, link: &Link) -> (ExprKind, Ty) {
        (left.ty, right.ty) = (self.shallow(&left.ty), self.shallow(&right.ty));
        let nat = |side: &Expr| self.types.number(&side.ty) == Some(Number::Nat);
        if link.op != BinaryOp::Subtract && nat(&left) && nat(&right) {
            return (binary_kind(link.op, left, right), Ty::Nat);
        }
        (binary_kind(link.op, widen(left), widen(right)), Ty::Int)
    }

    /// Looks at both sides, first at the one that has a type of its own.
    fn sides(&mut self, left: Operand, link: &Link) -> (Expr, Expr) {
        let guide = self.wanted_of_operands(link.op, link.wanted.as_ref());
        match left {
            Operand::Written(left) if self.adapts(left) && !self.adapts(&link.right) => {
                let right = self.side(&link.right, guide.as_ref());
                let left = self.other_side(left, &right.ty, link.op);
                (left, right)
            }
            Operand::Written(left) => {
                let left = self.side(left, guide.as_ref());
                let right = self.other_side(&link.right, &left.ty, link.op);
                (left, right)
            }
            Operand::Done(mut left) => {
                left.ty = self.shallow(&left.ty);
                let right = self.other_side(&link.right, &left.ty, link.op);
                (left, right)
            }
        }
    }

    fn side(&mut self, side: &ast::Expr, guide: Option<&Ty>) -> Expr {
        let mut side = self.expr(side, guide.map(Want::here));
        side.ty = self.shallow(&side.ty);
        side
    }

    /// The side whose partner has type `partner`. A number does not guide the other side, except
    /// that a literal next to a `nat` is one, but for `-`.
    fn other_side(&mut self, side: &ast::Expr, partner: &Ty, op: BinaryOp) -> Expr {
        let guide = if self.types.number(partner).is_none() {
            Some(partner)
        } else {
            let nat = *partner == Ty::Nat && op != BinaryOp::Subtract && is_integer_literal(side);
            nat.then_some(&Ty::Nat)
        };
        self.side(side, guide)
    }

    /// Does the expression take its type from where it stands?
    fn adapts(&self, e: &ast::Expr) -> bool {
        match e {
            ast::Expr::Literal(_)
            | ast::Expr::None(_)
            | ast::Expr::Some(_)
            | ast::Expr::Tuple(_)
            | ast::Expr::Set(_)
            | ast::Expr::Bag(_)
            | ast::Expr::Seq(_) => true,
            ast::Expr::Paren(paren) => paren.inner().is_some_and(|inner| self.adapts(&inner)),
            ast::Expr::Name(name) => name.name().is_some_and(|name| self.is_ambiguous(&name)),
            ast::Expr::Call(call) => call.name().is_some_and(|name| self.is_ambiguous(&name)),
            _ => false,
        }
    }

    /// Is this a variant that several enums have?
    fn is_ambiguous(&self, name: &ast::Name) -> bool {
        self.names.enums_with(name.text()).len() > 1
            && self.unit.scope.find(name.text()).is_none()
            && self.own_var(name.text()).is_none()
            && self.names.item(name.text()).is_none()
    }

    /// Makes two sides the same type: numbers are widened when they differ.
    fn balance(&mut self, left: Expr, right: Expr, link: &Link) -> (Expr, Expr) {
        if left.ty == right.ty {
            return (left, right);
        }
        if self.types.number(&left.ty).is_some() && self.types.number(&right.ty).is_some() {
            return (widen(left), widen(right));
        }
        if !self.unit.holes.unify(&left.ty, &right.ty) {
            self.unequal(&left, &right, link);
            self.unit.holes.drown(&left.ty);
            self.unit.holes.drown(&right.ty);
        }
        (left, right)
    }

    fn unequal(&mut self, left: &Expr, right: &Expr, link: &Link) {
        let (left_ty, right_ty) = (a(&self.show(&left.ty)), a(&self.show(&right.ty)));
        let op = spelling(link.op);
        let message = format!(
            "the sides of `{op}` differ: {} is {left_ty}, but {} is {right_ty}",
            self.quote(left.span),
            self.quote(right.span),
        );
        let mut diagnostic = Diagnostic::error(&TYPE_MISMATCH, link.span, message)
            .also(left.span, format!("this is {left_ty}"))
            .also(right.span, format!("this is {right_ty}"));
        let (left_ty, right_ty) = (self.resolved(&left.ty), self.resolved(&right.ty));
        diagnostic.help = match (&left_ty, &right_ty) {
            (Ty::Option(inner), other) if **inner == *other => Some(format!(
                "compare with `some({})`",
                right.span.slice(self.text)
            )),
            (other, Ty::Option(inner)) if **inner == *other => Some(format!(
                "compare with `some({})`",
                left.span.slice(self.text)
            )),
            _ => None,
        };
        self.report(diagnostic);
    }

    fn bad_operand(&mut self, link: &Link, span: Span, ty: &Ty, wanted: &str) {
        if is_unknown(ty) {
            return;
        }
        let shown = a(&self.show(ty));
        let op = spelling(link.op);
        let message = format!("`{op}` wants {wanted}, but {} is {shown}", self.quote(span));
        let mut diagnostic =
            Diagnostic::error(&BAD_OPERAND, span, message).also(link.op_span, "of this operator");
        diagnostic.help = match (link.op, ty) {
            (BinaryOp::Add, Ty::Set(_)) => {
                Some("the union of sets is written `|`; to add one element, `s.with(x)`".into())
            }
            (BinaryOp::Add, Ty::Bag(_)) => Some("bags are added up with `|`".into()),
            (BinaryOp::Union, Ty::Seq(_)) => Some("sequences are joined with `+`".into()),
            (BinaryOp::Union, Ty::Bool) => Some("for truth values write `||`".into()),
            (BinaryOp::Intersect, Ty::Bool) => Some("for truth values write `&&`".into()),
            (BinaryOp::Subtract, Ty::Seq(_)) => {
                Some("use `drop_first()`, `drop_last()` or a comprehension".into())
            }
            (_, Ty::Sort(_)) if is_arithmetic(link.op) => {
                let sort = self.show(ty);
                Some(format!(
                    "members of `{sort}` are no numbers; to count with them, make it a range, as in \
                     `param N: nat; sort {sort} = 0..N;`"
                ))
            }
            _ => None,
        };
        self.report(diagnostic);
    }

    /// `!e` and `-e`
    pub(crate) fn prefix(&mut self, e: &ast::PrefixExpr) -> Expr {
        let span = e.span();
        let Some(operand) = e.operand() else {
            return self.wrong(span);
        };
        match e.op() {
            PrefixOp::Not => {
                let inner = self.check(&operand, &Ty::Bool, Why::Word("!"));
                Expr {
                    kind: ExprKind::Unary(UnOp::Not, Box::new(inner)),
                    ty: Ty::Bool,
                    span,
                }
            }
            PrefixOp::Negate => {
                let inner = self.check(&operand, &Ty::Int, Why::Word("-"));
                Expr {
                    kind: ExprKind::Unary(UnOp::Neg, Box::new(inner)),
                    ty: Ty::Int,
                    span,
                }
            }
        }
    }

    /// `a..b` and `a..=b`
    pub(crate) fn range(&mut self, e: &ast::RangeExpr) -> Expr {
        let span = e.span();
        let inclusive = e.is_inclusive();
        let word = if inclusive { "..=" } else { ".." };
        let (Some(start), Some(end)) = (e.start(), e.end()) else {
            return self.wrong(span);
        };
        let start = Box::new(self.check(&start, &Ty::Int, Why::Word(word)));
        let end = Box::new(self.check(&end, &Ty::Int, Why::Word(word)));
        let ty = Ty::Set(Box::new(Ty::Int));
        Expr {
            kind: ExprKind::Range {
                start,
                end,
                inclusive,
            },
            ty,
            span,
        }
    }

    /// `place op= value`: the new value of the place, from its old one.
    pub(crate) fn combine(
        &mut self,
        old: Expr,
        op: BinaryOp,
        value: &ast::Expr,
        span: Span,
    ) -> Expr {
        let link = Link {
            op,
            right: value.clone(),
            span,
            op_span: span,
            wanted: Some(old.ty.clone()),
        };
        self.link(Operand::Done(old), &link)
    }
}

fn is_integer_literal(e: &ast::Expr) -> bool {
    match e {
        ast::Expr::Literal(literal) => matches!(literal.value(), Some(LiteralValue::Int(_))),
        ast::Expr::Paren(paren) => paren
            .inner()
            .is_some_and(|inner| is_integer_literal(&inner)),
        _ => false,
    }
}

fn binary_kind(op: BinaryOp, left: Expr, right: Expr) -> ExprKind {
    ExprKind::Binary(ir_operator(op), Box::new(left), Box::new(right))
}

fn ir_operator(op: BinaryOp) -> BinOp {
    match op {
        BinaryOp::Iff => BinOp::Iff,
        BinaryOp::Implies => BinOp::Implies,
        BinaryOp::Or => BinOp::Or,
        BinaryOp::And => BinOp::And,
        BinaryOp::Equal => BinOp::Eq,
        BinaryOp::NotEqual => BinOp::Ne,
        BinaryOp::Less => BinOp::Lt,
        BinaryOp::LessOrEqual => BinOp::Le,
        BinaryOp::Greater => BinOp::Gt,
        BinaryOp::GreaterOrEqual => BinOp::Ge,
        BinaryOp::In => BinOp::In,
        BinaryOp::Union => BinOp::Union,
        BinaryOp::Intersect => BinOp::Inter,
        BinaryOp::Add => BinOp::Add,
        BinaryOp::Subtract => BinOp::Sub,
        BinaryOp::Multiply => BinOp::Mul,
        BinaryOp::Divide => BinOp::Div,
        BinaryOp::Remainder => BinOp::Rem,
    }
}

fn is_arithmetic(op: BinaryOp) -> bool {
    use BinaryOp::{Add, Divide, Multiply, Remainder, Subtract};
    matches!(op, Add | Subtract | Multiply | Divide | Remainder)
}

fn spelling(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Iff => "<==>",
        BinaryOp::Implies => "==>",
        BinaryOp::Or => "||",
        BinaryOp::And => "&&",
        BinaryOp::Equal => "==",
        BinaryOp::NotEqual => "!=",
        BinaryOp::Less => "<",
        BinaryOp::LessOrEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterOrEqual => ">=",
        BinaryOp::In => "in",
        BinaryOp::Union => "|",
        BinaryOp::Intersect => "&",
        BinaryOp::Add => "+",
        BinaryOp::Subtract => "-",
        BinaryOp::Multiply => "*",
        BinaryOp::Divide => "/",
        BinaryOp::Remainder => "%",
    }
}

fn operands(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Add => "numbers or sequences",
        BinaryOp::Subtract => "numbers, sets or bags",
        _ => "numbers",
    }
}
