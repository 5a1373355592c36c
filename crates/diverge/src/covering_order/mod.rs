//! Compatibility of an order with transitions (as in well-structured transition systems): is what `covers` says compatible with
//! the handlers?
//!
//! Statement. Let two states of a process and two messages be given, the later ones covering the earlier ones. `covers` is
//! *compatible* if, for every handler, whatever it does with the earlier ones it can also do with the later ones, such that
//! it sends as many messages to the same processes, each covering its counterpart, and leaves a state
//! that covers the earlier one's.
//!
//! Why that is enough is said in [`order`](plainsong_semantics::covering_order): covering is then a simulation, and a run that
//! leads to a state that covers its beginning never has to end.
//!
//! What has to be shown is one line of sequential code for each handler, in which both runs go side by side
//! ([`relational_product`]): where something is sent, chosen or repeated, conditions are asserted to be decided alike; choices are made
//! by the earlier run and followed by the later one; elsewhere each run goes its own way. A handler that fails ends the execution. So the earlier run is assumed not to fail, and the later one
//! must be shown not to: expressions of the earlier run have no place in the text, by which whoever discharges the
//! obligations knows that nothing is to be shown of them ([`Duty::is_owed`]).
//!
//! Source. [Alive12], section 6 asks for a compatible order; the product of two runs is the usual one for relational
//! proofs.
//! NOT COVERED. Actions, bodies, faults, ordered delivery, `while`, two handlers of one message in a process, handlers
//! that name their sender: refused, with the reason. Later runs that would have to choose otherwise than earlier ones
//! are not found.

mod copies;
mod relational_product;

use plainsong_diagnostics::Span;
use plainsong_ir::print::Context;
use plainsong_ir::{Body, Delivery, Handler, Process, Song, Source, Voices};
use plainsong_semantics::covering_order::{is_covered, is_declared};
use relational_product::Writer;

/// What has to be shown of one handler.
#[derive(Clone, Debug)]
pub struct Duty {
    /// The handler, as a user would name it.
    pub handler: String,
    /// The parameters of its line, as the song names them.
    pub parameters: Vec<String>,
    /// A song with one line whose obligations have to be shown.
    pub song: Song,
    /// What it means when what is asked at a place of the text is not so.
    pub meanings: Vec<(Span, String)>,
}

impl Duty {
    /// Is something to be shown at this place? Not that the earlier run does not fail.
    pub fn is_owed(&self, span: Span, is_definedness: bool) -> bool {
        !(is_definedness && span == Span::default())
    }

    /// What it means when something is not so at this place.
    pub fn meaning(&self, span: Span) -> &str {
        let known = self.meanings.iter().find(|(known, _)| *known == span);
        known.map_or("a step may fail", |(_, meaning)| meaning)
    }
}

/// What has to be shown for `covers` to be compatible, if the song declares it; or why nobody can tell.
pub fn duties(song: &Song) -> Option<Result<Vec<Duty>, String>> {
    is_declared(song).then(|| all(song))
}

fn all(song: &Song) -> Result<Vec<Duty>, String> {
    let voices = song.voices().expect("only processes declare what covers");
    if !is_covered(voices) {
        return Err(
            "it is used only where all processes have handlers and there are no faults".to_owned(),
        );
    }
    let is_ordered = |delivery: Option<Delivery>| delivery.is_some_and(Delivery::keeps_order);
    if let Some(message) = voices.messages.iter().find(|one| is_ordered(one.delivery)) {
        let name = &message.name;
        return Err(format!(
            "it is used only where nothing is delivered in order, and `{name}` is"
        ));
    }
    let mut duties = Vec::new();
    for process in &voices.processes {
        let Body::Handlers(handlers) = &process.body else {
            continue;
        };
        for handler in handlers {
            let name = name(song, voices, process, handler);
            plain(handlers, handler).map_err(|why| format!("{name}: {why}"))?;
            let duty = Writer::new(song, voices, process, handler).duty(&name);
            duties.push(duty.map_err(|why| format!("{name}: {why}"))?);
        }
    }
    Ok(duties)
}

/// Which messages a handler takes must not depend on others, nor on who is meant by an expression.
fn plain(handlers: &[Handler], handler: &Handler) -> Result<(), String> {
    let message = handler.accept.message;
    let alike = handlers.iter().filter(|one| one.accept.message == message);
    if alike.count() > 1 {
        return Err("another handler takes the same message, which is not covered".to_owned());
    }
    match handler.accept.source {
        Source::Process(_) => Err("it names its sender, which is not covered".to_owned()),
        _ => Ok(()),
    }
}

fn name(song: &Song, voices: &Voices, process: &Process, handler: &Handler) -> String {
    let family = &song.families[process.family.index()].name;
    let message = &voices.messages[handler.accept.message.index()].name;
    format!("`on {message}` of `{family}`")
}

/// An expression of a process as the song prints it, on one line.
fn text(song: &Song, process: &Process, expr: &plainsong_ir::Expr) -> String {
    let context = Context {
        song,
        locals: &process.locals,
        family: Some(process.family),
    };
    let text = context.expr(expr);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
