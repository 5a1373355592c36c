//! Expressions: operators by precedence climbing, postfix forms, quantifiers and branches.
//!
//! The levels are those of the book's table (section 3), times ten. A level binds tighter the
//! higher it is.

use plainsong_diagnostics::{Diagnostic, Span};
use rowan::Checkpoint;

use super::{MAX_HEIGHT, Parser, Surroundings};
use crate::codes;
use crate::kinds::SyntaxKind::{self, *};

const IFF: u8 = 20;
const IMPLIES: u8 = 30;
const OR: u8 = 40;
const AND: u8 = 50;
pub(super) const COMPARE: u8 = 60;
const UNION: u8 = 70;
const INTERSECT: u8 = 80;
const RANGE: u8 = 85;
const SUM: u8 = 90;
const PRODUCT: u8 = 100;
const PREFIX: u8 = 110;

/// The level of an operator between two operands.
pub(super) fn infix_level(kind: SyntaxKind) -> Option<u8> {
    Some(match kind {
        IffOp => IFF,
        ImpliesOp => IMPLIES,
        OrOp => OR,
        AndOp => AND,
        EqEq | NotEq | Lt | LtEq | Gt | GtEq | InKw | IsKw => COMPARE,
        Pipe => UNION,
        Amp => INTERSECT,
        DotDot | DotDotEq => RANGE,
        Plus | Minus => SUM,
        Star | Slash | Percent => PRODUCT,
        _ => return None,
    })
}

