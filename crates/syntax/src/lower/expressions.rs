//! Expressions: finding the type, with the wanted one as a guide.

use super::Lowering;
use super::addressed::Addressed;
use super::codes::places::MISPLACED_EXPRESSION;
use super::fit::{Want, Wanted, Why};
use super::unit::{Binder, Home, Unit};
use crate::ast::{self, AstNode};
use crate::names::Signal;
use crate::types::UNKNOWN;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{Collection, Expr, ExprKind, LocalId, MessageId, Pattern, PendingOf, Ty};

impl Lowering<'_> {
    /// Begins a new unit.
    pub(crate) fn begin(&mut self, home: Home) {
        self.unit = Unit {
            errors_before: self.errors,
            ..Unit::new(home)
        };
    }

    /// The expression as a value of type `wanted`.
    pub(crate) fn check(&mut self, expr: &ast::Expr, wanted: &Ty, why: Why) -> Expr {
        let value = self.expr(expr, Some(Want { ty: wanted, why }));
        self.fit(value, wanted, why)
    }

    /// The expression, made to fit if a type is wanted.
    fn expr_fitting(&mut self, expr: &ast::Expr, wanted: Wanted) -> Expr {
        match wanted {
            Some(wanted) => self.check(expr, wanted.ty, wanted.why),
            None => self.expr(expr, None),
        }
    }

    /// A condition: of type `bool`, wanted by `word`.
    pub(crate) fn condition(
        &mut self,
        expr: Option<ast::Expr>,
        span: Span,
        word: &'static str,
    ) -> Expr {
        match expr {
            Some(expr) => self.check(&expr, &Ty::Bool, Why::Word(word)),
            None => self.wrong(span),
        }
    }

    /// The condition after `where`.
    pub(crate) fn filter(&mut self, filter: &ast::WhereClause) -> Expr {
        self.condition(filter.condition(), filter.span(), "where")
    }

    /// The expression, of whatever type it has. `wanted` guides what has no type of its own, such
    /// as `none`, and is passed on to branches and elements; the result need not have that type.
    pub(crate) fn expr(&mut self, expr: &ast::Expr, wanted: Wanted) -> Expr {
        match expr {
            ast::Expr::Literal(e) => self.literal(e, wanted),
            ast::Expr::Name(e) => self.name_expr(e, wanted),
            ast::Expr::Binary(e) => self.binary(e, wanted),
            ast::Expr::Field(e) => self.field(e),
            ast::Expr::Index(e) => self.index(e),
            ast::Expr::Call(e) => self.call(e, wanted),
            ast::Expr::Method(e) => self.method(e, wanted),
            ast::Expr::Paren(e) => self.paren(e, wanted),
            ast::Expr::Prefix(e) => self.prefix(e),
            ast::Expr::Is(e) => self.is(e),
            ast::Expr::Range(e) => self.range(e),
            ast::Expr::SelfPid(e) => self.self_pid(e.span()),
            ast::Expr::None(e) => self.none(e.span(), wanted),
            ast::Expr::Some(e) => self.some(e, wanted),
            ast::Expr::Type(e) => self.type_expr(e),
            ast::Expr::Path(e) => self.path(e),
            ast::Expr::Tuple(e) => self.tuple(e, wanted),
            ast::Expr::TupleField(e) => self.tuple_field(e),
            ast::Expr::Set(e) => self.collection(Collection::Set, e.elements(), e.span(), wanted),
            ast::Expr::Bag(e) => self.collection(Collection::Bag, e.elements(), e.span(), wanted),
            ast::Expr::Seq(e) => self.collection(Collection::Seq, e.elements(), e.span(), wanted),
            ast::Expr::Filter(e) => self.filter_comprehension(e),
            ast::Expr::SetComprehension(e) => {
                self.comprehension(Collection::Set, e.bindings(), e.element(), e.span(), wanted)
            }
            ast::Expr::SeqComprehension(e) => {
                self.comprehension(Collection::Seq, e.bindings(), e.element(), e.span(), wanted)
            }
            ast::Expr::Map(e) => self.map(e, wanted),
            ast::Expr::Struct(e) => self.struct_literal(e),
            ast::Expr::If(e) => self.if_expr(e, wanted),
            ast::Expr::Match(e) => self.match_expr(e, wanted),
            ast::Expr::Quantifier(e) => self.quantifier(e),
            ast::Expr::Old(e) => self.old(e, wanted),
            ast::Expr::Pending(e) => self.pending(e),
            ast::Expr::Block(e) => self.block_expr(e, wanted),
        }
    }

    fn paren(&mut self, paren: &ast::ParenExpr, wanted: Wanted) -> Expr {
        match paren.inner() {
            Some(inner) => self.expr(&inner, wanted),
            None => self.wrong(paren.span()),
        }
    }

    fn self_pid(&mut self, span: Span) -> Expr {
        if !self.unit.home.is_process() {
            let message = format!("`self` means nothing in {}", self.unit.home.describe());
            self.report(
                Diagnostic::error(&MISPLACED_EXPRESSION, span, message)
                    .help("`self` is the process whose code it stands in"),
            );
            return self.wrong(span);
        }
        Expr {
            kind: ExprKind::SelfPid,
            ty: Ty::Process,
            span,
        }
    }

    fn type_expr(&mut self, e: &ast::TypeExpr) -> Expr {
        let ty = e
            .ty()
            .map_or(UNKNOWN, |ty| super::annotations::primitive(&ty));
        self.all(ty, e.span())
    }

    /// The set of all values of a type.
    pub(crate) fn all(&mut self, ty: Ty, span: Span) -> Expr {
        if !self.want_finite(&ty, span, "a type used as a set") {
            return self.wrong(span);
        }
        Expr {
            kind: ExprKind::All(ty.clone()),
            ty: Ty::Set(Box::new(ty)),
            span,
        }
    }

    /// `old(e)`
    fn old(&mut self, old: &ast::OldExpr, wanted: Wanted) -> Expr {
        let span = old.span();
        if !self.unit.old {
            let message = match self.unit.home {
                Home::Line(_) => "`old` stands only in `ensures` and invariants".to_owned(),
                home => format!("`old` means nothing in {}", home.describe()),
            };
            self.report(
                Diagnostic::error(&MISPLACED_EXPRESSION, span, message).help(
                    "`old(e)` is the value of `e` at the start of a choreography, of a loop in a \
                     procedure, or before a step; it stands in `ensures` clauses, loop invariants, `covers` and \
                     `always`, not inside another `old`",
                ),
            );
        }
        let Some(inner) = old.inner() else {
            return self.wrong(span);
        };
        let outside = std::mem::replace(&mut self.unit.old, false);
        let inner = self.expr(&inner, wanted);
        self.unit.old = outside;
        let ty = inner.ty.clone();
        Expr {
            kind: ExprKind::Old(Box::new(inner)),
            ty,
            span,
        }
    }

    /// `pending(M)`
    fn pending(&mut self, pending: &ast::PendingExpr) -> Expr {
        let span = pending.span();
        if !matches!(self.unit.home, Home::Property | Home::Schedule) {
            let message = format!("`pending` means nothing in {}", self.unit.home.describe());
            self.report(
                Diagnostic::error(&MISPLACED_EXPRESSION, span, message)
                    .help("only properties and schedules see what is in flight"),
            );
            return self.wrong(span);
        }
        let of = match pending.name() {
            None => Some(PendingOf::All),
            Some(name) => match self.names.signal(name.text()) {
                Some(Signal::Message(id)) => Some(PendingOf::Message(id)),
                Some(Signal::Action(id)) => Some(PendingOf::Action(id)),
                Some(Signal::Procedure(_) | Signal::Invariant(_)) | None => {
                    self.unknown_signal(&name, "message or action");
                    None
                }
            },
        };
        if let (Some(PendingOf::Message(message)), Some(to)) = (of, pending.to()) {
            return self.pending_message(pending, message, to);
        }
        if let Some(to) = pending.to() {
            self.no_address(to.span());
        }
        if let Some(list) = pending.arguments() {
            return self.pending_with(pending, of, &list);
        }
        match of {
            Some(of) => {
                self.speaks_of_system(span);
                Expr {
                    kind: ExprKind::Pending(of),
                    ty: Ty::Nat,
                    span,
                }
            }
            None => self.wrong(span),
        }
    }

    /// `pending(M(e) to p)`
    fn pending_message(
        &mut self,
        pending: &ast::PendingExpr,
        message: MessageId,
        to: ast::Expr,
    ) -> Expr {
        let span = pending.span();
        self.speaks_of_system(span);
        let written = Addressed {
            message,
            arguments: pending.arguments(),
            to: Some(to),
            from: pending.from(),
            span,
        };
        match self.addressed(&written) {
            Some((id, arguments)) => Expr {
                kind: ExprKind::PendingOf(id, arguments),
                ty: Ty::Nat,
                span,
            },
            None => self.wrong(span),
        }
    }

    /// `pending(A(e))`
    fn pending_with(
        &mut self,
        pending: &ast::PendingExpr,
        of: Option<PendingOf>,
        list: &ast::ArgList,
    ) -> Expr {
        let span = pending.span();
        let Some(PendingOf::Action(id)) = of else {
            if of.is_some() {
                let message = "only asyncs of actions are counted by their arguments";
                self.report(Diagnostic::error(&MISPLACED_EXPRESSION, span, message));
            }
            self.ignore_arguments(Some(list));
            return self.wrong(span);
        };
        self.speaks_of_system(span);
        let row = &self.actions[id.index()];
        let types: Vec<Ty> = row.params.iter().map(|param| param.ty.clone()).collect();
        let declared = (row.name.clone(), Some(row.span));
        let why = |_| Why::Action(id);
        match self.arguments(Some(list), &types, span, &declared, why) {
            Some(arguments) => Expr {
                kind: ExprKind::PendingOf(id, arguments),
                ty: Ty::Nat,
                span,
            },
            None => self.wrong(span),
        }
    }

    /// `if c { a } else { b }`; the wanted type decides, else the first branch.
    fn if_expr(&mut self, e: &ast::IfExpr, wanted: Wanted) -> Expr {
        let span = e.span();
        let condition = self.condition(e.condition(), span, "if");
        let (Some(yes), Some(no)) = (e.then_branch(), e.else_branch()) else {
            return self.wrong(span);
        };
        let mut branches = Branches::new(wanted);
        let yes = self.branch(&ast::Expr::Block(yes), &mut branches);
        let no = self.branch(&no, &mut branches);
        let ty = branches.ty.unwrap_or(UNKNOWN);
        Expr {
            kind: ExprKind::If(Box::new(condition), Box::new(yes), Box::new(no)),
            ty,
            span,
        }
    }

    /// One of several values of which one is taken.
    pub(crate) fn branch(&mut self, value: &ast::Expr, branches: &mut Branches) -> Expr {
        match &branches.ty {
            Some(ty) => {
                let ty = ty.clone();
                self.check(value, &ty, branches.why)
            }
            None => {
                let value = self.expr(value, None);
                branches.ty = Some(value.ty.clone());
                branches.why = Why::First("the first branch", value.span);
                value
            }
        }
    }

    /// `{ let x = 1; x + 1 }`
    fn block_expr(&mut self, block: &ast::BlockExpr, wanted: Wanted) -> Expr {
        let mark = self.unit.enter();
        let mut lets = Vec::new();
        for item in block.lets() {
            let bound = match item.pattern() {
                Some(pattern) => Some(self.pattern_in_expr(&item, pattern)),
                None => self
                    .let_in_expr(&item)
                    .map(|(local, value)| (Bound::Name(local), value)),
            };
            lets.extend(bound.map(|(bound, value)| (bound, value, item.span())));
        }
        let mut result = match block.value() {
            Some(value) => self.expr_fitting(&value, wanted),
            None => self.wrong(block.span()),
        };
        self.unit.leave(mark);
        for (bound, value, span) in lets.into_iter().rev() {
            let ty = result.ty.clone();
            let span = span.to(result.span);
            let kind = match bound {
                Bound::Name(local) => ExprKind::Let(local, Box::new(value), Box::new(result)),
                Bound::Parts(pattern) => ExprKind::Match(Box::new(value), vec![(pattern, result)]),
            };
            result = Expr { kind, ty, span };
        }
        result
    }

    /// `let (a, b) = e;` before the value of a block: `match e { (a, b) => … }`.
    fn pattern_in_expr(&mut self, item: &ast::LetStmt, pattern: ast::Pattern) -> (Bound, Expr) {
        let subject = self.value_taken_apart(item);
        let errors = self.errors;
        let pattern = self.pattern(Some(pattern), &subject.ty, item.span());
        if self.errors == errors {
            self.cover(&subject, &[&pattern]);
        }
        (Bound::Parts(pattern), subject)
    }

    /// The value that a `let` takes apart.
    pub(crate) fn value_taken_apart(&mut self, item: &ast::LetStmt) -> Expr {
        let value = match item.initial() {
            Some(ast::Initial::Expr(value)) => value,
            Some(other) => {
                let span = match &other {
                    ast::Initial::Choose(choose) => choose.span(),
                    ast::Initial::Called(called) => called.span(),
                    ast::Initial::Expr(value) => value.span(),
                };
                let message = "only a value is taken apart";
                self.report(
                    Diagnostic::error(&MISPLACED_EXPRESSION, span, message)
                        .help("give it a name first: `let x = …; let (a, b) = x;`"),
                );
                return self.wrong(span);
            }
            None => return self.wrong(item.span()),
        };
        match item.ty() {
            Some(ty) => {
                let ty = self.ty(&ty);
                let mut value = self.check(&value, &ty, Why::Declared(item.span()));
                value.ty = ty;
                value
            }
            None => self.expr(&value, None),
        }
    }

    fn let_in_expr(&mut self, item: &ast::LetStmt) -> Option<(LocalId, Expr)> {
        let name = item.name()?;
        let value = match item.initial()? {
            ast::Initial::Expr(value) => self.initial(&value, item.ty().as_ref(), &name),
            ast::Initial::Choose(choose) => self.wrong(choose.span()),
            ast::Initial::Called(called) => {
                self.misplaced(called.span().start, "call");
                self.wrong(called.span())
            }
        };
        let ty = self.type_of_local(&value);
        Some((
            self.unit.bind(name.text(), ty, Binder::Let, name.span()),
            value,
        ))
    }

    /// The value of a declared name, with its type if one is written.
    pub(crate) fn initial(
        &mut self,
        value: &ast::Expr,
        ty: Option<&ast::Type>,
        name: &ast::Name,
    ) -> Expr {
        match ty {
            Some(ty) => {
                let ty = self.ty(ty);
                let mut value = self.check(value, &ty, Why::Declared(name.span()));
                value.ty = ty;
                value
            }
            None => self.expr(value, None),
        }
    }

    /// The type of a name that is given `value`.
    pub(crate) fn type_of_local(&mut self, value: &Expr) -> Ty {
        match self.unit.holes.resolve(&value.ty) {
            Ok(ty) => ty,
            Err(_) => {
                self.too_large(value.span);
                UNKNOWN
            }
        }
    }
}

/// What a `let` before the value of a block binds.
enum Bound {
    Name(LocalId),
    /// The names of a pattern.
    Parts(Pattern),
}

/// The type that several branches share: the wanted one, else that of the first.
pub(crate) struct Branches {
    pub(crate) ty: Option<Ty>,
    why: Why,
}

impl Branches {
    pub(crate) fn new(wanted: Wanted) -> Self {
        Branches {
            ty: wanted.map(|wanted| wanted.ty.clone()),
            why: wanted.map_or(Why::Here, |wanted| wanted.why),
        }
    }
}
