//! Counterexamples to induction (CTI): a state that the invariants allow, and whether an execution reaches it.
//!
//! A proof looks at a round of a loop from every state that the invariants allow. So what is not proved is
//! mostly not proved because of a state that no run comes to. Here that state is looked for: the loops of the
//! choreography are cut at their heads ([`plainsong_prove::cut`]), and a run of that which goes wrong, in the
//! interpreter, begins with it. Then a search of the choreography itself says whether it comes to that state
//! within bounds, and which states it does come to at that place: an invariant has to keep those.
//!
//! What is said here explains an `unknown`. It is never a verdict: a state that runs do not come to refutes
//! nothing.

use crate::bmc_trace::runs_by_leads;
use crate::request::Asked;
use crate::supervisor::Supervisor;
use plainsong_prove::cut::{CutLoop, cut, marked};
use plainsong_report::count;
use plainsong_semantics::instance::{Instance, InstanceError};
use plainsong_semantics::machine::{Config, Machine, Outcome, Subject};
use plainsong_semantics::search::{Answer, Limits, Query, Question, search};
use plainsong_semantics::show::show;
use plainsong_semantics::sizes::Sizes;
use plainsong_semantics::trace::{Ending, Trace};
use plainsong_semantics::value::Value;
use plainsong_smt::Solvers;
use std::collections::HashSet;
use std::sync::Arc;

/// The most states of the cut choreography that are looked at, one instance after the other.
const CUT_STATES: u64 = 3_000;
/// The most states of the choreography itself.
const OWN_STATES: usize = 5_000;
/// How many states that an invariant has to keep are shown.
const KEPT: usize = 3;

/// Sentences about a question that is neither proved nor refuted.
pub fn explain(
    asked: &Asked,
    question: &Question,
    solvers: &Solvers,
    supervisor: &mut dyn Supervisor,
) -> Result<Vec<String>, InstanceError> {
    let Subject::Line(line) = asked.subject else {
        return Ok(Vec::new());
    };
    let (song, loops) = cut(&asked.song, line);
    if loops.is_empty() {
        return Ok(Vec::new());
    }
    let mut of_cut = asked.clone();
    of_cut.song = Arc::new(song);
    of_cut.questions = vec![question.clone()];
    let Some((sizes, instance, trace)) = failing(&of_cut, solvers, supervisor)? else {
        return Ok(Vec::new());
    };
    let machine = Machine::new(&instance, asked.subject);
    let Some((config, at)) = last_head(&machine, &trace, &loops) else {
        return Ok(Vec::new());
    };
    let head = Head {
        asked,
        line,
        at,
        state: state(&instance, asked, line, at, &config),
    };
    let told = ending(&trace);
    let mut all = vec![format!(
        "not inductive: at `{}` the invariants allow {}; from there {told}",
        at.text,
        head.shown(&instance, &head.state)
    )];
    all.extend(head.looked_up(&instance, &sizes)?);
    Ok(all)
}

/// A run that goes wrong, with its sizes and its instance.
fn failing(
    asked: &Asked,
    solvers: &Solvers,
    supervisor: &mut dyn Supervisor,
) -> Result<Option<(Sizes, Instance, Trace)>, InstanceError> {
    if let Some(found) = runs_by_leads(asked, solvers, supervisor)? {
        return Ok(Some(found));
    }
    let mut left = CUT_STATES;
    for sizes in &asked.sizes {
        for instance in asked.instances(sizes)? {
            if left == 0 || supervisor.is_over() {
                return Ok(None);
            }
            let query = Query {
                subject: asked.subject,
                checks: asked.questions.iter().map(|one| one.check).collect(),
            };
            let limits = Limits {
                states: left,
                refutations: Some(1),
            };
            let report = search(&instance, &query, &limits, supervisor);
            left = left.saturating_sub(report.states);
            for finding in report.findings {
                if let Answer::Refuted(trace) = finding.answer {
                    return Ok(Some((sizes.clone(), instance, *trace)));
                }
            }
        }
    }
    Ok(None)
}

/// The last state at the head of a loop in a run, and which loop.
fn last_head<'l>(
    machine: &Machine,
    trace: &Trace,
    loops: &'l [CutLoop],
) -> Option<(Config, &'l CutLoop)> {
    let mut starts = machine.initial().into_iter().filter_map(|one| match one {
        Outcome::Next(config) => Some(config),
        _ => None,
    });
    let mut config = starts.find(|config| machine.start(config) == trace.start)?;
    let mut last = None;
    for event in &trace.events {
        let steps = machine.steps(&config);
        let step = steps.into_iter().nth(event.step)?;
        if let Some(at) = loops.iter().find(|one| one.mark == step.span) {
            last = Some((config.clone(), at));
        }
        match step.outcome {
            Outcome::Next(next) => config = next,
            _ => break,
        }
    }
    last
}

fn ending(trace: &Trace) -> String {
    match &trace.ending {
        Ending::Failed(failure) => failure.message.clone(),
        Ending::Violated { property, why, .. } => format!("`{property}`: {why}"),
        _ => "something goes wrong".to_owned(),
    }
}

/// What is known of a state at the head of a loop: parameters, variables, the name of a `for`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    params: Vec<Value>,
    vars: Vec<Value>,
    local: Option<Value>,
}

