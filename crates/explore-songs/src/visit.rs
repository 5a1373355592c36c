//! What one worker sees: counts and refutations.

use crate::always::{Always, Seen};
use crate::ending::Ending;
use crate::explore::{Explored, Finding, GaveUp, Keeper, Manner, Onlooker, Others};
use crate::linear_extensions::Orders;
use crate::program::Song;
use crate::thread_states::Stage;
use crate::view::View;
use plainsong_explore::{Again, Counts, Graph, Leaf, Part, Tid, Visitor};
use plainsong_ir::Claim;
use plainsong_semantics::claim::Verity;
use plainsong_semantics::executions::ExecutionCount;
use plainsong_semantics::linearize::{Charge, witness};
use plainsong_semantics::machine::Machine;
use plainsong_semantics::search::{Check, Completeness, Coverage, Limits, Progress, Watch};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

/// How many executions are visited between two calls of the watch.
const PACE: u64 = 16;

/// What the workers share.
pub(crate) struct Shared<'a> {
    machine: &'a Machine,
    limits: Limits,
    judges_all: bool,
    watch: Mutex<&'a mut dyn Watch>,
    onlooker: Option<Mutex<Onlooker<'a>>>,
    keeper: Option<Mutex<&'a mut dyn Keeper>>,
    /// After how many executions some are only counted, if they may be.
    remembers: Option<u64>,
    /// How many executions were counted, and how often that took a look.
    counted: AtomicU64,
    shown: AtomicU64,
}

impl<'a> Shared<'a> {
    pub(crate) fn new(
        machine: &'a Machine,
        manner: &Manner,
        watch: &'a mut dyn Watch,
        others: Others<'a>,
        remembers: Option<u64>,
    ) -> Self {
        Shared {
            machine,
            limits: manner.limits,
            judges_all: manner.judges_all,
            watch: Mutex::new(watch),
            onlooker: others.onlooker.map(Mutex::new),
            keeper: others.keeper.map(Mutex::new),
            remembers,
            counted: AtomicU64::new(0),
            shown: AtomicU64::new(0),
        }
    }

    /// What was found, with what is left. Where some executions were only counted, nothing is known of their orders.
    pub(crate) fn explored(
        &self,
        mut found: Found,
        coverage: Coverage,
        left: Vec<Part>,
    ) -> Explored {
        if self
            .remembers
            .is_some_and(|after| found.executions() > after)
        {
            found.orders = Orders::default();
        }
        let looked_at = self.shown.load(Ordering::Relaxed).min(self.limits.states);
        found.explored(coverage, left, looked_at)
    }

    /// Is there a reason to stop before the next so many executions, which are counted at once? The limit is
    /// on what is looked at: executions, and places behind which all are counted.
    fn reason_to_stop(&self, graph: &Graph<Song>, executions: u64) -> Option<Completeness> {
        let shown = self.shown.fetch_add(1, Ordering::Relaxed);
        if shown >= self.limits.states {
            return Some(Completeness::StateLimit);
        }
        let counted = self.counted.fetch_add(executions, Ordering::Relaxed);
        if counted.checked_add(executions).is_none() {
            return Some(Completeness::Resource(TOO_MANY.to_owned()));
        }
        if !shown.is_multiple_of(PACE) {
            return None;
        }
        let progress = Progress {
            states: counted,
            waiting: 0,
            steps: counted,
            depth: graph.order().len() as u64,
        };
        let mut watch = self.watch.lock().unwrap_or_else(PoisonError::into_inner);
        (!watch.keep_going(&progress)).then_some(Completeness::Stopped)
    }
}

/// What was found so far.
#[derive(Clone)]
pub(crate) struct Found {
    count: ExecutionCount,
    /// What was found about each check, and in which place of the search tree.
    findings: Vec<(Check, Finding, Vec<u32>)>,
    /// How many executions were seen to refute each check.
    refuting: Vec<u64>,
    /// Was every execution judged?
    pub(crate) judged_all: bool,
    pub(crate) orders: Orders,
    /// Something that this engine does not cover was met.
    pub(crate) gave_up: Option<GaveUp>,
}

