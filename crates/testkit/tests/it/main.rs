//! Tests of the instruments, and tests made with them.

mod book;
mod build;
mod choreographies;
mod corpus;
mod delivery_models;
mod enumerate;
mod explorer_agrees;
mod interpreter_agrees;
mod negatives;
mod plain_check;
mod processes_agree;
mod races;
mod random_executions_agree;
mod random_song;
mod round_trip;
mod schedules_at_size_three;
mod song_and_rust_counts;
mod states_agree;
