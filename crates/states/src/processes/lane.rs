//! One process, and everything that it, its inbox and both together have been so far.

use super::dead::LocalSteps;
use super::tables::{Memo, Pairs, Rows, Values, number};
use plainsong_ir::Precedence;
use plainsong_semantics::capsules::{Local, Marks, Message};
use plainsong_semantics::trace::Failure;
use rustc_hash::FxHashMap;

/// The tables of one process, or of `init`, which only has an inbox.
#[derive(Debug, Default)]
pub(super) struct Lane {
    /// Its states without messages.
    pub(super) locals: Values<Local>,
    /// The messages it was ever sent.
    pub(super) messages: Values<Message>,
    /// Where each stands in an inbox in normal form.
    order: Vec<u64>,
    /// Its inboxes, in normal form.
    pub(super) inboxes: Rows,
    /// Local state and inbox.
    pub(super) capsules: Pairs,
    /// Messages that arrive together, in the order of sending.
    pub(super) batches: Rows,
    /// The capsule after a batch arrived.
    pub(super) deliveries: Memo,
    /// What it does without a message, for each local state that was looked at.
    pub(super) alone: Vec<Option<Alone>>,
    /// What it does in a local state with a message, as a position in `taken`.
    pub(super) receives: Memo,
    pub(super) taken: Vec<Reaction>,
    /// What can happen in each capsule that was looked at.
    pub(super) expansions: Vec<Expansion>,
    /// The outcomes of all of them.
    pub(super) outcomes: Vec<Outcome>,
    /// What fails in a capsule.
    pub(super) fails: FxHashMap<u32, Vec<Failing>>,
    /// The local steps that were taken.
    pub(super) local_steps: LocalSteps,
}

/// What a process does without a message.
#[derive(Clone, Debug)]
pub(super) struct Alone {
    pub(super) ways: Ways,
    pub(super) takes: bool,
    pub(super) broken: Option<Failure>,
    pub(super) waits: bool,
}

/// What a process does with a message.
#[derive(Clone, Debug)]
pub(super) struct Reaction {
    pub(super) taken: Taken,
    /// What took part in it, until it is known to happen.
    pub(super) marks: Option<Box<Marks>>,
}

/// The same, without what took part.
#[derive(Clone, Debug)]
pub(super) enum Taken {
    /// It does not accept the message.
    Refused,
    /// Whether it does fails.
    Fails(Failure),
    /// It takes it.
    Ways(Ways),
}

impl Taken {
    /// Is the message accepted? Those behind it in its queue have to wait then.
    pub(super) fn is_accepted(&self) -> bool {
        matches!(self, Taken::Ways(_))
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Ways {
    /// Those that lead somewhere, each once.
    pub(super) next: Vec<Way>,
    /// Those that fail.
    pub(super) fails: Vec<Failure>,
    pub(super) discarded: u32,
    /// How many there are.
    pub(super) all: u32,
}

/// A way that leads somewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    /// To this local state.
    pub(super) local: u32,
    /// With this batch to itself.
    pub(super) own: u32,
    /// With these batches to others.
    pub(super) sends: u32,
}

/// What can happen in a capsule: a stretch of the outcomes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Expansion {
    pub(super) first: u32,
    pub(super) count: u32,
    /// Steps that are no faults.
    pub(super) steps: u32,
    pub(super) signs: Signs,
}

/// A step that fails.
#[derive(Clone, Debug)]
pub(super) struct Failing {
    /// The number of the fault plus 1; 0 if it is none.
    pub(super) fault: u32,
    pub(super) failure: Failure,
}

/// Is there a step that is no fault and not discarded?
pub(super) const RUNS: u8 = 1;
/// Is there a step that is discarded?
pub(super) const DISCARDS: u8 = 2;
/// Is it a deadlock when nothing can happen any more?
pub(super) const WAITS: u8 = 4;
/// Is there a step that fails?
pub(super) const FAILS: u8 = 8;
/// Is there a step that is no fault and changes nothing?
pub(super) const STUTTERS: u8 = 16;
/// What is not worked out yet.
pub(super) const UNKNOWN: u8 = 128;

/// The signs of a capsule, or of all of a state.
pub(super) type Signs = u8;

/// One thing that can happen in a capsule.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    /// The capsule after it.
    pub(super) after: u32,
    /// Batches to others.
    pub(super) sends: u32,
    /// The number of the fault plus 1; 0 if it is none.
    pub(super) fault: u32,
    /// How many steps of a fault it stands for.
    pub(super) times: u32,
}

impl Lane {
    /// The number of a message.
    pub(super) fn message(&mut self, message: Message) -> u32 {
        let order = match message.model().precedence() {
            Precedence::Never => 0,
            Precedence::SameSender => {
                1 << 32 | message.from().member().map_or(0, |row| row as u64 + 1)
            }
            Precedence::Always => 2 << 32,
            Precedence::Cause => panic!("causal messages are not kept in inboxes"),
        };
        let number = number(&mut self.messages, message);
        if number as usize == self.order.len() {
            self.order.push(match order {
                0 => u64::from(number),
                order => order,
            });
        }
        number
    }

    /// Is the order of sending of no interest?
    pub(super) fn is_unordered(&self, message: u32) -> bool {
        self.order[message as usize] >> 32 == 0
    }

    /// Brings messages in the order of sending into normal form: unordered ones ascending, then the queue of each
    /// sender, then the mailbox.
    pub(super) fn normalise(&self, row: &mut [u32]) {
        row.sort_by_key(|message| self.order[*message as usize]);
    }

    /// What can happen in a capsule, if it is worked out.
    #[inline]
    pub(super) fn expansion(&self, capsule: u32) -> Option<Expansion> {
        let known = self.expansions.get(capsule as usize)?;
        (known.signs != UNKNOWN).then_some(*known)
    }

    /// Keeps what can happen in a capsule.
    pub(super) fn expand(
        &mut self,
        capsule: u32,
        outcomes: &[Outcome],
        (steps, signs): (u32, Signs),
    ) -> Expansion {
        let expansion = Expansion {
            first: u32::try_from(self.outcomes.len()).expect("fewer than 2^32 outcomes"),
            count: outcomes.len() as u32,
            steps,
            signs,
        };
        self.outcomes.extend_from_slice(outcomes);
        let at = capsule as usize;
        if self.expansions.len() <= at {
            let unknown = Expansion {
                first: 0,
                count: 0,
                steps: 0,
                signs: UNKNOWN,
            };
            self.expansions.resize(at + 1, unknown);
        }
        self.expansions[at] = expansion;
        expansion
    }

    /// Forgets everything that depends on which messages are kept.
    pub(super) fn forget_capsules(&mut self) {
        self.capsules = Pairs::default();
        self.inboxes = Rows::default();
        self.deliveries = Memo::default();
        self.expansions = Vec::new();
        self.outcomes = Vec::new();
        self.fails = FxHashMap::default();
        self.local_steps.begin_again();
    }

    /// How many bytes it takes.
    pub(super) fn bytes(&self) -> u64 {
        let vectors = self.expansions.capacity() * size_of::<Expansion>()
            + self.outcomes.capacity() * size_of::<Outcome>()
            + self.taken.capacity() * size_of::<Reaction>()
            + self.alone.capacity() * size_of::<Option<Alone>>()
            + self.messages.len() * 160;
        let local = self.locals.first().map_or(0, Local::weight);
        vectors as u64
            + (local * self.locals.len()) as u64
            + self.inboxes.bytes()
            + self.capsules.bytes()
            + self.batches.bytes()
            + self.deliveries.bytes()
            + self.receives.bytes()
            + self.local_steps.bytes()
    }
}
