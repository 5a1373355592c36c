//! Proofs of one choreography, for every size and every value: its obligations, and what became of them.
//!
//! What was shown before, under the content of the obligations, is looked up; the rest is discharged, first by the
//! quick steps of the prover, then by all of them. A question is *proved* when every obligation of it was shown.
//! Otherwise the obligations that are open are named.

use crate::request::Asked;
use crate::supervisor::Supervisor;
use crate::unsatisfied::unsatisfied;
use plainsong_ir::recursion;
use plainsong_prove::discharge::{Effort, Shown, discharge, recall};
use plainsong_prove::obligation::{Obligation, Rule};
use plainsong_prove::theory::Theory;
use plainsong_prove::vc::{Conditions, conditions};
use plainsong_report::count;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Check, Question, name_of};
use plainsong_semantics::verdict::{Assumption, OpenObligation, Verdict};
use plainsong_smt::Solvers;
use std::collections::{BTreeMap, BTreeSet};

/// How a proof goes about it.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProofManner {
    /// Under how many other seeds everything is shown again.
    pub stability: u32,
    /// Is a second solver asked about everything that is shown?
    pub recheck: bool,
}

/// What became of the obligations of one choreography.
pub struct Proof<'a> {
    theory: Theory,
    solvers: &'a Solvers,
    name: String,
    conditions: Conditions,
    shown: Vec<Option<Shown>>,
    /// Why there are none, if so.
    not_covered: Option<String>,
    /// Why contracts of external functions cannot be kept, by name.
    unsatisfied: BTreeMap<String, String>,
    /// Seeds under which something that was shown is not proved again.
    unstable: Vec<String>,
    manner: ProofManner,
}

