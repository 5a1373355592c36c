//! What a generated program says about itself.

use crate::cast::{Cast, Link, Role};
use crate::error::Error;
use crate::net::Net;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::{Debug, Display};

/// A generated protocol. A value and not only a type, because it carries the external functions, if
/// there are any.
pub trait Protocol: Send + Sync + 'static {
    /// What it is called.
    const NAME: &'static str;
    /// A digest of the text that it was made from: programs with different ones do not talk.
    const HASH: u64;
    /// What a run is given: sizes and parameters.
    type Parameters: Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// How a role can end.
    type State: Clone + Debug + Display + PartialEq + Serialize + DeserializeOwned + Send + 'static;

    /// The parameters of a run that says nothing about them.
    fn parameters(&self) -> Self::Parameters;

    /// Sets one parameter from its text.
    ///
    /// # Errors
    ///
    /// With a sentence for people, when there is no such parameter, or when the text is none of its
    /// values.
    fn set(&self, parameters: &mut Self::Parameters, name: &str, value: &str)
    -> Result<(), String>;

    /// The names of the roles; the position of a name is the number of the role.
    ///
    /// # Errors
    ///
    /// When the parameters do not make sense.
    fn roles(&self, parameters: &Self::Parameters) -> Result<Vec<String>, Error>;

    /// Which groups of roles exchange messages. Without an answer, any two roles may.
    ///
    /// # Errors
    ///
    /// When the parameters do not make sense.
    fn links(&self, _parameters: &Self::Parameters) -> Result<Option<Vec<Link>>, Error> {
        Ok(None)
    }

    /// Plays one role.
    ///
    /// # Errors
    ///
    /// When a peer is gone, or when the code does something that has no meaning.
    fn play<N: Net>(
        &self,
        role: Role,
        net: &mut N,
        parameters: &Self::Parameters,
    ) -> Result<Self::State, Error>;

    /// The roles of a run, with what identifies the protocol.
    ///
    /// # Errors
    ///
    /// As [`Protocol::roles`].
    fn cast(&self, parameters: &Self::Parameters) -> Result<Cast, Error> {
        let cast = Cast::new(Self::NAME, Self::HASH, self.roles(parameters)?);
        let cast = cast.given(format!("{parameters:?}"));
        Ok(match self.links(parameters)? {
            Some(links) => cast.linked(links),
            None => cast,
        })
    }
}
