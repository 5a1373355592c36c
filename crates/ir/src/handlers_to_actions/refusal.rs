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
    /// A message is sent to a family that does not handle it.
    Unhandled {
        /// The kind of message.
        message: String,
        /// The family.
        family: String,
        /// Where the receiver is named.
        span: Span,
    },
}

impl Refusal {
    /// Where the reason stands in the text.
    pub fn span(&self) -> Span {
        match self {
            Refusal::NoProcesses => Span::default(),
            Refusal::Faults(span)
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
            Refusal::Unhandled {
                message, family, ..
            } => write!(
                f,
                "`{message}` is sent to `{family}`, which does not handle it"
            ),
        }
    }
}
