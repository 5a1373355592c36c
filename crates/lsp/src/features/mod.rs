//! What the server answers, one file per kind of request. All of them are functions of a document.

pub mod actions;
pub mod completion;
pub mod highlight;
pub mod hints;
pub mod hover;
pub mod keywords;
pub mod lenses;
pub mod mistakes;
pub mod navigation;
pub mod outline;
pub mod rename;
pub mod stepping;
