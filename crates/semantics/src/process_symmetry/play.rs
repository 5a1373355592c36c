//! An execution of the loosened system, played in the real one.
//!
//! The steps of the loosened execution are a script. The real system follows it as far as it goes: each
//! process makes its next step with the same choices, takes the same message. Where loops keep another order
//! than in the script, two things help:
//! - *names*: the execution is renamed first so that the first loop takes its elements as they come;
//! - *sending early*: where the script takes a message that its sender has not sent yet, the sender goes on by
//!   itself until it has, and the script's own sends are passed over later.
//!
//! Where this does not come through, nothing is claimed. Whatever is played is an execution of the real
//! system, so nothing can be claimed wrongly either.

use super::orbit::Names;
use super::voices;
use crate::machine::{Config, Form, Machine, Outcome, Step, Taken};
use crate::search::{Findings, Reached};
use crate::trace::EventKind;
use crate::value::{Pid, Value};
use crate::voices::local::Stand;
use crate::voices::network::InFlight;
use std::borrow::Cow;

/// An execution of the real system.
pub(super) struct Played<'m> {
    machine: &'m Machine,
    configs: Vec<Config>,
    steps: Vec<usize>,
    /// How many sends of each process are ahead of the script.
    ahead: Vec<u32>,
}

impl<'m> Played<'m> {
    /// The real executions that come of a loosened one: its states, each with the number of the step that
    /// follows.
    pub(super) fn ways(
        real: &'m Machine,
        loose: &Machine,
        names: &Names,
        told: &[(Config, usize)],
    ) -> Vec<Played<'m>> {
        let mut ways = vec![told.to_vec()];
        ways.extend(as_they_come(loose, names, told));
        let play = |told: &Vec<(Config, usize)>| Played::play(real, loose, told);
        ways.iter().filter_map(play).collect()
    }

    /// Looks whether something is violated on the way.
    pub(super) fn check(&self, findings: &mut Findings<'_>) {
        for (at, config) in self.configs.iter().enumerate() {
            let steps = self.machine.steps(config);
            findings.state(self, at, &steps);
            for (number, step) in steps.iter().enumerate() {
                if let Outcome::Failed(failure, _) = &step.outcome {
                    findings.failed_step(self, at, number, failure.clone());
                }
            }
        }
    }

    fn play(real: &'m Machine, loose: &Machine, told: &[(Config, usize)]) -> Option<Self> {
        let starts = loose.initial();
        let same = |start: &Outcome| matches!(start, Outcome::Next(config) if *config == told[0].0);
        let number = starts.iter().position(same)?;
        let Outcome::Next(start) = real.initial().swap_remove(number) else {
            return None;
        };
        let mut played = Played {
            machine: real,
            ahead: vec![0; voices(&start).voices.len()],
            configs: vec![start],
            steps: Vec::new(),
        };
        for (config, number) in told {
            let Some(step) = loose.steps(config).into_iter().nth(*number) else {
                break;
            };
            if !played.follow(&step) {
                break;
            }
        }
        Some(played)
    }

    /// Follows a step of the script; false when that cannot be done.
    fn follow(&mut self, step: &Step) -> bool {
        if let (EventKind::Send, Some(lane)) = (step.kind, step.lane)
            && self.ahead[lane] > 0
        {
            self.ahead[lane] -= 1;
            return true;
        }
        if self.take(step) || self.has_started(step) {
            return true;
        }
        let Some(Taken::Message(message) | Taken::Hit(message)) = &step.taken else {
            return false;
        };
        while self.send_on(message.from) {
            if self.take(step) {
                return true;
            }
        }
        false
    }

    /// Makes a step like this one, if there is one.
    fn take(&mut self, like: &Step) -> bool {
        let steps = self.machine.steps(self.last());
        let Some(at) = steps.iter().position(|step| is_like(step, like)) else {
            return false;
        };
        self.go(at, &steps[at].outcome)
    }

    fn go(&mut self, at: usize, outcome: &Outcome) -> bool {
        let Outcome::Next(next) = outcome else {
            return false;
        };
        self.steps.push(at);
        self.configs.push(next.clone());
        true
    }

    /// Has a process begun already that begins in the script?
    fn has_started(&self, step: &Step) -> bool {
        let (EventKind::Start, Some(lane), Form::Voices(system)) =
            (step.kind, step.lane, &self.machine.form)
        else {
            return false;
        };
        let voice = &voices(self.last()).voices[lane];
        !matches!(system.stand(lane, voice), Stand::Goes(EventKind::Start))
    }

    /// Lets a process send what it is about to send.
    fn send_on(&mut self, who: Pid) -> bool {
        let steps = self.machine.steps(self.last());
        let is_it = |step: &Step| step.kind == EventKind::Send && step.lane == who.member();
        let (Some(at), Some(lane)) = (steps.iter().position(is_it), who.member()) else {
            return false;
        };
        self.ahead[lane] += 1;
        self.go(at, &steps[at].outcome)
    }

    fn last(&self) -> &Config {
        self.configs.last().expect("there is a start")
    }
}

