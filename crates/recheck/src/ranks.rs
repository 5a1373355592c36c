//! Termination for every size by ranking functions: the certificate of `diverge`, looked at along the steps of an instance.
//!
//! The certificate names what decreases: a variable of each process that sends, in some way, or the first natural number
//! of payloads. That this holds for every size is shown by a solver, again, by whoever asks for this check. Here it is
//! looked at what that comes to in an instance: in every state that is reached, every step decreases what the certificate
//! names, as the argument says. An obligation that was written down wrongly, or a measure that is none, is found out by a
//! step of the interpreter, which knows nothing of obligations.
//!
//! - **own**: no step gives a process more, and one that sends gives some process less;
//! - **payload**: what a step sends has less than what it took.
//!
//! Shares no code with the search or the prover. NOT COVERED: measures that the song declares, messages in queues; then
//! nothing was looked at, and it is said.

use crate::{Refused, not_covered, refuse};
use plainsong_certificate::{OwnRank, RankCertificate, RankWay, Ranks, VERSION, hash};
use plainsong_ir::{Body, Delivery, Ty, Voices};
use plainsong_semantics::idle::{Idle, Task};
use plainsong_semantics::machine::{Config, Machine, Outcome};
use plainsong_semantics::value::Value;
use std::collections::{BTreeMap, HashSet};

/// The most states that are looked at.
const STATES: usize = 20_000;

/// What was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Looked {
    pub steps: u64,
    /// Does something fail? An execution that fails ends there.
    pub fails: bool,
}

impl Looked {
    /// Both.
    #[must_use]
    pub fn and(self, more: Looked) -> Looked {
        Looked {
            steps: self.steps + more.steps,
            fails: self.fails || more.fails,
        }
    }
}

/// Looks at every step of an instance. None when the measures are not covered here.
pub fn recheck_ranks(
    machine: &Machine,
    text: &str,
    certificate: &RankCertificate,
) -> Result<Option<Looked>, Refused> {
    if certificate.version != VERSION {
        return not_covered(format!("version {} is not covered", certificate.version));
    }
    if certificate.hash != hash(text) {
        return refuse("the song is not the one that the certificate is about");
    }
    let Some(voices) = machine.instance().song().voices() else {
        return refuse("measures are of processes with handlers");
    };
    let handles = |body: &Body| matches!(body, Body::Handlers(_));
    let all_handle = (voices.processes.iter()).all(|process| handles(&process.body));
    if !all_handle || !voices.faults.is_empty() {
        return refuse("measures are of processes with handlers, and without faults");
    }
    let is_bag = |model: Option<Delivery>| matches!(model, None | Some(Delivery::Unordered));
    let are_bags = voices.messages.iter().all(|one| is_bag(one.delivery));
    match (&certificate.decreases, are_bags) {
        (Ranks::Declared | Ranks::Written(_) | Ranks::PayloadThen(_), _) | (_, false) => Ok(None),
        (ranks, true) => RankCheck { machine, ranks }.everywhere(voices).map(Some),
    }
}

struct RankCheck<'a> {
    machine: &'a Machine,
    ranks: &'a Ranks,
}