impl Found {
    pub(crate) fn new(checks: &[Check]) -> Self {
        let findings = checks.iter();
        Found {
            count: ExecutionCount {
                complete: 0,
                blocked: 0,
                failed: 0,
                discarded: 0,
                completeness: Completeness::Complete,
            },
            findings: findings
                .map(|check| (*check, Finding::NotRefuted, Vec::new()))
                .collect(),
            refuting: vec![0; checks.len()],
            judged_all: false,
            orders: Orders::default(),
            gave_up: None,
        }
    }

    /// Adds what another worker found.
    pub(crate) fn include(&mut self, other: Found) {
        self.count.complete += other.count.complete;
        self.count.blocked += other.count.blocked;
        self.count.failed += other.count.failed;
        self.count.discarded += other.count.discarded;
        self.stop(other.count.completeness);
        for (check, finding, place) in other.findings {
            self.enter(check, finding, &place);
        }
        for (known, more) in self.refuting.iter_mut().zip(other.refuting) {
            *known += more;
        }
        self.orders.include(&other.orders);
        self.gave_up = self.gave_up.max(other.gave_up);
    }

    /// How many executions were counted.
    pub(crate) fn executions(&self) -> u64 {
        let count = &self.count;
        count.complete + count.blocked + count.failed + count.discarded
    }

    pub(crate) fn explored(self, coverage: Coverage, left: Vec<Part>, looked_at: u64) -> Explored {
        Explored {
            count: self.count,
            findings: self.findings.into_iter().map(|(_, one, _)| one).collect(),
            refuting: self.judged_all.then_some(self.refuting),
            coverage,
            orders: self.orders,
            left,
            looked_at,
        }
    }

    /// Not everything was seen. Of several reasons the graver counts.
    fn stop(&mut self, why: Completeness) {
        let rank = |why: &Completeness| match why {
            Completeness::Complete => (0, String::new()),
            Completeness::Enough => (1, String::new()),
            Completeness::Stopped => (2, String::new()),
            Completeness::StateLimit => (3, String::new()),
            Completeness::Resource(what) => (4, what.clone()),
        };
        if rank(&why) > rank(&self.count.completeness) {
            self.count.completeness = why;
        }
    }

    /// Would a finding of this weight in this place be news?
    fn is_news(&self, check: Check, weight: u8, place: &[u32]) -> bool {
        let known = self.findings.iter().find(|(one, ..)| *one == check);
        known.is_some_and(|(_, finding, at)| {
            let known = finding.weight();
            weight > known || (weight == known && weight > 0 && place < &at[..])
        })
    }

    /// One more execution refutes this.
    fn count_against(&mut self, check: Check) {
        if let Some(at) = self.findings.iter().position(|(one, ..)| *one == check) {
            self.refuting[at] += 1;
        }
    }

    fn enter(&mut self, check: Check, finding: Finding, place: &[u32]) {
        if self.is_news(check, finding.weight(), place) {
            let known = self.findings.iter_mut().find(|(one, ..)| *one == check);
            *known.expect("it is news") = (check, finding, place.to_vec());
        }
    }
}

/// The properties of every state that were asked for.
fn always<'a>(machine: &'a Machine, checks: &[Check]) -> Vec<Always<'a>> {
    properties(machine, checks, |claim| matches!(claim, Claim::Always(_)))
        .map(|at| Always::new(View::new(machine, at)))
        .collect()
}

/// The properties of final states that were asked for.
fn finally<'a>(machine: &'a Machine, checks: &[Check]) -> Vec<View<'a>> {
    properties(machine, checks, |claim| matches!(claim, Claim::Finally(_)))
        .map(|at| View::new(machine, at))
        .collect()
}

fn properties(
    machine: &Machine,
    checks: &[Check],
    when: fn(&Claim) -> bool,
) -> impl Iterator<Item = usize> {
    let properties = &machine.instance().song().properties;
    checks.iter().filter_map(move |check| match *check {
        Check::Property(at) if when(&properties[at].claim) => Some(at),
        _ => None,
    })
}

/// What to say when a number has no more than 64 bits.
const TOO_MANY: &str = "there are more executions than can be counted, 2^64";

/// The weight of a refutation.
const REFUTED: u8 = 2;

