//! Election by majority, as `songs/explore/leader-by-majority.song` has it.

use super::mailboxes;
use plainsong::{Builder, Receiver, Sender, channel, spawn_named};
use std::collections::BTreeSet;

/// A candidate has a majority.
#[derive(Clone, Debug)]
pub(crate) struct Won {
    /// In which term.
    pub(crate) term: usize,
}

/// A term, and who asks.
pub(crate) type Ask = (usize, usize);
/// A term, and whether it is a yes.
pub(crate) type Answer = (usize, bool);

/// What a voter does.
pub(crate) type Voter = fn(&Receiver<Ask>, &[Sender<Answer>]);

/// So many candidates ask so many voters, once in each term; who has a majority tells an office.
pub(crate) fn election(candidates: usize, voters: usize, terms: usize, voter: Voter) {
    let (to_candidate, at_candidate) = mailboxes::<Answer>("candidate", candidates);
    let (to_voter, at_voter) = mailboxes::<Ask>("voter", voters);
    let (to_office, at_office) = channel::<Won>("office");
    for (c, at) in at_candidate.into_iter().enumerate() {
        let (to_voter, to_office) = (to_voter.clone(), to_office.clone());
        spawn_named(format!("candidate {c}"), move || {
            (0..terms).for_each(|term| stand(term, c, &at, &to_voter, &to_office));
        });
    }
    for at in at_voter {
        let to_candidate = to_candidate.clone();
        Builder::new()
            .daemon()
            .spawn(move || voter(&at, &to_candidate));
    }
    Builder::new().daemon().spawn(move || {
        loop {
            at_office.receive();
        }
    });
}

fn stand(
    term: usize,
    candidate: usize,
    at: &Receiver<Answer>,
    to_voter: &[Sender<Ask>],
    to_office: &Sender<Won>,
) {
    to_voter.iter().for_each(|to| to.send((term, candidate)));
    let (mut yes, mut no) = (0, 0);
    while 2 * yes <= to_voter.len() && 2 * no < to_voter.len() {
        match at.receive() {
            (of, true) if of == term => yes += 1,
            (of, false) if of == term => no += 1,
            _ => {}
        }
    }
    if 2 * yes > to_voter.len() {
        to_office.send(Won { term });
    }
}

/// Says yes to the first that asks in a term.
pub(crate) fn vote(at: &Receiver<Ask>, to_candidate: &[Sender<Answer>]) {
    let mut voted = BTreeSet::new();
    loop {
        let (term, candidate) = at.receive();
        to_candidate[candidate].send((term, voted.insert(term)));
    }
}

/// Says yes to everybody.
pub(crate) fn forget(at: &Receiver<Ask>, to_candidate: &[Sender<Answer>]) {
    loop {
        let (term, candidate) = at.receive();
        to_candidate[candidate].send((term, true));
    }
}
