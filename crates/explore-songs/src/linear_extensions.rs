//! Linear extensions: about how many interleavings the executions stand for.
//!
//! Statement. An execution stands for the orders of its steps in which everything that is received was
//! sent before. Walk through the steps, taking one of the possible next ones at random: the product of the
//! numbers of possible ones is an unbiased guess of how many orders there are. The number of
//! interleavings of a song is guessed from a sample of its executions.
//!
//! *The sample* has the executions whose place in the search tree has a hash that ends in so many zeros,
//! as many as are needed to keep it small. So it is the same however many workers there are, and
//! however often the search was stopped.
//!
//! *Where executions are counted without being visited* (`plainsong_explore`'s `known`), those that are
//! visited are no sample. There executions are drawn at random down the search tree when somebody asks, and each
//! counts for as many as it stands for.
//!
//! Numbers are kept as powers of ten. Under `mailbox` some orders that are counted are not possible, because
//! sends of independent processes are ordered by what is received later: the number is a little too high.

use crate::explore::{KEPT, MOST_EVENTS};
use crate::program::Song;
use crate::thread_states::{INIT, Stage};
use plainsong_explore::{EventId, Graph, Leaf, Read, Tid, Visitor, next_random, sample};
use plainsong_semantics::local_process::Parts;
use std::cell::RefCell;
use std::rc::Rc;

/// The most executions of which the orders are guessed.
const MOST: usize = 256;

/// How often the orders of an execution are guessed that is the only one, if it is short. Where there were more decisions
/// there are more executions, and few guesses of each tell as much together.
const GUESSES: usize = 16;

/// How many steps are walked for that at most, so that looking at a long execution costs less than finding it.
const STEPS: usize = 1_024;

/// The orders of some executions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Orders {
    /// How many zeros a hash has to end in.
    level: u32,
    /// The hash of the place and the power of ten of the number of orders.
    drawn: Vec<(u64, f64)>,
}

impl Orders {
    /// A sample that was taken before, of executions whose hash ends in so many zeros.
    pub fn new(level: u32, drawn: Vec<(u64, f64)>) -> Self {
        let mut orders = Orders { level, drawn };
        orders.make_small();
        orders
    }

    /// The orders of so many executions, drawn at random.
    pub(crate) fn draw(parts: Parts, executions: usize) -> Self {
        let stage = Rc::new(RefCell::new(Stage::new(parts, KEPT)));
        let mut song = Song(stage.clone());
        let mut draws = Vec::with_capacity(executions);
        let mut weights = 0.0;
        for number in 0..executions as u64 {
            let hash = random(number);
            let mut drawn = Drawn {
                stage: stage.clone(),
                hash,
                power: 0.0,
            };
            let stands_for = sample(&mut song, 1, hash, &mut drawn, |engine| {
                engine.limit_events(MOST_EVENTS)
            });
            draws.push((hash, drawn.power + stands_for.executions.log10()));
            weights += stands_for.executions;
        }
        let mean = (weights / executions as f64).log10();
        draws.iter_mut().for_each(|(_, power)| *power -= mean);
        Orders::new(0, draws)
    }

    /// How many zeros the hashes of its executions end in.
    pub fn level(&self) -> u32 {
        self.level
    }

    /// The executions of the sample, each with the power of ten of its number of orders.
    pub fn drawn(&self) -> &[(u64, f64)] {
        &self.drawn
    }

    /// The number of orders of so many executions, as a power of ten.
    pub fn of(&self, executions: u64) -> Option<f64> {
        let mut powers: Vec<f64> = self.drawn.iter().map(|(_, power)| *power).collect();
        powers.sort_by(f64::total_cmp);
        let sum = powers.into_iter().reduce(sum_of_powers)?;
        Some(sum - (self.drawn.len() as f64).log10() + (executions as f64).log10())
    }

    /// With those of other executions.
    #[must_use]
    pub(crate) fn and(mut self, other: &Orders) -> Self {
        self.include(other);
        self
    }

    /// The same, in place.
    pub fn include(&mut self, other: &Orders) {
        self.level = self.level.max(other.level);
        self.drawn.extend_from_slice(&other.drawn);
        self.make_small();
    }

    /// The execution in the graph, which is in this place of the search tree.
    pub(crate) fn look(&mut self, stage: &mut Stage, graph: &Graph<Song>, place: &[u32]) {
        let hash = hash(place);
        if hash.trailing_zeros() >= self.level {
            let power = guess(stage, graph, hash, place.len());
            self.drawn.push((hash, power));
            if self.drawn.len() > MOST {
                self.make_small();
            }
        }
    }

    fn make_small(&mut self) {
        loop {
            let level = self.level;
            self.drawn
                .retain(|(hash, _)| hash.trailing_zeros() >= level);
            if self.drawn.len() <= MOST || self.level == 63 {
                self.drawn.sort_by(|one, other| {
                    let powers = one.1.total_cmp(&other.1);
                    one.0.cmp(&other.0).then(powers)
                });
                return;
            }
            self.level += 1;
        }
    }
}

/// The sum of two numbers, as powers of ten.
pub fn sum_of_powers(one: f64, other: f64) -> f64 {
    let (less, more) = if one < other {
        (one, other)
    } else {
        (other, one)
    };
    match more == f64::NEG_INFINITY {
        true => more,
        false => more + (1.0 + 10f64.powf(less - more)).log10(),
    }
}

