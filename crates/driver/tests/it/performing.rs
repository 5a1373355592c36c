//! Every choreography of the corpus that comes to its end as a line ends alike as voices, on every
//! transport. `PLAINSONG_RUN_SEEDS` says how many seeds are tried (3).

use plainsong_driver::performance::{NoPerformance, Performance, PerformanceRequest, Way, perform};
use plainsong_driver::plan::Request;
use plainsong_driver::{LoadedSong, Source, song};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn seeds() -> u64 {
    let seeds = std::env::var("PLAINSONG_RUN_SEEDS").ok();
    seeds.and_then(|seeds| seeds.parse().ok()).unwrap_or(3)
}

fn corpus() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = ["songs/project", "songs/prove", "songs/language", "examples"];
    let mut files: Vec<PathBuf> = folders
        .iter()
        .filter_map(|folder| std::fs::read_dir(root.join(folder)).ok())
        .flat_map(|folder| folder.flatten().map(|entry| entry.path()))
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "song")
        })
        .collect();
    files.sort();
    files
}

/// Is something expected to be refuted? Endpoints whose guards disagree do not end as the line does.
fn is_refuted(text: &str) -> bool {
    let mut expected = text.lines().filter(|line| line.starts_with("// expect"));
    expected.any(|line| line.contains("refuted"))
}

fn play(
    loaded: &LoadedSong,
    line: &str,
    way: Way,
    seed: u64,
) -> Result<Performance, NoPerformance> {
    let song = loaded.song.as_ref().expect("it compiles");
    let order = PerformanceRequest {
        way,
        line: Some(line.to_owned()),
        written: Vec::new(),
        seed,
        deadline: Duration::from_secs(20),
        patience: Duration::from_secs(20),
        on_refusal: None,
    };
    let mut all = perform(loaded, song, &Request::default(), &order)?;
    Ok(all.remove(0))
}

fn said(performance: &Performance) -> String {
    let lines = performance.ends.iter().map(|(role, end)| match end {
        Ok(end) => format!("{}: {end}\n", role.as_deref().unwrap_or_default()),
        Err(error) => format!("{role:?} failed: {error}\n"),
    });
    lines.collect()
}

#[test]
fn lines_and_voices_end_alike_on_every_transport() {
    let (mut lines, mut runs, mut unprojected) = (0, 0, 0);
    for file in corpus() {
        let loaded = song::compile(Source::load(&file).expect("it can be read"));
        let loaded = loaded.expect("the front end does not break");
        let Some(song) = loaded.song.clone() else {
            continue;
        };
        if is_refuted(&loaded.source.text) {
            continue;
        }
        for line in song.lines.iter().filter(|line| line.is_choreography()) {
            lines += 1;
            for seed in 0..seeds() {
                let Ok(alone) = play(&loaded, &line.name, Way::Sequential, seed) else {
                    break; // nothing satisfies what it requires
                };
                if alone.ends.iter().any(|(_, end)| end.is_err()) {
                    continue; // a broken twin
                }
                let mut ways = vec![Way::Threads, Way::Sim(seed)];
                if seed % 10 == 0 {
                    ways.push(Way::Tcp);
                }
                for way in ways {
                    match play(&loaded, &line.name, way.clone(), seed) {
                        Ok(voices) => {
                            let place = format!("{} {way:?} seed {seed}", file.display());
                            assert_eq!(said(&voices), said(&alone), "{place}");
                            runs += 1;
                        }
                        Err(NoPerformance::Diagnostics(_)) => unprojected += 1,
                        Err(other) => panic!("{}: {other:?}", file.display()),
                    }
                }
            }
        }
    }
    assert!(lines >= 30, "the corpus has choreographies: {lines}");
    assert!(runs >= 60, "{runs} runs, {unprojected} without voices");
}
