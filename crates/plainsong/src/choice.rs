//! Choices, assumptions and coverage marks.
//!
//! Deliberately absent: symbolic values, which stand for all values of a type and are split by the
//! conditions that the code asks. They need a solver in every test and a program written with terms in
//! place of numbers. What the code distinguishes is chosen here, one value for each case ([`choose`] says
//! how); what holds for every value is a matter for songs, which are proved.

use crate::delivery::Delivery;
use crate::determinism_check::{Print, What};
use crate::fix::no_such_option;
use crate::message::Legible;
use crate::monitor::{is_observing, mark};
use crate::send::{Letter, post};
use crate::shared_context::MARKS;
use crate::task::{Fed, Task};
use plainsong_explore::{Budget, Op};
pub use plainsong_macros::Choices;
use std::borrow::Cow;
use std::fmt::Debug;
use std::panic::Location;

/// Chooses one of the options: each is taken in an execution of its own.
///
/// Takes anything that can be iterated over: a range, an array, a slice, an iterator.
///
/// Where a value may be any of a large type, choose one for each case that the code distinguishes, for
/// instance both sides of a limit (`choose([0, LIMIT - 1, LIMIT, u64::MAX])`) instead of the whole range.
///
/// ```
/// use plainsong::choose;
///
/// let report = plainsong::explore(|| {
///     let size = choose(1..=3);
///     let colour = choose(["red", "green"]);
///     assert!(size < 4 && !colour.is_empty());
/// });
/// assert_eq!(report.executions, 6);
/// ```
///
/// # Panics
///
/// When there is nothing to choose from, or too much: more than `u32::MAX` options, or more than a
/// million from an iterator that does not know its length.
#[track_caller]
pub fn choose<I>(options: I) -> I::Item
where
    I: IntoIterator,
    I::Item: Debug,
{
    choose_at(options, Location::caller())
}

/// Chooses one of the options; the choice has a name, by which it can be [fixed](crate::Explorer::fix) from
/// outside.
///
/// ```
/// use plainsong::{choose_named, Explorer};
///
/// let program = || {
///     let size = choose_named("size", 1..=100);
///     assert!(size <= 100);
/// };
/// assert_eq!(plainsong::explore(program).executions, 100);
///
/// let report = Explorer::new().fix("size", 7).run(program);
/// assert_eq!(report.executions, 1);
/// ```
///
/// # Panics
///
/// As [`choose`].
#[track_caller]
pub fn choose_named<I>(name: impl AsRef<str>, options: I) -> I::Item
where
    I: IntoIterator,
    I::Item: Debug,
{
    choose_as(Some(name.as_ref()), options, Location::caller(), None)
}

/// Chooses one of the options, for a place in the user's code.
#[track_caller]
pub(crate) fn choose_at<I>(options: I, location: &'static Location<'static>) -> I::Item
where
    I: IntoIterator,
    I::Item: Debug,
{
    choose_within(options, location, None)
}

/// Chooses one of the options; every option but the first takes one from the budget.
#[track_caller]
pub(crate) fn choose_within<I>(
    options: I,
    location: &'static Location<'static>,
    budget: Option<Budget>,
) -> I::Item
where
    I: IntoIterator,
    I::Item: Debug,
{
    choose_as(None, options, location, budget)
}

