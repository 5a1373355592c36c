//! The line of a song's voices as text: `plainsong sequentialize --emit`.

use crate::Source;
use plainsong_diagnostics::with_lines;
use plainsong_infer::arithmetic_oracle::Arithmetic;
use plainsong_ir::{Delivery, Song, print};
use plainsong_report::line_page;
use plainsong_sequentialize::{Stuck, sequentialize_with};
use plainsong_smt::Caching;

/// The line that the processes of a song follow, as source text. Where there is none, as far as it was
/// found, with what remains and why it does not go on, as comments.
pub fn line(song: &Song, text: &str, delivery: Option<Delivery>, caching: &Caching) -> String {
    match sequentialize_with(song, delivery, &Arithmetic::with_caching(caching)) {
        Ok(found) => match found.line {
            Ok(line) => last(&line.song),
            Err(why) => format!("// There is a line, but it cannot be shown: {why}.\n"),
        },
        Err(stuck) => so_far(&stuck, text),
    }
}

fn so_far(stuck: &Stuck, text: &str) -> String {
    let mut told = format!("// No line: {}.\n", with_lines(&stuck.sentence, text));
    for one in &stuck.remaining {
        told.push_str(&format!("// Remains: {}.\n", with_lines(one, text)));
    }
    if let Some(song) = &stuck.so_far {
        told.push_str("// As far as it goes:\n");
        told.push_str(&last(song));
    }
    told
}

/// The line beside the processes, as a page, if there is a line that can be shown.
pub fn page(
    song: &Song,
    source: &Source,
    delivery: Option<Delivery>,
    caching: &Caching,
) -> Option<String> {
    let line = sequentialize_with(song, delivery, &Arithmetic::with_caching(caching))
        .ok()?
        .line
        .ok()?;
    let told = line.song.lines.last()?;
    Some(line_page(&line.song, told, source.text()))
}

/// The line was added last.
fn last(song: &Song) -> String {
    let line = song.lines.last();
    line.map_or(String::new(), |line| print::choreography(song, line))
}

#[cfg(test)]
mod tests {
    use super::{line, page};
    use crate::Source;
    use plainsong_smt::Caching;
    use std::path::Path;

    /// Names of processes that only say where to send do not stand in the line.
    #[test]
    fn a_line_is_a_song_without_the_processes() {
        let sorts = "sort W;\n";
        let text = format!(
            "{sorts}message Ask;\nmessage Answer(n: nat);\n\
             process worker[w: W] {{\n    var n: nat = 0;\n    send Ask to counter;\n    receive Answer(k) from counter;\n    n = k;\n}}\n\
             daemon process counter {{\n    var t: nat = 0;\n    loop {{\n        receive Ask from any as who;\n        t += 1;\n        send Answer(t) to who;\n    }}\n}}\n"
        );
        let song = plainsong_syntax::compile(&text).song.expect("it is a song");
        let told = line(&song, &text, None, &Caching::default());
        let alone = plainsong_syntax::compile(&format!("{sorts}{told}"));
        assert!(alone.song.is_some(), "{told}\n{:?}", alone.diagnostics);
        assert!(told.contains("worker[w].k = counter.t"), "{told}");
    }

    #[test]
    fn the_page_links_statements_of_the_line_with_the_text() {
        let path =
            Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/two_phase_commit.song");
        let source = Source::load(&path).expect("the example is there");
        let song = plainsong_syntax::compile(&source.text).song;
        let song = song.expect("the example compiles");
        let page = page(&song, &source, None, &Caching::default()).expect("there is a line");
        let line = source.text.lines().position(|row| row.contains("assert c"));
        let line = line.expect("it asserts something") + 1;
        let told = format!("<span data-line=\"{line}\">assert db[d].c ==&gt; db[d].yes;</span>");
        assert!(page.contains(&told), "{page}");
        let rows = page.matches("data-line=\"").count();
        let voices = source.text.lines().count();
        assert!(rows > voices + 5, "only {rows} rows are linked");
    }
}
