//! Bounded model checking with integers larger than the usual window.
//!
//! `ensures x != 100` is false for one value that no search over small integers tries, and a solver finds at once. So what
//! is left open is asked again with a wider window of integers, as wide as leaves few enough ways to start: the start of an
//! execution is looked for among them when it is replayed. The window that is shown is as wide as what was found
//! needs. As for all leads, only what the interpreter runs into counts.

use crate::bmc_trace::{
    MOST_STARTS, Refutation, at_the_end, fails_in_runs, followed, ways_to_start, with_other_ranges,
};
use crate::proof::belongs;
use crate::request::Asked;
use crate::supervisor::Supervisor;
use plainsong_ir::{StartValue, Ty};
use plainsong_prove::bounded::{Catch, Hunt, Lead, lead};
use plainsong_prove::obligation::Rule;
use plainsong_semantics::instance::{Instance, InstanceError};
use plainsong_semantics::machine::Subject;
use plainsong_semantics::sizes::Bounds;
use plainsong_semantics::value::Value;
use plainsong_smt::Solvers;

/// How far windows reach, from the narrowest.
const WINDOWS: [i64; 4] = [10, 30, 100, 1_000];
/// Where integers are elements of something, not farther than this.
const INSIDE: i64 = 10;
/// The most sizes that are tried.
const SIZES: usize = 2;
/// Rounds of a loop.
const ROUNDS: usize = 4;
/// What one query may cost.
const RESOURCE: u64 = 1_000_000;

/// Looks for runs against the questions that have no answer, within windows that [`Refutation::instance`] tells.
pub fn follow_wide_leads(
    asked: &Asked,
    solvers: &Solvers,
    supervisor: &mut dyn Supervisor,
    answered: &mut [bool],
    enter: &mut dyn FnMut(usize, Refutation),
) -> Result<(), InstanceError> {
    let Subject::Line(line) = asked.subject else {
        return Ok(());
    };
    for (at, sizes) in asked.sizes.iter().enumerate().take(SIZES) {
        let instances = asked.instances(sizes)?;
        for instance in with_other_ranges(&instances).0 {
            let Some(instance) = widened(instance, asked.subject) else {
                return Ok(());
            };
            for (number, answered) in answered.iter_mut().enumerate() {
                if *answered || supervisor.is_over() {
                    continue;
                }
                let check = asked.questions[number].check;
                let finally = at_the_end(check);
                let hunt = Hunt {
                    instance: &instance,
                    line,
                    finally: &finally,
                    rounds: ROUNDS,
                    resource: RESOURCE,
                    wanted: &|rule: Rule| fails_in_runs(rule) && belongs(rule, check),
                };
                let found = supervisor.while_working(|cancel| lead(&hunt, solvers, cancel));
                if let Ok(Catch::Lead(lead)) = found {
                    let mut wide = asked.clone();
                    wide.bounds = window(&asked.bounds, reach(&lead));
                    let run = followed(&wide, supervisor, (at, sizes), check, &lead)?;
                    *answered = run.is_some();
                    run.into_iter().for_each(|run| enter(number, run));
                }
            }
        }
    }
    Ok(())
}

/// The instance with the widest window that leaves few enough ways to start; nothing if it does not get wider.
fn widened(instance: &Instance, subject: Subject) -> Option<Instance> {
    let most = match has_integers_inside(instance, subject) {
        true => INSIDE,
        false => i64::MAX,
    };
    let mut widest = None;
    for reach in WINDOWS.into_iter().take_while(|reach| *reach <= most) {
        let wider = instance.with_bounds(window(instance.bounds(), reach));
        if ways_to_start(&wider, subject) > MOST_STARTS {
            break;
        }
        widest = Some(wider);
    }
    widest
}

fn window(bounds: &Bounds, reach: i64) -> Bounds {
    Bounds {
        int: (bounds.int.0.min(-reach), bounds.int.1.max(reach)),
        nat: bounds.nat.max(reach),
        ..bounds.clone()
    }
}

/// The largest number in what a solver proposes, whatever its sign.
fn reach(lead: &Lead) -> i64 {
    let steering = &lead.steering;
    let starts = steering.starts.iter().map(|start| &start.value);
    let values = lead.constants.iter().chain(&steering.params);
    let values = values.chain(&steering.choices).chain(starts);
    values.map(largest).max().unwrap_or(0)
}

fn largest(value: &Value) -> i64 {
    match value {
        Value::Int(number) => number.saturating_abs(),
        Value::Some(inner) => largest(inner),
        Value::Tuple(parts)
        | Value::Variant(_, parts)
        | Value::Set(parts)
        | Value::Bag(parts)
        | Value::Seq(parts) => parts.iter().map(largest).max().unwrap_or(0),
        Value::Map(entries) => {
            let both = entries.iter().flat_map(|(key, held)| [key, held]);
            both.map(largest).max().unwrap_or(0)
        }
        Value::None | Value::Bool(_) | Value::Id(_) | Value::Process(_) => 0,
    }
}

/// Is a choreography left free in collections of integers?
fn has_integers_inside(instance: &Instance, subject: Subject) -> bool {
    let Subject::Line(line) = subject else {
        return false;
    };
    let song = instance.song();
    let decl = &song.lines[line];
    let params = decl.code.locals[..decl.code.arity]
        .iter()
        .map(|one| &one.ty);
    let families = song.families.iter().flat_map(|family| &family.vars);
    let free = families.filter(|var| matches!(var.start, StartValue::Choice(_)));
    params.chain(free.map(|var| &var.ty)).any(is_collection)
}

fn is_collection(ty: &Ty) -> bool {
    match ty {
        Ty::Set(_) | Ty::Bag(_) | Ty::Map(..) | Ty::Seq(_) => true,
        Ty::Option(inner) => is_collection(inner),
        Ty::Tuple(parts) => parts.iter().any(is_collection),
        // What is inside of declared types is not looked at.
        Ty::Enum(_) | Ty::Struct(_) => true,
        _ => false,
    }
}