/// What to say when the search was to go on in a place that does not exist.
const LOST: &str = "what an earlier run has left is not there; begin again, without `--resume`";

/// One worker's visits.
pub(crate) struct Visit<'s, 'a> {
    shared: &'s Shared<'a>,
    stage: Rc<RefCell<Stage>>,
    found: Found,
    /// The properties of every state.
    always: Vec<Always<'a>>,
    /// The properties of final states.
    finally: Vec<View<'a>>,
    place: Vec<u32>,
}

impl<'s, 'a> Visit<'s, 'a> {
    pub(crate) fn new(shared: &'s Shared<'a>, stage: Rc<RefCell<Stage>>, checks: &[Check]) -> Self {
        Visit {
            shared,
            stage,
            found: Found::new(checks),
            always: always(shared.machine, checks),
            finally: finally(shared.machine, checks),
            place: Vec::new(),
        }
    }

    /// What was found, without what belongs to the worker's thread.
    pub(crate) fn finish(self) -> (Found, Coverage) {
        let coverage = self.coverage();
        let mut found = self.found;
        found.gave_up = found.gave_up.max(self.stage.borrow().roles.gave_up);
        (found, coverage)
    }

    /// Which parts of the text took part so far.
    fn coverage(&self) -> Coverage {
        let mut coverage = self.stage.borrow().roles.parts.coverage();
        let views = self.finally.iter();
        for view in views.chain(self.always.iter().map(Always::view)) {
            view.enter_premises(&mut coverage);
        }
        coverage
    }

    /// Is there a reason to stop before the next execution?
    fn may_go_on(&mut self, graph: &Graph<Song>, executions: u64) -> bool {
        if self.stage.borrow().roles.gave_up.is_some() || self.found.gave_up.is_some() {
            return false;
        }
        match self.shared.reason_to_stop(graph, executions) {
            None => true,
            Some(why) => {
                self.found.stop(why);
                false
            }
        }
    }

    fn complete(&mut self, graph: &Graph<Song>) {
        self.found.count.complete += 1;
        for at in 0..self.finally.len() {
            let number = self.finally[at].property;
            let check = Check::Property(number);
            let is_news = self.found.is_news(check, REFUTED, &self.place);
            let is_asked = is_news || self.shared.judges_all;
            if !is_asked && !self.finally[at].has_open_premises() {
                continue;
            }
            let found = {
                let mut stage = self.stage.borrow_mut();
                stage.holds_at_the_end(graph, &mut self.finally[at])
            };
            match found {
                Verity::Holds => {}
                Verity::Unknown(failure) => {
                    let unknown = Finding::Unknown(failure.message);
                    self.found.enter(check, unknown, &self.place);
                }
                Verity::Violated(_) => self.refute(check, graph, Charge::Finally(number), None),
            }
        }
    }

    /// Looks at the states on the way.
    fn pass(&mut self, graph: &Graph<Song>) {
        if self.always.is_empty() {
            return;
        }
        let machine = self.shared.machine;
        let stage = &mut *self.stage.borrow_mut();
        for always in &mut self.always {
            let number = always.property();
            let check = Check::Property(number);
            let is_news = self.found.is_news(check, REFUTED, &self.place);
            let is_asked = is_news || self.shared.judges_all;
            if !is_asked && !always.has_open_premises() {
                continue;
            }
            let finding = match always.look(stage, graph) {
                Seen::Good => continue,
                Seen::Violated(cut) => {
                    self.found.count_against(check);
                    if !is_news {
                        continue;
                    }
                    let score = stage.score_of(graph, &cut);
                    let trace = witness(machine, &score, Charge::Always(number));
                    Finding::Refuted(Box::new(trace))
                }
                Seen::Unknown(why) => Finding::Unknown(why),
                Seen::TooMany => {
                    self.found.gave_up = Some(GaveUp::TooManyStates);
                    continue;
                }
            };
            self.found.enter(check, finding, &self.place);
        }
        // What was seen in the execution before is seen again where each one is judged.
        if !self.shared.judges_all {
            stage.looked_at(graph);
        }
    }

