//! Walks over expressions and statements.
