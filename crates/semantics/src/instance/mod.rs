//! Instances: a song with its sizes and parameters fixed, so that it can run.
//!
//! An instance knows the members of every sort, the value of every constant and parameter, and the
//! table of *members*: all processes (in the order of declaration), then the endpoints of each
//! choreography. A process value is a row of that table.

mod bound;
mod build;
pub(crate) mod confined;
mod constants;
mod depends;
mod domain;
mod members;

pub use members::Member;

use crate::machine::Subject;
use crate::sizes::{Bounds, Sizes};
use crate::value::{Pid, Value};
use crate::world::Sought;
use members::Family;
use plainsong_diagnostics::Span;
use plainsong_ir::handlers::{MessageAction, Sender};
use plainsong_ir::{ActionId, ConstId, Delivery, FamilyId, Song, SortId, Ty};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, OnceLock};

/// The most values of one type that are ever listed.
pub(crate) const MOST_VALUES: usize = 1_000_000;

/// Why there is no such instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceError {
    /// One sentence without a full stop.
    pub message: String,
    /// The declaration it is about, if there is one.
    pub span: Option<Span>,
    /// What to do about it.
    pub help: Option<String>,
}

/// An error about no place in particular yet.
pub(crate) fn error(message: impl Into<String>) -> InstanceError {
    InstanceError {
        message: message.into(),
        span: None,
        help: None,
    }
}

impl InstanceError {
    pub(crate) fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A song with the sizes of its sorts and the values of its parameters. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Instance {
    facts: Arc<Facts>,
    delivery: Option<Delivery>,
    /// The only one of its ways to start, if the others are left out.
    start: Option<usize>,
}

/// What an instance fixes.
#[derive(Clone, Debug)]
struct Facts {
    song: Arc<Song>,
    bounds: Bounds,
    /// First and last member of each sort; identities count from 0.
    sorts: Vec<(i64, i64)>,
    consts: Vec<Value>,
    /// Parameters whose values were not chosen but tried.
    tried: Vec<ConstId>,
    members: Vec<Member>,
    families: Vec<Family>,
    /// Rows of the processes, then of the endpoints of each choreography.
    lanes: Vec<Range<usize>>,
    /// The integers that something is compared with, once somebody asked.
    compared: OnceLock<Arc<[i64]>>,
    /// What the processes handle, once somebody asked.
    message_actions: OnceLock<Arc<[MessageAction]>>,
}

impl Instance {
    /// Every instance that `sizes` leaves open: one for each choice of the other parameters, in
    /// ascending order. A sort whose size is not chosen has two members.
    pub fn all(
        song: Arc<Song>,
        sizes: &Sizes,
        bounds: &Bounds,
    ) -> Result<Vec<Instance>, InstanceError> {
        build::all(song, sizes, bounds, None)
    }

    /// Can sorts, constants and parameters be fixed one after the other, each after those that it mentions?
    pub fn can_be_fixed(song: &Song) -> bool {
        depends::order(song).is_ok()
    }

    /// The instance in which constants and parameters have these values, in the order of declaration,
    /// also such as are not tried otherwise; `None` when there are not so many.
    pub fn with_values(
        song: Arc<Song>,
        sizes: &Sizes,
        bounds: &Bounds,
        values: &[Value],
    ) -> Result<Option<Instance>, InstanceError> {
        if song.consts.len() != values.len() {
            return Ok(None);
        }
        let instances = build::all(song, sizes, bounds, Some(values))?;
        Ok(instances.into_iter().next())
    }

    /// With all messages delivered by one model, whatever their declarations say.
    #[must_use]
    pub fn with_delivery(mut self, delivery: Option<Delivery>) -> Self {
        self.delivery = delivery;
        self
    }

    /// The same with other integers and lengths to try where a value is chosen freely.
    #[must_use]
    pub fn with_bounds(&self, bounds: Bounds) -> Instance {
        let mut facts = (*self.facts).clone();
        facts.bounds = bounds;
        Instance {
            facts: Arc::new(facts),
            ..self.clone()
        }
    }

    /// The same with other code and perhaps more variables: sorts, constants, processes and endpoints must be the
    /// same.
    #[must_use]
    pub fn with_song(&self, song: Arc<Song>) -> Instance {
        let mut facts = (*self.facts).clone();
        facts.song = song;
        facts.compared = OnceLock::new();
        facts.message_actions = OnceLock::new();
        Instance {
            facts: Arc::new(facts),
            ..self.clone()
        }
    }

    /// With only one of its ways to start: the one with this number.
    #[must_use]
    pub(crate) fn with_start(&self, start: usize) -> Instance {
        Instance {
            start: Some(start),
            ..self.clone()
        }
    }

    /// The number of its only way to start, if the others are left out.
    pub(crate) fn start(&self) -> Option<usize> {
        self.start
    }

