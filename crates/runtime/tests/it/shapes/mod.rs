//! Two programs written by hand in exactly the shape that `plainsong project` generates. Every
//! transport runs them, and they have to end alike.

pub(crate) mod commit;
pub(crate) mod swap;
