//! Random executions in pieces: ranges of numbers, drawn by whoever takes them, with the totals of one machine.
//!
//! Statement. Whoever drew which execution, the totals, the coverage and the first violations are those that
//! [one machine](super) comes to, also where the run ends early after a round.
//!
//! Why sound. A piece is a range. Its worker notes what the executions came to from the start of the range up to some ends
//! ([`Snapshot`]): the end of what it drew, the end of the round that its range began inside, and the end of each round in which it
//! saw a check violated for the first time. One machine ends early after the first round, say at `e`, with enough violated checks;
//! the last of them is violated in that round for the first time anywhere. A piece that goes past `e` either has all of that
//! round, so it saw the violation, or began inside the round: in both cases it has a snapshot that ends at `e`. So what all pieces have up
//! to `e` is known exactly. Pieces that begin at `e` or later are not needed.

use super::{Campaign, FIRST_ROUND, LARGEST_ROUND, Worker};
use crate::pieces::{Collector, Done, PieceQueue, Pieces, SHARES, Wish};
use crate::resume::file::Covered;
use crate::watch::{Overseer, Stop};
use crate::{LoadedSong, Problem};
use plainsong_ir::Song;
use plainsong_semantics::machine::Machine;
use plainsong_semantics::random::{Ends, Tally, Walker, is_judged};
use plainsong_semantics::search::{Check, Coverage, Progress, Watch as _};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use super::{Asked, Supervision, campaigns};
use crate::plan::Request;
use crate::simulation::NoExecution;

/// How many executions are drawn between two looks at what is wanted.
const PACE: u64 = 8;

/// The end of the round that an execution belongs to.
pub(super) fn round_end(number: u64, runs: u64) -> u64 {
    let (mut end, mut size) = (FIRST_ROUND, FIRST_ROUND);
    while end <= number && size < LARGEST_ROUND {
        size *= 2;
        end += size;
    }
    if end <= number {
        let more = (number - end) / LARGEST_ROUND + 1;
        end = end.saturating_add(more.saturating_mul(LARGEST_ROUND));
    }
    end.min(runs)
}

/// Numbers of executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Range {
    /// Of which system or choreography.
    subject: usize,
    begin: u64,
    end: u64,
}

impl Range {
    fn text(self) -> String {
        serde_json::to_string(&self).expect("numbers can be written")
    }

    fn read(text: &str) -> Result<Range, String> {
        let range: Result<Range, _> = serde_json::from_str(text);
        let range = range.ok().filter(|range| range.begin < range.end);
        range.ok_or_else(|| "a piece that is no range of executions".to_owned())
    }

    /// Nothing was drawn: all of it is left.
    fn untouched(self) -> Done {
        Done {
            result: "[]".to_owned(),
            children: vec![self.text()],
        }
    }

    /// In so many ranges of about the same size.
    fn shares(self, wanted: u64) -> Vec<Range> {
        let size = (self.end - self.begin).div_ceil(wanted).max(1);
        let mut begin = self.begin;
        let mut shares = Vec::new();
        while begin < self.end {
            let end = begin.saturating_add(size).min(self.end);
            shares.push(Range { begin, end, ..self });
            begin = end;
        }
        shares
    }
}

/// What the executions of a piece came to, from the first up to some end.
#[derive(Serialize, Deserialize)]
struct Snapshot {
    end: u64,
    tally: SavedTally,
    covered: Covered,
}

#[derive(Serialize, Deserialize)]
struct SavedTally {
    executions: u64,
    steps: u64,
    longest: u64,
    /// Terminated, deadlocked, failed, cut, discarded, beyond reach.
    ends: [u64; 6],
    violated: BTreeMap<usize, u64>,
    undecided: BTreeMap<usize, (u64, String)>,
    beyond_reach: Option<(u64, String)>,
}

impl SavedTally {
    fn new(tally: &Tally) -> Self {
        let ends = tally.ends;
        SavedTally {
            executions: tally.executions,
            steps: tally.steps,
            longest: tally.longest,
            ends: [
                ends.terminated,
                ends.deadlocked,
                ends.failed,
                ends.cut,
                ends.discarded,
                ends.beyond_reach,
            ],
            violated: tally.violated.clone(),
            undecided: tally.undecided.clone(),
            beyond_reach: tally.beyond_reach.clone(),
        }
    }

