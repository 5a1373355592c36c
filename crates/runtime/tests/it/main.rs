//! Generated-shape programs on the transports, and what happens when something breaks.

mod against_strangers;
mod from_the_command_line;
mod in_the_simulator;
mod on_threads;
mod over_tcp;
mod shapes;
mod what_nobody_receives;
mod when_tcp_breaks;
