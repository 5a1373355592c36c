//! The table of counts in the book says what exploring gives.
//!
//! Here songs are counted; that Rust programs have the same counts at these sizes is tested where they
//! are.

use super::chain::{CHAINS, Chain};
use super::election::{ELECTIONS, Election};
use super::{Counts, song, two_phase_commit};
use plainsong_ir::Delivery;
use plainsong_testkit::corpus::root;
use std::fs;

/// The lines above the first row.
const HEAD: &str = "| program | unordered | fifo | causal | mailbox |\n|---|---|---|---|---|\n";

#[test]
fn the_counts_in_the_book_are_those_that_exploring_gives() {
    let book = fs::read_to_string(root().join("book/src/explore.md")).expect("the book has it");
    let (_, table) = book.split_once(HEAD).expect("the chapter has the table");
    let printed: Vec<&str> = table
        .lines()
        .take_while(|line| line.starts_with('|'))
        .collect();
    let counted = rows();
    assert_eq!(printed, counted, "\n{}", counted.join("\n"));
}

fn rows() -> Vec<String> {
    let mut rows = vec![
        family(
            "4 senders, 1 receive",
            "senders-race-for-one-receive",
            &[("Sender", 4)],
        ),
        family(
            "… behind a queue that takes all four",
            "arrival-order-fixed-by-a-queue",
            &[("Sender", 4)],
        ),
        family(
            "5 senders, 5 receives",
            "senders-race-for-all-receives",
            &[("Sender", 5)],
        ),
        family(
            "… each for one of them",
            "selective-receives-do-not-race",
            &[("Sender", 5)],
        ),
        family("2 streams of 2 messages", "two-streams-fifo", &[("N", 2)]),
        family("triangle", "triangle-fifo", &[]),
        family(
            "2 pairs that cross",
            "pairs-that-cross-mailbox",
            &[("Pair", 2)],
        ),
        row("two-phase commit, 3 databases", two_phase_commit::counts(3)),
    ];
    rows.extend(CHAINS.map(chain));
    rows.extend(ELECTIONS.into_iter().flat_map(election));
    rows
}

fn family(program: &str, name: &str, sizes: &[(&str, i64)]) -> String {
    let song = song(name, sizes);
    row(program, Delivery::ALL.map(|model| song.counts(model)))
}

fn chain(of: Chain) -> String {
    let (nodes, requests) = (of.nodes, of.requests);
    let faults = several(of.faults, "fault");
    let program = format!("chain of {nodes}, {faults}, {requests} requests");
    row(&program, of.sung_counts())
}

fn election(of: Election) -> [String; 2] {
    let program = format!(
        "election, {} voters, {}",
        of.voters,
        several(of.terms, "term")
    );
    let [alone, watched] = of.sung_counts();
    [row(&program, alone), row("… with a monitor", watched)]
}

fn several(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

fn row(program: &str, counts: [Counts; 4]) -> String {
    format!("| {program} | {} |", counts.map(cell).join(" | "))
}

fn cell((complete, blocked): Counts) -> String {
    match blocked {
        0 => grouped(complete),
        _ => format!("{} + {} blocked", grouped(complete), grouped(blocked)),
    }
}

/// With commas between thousands.
fn grouped(number: u64) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", grouped(number / 1000), number % 1000),
    }
}
