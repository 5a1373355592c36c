//! What `plainsong refine` prints besides verdicts: the program of a layer, the line of schedules, and how
//! actions move.

use crate::Problem;
use plainsong_ir::handlers_to_actions::{Unhandled, handlers_to_actions};
use plainsong_ir::{Song, System, print};
use plainsong_prove::theory::Theory;
use plainsong_refine::answer::Prover;
use plainsong_refine::layer_program::{height, topmost};
use plainsong_refine::printed::printable;
use plainsong_refine::refine::Refining;
use plainsong_refine::sequential;
use plainsong_smt::{Caching, Cancel, Setup, Solvers};
use plainsong_syntax::ast::Item;
use std::sync::Arc;

/// The program of a layer as source text.
pub fn emitted(song: &Song, layer: u32) -> String {
    print::song(&printable(song, layer))
}

/// The layer that is meant by a number, or by a name that the text gives it.
pub fn numbered(song: &Song, text: &str, said: &str) -> Result<u32, Problem> {
    let names = names(text);
    let top = song.actions().map_or(1, |actions| height(actions) + 1);
    let number = match said.parse::<u32>() {
        Ok(number) => Some(number),
        Err(_) => {
            let at = names.iter().position(|name| name == said);
            at.and_then(|at| u32::try_from(at + 1).ok())
        }
    };
    number
        .filter(|number| (1..=top).contains(number))
        .ok_or_else(|| {
            let named = match names.is_empty() {
                true => String::new(),
                false => format!("; by name: {}", names.join(", ")),
            };
            Problem::new(format!("there is no layer `{said}`"))
                .help(format!("the layers are 1 to {top}{named}"))
        })
}

/// The names of layers, from the lowest.
fn names(text: &str) -> Vec<String> {
    let items = plainsong_syntax::parse(text).root().items();
    let layers = items.filter_map(|item| match item {
        Item::Layers(item) => Some(item.names()),
        _ => None,
    });
    layers
        .flatten()
        .map(|name| name.text().to_owned())
        .collect()
}

/// The line that all schedules of a song lead to, as source text; `None` if it has no schedules. It says so if not all
/// that was asked is proved.
pub fn line(song: &Song, proved: bool) -> Option<String> {
    let count = song.sequences().len();
    let handlers = handlers_to_actions(song, Unhandled::Refused).ok();
    let song = handlers.as_ref().unwrap_or(song);
    let top = song.actions()?.is_layered().then(|| topmost(song).0);
    let song = top.as_ref().unwrap_or(song);
    let text = (count > 0).then(|| print::song(&named(sequential::line(song, count))))?;
    Some(match proved {
        true => text,
        false => format!("// Not all was proved: the program may do what this does not.\n\n{text}"),
    })
}

/// Variables of processes get names of their own.
fn named(mut song: Song) -> Song {
    if let System::Actions(actions) = &mut song.system {
        for global in &mut actions.globals {
            global.name = global.name.replace('.', "_");
        }
    }
    song
}

/// Which way each action moves, and what keeps it from moving further.
pub fn movers(song: &Arc<Song>, caching: &Caching) -> String {
    let solvers = Solvers::new(Setup::with_caching(caching));
    let mut theory = Theory::new(song.clone());
    let mut prover = Prover {
        theory: &mut theory,
        solvers: &solvers,
        cancel: &Cancel::default(),
        seed: 0,
        second: None,
    };
    Refining::new(song).movers(&mut prover)
}