    /// The model that all messages are delivered by, if it was chosen.
    pub fn delivery(&self) -> Option<Delivery> {
        self.delivery
    }

    pub fn song(&self) -> &Arc<Song> {
        &self.facts.song
    }

    /// Which integers are tried where a value is chosen freely.
    pub fn bounds(&self) -> &Bounds {
        &self.facts.bounds
    }

    /// The value of a constant or parameter.
    pub fn constant(&self, constant: ConstId) -> &Value {
        &self.facts.consts[constant.index()]
    }

    /// How many members a sort has.
    pub fn size(&self, sort: SortId) -> usize {
        let (first, last) = self.range(sort);
        (last - first + 1) as usize
    }

    /// First and last member of a range of integers; identities count from 0.
    pub fn range(&self, sort: SortId) -> (i64, i64) {
        self.facts.sorts[sort.index()]
    }

    /// All processes and endpoints.
    pub fn members(&self) -> &[Member] {
        &self.facts.members
    }

    /// The rows of the members that take part in `subject`.
    pub fn lanes(&self, subject: Subject) -> Range<usize> {
        match subject {
            Subject::System => self.facts.lanes[0].clone(),
            Subject::Line(line) => self.facts.lanes[line + 1].clone(),
        }
    }

    /// The row of the member of `family` with these indices.
    pub fn member(&self, family: FamilyId, index: &[Value]) -> usize {
        self.facts.families[family.index()].row(index)
    }

    /// The messages that `pending(M(e) to p)` counts: of the handlers with this number, with these arguments. None of a song
    /// of actions.
    pub(crate) fn sought(&self, number: ActionId, arguments: &[Value]) -> Option<Sought> {
        let voices = self.song().voices()?;
        let message_actions = self
            .facts
            .message_actions
            .get_or_init(|| voices.message_actions().into());
        let row = message_actions[number.index()];
        let mut rest = arguments.iter().cloned();
        let mut member = |family: FamilyId| {
            let count = self.song().families[family.index()].index.len();
            let index: Vec<Value> = rest.by_ref().take(count).collect();
            Pid::Member(self.member(family, &index) as u32)
        };
        let to = member(row.family);
        let from = match row.sender {
            Sender::Family(family) => Some(member(family)),
            Sender::Unasked | Sender::Unclear => None,
        };
        Some(Sought {
            kind: row.message,
            to,
            from,
            payload: rest.collect(),
        })
    }

    /// Every value of a finite type, ascending; or why they cannot be listed.
    pub fn values(&self, ty: &Ty) -> Result<Vec<Value>, String> {
        domain::values(self, ty, None)
    }

    /// Every value that is tried where one of type `ty` is chosen freely: like
    /// [`values`](Instance::values), with `int` and `nat` cut down to their windows.
    pub fn candidates(&self, ty: &Ty) -> Result<Vec<Value>, String> {
        domain::values(self, ty, Some(self.bounds()))
    }

    /// Every value that is tried where a program chooses one of type `ty`: the [`candidates`](Instance::candidates),
    /// and for `int` and `nat` also the constants that something is compared with.
    pub fn choosable(&self, ty: &Ty) -> Result<Vec<Value>, String> {
        let mut values = self.candidates(ty)?;
        let more = self.constants_beyond(ty);
        if !more.is_empty() {
            values.extend(more.into_iter().map(Value::Int));
            values.sort_unstable();
        }
        Ok(values)
    }

    /// The constants of the text that are candidates for values of type `ty` outside of its window, ascending.
    pub fn constants_beyond(&self, ty: &Ty) -> Vec<i64> {
        let bounds = self.bounds();
        let (first, last, least) = match ty {
            Ty::Int => (bounds.int.0, bounds.int.1, i64::MIN),
            Ty::Nat => (0, bounds.nat, 0),
            _ => return Vec::new(),
        };
        if !bounds.constants {
            return Vec::new();
        }
        let compared = self
            .facts
            .compared
            .get_or_init(|| constants::compared(self).into());
        constants::beyond(compared, first, last, least)
    }

    /// What to say when no candidate is allowed though others, which nobody tried, may be.
    pub(crate) fn beyond_window(&self, what: &str) -> String {
        let windows: Vec<String> = (self.bound().into_iter())
            .filter(|(name, _)| matches!(&**name, "int" | "nat" | "length"))
            .map(|(name, window)| format!("{name}={window}"))
            .collect();
        format!(
            "no value in the window ({}) satisfies {what}, and values outside of it are not tried; `--bound` sets the window",
            windows.join("; ")
        )
    }

    /// What was chosen, for people: `Db` → `3`, `N` → `4`, `int` → `-2..=2`.
    pub fn bound(&self) -> BTreeMap<String, String> {
        bound::bound(self)
    }
}
