//! Why processes have no action system, and where that stands in the text.

use plainsong_diagnostics::Span;
use std::fmt;

/// Why there is no action system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The song has no processes.
    NoProcesses,
    /// There are faults; the first is declared there.
    Faults(Span),
    /// A process of this name has a body.
    Body(String, Span),
    /// The handlers of this message ask who sent it, and several may have.
    UnclearSender(String, Span),
    /// A handler names its sender by a value.
    SenderValue(Span),
    /// This message is sent to an address that is a value.
    AddressValue(String, Span),
    /// A loop over elements that have an order, or some of which are left out by what may change.
    Elements(Span),
    /// A loop with communications in it has an invariant or a measure.
    Annotated(Span),
    /// A statement that bodies do not have.
    Statement(Span),
    /// A process remembers, under this name, who sent a message.
    KeptAddress(String, Span),
    /// A body is too long.
    TooMuch,
    /// A message is sent to a family that does not handle it.
    Unhandled {
        /// The kind of message.
        message: String,
        family: String,
        /// Where the receiver is named.
        span: Span,
    },
}

impl Refusal {
    /// Where the reason stands in the text.
    pub fn span(&self) -> Span {
        match self {
            Refusal::NoProcesses | Refusal::TooMuch => Span::default(),
            Refusal::Faults(span)
            | Refusal::Elements(span)
            | Refusal::Annotated(span)
            | Refusal::Statement(span)
            | Refusal::KeptAddress(_, span)
            | Refusal::Body(_, span)
            | Refusal::UnclearSender(_, span)
            | Refusal::SenderValue(span)
            | Refusal::AddressValue(_, span)
            | Refusal::Unhandled { span, .. } => *span,
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Refusal::NoProcesses => f.write_str("there are no processes"),
            Refusal::Faults(_) => f.write_str("programs with faults are not translated to actions"),
            Refusal::Body(name, _) => write!(
                f,
                "`{name}` has a body; only processes with handlers are translated to actions"
            ),
            Refusal::UnclearSender(name, _) => write!(
                f,
                "the handlers of `{name}` ask who sent it, and not only one family does"
            ),
            Refusal::SenderValue(_) => {
                f.write_str("a handler asks for a sender that is not written out")
            }
            Refusal::AddressValue(name, _) => {
                write!(f, "`{name}` is sent to an address that is not written out")
            }
            Refusal::Elements(_) => f.write_str(
                "a loop with sends or receives in it is over elements that have an order, or are left out by what may change",
            ),
            Refusal::Annotated(_) => {
                f.write_str("a loop with sends or receives in it has an invariant or a measure")
            }
            Refusal::Statement(_) => f.write_str("bodies do not have this statement"),
            Refusal::KeptAddress(name, _) => {
                write!(f, "`{name}` is a sender that the process remembers for later steps")
            }
            Refusal::TooMuch => f.write_str("a body has too many ways from one message to the next"),
            Refusal::Unhandled {
                message, family, ..
            } => write!(
                f,
                "`{message}` is sent to `{family}`, which does not handle it"
            ),
        }
    }
}
