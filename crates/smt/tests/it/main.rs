//! The real solver, on real goals. It is fetched if this machine has none.

mod corpus;
