//! Who is let in: whoever knows the token, from a page of ours.
//!
//! Other programs of the same user could read the token anyway; it keeps out other users of the machine and pages of
//! other origins in the same browser. A name that an attacker's server resolves to 127.0.0.1 (DNS rebinding) does not
//! help either: `Host` has to be ours.

use crate::http::Request;
use std::io;

/// The header in which the page repeats its token.
const HEADER: &str = "x-plainsong-token";

/// What is asked of every request.
#[derive(Debug)]
pub(crate) struct Gate {
    token: String,
    port: u16,
}

impl Gate {
    /// With a fresh token of 128 bits.
    pub(crate) fn new(port: u16) -> io::Result<Gate> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
        let token = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Gate { token, port })
    }

    /// The address with the token.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}/?token={}", self.port, self.token)
    }

    /// May this request be answered?
    pub(crate) fn admits(&self, request: &Request) -> bool {
        let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{}", self.port));
        let host = request.header("host").unwrap_or_default();
        if !hosts.iter().any(|ours| ours == host) {
            return false;
        }
        if request
            .header("origin")
            .is_some_and(|origin| origin != format!("http://{host}"))
        {
            return false;
        }
        let shown = request.header(HEADER).map(str::to_owned);
        let shown = shown.or_else(|| request.query("token")).unwrap_or_default();
        is_same(shown.as_bytes(), self.token.as_bytes())
    }
}

/// Compared in a time that does not depend on where they differ.
fn is_same(one: &[u8], other: &[u8]) -> bool {
    let differing = one.iter().zip(other).fold(0, |all, (a, b)| all | (a ^ b));
    one.len() == other.len() && differing == 0
}
