//! A program has the same executions as a song and as Rust code.
//!
//! Two front ends stand on one engine: songs, whose processes are automata with saved states, and Rust
//! closures on coroutines. What they have in common is tested against brute force elsewhere; here the
//! same programs, written twice, must have the same numbers of complete and blocked executions
//! under each delivery model, and where there is a formula, those it gives.
//!
//! `PLAINSONG_SLOW=1` compares larger sizes too.

mod book_table;
mod brute_force;
mod chain;
mod election;
mod families;
mod faults;
mod programs;
mod two_phase_commit;

use plainsong::Explorer;
use plainsong_explore_songs::{Explored, Finding, Manner, explore};
use plainsong_ir::Delivery;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::search::{Check, Completeness, Unwatched};
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_testkit::corpus::{answers, root};
use programs::mailboxes;
use std::fs;

/// Complete and blocked executions.
type Counts = (u64, u64);

/// A song of the corpus at sizes.
#[derive(Clone, Copy)]
struct Sung<'a> {
    folder: &'a str,
    /// Of the file, without `.song`.
    name: &'a str,
    sizes: &'a [(&'a str, i64)],
}

/// A song of `songs/explore`.
fn song<'a>(name: &'a str, sizes: &'a [(&'a str, i64)]) -> Sung<'a> {
    Sung {
        folder: "songs/explore",
        name,
        sizes,
    }
}

impl Sung<'_> {
    /// Under this model, whatever its messages are declared with.
    fn counts(self, model: Delivery) -> Counts {
        let instance = self.instance(&self.text()).with_delivery(Some(model));
        counts(&explored(&instance, &[]))
    }

    /// Under this model where messages are declared `via fifo`; other declarations stay.
    fn counts_where_fifo(self, model: Delivery) -> Counts {
        let instance = self.instance(&self.text_where_fifo(model));
        counts(&explored(&instance, &[]))
    }

    fn text_where_fifo(self, model: Delivery) -> String {
        let via = format!("via {}", model.name());
        self.text().replace("via fifo", &via)
    }

    /// Is this property refuted under this model?
    fn is_refuted(self, property: &str, model: Delivery) -> bool {
        let instance = self.instance(&self.text()).with_delivery(Some(model));
        let mut properties = instance.song().properties.iter();
        let position = properties.position(|declared| declared.name == property);
        let check = Check::Property(position.expect("the song has the property"));
        matches!(
            explored(&instance, &[check]).findings[..],
            [Finding::Refuted(_)]
        )
    }

    fn text(self) -> String {
        let path = root().join(self.folder).join(format!("{}.song", self.name));
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    fn instance(self, text: &str) -> Instance {
        let song = answers::compile(text).song.expect("the corpus compiles");
        let chosen = self
            .sizes
            .iter()
            .map(|&(name, size)| (name.to_owned(), size));
        let sizes = Sizes {
            chosen: chosen.collect(),
            ..Sizes::default()
        };
        let mut instances =
            Instance::all(song, &sizes, &Bounds::default()).expect("the sizes are possible");
        assert_eq!(instances.len(), 1, "{} leaves something open", self.name);
        instances.remove(0)
    }
}

fn explored(instance: &Instance, checks: &[Check]) -> Explored {
    let machine = Machine::new(instance, Subject::System);
    let found = explore(&machine, checks, &Manner::default(), &mut Unwatched);
    let found = found.expect("exploration covers the song");
    assert_eq!(found.count.completeness, Completeness::Complete);
    found
}

fn counts(found: &Explored) -> Counts {
    assert_eq!((found.count.failed, found.count.discarded), (0, 0));
    (found.count.complete, found.count.blocked)
}

/// Counts of a Rust program, in which nothing fails.
fn rust_counts(model: Delivery, program: impl Fn() + Send + Sync + 'static) -> Counts {
    rust_counts_by(&Explorer::new(), model, program)
}

fn rust_counts_by(
    explorer: &Explorer,
    model: Delivery,
    program: impl Fn() + Send + Sync + 'static,
) -> Counts {
    let explorer = explorer.clone().delivery(in_rust(model));
    let report = explorer.allow_deadlock(true).run(program);
    report.assert_holds();
    (report.executions, report.blocked)
}

fn in_rust(model: Delivery) -> plainsong::Delivery {
    match model {
        Delivery::Unordered => plainsong::Delivery::Unordered,
        Delivery::Fifo => plainsong::Delivery::Fifo,
        Delivery::Causal => plainsong::Delivery::Causal,
        Delivery::Mailbox => plainsong::Delivery::Mailbox,
    }
}

/// The counts under each model, weakest first, after checking that song and program agree.
fn agreed<F: Fn() + Send + Sync + 'static>(song: Sung, program: impl Fn() -> F) -> [Counts; 4] {
    Delivery::ALL.map(|model| {
        let sung = song.counts(model);
        let rust = rust_counts(model, program());
        assert_eq!(sung, rust, "{} {:?} {model:?}", song.name, song.sizes);
        sung
    })
}

fn is_slow_wanted() -> bool {
    std::env::var_os("PLAINSONG_SLOW").is_some()
}
