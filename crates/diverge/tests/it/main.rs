//! What never terminates: agreement with deciding by brute force, and single programs.

mod decision;
mod integers;
mod odd;
mod paper;
mod programs;
mod random;
mod translate;
