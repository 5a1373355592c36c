//! The studio, opened in this process: who is let in, what is answered, and what a browser makes of it.

mod browser;
mod served;
mod serving;
