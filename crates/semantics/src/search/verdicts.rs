//! From findings to verdicts.

use super::{Answer, Check, Completeness, Finding, SearchReport};
use crate::trace::{Ending, Trace};
use crate::verdict::{Assumption, Outcome, Verdict};
use std::collections::BTreeMap;

impl SearchReport {
    /// The run against the first check that is refuted.
    pub fn refutation(&self) -> Option<&Trace> {
        let mut answers = self.findings.iter().map(|finding| &finding.answer);
        answers.find_map(|answer| match answer {
            Answer::Refuted(trace) => Some(&**trace),
            _ => None,
        })
    }

    /// One verdict for each check. What was not refuted holds within `bound` if the search saw
    /// everything, and is unknown otherwise.
    pub fn verdicts(&self, bound: &BTreeMap<String, String>) -> Vec<Verdict> {
        self.findings
            .iter()
            .map(|finding| self.verdict(finding, bound))
            .collect()
    }

    fn verdict(&self, finding: &Finding, bound: &BTreeMap<String, String>) -> Verdict {
        let name = &finding.name;
        let verdict = match &finding.answer {
            Answer::Refuted(trace) => Verdict {
                trace: Some((**trace).clone()),
                ..Verdict::refuted(name, BTreeMap::new(), reason_against(trace))
            },
            Answer::Unknown(reason) => Verdict::unknown(name, reason),
            Answer::NotRefuted => match self.unseen() {
                None => Verdict {
                    assumptions: self.caveats(finding),
                    ..Verdict::holds(
                        name,
                        BTreeMap::new(),
                        format!("holds in all {} states", self.states),
                    )
                },
                Some(reason) => Verdict::unknown(name, reason),
            },
        };
        let mut bound = bound.clone();
        if verdict.outcome == Outcome::Holds && !self.cut_by.is_empty() {
            let names: Vec<&str> = self.cut_by.iter().map(String::as_str).collect();
            bound.insert("constraint".to_owned(), names.join(","));
        }
        Verdict {
            bound,
            states: Some(self.states),
            ..verdict
        }
    }

    /// What a reader of `holds` should know.
    fn caveats(&self, finding: &Finding) -> Vec<Assumption> {
        let mut caveats = Vec::new();
        if self.failures && finding.check != Check::Assertions {
            caveats.push(Assumption::EndsThere);
        }
        if self.cut {
            caveats.push(Assumption::AllCut);
        }
        if self.final_states == 0 && finding.is_about_the_end {
            caveats.push(Assumption::NoEnd);
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
