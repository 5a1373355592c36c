//! A simulator: roles take turns, and a seed decides whose turn it is.
//!
//! Only one role runs at a time. Before each send, receive and choice it hands its turn to the
//! simulator, which draws the next one among those that can go on. So one seed gives one interleaving,
//! a failure can be run again, and that everybody waits is noticed and told. A role can be made to
//! crash after a number of operations.
//!
//! Roles are threads, because their code blocks in the middle; but they never run at the same time,
//! except before their first operation, where they cannot see each other.

mod stage;

use crate::cast::{Cast, Role};
use crate::error::{Doing, Error, Fault};
use crate::net::{Net, Payload, Rx, Site, Tx};
use crate::oracle::Oracle;
use crate::protocol::Protocol;
use crate::threads::{no_such_role, not_linked, on_threads};
use stage::{Key, Parcel, Stage, Wake};
use std::marker::PhantomData;
use std::sync::Arc;

pub use stage::{Act, Deed};

/// A simulation to be run.
#[derive(Debug)]
pub struct Simulation {
    cast: Cast,
    seed: u64,
    stage: Arc<Stage>,
}

/// Runs every role under the simulator; returns how they ended, in order.
pub fn run<R: Send>(
    cast: &Cast,
    seed: u64,
    program: impl Fn(Role, &mut SimNet) -> Result<R, Error> + Sync,
) -> Vec<Result<R, Error>> {
    Simulation::new(cast, seed).run(program)
}

/// Runs a generated program under the simulator; returns how its roles ended, in order.
///
/// # Errors
///
/// When the parameters do not make sense.
pub fn run_protocol<P: Protocol>(
    protocol: &P,
    parameters: &P::Parameters,
    seed: u64,
) -> Result<Vec<Result<P::State, Error>>, Error> {
    let cast = protocol.cast(parameters)?;
    Ok(run(&cast, seed, |role, net| {
        protocol.play(role, net, parameters)
    }))
}

impl Simulation {
    /// A simulation. Turns and free choices are drawn from the seed; choices are those of the other
    /// transports with this seed.
    pub fn new(cast: &Cast, seed: u64) -> Simulation {
        Simulation {
            cast: cast.clone(),
            seed,
            stage: Arc::new(Stage::new(cast, seed)),
        }
    }

    /// Free choices come from this seed, not from the one of the turns.
    #[must_use]
    pub fn choices(mut self, seed: u64) -> Simulation {
        self.seed = seed;
        self
    }

    /// The role crashes instead of its next operation after this many.
    #[must_use]
    pub fn crash(self, role: Role, after: usize) -> Simulation {
        self.stage.crash(role, after);
        self
    }

    /// Runs every role; returns how they ended, in order.
    pub fn run<R: Send>(
        &self,
        program: impl Fn(Role, &mut SimNet) -> Result<R, Error> + Sync,
    ) -> Vec<Result<R, Error>> {
        let net = |me| SimNet {
            me,
            stage: Arc::clone(&self.stage),
            oracle: Oracle::new(self.seed, me),
        };
        let nets = (0..self.cast.size()).map(net).collect();
        on_threads(&self.cast, nets, Ok, program)
    }

    /// What was done, in the order in which it was done.
    pub fn acts(&self) -> Vec<Act> {
        self.stage.acts()
    }
}

/// What one role has of the others in a simulation.
#[derive(Debug)]
pub struct SimNet {
    me: Role,
    stage: Arc<Stage>,
    oracle: Oracle,
}

/// The sending end of a simulated link.
#[derive(Debug)]
pub struct SimTx<T> {
    key: Key,
    stage: Arc<Stage>,
    of: PhantomData<fn(T)>,
}

/// The receiving end of a simulated link.
#[derive(Debug)]
pub struct SimRx<T> {
    key: Key,
    stage: Arc<Stage>,
    of: PhantomData<fn() -> T>,
}

impl<T: Payload> Tx<T> for SimTx<T> {
    fn send(&mut self, site: Site, value: T) -> Result<(), Error> {
        self.stage.turn(self.key.from)?;
        let parcel = Parcel {
            site,
            value: Box::new(value),
        };
        self.stage
            .send(self.key, parcel)
            .map_err(|why| self.stage.gone(self.key.to, Doing::Sending(site), why))
    }
}

impl<T: Payload> Rx<T> for SimRx<T> {
    fn recv(&mut self, site: Site) -> Result<T, Error> {
        let Key { from, to, kind } = self.key;
        self.stage.turn(to)?;
        let parcel = match self.stage.receive(self.key, site) {
            Wake::Parcel(parcel) => parcel,
            Wake::Gone(why) => return Err(self.stage.gone(from, Doing::Receiving(site), why)),
            Wake::Deadlock => {
                return Err(Error::from(Fault::Deadlock {
                    peer: self.stage.cast().name(from),
                    site,
                }));
            }
        };
        if parcel.site != site {
            return Err(Error::from(Fault::WrongSite {
                peer: self.stage.cast().name(from),
                expected: site,
                found: parcel.site,
            }));
        }
        let value = parcel.value.downcast::<T>();
        value
            .map(|value| *value)
            .map_err(|_| crate::threads::two_types(self.stage.cast(), from, to, kind))
    }
}

impl SimNet {
    /// Is there such a role, and is this one linked with it?
    fn find(&self, role: Role) -> Result<(), Error> {
        let cast = self.stage.cast();
        if role >= cast.size() {
            return Err(no_such_role(cast, role));
        }
        match cast.are_linked(self.me, role) {
            true => Ok(()),
            false => Err(Error::misuse(not_linked(cast, self.me, role))),
        }
    }
}

impl Net for SimNet {
    type Tx<T: Payload> = SimTx<T>;
    type Rx<T: Payload> = SimRx<T>;

    fn tx<T: Payload>(&mut self, to: Role, kind: u16) -> Result<SimTx<T>, Error> {
        self.find(to)?;
        Ok(SimTx {
            key: Key {
                from: self.me,
                to,
                kind,
            },
            stage: Arc::clone(&self.stage),
            of: PhantomData,
        })
    }

    fn rx<T: Payload>(&mut self, from: Role, kind: u16) -> Result<SimRx<T>, Error> {
        self.find(from)?;
        Ok(SimRx {
            key: Key {
                from,
                to: self.me,
                kind,
            },
            stage: Arc::clone(&self.stage),
            of: PhantomData,
        })
    }

    fn choose(&mut self, site: Site, count: usize) -> Result<usize, Error> {
        self.stage.turn(self.me)?;
        let chosen = self.oracle.choose(count);
        let chosen =
            chosen.ok_or_else(|| Error::assumption("there is something to choose from"))?;
        self.stage.chose(self.me, site, chosen);
        Ok(chosen)
    }

    fn finish(self) -> Result<(), Error> {
        self.stage.end(self.me, "it came to its end".to_owned());
        self.stage.settle(self.me)
    }

    fn abandon(self, why: &Error) {
        let why = crate::error::shortened(&format!("it failed: {why}"));
        self.stage.end(self.me, why);
    }

    fn name(&self) -> String {
        self.stage.cast().name(self.me)
    }
}

impl Drop for SimNet {
    fn drop(&mut self) {
        let why = "it was given up before it came to its end";
        self.stage.end(self.me, why.to_owned());
    }
}
