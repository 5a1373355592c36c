//! Tests of the engine against an independent enumerator and against known counts.

mod families;
mod known;
mod oracle;
mod parallel;
mod pct;
mod random;
mod script;
mod slices;
mod twins;
mod weak_memory;
