//! The voices of a choreography, each interpreted by itself on a transport.

use crate::line::{NoStart, failed};
use crate::wire::Letter;
use crate::{End, MOST_STEPS, end};
use plainsong_ir::{FamilyId, linked_families};
use plainsong_runtime::{Cast, Error, Link, Net, Role, Rx, Site, Tx, perform, sim, tcp, threads};
use plainsong_semantics::instance::{Instance, Member};
use plainsong_semantics::local_process::{Fate, Next, Part, Parts, Wait, Way};
use plainsong_semantics::machine::Machine;
use plainsong_semantics::sample;
use plainsong_semantics::trace::FailureKind;
use plainsong_semantics::value::Pid;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Voices that are about to begin.
#[derive(Clone, Debug)]
pub struct Voices {
    machine: Machine,
    start: Vec<Part>,
    cast: Cast,
    seed: u64,
}

impl Voices {
    /// Voices that begin as `is_wanted` says; name and hash are those of the protocol.
    pub(crate) fn new(
        machine: Machine,
        (name, hash): (String, u64),
        given: String,
        seed: u64,
        is_wanted: impl Fn(&[Part]) -> bool,
    ) -> Result<Voices, NoStart> {
        let parts = Parts::new(&machine).ok_or(NoStart::Foreign)?;
        let mut failure = None;
        for start in parts.starts() {
            match start {
                Ok(start) if is_wanted(&start) => {
                    let cast = Cast::new(name, hash, machine.lanes()).given(given);
                    let cast = match links(machine.instance()) {
                        Some(links) => cast.linked(links),
                        None => cast,
                    };
                    return Ok(Voices {
                        machine,
                        start,
                        cast,
                        seed,
                    });
                }
                Ok(_) => {}
                Err(found) => failure = Some(found),
            }
        }
        Err(failure.map_or(NoStart::Foreign, NoStart::Failed))
    }

    /// The roles.
    pub fn cast(&self) -> &Cast {
        &self.cast
    }

    /// Every voice on a thread of its own; returns how they ended, in order.
    pub fn on_threads(&self, options: &threads::Options) -> Vec<Result<End, Error>> {
        let options = threads::Options {
            seed: self.seed,
            ..options.clone()
        };
        threads::run(&self.cast, &options, |role, net| self.play(role, net))
    }

    /// Every voice over TCP on the loopback interface; returns how they ended, in order.
    pub fn over_tcp(&self, options: &tcp::Options) -> Vec<Result<End, Error>> {
        let options = self.of_tcp(options);
        tcp::run(&self.cast, &options, |role, net| self.play(role, net))
    }

    /// Every voice in the simulator, which draws turns from this number; returns how they ended, in order.
    pub fn in_the_simulator(&self, turns: u64) -> Vec<Result<End, Error>> {
        let simulation = sim::Simulation::new(&self.cast, turns).choices(self.seed);
        simulation.run(|role, net| self.play(role, net))
    }

    /// One voice, whose peers are elsewhere; the addresses are those of all roles, in order.
    ///
    /// # Errors
    ///
    /// When it does not end well.
    pub fn one_over_tcp(
        &self,
        role: Role,
        addresses: &[String],
        options: &tcp::Options,
    ) -> Result<End, Error> {
        let net = tcp::connect(&self.cast, role, addresses, &self.of_tcp(options))?;
        perform(net, |net| self.play(role, net))
    }

    /// Plays one voice on any transport.
    ///
    /// # Errors
    ///
    /// When a peer is gone, when something has no meaning, when an assertion does not hold.
    pub fn play<N: Net>(&self, role: Role, net: &mut N) -> Result<End, Error> {
        let mut voice = Voice {
            parts: Parts::new(&self.machine).ok_or_else(|| Error::misuse("these are no voices"))?,
            role,
            tx: BTreeMap::new(),
            rx: BTreeMap::new(),
        };
        let mut part = self.start[role].clone();
        for _ in 0..MOST_STEPS {
            let ways = match voice.parts.next(role, &part) {
                Next::Over => {
                    let instance = self.machine.instance();
                    let family = instance.members()[role].family;
                    return Ok(end(instance, family, |var| part.value(var)));
                }
                Next::Goes(ways) => ways,
                Next::Waits(wait) => voice.receive(&wait, net)?,
            };
            part = voice.go(ways, net)?;
        }
        Err(Error::misuse(format!(
            "it has not come to an end after {MOST_STEPS} steps"
        )))
    }

