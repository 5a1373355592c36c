//! Failures, made where they happen.

use crate::trace::{Failure, FailureKind};
use plainsong_diagnostics::Span;

/// An operation without a result.
pub(crate) fn undefined(span: Span, message: impl Into<String>) -> Failure {
    Failure {
        kind: FailureKind::Undefined,
        message: message.into(),
        span,
    }
}

/// A limit of the interpreter.
pub(crate) fn resource(span: Span, message: impl Into<String>) -> Failure {
    Failure {
        kind: FailureKind::Resource,
        message: message.into(),
        span,
    }
}