fn state(instance: &Instance, asked: &Asked, line: usize, at: &CutLoop, config: &Config) -> State {
    let code = &asked.song.lines[line].code;
    let mut vars = Vec::new();
    for row in instance.lanes(asked.subject) {
        let member = &instance.members()[row];
        let family = &asked.song.families[member.family.index()];
        vars.extend((0..family.vars.len()).map(|var| config.value(row, var.into()).clone()));
    }
    let slots = config.parameters(usize::MAX);
    State {
        params: slots[..code.arity.min(slots.len())].to_vec(),
        vars,
        local: at.local.and_then(|one| slots.get(one.index()).cloned()),
    }
}

/// A state at the head of a loop.
struct Head<'a> {
    asked: &'a Asked,
    line: usize,
    at: &'a CutLoop,
    state: State,
}

impl Head<'_> {
    /// Looks for the state in runs of the choreography itself.
    fn looked_up(&self, instance: &Instance, sizes: &Sizes) -> Result<Vec<String>, InstanceError> {
        let song = Arc::new(marked(&self.asked.song, self.line));
        let constants = 0..song.consts.len();
        let values: Vec<Value> = constants
            .map(|at| instance.constant(at.into()).clone())
            .collect();
        let own = Instance::with_values(song, sizes, &self.asked.bounds, &values)?;
        let Some(own) = own.map(|own| own.with_delivery(self.asked.delivery)) else {
            return Ok(Vec::new());
        };
        let walk = self.walk(&own);
        let looked_at = count(walk.states as u64, "state");
        if walk.reaches {
            return Ok(vec![format!(
                "a run comes to that state ({looked_at} looked at)"
            )]);
        }
        let whole = match walk.complete {
            true => "all that there are within the bounds",
            false => "there are more",
        };
        let mut all = vec![format!(
            "no run comes to that state ({looked_at} looked at, {whole}): the invariant is too weak"
        )];
        if !walk.kept.is_empty() {
            let kept = walk.kept;
            let these = if kept.len() == 1 { "this" } else { "these" };
            all.push(format!(
                "runs come there with {}: the invariant has to keep {these}",
                kept.join("; with ")
            ));
        }
        Ok(all)
    }

    /// Runs of the choreography, breadth first.
    fn walk(&self, instance: &Instance) -> Walk {
        let machine = Machine::new(instance, self.asked.subject);
        let (mut seen, mut queue) = (HashSet::new(), std::collections::VecDeque::new());
        let mut walk = Walk::default();
        let mut seen_here = HashSet::new();
        for outcome in machine.initial() {
            if let Outcome::Next(config) = outcome
                && seen.insert(config.clone())
            {
                queue.push_back(config);
            }
        }
        while let Some(config) = queue.pop_front() {
            walk.states += 1;
            let steps = machine.steps(&config);
            if steps.iter().any(|step| step.span == self.at.mark) {
                let here = state(instance, self.asked, self.line, self.at, &config);
                walk.reaches |= here == self.state;
                // States that differ in parameters or in nothing that is shown are told once.
                if walk.kept.len() < KEPT {
                    let state = self.variables(instance, &here);
                    if seen_here.insert(state) {
                        walk.kept.push(self.shown(instance, &here));
                    }
                }
            }
            if walk.reaches || walk.states >= OWN_STATES {
                return walk;
            }
            for step in steps {
                if let Outcome::Next(next) = step.outcome
                    && seen.insert(next.clone())
                {
                    queue.push_back(next);
                }
            }
        }
        walk.complete = true;
        walk
    }

    /// Parameters, the name of a `for`, and the variables that the loop writes.
    fn shown(&self, instance: &Instance, state: &State) -> String {
        let song = &self.asked.song;
        let code = &song.lines[self.line].code;
        let mut parts = Vec::new();
        for (param, value) in code.locals.iter().zip(&state.params) {
            parts.push(format!(
                "{} = {}",
                param.name,
                show(instance, value, &param.ty)
            ));
        }
        parts.extend(self.variables(instance, state));
        parts.join(", ")
    }

    /// The name of a `for`, and the variables that the loop writes.
    fn variables(&self, instance: &Instance, state: &State) -> Vec<String> {
        let song = &self.asked.song;
        let code = &song.lines[self.line].code;
        let mut parts = Vec::new();
        if let (Some(local), Some(value)) = (self.at.local, &state.local) {
            let row = &code.locals[local.index()];
            parts.push(format!("{} = {}", row.name, show(instance, value, &row.ty)));
        }
        let mut values = state.vars.iter();
        for row in instance.lanes(self.asked.subject) {
            let member = &instance.members()[row];
            let vars = &song.families[member.family.index()].vars;
            for (at, (var, value)) in vars.iter().zip(&mut values).enumerate() {
                if self.at.written.contains(&(member.family, at.into())) {
                    let value = show(instance, value, &var.ty);
                    parts.push(format!("{}.{} = {value}", member.name, var.name));
                }
            }
        }
        parts
    }
}

/// What runs of the choreography come to.
#[derive(Default)]
struct Walk {
    states: usize,
    reaches: bool,
    /// Are these all states?
    complete: bool,
    /// Some states at the head of the loop, as they are shown.
    kept: Vec<String>,
}
