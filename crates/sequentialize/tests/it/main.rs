//! Tests of the search for a line.

mod conversations;
mod corpus;
mod endings;
mod not_covered;
mod oracle;
mod plays;
mod protocol_text;
mod protocols;
mod random;
mod rings;
mod rounds;