impl Parser<'_> {
    /// An expression; reports when there is none. Says whether something was taken.
    pub(super) fn expression(&mut self) -> bool {
        self.expression_at(0)
    }

    /// An expression after which a `{` begins a block.
    pub(super) fn condition(&mut self) {
        let surroundings = Surroundings {
            block_follows: true,
            ..self.surroundings
        };
        self.within(surroundings, |p| {
            p.expression();
            if p.at(Eq) {
                p.assignment_in_condition();
            }
        });
    }

    /// `if x = 1 {`: reported, and read as a comparison.
    fn assignment_in_condition(&mut self) {
        let span = self.current_span();
        self.report(
            Diagnostic::error(
                &codes::WRONG_OPERATOR,
                span,
                "`=` assigns and is not a condition",
            )
            .help("to compare, write `==`")
            .fix("compare with `==`", vec![(span, "==".into())]),
        );
        let start = self.open();
        self.bump();
        self.expression();
        self.close(start, Error);
    }

    /// An expression whose operators bind at least as tightly as `level`.
    fn expression_at(&mut self, level: u8) -> bool {
        if self.at(Reserved) {
            self.reserved_expression();
        } else if !self.kind.starts_expression() && self.misused.contains(&self.kind) {
            self.read_as_name();
        }
        if !self.kind.starts_expression() {
            return self.no_expression();
        }
        let outer = std::mem::take(&mut self.height);
        self.deeper(|p| {
            let start = p.open();
            p.operand(start);
            p.operators(start, level);
        });
        self.height = outer.max(self.height + 1);
        true
    }

    fn operand(&mut self, start: Checkpoint) {
        if self.at(Bang) || self.at(Minus) {
            self.bump();
            self.expression_at(PREFIX);
            self.close(start, PrefixExpr);
        } else {
            self.primary(start);
            self.postfix(start);
        }
    }

    fn operators(&mut self, start: Checkpoint, minimum: u8) {
        let mut compared: Option<(u8, Span)> = None;
        while let Some(level) = infix_level(self.kind).filter(|&level| level >= minimum) {
            if self.too_high() {
                return;
            }
            if let Some((_, first)) = compared.filter(|&(other, _)| other == level) {
                self.chained(first);
            }
            compared = matches!(level, COMPARE | RANGE).then(|| (level, self.current_span()));
            let kind = self.kind;
            self.bump();
            let complete = match kind {
                IsKw => {
                    self.pattern();
                    true
                }
                ImpliesOp => self.expression_at(level),
                _ => self.expression_at(level + 1),
            };
            self.close(start, infix_node(kind));
            if !complete {
                return;
            }
        }
    }

    /// `a < b < c`.
    fn chained(&mut self, first: Span) {
        let second = self.current_span();
        let diagnostic = if self.at(DotDot) || self.at(DotDotEq) {
            Diagnostic::error(&codes::CHAINED_COMPARISON, second, "ranges do not chain")
        } else {
            Diagnostic::error(
                &codes::CHAINED_COMPARISON,
                second,
                "comparisons do not chain",
            )
            .help("join two comparisons with `&&`, or add parentheses")
        };
        self.report(diagnostic.also(first, "the first is here"));
    }

    /// Makes a tree that leans to the left one higher; at the limit reports and skips.
    fn too_high(&mut self) -> bool {
        self.height += 1;
        let limit = self.height > MAX_HEIGHT;
        if limit {
            self.too_deep(format!(
                "this expression has too many operands: the limit is {MAX_HEIGHT}"
            ));
        }
        limit
    }

    fn postfix(&mut self, start: Checkpoint) {
        while matches!(self.kind, Dot | LBracket | LParen) {
            if self.at(LParen) && self.first_on_line() || self.too_high() {
                return;
            }
            match self.kind {
                Dot => self.member(start),
                LBracket => {
                    self.index_list();
                    self.close(start, IndexExpr);
                }
                _ => {
                    self.report(
                        Diagnostic::error(
                            &codes::NOT_CALLABLE,
                            self.current_span(),
                            "only a name can be called",
                        )
                        .help("functions are not values: write `name(…)` or `value.method(…)`"),
                    );
                    self.arguments();
                    self.close(start, CallExpr);
                }
            }
        }
    }

    /// `.field`, `.0` or `.method(…)`.
    fn member(&mut self, start: Checkpoint) {
        self.bump();
        let method = self.nth(1) == LParen;
        if self.eat(Int) {
            self.close(start, TupleFieldExpr);
        } else if method && (self.at(Ident) || self.kind.is_keyword()) {
            self.bump_as(Ident);
            self.arguments();
            self.close(start, MethodExpr);
        } else {
            self.expect_name("a field or method name");
            self.close(start, FieldExpr);
        }
    }

    /// `(e, …)` after a name.
    pub(super) fn arguments(&mut self) {
        let start = self.open();
        self.delimited("an argument", starts_element, |p| _ = p.expression());
        self.close(start, ArgList);
    }

    fn index_list(&mut self) {
        let start = self.open();
        let opening = self.current_span();
        let count = self.delimited("an index", starts_element, |p| _ = p.expression());
        if count == 0 {
            self.report(Diagnostic::error(
                &codes::UNEXPECTED_TOKEN,
                opening,
                "expected an index",
            ));
        }
        self.close(start, IndexList);
    }

    /// `1..`, `0..n`, `1..=5`: what a sort may be equal to.
    pub(super) fn sort_range(&mut self) {
        let start = self.open();
        if !self.expression_at(RANGE + 1) {
            return;
        }
        match self.kind {
            DotDot => {
                self.bump();
                if self.kind.starts_expression() {
                    self.expression_at(RANGE + 1);
                }
            }
            DotDotEq => {
                self.bump();
                self.expression_at(RANGE + 1);
            }
            _ => self.expected_with_help(
                "`..` or `..=`",
                "a sort is a range of integers: `0..N`, `1..=5` or `1..`",
            ),
        }
        self.close(start, RangeExpr);
    }

    /// A type or an expression to take values from.
    pub(super) fn domain(&mut self) {
        let type_keyword = match self.kind {
            BoolKw => !matches!(self.nth(1), Dot | Pipe | Amp | Minus),
            IntKw | NatKw | OptionKw | SetKw | SeqKw | ProcessKw => true,
            BagKw | MapKw => self.nth(1) == Lt,
            LParen => self.at_tuple_of_types(),
            _ => false,
        };
        if type_keyword {
            self.ty();
        } else {
            self.expression_at(COMPARE + 1);
        }
    }

    /// `(int, bool)`: only what types are made of up to the closing bracket, and a word among it that
    /// begins no expression. Tuples of names and `bool` are read as expressions; what they mean is
    /// found out later.
    fn at_tuple_of_types(&self) -> bool {
        const REACH: usize = 1_000;
        let tokens = self.tokens[self.at..].iter().map(|token| token.kind);
        let mut depth = 0_usize;
        let mut begins_no_expression = false;
        for kind in tokens.filter(|kind| !kind.is_trivia()).take(REACH) {
            match kind {
                LParen => depth += 1,
                RParen if depth == 1 => return begins_no_expression,
                RParen => depth -= 1,
                IntKw | NatKw | OptionKw | SetKw | SeqKw | ProcessKw | BagKw | MapKw => {
                    begins_no_expression = true;
                }
                Comma | Ident | BoolKw | Lt | Gt => {}
                _ => return false,
            }
        }
        false
    }

    /// `where e`, if there is one.
    pub(super) fn optional_where(&mut self) {
        if self.at(WhereKw) {
            let start = self.open();
            self.bump();
            self.expression();
            self.close(start, WhereClause);
        }
    }

    /// Reports that there is no expression here. Says whether something was taken all the same.
    fn no_expression(&mut self) -> bool {
        match self.kind {
            ChooseKw => return self.misplaced_choose(),
            Reserved => {}
            IntKw | NatKw | OptionKw | SetKw | SeqKw | ProcessKw => self.expected_with_help(
                "an expression",
                "a type stands for its values only after `in` and `choose`",
            ),
            Plus | Semicolon if self.is_step("++") || self.is_step("--") => {
                self.expected_with_help("an expression", "write `x += 1;` or `x -= 1;`");
            }
            Underscore => {
                self.expected_with_help("an expression", "`_` is a pattern and has no value");
            }
            ReceiveKw => self.expected_with_help(
                "an expression",
                "`receive` is a statement and gives names to what comes: `receive Ping(n) from b;`",
            ),
            kind if kind.is_keyword() && !self.first_on_line() => {
                let help = format!(
                    "`{}` is a keyword and cannot be a name",
                    self.current_text()
                );
                self.expected_with_help("an expression", &help);
            }
            _ => self.expected("an expression"),
        }
        false
    }

    /// A reserved word that seems to be meant as a name is read as one.
    fn reserved_expression(&mut self) {
        self.reserved_word();
        if self.nth(1) != Ident {
            self.read_as_name();
        }
    }

    fn read_as_name(&mut self) {
        self.tokens[self.at].kind = Ident;
        self.kind = Ident;
    }

    /// Does the text up to here end with `operator`, as in `x++;` and `x--;`?
    fn is_step(&self, operator: &str) -> bool {
        let end = if self.at(Plus) {
            self.current_span().end
        } else {
            self.last_end
        };
        self.text[..end as usize].ends_with(operator)
    }

    fn misplaced_choose(&mut self) -> bool {
        let diagnostic = Diagnostic::error(
            &codes::MISPLACED_CHOOSE,
            self.current_span(),
            "`choose` cannot stand inside an expression",
        )
        .help("first give the choice a name: `let x = choose …;`");
        self.report(diagnostic);
        self.deeper(Self::choose);
        true
    }

    /// `[fair] choose domain [where e]`.
    pub(super) fn choose(&mut self) {
        let start = self.open();
        if self.at_word("fair") {
            self.bump_as(FairKw);
        }
        self.bump();
        self.domain();
        self.optional_where();
        self.close(start, Choose);
    }
}

/// What begins an element of a list: an expression, or what will be reported in its place.
pub(super) fn starts_element(kind: SyntaxKind) -> bool {
    kind.starts_expression() || matches!(kind, ChooseKw | Reserved)
}

fn infix_node(kind: SyntaxKind) -> SyntaxKind {
    match kind {
        IsKw => IsExpr,
        DotDot | DotDotEq => RangeExpr,
        _ => BinaryExpr,
    }
}
