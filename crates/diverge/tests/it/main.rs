//! What never comes to rest: agreement with deciding by brute force, and single programs.

mod decision;
mod integers;
mod paper;
mod programs;
mod random;
