//! Messages in flight: any value, with who sent it and how.

mod known;
mod parcel;
mod plain;
mod told;

use crate::order::Order;
use crate::panics::{self, Detail};
use crate::process::Process;
use crate::record::discard;
use crate::shared_context::Mailboxes;
use crate::tag::Tag;
use plainsong_explore::{Mailbox, Tid};
use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::cell::Cell;
use std::fmt::{self, Debug, Write as _};
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::rc::Rc;

pub use known::know;
pub(crate) use known::{know_both, know_clone, know_results};
pub(crate) use parcel::{Parcel, insist_on_whole_runs};
pub(crate) use told::told;

/// What can be sent: everything that can be copied and shown.
///
/// `Clone`, because one send is received in many executions; `Debug`, because a message has to be
/// readable in the picture of a failure. Implemented for every such type.
///
/// ```
/// #[derive(Clone, Debug)]
/// struct Vote {
///     yes: bool,
/// }
///
/// fn is_message<M: plainsong::Message>() {}
/// is_message::<Vote>();
/// is_message::<(u32, String)>();
/// ```
pub trait Message: Clone + Debug + 'static {}

impl<T: Clone + Debug + 'static> Message for T {}

/// What is known about a message besides its value.
///
/// ```
/// use plainsong::{current, receive_where, send, Process};
///
/// plainsong::explore(|| {
///     let me: Process = current();
///     send(me, 7);
///     let seven = receive_where(move |n: &i32, info| *n > 5 && info.from() == me);
///     assert_eq!(seven, 7);
/// })
/// .assert_holds();
/// ```
#[derive(Clone, Debug)]
pub struct Info {
    pub(crate) from: Process,
    pub(crate) tag: Option<Tag>,
}

impl Info {
    /// Who sent it.
    pub fn from(&self) -> Process {
        self.from
    }

    /// The tag it was given, if any.
    pub fn tag(&self) -> Option<&Tag> {
        self.tag.as_ref()
    }
}

/// A message of any type.
///
/// ```
/// use plainsong::{current, receive_any, send};
///
/// plainsong::explore(|| {
///     send(current(), "hello");
///     let message = receive_any();
///     assert_eq!(format!("{message:?}"), "\"hello\"");
///     match message.downcast::<u32>() {
///         Ok(number) => unreachable!("{number}"),
///         Err(other) => assert_eq!(other.downcast::<&str>().unwrap(), "hello"),
///     }
/// })
/// .assert_holds();
/// ```
#[derive(Clone)]
pub struct AnyMessage(pub(crate) Rc<Envelope>);

impl AnyMessage {
    /// Is its value a `T`?
    pub fn is<T: 'static>(&self) -> bool {
        self.0.is::<T>()
    }

    /// Its value, if that is a `T`.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        self.0.get()
    }

    /// Its value, if that is a `T`; itself if not.
    pub fn downcast<T: Message>(self) -> Result<T, AnyMessage> {
        match self.get::<T>() {
            Some(value) => Ok(copy(value)),
            None => Err(self),
        }
    }

    /// Sender and tag.
    pub fn info(&self) -> &Info {
        &self.0.info
    }
}

impl Debug for AnyMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.value.show(f)
    }
}

/// A value whose type is known only at run time.
pub(crate) trait Value: Any {
    /// Its `Debug` form.
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    /// A copy for a monitor; none of what is no message.
    fn duplicate(&self) -> Option<Box<dyn Value>>;

    /// Is it known to be the same value?
    fn is_same(&self, _other: &dyn Any) -> bool {
        false
    }

    /// What it is to people.
    fn role(&self) -> Role {
        Role::Message
    }

    /// The type that people know it by.
    fn type_name(&self) -> &'static str {
        std::any::type_name::<Self>()
    }
}

/// What a message is to people who look at an execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// A message.
    Message,
    /// Something done to an object that is a process behind the scenes: `lock`, `unlock`.
    Deed,
    /// The answer that hands a lock over: not shown, but it tells who has the lock.
    Grant,
    /// Nothing they want to know of.
    Plumbing,
}

