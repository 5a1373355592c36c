//! `examples/swap.song`: two endpoints exchange their values.

use plainsong_runtime::value::Int;
use plainsong_runtime::{Error, Net, Protocol, Role, Rx, Tx};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The protocol.
pub(crate) struct Swap;

/// The values to begin with.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Parameters {
    /// That of `a`.
    pub(crate) x: Int,
    /// That of `b`.
    pub(crate) y: Int,
}

/// How an endpoint ends.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Pair {
    /// Its value.
    pub(crate) v: Int,
    /// What it put aside.
    pub(crate) t: Int,
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "v = {}, t = {}", self.v, self.t)
    }
}

const A: Role = 0;
const B: Role = 1;

fn play_a<N: Net>(net: &mut N, parameters: &Parameters) -> Result<Pair, Error> {
    let mut to_b = net.tx::<Int>(B, 0)?;
    let mut from_b = net.rx::<Int>(B, 0)?;
    let t = parameters.x; // a.t = a.v
    let v = from_b.recv(1)?; // a.v = b.t
    to_b.send(2, t)?; // b.v = a.t
    Ok(Pair { v, t })
}

fn play_b<N: Net>(net: &mut N, parameters: &Parameters) -> Result<Pair, Error> {
    let mut to_a = net.tx::<Int>(A, 0)?;
    let mut from_a = net.rx::<Int>(A, 0)?;
    let t = parameters.y; // b.t = b.v
    to_a.send(1, t)?; // a.v = b.t
    let v = from_a.recv(2)?; // b.v = a.t
    Ok(Pair { v, t })
}

impl Protocol for Swap {
    const NAME: &'static str = "swap";
    const HASH: u64 = 0x1f2e_3d4c_5b6a_7988;
    type Parameters = Parameters;
    type State = Pair;

    fn parameters(&self) -> Parameters {
        Parameters { x: 10, y: 20 }
    }

    fn set(&self, parameters: &mut Parameters, name: &str, value: &str) -> Result<(), String> {
        let value = value.parse().map_err(|_| format!("`{value}` is no int"))?;
        match name {
            "x" => parameters.x = value,
            "y" => parameters.y = value,
            _ => return Err(format!("there is no parameter `{name}`")),
        }
        Ok(())
    }

    fn roles(&self, _parameters: &Parameters) -> Result<Vec<String>, Error> {
        Ok(vec!["a".to_owned(), "b".to_owned()])
    }

    fn play<N: Net>(
        &self,
        role: Role,
        net: &mut N,
        parameters: &Parameters,
    ) -> Result<Pair, Error> {
        if role == A {
            play_a(net, parameters)
        } else {
            play_b(net, parameters)
        }
    }
}
