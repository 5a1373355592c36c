//! Random programs: as many executions as the brute-force enumerator finds, whichever processes run
//! again, on however many threads.

use crate::oracle::count;
use crate::script::{DELIVERIES, Do, Script, play};
use plainsong::{Explorer, Restart};
use std::sync::Arc;

pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }
}

/// Two to four processes, up to nine operations in all.
pub(crate) fn generate(random: &mut Random) -> Script {
    let processes = 2 + random.below(3) as usize;
    let mut left = 9;
    let mut script = Vec::new();
    for _ in 0..processes {
        let mut steps = Vec::new();
        for _ in 0..(1 + random.below(4)).min(left) {
            left -= 1;
            steps.push(match random.below(16) {
                0 => Do::Choose(2),
                1..=7 => {
                    let near = random.below(2);
                    let any = random.below(processes as u64);
                    let to = if random.below(3) == 0 { any } else { near };
                    Do::Send(to as usize, random.below(2) as u8)
                }
                8 if random.below(3) == 0 => Do::Assume(random.below(2) as u8),
                8 => Do::Unless((random.below(2) == 0).then(|| random.below(2) as u8)),
                _ => {
                    let tag = (random.below(3) == 0).then(|| random.below(2) as u8);
                    Do::Recv(tag, random.below(3) != 0)
                }
            });
        }
        script.push(steps);
    }
    script
}

#[test]
fn random_programs_have_as_many_executions_as_they_should() {
    let programs: u32 =
        std::env::var("PLAINSONG_PROGRAMS").map_or(150, |n| n.parse().expect("a number"));
    let mut random = Random(0x0123_4567_89ab_cdef);
    for number in 0..programs {
        let script = Arc::new(generate(&mut random));
        let mut order: Vec<usize> = (0..script.len()).collect();
        if number % 2 == 1 {
            order.reverse();
        }
        for delivery in DELIVERIES {
            let expected = count(&script, delivery);
            let usual = Explorer::new().delivery(delivery).allow_deadlock(true);
            let ways = [
                usual.clone().restart(Restart::Changed),
                usual.clone().restart(Restart::All).seed(u64::from(number)),
                usual
                    .clone()
                    .restart(Restart::Changed)
                    .seed(u64::from(number)),
                usual.clone().restart(Restart::Changed).jobs(2),
            ];
            for explorer in ways {
                let (played, order) = (Arc::clone(&script), order.clone());
                let report = explorer.run(move || play(&played, &order));
                report.assert_holds();
                let found = (report.executions, report.blocked);
                assert_eq!(
                    found, expected,
                    "{number} {delivery:?} {explorer:?} {script:#?}"
                );
            }
        }
    }
}
