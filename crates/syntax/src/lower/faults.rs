//! What may go wrong: `fault crash node <= 1;`.

use super::Lowering;
use super::codes::declarations::BAD_FAULT;
use super::temporal::declared;
use crate::ast;
use crate::ast::AstNode as _;
use crate::names::{Item, Signal};
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{DeclaredFairness, FamilyId, Fault, FaultKind, MessageId};

/// The words after `fault`.
const WORDS: [&str; 4] = ["crash", "restart", "lose", "duplicate"];

impl Lowering<'_> {
    /// The declared faults.
    pub(crate) fn faults(&mut self, items: &[ast::FaultItem]) -> Vec<Fault> {
        let mut faults: Vec<Fault> = Vec::new();
        for item in items {
            let Some(fault) = self.fault(item) else {
                continue;
            };
            if let Some(earlier) = faults.iter().find(|other| other.kind == fault.kind) {
                let message = "this fault is declared twice";
                self.report(
                    Diagnostic::error(&BAD_FAULT, fault.span, message)
                        .also(earlier.span, "first declared here"),
                );
                continue;
            }
            faults.push(fault);
        }
        self.restarts_without_crashes(&faults);
        faults
    }

    fn fault(&mut self, item: &ast::FaultItem) -> Option<Fault> {
        let (what, whom) = (item.what()?, item.whom()?);
        let kind = match what.text() {
            "crash" => FaultKind::Crash(self.crashing(&whom)?),
            "restart" => FaultKind::Restart(self.crashing(&whom)?),
            "lose" => FaultKind::Lose(self.hit(&whom)?),
            "duplicate" => FaultKind::Duplicate(self.hit(&whom)?),
            other => {
                let message = format!("there is no fault `{other}`");
                let diagnostic = Diagnostic::error(&BAD_FAULT, what.span(), message);
                let mut diagnostic = self.suggest(diagnostic, &what, WORDS);
                diagnostic.help.get_or_insert_with(|| {
                    "it is one of `crash`, `restart`, `lose` and `duplicate`".to_owned()
                });
                self.report(diagnostic);
                return None;
            }
        };
        let span = item.span();
        let most = self.budget(item, kind, span)?;
        let fairness = self.fairness_of_fault(item, kind, most);
        Some(Fault {
            kind,
            most,
            fairness,
            span,
        })
    }

    /// `fair` or `unfair`: of losses without a number, and of restarts.
    fn fairness_of_fault(
        &mut self,
        item: &ast::FaultItem,
        kind: FaultKind,
        most: Option<u32>,
    ) -> Option<DeclaredFairness> {
        let fairness = declared((item.is_unfair(), item.is_fair(), false))?;
        let help = match kind {
            FaultKind::Restart(_) => return Some(fairness),
            FaultKind::Lose(_) if most.is_none() => return Some(fairness),
            FaultKind::Lose(_) => "leave the number out, or the word",
            FaultKind::Crash(_) | FaultKind::Duplicate(_) => "leave the word out",
        };
        let message = "only a loss without a number, or a restart, is fair or unfair: other faults end by themselves";
        self.report(Diagnostic::error(&BAD_FAULT, item.span(), message).help(help));
        None
    }

    /// How often at most. A restart needs no number, a loss may have one, everything else needs one.
    fn budget(
        &mut self,
        item: &ast::FaultItem,
        kind: FaultKind,
        span: Span,
    ) -> Option<Option<u32>> {
        let most = item.most();
        let is_restart = matches!(kind, FaultKind::Restart(_));
        let (message, help) = match most {
            None if is_restart || matches!(kind, FaultKind::Lose(_)) => return Some(None),
            Some(Some(most)) if !is_restart && (1..=1000).contains(&most) => {
                return Some(Some(most as u32));
            }
            None => (
                "a fault says how often it may happen",
                format!("for example `fault {} … <= 1;`", kind.name()),
            ),
            Some(_) if is_restart => (
                "a restart happens as often as there was a crash",
                "leave the number out".to_owned(),
            ),
            Some(_) => (
                "a fault happens from 1 to 1000 times",
                "write a number from 1 to 1000".to_owned(),
            ),
        };
        self.report(Diagnostic::error(&BAD_FAULT, span, message).help(help));
        None
    }

    fn crashing(&mut self, whom: &ast::Name) -> Option<FamilyId> {
        match self.names.item(whom.text()) {
            Some(Item::Family(family)) if family.index() < self.process_count => Some(family),
            _ => {
                let message = format!("there is no process `{}`", whom.text());
                self.report(Diagnostic::error(&BAD_FAULT, whom.span(), message));
                None
            }
        }
    }

    fn hit(&mut self, whom: &ast::Name) -> Option<MessageId> {
        match self.names.signal(whom.text()) {
            Some(Signal::Message(message)) => Some(message),
            _ if self.names.is_doubtful(whom.text()) => None,
            _ => {
                let message = format!("there is no message `{}`", whom.text());
                self.report(Diagnostic::error(&BAD_FAULT, whom.span(), message));
                None
            }
        }
    }

    fn restarts_without_crashes(&mut self, faults: &[Fault]) {
        for fault in faults {
            if let FaultKind::Restart(family) = fault.kind
                && !faults
                    .iter()
                    .any(|other| other.kind == FaultKind::Crash(family))
            {
                let name = &self.families[family.index()].name;
                let help = format!("declare `fault crash {name} <= 1;` too");
                let message = "a restart needs a crash before it";
                self.report(Diagnostic::error(&BAD_FAULT, fault.span, message).help(help));
            }
        }
    }
}
