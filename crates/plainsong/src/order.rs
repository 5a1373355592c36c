//! Orders of delivery of one's own.
//!
//! The engine asks one question about two messages, so a model is one function, and every such
//! function is a model that can be explored exactly: see [`plainsong_explore::Model::Custom`] for the
//! argument. Two requirements are left that a type cannot express, that the answer never changes and
//! that it does not panic: the first is checked by [`check_order`](crate::check_order), the second is
//! noticed and reported as a failure.
//!
//! Rejected: a predicate over whole executions. It would express a few models more (a network that
//! reorders at most so many messages), but most predicates break one of the requirements on models,
//! and then the search misses executions without anybody noticing.

use crate::failure::{Failure, FailureKind};
use crate::message::{AnyMessage, Envelope, short_type_name};
use crate::panics::{self, Detail};
use crate::shared_context::World;
pub use plainsong_explore::Earlier;
use std::any::Any;
use std::borrow::Cow;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// An order in which messages arrive: implement it for a model of your own, and use it as
/// [`Delivery::Custom`](crate::Delivery::Custom).
///
/// It is about messages to one mailbox that a receive would accept. Whatever you say, the exploration
/// is exact; [`check_order`](crate::check_order) checks the one thing that you could do wrong.
/// Messages of one order constrain each other, whichever value of its type they were sent with;
/// messages of different orders do not. [`Delivery`](crate::Delivery) itself is an order, and so is a
/// function.
///
/// ```
/// use plainsong::{choose, receive, send, spawn, AnyMessage, Delivery, Earlier, Explorer, Order};
///
/// /// Urgent messages are a queue in shared memory; the others arrive when they arrive.
/// struct Express;
///
/// impl Order for Express {
///     fn keeps(&self, earlier: &AnyMessage, later: &AnyMessage) -> bool {
///         let urgent = |message: &AnyMessage| message.get() == Some(&"urgent");
///         urgent(earlier) && urgent(later)
///     }
///
///     fn earlier(&self) -> Earlier {
///         Earlier::Globally
///     }
/// }
///
/// plainsong::check_order(&Express, &["urgent", "other"]).unwrap();
/// let report = Explorer::new().delivery(Delivery::Custom(&Express)).run(|| {
///     let receiver = spawn(|| [(); 4].map(|()| receive::<&str>()));
///     for message in ["urgent", "other", "urgent", "urgent"] {
///         send(receiver.process(), message);
///     }
///     receiver.join();
/// });
/// assert_eq!(report.executions, 4); // the other one is first, second, third or last
/// ```
pub trait Order: Any + Send + Sync {
    /// Of two messages to one mailbox, `earlier` sent before `later`, must `later` not overtake?
    ///
    /// The answer may depend on the two messages only: on value, type, sender and tag.
    fn keeps(&self, earlier: &AnyMessage, later: &AnyMessage) -> bool;

    /// What "sent before" means. Must always be the same.
    fn earlier(&self) -> Earlier {
        Earlier::Causally
    }

    /// What to call it: the name of its type if you do not say otherwise.
    fn name(&self) -> Cow<'static, str> {
        short_type_name(std::any::type_name::<Self>()).into()
    }
}

impl<F: Fn(&AnyMessage, &AnyMessage) -> bool + Any + Send + Sync> Order for F {
    fn keeps(&self, earlier: &AnyMessage, later: &AnyMessage) -> bool {
        self(earlier, later)
    }
}

impl fmt::Debug for dyn Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

/// Of two messages with orders of their own, must `later` not overtake? An order that panics keeps
/// nothing; the panic is kept for the report.
pub(crate) fn keeps(earlier: &Rc<Envelope>, later: &Rc<Envelope>) -> bool {
    let (Some(first), Some(order)) = (earlier.order, later.order) else {
        return false;
    };
    if (first as &dyn Any).type_id() != (order as &dyn Any).type_id() {
        return false;
    }
    let _recording = panics::record(Detail::Place);
    let (earlier, later) = (Rc::clone(earlier), Rc::clone(later));
    catch_unwind(AssertUnwindSafe(|| {
        order.keeps(&AnyMessage(earlier), &AnyMessage(later))
    }))
    .unwrap_or_else(|payload| {
        if let Some(world) = World::current() {
            let caught = panics::caught(&*payload);
            let message = format!("the order of delivery {order:?} panics: {}", caught.message);
            let failure = Failure::plain(FailureKind::Panic, message, caught.location);
            world.complaint.replace(Some(failure));
        }
        false
    })
}