    /// Refutes a check if it was asked, and was not refuted in an earlier place.
    fn refute(&mut self, check: Check, graph: &Graph<Song>, charge: Charge, last: Option<Tid>) {
        self.found.count_against(check);
        if self.found.is_news(check, REFUTED, &self.place) {
            let score = self.stage.borrow_mut().score(graph, last);
            let trace = witness(self.shared.machine, &score, charge);
            let watch = self.shared.watch.lock();
            let mut watch = watch.unwrap_or_else(PoisonError::into_inner);
            watch.refuted(self.shared.machine.instance(), check, &trace);
            let refuted = Finding::Refuted(Box::new(trace));
            self.found.enter(check, refuted, &self.place);
        }
    }

    /// Adds to the sample of orders; where there are so many executions that some are only counted, another
    /// sample will be taken.
    fn look_at_orders(&mut self, graph: &Graph<Song>) {
        let is_enough = |after| self.found.executions() >= after;
        if !self.shared.remembers.is_some_and(is_enough) {
            let stage = &mut self.stage.borrow_mut();
            self.found.orders.look(stage, graph, &self.place);
        }
    }

    fn show(&self, graph: &Graph<Song>, is_complete: bool) {
        if let Some(onlooker) = &self.shared.onlooker {
            let last = self.stage.borrow_mut().last_state(graph);
            let mut onlooker = onlooker.lock().unwrap_or_else(PoisonError::into_inner);
            onlooker(&last, is_complete);
        }
    }
}

impl Visitor<Song> for Visit<'_, '_> {
    fn wants_clocks(&self) -> bool {
        !self.always.is_empty()
    }

    /// Properties of final states see the same in executions that end alike; what they found is
    /// known. Not so `always`, and somebody who looks on wants to see everything.
    fn counts(&self) -> Option<Counts> {
        let count = &self.found.count;
        self.shared.remembers.is_some().then_some([
            count.complete,
            count.blocked,
            count.failed,
            count.discarded,
        ])
    }

    fn again(&mut self, graph: &Graph<Song>, more: &Counts) -> Again {
        let executions = more.iter().sum();
        if !self.may_go_on(graph, executions) {
            return Again::Enough;
        }
        let count = &mut self.found.count;
        let [complete, blocked, failed, discarded] = *more;
        count.complete += complete;
        count.blocked += blocked;
        count.failed += failed;
        count.discarded += discarded;
        Again::Counted
    }

    fn place(&mut self, place: &[u32]) {
        self.place.clear();
        self.place.extend_from_slice(place);
    }

    fn lost(&mut self) {
        self.found.stop(Completeness::Resource(LOST.to_owned()));
    }

    fn wants_left(&mut self) -> bool {
        let has_given_up = self.found.gave_up.is_some();
        let keeper = self.shared.keeper.as_ref().filter(|_| !has_given_up);
        keeper.is_some_and(|keeper| {
            let mut keeper = keeper.lock().unwrap_or_else(PoisonError::into_inner);
            keeper.is_due()
        })
    }

    fn left(&mut self, left: Vec<Part>) {
        let Some(keeper) = &self.shared.keeper else {
            return;
        };
        let mut found = self.found.clone();
        found.stop(Completeness::Stopped);
        let so_far = self.shared.explored(found, self.coverage(), left);
        keeper
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .keep(so_far);
    }

    fn leaf(&mut self, graph: &Graph<Song>, leaf: Leaf) -> bool {
        if leaf == Leaf::TooLong {
            self.found.gave_up = Some(GaveUp::TooLong);
        }
        if !self.may_go_on(graph, 1) {
            return false;
        }
        let ending = self.stage.borrow_mut().ending(graph, leaf);
        self.pass(graph);
        self.look_at_orders(graph);
        match ending {
            Ending::Complete => {
                self.show(graph, true);
                self.complete(graph);
            }
            Ending::Blocked => {
                self.show(graph, false);
                self.found.count.blocked += 1;
                self.refute(Check::NoDeadlock, graph, Charge::Deadlock, None);
            }
            Ending::Failed(thread) => {
                self.found.count.failed += 1;
                self.refute(Check::Assertions, graph, Charge::Failure, Some(thread));
            }
            Ending::Discarded => self.found.count.discarded += 1,
            Ending::Limit(message) => self.found.stop(Completeness::Resource(message)),
        }
        true
    }
}
