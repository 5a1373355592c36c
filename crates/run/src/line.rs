//! A choreography with everything fixed that comes from outside, and how it is played as a line.

use crate::voices::Voices;
use crate::{End, MOST_STEPS, end, own_variables};
use plainsong_ir::{Song, VarId};
use plainsong_runtime::{Error, Fault, Oracle, digest};
use plainsong_semantics::instance::{Instance, InstanceError};
use plainsong_semantics::local_process::Part;
use plainsong_semantics::machine::{Config, Machine, Outcome, Subject};
use plainsong_semantics::sample;
use plainsong_semantics::show::show;
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_semantics::trace::{Failure, FailureKind};
use plainsong_semantics::value::Value;
use std::sync::Arc;

/// The ways to begin, among the values that are tried or, where these are too many to list, among fewer: one is drawn
/// in any case. Whoever plays a part of the run finds the same ones.
fn few_starts(instance: &Instance, number: usize, given: &Sizes) -> (Machine, Vec<Outcome>) {
    let begin = |instance: &Instance| {
        let machine = Machine::new(instance, Subject::Line(number));
        let starts = machine.initial_with(given);
        (machine, starts)
    };
    let is_limit = |outcome: &Outcome| matches!(outcome, Outcome::Failed(failure, _) if failure.kind == FailureKind::Resource);
    let all = begin(instance);
    let usual = instance.bounds();
    for (length, far) in [(1, i64::MAX), (1, 1), (1, 0), (0, 1), (0, 0)] {
        if !all.1.iter().any(is_limit) {
            break;
        }
        let fewer = Bounds {
            int: (usual.int.0.max(-far), usual.int.1.min(far)),
            nat: usual.nat.min(far),
            length: usual.length.min(length),
            ..usual.clone()
        };
        let some = begin(&instance.with_bounds(fewer));
        if !some.1.iter().any(is_limit) {
            return some;
        }
    }
    all
}

/// A run of a choreography, about to begin.
#[derive(Clone, Debug)]
pub struct Line {
    machine: Machine,
    number: usize,
    start: Config,
    seed: u64,
}

/// Why a run cannot begin.
#[derive(Clone, Debug)]
pub enum NoStart {
    /// No parameters and starting values satisfy what the choreography requires.
    Nothing,
    /// They cannot be computed.
    Failed(Failure),
    /// There is no such instance of the voices.
    Instance(InstanceError),
    /// The voices are not those of this line.
    Foreign,
}

impl Line {
    /// One of the instance's choreographies. Parameters that are not given, and free starting values, are
    /// drawn from the seed among those that the choreography requires.
    ///
    /// # Errors
    ///
    /// When there are none.
    pub fn new(
        instance: &Instance,
        number: usize,
        seed: u64,
        given: &Sizes,
    ) -> Result<Line, NoStart> {
        let (machine, mut starts) = few_starts(instance, number, given);
        // A sequence that no role has.
        let drawn = Oracle::new(seed, usize::MAX).choose(starts.len());
        match drawn.map(|at| starts.swap_remove(at)) {
            Some(Outcome::Next(start)) => Ok(Line {
                machine,
                number,
                start,
                seed,
            }),
            Some(Outcome::Failed(failure, _)) => Err(NoStart::Failed(failure)),
            Some(Outcome::Discarded) | None => Err(NoStart::Nothing),
        }
    }

    /// What the choreography is called.
    pub fn name(&self) -> &str {
        &self.song().lines[self.number].name
    }

    /// The names of the endpoints, in order.
    pub fn roles(&self) -> Vec<String> {
        self.machine.lanes()
    }

    /// The parameters of the choreography, with their values.
    pub fn parameters(&self) -> Vec<(String, String)> {
        let code = &self.song().lines[self.number].code;
        let values = self.start.parameters(code.arity).iter();
        code.locals
            .iter()
            .zip(values)
            .map(|(param, value)| {
                let value = show(self.instance(), value, &param.ty);
                (param.name.clone(), value)
            })
            .collect()
    }

