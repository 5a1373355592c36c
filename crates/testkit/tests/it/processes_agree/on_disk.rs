//! A search whose states go to disk finds what one in memory finds: answers, counts, depth and coverage, the same lengths of
//! counterexamples, wherever memory ends. When the disk is full it says so, and what it reports until then is true.

use super::same;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::search::{Answer, Completeness, Limits, Query, Unwatched};
use plainsong_states::{Manner, Scratch, Searched, search_in};
use std::collections::BTreeMap;
use std::io::{self, Cursor, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

/// Files in memory.
#[derive(Debug, Default)]
pub(super) struct Files {
    all: Arc<Mutex<BTreeMap<u64, Vec<u8>>>>,
    /// How many files there may be.
    most: Option<u64>,
    made: Mutex<u64>,
}

struct Open(Arc<Mutex<BTreeMap<u64, Vec<u8>>>>, u64);

impl Write for Open {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(self.1).or_default().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Scratch for Files {
    fn create(&self) -> io::Result<(u64, Box<dyn Write>)> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if self.most == Some(*made) {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "no space left"));
        }
        *made += 1;
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.insert(*made, Vec::new());
        Ok((*made, Box::new(Open(self.all.clone(), *made))))
    }

    fn open(&self, number: u64) -> io::Result<Box<dyn Read>> {
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let bytes = all.get(&number).cloned();
        let bytes = bytes.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        Ok(Box::new(Cursor::new(bytes)))
    }

    fn remove(&self, number: u64) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(&number);
    }
}

/// Searches again with few states in memory. Was the disk used?
pub(super) fn on_disk(
    name: &str,
    (instance, query, limits): (&Instance, &Query, &Limits),
    manner: Manner<'_>,
    found: &Searched,
) -> bool {
    let mut is_used = false;
    for in_memory in [0, 1 + name.len() as u64 % 40] {
        let files = Files::default();
        let manner = Manner {
            scratch: Some(&files),
            in_memory,
            ..manner
        };
        let again = search_in(manner, instance, query, limits, &mut Unwatched);
        // Dead messages are found by observation, and which states are observed when depends on their order.
        let is_full = !manner.dead_messages;
        same(name, &found.report, &again.report, is_full);
        let made = *files.made.lock().unwrap_or_else(PoisonError::into_inner);
        is_used |= made > 0;
        let left = files.all.lock().unwrap_or_else(PoisonError::into_inner);
        assert!(left.is_empty(), "{name}: files are left");
        drop(left);
        if made > 0 {
            is_full_some_time(name, (instance, query, limits), manner, (found, made));
        }
    }
    is_used
}

/// The disk is full when half of the files are written.
fn is_full_some_time(
    name: &str,
    (instance, query, limits): (&Instance, &Query, &Limits),
    manner: Manner<'_>,
    (found, made): (&Searched, u64),
) {
    let files = Files {
        most: Some(made / 2),
        ..Files::default()
    };
    let manner = Manner {
        scratch: Some(&files),
        ..manner
    };
    let cut = search_in(manner, instance, query, limits, &mut Unwatched).report;
    if let Completeness::Resource(why) = &cut.completeness {
        assert!(why.contains("no space left"), "{name}: {why}");
        let holds = |answer: &Answer| *answer == Answer::NotRefuted;
        let theirs = found.report.findings.iter();
        for (theirs, ours) in theirs.zip(&cut.findings) {
            assert!(
                holds(&ours.answer) || !holds(&theirs.answer),
                "{name}: {:?}",
                ours.answer
            );
        }
        if !manner.dead_messages {
            assert!(cut.states <= found.report.states, "{name}");
        }
    }
}