impl<T: Message> Value for T {
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt(f)
    }

    fn duplicate(&self) -> Option<Box<dyn Value>> {
        Some(Box::new(copy(self)))
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        let other = other.downcast_ref();
        other.is_some_and(|other| plain::is_same(self, other))
    }
}

/// What a process returned, in flight to whoever joins it.
pub(crate) struct Returned<T: 'static>(pub(crate) Parcel<T>);

impl<T: 'static> Value for Returned<T> {
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("its result")
    }

    fn duplicate(&self) -> Option<Box<dyn Value>> {
        None
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        let other = other.downcast_ref::<Self>();
        other.is_some_and(|other| self.0.is_same(&other.0))
    }
}

/// A value as it is kept in a message. Copies of it are received; it is itself no part of the program,
/// so its destructor does nothing that anybody could notice.
pub(crate) struct Kept<V>(Option<V>);

impl<V> Kept<V> {
    pub(crate) fn new(value: V) -> Self {
        Kept(Some(value))
    }
}

impl<V: Value> Value for Kept<V> {
    fn show(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_ref().map_or(Ok(()), |value| value.show(f))
    }

    fn duplicate(&self) -> Option<Box<dyn Value>> {
        self.0.as_ref()?.duplicate()
    }

    fn is_same(&self, other: &dyn Any) -> bool {
        let other = other
            .downcast_ref::<Self>()
            .and_then(|kept| kept.0.as_ref());
        let one = self.0.as_ref();
        one.zip(other)
            .is_some_and(|(one, other)| one.is_same(other))
    }

    fn role(&self) -> Role {
        self.0.as_ref().map_or(Role::Message, Value::role)
    }

    fn type_name(&self) -> &'static str {
        self.0
            .as_ref()
            .map_or(std::any::type_name::<V>(), Value::type_name)
    }
}

impl<V> Drop for Kept<V> {
    fn drop(&mut self) {
        discard(self.0.take());
    }
}

/// The `Debug` form of a value.
pub(crate) struct Shown<'v>(pub(crate) &'v dyn Value);

impl Debug for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        contained(f, |f| self.0.show(f))
    }
}

/// The `Debug` form of anything of the user's.
pub(crate) struct Legible<'v, T>(pub(crate) &'v T);

impl<T: Debug> Debug for Legible<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        contained(f, |f| self.0.fmt(f))
    }
}

/// Shows what is the user's. We do so at times of our own choosing, so if that panics it is no
/// failure of the program, nor of the exploration.
fn contained(
    f: &mut fmt::Formatter<'_>,
    show: impl FnOnce(&mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    let _recording = panics::record(Detail::Place);
    match catch_unwind(AssertUnwindSafe(|| show(f))) {
        Ok(result) => result,
        Err(payload) => {
            panics::caught(&*payload);
            f.write_str("(its Debug panics)")
        }
    }
}

/// A message as the engine carries it.
pub(crate) struct Envelope<V: ?Sized = dyn Value> {
    pub(crate) type_id: TypeId,
    pub(crate) type_name: &'static str,
    pub(crate) info: Info,
    pub(crate) to: Mailbox,
    pub(crate) location: &'static Location<'static>,
    /// In a replay: which of its sender's messages of this type to this mailbox it is, from 1.
    pub(crate) occurrence: u32,
    pub(crate) order: Option<&'static dyn Order>,
    /// Has it been received in some execution?
    pub(crate) is_received: Cell<bool>,
    /// Its `Debug` form when it was sent, if that may change later: see [`World::keeps_text`].
    ///
    /// [`World::keeps_text`]: crate::shared_context::World::keeps_text
    pub(crate) text: Option<Box<str>>,
    pub(crate) value: V,
}

impl Envelope {
    /// A message that nobody has sent.
    pub(crate) fn unsent<V: Value>(
        value: V,
        from: Process,
        to: Tid,
        location: &'static Location<'static>,
    ) -> Rc<Envelope> {
        Rc::new(Envelope {
            type_id: TypeId::of::<V>(),
            type_name: value.type_name(),
            info: Info {
                from,
                tag: Some(Tag::from(0_u32)),
            },
            to: Mailboxes::of_process(to),
            location,
            occurrence: 0,
            order: None,
            is_received: Cell::new(false),
            text: None,
            value: Kept::new(value),
        })
    }

    /// What it looked like when it was sent, as far as that is known.
    pub(crate) fn as_sent(&self) -> Cow<'_, str> {
        match &self.text {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(format!("{self:?}")),
        }
    }

    /// Can whoever receives them not tell them apart? If nobody knows, no.
    pub(crate) fn is_same(&self, other: &Envelope) -> bool {
        self.type_id == other.type_id
            && self.to == other.to
            && self.info.from == other.info.from
            && self.info.tag == other.info.tag
            && self.value.is_same(&other.value)
    }

    /// Do both look the same, as they were sent?
    pub(crate) fn looks_like(&self, other: &Envelope) -> bool {
        if self.value.is_same(&other.value) {
            return true;
        }
        let text = self.as_sent();
        match &other.text {
            Some(other) => *text == **other,
            None => {
                let mut rest = Rest(&text);
                write!(rest, "{other:?}").is_ok() && rest.0.is_empty()
            }
        }
    }

    pub(crate) fn is<T: 'static>(&self) -> bool {
        self.type_id == TypeId::of::<T>()
    }

    pub(crate) fn get<T: 'static>(&self) -> Option<&T> {
        let kept: &Kept<T> = (&self.value as &dyn Any).downcast_ref()?;
        kept.0.as_ref()
    }
}

