//! The language server over the whole corpus, and over its protocol.

mod broken;
mod client;
mod corpus;
mod grammar;
mod latency;
mod names;
mod protocol;
mod stepping;
