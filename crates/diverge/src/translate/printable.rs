//! Processes with handlers as actions that can be printed and read again: no families are left.
//!
//! The translation is [`plainsong_ir::handlers_to_actions`]. A message that no handler of its receiver's family takes
//! is never served, and is left out. Families are gone afterwards, so no address may be left in a value.
//!
//! NOT COVERED. What that translation refuses; messages that keep an order, handlers that ask for the sender, addresses
//! that are values, starts that are a choice from a set or under a condition. They are refused.

use super::Refused;
use super::names::Names;
use plainsong_diagnostics::Span;
use plainsong_ir::handlers_to_actions::{Unhandled, handlers_to_actions};
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Actions, Body, Domain, Expr, ExprKind, Song, Source, StartValue, StateVar, System, Voices,
};

/// The song with actions in place of processes, and without properties.
pub(super) fn printable_actions(song: &Song) -> Result<Song, Refused> {
    let voices = song.voices().expect("processes");
    let translated = handlers_to_actions(song, Unhandled::LeftOut)
        .map_err(|why| Refused::new(why.span(), why.to_string()))?;
    refuse(song, voices)?;
    let System::Actions(mut actions) = translated.system else {
        unreachable!("the translation makes actions");
    };
    actions.sequences.clear();
    let song = Song {
        families: Vec::new(),
        system: System::None,
        properties: Vec::new(),
        lines: Vec::new(),
        ..translated
    };
    rename(&mut actions, &mut Names::of(&song));
    let song = Song {
        system: System::Actions(actions),
        ..song
    };
    match address(&song) {
        Some(span) => {
            let why = "addresses that are values are not translated";
            Err(Refused::new(span, why))
        }
        None => Ok(song),
    }
}

fn refuse(song: &Song, voices: &Voices) -> Result<(), Refused> {
    if let Some(message) = voices.first_ordered() {
        let why = "messages in queues are not translated, only unordered ones are";
        return Err(Refused::new(message.span, why));
    }
    for process in &voices.processes {
        let family = &song.families[process.family.index()];
        let is_indexed = !family.index.is_empty();
        let filtered = family
            .vars
            .iter()
            .find(|var| is_indexed && is_filtered(var));
        if let Some(var) = filtered {
            let why = "the start of a family's variable is translated when it is a value, or any value of its type";
            return Err(Refused::new(var.span, why));
        }
        let Body::Handlers(handlers) = &process.body else {
            continue;
        };
        let mut accepts = handlers.iter().map(|one| &one.accept);
        if let Some(asks) = accepts.find(|accept| accept.source != Source::Anyone(None)) {
            let why = "a handler that asks for the sender is not translated";
            return Err(Refused::new(asks.span, why));
        }
    }
    Ok(())
}

fn is_filtered(var: &StateVar) -> bool {
    match &var.start {
        StartValue::Value(_) => false,
        StartValue::Choice(choice) => {
            choice.filter.is_some() || !matches!(choice.domain, Domain::Type(_))
        }
    }
}

/// Names that can be written, and that nothing else has.
fn rename(actions: &mut Actions, names: &mut Names) {
    for global in &mut actions.globals {
        global.name = names.fresh(&global.name.replace('.', "_"));
    }
    for action in &mut actions.actions {
        action.name = names.fresh(&action.name);
    }
}

/// Where an address stands that is a value.
fn address(song: &Song) -> Option<Span> {
    struct Addresses(Option<Span>);
    impl Visit for Addresses {
        fn expr(&mut self, expr: &Expr) {
            if matches!(expr.kind, ExprKind::Pid(..) | ExprKind::SelfPid) {
                self.0.get_or_insert(expr.span);
            }
            walk::expr(self, expr);
        }
    }
    let mut addresses = Addresses(None);
    walk::song(&mut addresses, song);
    addresses.0
}
