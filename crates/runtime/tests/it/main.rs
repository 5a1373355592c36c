//! Generated-shape programs on the transports, and what happens when something breaks.

mod on_threads;
mod shapes;
