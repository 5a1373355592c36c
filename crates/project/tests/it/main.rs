//! Projection against the interpreter.

mod corpus;
mod external;
mod fixes;
mod kept;
mod premises;
mod random;
mod repairs;
mod same_ends;
mod same_seed;
mod wire;
