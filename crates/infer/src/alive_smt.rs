//! `--method alive-smt`: the translated program, by a solver.
//!
//! The line of [`plainsong_diverge::translate::rounds`] is printed and read again, so that what is solved is what `--emit db` shows. A solver
//! is asked for choices with which it gets to its end as a cycle would ([`plainsong_prove::bounded`]); the interpreter
//! makes them; which tasks ran says which execution of the original is meant; that one is executed, and its cycle again
//! from its own end. Only this refutes. That the solver finds nothing says nothing beyond the bounds, and is *unknown*.

use crate::supervisor::Supervisor;
use plainsong_diverge::replay_solver_model::{Ran, retold};
use plainsong_diverge::translate::{self, Bounds, Refused};
use plainsong_diverge::{Finding, Question, Report};
use plainsong_ir::{FamilyId, Song, SortId, print};
use plainsong_prove::bounded::{Catch, Hunt, Lead, lead};
use plainsong_prove::obligation::Rule;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::search::steered_end;
use plainsong_semantics::sizes::{Bounds as Windows, Sizes};
use plainsong_semantics::value::Value;
use plainsong_smt::Solvers;
use std::sync::Arc;

/// What a query may cost, in the solver's units.
const RESOURCE: u64 = 2_000_000_000;
/// Rounds of a loop whose text does not say how many it has.
const ROUNDS: usize = 4;
/// The greatest number that is guessed for a store, unless `--bound` says more.
const GREATEST: i64 = 6;

/// Asks a solver about the translated program of an instance.
pub fn solved(
    machine: &Machine,
    question: &Question,
    bounds: Bounds,
    solvers: &Solvers,
    supervisor: &mut dyn Supervisor,
) -> Report {
    let found = AliveSolver {
        machine,
        question,
        bounds,
        solvers,
    }
    .run(supervisor);
    Report {
        finding: found.unwrap_or_else(Finding::Unknown),
        steps: 0,
        fails: false,
    }
}

struct AliveSolver<'a> {
    machine: &'a Machine,
    question: &'a Question,
    bounds: Bounds,
    solvers: &'a Solvers,
}