impl Debug for Envelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Shown(&self.value).fmt(f)
    }
}

/// What is left of a text of which the beginning was written.
struct Rest<'t>(&'t str);

impl fmt::Write for Rest<'_> {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        self.0 = self.0.strip_prefix(part).ok_or(fmt::Error)?;
        Ok(())
    }
}

thread_local! {
    static COPYING: Cell<bool> = const { Cell::new(false) };
}

/// The value of a message for one more execution: the same value, not a second one. Values that
/// know how many of them there are ask [`is_copying`].
pub(crate) fn copy<T: Clone>(value: &T) -> T {
    copy_by(T::clone, value)
}

/// The same, with a cloner.
fn copy_by<T>(clone: fn(&T) -> T, value: &T) -> T {
    struct Before(bool);
    impl Drop for Before {
        fn drop(&mut self) {
            COPYING.set(self.0);
        }
    }
    let _before = Before(COPYING.replace(true));
    clone(value)
}

/// Is a value being copied because one send is received in many executions?
pub(crate) fn is_copying() -> bool {
    COPYING.get()
}

/// Handles with an only owner are `Clone` because messages are copied, and for nothing else.
#[track_caller]
pub(crate) fn assert_copying(what: &str) {
    assert!(
        is_copying(),
        "a `{what}` has one owner: it is `Clone` only so that messages with it can be received in \
         several executions"
    );
}

/// The last part of a type's name, without the modules in front: `Vote`, `Option<Vote>`.
pub(crate) fn short_type_name(full: &str) -> String {
    let mut short = String::with_capacity(full.len());
    let mut word = String::new();
    let mut rest = full.chars().peekable();
    while let Some(c) = rest.next() {
        if c == ':' && rest.peek() == Some(&':') {
            rest.next();
            word.clear();
        } else if c.is_alphanumeric() || c == '_' {
            word.push(c);
        } else {
            short.push_str(&std::mem::take(&mut word));
            short.push(c);
        }
    }
    short + &word
}

#[cfg(test)]
mod tests {
    use super::short_type_name;

    #[test]
    fn module_paths_are_left_out() {
        assert_eq!(short_type_name("lock::Request"), "Request");
        assert_eq!(
            short_type_name("core::option::Option<a::b::Vote>"),
            "Option<Vote>"
        );
        assert_eq!(
            short_type_name("(u32, alloc::string::String)"),
            "(u32, String)"
        );
        assert_eq!(short_type_name("&str"), "&str");
    }
}
