//! Generated-shape programs on the transports, and what happens when something breaks.

mod in_the_simulator;
mod on_threads;
mod shapes;
