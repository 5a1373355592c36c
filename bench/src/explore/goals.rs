//! What we want of exploration, and how far we are.
//!
//! The figures are those of the table: one run, the same moment, the same machine.

use super::measured::Measured;
use super::{Case, case};

/// Cases whose executions should cost a tenth of the peer's CPU time.
const TEN_TIMES: [Case; 4] = [
    case("ns+nr", 9, "fifo"),
    case("nworkers", 8, "fifo"),
    case("nworkers", 9, "fifo"),
    case("2PC", 6, "fifo"),
];

/// One execution of 4,000 events.
const LONG: Case = case("trips", 1000, "fifo");

const MEGABYTE: f64 = 1e6;

/// The figures so far.
#[derive(Default)]
pub struct Goals {
    rows: Vec<(Case, Measured, Option<Measured>)>,
    workers: Vec<(Case, f64, f64)>,
}

impl Goals {
    /// Notes a row of the table.
    pub fn add(&mut self, case: Case, ours: Measured, theirs: Option<Measured>) {
        self.rows.push((case, ours, theirs));
    }

    /// Notes what one worker needs and what two do.
    ///
    /// The gain is what an idle machine would show: CPU time of one worker over the CPU time of the
    /// one of two that works longer.
    pub fn add_workers(&mut self, case: Case, one: &Measured, two: &Measured) {
        let gain = one.longest as f64 / two.longest.max(1) as f64;
        let overhead = two.time as f64 / one.time as f64;
        self.workers.push((case, gain, overhead));
    }

    /// Prints which are met.
    pub fn print(&self) {
        for case in TEN_TIMES {
            self.print_ratio(case, 10.0);
        }
        self.print_ratio(LONG, 100.0);
        for (case, ..) in &self.rows {
            if case.delivery == "mailbox" {
                self.print_mailbox(*case);
            }
        }
        for &(case, gain, overhead) in &self.workers {
            goal(
                gain >= 1.7,
                &format!(
                    "{case}: two workers are {gain:.2} times one, want 1.7 (CPU time of both: {overhead:.2} times)"
                ),
            );
        }
        self.print_memory();
    }

    fn find(&self, wanted: Case) -> Option<&(Case, Measured, Option<Measured>)> {
        self.rows.iter().find(|row| row.0 == wanted)
    }

    fn print_ratio(&self, case: Case, wanted: f64) {
        if let Some((_, ours, Some(theirs))) = self.find(case) {
            let ratio = theirs.each() / ours.each();
            let text = format!("{case}: {ratio:.1} times less CPU time, want {wanted}");
            goal(ratio >= wanted, &text);
        }
    }

    /// Per execution; that none is discarded is what the exact counts of the table say.
    fn print_mailbox(&self, mailbox: Case) {
        let causal = Case {
            delivery: "causal",
            ..mailbox
        };
        if let (Some((_, mailbox_cost, _)), Some((_, causal, _))) =
            (self.find(mailbox), self.find(causal))
        {
            let ratio = mailbox_cost.each() / causal.each();
            let text = format!("{mailbox}: {ratio:.2} times causal per execution, want 2");
            goal(ratio <= 2.0, &text);
        }
    }

    fn print_memory(&self) {
        let most = self.rows.iter().max_by_key(|row| row.1.memory);
        if let Some((case, ours, _)) = most {
            let megabytes = ours.memory as f64 / MEGABYTE;
            let text = format!("memory at most {megabytes:.1} MB ({case}), want 10");
            goal(megabytes <= 10.0, &text);
        }
        let small = self.find(case("nworkers", 7, "fifo"));
        let large = self.find(case("nworkers", 9, "fifo"));
        if let (Some((_, small, _)), Some((_, large, _))) = (small, large) {
            let growth = large.memory.saturating_sub(small.memory) as f64 / MEGABYTE;
            let text = format!(
                "memory grows by {growth:.1} MB from nworkers(7) to nworkers(9), 72 times as many executions; want 1"
            );
            goal(growth <= 1.0, &text);
        }
    }
}

fn goal(met: bool, text: &str) {
    println!("  {} {text}", if met { "met  " } else { "SHORT" });
}
