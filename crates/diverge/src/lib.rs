//! Non-terminating executions (divergence, livelock): found as a lasso (stem and cycle), or excluded.
//!
//! The question: can finitely many stimuli cause infinitely many messages? Undelivered messages, posted
//! tasks and pending asyncs are one thing here, a bag of tasks (`task_net`).
//!
//! | part | what it finds | what it excludes | complete |
//! |---|---|---|---|
//! | `bfs_lasso` | a short cycle | nothing | no |
//! | `accelerated_runs` | a cycle that shifts what it touches | nothing | no |
//! | `late_acceleration` | the same, once integers have passed what they are compared with | nothing | no |
//! | `alive` | a cycle within the bounds of [Alive12] | nothing | in the limit, for finite data |
//! | `delay_bounded` | a fair cycle, by queue and delays | nothing | in the limit |
//! | `covers` | a cycle, by an order that the song declares | all, when it ends | no |
//! | `karp_miller` | a cycle | all, when it ends | finite data, not asking for fairness |
//! | `structural` | nothing | all, or all fair ones | termination whatever is pending, not asking for fairness |
//! | `fair_scc` | a fair cycle | all fair ones | when finitely many states are reachable |
//!
//! For every size at once there is [`ranking`], which says what a prover has to show.
//!
//! What `karp_miller` finds is made smaller (`trace_minimization`). Whatever is found is executed again from its own end by the interpreter
//! ([`repetition`](plainsong_semantics::lasso)) before anybody sees it.

mod accelerated_runs;
mod alive;
mod bag;
mod bfs_lasso;
mod budget;
pub mod covering_order;
mod delay_bounded;
mod fair_scc;
mod karp_miller;
mod lasso;
mod late_acceleration;
pub mod rank_certificate;
pub mod ranking;
pub mod replay_solver_model;
mod run;
mod simplex;
mod structural;
mod task_net;
mod terms;
mod trace_minimization;
pub mod translate;

use accelerated_runs::drifting;
use alive::{Alive, Bounds, alive};
use bfs_lasso::{Nearby, nearest};
use budget::{Budget, Spent};
use delay_bounded::rounds;
use fair_scc::{Graph, cycle};
use karp_miller::{Covering, covering};
use lasso::Lasso;
use late_acceleration::late;
use plainsong_semantics::covering_order::CoveringOrder;
use plainsong_semantics::lasso::Repetition;
use plainsong_semantics::machine::Machine;
use plainsong_semantics::search::Watch;
use plainsong_semantics::shift_invariance::Shift;
use plainsong_semantics::trace::Trace;
use structural::{ControlGraph, Reason, Strike, certificate, check};
use task_net::Net;

/// Which executions are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fairness {
    Any,
    /// Those that ignore nothing that waits.
    Fair,
    /// Those that serve every kind of message again and again that is sent again and again; one that was
    /// sent before may be ignored.
    Resent,
}

impl Fairness {
    /// Is an execution that repeats itself like this one that is meant?
    pub(crate) fn is_meant(self, repetition: &Repetition) -> bool {
        match self {
            Fairness::Any => true,
            Fairness::Fair => repetition.ignored.is_empty(),
            Fairness::Resent => repetition.resent.is_empty(),
        }
    }
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Question {
    /// The property that claims rest, by position in the song.
    pub property: usize,
    /// Which executions are meant.
    pub fairness: Fairness,
    /// The most states to store.
    pub states: u64,
    /// How the answer is looked for.
    pub method: Method,
}

/// An execution that never terminates.
#[derive(Clone, Debug)]
pub struct Divergence {
    /// Stem and cycle.
    pub trace: Trace,
    /// How it repeats itself.
    pub repetition: Repetition,
}

/// What was found out about an instance.
#[derive(Clone, Debug)]
pub enum Finding {
    /// An execution never terminates.
    Diverges(Box<Divergence>),
    /// Every execution that is meant terminates; the sentence says why.
    Rests(String),
    /// Not known, and why.
    Unknown(String),
}

/// The answer for one instance.
#[derive(Clone, Debug)]
pub struct Report {
    /// What was found out.
    pub finding: Finding,
    /// Steps that were tried.
    pub steps: u64,
    /// Does some execution end in a failure?
    pub fails: bool,
}

/// How the answer is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// One part after the other, cheap ones first.
    #[default]
    All,
    /// `nearest` alone.
    Nearest,
    /// `rounds` alone.
    Rounds,
    /// `covering` alone; it does not ask for fairness.
    Covering,
    /// `structural` alone.
    Structural,
    /// `fair_core` alone.
    States,
    /// `nearest`, `rounds` and `covering` up to where points lie.
    Shifted,
    /// The same by the order that the song declares, if the machine trusts it.
    Covers,
    /// `drifting` alone.
    Drifting,
    /// `alive` alone: the paper's search, within the paper's bounds.
    Alive {
        /// `K`: so many rounds; with one, nothing is delayed.
        delay: u32,
        /// `N`: so many tasks of one message or action in a chain.
        recursion: u32,
    },
}

