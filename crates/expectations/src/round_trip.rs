//! A song is what its printed text means.

use super::answers::compile;
use plainsong_ir::visit::erase_spans;
use plainsong_ir::{Local, Song, System};

/// Prints the song and compiles what was printed: is it the same song?
///
/// Places in the text do not count, and neither do the names of locals: the printer numbers those
/// that would otherwise hide what the text around them means.
pub(super) fn round_trip(song: &Song) -> Result<(), String> {
    let printed = plainsong_ir::print::song(song);
    let again = compile(&printed);
    let Some(again) = again.song else {
        let errors: Vec<&str> = again
            .diagnostics
            .iter()
            .map(|diagnostic| diagnostic.message.as_str())
            .collect();
        return Err(format!(
            "printed, it is rejected: {}\n{printed}",
            errors.join("; ")
        ));
    };
    if essence(song) == essence(&again) {
        Ok(())
    } else {
        Err(format!(
            "printed and compiled again, it is another song:\n{printed}"
        ))
    }
}

fn essence(song: &Song) -> Song {
    let mut song = song.clone();
    erase_spans(&mut song);
    for locals in tables(&mut song) {
        for local in locals {
            local.name.clear();
        }
    }
    song
}

/// Every table of locals.
fn tables(song: &mut Song) -> Vec<&mut Vec<Local>> {
    let mut tables: Vec<&mut Vec<Local>> = Vec::new();
    tables.extend(song.consts.iter_mut().map(|constant| &mut constant.locals));
    tables.extend(
        song.functions
            .iter_mut()
            .map(|function| &mut function.locals),
    );
    let vars = song.families.iter_mut().flat_map(|family| &mut family.vars);
    tables.extend(vars.map(|var| &mut var.locals));
    tables.extend(song.lines.iter_mut().map(|line| &mut line.code.locals));
    tables.extend(
        song.properties
            .iter_mut()
            .chain(&mut song.constraints)
            .map(|property| &mut property.locals),
    );
    match &mut song.system {
        System::None => {}
        System::Voices(voices) => {
            tables.extend(
                voices
                    .processes
                    .iter_mut()
                    .map(|process| &mut process.locals),
            );
            tables.extend(voices.init.iter_mut().map(|code| &mut code.locals));
            let sequences = voices.sequences.iter_mut();
            tables.extend(sequences.map(|sequence| &mut sequence.code.locals));
        }
        System::Actions(actions) => {
            tables.extend(actions.globals.iter_mut().map(|global| &mut global.locals));
            tables.extend(
                actions
                    .actions
                    .iter_mut()
                    .map(|action| &mut action.code.locals),
            );
            tables.extend(actions.init.iter_mut().map(|code| &mut code.locals));
            let invariants = actions.invariants.iter_mut();
            tables.extend(invariants.map(|invariant| &mut invariant.locals));
            let procedures = actions.procedures.iter_mut();
            tables.extend(procedures.map(|procedure| &mut procedure.code.locals));
            let sequences = actions.sequences.iter_mut();
            tables.extend(sequences.map(|sequence| &mut sequence.code.locals));
            let commutes = actions.commutes.iter_mut();
            tables.extend(commutes.map(|commute| &mut commute.locals));
        }
    }
    tables
}
