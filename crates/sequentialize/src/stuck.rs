//! Why there is no line: the kinds of reasons, and the sentence.

use crate::codes;
use plainsong_diagnostics::{Code, Span};
use plainsong_ir::Song;

/// What kind of thing stands in the way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Obstacle {
    /// A receive can be served by different sends, and the outcomes are not permutations of each other.
    AsymmetricRace,
    /// Nothing sends what a receive wants.
    NoSender,
    /// Somebody waits in the canonical schedule.
    Blocked,
    /// A message is sent that nothing receives.
    SuperfluousSend,
    /// It is not known to whom something is sent or from whom it is received.
    UnknownAddress,
    /// One round deals with two members.
    Indiscriminate,
    /// Rounds of a loop differ: the exit or the effect depends on earlier rounds.
    StatefulLoop,
    /// A message of the same kind may come too early.
    LateMessage,
    /// Messages of a loop's rounds and of members share a channel.
    MixedChannel,
    /// Two choices that need not be the same member.
    IndependentChoices,
    /// A daemon keeps one member waiting for somebody else.
    HoldAndWait,
    /// An assertion that fails on the way.
    FailReachable,
    /// A construct for which there is no rule.
    NotCovered,
    /// Too many steps or branches.
    TooLong,
}

impl Obstacle {
    /// Does it say that one message may be taken for another?
    pub(crate) fn confuses(self) -> bool {
        matches!(
            self,
            Obstacle::LateMessage
                | Obstacle::Indiscriminate
                | Obstacle::MixedChannel
                | Obstacle::IndependentChoices
        )
    }

    /// As in reports: stable, lower case, with hyphens.
    pub fn name(self) -> &'static str {
        self.code().name
    }

    /// What `plainsong explain` says of it.
    pub fn code(self) -> &'static Code {
        match self {
            Obstacle::AsymmetricRace => &codes::ASYMMETRIC_RACE,
            Obstacle::NoSender => &codes::NO_SENDER,
            Obstacle::Blocked => &codes::BLOCKED,
            Obstacle::SuperfluousSend => &codes::SUPERFLUOUS_SEND,
            Obstacle::UnknownAddress => &codes::UNKNOWN_ADDRESS,
            Obstacle::Indiscriminate => &codes::INDISCRIMINATE,
            Obstacle::StatefulLoop => &codes::STATEFUL_LOOP,
            Obstacle::LateMessage => &codes::LATE_MESSAGE,
            Obstacle::MixedChannel => &codes::MIXED_CHANNEL,
            Obstacle::IndependentChoices => &codes::INDEPENDENT_CHOICES,
            Obstacle::HoldAndWait => &codes::HOLD_AND_WAIT,
            Obstacle::FailReachable => &codes::FAIL_REACHABLE,
            Obstacle::NotCovered => &codes::NOT_COVERED,
            Obstacle::TooLong => &codes::TOO_LONG,
        }
    }
}

/// Why there is no line.
#[derive(Clone, Debug, PartialEq)]
pub struct Stuck {
    /// Of which kind.
    pub obstacle: Obstacle,
    /// One sentence without a full stop.
    pub sentence: String,
    /// The place in the text that it is about.
    pub span: Span,
    /// What usually helps, if anything does.
    pub help: Option<String>,
    /// What everybody who is not done was about to do, when nothing went on.
    pub remaining: Vec<String>,
    /// The song with the line as far as it was found, if that can be told.
    pub so_far: Option<Box<Song>>,
}

impl Stuck {
    pub(crate) fn new(obstacle: Obstacle, span: Span, sentence: impl Into<String>) -> Stuck {
        Stuck {
            obstacle,
            sentence: sentence.into(),
            span,
            help: None,
            remaining: Vec::new(),
            so_far: None,
        }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Stuck {
        self.help = Some(help.into());
        self
    }
}
