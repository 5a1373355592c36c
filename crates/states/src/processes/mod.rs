//! Explicit-state model checking of processes: every state once, packed, with tree compression (hash consing).
//!
//! A process with its inbox is one number (`net`, `lane`), a state is a tree of pairs of numbers (`tree`) of which the root is
//! kept (`roots`), and what can happen in a process with its inbox is worked out once, by the interpreter
//! ([`plainsong_semantics::capsules`]). Claims are looked at where something changed that they read (`claims`), and states that a
//! constraint cuts off are not searched further (`cuts`). States that differ in names alone are kept once where that is asked (`names`). Messages
//! that cannot matter any more are dropped (`dead`), and fewer steps are taken where their order does not matter (`order`). `search` goes from level to level, and `told` is the way back
//! to the interpreter, which replays whatever is found. When memory ends, states go to disk (`disk`).
//!
//! NOT COVERED. Causal messages, and claims about executions without end: those are searched by the interpreter.

mod claims;
mod cuts;
mod dead;
mod disk;
mod journal;
mod lane;
mod names;
mod net;
mod order;
mod roots;
mod search;
mod tables;
mod told;
mod tree;

use crate::Manner;
use crate::snapshot::Reader;
use names::Names;
use net::Net;
use order::Order;
use plainsong_ir::visit::reads_pending;
use plainsong_ir::{Claim, Song, SortId};
use plainsong_semantics::capsules::Processes;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Machine;
use plainsong_semantics::outcomes::is_split;
use plainsong_semantics::process_symmetry::{NOT_PLAYED, SymmetricProcesses};
use plainsong_semantics::search::{
    Check, Completeness, Findings, Limits, Query, SearchReport, Totals, Watch,
};
use plainsong_semantics::vacuity::premises;
use search::{Again, COUNTED, Search};

/// What was found, and how.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Packed {
    /// What was found.
    pub(crate) report: SearchReport,
    /// Were messages dropped that cannot matter? If not, why.
    pub(crate) dead_messages: Result<(), &'static str>,
    /// Were fewer steps taken where their order does not matter? If not, why.
    pub(crate) order: Result<(), &'static str>,
    /// Up to names: for how many states they stand; more than there are numbers is the largest number.
    pub(crate) stands_for: u128,
    /// Up to names: checks that are violated, but by no real execution that was found.
    pub(crate) open: Vec<Check>,
}

