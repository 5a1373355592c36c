//! Tests of the data types' companions: printer, validator, walks, patterns.

mod finiteness;
mod limits;
mod make;
mod names;
mod patterns;
mod printing;
mod validation;
mod walking;