    /// Plays it as a line; returns how the endpoints end, in order.
    ///
    /// # Errors
    ///
    /// When something has no meaning, when an assertion or a promise does not hold, and when it does not
    /// come to an end.
    pub fn play(&self) -> Result<Vec<End>, Error> {
        let roles = self.rows().len();
        let mut oracles: Vec<Oracle> = (0..roles)
            .map(|role| Oracle::new(self.seed, role))
            .collect();
        let mut config = self.start.clone();
        for _ in 0..MOST_STEPS {
            let steps = self.machine.steps(&config);
            let Some(owner) = steps.first().map(|step| step.lane) else {
                return Ok(self.ends(&config));
            };
            let limit = steps.iter().find_map(|step| match &step.outcome {
                Outcome::Failed(failure, _) if failure.kind == FailureKind::Resource => {
                    Some(failure)
                }
                _ => None,
            });
            if let Some(failure) = limit {
                return Err(failed(failure));
            }
            let step = sample::step(steps, |count| {
                let oracle = owner.and_then(|owner| oracles.get_mut(owner));
                let oracle = oracle
                    .ok_or_else(|| Error::assumption("every choice belongs to an endpoint"))?;
                let drawn = oracle.choose(count);
                drawn.ok_or_else(|| Error::assumption("there is something to choose from"))
            })?;
            config = match step.map(|step| step.outcome) {
                Some(Outcome::Next(next)) => next,
                Some(Outcome::Failed(failure, _)) => return Err(failed(&failure)),
                Some(Outcome::Discarded) | None => {
                    return Err(Error::assumption("the choreography's `assume`s hold"));
                }
            };
        }
        Err(Error::misuse(format!(
            "it has not come to an end after {MOST_STEPS} steps"
        )))
    }

    /// The voices that projection made of this choreography, with the same parameters and starting values.
    ///
    /// # Errors
    ///
    /// When there are none with these.
    pub fn voices(&self, projected: &Arc<Song>, sizes: &Sizes) -> Result<Voices, NoStart> {
        let bounds = self.instance().bounds();
        let instance = Instance::with_values(Arc::clone(projected), sizes, bounds, &self.values());
        let instance = instance.map_err(NoStart::Instance)?;
        let instance = instance.ok_or(NoStart::Foreign)?;
        let machine = Machine::new(&instance, Subject::System);
        if machine.lanes() != self.roles() {
            return Err(NoStart::Foreign);
        }
        Voices::new(
            machine,
            self.identity(projected),
            self.given(),
            self.seed,
            |parts| self.begins_like(parts, &instance),
        )
    }

    /// What all roles of a run have to agree on.
    fn identity(&self, projected: &Song) -> (String, u64) {
        let text = plainsong_ir::print::song(projected);
        (self.name().to_owned(), digest([&*text]))
    }

    /// What this run was given, as people read it: parameters, how its endpoints begin, bounds.
    fn given(&self) -> String {
        let parameters = self.parameters().into_iter();
        let parameters = parameters.map(|(name, value)| format!("{name} = {value}"));
        let begins = self.ends(&self.start).into_iter().zip(self.roles());
        let begins = begins.map(|(begin, role)| format!("{role}: {begin}"));
        let bound = self.instance().bound().into_iter();
        let bound = bound.map(|(name, value)| format!("{name} within {value}"));
        let given: Vec<String> = parameters.chain(begins).chain(bound).collect();
        given.join(", ")
    }

    /// The values of the projected song's constants and parameters, in order: those of the song, then the
    /// parameters of the choreography, which may have other names there.
    fn values(&self) -> Vec<Value> {
        let song = self.song();
        let code = &song.lines[self.number].code;
        let of_song = (0..song.consts.len()).map(|at| self.instance().constant(at.into()).clone());
        let own = self.start.parameters(code.arity).iter().cloned();
        of_song.chain(own).collect()
    }

    /// Do the voices begin with the variables of this run?
    fn begins_like(&self, parts: &[Part], other: &Instance) -> bool {
        let rows = self.rows().zip(other.members()).zip(parts);
        let mut rows = rows.map(|((row, member), part)| (row, member.family, part));
        rows.all(|(row, family, part)| {
            let theirs = own_variables(other.song(), family);
            theirs.into_iter().all(|(var, name)| {
                self.variable(row, name)
                    .is_none_or(|own| self.start.value(row, own) == part.value(var))
            })
        })
    }

    /// A variable of an endpoint, by name.
    fn variable(&self, row: usize, name: &str) -> Option<VarId> {
        let family = self.instance().members()[row].family;
        let mut own = own_variables(self.song(), family);
        own.find(|(_, own)| *own == name).map(|(var, _)| var)
    }

    fn ends(&self, config: &Config) -> Vec<End> {
        self.rows()
            .map(|row| {
                let family = self.instance().members()[row].family;
                end(self.instance(), family, |var| config.value(row, var))
            })
            .collect()
    }

    fn rows(&self) -> std::ops::Range<usize> {
        self.instance().lanes(Subject::Line(self.number))
    }

    fn instance(&self) -> &Instance {
        self.machine.instance()
    }

    fn song(&self) -> &Song {
        self.instance().song()
    }
}

/// A failure of the program as an error of a run.
pub(crate) fn failed(failure: &Failure) -> Error {
    Error::from(Fault::Undefined {
        why: failure.message.clone(),
    })
}