impl Reached for Played<'_> {
    fn config(&self, at: usize) -> Cow<'_, Config> {
        Cow::Borrowed(&self.configs[at])
    }

    fn path(&self, at: usize) -> (Config, Vec<usize>) {
        (self.configs[0].clone(), self.steps[..at].to_vec())
    }
}

/// Does the same process do the same?
fn is_like(one: &Step, other: &Step) -> bool {
    let message = |step: &Step| match &step.taken {
        Some(Taken::Message(message) | Taken::Hit(message)) => Some(message.without_past()),
        _ => None,
    };
    one.lane == other.lane
        && one.kind == other.kind
        && one.chosen == other.chosen
        && same(message(one), message(other))
}

fn same(one: Option<InFlight>, other: Option<InFlight>) -> bool {
    one == other
}

/// The execution renamed so that the first elements that loops take come in order.
fn as_they_come(
    loose: &Machine,
    names: &Names,
    told: &[(Config, usize)],
) -> Option<Vec<(Config, usize)>> {
    let Form::Voices(system) = &loose.form else {
        return None;
    };
    let mut members: Vec<Vec<Option<u32>>> = names
        .nobody()
        .iter()
        .map(|all| vec![None; all.len()])
        .collect();
    for (config, _) in told {
        for (lane, voice) in voices(config).voices.iter().enumerate() {
            for element in system.taken(lane, voice) {
                names.note(lane, element, &mut members);
            }
        }
    }
    let to = names.permutation(members.iter().map(|all| filled(all)).collect());
    let renamed = |config: &Config| Config(Form::Voices(names.renamed(voices(config), &to)));
    let mut path: Vec<(Config, usize)> = told
        .iter()
        .map(|(config, _)| (renamed(config), usize::MAX))
        .collect();
    for at in 0..path.len() - 1 {
        let leads_there =
            |step: &Step| matches!(&step.outcome, Outcome::Next(next) if *next == path[at + 1].0);
        let number = loose.steps(&path[at].0).iter().position(leads_there);
        // The last step may fail; then what comes before it is enough.
        path[at].1 = number.unwrap_or(usize::MAX);
    }
    Some(path)
}

/// Those without a place come last.
fn filled(places: &[Option<u32>]) -> Vec<u32> {
    let next = places.iter().flatten().count() as u32;
    let mut next = next..;
    let place = |place: &Option<u32>| place.unwrap_or_else(|| next.next().expect("numbers"));
    places.iter().map(place).collect()
}

impl Names {
    /// Gives the members in the element of a loop the next places.
    fn note(&self, lane: usize, (local, value): (usize, &Value), places: &mut [Vec<Option<u32>>]) {
        let Some((sort, id)) = self.member_in(lane, local, value) else {
            return;
        };
        let taken = places[sort].iter().flatten().count() as u32;
        places[sort][id as usize].get_or_insert(taken);
    }
}
