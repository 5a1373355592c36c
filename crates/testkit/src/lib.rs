//! Test instruments.

pub mod book;
pub mod corpus;
pub mod enumerate;
pub mod random_song;