/// Looks for an execution of an instance that never terminates, or excludes it.
pub fn diverge(machine: &Machine, question: &Question, watch: &mut dyn Watch) -> Report {
    let mut search = DivergenceSearch {
        net: &mut Net::new(machine, None),
        question,
        budget: Budget::new(watch),
    };
    let finding = search.run();
    let (resource, fails) = (search.net.resource.take(), search.net.fails);
    let finding = match (finding, resource) {
        (Finding::Rests(_), Some(message)) => Finding::Unknown(message),
        (finding, _) => finding,
    };
    Report {
        finding,
        steps: search.budget.steps,
        fails,
    }
}

/// The most states of one instance, where nobody says how many. The steps that the methods below may try are meant
/// for this number, and grow with it.
pub const DEFAULT_STATES: u64 = 50_000;

/// Steps tried while looking nearby.
const NEARBY: u64 = 4_000;
/// Steps tried along runs that drift after a while.
const LATE: u64 = 10_000;
/// Steps of a way that is short.
const SHORT: usize = 24;
/// Steps that may be tried within bounds that are narrower than those asked for.
const NARROWER: u64 = 500_000;
/// Steps tried in each attempt along queues.
const ROUNDS: u64 = 20_000;
/// Pairs of controls and kinds that are asked.
const CONTROLS: u64 = 60_000;

struct DivergenceSearch<'a, 'm, 'w> {
    net: &'a mut Net<'m>,
    question: &'a Question,
    budget: Budget<'w>,
}

