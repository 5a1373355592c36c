//! Where the server is, and with which credentials one may use it.
//!
//! Credentials come from the environment or from files that it names, never from the command line, where everybody on the machine
//! can read them; an address with a password in it is refused. They are part of no record and of no message.

use crate::names::is_name;
use async_nats::{Client, ConnectError, ConnectErrorKind, ConnectOptions, ServerAddr};
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// How long a server has to answer at first.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long it has to answer a request later.
const REQUEST: Duration = Duration::from_secs(3);
/// How long a client waits before it tries to connect again.
const AGAIN: Duration = Duration::from_millis(250);

/// What went wrong, and what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// What went wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl Trouble {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Trouble {
            message: message.into(),
            help: None,
        }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// A server, and how to get in.
#[derive(Clone, Default)]
pub struct Server {
    /// `nats://HOST:PORT`, or `tls://…`; several, with commas between them.
    pub url: String,
    /// What the names of all streams, buckets and subjects begin with.
    pub prefix: String,
    user: Option<String>,
    password: Option<String>,
    token: Option<String>,
    /// A file of credentials, as `nsc` writes them.
    credentials: Option<PathBuf>,
    /// Certificates of authorities, beside those of the system.
    authority: Option<PathBuf>,
    /// On how many servers of a cluster everything is kept.
    pub(crate) replicas: usize,
    /// The client's own certificate, and its key.
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
}

/// What can be said without anybody's password.
impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Server({}, {})", self.url, self.prefix)
    }
}

/// The names of the environment's variables.
const VARIABLES: &str = "PLAINSONG_SWARM_USER and PLAINSONG_SWARM_PASSWORD, PLAINSONG_SWARM_TOKEN, or \
    PLAINSONG_SWARM_CREDENTIALS (a file)";

impl Server {
    /// The server at this address, with what the environment says about it.
    pub fn from_environment(url: &str) -> Result<Self, Trouble> {
        Server::new(url, |name| std::env::var(name).ok())
    }

    /// The server at this address, with what the variables of this environment say.
    pub fn new(url: &str, variable: impl Fn(&str) -> Option<String>) -> Result<Self, Trouble> {
        let said = |name: &str| {
            let value = variable(&format!("PLAINSONG_SWARM_{name}"));
            value.filter(|value| !value.is_empty())
        };
        let path = |name: &str| said(name).map(PathBuf::from);
        let server = Server {
            url: url.to_owned(),
            prefix: said("PREFIX").unwrap_or_else(|| "plainsong".to_owned()),
            user: said("USER"),
            password: said("PASSWORD"),
            token: said("TOKEN"),
            credentials: path("CREDENTIALS"),
            authority: path("CA"),
            replicas: said("REPLICAS")
                .and_then(|number| number.parse().ok())
                .unwrap_or(1),
            certificate: path("CERT"),
            key: path("KEY"),
        };
        for address in url.split(',') {
            let parsed: Result<ServerAddr, _> = address.parse();
            let parsed = parsed.map_err(|error| {
                let address = without_password(address);
                Trouble::new(format!("`{address}` is no address of a server: {error}"))
                    .help("for example `nats://127.0.0.1:4222`")
            })?;
            if parsed.has_user_pass() {
                return Err(Trouble::new(
                    "an address on the command line is no place for credentials: everybody on the machine can read it",
                )
                .help(format!("set {VARIABLES}")));
            }
        }
        if !is_name(&server.prefix) {
            return Err(Trouble::new("PLAINSONG_SWARM_PREFIX is no prefix")
                .help("letters, digits, `-` and `_`, at most 64 of them"));
        }
        if server.certificate.is_some() != server.key.is_some() {
            return Err(Trouble::new(
                "PLAINSONG_SWARM_CERT and PLAINSONG_SWARM_KEY belong together",
            ));
        }
        Ok(server)
    }

    /// Connects; a server that goes away later is waited for.
    pub(crate) async fn connect(&self) -> Result<Client, Trouble> {
        let mut options = ConnectOptions::new()
            .name("plainsong")
            .connection_timeout(PATIENCE)
            .request_timeout(Some(REQUEST))
            .reconnect_delay_callback(|_| AGAIN);
        match (&self.user, &self.password) {
            (Some(user), Some(password)) => {
                options = options.user_and_password(user.clone(), password.clone());
            }
            (None, None) => {}
            _ => {
                return Err(Trouble::new(
                    "PLAINSONG_SWARM_USER and PLAINSONG_SWARM_PASSWORD belong together",
                ));
            }
        }
        if let Some(token) = &self.token {
            options = options.token(token.clone());
        }
        if let Some(path) = &self.credentials {
            options = options.credentials_file(path).await.map_err(|error| {
                let path = path.display();
                Trouble::new(format!("cannot read the credentials in {path}: {error}"))
            })?;
        }
        if let Some(path) = &self.authority {
            options = options.add_root_certificates(path.clone());
        }
        if let (Some(certificate), Some(key)) = (&self.certificate, &self.key) {
            options = options.add_client_certificate(certificate.clone(), key.clone());
        }
        let addresses: Vec<&str> = self.url.split(',').collect();
        options
            .connect(addresses.as_slice())
            .await
            .map_err(|error| self.refused(&error))
    }

    fn refused(&self, error: &ConnectError) -> Trouble {
        let url = &self.url;
        match error.kind() {
            ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
                Trouble::new(format!("the server at {url} refuses these credentials"))
                    .help(format!("set {VARIABLES}"))
            }
            ConnectErrorKind::Tls => {
                Trouble::new(format!("no TLS connection to {url}: {error}")).help(
                    "PLAINSONG_SWARM_CA names a file with the certificate of the server's authority",
                )
            }
            _ => Trouble::new(format!("no NATS server answers at {url}: {error}"))
                .help("start one: `nats-server --jetstream --store_dir DIR`"),
        }
    }
}

fn without_password(address: &str) -> &str {
    address.rsplit_once('@').map_or(address, |(_, host)| host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_on_the_command_line_is_refused_and_not_repeated() {
        let refused = Server::new("nats://me:secret@host:4222", |_| None).expect_err("a password");
        assert!(!format!("{refused:?}").contains("secret"));
        let refused = Server::new("nats://me:secret@host:port", |_| None).expect_err("no port");
        assert!(!format!("{refused:?}").contains("secret"));
    }

    #[test]
    fn what_the_environment_says_is_not_shown() {
        let server = Server::new("nats://host:4222", |name| {
            (name == "PLAINSONG_SWARM_TOKEN").then(|| "secret".to_owned())
        });
        let server = server.expect("an address");
        assert_eq!(server.token.as_deref(), Some("secret"));
        assert!(!format!("{server:?}").contains("secret"));
    }
}
