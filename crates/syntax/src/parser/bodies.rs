//! Processes and choreographies: what stands in their braces, and in which order.

use plainsong_diagnostics::{Diagnostic, Span};
use rowan::Checkpoint;

use super::{Parser, Surroundings};
use crate::codes;
use crate::kinds::SyntaxKind::*;

impl Parser<'_> {
    pub(super) fn process(&mut self, start: Checkpoint) {
        if self.eat(DaemonKw) {
            self.expect(ProcessKw);
        } else {
            self.bump();
        }
        self.expect_name("the name of a process");
        if self.at(LBracket) {
            self.binders(LBracket);
        }
        if self.at_opening_brace() {
            self.process_body();
        }
        self.close(start, ProcessItem);
    }

    /// State variables, then statements or handlers.
    fn process_body(&mut self) {
        let start = self.open();
        let mut order = PartOrder::default();
        self.braced(|p| match p.kind {
            OnKw => {
                p.check_process_order(&mut order, Part::Handler);
                p.handler();
            }
            VarKw if order.last.is_none() => p.var_declaration(),
            InKw if order.last.is_none() => p.input(),
            Ident if order.last.is_none() && p.at_word("durable") && p.nth(1) == VarKw => {
                p.var_declaration();
            }
            DecreasesKw => p.measure(),
            Ident if p.at_covers() => p.order(),
            VarKw if order.is_last(Part::Handler) => {
                p.check_process_order(&mut order, Part::State);
                p.var_declaration();
            }
            kind => {
                if kind.starts_keyword_statement() || kind.starts_expression() {
                    p.check_process_order(&mut order, Part::Statement);
                }
                p.statement();
            }
        });
        self.close(start, ProcessBody);
    }

    /// `decreases e, …;`
    fn measure(&mut self) {
        let start = self.open();
        self.bump();
        self.levels();
        self.expect_semicolon();
        self.close(start, DecreasesClause);
    }

    /// `covers e`, where no statement about something of that name can stand.
    fn at_covers(&self) -> bool {
        let is_expression = self.nth(1).starts_expression() && self.nth(1) != LBracket;
        self.at_word("covers") && is_expression
    }

    /// `covers e;`
    fn order(&mut self) {
        let start = self.open();
        self.bump_as(CoversKw);
        self.expression();
        self.expect_semicolon();
        self.close(start, CoversClause);
    }

    fn check_process_order(&mut self, order: &mut PartOrder, part: Part) {
        let here = self.current_span();
        let Some((earlier, there)) = order.follow(part, here) else {
            return;
        };
        let diagnostic = if part == Part::State {
            Diagnostic::error(
                &codes::WRONG_ORDER,
                here,
                "state variables come before the handlers",
            )
            .also(there, "the first handler is here")
        } else {
            let message = "a process has either statements or handlers, not both";
            let other = if earlier == Part::Handler {
                "handler"
            } else {
                "statement"
            };
            Diagnostic::error(&codes::MIXED_BODY, here, message)
                .also(there, format!("the first {other} is here"))
                .help("do first things in `init`, or use a `loop` with `receive { … }`")
        };
        self.report(diagnostic);
    }

    fn handler(&mut self) {
        let start = self.open();
        self.bump();
        self.within(
            Surroundings {
                block_follows: true,
                body_follows: false,
            },
            Self::accept,
        );
        self.block();
        self.close(start, Handler);
    }

    pub(super) fn choreography(&mut self, start: Checkpoint) {
        self.bump();
        self.expect_name("the name of a choreography");
        self.binders(LParen);
        if self.at_opening_brace() {
            let body = self.open();
            let mut order = PartOrder::default();
            self.braced(|p| p.choreography_part(&mut order));
            self.close(body, ChoreographyBody);
        }
        self.close(start, ChoreographyItem);
    }

    /// An endpoint, a contract or a statement.
    fn choreography_part(&mut self, order: &mut PartOrder) {
        match self.kind {
            EndpointKw => {
                self.check_choreography_order(order, Part::State);
                self.endpoint();
            }
            RequiresKw | EnsuresKw => {
                self.check_choreography_order(order, Part::Contract);
                let start = self.open();
                self.bump();
                self.expression();
                self.expect_semicolon();
                self.close(start, Contract);
            }
            kind => {
                if kind.starts_keyword_statement() || kind.starts_expression() {
                    order.follow(Part::Statement, self.current_span());
                }
                self.statement();
            }
        }
    }

    fn check_choreography_order(&mut self, order: &mut PartOrder, part: Part) {
        let here = self.current_span();
        if let Some((_, there)) = order.follow(part, here) {
            let message =
                "endpoints come first, then `requires` and `ensures`, then the statements";
            self.report(
                Diagnostic::error(&codes::WRONG_ORDER, here, message)
                    .also(there, "this should come later"),
            );
        }
    }

    fn endpoint(&mut self) {
        let start = self.open();
        self.bump();
        self.expect_name("the name of an endpoint");
        if self.at(LBracket) {
            self.binders(LBracket);
        }
        if self.at_opening_brace() {
            self.braced(|p| match p.kind {
                VarKw => p.var_declaration(),
                InKw => p.input(),
                _ => p.expected_with_help("`var`, `in` or `}`", "an endpoint holds only variables"),
            });
        }
        self.close(start, Endpoint);
    }
}

/// The parts of a body that have an order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// Variables of a process, endpoints of a choreography.
    State,
    Contract,
    Statement,
    Handler,
}

/// Which part of a body came last, and where the first of its kind is.
#[derive(Default)]
struct PartOrder {
    last: Option<(Part, Span)>,
    reported: bool,
}

impl PartOrder {
    fn is_last(&self, part: Part) -> bool {
        self.last.is_some_and(|(last, _)| last == part)
    }

    /// Goes on to `part`; returns the earlier part that should not have come before it, once.
    fn follow(&mut self, part: Part, here: Span) -> Option<(Part, Span)> {
        match self.last {
            Some((last, _)) if last == part => None,
            Some(earlier) if earlier.0 > part || part == Part::Handler => {
                (!std::mem::replace(&mut self.reported, true)).then_some(earlier)
            }
            _ => {
                self.last = Some((part, here));
                None
            }
        }
    }
}