fn hash(place: &[u32]) -> u64 {
    let mixed = place.iter().fold(0x9e37_79b9_7f4a_7c15, |hash: u64, &one| {
        (hash.rotate_left(5) ^ u64::from(one)).wrapping_mul(0x517c_c1b7_2722_0a95)
    });
    random(mixed)
}

fn random(mut seed: u64) -> u64 {
    next_random(&mut seed)
}

/// A guess of how many orders the execution in the graph has, as a power of ten; it came to be by so many decisions.
fn guess(stage: &mut Stage, graph: &Graph<Song>, seed: u64, decisions: usize) -> f64 {
    let lanes = lanes(stage, graph);
    let steps: usize = lanes.iter().map(|lane| lane.steps).sum();
    let most = (GUESSES * 2 / (decisions + 2)).max(1);
    let times = (STEPS / steps.max(1)).clamp(1, most) as u64;
    let guesses = (0..times).map(|one| walk(&lanes, random(seed ^ one)));
    let sum = guesses.reduce(sum_of_powers).unwrap_or(0.0);
    sum - (times as f64).log10()
}

/// Looks at an execution that is drawn.
struct Drawn {
    stage: Rc<RefCell<Stage>>,
    hash: u64,
    power: f64,
}

impl Visitor<Song> for Drawn {
    fn leaf(&mut self, graph: &Graph<Song>, _: Leaf) -> bool {
        self.power = guess(&mut self.stage.borrow_mut(), graph, self.hash, 0);
        true
    }
}

/// The steps of a process.
#[derive(Debug, Default)]
struct Lane {
    steps: usize,
    /// Which of its steps needs how many of whose, in order.
    needs: Vec<Need>,
}

#[derive(Debug)]
struct Need {
    step: usize,
    lane: usize,
    steps: usize,
}

fn lanes(stage: &mut Stage, graph: &Graph<Song>) -> Vec<Lane> {
    let mut lanes = Vec::with_capacity(stage.lanes());
    for number in 0..stage.lanes() {
        let thread = number as Tid + 1;
        let exists = (thread as usize) < graph.threads() && graph.exists(thread);
        lanes.push(match exists {
            true => lane(stage, graph, thread),
            false => Lane::default(),
        });
    }
    lanes
}

fn lane(stage: &mut Stage, graph: &Graph<Song>, thread: Tid) -> Lane {
    let events = graph.live(thread);
    let mut needs = Vec::new();
    for index in 0..events {
        let id = EventId {
            thread,
            index: index as u32,
        };
        if let Read::From(send) = graph.event(id).read
            && send.thread != INIT
            && send.thread != thread
        {
            needs.push(Need {
                step: stage.steps(graph, thread, index) + 1,
                lane: send.thread as usize - 1,
                steps: stage.steps(graph, send.thread, send.index as usize),
            });
        }
    }
    Lane {
        steps: stage.steps(graph, thread, events),
        needs,
    }
}

/// A product that is made a power of ten.
const LARGE: f64 = 1e200;

/// One random walk.
fn walk(lanes: &[Lane], mut seed: u64) -> f64 {
    let mut done = vec![0; lanes.len()];
    let mut met = vec![0; lanes.len()];
    let mut possible = Vec::with_capacity(lanes.len());
    // The number so far: a power of ten times a product that is not too large for a number.
    let (mut power, mut product) = (0.0, 1.0_f64);
    loop {
        possible.clear();
        for (at, lane) in lanes.iter().enumerate() {
            let is_met = |need: &Need| need.step > done[at] + 1 || done[need.lane] >= need.steps;
            if done[at] < lane.steps && lane.needs.get(met[at]).is_none_or(is_met) {
                possible.push(at);
            }
        }
        if possible.is_empty() {
            return power + product.log10();
        }
        product *= possible.len() as f64;
        if product > LARGE {
            power += product.log10();
            product = 1.0;
        }
        seed = random(seed);
        let at = possible[(seed % possible.len() as u64) as usize];
        done[at] += 1;
        let passed = |need: &Need| need.step <= done[at];
        met[at] += usize::from(lanes[at].needs.get(met[at]).is_some_and(passed));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_independent_processes_are_shuffled() {
        let lane = || Lane {
            steps: 3,
            needs: Vec::new(),
        };
        let guesses = (0..2000).map(|seed| walk(&[lane(), lane()], seed));
        let sum = guesses.reduce(sum_of_powers).expect("some");
        let mean = 10f64.powf(sum) / 2000.0;
        assert!((mean - 20.0).abs() < 1.0, "{mean}");
    }

    #[test]
    fn what_is_needed_comes_first() {
        let first = Lane {
            steps: 2,
            needs: Vec::new(),
        };
        let need = Need {
            step: 1,
            lane: 0,
            steps: 2,
        };
        let second = Lane {
            steps: 2,
            needs: vec![need],
        };
        assert_eq!(walk(&[first, second], 7), 0.0);
    }

    #[test]
    fn the_sample_stays_small_and_does_not_depend_on_who_drew_it() {
        let all: Vec<(u64, f64)> = (0..5000).map(|one| (random(one), 2.0)).collect();
        let whole = Orders::new(0, all.clone());
        assert!((100..=MOST).contains(&whole.drawn.len()));
        let mut shared = Orders::new(0, all[..700].to_vec());
        shared.include(&Orders::new(0, all[700..].to_vec()));
        assert_eq!(shared, whole);
        let power = whole.of(5000).expect("some");
        assert!((power - 5.699).abs() < 0.001, "{power}");
    }
}
