//! Who was refused, and why: for the people on this side.
//!
//! A stranger is told nothing but that it is refused. Why it was is said here: in the error of a role that
//! waits in vain, and to whoever [listens](super::Options::on_refusal). Only so much is kept and said, whatever comes:
//! those who greeted as a role does come first, since a peer with a mistake is among them.

use std::net::SocketAddr;

/// So many reasons are kept and told.
const MOST: usize = 8;

/// What is known about those who were refused.
#[derive(Debug, Default)]
pub(super) struct Refusals {
    /// Roles of something, with how often: different reasons.
    peers: Vec<(SocketAddr, String, u64)>,
    /// The first who was no role at all.
    stranger: Option<(SocketAddr, String)>,
    /// How many of those there were.
    strangers: u64,
}

/// Why somebody was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// It greeted like a role.
    Peer(String),
    /// It did not.
    Stranger(String),
}

impl Refusal {
    pub(super) fn why(&self) -> &str {
        let (Refusal::Peer(why) | Refusal::Stranger(why)) = self;
        why
    }
}

impl Refusals {
    /// Keeps a refusal. A sentence if it says something new.
    pub(super) fn add(&mut self, from: SocketAddr, refusal: &Refusal) -> Option<String> {
        let said = || Some(format!("{from} was refused: {}", refusal.why()));
        match refusal {
            Refusal::Peer(why) => {
                let known = self.peers.iter_mut().find(|(_, known, _)| known == why);
                if let Some((_, _, count)) = known {
                    *count += 1;
                    return None;
                }
                if self.peers.len() >= MOST {
                    return None;
                }
                self.peers.push((from, why.clone(), 1));
                said()
            }
            Refusal::Stranger(why) => {
                self.strangers += 1;
                if self.stranger.is_some() {
                    return None;
                }
                self.stranger = Some((from, why.clone()));
                said()
            }
        }
    }

    /// In sentences, those that matter first.
    pub(super) fn told(&self) -> Vec<String> {
        let times = |count: u64| match count {
            1 => String::new(),
            count => format!(" ({count} times)"),
        };
        let peers = self.peers.iter();
        let peers =
            peers.map(|(from, why, count)| format!("{from} was refused{}: {why}", times(*count)));
        let stranger = self
            .stranger
            .iter()
            .map(|(from, why)| match self.strangers {
                1 => format!("{from} was refused: {why}"),
                count => format!("{count} strangers were refused, the first of them {from}: {why}"),
            });
        peers.chain(stranger).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_of_strangers_hides_no_peer() {
        let mut refusals = Refusals::default();
        let from: SocketAddr = "127.0.0.1:7".parse().unwrap();
        let stranger = Refusal::Stranger("it said nothing".to_owned());
        let mut said = 0;
        for _ in 0..1000 {
            said += usize::from(refusals.add(from, &stranger).is_some());
        }
        assert!(
            refusals
                .add(from, &Refusal::Peer("another session".to_owned()))
                .is_some()
        );
        for number in 0..1000 {
            let why = format!("another session: {number}");
            said += usize::from(refusals.add(from, &Refusal::Peer(why)).is_some());
        }
        assert_eq!(said, MOST);
        let told = refusals.told();
        assert_eq!(told.len(), MOST + 1);
        assert_eq!(told[0], "127.0.0.1:7 was refused: another session");
        assert_eq!(
            told[MOST],
            "1000 strangers were refused, the first of them 127.0.0.1:7: it said nothing"
        );
    }
}