impl AliveSolver<'_> {
    /// One length of chains after the other, and of each one number of rounds after the other: most cycles have short
    /// chains and need few rounds, and lines with many of either are long.
    fn run(&self, supervisor: &mut dyn Supervisor) -> Result<Finding, String> {
        let mut before = None;
        for recursion in 1..=self.bounds.recursion {
            let text = self.text(self.bounds.delay, recursion)?;
            if before.as_ref() == Some(&text) {
                return Err(format!(
                    "{}, nor with any other --recursion",
                    self.nothing()
                ));
            }
            for delay in 1..self.bounds.delay {
                let narrower = self.text(delay, recursion)?;
                if let Some(found) = self.ask(&narrower, supervisor)? {
                    return Ok(found);
                }
            }
            if let Some(found) = self.ask(&text, supervisor)? {
                return Ok(found);
            }
            before = Some(text);
        }
        Err(self.nothing())
    }

    /// The translated program as `--emit db` prints it.
    fn text(&self, delay: u32, recursion: u32) -> Result<String, String> {
        let bounds = Bounds {
            delay,
            recursion,
            ..self.bounds
        };
        let line = translate::rounds(self.machine.instance().song(), bounds);
        let line = line.map_err(|Refused { why, .. }| why)?;
        Ok(print::song(&line))
    }

    /// A cycle, if the solver finds one in a translated program.
    fn ask(&self, text: &str, supervisor: &mut dyn Supervisor) -> Result<Option<Finding>, String> {
        let line = plainsong_syntax::compile(text).song;
        let line = Arc::new(line.ok_or("the translated program could not be read again")?);
        let instance = self.instance(&line)?;
        let hunt = Hunt {
            instance: &instance,
            line: 0,
            finally: &[0],
            rounds: ROUNDS,
            resource: RESOURCE,
            wanted: &|rule: Rule| rule == Rule::Finally(0),
        };
        let found = supervisor.while_working(|cancel| lead(&hunt, self.solvers, cancel));
        match found {
            Ok(Catch::Lead(lead)) => self.told(&instance, &lead).map(Some),
            Ok(Catch::Nothing) => Ok(None),
            Ok(Catch::Unclear) => Err("the solver does not know within its limits".to_owned()),
            Err(unsupported) => Err(format!("the solver is not asked: {}", unsupported.message)),
        }
    }

    /// The line with the sizes that are asked about.
    fn instance(&self, line: &Arc<Song>) -> Result<Instance, String> {
        let asked = self.machine.instance();
        let sorts = asked.song().sorts.iter().enumerate();
        let open = sorts.filter(|(_, sort)| sort.is_sized());
        let sizes = open.fold(Sizes::new(), |sizes, (at, sort)| {
            let (first, last) = asked.range(SortId::from(at));
            sizes.with(&sort.name, last - first + 1)
        });
        let mut windows: Windows = asked.bounds().clone();
        windows.nat = windows.nat.max(GREATEST);
        let instances = Instance::all(line.clone(), &sizes, &windows);
        match &instances.map_err(|error| error.message)?[..] {
            [one] => Ok(one.clone()),
            _ => {
                Err("parameters are not known to --method alive-smt; use --method alive".to_owned())
            }
        }
    }

    fn nothing(&self) -> String {
        let Bounds {
            delay, recursion, ..
        } = self.bounds;
        format!("no cycle with --delay {delay} and --recursion {recursion}, says the solver")
    }

    /// The execution that the solver means.
    fn told(&self, instance: &Instance, lead: &Lead) -> Result<Finding, String> {
        let line = Machine::new(instance, Subject::Line(0));
        let end = steered_end(&line, &lead.steering)
            .ok_or("the translated program does not do what the solver suggests")?;
        let values = line.values(&end);
        let ran = values.iter().find(|(name, _, _)| name.ends_with(".ran"));
        let steps = match ran {
            Some((_, Value::Seq(ran), _)) => self.steps(ran),
            _ => None,
        };
        let (stem, period) = steps.ok_or("the translated program does not say what ran")?;
        let Question {
            fairness, property, ..
        } = *self.question;
        let found = retold(self.machine, fairness, property, &stem, &period);
        found
            .map(|found| Finding::Diverges(Box::new(found)))
            .ok_or_else(|| {
                let (stem, period) = (stem.len(), period.len());
                format!("the program does not repeat what the solver suggests, {stem} steps and {period} again and again")
            })
    }

    /// Tasks of the stem and of the cycle in the order of their rounds.
    fn steps(&self, ran: &[Value]) -> Option<(Vec<Ran>, Vec<Ran>)> {
        let tasks = translate::tasks(self.machine.instance().song());
        let mut steps = Vec::new();
        for one in ran {
            let Value::Tuple(parts) = one else {
                return None;
            };
            let [
                Value::Variant(action, arguments),
                Value::Bool(period),
                Value::Int(round),
            ] = &parts[..]
            else {
                return None;
            };
            let ran = self.ran(*tasks.get(*action as usize)?, arguments);
            steps.push((*round, *period, ran));
        }
        steps.sort_by_key(|(round, _, _)| *round);
        let (period, stem): (Vec<_>, Vec<_>) =
            steps.into_iter().partition(|(_, period, _)| *period);
        let only =
            |steps: Vec<(i64, bool, Ran)>| steps.into_iter().map(|(_, _, ran)| ran).collect();
        Some((only(stem), only(period)))
    }

    fn ran(&self, (kind, family): (usize, Option<FamilyId>), arguments: &[Value]) -> Ran {
        let indices = family.map_or(0, |id| {
            self.machine.instance().song().families[id.index()]
                .index
                .len()
        });
        let (index, values) = arguments.split_at(indices);
        Ran {
            kind,
            receiver: family.map(|family| (family, index.to_vec())),
            values: values.to_vec(),
        }
    }
}
