//! k-nucleotide: one large sequence is shared by all, each endpoint counts the words of one length, and the
//! tables of counts are handed over, not copied.

use super::Contestant;
use plainsong_runtime::{Cast, Net, Rx, Tx, threads};
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::hint::black_box;
use std::sync::Arc;
use std::thread;

const LENGTH: usize = 1_000_000;
const WORDS: [usize; 7] = [1, 2, 3, 4, 6, 12, 18];

/// Good enough for numbers that are words.
#[derive(Default)]
pub struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes
            .iter()
            .for_each(|&byte| self.write_u64(u64::from(byte)));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0 ^ number)
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(29);
    }
}

type Counts = HashMap<u64, u32, BuildHasherDefault<Mixer>>;

/// A sequence of nucleotides, the same each time.
fn sequence() -> Vec<u8> {
    let mut state = 42_u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 62) as u8
    };
    (0..LENGTH).map(|_| next()).collect()
}

/// How often each word of this length occurs.
fn count(sequence: &[u8], length: usize) -> Counts {
    let mut counts = Counts::default();
    let mask = (1_u64 << (2 * length)) - 1;
    let mut word = 0;
    for (at, &nucleotide) in sequence.iter().enumerate() {
        word = (word << 2 | u64::from(nucleotide)) & mask;
        if at + 1 >= length {
            *counts.entry(word).or_default() += 1;
        }
    }
    counts
}

/// What is printed in the end.
fn summary(tables: &[Counts]) -> Vec<usize> {
    tables.iter().map(HashMap::len).collect()
}

pub fn contestants() -> Vec<Contestant> {
    vec![
        Contestant::new("std::thread by hand", || {
            let shared = Arc::new(sequence());
            let workers: Vec<_> = WORDS
                .iter()
                .map(|&length| {
                    let shared = Arc::clone(&shared);
                    thread::spawn(move || count(&shared, length))
                })
                .collect();
            let tables: Vec<Counts> = workers.into_iter().map(|one| one.join().unwrap()).collect();
            black_box(summary(&tables));
        }),
        Contestant::new("plainsong-runtime, threads", || {
            let counters = WORDS.len();
            let roles = (0..counters).map(|j| format!("counter[{j}]"));
            let roles = roles.chain(["reader".to_owned(), "collector".to_owned()]);
            let (reader, collector) = (counters, counters + 1);
            let cast = Cast::new("k_nucleotide", 1, roles);
            let ends = threads::run(&cast, &threads::Options::default(), |role, net| {
                if role == reader {
                    let to_counters = net.txs::<Arc<Vec<u8>>>(0..counters, 0)?;
                    let shared = Arc::new(sequence());
                    for mut to_counter in to_counters {
                        to_counter.send(1, Arc::clone(&shared))?;
                    }
                    return Ok(Vec::new());
                }
                if role == collector {
                    let mut tables = Vec::new();
                    for mut from_counter in net.rxs::<Counts>(0..counters, 0)? {
                        tables.push(from_counter.recv(2)?);
                    }
                    return Ok(summary(&tables));
                }
                let mut from_reader = net.rx::<Arc<Vec<u8>>>(reader, 0)?;
                let mut to_collector = net.tx::<Counts>(collector, 0)?;
                let shared = from_reader.recv(1)?;
                to_collector.send(2, count(&shared, WORDS[role]))?;
                Ok(Vec::new())
            });
            assert!(ends.iter().all(Result::is_ok));
            black_box(ends);
        }),
    ]
}
