//! The oracle: what is proved for every size is explored at small ones, by the interpreter.

use plainsong_ir::Song;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::Subject;
use plainsong_semantics::search::{Answer, Check, Completeness, Limits, Query, Unwatched, search};
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_sequentialize::Sequentialized;
use std::sync::Arc;

/// Compiles a text that has no errors.
pub(crate) fn compile(text: &str) -> Arc<Song> {
    let compiled = plainsong_syntax::compile(text);
    let Some(song) = compiled.song else {
        panic!("{:?}\n{text}", compiled.diagnostics);
    };
    Arc::new(song)
}

/// Sizes of all sorts and parameters that can be chosen, each from one to `largest`, smallest sum first.
pub(crate) fn sizes(song: &Song, largest: i64, sum: i64) -> Vec<Sizes> {
    let sorts = song.sorts.iter().filter(|sort| match &sort.kind {
        plainsong_ir::SortKind::Identities { .. } => true,
        plainsong_ir::SortKind::Range(range) => range.end == plainsong_ir::RangeEnd::Open,
    });
    let params = song.consts.iter().filter(|row| row.value.is_none());
    let names = sorts
        .map(|sort| &sort.name)
        .chain(params.map(|row| &row.name));
    let mut all = vec![Sizes::new()];
    for name in names {
        all = all
            .into_iter()
            .flat_map(|sizes| (1..=largest).map(move |size| sizes.clone().with(name, size)))
            .collect();
    }
    all.retain(|sizes| sizes.chosen.values().sum::<i64>() <= sum);
    all.sort_by_key(|sizes| sizes.chosen.values().sum::<i64>());
    all
}

/// What is wrong with a proof at these sizes: a deadlock, a message left over, a failure if everything was
/// said to be decided. The number of instances that were seen to the end comes along.
pub(crate) fn against(
    song: &Arc<Song>,
    line: &Sequentialized,
    sizes: &[Sizes],
    states: u64,
) -> (Vec<String>, usize) {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for one in sizes {
        let limits = Limits {
            states,
            ..Limits::default()
        };
        // A parameter may be out of its range; the number of instances is what the tests look at.
        let instances = Instance::all(song.clone(), one, &Bounds::default());
        for instance in instances.unwrap_or_default() {
            let query = Query {
                subject: Subject::System,
                checks: vec![Check::Assertions, Check::NoDeadlock],
            };
            let report = search(&instance, &query, &limits, &mut Unwatched);
            seen += usize::from(report.completeness == Completeness::Complete);
            for finding in &report.findings {
                let open = finding.check == Check::Assertions && !line.open.is_empty();
                if let Answer::Refuted(trace) = &finding.answer
                    && !open
                {
                    wrong.push(format!(
                        "{:?}: {} {:?}",
                        one.chosen, finding.name, trace.ending
                    ));
                }
            }
            if !report.undelivered.is_empty() && !line.may_leave {
                wrong.push(format!(
                    "{:?}: left over {:?}",
                    one.chosen, report.undelivered
                ));
            }
        }
    }
    (wrong, seen)
}
