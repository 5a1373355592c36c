//! Errors that several channels have: alike, but each channel has its own, as in tokio, so that code
//! which converts them one by one compiles.

/// A message that could not be sent, given back.
macro_rules! send_error {
    ($(#[$doc:meta])*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub struct SendError<T>(pub T);

        impl<T> std::fmt::Debug for SendError<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("SendError { .. }")
            }
        }

        impl<T> std::fmt::Display for SendError<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("channel closed")
            }
        }

        impl<T> std::error::Error for SendError<T> {}
    };
}
pub(super) use send_error;

/// There is nothing to come.
macro_rules! recv_error {
    ($(#[$doc:meta])*) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct RecvError(pub(super) ());

        impl std::fmt::Display for RecvError {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("channel closed")
            }
        }

        impl std::error::Error for RecvError {}
    };
}
pub(super) use recv_error;
