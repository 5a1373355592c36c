//! Every choreography of the songs and examples: projected, printed, read again, and run against
//! its line.

use crate::same_ends::{Comparison, Schedules, compare};
use plainsong_ir::visit::{VisitMut, erase_spans, walk_mut};
use plainsong_ir::{Local, LoopClauses, Song};
use plainsong_project::{Options, project};
use plainsong_semantics::sizes::Sizes;
use std::path::{Path, PathBuf};

fn songs(under: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(under)
        .expect("the folder of songs is there")
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            songs(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "song") {
            found.push(path);
        }
    }
}

#[test]
fn voices_end_like_their_line() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    songs(&root.join("songs"), &mut files);
    songs(&root.join("examples"), &mut files);
    let (mut lines, mut ends, mut wrong) = (0, 0, Vec::new());
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a song can be read");
        let Some(song) = plainsong_syntax::compile(&text).song else {
            continue;
        };
        let choreographies = song.lines.iter().enumerate();
        let choreographies = choreographies.filter(|(_, line)| line.is_choreography());
        for (line, _) in choreographies {
            lines += 1;
            let name = format!("{} {}", file.display(), song.lines[line].name);
            match compared(&song, line) {
                Ok(found) => ends += found,
                Err(problem) => wrong.push(format!("{name}: {problem}")),
            }
        }
    }
    assert!(lines > 40, "{lines} choreographies");
    assert!(ends > 1_000, "{ends} different ends");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The printer may give a local another name.
struct Nameless;

impl VisitMut for Nameless {
    fn enter(&mut self, locals: &mut Vec<Local>) {
        locals.iter_mut().for_each(|local| local.name.clear());
    }
}

/// Only what happens counts here, not whether it should.
struct WithoutPromises;

impl VisitMut for WithoutPromises {
    fn clauses(&mut self, clauses: &mut LoopClauses) {
        *clauses = LoopClauses::default();
    }
}

fn compared(song: &Song, line: usize) -> Result<usize, String> {
    let mut song = song.clone();
    walk_mut::song(&mut WithoutPromises, &mut song);
    song.lines.iter_mut().for_each(|line| line.ensures.clear());
    let song = &song;
    let voices = match project(song, line, &Options::default()) {
        Ok(projection) => projection.song,
        Err(problems) => return Err(format!("{problems:?}")),
    };
    if let Err(violations) = plainsong_ir::validate::validate(&voices) {
        return Err(format!(
            "{violations:?}\n{}",
            plainsong_ir::print::song(&voices)
        ));
    }
    let text = plainsong_ir::print::song(&voices);
    let compiled = plainsong_syntax::compile(&text);
    let Some(mut again) = compiled.song else {
        return Err(format!("{:?}\n{text}", compiled.diagnostics));
    };
    let mut voices = voices;
    for song in [&mut again, &mut voices] {
        erase_spans(song);
        walk_mut::song(&mut Nameless, song);
    }
    if again != voices {
        return Err(format!("is read differently:\n{text}"));
    }
    let mut ends = 0;
    let mut smaller = None;
    for size in [2, 3] {
        let mut sizes = Sizes::default();
        for sort in &song.sorts {
            if matches!(sort.kind, plainsong_ir::SortKind::Identities { .. }) {
                sizes = sizes.with(&sort.name, size);
            }
        }
        // The text may say how many members there are.
        if smaller.replace(sizes.clone()).as_ref() == Some(&sizes) {
            break;
        }
        // Where there are many schedules, one of each vector of choices.
        for limits in [(Schedules::All, 1_200), (Schedules::One, 3_000)] {
            match compare(song, line, &voices, &sizes, limits) {
                Comparison::Same(found) => ends += found,
                Comparison::TooBig => continue,
                Comparison::Different(how) => return Err(format!("size {size}: {how}\n{text}")),
            }
            break;
        }
    }
    Ok(ends)
}
