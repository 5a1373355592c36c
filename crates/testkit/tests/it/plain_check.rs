//! Plain `check` refutes nothing of a song whose header expects nothing to be refuted.
//!
//! The header asks at sizes of its own; whoever types `plainsong check FILE` gets the default sizes, and the next ones.
//! A song that is right at some sizes only has to declare them.

use plainsong_driver::plan::{Request, plan};
use plainsong_driver::run::{Supervision, run};
use plainsong_driver::watch::{Interrupt, Observer, Stage};
use plainsong_driver::{Source, engines};
use plainsong_semantics::search::Progress;
use plainsong_semantics::verdict::Outcome;
use plainsong_testkit::corpus::{files, root};
use std::sync::Arc;
use std::time::Duration;

/// For each task: what is not refuted by then is not what this is about.
const TIMEOUT: Duration = Duration::from_secs(2);

struct Nobody;

impl Observer for Nobody {
    fn progress(&mut self, _: &Stage, _: &Progress, _: Duration) {}
}

/// Does the header expect `check` to hold at sizes that it names, and nothing to be refuted?
fn is_right_at_its_sizes(text: &str) -> bool {
    let lines = text.lines().take_while(|line| line.starts_with("//"));
    let header: Vec<&str> = lines.filter(|line| line.starts_with("// expect")).collect();
    header
        .iter()
        .any(|line| line.starts_with("// expect check("))
        && !header.iter().any(|line| line.contains("refuted"))
}

#[test]
fn what_its_header_calls_right_is_not_refuted() {
    let mut songs = 0;
    let mut problems = Vec::new();
    for path in files().expect("the corpus can be listed") {
        let text = std::fs::read_to_string(root().join(&path)).expect("a song can be read");
        let Some(song) = plainsong_syntax::compile(&text).song else {
            continue;
        };
        if !is_right_at_its_sizes(&text) {
            continue;
        }
        songs += 1;
        let song = Arc::new(song);
        let request = Request {
            look_further: true,
            ..Request::default()
        };
        let plan = plan(&song, &request, engines::ALL).unwrap_or_else(|_| panic!("{path:?}"));
        let source = Source {
            name: path.display().to_string(),
            text,
            path: None,
        };
        let mut supervision = Supervision {
            interrupt: &Interrupt::default(),
            observer: &mut Nobody,
            timeout: Some(TIMEOUT),
            memory: None,
            most_refuted: None,
            refuted: 0,
            ledger: None,
        };
        for answer in run(&plan, &source, &song, &mut supervision).answers {
            if answer.verdict.outcome == Outcome::Refuted {
                let (property, bound) = (&answer.verdict.property, &answer.verdict.bound);
                problems.push(format!("{}: {property} at {bound:?}", source.name));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(
        songs > 50,
        "only {songs} songs say at which sizes they hold"
    );
}