#[track_caller]
fn choose_as<I>(
    name: Option<&str>,
    options: I,
    location: &'static Location<'static>,
    budget: Option<Budget>,
) -> I::Item
where
    I: IntoIterator,
    I::Item: Debug,
{
    let mut options = Options::of(options.into_iter());
    let count = options.count();
    assert!(count > 0, "`choose` needs at least one option");
    let Some(task) = Task::live("choose") else {
        return options.take(0).expect("there is a first one");
    };
    let print = match name {
        Some(name) => Print::new(What::Choose, location, (count, name)),
        None => Print::new(What::Choose, location, count),
    };
    let describe = || match name {
        Some(name) => format!("choose `{name}`, one of {count}"),
        None => format!("choose one of {count}"),
    };
    let world = &task.world;
    let guided = world.guide.as_ref().and_then(|guide| guide.choice(&task));
    let fixed = name.and_then(|name| world.fixes.next(&task, name));
    let open = match guided.is_some() || fixed.is_some() {
        true => 1,
        false => count,
    };
    let number = match task.perform(print, &describe, || Op::Choose {
        options: open,
        budget,
    }) {
        Fed::Chosen(number) => number,
        _ => task.unfit(&describe(), location),
    };
    let chosen = match (guided, fixed) {
        (Some(text), _) => options.find(&text).unwrap_or_else(|_| task.give_up()),
        (None, Some(fixed)) => options.find(&fixed.value).unwrap_or_else(|others| {
            let complaint = no_such_option(fixed, others, location);
            task.world.complaint.replace(Some(complaint));
            task.give_up()
        }),
        (None, None) => options
            .take(number)
            .unwrap_or_else(|| task.unfit(&describe(), location)),
    };
    task.note(name, || format!("{:?}", Legible(&chosen)));
    chosen
}

/// What there is to choose from. An iterator that knows its length need not be collected.
enum Options<I: Iterator> {
    Counted(I, u32),
    Collected(Vec<I::Item>),
}

/// How many options an iterator that does not know its length may have: it may have no end.
const MOST_COLLECTED: usize = 1_000_000;

/// How many options are remembered for people when none is the right one.
const MOST_PRINTED: usize = 100;

impl<I: Iterator> Options<I> {
    #[track_caller]
    fn of(options: I) -> Self {
        let (least, most) = options.size_hint();
        if most == Some(least) {
            return match u32::try_from(least) {
                Ok(count) => Options::Counted(options, count),
                Err(_) => panic!(
                    "`choose` has {least} options to choose from: it can take {} at most",
                    u32::MAX
                ),
            };
        }
        let collected = match least > MOST_COLLECTED {
            true => None,
            false => Some(options.take(MOST_COLLECTED + 1).collect::<Vec<_>>()),
        };
        match collected.filter(|collected| collected.len() <= MOST_COLLECTED) {
            Some(collected) => Options::Collected(collected),
            None => panic!(
                "`choose` needs finitely many options: this iterator does not know its length and \
                 has more than {MOST_COLLECTED} (if it does end, collect it first)"
            ),
        }
    }

    fn count(&self) -> u32 {
        match self {
            Options::Counted(_, count) => *count,
            Options::Collected(options) => options.len() as u32,
        }
    }

    fn take(&mut self, number: u32) -> Option<I::Item> {
        match self {
            Options::Counted(options, _) => options.nth(number as usize),
            Options::Collected(options) => {
                let number = number as usize;
                (number < options.len()).then(|| options.swap_remove(number))
            }
        }
    }

    /// The option that is printed like this; if there is none, how others are printed.
    fn find(&mut self, text: &str) -> Result<I::Item, Vec<String>>
    where
        I::Item: Debug,
    {
        let mut others = Vec::new();
        let mut is_it = |option: &I::Item| {
            let printed = format!("{:?}", Legible(option));
            let is_it = printed == text;
            if !is_it && others.len() < MOST_PRINTED {
                others.push(printed);
            }
            is_it
        };
        let found = match self {
            Options::Counted(options, _) => options.find(is_it),
            Options::Collected(options) => {
                let at = options.iter().position(&mut is_it);
                at.map(|at| options.swap_remove(at))
            }
        };
        found.ok_or(others)
    }
}

/// Chooses `false` or `true`.
///
/// ```
/// use plainsong::choose_bool;
///
/// let report = plainsong::explore(|| {
///     let (a, b) = (choose_bool(), choose_bool());
///     assert_eq!(a && b, b && a);
/// });
/// assert_eq!(report.executions, 4);
/// ```
#[track_caller]
pub fn choose_bool() -> bool {
    choose([false, true])
}

