//! The crate as its users see it: counts, failures, pictures, replays.

mod async_select;
mod atomics;
mod channels;
mod condvars;
mod defects;
mod determinism;
mod endurance;
mod failures;
mod families;
mod futures;
mod litmus;
mod locks;
mod monitor_orders;
mod monitors;
mod mutexes;
mod operations;
mod oracle;
mod orders;
mod pictures;
mod random;
mod replays;
mod restarts;
mod script;
mod std_channels;
mod threads;
