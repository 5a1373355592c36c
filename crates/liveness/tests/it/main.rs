//! Liveness, compared with an independent decision.

mod notions;
mod oracle;
mod programs;
mod random_programs;