impl RankCheck<'_> {
    /// Every step from every state that is reached, as far as there is time.
    fn everywhere(&self, voices: &Voices) -> Result<Looked, Refused> {
        let mut seen: HashSet<Config> = HashSet::new();
        let mut open: Vec<Config> = Vec::new();
        let mut looked = Looked::default();
        for start in self.machine.initial() {
            match start {
                Outcome::Next(config) => open.push(config),
                Outcome::Failed(..) => looked.fails = true,
                Outcome::Discarded => {}
            }
        }
        while let Some(config) = open.pop() {
            if seen.len() >= STATES || !seen.insert(config.clone()) {
                continue;
            }
            for step in self.machine.steps(&config) {
                let taken = step.takes();
                looked.fails |= matches!(step.outcome, Outcome::Failed(..));
                let Outcome::Next(after) = step.outcome else {
                    continue;
                };
                if let Some(taken) = taken {
                    self.step(voices, &config, &taken, &after)?;
                    looked.steps += 1;
                }
                open.push(after);
            }
        }
        Ok(looked)
    }

    fn step(
        &self,
        voices: &Voices,
        before: &Config,
        taken: &Task,
        after: &Config,
    ) -> Result<(), Refused> {
        let sent = sent(before, taken, after);
        let is_fine = match self.ranks {
            Ranks::Own(own) => {
                let (before, after) = (self.measured(own, before)?, self.measured(own, after)?);
                let pairs = || before.iter().zip(&after);
                let stays = pairs().all(|(before, after)| after <= before);
                stays && (sent.is_empty() || pairs().any(|(before, after)| after < before))
            }
            Ranks::Payload => {
                let most = number(voices, taken);
                let less = |one: &Task| match (number(voices, one), most) {
                    (Some(one), Some(most)) => one < most,
                    _ => false,
                };
                sent.iter().all(less)
            }
            Ranks::Declared | Ranks::Written(_) | Ranks::PayloadThen(_) => true,
        };
        match is_fine {
            true => Ok(()),
            false => refuse(format!(
                "taking `{}` does not make less what should decrease",
                self.machine.task(taken)
            )),
        }
    }

    /// What is measured of each process; those without a measure do not count.
    fn measured(
        &self,
        own: &BTreeMap<String, OwnRank>,
        config: &Config,
    ) -> Result<Vec<(u8, i128)>, Refused> {
        let mut measured = Vec::new();
        for (name, value, _) in self.machine.values(config) {
            let Some((process, variable)) = name.rsplit_once('.') else {
                continue;
            };
            let family = process.split('[').next().unwrap_or(process);
            let Some(rank) = own.get(family) else {
                continue;
            };
            if rank.variable != variable {
                continue;
            }
            match measure(value, rank.way) {
                Some(known) => measured.push(known),
                None => return refuse(format!("`{name}` is not measured in this way")),
            }
        }
        Ok(measured)
    }
}

/// What a step left behind.
fn sent(before: &Config, taken: &Task, after: &Config) -> Vec<Task> {
    let mut old = Idle::of(before).bag;
    if let Some(at) = old.iter().position(|one| one == taken) {
        old.remove(at);
    }
    let mut sent = Vec::new();
    for task in Idle::of(after).bag {
        match old.iter().position(|one| *one == task) {
            Some(at) => drop(old.remove(at)),
            None => sent.push(task),
        }
    }
    sent
}

/// The first natural number of a payload.
fn number(voices: &Voices, task: &Task) -> Option<i64> {
    let fields = &voices.messages[task.kind()].fields;
    let at = fields.iter().position(|field| field.ty == Ty::Nat)?;
    match task.values().get(at)? {
        Value::Int(number) => Some(*number),
        _ => None,
    }
}

fn measure(value: &Value, way: RankWay) -> Option<(u8, i128)> {
    let whole = |value: &Value| match value {
        Value::Int(number) => Some(i128::from(*number)),
        Value::Id(number) => Some(i128::from(*number)),
        _ => None,
    };
    match (way, value) {
        (RankWay::Set, Value::Bool(truth)) => Some((u8::from(!truth), 0)),
        (RankWay::Cleared, Value::Bool(truth)) => Some((u8::from(*truth), 0)),
        (RankWay::Filled | RankWay::FilledOrLess, Value::None) => Some((1, 0)),
        (RankWay::Filled, Value::Some(_)) => Some((0, 0)),
        (RankWay::FilledOrLess, Value::Some(inner)) => Some((0, whole(inner)?)),
        (RankWay::Less, value) => Some((0, whole(value)?)),
        (RankWay::Greater, value) => Some((0, -whole(value)?)),
        _ => None,
    }
}