impl DivergenceSearch<'_, '_, '_> {
    fn run(&mut self) -> Finding {
        let found = match self.question.method {
            Method::All => self.portfolio(),
            Method::Nearest => self.nearest(self.scaled(NEARBY)),
            Method::Rounds => self.rounds(),
            Method::Covering => self.covering(),
            Method::Structural => self.structural(),
            Method::States => self.states(),
            Method::Shifted => self.shifted(self.scaled(NEARBY), false),
            Method::Covers if CoveringOrder::of(self.net.machine()).is_none() => {
                let why = "the song declares no `covers` that can be used";
                Some(Finding::Unknown(why.to_owned()))
            }
            Method::Covers => self.by_order(),
            Method::Drifting => self.drifting().or_else(|| self.late()),
            Method::Alive { delay, recursion } => Some(self.alive(delay, recursion)),
        };
        found.unwrap_or_else(|| self.unknown())
    }

    /// So many steps, and more where more states than by default are asked for.
    fn scaled(&self, steps: u64) -> u64 {
        let asked = u128::from(self.question.states.max(DEFAULT_STATES));
        let scaled = u128::from(steps) * asked / u128::from(DEFAULT_STATES);
        u64::try_from(scaled).unwrap_or(u64::MAX)
    }

    fn portfolio(&mut self) -> Option<Finding> {
        let found = self
            .nearest(NEARBY / 8)
            .or_else(|| self.by_order())
            .or_else(|| self.shifted(NEARBY / 8, true))
            .or_else(|| self.drifting())
            .or_else(|| self.late())
            .or_else(|| self.nearest(self.scaled(NEARBY)))
            .or_else(|| self.shifted(self.scaled(NEARBY), false))
            .or_else(|| self.covered_nearby())
            .or_else(|| self.structural());
        if found.is_some() || self.budget.stopped {
            return found;
        }
        match self.question.fairness {
            Fairness::Any => self.covering(),
            _ => self.rounds().or_else(|| self.states()),
        }
    }

    /// The same in normal form, where the song has points: cycles that shift them; only nearby, if so wished.
    fn shifted(&mut self, within: u64, nearby: bool) -> Option<Finding> {
        let machine = self.net.machine();
        let shift = Shift::of(machine)?;
        let mut net = Net::new(machine, Some(shift));
        let fairness = self.question.fairness;
        let steps = self.scaled(ROUNDS).min(self.question.states);
        let budget = &mut self.budget;
        budget.allow(within);
        let lasso = match nearest(&mut net, fairness, budget) {
            Nearby::Found(lasso) => Some(lasso),
            _ if nearby => None,
            Nearby::Everything | Nearby::Spent => rounds(&mut net, fairness, budget, steps),
        };
        let found = lasso.and_then(|lasso| lasso.told(&mut net, self.question.property));
        if let Some(found) = found {
            return Some(Finding::Diverges(Box::new(found)));
        }
        if nearby || !net.is_exact() {
            return None;
        }
        budget.allow(steps * 2);
        match covering(&mut net, usize::MAX, budget).ok()? {
            Covering::Found(lasso) if fairness == Fairness::Any => {
                let found = lasso.told(&mut net, self.question.property)?;
                Some(Finding::Diverges(Box::new(found)))
            }
            Covering::Rests(states) if net.resource.is_none() => {
                let why = "up to where points lie, no state covers one before it";
                Some(Finding::Rests(format!("{why}, in {states} states")))
            }
            _ => None,
        }
    }

    /// The same, where states are compared as the song declares.
    fn by_order(&mut self) -> Option<Finding> {
        let machine = self.net.machine();
        let mut net = Net::with_order(machine, CoveringOrder::of(machine)?);
        let fairness = self.question.fairness;
        let near = self.scaled(NEARBY);
        let far = self.scaled(ROUNDS).min(self.question.states);
        let budget = &mut self.budget;
        budget.allow(near);
        // A fair one, when there is one nearby, says more.
        let lasso = match nearest(&mut net, Fairness::Fair, budget) {
            Nearby::Found(lasso) => Some(lasso),
            _ => rounds(&mut net, Fairness::Fair, budget, near),
        };
        let lasso = match (lasso, fairness) {
            (None, Fairness::Any | Fairness::Resent) => {
                budget.allow(near);
                match nearest(&mut net, fairness, budget) {
                    Nearby::Found(lasso) => Some(lasso),
                    _ => None,
                }
            }
            (lasso, _) => lasso,
        };
        let told = |lasso: Lasso, net: &mut Net<'_>| {
            let found = lasso.told(net, self.question.property)?;
            let is_meant = fairness.is_meant(&found.repetition);
            is_meant.then(|| Finding::Diverges(Box::new(found)))
        };
        if let Some(found) = lasso.and_then(|lasso| told(lasso, &mut net)) {
            return Some(found);
        }
        budget.allow(far);
        let found = covering(&mut net, usize::MAX, budget).ok()?;
        self.net.fails |= net.fails;
        match found {
            Covering::Found(lasso) => told(lasso, &mut net),
            Covering::Rests(states) if net.resource.is_none() => {
                let why = "no state covers one before it as `covers` says";
                Some(Finding::Rests(format!("{why}, in {states} states")))
            }
            _ => None,
        }
    }

    /// Short chains and few rounds first: what is found with them is within the bounds too, and their searches end soon.
    fn alive(&mut self, delay: u32, recursion: u32) -> Finding {
        let machine = self.net.machine();
        let mut net = Net::new(machine, None);
        net.ordered = true;
        let steps = self.question.states.saturating_mul(10);
        let share = steps / u64::from(recursion * delay).max(1);
        let within =
            (1..=recursion).flat_map(|chain| (1..=delay).map(move |rounds| (chain, rounds)));
        let mut came = Err(Spent);
        for (chain, rounds) in within {
            let bounds = Bounds {
                rounds,
                recursion: chain,
                fair: self.question.fairness != Fairness::Any,
            };
            self.budget
                .allow(match (chain, rounds) == (recursion, delay) {
                    true => steps,
                    false => share.max(NARROWER).min(steps),
                });
            came = alive(&mut net, bounds, &mut self.budget);
            let goes_on = match &came {
                Ok(Alive::Nothing { cut }) => *cut || rounds < delay,
                Err(Spent) => !self.budget.stopped,
                _ => false,
            };
            if !goes_on {
                break;
            }
        }
        match came {
            Ok(Alive::Found(lasso)) => match lasso.told(&mut net, self.question.property) {
                Some(found) => Finding::Diverges(Box::new(found)),
                None => Finding::Unknown("what was found could not be repeated".to_owned()),
            },
            Ok(Alive::Nothing { cut }) => {
                let within = format!("no cycle with --delay {delay} and --recursion {recursion}");
                Finding::Unknown(match cut {
                    true => format!("{within}, where chains were cut"),
                    false => format!("{within}, nor with any other --recursion"),
                })
            }
            Ok(Alive::Other) => Finding::Unknown(
                "something happens besides handlers and actions, which --method alive does not know"
                    .to_owned(),
            ),
            Err(_) => self.unknown(),
        }
    }

    /// A run that does the same again and again with integers that move on.
    fn drifting(&mut self) -> Option<Finding> {
        self.budget.allow(self.scaled(NEARBY));
        let Question {
            fairness, property, ..
        } = *self.question;
        let found = drifting(self.net, fairness, property, &mut self.budget)?;
        Some(Finding::Diverges(Box::new(found)))
    }

    /// The same after a while: integers first pass what they are compared with.
    fn late(&mut self) -> Option<Finding> {
        self.budget.allow(self.scaled(LATE));
        let Question {
            fairness, property, ..
        } = *self.question;
        let found = late(self.net, fairness, property, &mut self.budget)?;
        Some(Finding::Diverges(Box::new(found)))
    }

    /// A short cycle; a fair one, when there is one nearby, says more.
    fn nearest(&mut self, within: u64) -> Option<Finding> {
        let (net, budget) = (&mut *self.net, &mut self.budget);
        budget.allow(within);
        let Nearby::Found(lasso) = nearest(net, self.question.fairness, budget) else {
            return None;
        };
        if self.question.fairness == Fairness::Fair {
            return Some(self.diverges(&lasso));
        }
        budget.allow(NEARBY);
        let fair = match nearest(net, Fairness::Fair, budget) {
            Nearby::Found(fair) => Some(fair),
            _ => rounds(net, Fairness::Fair, budget, NEARBY / 2),
        };
        Some(self.diverges(&fair.unwrap_or(lasso)))
    }

    fn rounds(&mut self) -> Option<Finding> {
        let fairness = self.question.fairness;
        let steps = self.scaled(ROUNDS).min(self.question.states);
        let lasso = rounds(self.net, fairness, &mut self.budget, steps)?;
        Some(self.diverges(&lasso))
    }

    /// A cycle on short ways. Counting what is pending takes longer where there is much of it, and is in vain
    /// where there is a cycle.
    fn covered_nearby(&mut self) -> Option<Finding> {
        if self.question.fairness != Fairness::Any {
            return None;
        }
        self.budget.allow(self.scaled(NEARBY));
        match covering(self.net, SHORT, &mut self.budget) {
            Ok(Covering::Found(lasso)) => {
                let lasso = lasso.thinned(self.net);
                Some(self.diverges(&lasso))
            }
            _ => None,
        }
    }

    /// Longer and longer ways, so that one without end does not hide what lies beside it.
    fn covering(&mut self) -> Option<Finding> {
        let steps = self.question.states.saturating_mul(4);
        for (depth, share) in [(SHORT, 16), (120, 8), (usize::MAX, 1)] {
            self.budget.allow(steps / share);
            match covering(self.net, depth, &mut self.budget) {
                // What it finds may be unfair; that nothing is found holds for fair executions too.
                Ok(Covering::Found(_)) if self.question.fairness != Fairness::Any => return None,
                Ok(Covering::Found(lasso)) => {
                    let lasso = lasso.thinned(self.net);
                    return Some(self.diverges(&lasso));
                }
                Ok(Covering::Rests(states)) => {
                    let why = format!("no state covers one before it, in {states} states");
                    return Some(Finding::Rests(why));
                }
                Err(_) if self.budget.stopped => return None,
                Ok(Covering::Cut) | Err(_) => {}
            }
        }
        None
    }

    fn states(&mut self) -> Option<Finding> {
        if self.question.fairness == Fairness::Resent {
            return None;
        }
        self.budget.allow(self.question.states.saturating_mul(4));
        let most = usize::try_from(self.question.states).unwrap_or(usize::MAX);
        let graph = Graph::of(self.net, most, &mut self.budget).ok()?;
        let is_fair = self.question.fairness == Fairness::Fair;
        Some(match cycle(&graph, is_fair) {
            Some(lasso) => self.diverges(&lasso),
            None => {
                let which = if is_fair { "fair cycle" } else { "cycle" };
                Finding::Rests(format!("no {which} among all {} states", graph.len()))
            }
        })
    }

    /// Why everything terminates by counting what is pending, if it does. Controls are put together with kinds that never
    /// wait there; what fails only in such states is forgotten when that was in vain.
    fn structural(&mut self) -> Option<Finding> {
        let before = (self.net.resource.clone(), self.net.fails);
        let found = self.by_counting();
        let is_cut = self.net.resource != before.0;
        if is_cut || (found.is_none() && self.net.fails != before.1) {
            *self.net = Net::new(self.net.machine(), None);
            (self.net.resource, self.net.fails) = before;
        }
        found.filter(|_| !is_cut)
    }

    fn by_counting(&mut self) -> Option<Finding> {
        let most = self.question.states.saturating_mul(10);
        self.budget.allow(self.scaled(CONTROLS).min(most));
        let graph = ControlGraph::of(self.net, &mut self.budget).ok()?;
        let fairness = self.question.fairness;
        let strikes = certificate(&graph, fairness)?;
        assert!(
            check(&graph, fairness, &strikes),
            "a certificate is one when it is checked"
        );
        let is_ranked = |strike: &&Strike| matches!(strike.reason, Reason::Ranked { .. });
        let rankings = strikes.iter().filter(is_ranked).count();
        Some(Finding::Rests(match rankings {
            0 => "nothing is sent for ever".to_owned(),
            1 => "a number that counts what is pending never increases".to_owned(),
            several => format!("{several} numbers that count what is pending decrease in turn"),
        }))
    }

    fn diverges(&mut self, lasso: &Lasso) -> Finding {
        let told = lasso.told(self.net, self.question.property);
        let told = told.expect("a cycle is executed again from its own end");
        Finding::Diverges(Box::new(told))
    }

    fn unknown(&self) -> Finding {
        let steps = self.budget.steps;
        Finding::Unknown(match self.budget.stopped {
            true => format!("stopped after {steps} steps, without an answer"),
            false => {
                let fair = match self.question.fairness {
                    Fairness::Any => ", smaller sizes, or --fair",
                    _ => " or smaller sizes",
                };
                format!(
                    "no answer in {steps} steps (--bound states={}); try a larger number{fair}",
                    self.question.states
                )
            }
        })
    }
}
