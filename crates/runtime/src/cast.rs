//! What all roles of one run have to agree on before the first message.

use std::fmt;
use std::ops::Range;

/// The number of a role: its place in the [`Cast`], from 0.
pub type Role = usize;

/// The roles of one run of a protocol, members of families one by one.
///
/// ```
/// use plainsong_runtime::Cast;
///
/// let commit = Cast::new("commit", 0x5eed, ["coordinator", "server[0]", "server[1]"]);
/// assert_eq!(commit.role("server[1]"), Some(2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cast {
    protocol: String,
    hash: u64,
    roles: Vec<String>,
    given: String,
    /// Which groups of roles exchange messages; without it, any two roles may.
    links: Option<Vec<Link>>,
}

/// Two groups of roles: a member of one and a member of the other may exchange messages, in either direction.
pub type Link = (Range<Role>, Range<Role>);

impl Cast {
    /// The roles of a protocol; its name, and a digest of its text.
    pub fn new<R: Into<String>>(
        protocol: impl Into<String>,
        hash: u64,
        roles: impl IntoIterator<Item = R>,
    ) -> Cast {
        Cast {
            protocol: protocol.into(),
            hash,
            roles: roles.into_iter().map(Into::into).collect(),
            given: String::new(),
            links: None,
        }
    }

    /// Only members of these groups exchange messages: nobody else is connected to each other.
    ///
    /// ```
    /// use plainsong_runtime::Cast;
    ///
    /// let star = Cast::new("star", 1, ["hub", "a", "b"]).linked([(0..1, 1..3)]);
    /// assert!(star.are_linked(2, 0) && !star.are_linked(1, 2));
    /// ```
    #[must_use]
    pub fn linked(mut self, links: impl IntoIterator<Item = Link>) -> Cast {
        self.links = Some(links.into_iter().collect());
        self
    }

    /// May the two roles exchange messages? A role may always send to itself.
    pub fn are_linked(&self, one: Role, other: Role) -> bool {
        let Some(links) = &self.links else {
            return true;
        };
        let joins = |(left, right): &Link| {
            (left.contains(&one) && right.contains(&other))
                || (left.contains(&other) && right.contains(&one))
        };
        one == other || links.iter().any(joins)
    }

    /// With what the run was given, as people read it: parameters, a seed. Programs that were given something else
    /// do not talk.
    #[must_use]
    pub fn given(mut self, what: impl Into<String>) -> Cast {
        self.given = what.into();
        self
    }

    /// What the run was given.
    pub fn what_was_given(&self) -> &str {
        &self.given
    }

    /// What the protocol is called.
    pub fn protocol(&self) -> &str {
        &self.protocol
    }

    /// A digest of the text of the protocol: programs with different ones do not talk.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The names of the roles, in order.
    pub fn roles(&self) -> &[String] {
        &self.roles
    }

    /// How many roles there are.
    pub fn size(&self) -> usize {
        self.roles.len()
    }

    /// The number of the role of this name.
    pub fn role(&self, name: &str) -> Option<Role> {
        self.roles.iter().position(|role| role == name)
    }

    /// The name of a role; a number that is none is named as such.
    pub fn name(&self, role: Role) -> String {
        match self.roles.get(role) {
            Some(name) => name.clone(),
            None => format!("role number {role}"),
        }
    }
}

impl fmt::Display for Cast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({:016x})", self.protocol, self.hash)
    }
}

/// A digest of texts, for [`Cast::new`]: the same on every machine. (FNV-1a; it guards against mistakes, not
/// against malice.)
///
/// ```
/// use plainsong_runtime::digest;
///
/// assert_eq!(digest(["a", "bc"]), digest(["a", "bc"]));
/// assert_ne!(digest(["a", "bc"]), digest(["ab", "c"]));
/// ```
pub fn digest<'a>(texts: impl IntoIterator<Item = &'a str>) -> u64 {
    let mut digest: u64 = 0xcbf2_9ce4_8422_2325;
    for text in texts {
        for byte in text.bytes().chain([0]) {
            digest = (digest ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    digest
}
