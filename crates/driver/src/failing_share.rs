//! How many of the executions fail.
//!
//! A failure in every execution is a mistake in the protocol; in one of thousands, a race that tests will not
//! find. All executions of the instance that is shown are judged one by one, if they are few enough. A number is only told
//! when every one was.

use crate::select::questions;
use crate::watch::Interrupt;
use crate::without_faults::Until;
use plainsong_explore_songs::{Manner, explore};
use plainsong_semantics::machine::Machine;
use plainsong_semantics::outcomes::is_split;
use plainsong_semantics::search::{Completeness, Limits};

/// Executions that are judged for one number.
const MOST_EXECUTIONS: u64 = 5_000;

/// How many executions of a machine refute a property, and how many there are.
pub(crate) fn share(
    machine: &Machine,
    property: &str,
    interrupt: &Interrupt,
) -> Option<(u64, u64)> {
    // Of other outcomes of external functions there are other executions.
    if is_split(machine.instance()) {
        return None;
    }
    let questions = questions(machine.instance().song());
    let question = questions.into_iter().find(|one| one.name == *property)?;
    let manner = Manner {
        limits: Limits {
            states: MOST_EXECUTIONS,
            ..Limits::default()
        },
        judges_all: true,
        ..Manner::default()
    };
    let found = explore(machine, &[question.check], &manner, &mut Until(interrupt)).ok()?;
    let all = found.count.complete + found.count.blocked + found.count.failed;
    let refuting = *found.refuting?.first()?;
    let is_whole = found.count.completeness == Completeness::Complete;
    (is_whole && refuting > 0).then_some((refuting, all))
}
