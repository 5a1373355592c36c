//! Endpoint projection: from a choreography (the line) to processes (the voices).
//!
//! [`project`] takes a choreography and gives the processes that together do what it says: one for
//! each endpoint, one family for each family of endpoints, a message for each transfer. First every
//! statement is *located* (`locate`): who does it, who has to be told what (*knowledge of choice*). Then
//! every process keeps what is its own (`voice`). Multiparty session types project a type in this way; here it is the program.
//!
//! Why it is right. Let the line's guards be unanimous (whoever decides by its own conjunct comes to
//! the same result; the prover shows it). (a) *Same trace*: by induction on the line's execution,
//! everybody who takes part in a statement knows that it is next, by its own conjunct or because it
//! was told; so each process does exactly its part of the line's statements, in the line's order.
//! (b) *No deadlock*: the earliest statement that somebody has not finished can be gone on with,
//! since all who take part in it have finished what came before. (c) *Same result*: every message
//! has one sender and one receiver, who names the sender, so it is a Kahn network: what is computed
//! does not depend on the schedule, and the line is one of the schedules. Free choices are made by
//! one process each; for each vector of outcomes the argument holds. (d) *Where the line does not end*, neither do the
//! processes: those who decide about a loop keep it, and nobody fails behind it (`ahead`).
//!
//! Tests compare the final states of line and voices for every choreography of the corpus and for
//! random ones.

mod ahead;
pub mod codes;
mod core;
mod locate;
mod names;
mod owned;
mod owner;
mod participants;
mod projection_context;
mod quick_fix;
mod run_elsewhere;
pub mod rust;
mod terms;
mod voice;

pub use owned::owned;
pub use quick_fix::mended;

use plainsong_diagnostics::Diagnostic;
use plainsong_ir::Song;

/// How strict projection is, and who decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The literal conditions of the paper: nothing is repaired.
    pub strict: bool,
    /// One endpoint decides every condition of several, and tells the others; then nothing has to
    /// be shown about them.
    pub decide: bool,
}

/// The voices of a choreography.
#[derive(Clone, Debug)]
pub struct Projection {
    /// A song of processes. The endpoints' names, indices and variables are as in the line; its
    /// parameters are parameters of the song; message kinds are the places where something is sent,
    /// in the order of the line.
    pub song: Song,
    /// How many message kinds there are that the line does not show.
    pub added_messages: usize,
    /// What was repaired, assumed or left out.
    pub notes: Vec<Diagnostic>,
}

/// The voices of one of the song's choreographies, by position; or why there are none.
pub fn project(song: &Song, line: usize, options: &Options) -> Result<Projection, Vec<Diagnostic>> {
    let decl = &song.lines[line];
    if decl.endpoints.is_empty() {
        let message = format!(
            "`{}` has no endpoints, so no process could run it",
            decl.name
        );
        let help = "declare endpoints first: `endpoint a { var v: int = 0; }`";
        let problem = Diagnostic::error(&codes::NO_ENDPOINTS, decl.span, message);
        return Err(vec![problem.help(help)]);
    }
    let (mut locate, body) = locate::Locate::whole(song, decl, options);
    let mut notes = std::mem::take(&mut locate.problems);
    let score = projection_context::Located {
        body: &body,
        locals: &locate.locals,
        messages: &locate.messages,
    };
    if notes.iter().any(Diagnostic::is_error) {
        locate::who_is_meant_first(&mut notes);
        plainsong_diagnostics::sort(&mut notes);
        return Err(notes);
    }
    let line = song;
    let song = projection_context::assemble(line, decl, &score);
    notes.extend(run_elsewhere::misplaced_calls(line, decl, &song));
    if notes.iter().any(Diagnostic::is_error) {
        plainsong_diagnostics::sort(&mut notes);
        return Err(notes);
    }
    if let Err(violations) = plainsong_ir::validate::validate(&song) {
        panic!("projected voices are a song: {violations:?}");
    }
    plainsong_diagnostics::sort(&mut notes);
    Ok(Projection {
        song,
        added_messages: locate.added,
        notes,
    })
}