    fn of_tcp(&self, options: &tcp::Options) -> tcp::Options {
        tcp::Options {
            seed: self.seed,
            ..options.clone()
        }
    }
}

/// Which groups of roles exchange messages: members of families that do.
fn links(instance: &Instance) -> Option<Vec<Link>> {
    let members = instance.members();
    let roles = |family: FamilyId| {
        let is_member = |member: &Member| member.family == family;
        let first = members.iter().position(is_member).unwrap_or(0);
        first..first + members.iter().filter(|one| is_member(one)).count()
    };
    let pairs = linked_families(instance.song())?.into_iter();
    Some(
        pairs
            .map(|(one, other)| (roles(one), roles(other)))
            .collect(),
    )
}

/// A voice while it is played. Rows of processes are numbers of roles: there is nobody else. Links are made when they
/// are needed: of many roles, most have nothing to say to each other.
struct Voice<N: Net> {
    parts: Parts,
    role: Role,
    tx: BTreeMap<Role, N::Tx<Letter>>,
    rx: BTreeMap<Role, N::Rx<Letter>>,
}

impl<N: Net> Voice<N> {
    /// Goes one of the ways, as the free choices say.
    fn go(&mut self, ways: Vec<Way>, net: &mut N) -> Result<Part, Error> {
        let limit = ways.iter().find_map(|way| match &way.fate {
            Fate::Failed(failure) if failure.kind == FailureKind::Resource => Some(failure),
            _ => None,
        });
        if let Some(failure) = limit {
            return Err(failed(failure));
        }
        let way = sample::way(ways, |count| net.choose(0, count))?;
        let Some(way) = way else {
            return Err(Error::assumption("a process that does not wait goes on"));
        };
        match way.fate {
            Fate::Well => {}
            Fate::Discarded => return Err(Error::assumption("its `assume`s hold")),
            Fate::Failed(failure) => return Err(failed(&failure)),
            Fate::Chooses => unreachable!("these parts go from stop to stop"),
        }
        for letter in &way.sends {
            let to = letter.to.member();
            let to = to.ok_or_else(|| Error::misuse("a message to nobody"))?;
            let link = match self.tx.entry(to) {
                Entry::Occupied(link) => link.into_mut(),
                Entry::Vacant(place) => place.insert(net.tx(to, 0)?),
            };
            link.send(site(letter.kind().index()), Letter::pack(letter))?;
        }
        Ok(way.part)
    }

    /// Receives what the voice waits for.
    fn receive(&mut self, wait: &Wait, net: &mut N) -> Result<Vec<Way>, Error> {
        let awaited = self.parts.awaited(wait);
        let (&[Some(Pid::Member(from))], &[kind]) = (wait.senders(), &awaited[..]) else {
            return Err(Error::misuse(
                "a voice receives one kind of message from one process that it names",
            ));
        };
        let link = match self.rx.entry(from as usize) {
            Entry::Occupied(link) => link.into_mut(),
            Entry::Vacant(place) => place.insert(net.rx(from as usize, 0)?),
        };
        let letter = link.recv(site(kind.index()))?;
        let letter = letter
            .unpack(&self.parts, from as usize, self.role)
            .filter(|letter| letter.kind() == kind && self.parts.wants(wait, letter));
        let letter = letter.ok_or_else(|| {
            Error::misuse("what came is not what is waited for: the peer is another program")
        })?;
        Ok(self.parts.take(wait, &letter).ways)
    }
}

/// The site of a kind of message: kinds are places of the line. Counted from 1.
fn site(kind: usize) -> Site {
    Site::try_from(kind + 1).unwrap_or(Site::MAX)
}
