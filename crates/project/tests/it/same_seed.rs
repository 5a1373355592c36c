//! Random choreographies, run with one seed: line and voices draw the same choices and end alike, also where a choice
//! is nobody's in the text. `PLAINSONG_RANDOM=10000` tries that many.

use crate::random::song;
use plainsong_ir::Song;
use plainsong_project::{Options, owned, project};
use plainsong_run::{End, Line};
use plainsong_runtime::{Error, threads};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::sync::Arc;
use std::time::Duration;

/// One decides wherever several could, so that nothing has to be unanimous.
const DECIDE: Options = Options {
    strict: false,
    decide: true,
};

fn said(ends: Vec<Result<End, Error>>) -> Result<Vec<String>, String> {
    let ends = ends.into_iter();
    let ends = ends.map(|end| end.map(|end| end.to_string()));
    let ends: Result<Vec<String>, Error> = ends.collect();
    ends.map_err(|error| error.to_string())
}

fn instance(song: Song, sizes: &Sizes) -> Instance {
    let all = Instance::all(Arc::new(song), sizes, &Bounds::default());
    all.expect("it has an instance").remove(0)
}

#[test]
fn line_and_voices_draw_the_same_choices() {
    let tries = std::env::var("PLAINSONG_RANDOM").ok();
    let tries: u64 = tries.and_then(|tries| tries.parse().ok()).unwrap_or(60);
    let sizes = Sizes::default().with("S", 2);
    let (mut same, mut failing, mut hidden) = (0, 0, 0);
    for seed in 0..tries {
        let text = song(seed);
        let song = plainsong_syntax::compile(&text).song;
        let song = song.expect("it is a song");
        let Ok(projection) = project(&song, 0, &DECIDE) else {
            continue;
        };
        let with_owners = owned(&song, 0, &DECIDE);
        hidden += usize::from(with_owners != song);
        let alone = Line::new(&instance(with_owners, &sizes), 0, seed, &Sizes::new());
        let Ok(ends) = alone.expect("it can begin").play() else {
            failing += 1;
            continue;
        };
        let expected = said(ends.into_iter().map(Ok).collect());
        let line = Line::new(&instance(song, &sizes), 0, seed, &Sizes::new());
        let line = line.expect("it can begin");
        let voices = line.voices(&Arc::new(projection.song), &sizes);
        let voices = voices.expect("the voices begin like the line");
        let found = said(voices.in_the_simulator(seed ^ 5));
        assert_eq!(found, expected, "seed {seed}\n{text}");
        if seed % 10 == 0 {
            let options = threads::Options {
                deadline: Some(Duration::from_secs(20)),
                ..threads::Options::default()
            };
            assert_eq!(
                said(voices.on_threads(&options)),
                expected,
                "seed {seed}\n{text}"
            );
        }
        same += 1;
    }
    assert!(
        same * 10 >= tries * 6 && hidden * 10 >= same as usize,
        "{same} the same, {failing} failing, {hidden} with choices of nobody, of {tries}"
    );
}
