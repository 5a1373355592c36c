//! What tasks share: channels and locks.
//!
//! Each behaves as if all operations on all of them happened in one order, which everybody agrees on:
//! they live in one memory, where nothing is late and nothing overtakes. So `try_recv` finds a message
//! that was sent before, and `send` fails after the receiver was dropped; where two operations race,
//! both outcomes are explored.

pub mod mpsc;
pub mod oneshot;
mod post;
