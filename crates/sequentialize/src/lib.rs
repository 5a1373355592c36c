//! Canonical sequentialization [Brisk17]: from processes (voices) to one sequential program (the line), for any number of
//! processes: a parameterized proof.
//!
//! A receive can be moved to the send that it matches if that send is the only one, or if all candidates
//! are the same statement of members of one family: the outcomes are then permutations of each other. For a
//! program in which every receive is like that, it is enough to exhibit *one* schedule, for arbitrary sizes.
//! The schedule is a sequential program without sends and receives: the line.
//!
//! The path: [`voices_to_parts`] brings the processes into the shape that rules look at and refuses what is
//! not covered, [`race`] checks every receive, [`rules`] look for the canonical schedule over a symbolic
//! [`state`] in which whole families move at once. Rings and chains have a rule of their own: [`neighbours`].
//!
//! What is found is sound for every size: no deadlock, and no message left over. Nothing here looks at a
//! particular instance.

mod arithmetic_oracle;
pub mod codes;
mod delivery_order;
mod derivation;
mod derivation_log;
mod eval;
mod line;
mod live_variables;
mod losses;
mod neighbours;
mod process_code;
mod race;
mod rules;
mod state;
mod stuck;
mod term;
mod value;
mod voices_to_parts;

pub use arithmetic_oracle::{Arbiter, Nobody, Question};
pub use derivation::{derivation, derivation_with};
pub use line::Line;
pub use stuck::{Obstacle, Stuck};

use plainsong_diagnostics::Span;
use plainsong_ir::{Delivery, Song};
use rules::Engine;
use std::collections::BTreeSet;

/// That there is a line.
#[derive(Clone, Debug)]
pub struct Sequentialized {
    /// Places of assertions and operations that were not seen to hold or to be defined on the way.
    pub open: BTreeSet<Span>,
    /// The line, or why it is not proved.
    pub line: Result<Line, String>,
    /// Was a path cut short because an assertion on it certainly fails? Then the line does not have it.
    pub pruned: bool,
    /// May messages be left over, because nobody waits for them after a timeout or a crash?
    pub may_leave: bool,
    /// How many steps the search took.
    pub steps: usize,
}

/// Looks for the line of a song's voices. `delivery` is a model for all messages instead of the declared
/// ones.
pub fn sequentialize(
    song: &Song,
    delivery: Option<Delivery>,
) -> Result<Sequentialized, Box<Stuck>> {
    sequentialize_with(song, delivery, &Nobody)
}

/// The same, with somebody who is asked where decisions depend on arithmetic.
pub fn sequentialize_with(
    song: &Song,
    delivery: Option<Delivery>,
    arbiter: &dyn Arbiter,
) -> Result<Sequentialized, Box<Stuck>> {
    if let Some(answer) = neighbours::neighbours(song, delivery) {
        return answer.map_err(Box::new);
    }
    let score = voices_to_parts::score(song, delivery)?;
    let annotated = score.annotated.clone();
    let senders = race::senders(&score)?;
    let mut engine = Engine::new(score, senders, arbiter);
    let doubt = engine.senders.doubt.take();
    let ends = engine.finish().and_then(|ends| {
        engine.kinds_are_confined()?;
        Ok(ends)
    });
    let ends = match ends {
        Ok(ends) => ends,
        Err(stuck) => {
            let mut stuck = match doubt {
                Some(race) if stuck.obstacle.confuses() && !engine.score.losses.timeouts => race,
                _ => stuck,
            };
            if let Some(farthest) = engine.farthest.take() {
                stuck.remaining = engine.remaining(&farthest);
                stuck.so_far = line::line(&engine, &[farthest])
                    .ok()
                    .map(|line| Box::new(line.song));
            }
            return Err(Box::new(stuck));
        }
    };
    let line = line::line(&engine, &ends);
    let mut open = std::mem::take(&mut engine.risks);
    open.extend(annotated);
    Ok(Sequentialized {
        open,
        line,
        pruned: engine.pruned,
        may_leave: engine.score.losses.may_leave(),
        steps: engine.steps,
    })
}
