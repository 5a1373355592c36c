//! From findings to verdicts.

use super::{Answer, Check, Completeness, Finding, SearchReport};
use crate::trace::{Ending, Trace};
use crate::verdict::{Outcome, Verdict};
use std::collections::BTreeMap;

/// What is to be known of whatever holds of a program with failing executions.
pub const ENDS_THERE: &str =
    "an execution that fails ends there: what would come after was not looked at";

/// What is to be known of a claim about the end that holds because there is none.
pub const NO_END: &str = "no execution comes to its end, so there was nothing to check";

/// What is to be known of whatever holds because an `assume` cuts off every execution.
pub const ALL_CUT: &str = "an `assume` cuts off every execution, so there was nothing to check";

impl SearchReport {
    /// One verdict for each check. What was not refuted holds within `bound` if the search saw
    /// everything, and is unknown otherwise.
    pub fn verdicts(&self, bound: &BTreeMap<String, String>) -> Vec<Verdict> {
        self.findings
            .iter()
            .map(|finding| self.verdict(finding, bound))
            .collect()
    }

    fn verdict(&self, finding: &Finding, bound: &BTreeMap<String, String>) -> Verdict {
        let (outcome, reason, trace) = match &finding.answer {
            Answer::Refuted(trace) => (
                Outcome::Refuted,
                reason_against(trace),
                Some((**trace).clone()),
            ),
            Answer::Unknown(reason) => (Outcome::Unknown, reason.clone(), None),
            Answer::NotRefuted => match self.unseen() {
                None => (
                    Outcome::Holds,
                    format!("holds in all {} states", self.states),
                    None,
                ),
                Some(reason) => (Outcome::Unknown, reason, None),
            },
        };
        Verdict {
            property: finding.name.clone(),
            outcome,
            bound: bound.clone(),
            reason,
            states: Some(self.states),
            executions: None,
            blocked: None,
            interleavings: None,
            obligations: None,
            assumptions: if outcome == Outcome::Holds {
                self.caveats(finding)
            } else {
                Vec::new()
            },
            provided: Vec::new(),
            open: Vec::new(),
            notes: Vec::new(),
            trace,
        }
    }

    /// What a reader of `holds` should know.
    fn caveats(&self, finding: &Finding) -> Vec<String> {
        let mut caveats = Vec::new();
        if self.failures && finding.check != Check::Assertions {
            caveats.push(ENDS_THERE.to_owned());
        }
        if self.cut {
            caveats.push(ALL_CUT.to_owned());
        }
        if self.final_states == 0 && finding.is_about_the_end {
            caveats.push(NO_END.to_owned());
        }
        caveats
    }

    /// Why not everything was seen.
    fn unseen(&self) -> Option<String> {
        let states = self.states;
        match &self.completeness {
            Completeness::Complete => None,
            Completeness::Enough => Some("the search ended when enough was refuted".to_owned()),
            Completeness::StateLimit => Some(format!("not refuted in {states} states: the limit")),
            Completeness::Stopped => Some(format!("not refuted in {states} states: stopped")),
            Completeness::Resource(message) => Some(message.clone()),
        }
    }
}

/// The one sentence of a counterexample.
pub fn reason_against(trace: &Trace) -> String {
    match &trace.ending {
        Ending::Failed(failure) => failure.message.clone(),
        Ending::Violated { why, .. } => why.clone(),
        Ending::Deadlock(waiting) => {
            let waits = waiting.iter().map(|waiting| match waiting.lane {
                Some(lane) => format!("{} waits for {}", trace.lanes[lane], waiting.what),
                None => format!("{} is blocked", waiting.what),
            });
            waits.collect::<Vec<_>>().join("; ")
        }
        Ending::Final | Ending::Cut | Ending::Discarded => {
            panic!("a counterexample ends in a violation")
        }
    }
}