/// Searches the processes of an instance; or says why it cannot.
///
/// States that differ only in the names of members of `sorts` are kept once; each must be symmetric for the processes and for
/// what is asked.
pub(crate) fn search(
    instance: &Instance,
    query: &Query,
    sorts: &[SortId],
    (limits, mut manner): (&Limits, Manner<'_>),
    watch: &mut dyn Watch,
) -> Result<Packed, &'static str> {
    let real = Machine::new(instance, query.subject);
    if Processes::new(&real).is_none_or(|all| all.count() == 0) {
        return Err("it has no processes");
    }
    let symmetric = match sorts {
        [] => None,
        sorts => Some(SymmetricProcesses::new(&real, sorts)),
    };
    let machine = symmetric.as_ref().map_or(&real, |all| all.loose());
    let processes = Processes::new(machine).expect("there are processes");
    if processes.has_causal_messages() {
        return Err("messages are delivered in causal order");
    }
    if Findings::new(&real, query).wants_edges() {
        return Err("termination is seen in the graph of all states");
    }
    let song = instance.song();
    let mut dead_messages = match manner.dead_messages {
        false => Err("switched off"),
        true if counts_messages(song, &query.checks) => Err(COUNTED),
        // What is dropped counts as taken, and in a state that is cut off nothing is taken.
        true if machine.is_constrained() => Err("a constraint cuts states off"),
        true => Ok(()),
    };
    let premises = premises(song, query.checks.iter().copied());
    let mut net = Net::new(processes, dead_messages.is_ok());
    if let Some(symmetric) = &symmetric {
        let names = Names::new(symmetric, net.lanes.len());
        net.names = Some(Box::new(names.ok_or("its sorts have too many members")?));
    }
    let no_order = match manner.order {
        None => Some("switched off"),
        Some(_) if symmetric.is_some() => Some("states are kept up to names"),
        Some(_) => order::obstacle(processes, &query.checks, &premises),
    };
    let fresh_order = || {
        let mut order = Order::default();
        if no_order.is_none() {
            order = Order::new(processes, &query.checks, &premises);
        }
        if manner.order == Some(0) && no_order.is_none() {
            order.begin();
        }
        order
    };
    net.order = fresh_order();
    let mut keeps_ways = false;
    // What external functions give is no part of the name of an instance.
    let name = format!(
        "{limits:?} {:?} {dead_messages:?} {:?}",
        query.checks, manner.order
    );
    let mut earlier = match symmetric.is_some() || is_split(instance) {
        true => None,
        false => watch.earlier_snapshot(instance, &name),
    };
    net.journal.has_strangers = is_split(instance);
    let asked = dead_messages;
    loop {
        let mut findings = Findings::new(&real, query);
        let search = Search::new(&mut net, query, &premises, (manner, keeps_ways));
        let mut search = search.named(&name);
        search.kept = dead_messages.err().filter(|_| asked.is_ok());
        if let Some(mut from) = earlier.take() {
            let mut reader = Reader::new(&mut from);
            let read = search.go_on_from(&mut reader, &mut findings, limits);
            match read.and_then(|()| reader.finish()) {
                Ok(()) => {
                    keeps_ways = search.keeps_ways;
                    dead_messages = search.kept.map_or(asked, Err);
                }
                Err(error) => {
                    watch.lost_snapshot(&error.to_string());
                    drop(search);
                    net = Net::new(processes, asked.is_ok());
                    net.order = fresh_order();
                    continue;
                }
            }
        }
        let again = match search.explore(&mut findings, limits, watch) {
            // Whether executions without an end are left is seen in the graph of all states.
            Ok(Completeness::Complete) if findings.has_only_cuts() => {
                return Err("an `assume` cuts off all executions that end");
            }
            Ok(completeness) => {
                findings.tell(watch);
                let open = search.tries.keys().copied();
                let open: Vec<Check> = open.filter(|check| findings.is_open(*check)).collect();
                for check in &open {
                    findings.leave_open(*check, NOT_PLAYED);
                }
                let stands_for = search.stand_for;
                let met = |at: &usize| search.met.contains(at);
                let (met, unmet): (Vec<usize>, Vec<usize>) = (0..premises.len()).partition(met);
                let span = |at: &usize| premises[*at].span;
                let met: Vec<_> = met.iter().map(span).collect();
                let unmet: Vec<_> = unmet.iter().map(span).collect();
                let totals = (search.states(), search.steps(), search.depth());
                let cut_by = std::mem::take(&mut search.cuts.by);
                drop(search);
                let mut coverage = net.marks.coverage(machine);
                coverage.include_premises(&met, &unmet);
                let report = findings.report(Totals {
                    completeness,
                    states: totals.0,
                    steps: totals.1,
                    depth: totals.2,
                    coverage,
                    cut_by,
                });
                let order = match (no_order, net.order.is_on, net.order.is_given_up) {
                    (Some(why), ..) => Err(why),
                    (None, true, _) => Ok(()),
                    (None, false, true) => Err("it saved too little"),
                    (None, false, false) => Err("there are few states, or every order matters"),
                };
                return Ok(Packed {
                    report,
                    dead_messages,
                    order,
                    stands_for,
                    open,
                });
            }
            Err(again) => again,
        };
        drop(search);
        match again {
            Again::Ways => keeps_ways = true,
            Again::NoDisk => manner.scratch = None,
            Again::Order => net.order.begin(),
            Again::Wrong => net.forget_capsules(),
            Again::Kept(why) => {
                dead_messages = Err(why);
                net.drops = false;
                net.forget_capsules();
            }
        }
    }
}

/// Does something that is asked count messages in flight?
fn counts_messages(song: &Song, checks: &[Check]) -> bool {
    checks.iter().any(|check| match check {
        Check::Property(at) => match &song.properties[*at].claim {
            Claim::Always(claim) | Claim::Finally(claim) | Claim::Step(claim) => {
                reads_pending(claim)
            }
            Claim::Quiescent { .. } | Claim::Temporal(_) => false,
        },
        _ => false,
    })
}
