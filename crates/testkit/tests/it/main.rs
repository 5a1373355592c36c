//! Tests of the instruments, and tests made with them.

mod build;
mod enumerate;
mod random_song;
