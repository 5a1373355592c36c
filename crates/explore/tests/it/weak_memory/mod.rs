//! Weak memory: the classic litmus tests, and random programs against an enumerator of RC11.

mod enumerator;
mod litmus;
mod program;
mod random;
