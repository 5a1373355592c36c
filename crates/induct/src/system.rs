//! What is proved about: an action system, or processes as one.

use plainsong_diagnostics::Span;
use plainsong_ir::build::{all, binary, truth};
use plainsong_ir::handlers_to_actions::{Unhandled, processes_to_actions};
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::waiting::true_of_final_states;
use plainsong_ir::{ActionId, Actions, BinOp, Claim, Expr, ExprKind, PendingOf, Song, Temporal};
use plainsong_semantics::constraints::has_constraints;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Why there is no proof by induction of a song.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Where the reason stands in the text.
    pub span: Span,
    /// One sentence without a full stop.
    pub why: String,
}

impl Refused {
    /// Because of something in the text.
    pub fn new(span: Span, why: impl Into<String>) -> Refused {
        Refused {
            span,
            why: why.into(),
        }
    }
}

/// A song as an action system, and what its claims count.
#[derive(Clone, Debug)]
pub struct System {
    /// The song; its system are actions.
    pub song: Arc<Song>,
    /// The claims about its states, by position among the properties; behind those of the text, what bodies know.
    pub claims: Vec<usize>,
    /// The claims about final states, as claims about all states of which what is known of final ones is true.
    pub finals: Vec<usize>,
    /// How many properties are of the text.
    pub own: usize,
    /// The actions whose pending asyncs some claim counts.
    pub counted: BTreeSet<ActionId>,
}

impl System {
    /// The action system of a song, or why there is none to prove something about.
    pub fn of(song: &Arc<Song>) -> Result<System, Refused> {
        if has_constraints(song) {
            let why = "the song says which states are searched, and proofs are about all of them";
            return Err(Refused::new(Span::default(), why));
        }
        let own = song.properties.len();
        let of = |test: fn(&Claim) -> bool| -> Vec<usize> {
            let all = 0..song.properties.len();
            all.filter(|at| test(&song.properties[*at].claim)).collect()
        };
        let mut claims = of(|claim| matches!(claim, Claim::Always(_)));
        let mut finals = of(|claim| matches!(claim, Claim::Finally(_)));
        let mut song = match song.voices() {
            None => about_final_states(song),
            Some(_) => match translated(song, &[&claims[..], &finals[..]].concat()) {
                Ok(translated) => translated,
                // Claims about final states that count what nobody takes are left out: they are no reason to show nothing.
                Err(_) => {
                    finals.retain(|at| !pending_in(song, &[*at]).contains(&None));
                    translated(song, &[&claims[..], &finals[..]].concat())?
                }
            },
        };
        for property in &mut song.properties {
            if let Claim::Finally(claim) = &property.claim {
                property.claim = Claim::Always(claim.clone());
            }
        }
        let song = Arc::new(song);
        claims.extend(own..song.properties.len());
        let Some(actions) = song.actions() else {
            let why = "there is no system: choreographies are for `prove`";
            return Err(Refused::new(Span::default(), why));
        };
        if actions.is_layered() {
            let why = "a program in layers is for `refine`";
            return Err(Refused::new(Span::default(), why));
        }
        let counted = counted(&song, actions, &[&claims[..], &finals[..]].concat());
        Ok(System {
            song,
            claims,
            finals,
            own,
            counted,
        })
    }

    /// The same, counting every async: for proofs that somebody can go on.
    pub fn for_responses(song: &Arc<Song>) -> Result<System, Refused> {
        let mut system = System::of(song)?;
        let temporal = song.properties.iter().filter_map(|one| match &one.claim {
            Claim::Temporal(temporal) => Some(temporal),
            _ => None,
        });
        let mut finder = Finder(Vec::new());
        let conditions = temporal.flat_map(Temporal::conditions);
        conditions.for_each(|condition| finder.expr(condition));
        if let Some(voices) = song.voices() {
            if let Some(fault) = voices.faults.first() {
                let why = "responses for every size are proved of systems without faults";
                return Err(Refused::new(fault.span, why));
            }
            // Messages that nobody handles count where something is counted.
            let unhandled = match finder.0.is_empty() {
                true => Unhandled::LeftOut,
                false => Unhandled::Refused,
            };
            let translated = processes_to_actions(song, unhandled);
            translated.map_err(|why| Refused::new(why.span(), why.to_string()))?;
            let between = system.actions().actions.iter().find(|one| {
                let moves = one.role.moves.as_ref();
                moves.is_some_and(|moves| moves.between)
            });
            if let Some(action) = between {
                let why = "a loop of a body may go round without communicating, and what holds in between is not seen by claims";
                return Err(Refused::new(action.span, why));
            }
        }
        let actions = system.actions().actions.iter().enumerate();
        let pending = actions.filter(|(_, action)| !action.role.repeat);
        system.counted = pending.map(|(at, _)| ActionId::from(at)).collect();
        Ok(system)
    }

    /// Its actions.
    pub fn actions(&self) -> &Actions {
        self.song.actions().expect("the system are actions")
    }
}

/// Claims about final states of an action system as claims about all.
fn about_final_states(song: &Song) -> Song {
    let mut whole = song.clone();
    let Some(actions) = song.actions() else {
        return whole;
    };
    for property in &mut whole.properties {
        if let Claim::Finally(claim) = &mut property.claim {
            let known = true_of_final_states(actions, &mut property.locals);
            let span = claim.span;
            let conclusion = std::mem::replace(claim, truth(true));
            *claim = binary(BinOp::Implies, all(known), conclusion).at(span);
        }
    }
    whole
}

/// Messages to somebody who does not take them are left out, unless all of a kind are counted.
fn translated(song: &Song, claims: &[usize]) -> Result<Song, Refused> {
    let counts_all = pending_in(song, claims).contains(&None);
    let unhandled = match counts_all {
        true => Unhandled::Refused,
        false => Unhandled::LeftOut,
    };
    processes_to_actions(song, unhandled).map_err(|why| Refused::new(why.span(), why.to_string()))
}

/// The actions that claims count.
fn counted(song: &Song, actions: &Actions, claims: &[usize]) -> BTreeSet<ActionId> {
    let mut counted = BTreeSet::new();
    let offered = |id: &ActionId| actions.actions[id.index()].role.repeat;
    for what in pending_in(song, claims) {
        match what {
            Some(id) => _ = counted.insert(id),
            None => counted.extend((0..actions.actions.len()).map(ActionId::from)),
        }
    }
    counted.retain(|id| !offered(id));
    counted
}

/// What claims count: each an action, or everything.
fn pending_in(song: &Song, claims: &[usize]) -> Vec<Option<ActionId>> {
    let mut finder = Finder(Vec::new());
    for at in claims {
        if let Claim::Always(claim) | Claim::Finally(claim) = &song.properties[*at].claim {
            finder.expr(claim);
        }
    }
    finder.0
}

/// Collects what expressions count.
struct Finder(Vec<Option<ActionId>>);

impl Visit for Finder {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Pending(PendingOf::Action(id)) | ExprKind::PendingOf(id, _) => {
                self.0.push(Some(*id));
            }
            ExprKind::Pending(_) => self.0.push(None),
            _ => {}
        }
        walk::expr(self, expr);
    }
}