impl<'a> Proof<'a> {
    /// The obligations of a task, none of them shown.
    pub fn new(asked: &Asked, manner: ProofManner, solvers: &'a Solvers) -> Proof<'a> {
        let mut proof = Proof {
            theory: Theory::new(asked.song.clone()),
            solvers,
            name: String::new(),
            conditions: Conditions::default(),
            shown: Vec::new(),
            not_covered: None,
            unsatisfied: BTreeMap::new(),
            unstable: Vec::new(),
            manner,
        };
        let Subject::Line(line) = asked.subject else {
            proof.not_covered = Some("only choreographies are covered".to_owned());
            return proof;
        };
        proof.name.clone_from(&asked.song.lines[line].name);
        let finally: Vec<usize> = asked
            .questions
            .iter()
            .filter_map(|question| match question.check {
                Check::Property(at) => Some(at),
                _ => None,
            })
            .collect();
        match conditions(&mut proof.theory, line, &finally) {
            Ok(conditions) => {
                proof.shown = vec![None; conditions.obligations.len()];
                proof.conditions = conditions;
            }
            Err(unsupported) => proof.not_covered = Some(unsupported.message),
        }
        proof
    }

    /// Is the choreography one that the prover can follow?
    pub fn is_covered(&self) -> bool {
        self.not_covered.is_none()
    }

    /// Looks up what was found out before.
    pub fn recall(&mut self, supervisor: &mut dyn Supervisor) {
        if self.manner.stability > 0 || self.manner.recheck {
            return;
        }
        let all = &self.conditions.obligations;
        let (theory, solvers) = (&mut self.theory, self.solvers);
        let effort = Effort::default();
        self.shown =
            supervisor.while_working(|cancel| recall(theory, all, solvers, &effort, cancel));
    }

    /// Asks what is vacuous, if a question is going to be closed by what is known already: a verdict says the same
    /// whether its obligations were found again or not.
    pub fn look_for_vacuity(&mut self, asked: &Asked, supervisor: &mut dyn Supervisor) {
        let closes = |question| self.proved(question).is_some();
        if !asked.questions.iter().any(closes) {
            return;
        }
        let open: Vec<usize> = (0..self.shown.len())
            .filter(|&at| self.shown[at].is_none())
            .filter(|&at| self.conditions.obligations[at].rule == Rule::Vacuity)
            .collect();
        for (at, shown) in open.iter().zip(self.show(&open, 0, None, supervisor)) {
            self.shown[*at] = Some(shown);
        }
    }

    /// Shows what the questions without a verdict ask for, as far as that is easy: most of what is right is. What
    /// was asked is not asked again by [`attempt`](Proof::attempt).
    pub fn try_quickly(
        &mut self,
        asked: &Asked,
        verdicts: &[Option<Verdict>],
        supervisor: &mut dyn Supervisor,
    ) {
        if self.manner.stability > 0 || self.manner.recheck {
            return;
        }
        let wanted = self.wanted(asked, verdicts);
        let shown = self.show(&wanted, 0, Some(1), supervisor);
        for (at, shown) in wanted.iter().zip(shown) {
            self.shown[*at] = Some(shown).filter(|shown| *shown == Shown::Yes);
        }
    }

    /// Shows what the questions without a verdict ask for.
    pub fn attempt(
        &mut self,
        asked: &Asked,
        verdicts: &[Option<Verdict>],
        supervisor: &mut dyn Supervisor,
    ) {
        let wanted = self.wanted(asked, verdicts);
        for (at, shown) in wanted.iter().zip(self.show(&wanted, 0, None, supervisor)) {
            self.shown[*at] = Some(shown);
        }
        for seed in 1..=self.manner.stability {
            let again = self.show(&wanted, seed, None, supervisor);
            self.compare(&wanted, &again, seed);
        }
    }

    /// The obligations that the questions without a verdict ask for, and nobody has shown yet.
    fn wanted(&self, asked: &Asked, verdicts: &[Option<Verdict>]) -> Vec<usize> {
        let open = asked.questions.iter().zip(verdicts);
        let open: Vec<Check> = open
            .filter(|(_, verdict)| verdict.is_none())
            .map(|(question, _)| question.check)
            .collect();
        (0..self.shown.len())
            .filter(|&at| self.shown[at].is_none())
            .filter(|&at| {
                let rule = self.conditions.obligations[at].rule;
                rule == Rule::Vacuity || open.iter().any(|check| belongs(rule, *check))
            })
            .collect()
    }

    fn show(
        &mut self,
        asked: &[usize],
        seed: u32,
        steps: Option<usize>,
        supervisor: &mut dyn Supervisor,
    ) -> Vec<Shown> {
        let effort = Effort {
            seed,
            name: self.name.clone(),
            recheck: self.manner.recheck,
            steps,
            ..Effort::default()
        };
        let all: Vec<Obligation> = asked
            .iter()
            .map(|&at| self.conditions.obligations[at].clone())
            .collect();
        let (theory, solvers) = (&mut self.theory, self.solvers);
        let mut shown =
            supervisor.while_working(|cancel| discharge(theory, &all, solvers, &effort, cancel));
        if let Some(why) = supervisor.reason_to_stop() {
            for shown in &mut shown {
                if *shown != Shown::Yes {
                    *shown = Shown::No(why.clone());
                }
            }
        }
        shown
    }

    /// Gives a verdict to the questions of which everything was shown.
    pub fn close(&self, asked: &Asked, verdicts: &mut [Option<Verdict>]) {
        for (question, verdict) in asked.questions.iter().zip(verdicts) {
            if verdict.is_none() {
                *verdict = self.proved(question);
            }
        }
    }

    /// Looks for arguments for which nothing satisfies a contract, where it is open whether there are some.
    pub fn look_for_unsatisfied(&mut self, asked: &Asked) {
        let all = self.conditions.obligations.iter().zip(&self.shown);
        let open = all.filter(|(one, shown)| {
            one.rule == Rule::Satisfiable && matches!(shown, Some(Shown::No(_)))
        });
        let names: BTreeSet<String> = open.map(|(one, _)| one.text.clone()).collect();
        for name in names {
            let found = unsatisfied(asked, &name, &mut self.theory, self.solvers);
            self.unsatisfied.extend(found.map(|found| (name, found)));
        }
    }

    fn compare(&mut self, asked: &[usize], again: &[Shown], seed: u32) {
        let yes = Some(Shown::Yes);
        let flipped = asked
            .iter()
            .zip(again)
            .filter(|(at, second)| (self.shown[**at] == yes) != (**second == Shown::Yes))
            .count();
        if flipped > 0 {
            self.unstable.push(format!(
                "seed {seed}: {}",
                count(flipped as u64, "obligation")
            ));
        }
    }

    /// The obligations of a question.
    fn of(&self, question: &Question) -> Vec<(&Obligation, &Option<Shown>)> {
        let all = self.conditions.obligations.iter().zip(&self.shown);
        all.filter(|(one, _)| belongs(one.rule, question.check))
            .collect()
    }

    /// The verdict, if everything was shown.
    fn proved(&self, question: &Question) -> Option<Verdict> {
        let obligations = self.of(question);
        let yes = Some(Shown::Yes);
        let all = obligations.iter().all(|(_, shown)| **shown == yes);
        if self.not_covered.is_some() || !all {
            return None;
        }
        let mut reason = count(obligations.len() as u64, "obligation");
        reason.push_str(" shown");
        if self.manner.stability > 0 && self.unstable.is_empty() {
            reason.push_str(&format!(
                ", the same under {}",
                count(u64::from(self.manner.stability), "other seed")
            ));
        }
        if self.manner.recheck {
            reason.push_str(&format!(", {}", self.theory.second.told()));
        }
        Some(Verdict {
            assumptions: self.assumptions(),
            obligations: Some(obligations.len() as u64),
            provided: self.provided(question),
            notes: self.lemmas(),
            ..Verdict::proved(&question.name, reason)
        })
    }

    /// What the proof rests on: whatever comes later is shown under the supposition that the assertions and invariants
    /// before it hold, and what is looked at in the end, that all is which `ensures` says. (What lemmas, functions and
    /// called choreographies promise is shown with it.)
    fn provided(&self, question: &Question) -> Vec<String> {
        let open = self.conditions.obligations.iter().zip(&self.shown);
        let open = open.filter(|(_, shown)| **shown != Some(Shown::Yes));
        let open: Vec<&Obligation> = open.map(|(one, _)| one).collect();
        let earlier = open.iter().filter_map(|one| supposed_by(one.rule));
        let ensures = open.iter().filter(|one| one.rule == Rule::Ensures);
        let is_behind_ensures = ensures.clone().next().is_some()
            && match question.check {
                Check::Property(_) => true,
                _ => ensures.clone().any(|one| {
                    let own = self.of(question);
                    own.iter().any(|(other, _)| is_behind(other, one))
                }),
            };
        let ensures = is_behind_ensures.then_some(Check::Contract);
        let all: BTreeSet<Check> = earlier.chain(ensures).collect();
        let others = all.into_iter().filter(|check| *check != question.check);
        others
            .filter_map(|check| name_of(&self.theory.song, question.subject, check))
            .collect()
    }

    /// The library lemmas that were used; each was shown.
    fn lemmas(&self) -> Vec<String> {
        let names: Vec<&str> = self.theory.lemmas().keys().map(|one| one.name()).collect();
        match names.is_empty() {
            true => Vec::new(),
            false => vec![format!(
                "library lemmas, shown by induction: {}",
                names.join(", ")
            )],
        }
    }

    /// The verdict when neither a proof nor a run was found.
    pub fn open(&self, question: &Question) -> Verdict {
        let mut reason = self.why_open(question);
        if self.not_covered.is_none() {
            reason.push_str("; and no run against it among small ones");
        }
        Verdict {
            open: self.open_obligations(question),
            ..Verdict::unknown(&question.name, reason)
        }
    }

    /// What may be wrong; of a contract that cannot be kept, for which arguments.
    fn told<'o>(&'o self, one: &'o Obligation) -> &'o str {
        let found = self.unsatisfied.get(&one.text);
        let found = found.filter(|_| one.rule == Rule::Satisfiable);
        found.unwrap_or(&one.sentence)
    }

    /// The obligations of a question that are open.
    fn open_obligations(&self, question: &Question) -> Vec<OpenObligation> {
        let all = self.of(question).into_iter();
        let open = all.filter_map(|(one, shown)| match shown {
            Some(Shown::Yes) => None,
            Some(Shown::No(why)) => Some((one, why.as_str())),
            None => Some((one, "not asked")),
        });
        let told = open.map(|(one, why)| OpenObligation {
            rule: one.rule.name().to_owned(),
            sentence: self.told(one).to_owned(),
            why: why.to_owned(),
            span: one.span,
            text: one.text.clone(),
            ..OpenObligation::default()
        });
        told.collect()
    }

    /// What is open, and why.
    pub fn why_open(&self, question: &Question) -> String {
        if let Some(why) = &self.not_covered {
            return why.clone();
        }
        if let Some(proved) = self.proved(question) {
            let names = proved.provided.iter().map(|name| format!("`{name}`"));
            let names: Vec<String> = names.collect();
            return format!("it is shown only provided {}", names.join(" and "));
        }
        let obligations = self.of(question);
        let open: Vec<String> = obligations
            .iter()
            .filter_map(|(one, shown)| match shown {
                Some(Shown::Yes) => None,
                None => Some(format!("{} `{}`: not asked", one.rule.name(), one.text)),
                Some(Shown::No(why)) => {
                    let (rule, text) = (one.rule.name(), &one.text);
                    Some(format!("{rule} `{text}`: {} ({why})", self.told(one)))
                }
            })
            .collect();
        format!(
            "{} of {} open: {}{}",
            open.len(),
            count(obligations.len() as u64, "obligation"),
            open.join("; "),
            self.what_parts_are_known_by()
        )
    }

    /// Of a choreography that is called, only the contract is known: that may be what is missing.
    fn what_parts_are_known_by(&self) -> String {
        let song = &self.theory.song;
        let line = song.lines.iter().position(|line| line.name == self.name);
        let parts = line.map(|line| recursion::parts(song, line));
        let names = parts.into_iter().flatten();
        let names = names.map(|part| format!("`{}`", song.lines[part].name));
        let names: Vec<String> = names.collect();
        match names.is_empty() {
            true => String::new(),
            false => format!(
                "; of {}, only what is ensured there is known here",
                names.join(", ")
            ),
        }
    }

    /// What is trusted, and what a reader of the proof should know.
    fn assumptions(&self) -> Vec<Assumption> {
        let mut all = self.conditions.notes.clone();
        let asked = self.conditions.obligations.iter().zip(&self.shown);
        let asked: Vec<_> = asked.filter(|(one, _)| one.rule == Rule::Vacuity).collect();
        for (at, (one, _)) in asked.iter().enumerate() {
            // A place that is come to on several ways is vacuous if it is on all of them.
            let same = |(other, _): &&(&Obligation, _)| {
                (other.span, &other.sentence) == (one.span, &one.sentence)
            };
            let is_first = !asked[..at].iter().any(|other| same(&other));
            let mut ways = asked.iter().filter(same);
            if !is_first || !ways.all(|(_, shown)| **shown == Some(Shown::Yes)) {
                continue;
            }
            // What lies behind a place where nobody comes goes without saying.
            let behind = |(way, _): &(&Obligation, _)| {
                let mut vacuous = asked
                    .iter()
                    .filter(|(_, shown)| **shown == Some(Shown::Yes));
                vacuous.any(|(other, _)| is_behind(way, other))
            };
            if !asked.iter().filter(same).all(behind) {
                let why = format!("{}: `{}`", one.sentence, one.text);
                all.push(Assumption::vacuous(&why));
            }
        }
        for seed in &self.unstable {
            let unstable = format!("unstable: {seed} not proved again");
            all.push(Assumption::Other(unstable));
        }
        all
    }
}

/// Is everything known at one place known at another, which has more?
fn is_behind(one: &Obligation, other: &Obligation) -> bool {
    let known = |what| one.hypotheses.contains(what);
    one.hypotheses.len() > other.hypotheses.len() && other.hypotheses.iter().all(known)
}

/// What is asked by an obligation that whatever comes later supposes to be shown.
fn supposed_by(rule: Rule) -> Option<Check> {
    match rule {
        Rule::Established | Rule::Maintained | Rule::Unanimity => Some(Check::Contract),
        Rule::Assert | Rule::Defined => Some(Check::Assertions),
        _ => None,
    }
}

/// Is an obligation of this rule part of what is asked?
pub fn belongs(rule: Rule, check: Check) -> bool {
    match rule {
        Rule::Ensures
        | Rule::Established
        | Rule::Maintained
        | Rule::Unanimity
        | Rule::Decreases => check == Check::Contract,
        Rule::Assert | Rule::Defined => check == Check::Assertions,
        Rule::Finally(at) => check == Check::Property(at),
        // No run fails where it does not hold: nothing is shown without it.
        Rule::Position
        | Rule::Injective
        | Rule::DefinedEverywhere
        | Rule::Terminates
        | Rule::LemmaRequires
        | Rule::LemmaDecreases
        | Rule::Support
        | Rule::Satisfiable => true,
        Rule::Library | Rule::Vacuity | Rule::Refinement(_) => false,
    }
}
