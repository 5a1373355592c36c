//! The printed program of every layer of the corpus is a song, and does what the layer does.

use crate::case_studies::songs;
use crate::sequences::compiled;
use plainsong_ir::{Actions, Song, print};
use plainsong_refine::compare::{Behaviours, behaviours};
use plainsong_refine::layer_program::{extract, height};
use plainsong_refine::printed::printable;
use plainsong_semantics::instance::Instance;
use plainsong_semantics::sizes::{Bounds, Sizes};
use std::sync::Arc;

/// The most states of a program.
const STATES: usize = 3_000;

#[test]
fn the_printed_program_of_a_layer_does_what_the_layer_does() {
    let (mut printed, mut compared) = (0, 0);
    for path in songs() {
        let text = std::fs::read_to_string(&path).expect("the song is there");
        // What has to be rejected is no song.
        let Some(song) = plainsong_syntax::compile(&text).song else {
            continue;
        };
        let Some(actions) = song.actions().filter(|actions| actions.is_layered()) else {
            continue;
        };
        for layer in 1..=height(actions) + 1 {
            let again = compiled(&print::song(&printable(&song, layer)));
            printed += 1;
            let both = [Arc::new(extract(&song, layer)), again].map(|one| ways(&one));
            let [Some(one), Some(two)] = both else {
                continue;
            };
            compared += 1;
            assert_eq!(one, two, "{} at layer {layer}", path.display());
        }
    }
    assert!(printed >= 80, "only {printed} programs");
    assert!(compared * 10 >= printed * 7, "only {compared} of {printed}");
}

#[test]
fn what_init_starts_as_an_action_is_started_by_a_procedure() {
    let song = compiled(
        "var x: int = 0;\natomic action put() { x = 1; }\natomic action only_PUT() { x = 2; }\n\
         atomic action PUT() { x = 1; }\nprocedure low() @ 1 refines PUT { call put(); }\n\
         procedure high() @ 2 { call only_PUT(); }\ninit { async high(); async low(); async low(); }\n",
    );
    let printed = print::song(&printable(&song, 2));
    assert!(printed.contains("procedure only_PUT_() @ 1 {"), "{printed}");
    assert_eq!(
        printed.matches("async only_PUT_();").count(),
        2,
        "{printed}"
    );
    compiled(&printed);
}

/// What two instances do; only that they may fail, not how that is told. `None` when that is too much.
fn ways(song: &Arc<Song>) -> Option<Vec<Behaviours>> {
    let globals = song
        .actions()
        .map_or(0, |actions: &Actions| actions.globals.len());
    let seen: Vec<usize> = (0..globals).collect();
    let mut sizes = Sizes::new();
    for sort in &song.sorts {
        sizes = sizes.with(sort.name.clone(), 2);
    }
    let all = Instance::all(song.clone(), &sizes, &Bounds::default()).ok()?;
    let ways = all.iter().take(2).map(|instance| {
        let mut all = behaviours(instance, &seen, STATES)?;
        for way in all.values_mut() {
            way.failing.clear();
            way.failure.iter_mut().for_each(String::clear);
        }
        Some(all)
    });
    ways.collect()
}