    fn tally(&self) -> Tally {
        let [terminated, deadlocked, failed, cut, discarded, beyond_reach] = self.ends;
        Tally {
            executions: self.executions,
            steps: self.steps,
            longest: self.longest,
            ends: Ends {
                terminated,
                deadlocked,
                failed,
                cut,
                discarded,
                beyond_reach,
            },
            violated: self.violated.clone(),
            undecided: self.undecided.clone(),
            beyond_reach: self.beyond_reach.clone(),
        }
    }
}

impl Campaign {
    /// Has all executions drawn by others; why not all of them were, if so.
    pub(super) fn in_pieces(
        &self,
        queue: &dyn PieceQueue,
        judged: usize,
        overseer: &mut Overseer<'_>,
    ) -> Result<(Tally, Coverage, Option<Stop>), Problem> {
        let enough = match self.asked.fail_fast {
            true => 1,
            false => judged.max(1),
        };
        let mut totals = Totals {
            runs: self.asked.runs,
            enough,
            limit: self.asked.runs,
            firsts: BTreeMap::new(),
            pieces: Vec::new(),
            executions: 0,
            overseer,
        };
        let whole = Range {
            subject: self.number,
            begin: 0,
            end: self.asked.runs,
        };
        let question = format!("executions of {}", self.number);
        let is_whole = queue.ask(&question, &[whole.text()], &mut totals)?;
        let (tally, coverage) = totals.together();
        let stop = (!is_whole).then(|| totals.overseer.stopped().unwrap_or(Stop::Interrupted));
        Ok((tally, coverage, stop))
    }
}

/// What was drawn so far, by all.
struct Totals<'o, 'a> {
    runs: u64,
    /// How many violated checks end the run after the round.
    enough: usize,
    /// Executions from here on do not count.
    limit: u64,
    /// The first execution that violates each check.
    firsts: BTreeMap<usize, u64>,
    pieces: Vec<Vec<Snapshot>>,
    executions: u64,
    overseer: &'o mut Overseer<'a>,
}

impl Totals<'_, '_> {
    fn together(&self) -> (Tally, Coverage) {
        let (mut tally, mut coverage) = (Tally::default(), Coverage::default());
        for snapshots in &self.pieces {
            let counted = snapshots.iter().rev().find(|one| one.end <= self.limit);
            if let Some(counted) = counted {
                tally.include(&counted.tally.tally());
                coverage.include(&counted.covered.coverage());
            }
        }
        (tally, coverage)
    }
}

impl Collector for Totals<'_, '_> {
    fn take(&mut self, _: &str, result: &str) -> Result<(), String> {
        let snapshots: Vec<Snapshot> = serde_json::from_str(result)
            .map_err(|error| format!("a result that cannot be read: {error}"))?;
        let Some(last) = snapshots.last() else {
            return Ok(());
        };
        self.executions += last.tally.executions;
        for (&check, &number) in &last.tally.violated {
            let first = self.firsts.entry(check).or_insert(number);
            *first = number.min(*first);
        }
        let mut numbers: Vec<u64> = self.firsts.values().copied().collect();
        numbers.sort_unstable();
        if let Some(&number) = numbers.get(self.enough - 1) {
            self.limit = round_end(number, self.runs);
        }
        self.pieces.push(snapshots);
        Ok(())
    }

    fn is_needed(&self, body: &str) -> bool {
        Range::read(body).is_ok_and(|range| range.begin < self.limit)
    }

    fn go_on(&mut self, pieces: Pieces) -> bool {
        self.overseer.stage.remark = Some(pieces.told());
        self.overseer.keep_going(&Progress {
            states: self.executions,
            ..Progress::default()
        })
    }
}

/// Draws the executions of pieces.
pub struct RandomWorker {
    campaigns: Vec<Campaign>,
}

impl RandomWorker {
    /// For the pieces of a run that asks this.
    pub fn new(
        loaded: &LoadedSong,
        song: &Arc<Song>,
        request: &Request,
        asked: Asked,
        supervision: &Supervision<'_>,
    ) -> Result<Self, NoExecution> {
        let campaigns = campaigns(loaded, song, request, asked, supervision)?;
        Ok(RandomWorker { campaigns })
    }

