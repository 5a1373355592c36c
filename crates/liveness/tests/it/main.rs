//! Liveness, compared with an independent decision.

mod oracle;
mod programs;
mod random_programs;
