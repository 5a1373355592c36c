//! Executions in the formats of other tools: text diagrams, state sequences, logs with clocks.
//!
//! Each is a function from a saved trace to text. Nothing is lost that the format has a place for, and
//! nothing is invented: the states are those that the trace tells.

mod itf;
mod json;
mod mermaid;
mod plantuml;
mod shiviz;
mod value;

pub use itf::itf;
pub use json::json;
pub use mermaid::mermaid;
pub use plantuml::plantuml;
pub use shiviz::shiviz;