    /// Draws the executions of a piece, as long as somebody wants that.
    pub fn carry_out(&self, body: &str, wish: &mut dyn FnMut() -> Wish) -> Result<Done, String> {
        let range = Range::read(body)?;
        let campaign = self.campaigns.get(range.subject);
        let campaign = campaign.ok_or("a piece of something that the song does not have")?;
        campaign.carry_out(range, wish)
    }
}

impl Campaign {
    fn carry_out(&self, range: Range, wish: &mut dyn FnMut() -> Wish) -> Result<Done, String> {
        let questions = self.questions();
        let checks = questions.iter().map(|question| question.check);
        let judged: Vec<Check> = checks
            .filter(|check| is_judged(&self.song, *check))
            .collect();
        let mut machines: Vec<OnceLock<Machine>> = Vec::new();
        machines.resize_with(self.instances.len(), OnceLock::new);
        let mut worker = Worker::default();
        let mut notes = Notes::default();
        let mut round = round_end(range.begin, self.asked.runs);
        let is_inside = range.begin > 0 && round_end(range.begin - 1, self.asked.runs) == round;
        let (mut number, mut last) = (range.begin, Wish::GoOn);
        let mut violated = 0;
        let mut is_kept = is_inside;
        while number < range.end {
            // A piece gets on by one execution at least: what is left is never the piece itself.
            if number > range.begin && number.is_multiple_of(PACE) {
                last = wish();
                if last != Wish::GoOn {
                    break;
                }
            }
            // What half an execution covered or violated is not to be part of what was found: it is drawn to its end.
            let mut go_on = || wish() != Wish::Cancel;
            let seed = self.seed(number);
            let place = self.instance_of(seed);
            let machine = self.machine(&machines, place);
            let walker = worker.walkers.entry(place);
            let walker = walker.or_insert_with(|| Walker::new(machine, &judged, self.manner()));
            if !walker.walk((number, seed), &mut worker.tally, &mut go_on) {
                return Ok(range.untouched());
            }
            number += 1;
            if number == round {
                is_kept |= worker.tally.violations() > violated;
                violated = worker.tally.violations();
                notes.note(worker.snapshot(number), is_kept);
                is_kept = false;
                round = round_end(number, self.asked.runs);
            }
        }
        notes.note(worker.snapshot(number), true);
        let rest = Range {
            begin: number,
            ..range
        };
        let shares = match last {
            _ if number == range.end => Vec::new(),
            Wish::Share => rest.shares(SHARES as u64),
            _ => vec![rest],
        };
        Ok(Done {
            result: serde_json::to_string(&notes.kept).expect("maps have numbers as keys"),
            children: shares.into_iter().map(Range::text).collect(),
        })
    }
}

impl Worker<'_> {
    fn snapshot(&self, end: u64) -> Snapshot {
        let mut coverage = Coverage::default();
        for walker in self.walkers.values() {
            coverage.include(&walker.coverage());
        }
        Snapshot {
            end,
            tally: SavedTally::new(&self.tally),
            covered: Covered::new(&coverage),
        }
    }
}

/// The snapshots that matter: of several in a row that need not be kept, the last.
#[derive(Default)]
struct Notes {
    kept: Vec<Snapshot>,
    is_last_kept: bool,
}

impl Notes {
    fn note(&mut self, snapshot: Snapshot, is_kept: bool) {
        if !self.is_last_kept {
            self.kept.pop();
        }
        self.is_last_kept = is_kept;
        if self.kept.last().is_none_or(|last| last.end < snapshot.end) {
            self.kept.push(snapshot);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_double_up_to_the_largest() {
        let (mut begin, mut size) = (0, FIRST_ROUND);
        let runs = 100_003;
        while begin < runs {
            let end = runs.min(begin + size);
            assert_eq!(round_end(begin, runs), end);
            assert_eq!(round_end(end - 1, runs), end);
            (begin, size) = (end, (2 * size).min(LARGEST_ROUND));
        }
    }

    #[test]
    fn shares_are_the_whole() {
        for length in 1..40 {
            let whole = Range {
                subject: 0,
                begin: 5,
                end: 5 + length,
            };
            let shares = whole.shares(8);
            assert!(shares.len() <= 8);
            let mut next = whole.begin;
            for share in shares {
                assert_eq!(share.begin, next);
                next = share.end;
            }
            assert_eq!(next, whole.end);
        }
    }
}
