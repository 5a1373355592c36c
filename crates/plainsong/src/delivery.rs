//! In which order messages may arrive.

use crate::message::AnyMessage;
use crate::order::Order;
use plainsong_explore::{Earlier, Model};
use std::borrow::Cow;

/// In which order messages may arrive.
///
/// The order concerns messages to one mailbox that a receive would accept: what it does not want
/// holds nothing up. Each message has its own order, so several can be mixed in one program; they
/// do not constrain one another.
///
/// | order | a message may not overtake |
/// |---|---|
/// | `Unordered` | (it may overtake all) |
/// | `Fifo` | an older one of the same sender: TCP |
/// | `Causal` | one that was sent causally earlier, by whomever |
/// | `Mailbox` | one that was sent earlier, in one order of all sends: a queue in shared memory |
///
/// ```
/// use plainsong::{receive, send, spawn, Delivery, Explorer};
///
/// let two_messages = || {
///     let receiver = spawn(|| (receive::<u32>(), receive::<u32>()));
///     send(receiver.process(), 1_u32);
///     send(receiver.process(), 2_u32);
///     receiver.join();
/// };
/// let count = |delivery| Explorer::new().delivery(delivery).run(two_messages).executions;
/// assert_eq!(count(Delivery::Fifo), 1);
/// assert_eq!(count(Delivery::Unordered), 2);
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub enum Delivery {
    /// Any message may overtake any other: UDP.
    Unordered,
    /// Messages of one sender to one mailbox arrive in the order they were sent.
    #[default]
    Fifo,
    /// A message arrives after all that were sent causally before it.
    Causal,
    /// Messages arrive in the order they were sent, whoever sent them.
    Mailbox,
    /// An order of one's own: see [`Order`].
    ///
    /// ```
    /// use plainsong::{receive, send, spawn, AnyMessage, Delivery, Explorer};
    ///
    /// // Even numbers stay in order among themselves; everything else overtakes.
    /// let even_ones = Delivery::Custom(&|earlier: &AnyMessage, later: &AnyMessage| {
    ///     let even = |n: Option<&u32>| n.is_some_and(|n| n % 2 == 0);
    ///     even(earlier.get()) && even(later.get())
    /// });
    /// let report = Explorer::new().delivery(even_ones).run(|| {
    ///     let receiver = spawn(|| [(); 3].map(|()| receive::<u32>()));
    ///     for n in [2_u32, 3, 4] {
    ///         send(receiver.process(), n);
    ///     }
    ///     receiver.join();
    /// });
    /// assert_eq!(report.executions, 3);
    /// ```
    Custom(&'static dyn Order),
}

impl Delivery {
    pub(crate) fn model(self) -> Model {
        match self {
            Delivery::Unordered => Model::Unordered,
            Delivery::Fifo => Model::Fifo,
            Delivery::Causal => Model::Causal,
            Delivery::Mailbox => Model::Mailbox,
            Delivery::Custom(order) => Model::Custom(order.earlier()),
        }
    }

    pub(crate) fn order(self) -> Option<&'static dyn Order> {
        match self {
            Delivery::Custom(order) => Some(order),
            _ => None,
        }
    }
}

/// The four usual orders are orders like any other; the engine only knows them by heart.
impl Order for Delivery {
    fn keeps(&self, earlier: &AnyMessage, later: &AnyMessage) -> bool {
        match self {
            Delivery::Unordered => false,
            Delivery::Fifo => earlier.info().from() == later.info().from(),
            Delivery::Causal | Delivery::Mailbox => true,
            Delivery::Custom(order) => order.keeps(earlier, later),
        }
    }

    fn earlier(&self) -> Earlier {
        match self {
            Delivery::Unordered | Delivery::Fifo | Delivery::Causal => Earlier::Causally,
            Delivery::Mailbox => Earlier::Globally,
            Delivery::Custom(order) => order.earlier(),
        }
    }

    /// As in a saved trace.
    fn name(&self) -> Cow<'static, str> {
        match self {
            Delivery::Unordered => "unordered".into(),
            Delivery::Fifo => "fifo".into(),
            Delivery::Causal => "causal".into(),
            Delivery::Mailbox => "mailbox".into(),
            Delivery::Custom(order) => order.name(),
        }
    }
}
