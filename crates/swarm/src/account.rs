//! The account of a question: which pieces are open, and which outcomes count.
//!
//! Invariant. *Known* pieces are the first ones and the children of outcomes that were entered. Each known piece is either open or
//! entered, and is entered once. So the order in which outcomes arrive, and how often, makes no difference.

use crate::names::piece;
use crate::record::Outcome;
use std::collections::{BTreeMap, BTreeSet};

/// A piece that has no outcome yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Open {
    pub(crate) parent: String,
    pub(crate) body: String,
}

/// Which pieces of a question are open.
#[derive(Clone, Debug, Default)]
pub struct Account {
    open: BTreeMap<String, Open>,
    done: BTreeSet<String>,
    /// Outcomes of pieces whose parents' outcomes have not arrived.
    early: BTreeMap<String, Outcome>,
}

/// An outcome that counts now, with the text of its piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entered {
    pub(crate) id: String,
    pub(crate) body: String,
    pub(crate) outcome: Outcome,
}

impl Account {
    /// Of a question with these first pieces.
    pub fn new(question: &str, first: &[String]) -> Self {
        let mut account = Account::default();
        for body in first {
            account.know(question, body.clone());
        }
        account
    }

    /// How many pieces are open, as far as is known.
    pub fn open(&self) -> u64 {
        self.open.len() as u64
    }

    /// How many pieces have an outcome.
    pub fn done(&self) -> u64 {
        self.done.len() as u64
    }

    /// The open pieces.
    pub(crate) fn all_open(&self) -> impl Iterator<Item = (&String, &Open)> {
        self.open.iter()
    }

    /// Enters an outcome that was stored; those that count now, parents before children.
    pub(crate) fn enter(&mut self, id: &str, outcome: Outcome) -> Vec<Entered> {
        if self.done.contains(id) {
            return Vec::new();
        }
        let mut entered = Vec::new();
        let mut arrived = vec![(id.to_owned(), outcome)];
        while let Some((id, outcome)) = arrived.pop() {
            let Some(open) = self.open.remove(&id) else {
                self.early.insert(id, outcome);
                continue;
            };
            for body in &outcome.children {
                let child = self.know(&id, body.clone());
                if let Some(outcome) = self.early.remove(&child) {
                    arrived.push((child, outcome));
                }
            }
            self.done.insert(id.clone());
            entered.push(Entered {
                id,
                body: open.body,
                outcome,
            });
        }
        entered
    }

    fn know(&mut self, parent: &str, body: String) -> String {
        let id = piece(parent, &body);
        if !self.done.contains(&id) {
            let parent = parent.to_owned();
            self.open.insert(id.clone(), Open { parent, body });
        }
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(children: &[&str]) -> Outcome {
        Outcome {
            result: Ok(String::new()),
            children: children.iter().map(|&one| one.to_owned()).collect(),
            worker: String::new(),
            milliseconds: 0,
        }
    }

    #[test]
    fn every_order_and_every_repetition_counts_each_piece_once() {
        let root = piece("q", "root");
        let (left, right) = (piece(&root, "left"), piece(&root, "right"));
        let leaf = piece(&left, "leaf");
        let all = [
            (root, outcome(&["left", "right"])),
            (left, outcome(&["leaf"])),
            (right, outcome(&[])),
            (leaf, outcome(&[])),
        ];
        for first in 0..4 {
            for step in [1, 3] {
                let mut account = Account::new("q", &["root".to_owned()]);
                let mut bodies = Vec::new();
                for number in 0..8 {
                    let (id, outcome) = &all[(first + step * number) % 4];
                    let entered = account.enter(id, outcome.clone());
                    bodies.extend(entered.into_iter().map(|one| one.body));
                }
                bodies.sort();
                assert_eq!(bodies, ["leaf", "left", "right", "root"]);
                assert_eq!((account.open(), account.done()), (0, 4));
            }
        }
    }

    #[test]
    fn what_is_no_piece_of_the_question_never_counts() {
        let mut account = Account::new("q", &["root".to_owned()]);
        assert_eq!(account.enter("stranger", outcome(&["more"])), []);
        assert_eq!((account.open(), account.done()), (1, 0));
    }
}
