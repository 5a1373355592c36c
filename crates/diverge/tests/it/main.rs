//! What never comes to rest: agreement with deciding by brute force, and single programs.

mod decision;
mod programs;
mod random;
