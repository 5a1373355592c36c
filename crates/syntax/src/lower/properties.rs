//! Properties: what should hold, by which engines, and at which sizes.

use super::Lowering;
use super::codes::declarations::{MIXED_PROPERTY, RESERVED_NAME, UNKNOWN_ENGINE};
use super::codes::places::MISPLACED_EXPRESSION;
use super::signatures::name_and_span;
use super::temporal::fill_temporal;
use super::unit::Home;
use crate::ast::{self, AstNode, ClaimKind};
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::visit::{Visit, VisitMut, walk};
use plainsong_ir::{Claim, Expr, ExprKind, FamilyId, Property};

/// The engines that `by` can name.
const ENGINES: [&str; 8] = [
    "states",
    "explore",
    "liveness",
    "sequentialize",
    "diverge",
    "refine",
    "project",
    "induct",
];

/// Properties that every system has.
const BUILT_IN: [&str; 2] = ["no_deadlock", "assertions"];

/// What a property speaks about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Subject {
    /// The processes or globals of the file.
    System,
    /// A choreography, by its position.
    Line(usize),
}

impl Lowering<'_> {
    pub(crate) fn properties(&mut self, items: &[ast::PropertyItem]) -> Vec<Property> {
        items.iter().map(|item| self.property(item)).collect()
    }

    fn property(&mut self, item: &ast::PropertyItem) -> Property {
        let (name, span) = name_and_span(item.name());
        if BUILT_IN.contains(&name.as_str()) {
            let message =
                format!("`{name}` is checked for every system; a property cannot be called so");
            self.report(
                Diagnostic::error(&RESERVED_NAME, span, message).help("choose another name"),
            );
        }
        let mut engines = Vec::new();
        for engine in item.engines() {
            self.engine(&engine);
            engines.push(engine.text().to_owned());
        }
        let sizes = self.sizings(item.sizings());
        self.begin(Home::Property);
        let mut claim = self.claim(item);
        let locals = self.finish(|filler| match &mut claim {
            Claim::Finally(condition) | Claim::Always(condition) | Claim::Step(condition) => {
                filler.expr(condition);
            }
            Claim::Temporal(temporal) => fill_temporal(filler, temporal),
            Claim::Quiescent { .. } => {}
        });
        Property {
            name,
            is_invariant: item.is_invariant(),
            engines,
            sizes,
            claim,
            locals,
            span,
        }
    }

    /// The constraints, each as the property that it always holds.
    pub(crate) fn constraints(&mut self, items: &[ast::ConstraintItem]) -> Vec<Property> {
        items.iter().map(|item| self.constraint(item)).collect()
    }

    fn constraint(&mut self, item: &ast::ConstraintItem) -> Property {
        let (name, span) = name_and_span(item.name());
        self.begin(Home::Property);
        let mut condition = self.condition(item.condition(), item.span(), "constraint");
        if let Some((Subject::Line(_), place)) = self.unit.subject {
            let message = "a constraint is about the states of the system, and this belongs to a choreography";
            self.report(
                Diagnostic::error(&MIXED_PROPERTY, place, message)
                    .help("`requires` restricts the executions of a choreography"),
            );
        }
        let locals = self.finish(|filler| filler.expr(&mut condition));
        Property {
            name,
            is_invariant: false,
            engines: Vec::new(),
            sizes: Vec::new(),
            claim: Claim::Always(condition),
            locals,
            span,
        }
    }

    fn engine(&mut self, name: &ast::Name) {
        if ENGINES.contains(&name.text()) {
            return;
        }
        let message = format!("there is no engine `{}`", name.text());
        let diagnostic = Diagnostic::error(&UNKNOWN_ENGINE, name.span(), message);
        let mut diagnostic = self.suggest(diagnostic, name, ENGINES);
        diagnostic.help.get_or_insert_with(|| {
            let known: Vec<String> = ENGINES.iter().map(|name| format!("`{name}`")).collect();
            format!("the engines are {}", known.join(", "))
        });
        self.report(diagnostic);
    }

    fn claim(&mut self, item: &ast::PropertyItem) -> Claim {
        let Some(claim) = item.claim() else {
            return Claim::Quiescent { fair: false };
        };
        match claim.kind() {
            Some(ClaimKind::Finally) => {
                Claim::Finally(self.condition(claim.condition(), claim.span(), "finally"))
            }
            Some(ClaimKind::Always) => self.always(&claim),
            None if item.is_invariant() => self.invariant(&claim),
            Some(ClaimKind::Quiescent) => Claim::Quiescent {
                fair: claim.is_fair(),
            },
            _ => Claim::Temporal(self.temporal(&claim)),
        }
    }

    /// `invariant p: e;` is about the states of the system: those of a choreography are stated at its loops.
    fn invariant(&mut self, claim: &ast::Claim) -> Claim {
        let condition = self.condition(claim.condition(), claim.span(), "invariant");
        if let Some((Subject::Line(_), place)) = self.unit.subject {
            let message = "an invariant is about the states of the system, and this belongs to a choreography";
            self.report(
                Diagnostic::error(&MIXED_PROPERTY, place, message)
                    .help("write `invariant e` at a loop, or `ensures` of the choreography"),
            );
        }
        Claim::Always(condition)
    }

    /// `always e`: about states, or about steps where `e` speaks of `old(x)`.
    fn always(&mut self, claim: &ast::Claim) -> Claim {
        self.unit.old = true;
        let condition = self.condition(claim.condition(), claim.span(), "always");
        self.unit.old = false;
        let Some(old) = first_old(&condition) else {
            return Claim::Always(condition);
        };
        if let Some((Subject::Line(_), _)) = self.unit.subject {
            let message = "`old` in a property is the state before a step of the system, and this belongs to a choreography";
            self.report(
                Diagnostic::error(&MISPLACED_EXPRESSION, old, message)
                    .help("`ensures` of a choreography speaks of `old(x)`"),
            );
        }
        Claim::Step(condition)
    }

    /// Notes that a property speaks about processes or globals.
    pub(crate) fn speaks_of_system(&mut self, span: Span) {
        self.speaks_of(Subject::System, span);
    }

    /// Notes that a property speaks about a process or an endpoint.
    pub(crate) fn speaks_of_family(&mut self, family: FamilyId, span: Span) {
        let subject = self.line_of(family).map_or(Subject::System, Subject::Line);
        self.speaks_of(subject, span);
    }

    fn line_of(&self, family: FamilyId) -> Option<usize> {
        if family.index() < self.process_count {
            return None;
        }
        let name = &self.families[family.index()].name;
        let rows = self.names.endpoints.get(name)?;
        rows.iter()
            .find(|row| row.family == family)
            .map(|row| row.line)
    }

    fn speaks_of(&mut self, subject: Subject, span: Span) {
        if self.unit.home != Home::Property {
            return;
        }
        let Some((first, place)) = self.unit.subject else {
            self.unit.subject = Some((subject, span));
            return;
        };
        if first != subject && !self.unit.subject_reported {
            self.unit.subject_reported = true;
            self.report(
                Diagnostic::error(
                    &MIXED_PROPERTY,
                    span,
                    "a property speaks about one system, and this belongs to another",
                )
                .also(place, "it speaks about this first")
                .help("write one property for each"),
            );
        }
    }
}

/// Where an expression first speaks of the state before.
fn first_old(expr: &Expr) -> Option<Span> {
    struct Finder(Option<Span>);
    impl Visit for Finder {
        fn expr(&mut self, expr: &Expr) {
            if matches!(expr.kind, ExprKind::Old(_)) {
                self.0.get_or_insert(expr.span);
            }
            walk::expr(self, expr);
        }
    }
    let mut finder = Finder(None);
    finder.expr(expr);
    finder.0
}