/// Types of which all values can be listed, for [`choose_any`]: derive it for enums and structs.
///
/// ```
/// use plainsong::Choices;
///
/// #[derive(Clone, Debug, PartialEq, Choices)]
/// enum Fault {
///     None,
///     Crash { clean: bool },
/// }
///
/// let faults = [Fault::None, Fault::Crash { clean: false }, Fault::Crash { clean: true }];
/// assert_eq!(Fault::choices(), faults);
/// assert_eq!(<(bool, Option<bool>)>::choices().len(), 6);
/// ```
pub trait Choices: Clone {
    /// All values, in a fixed order.
    fn choices() -> Vec<Self>;
}

impl Choices for () {
    fn choices() -> Vec<Self> {
        vec![()]
    }
}

impl Choices for bool {
    fn choices() -> Vec<Self> {
        vec![false, true]
    }
}

impl<T: Choices> Choices for Option<T> {
    fn choices() -> Vec<Self> {
        let values = T::choices().into_iter().map(Some);
        std::iter::once(None).chain(values).collect()
    }
}

impl<A: Choices, B: Choices> Choices for (A, B) {
    fn choices() -> Vec<Self> {
        let with = |a: A| B::choices().into_iter().map(move |b| (a.clone(), b));
        A::choices().into_iter().flat_map(with).collect()
    }
}

/// Chooses one of all values of a type: see [`Choices`].
///
/// ```
/// use plainsong::{choose_any, Choices};
///
/// #[derive(Clone, Debug, Choices)]
/// enum Colour {
///     Red,
///     Green,
///     Blue,
/// }
///
/// let report = plainsong::explore(|| {
///     let (colour, dark) = choose_any::<(Colour, bool)>();
///     assert!(!format!("{colour:?} {dark}").is_empty());
/// });
/// assert_eq!(report.executions, 6);
/// ```
///
/// # Panics
///
/// When the type has no values.
#[track_caller]
pub fn choose_any<T: Choices + Debug>() -> T {
    choose(T::choices())
}

/// Gives up this execution unless the condition holds.
///
/// Such executions are not failures; they are counted as
/// [`blocked`](crate::Report::blocked).
///
/// ```
/// use plainsong::{assume, choose};
///
/// let report = plainsong::explore(|| {
///     let n = choose(0..10);
///     assume(n % 3 == 0);
///     assert!(n != 5);
/// });
/// assert_eq!((report.executions, report.blocked), (4, 6));
/// report.assert_holds();
/// ```
#[track_caller]
pub fn assume(condition: bool) {
    if let Some(task) = Task::live("assume")
        && !condition
    {
        task.give_up();
    }
}

/// Marks a place that should be reached: the report counts the executions that do.
///
/// ```
/// use plainsong::{choose_bool, cover};
///
/// let report = plainsong::explore(|| {
///     if choose_bool() {
///         cover("heads");
///     }
/// });
/// assert_eq!(report.coverage["heads"], 1);
/// ```
#[track_caller]
pub fn cover(name: impl Into<Cow<'static, str>>) {
    if is_observing() {
        mark(name.into());
    } else if let Some(task) = Task::live("cover") {
        task.world.has_marks.set(true);
        let letter = Letter::new(Mark(name.into())).via(Delivery::Unordered);
        post(letter, MARKS, Location::caller(), None, What::Cover);
    }
}

/// Marks a place if the condition holds: see [`cover`].
///
/// ```
/// use plainsong::{choose, cover_if};
///
/// let report = plainsong::explore(|| {
///     let n = choose(0..5);
///     cover_if(n > 2, "large");
/// });
/// assert_eq!(report.coverage["large"], 2);
/// ```
#[track_caller]
pub fn cover_if(condition: bool, name: impl Into<Cow<'static, str>>) {
    if condition {
        cover(name);
    }
}

/// A coverage mark is a message that nobody receives: so it belongs to the execution, whichever
/// processes ran for it.
#[derive(Clone, Debug)]
pub(crate) struct Mark(pub(crate) Cow<'static, str>);
