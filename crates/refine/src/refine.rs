//! Putting it together: what is claimed, what it rests on, and the answer.
//!
//! The theorem is about a whole program: if all movers that are used move as declared, all procedures are
//! atomic between their yields at each of their layers, and all that is asked of them from yield to yield was
//! shown, then the program of layer 1 refines the one above the last layer. So a procedure counts as proved
//! only when everything else was shown too; otherwise the answer says what it rests on.

use crate::action_refines;
use crate::answer::{Answer, Missing, Proof, Prover, Refutation};
use crate::atomicity::{atomicity, movers_used};
use crate::brute::Brute;
use crate::compare::{Compared, compare_with};
use crate::counterexample_state::{Which, told};
use crate::culprit;
use crate::handlers::Handlers;
use crate::inferred_movers;
use crate::initial_safety;
use crate::layer_program::{height, topmost};
use crate::linear_permissions;
use crate::movers::{Side, moves, picks, sides, strengthened};
use crate::negative_cache::Tried;
use crate::procedures::{Choices, obligations, pending};
use crate::sequential::Sequences;
use crate::trusted::{external, trusted};
use plainsong_diagnostics::place_marker;
use plainsong_ir::{ActionId, Actions, Procedure, ProcedureId, Song};
use plainsong_prove::obligation::Obligation;
use plainsong_prove::theory::Theory;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The largest size of sorts that small states are tried with.
const LARGEST: i64 = 3;
/// The most states that are tried for each condition.
const STATES: usize = 3_000;
/// The most states of a small program.
const PROGRAM_STATES: usize = 20_000;

/// A song whose claims are being looked at.
pub struct Refining {
    song: Arc<Song>,
    brute: Brute,
    moving: BTreeMap<(ActionId, Side), Answer>,
    local: BTreeMap<ProcedureId, Answer>,
    layers: BTreeMap<u32, Option<Refutation>>,
    /// Are small programs tried too?
    tries: bool,
    sequences: Sequences,
    /// Were types of actions inferred that have none?
    inferred: bool,
    /// That no action doubles a permission, by sentences about each, or why this is not known.
    linear: Option<Result<Vec<String>, Missing>>,
    /// Why nothing is known about final states, if that is so.
    stays: Option<String>,
    /// The program above all procedures, and the positions of its properties in the song.
    top: Option<(Arc<Song>, Vec<usize>)>,
}

impl Refining {
    /// Nothing looked at yet.
    pub fn new(song: &Arc<Song>) -> Refining {
        Refining {
            brute: Brute::new(song, LARGEST, STATES),
            tries: true,
            sequences: Sequences::default(),
            ..Refining::by_proof_alone(song)
        }
    }

    /// Processes with handlers as actions. What is refuted carries over when messages come in any order.
    pub fn of_handlers(handlers: Handlers) -> Refining {
        let song = Arc::new(handlers.song);
        let mut refining = match handlers.ordered {
            true => Refining::by_proof_alone(&song),
            false => Refining::new(&song),
        };
        refining.sequences.names = Some(handlers.names);
        refining.stays = handlers.stays;
        refining
    }

    /// The song whose claims are looked at.
    pub fn song(&self) -> &Arc<Song> {
        &self.song
    }

    /// The same without small states and programs: nothing is refuted.
    pub fn by_proof_alone(song: &Arc<Song>) -> Refining {
        Refining {
            song: song.clone(),
            brute: Brute::new(song, 0, 0),
            tries: false,
            inferred: false,
            linear: None,
            stays: None,
            top: None,
            moving: BTreeMap::new(),
            local: BTreeMap::new(),
            layers: BTreeMap::new(),
            sequences: Sequences::by_proof_alone(),
        }
    }

    /// May asyncs be thought to run as a schedule says? Above all procedures, if there are some.
    pub fn sequence(&mut self, at: usize, prover: &mut Prover<'_>) -> Answer {
        if let Err(why) = self.permissions(prover) {
            return Answer::unknown(why);
        }
        let (top, _) = self.topmost();
        self.sequences.sequence(&top, at, prover)
    }

    /// Does a property of final states hold, seen from the end of the schedules?
    pub fn finally(&mut self, property: usize, prover: &mut Prover<'_>) -> Answer {
        if let Err(why) = self.rests_on_layers(prover) {
            return Answer::unknown(why);
        }
        let (top, positions) = self.topmost();
        let position = positions.iter().position(|at| *at == property);
        match (&self.stays, position) {
            (Some(why), _) => Answer::unknown(why.clone()),
            (None, Some(at)) => {
                let answer = self.sequences.finally(&top, at, prover);
                self.with_trust(answer)
            }
            (None, None) => {
                let why = "it speaks about variables that are not there at every layer";
                Answer::unknown(why.to_owned())
            }
        }
    }

    /// Can nothing fail, seen from the schedules, or from above all procedures?
    pub fn assertions(&mut self, prover: &mut Prover<'_>) -> Answer {
        let (top, _) = self.topmost();
        let answer = match self.rests_on_layers(prover) {
            Err(why) => Answer::unknown(why),
            Ok(()) if top.sequences().is_empty() => initial_safety::shown(&top, prover),
            Ok(()) => self.sequences.assertions(&top, prover),
        };
        let answer = self.with_trust(answer);
        let is_open = matches!(answer, Answer::Unknown(_)) && actions(&self.song).is_layered();
        if !is_open || !self.tries {
            return answer;
        }
        let tried = Tried::new(prover.solvers, &self.song);
        let found = tried.search("layer 1 fails", || initial_safety::refuted(&self.song));
        found.map_or(answer, Answer::Refuted)
    }

    /// The program above all procedures, and the positions of its properties in the song.
    fn topmost(&mut self) -> (Arc<Song>, Vec<usize>) {
        let song = &self.song;
        let made = self
            .top
            .get_or_insert_with(|| match actions(song).is_layered() {
                true => {
                    let (top, positions) = topmost(song);
                    (Arc::new(top), positions)
                }
                false => (song.clone(), (0..song.properties.len()).collect()),
            });
        made.clone()
    }

    /// That the program above all procedures may be looked at instead.
    fn rests_on_layers(&mut self, prover: &mut Prover<'_>) -> Result<(), Missing> {
        self.infer(prover);
        self.permissions(prover)?;
        let song = self.song.clone();
        for (at, procedure) in actions(&song).procedures.iter().enumerate() {
            let answer = self.procedure(ProcedureId::from(at), prover);
            if !matches!(answer, Answer::Proved(_)) {
                let name = &procedure.name;
                return Err(format!("this rests on `{name}`, which is not proved").into());
            }
        }
        Ok(())
    }

    /// Does an action move as it is declared to, and refine what it is declared to refine?
    pub fn mover(&mut self, action: ActionId, prover: &mut Prover<'_>) -> Answer {
        self.infer(prover);
        let song = self.song.clone();
        let declared = actions(&song).actions[action.index()].role.mover;
        let mut proof = Proof::default();
        if let Err(why) = self.permissions(prover) {
            return Answer::unknown(why);
        }
        for side in declared.map(sides).unwrap_or_default() {
            match self.side(action, side, prover) {
                Answer::Proved(more) => {
                    proof.obligations += more.obligations;
                    proof.explained.extend(more.explained);
                }
                Answer::Refuted(why) => {
                    return Answer::Refuted(Refutation {
                        reason: format!("not a {} mover: {}", side.name(), why.reason),
                        ..why
                    });
                }
                unknown => return unknown,
            }
        }
        match action_refines::refines(&song, action, &self.brute, prover) {
            None => Answer::Proved(proof),
            Some(Answer::Proved(more)) => {
                proof.obligations += more.obligations;
                proof.explained.extend(more.explained);
                Answer::Proved(proof)
            }
            Some(answer) => answer,
        }
    }

    /// Types for actions without one, where procedures need them.
    fn infer(&mut self, prover: &mut Prover<'_>) {
        if std::mem::replace(&mut self.inferred, true) {
            return;
        }
        let wanted = inferred_movers::wanted(actions(&self.song));
        if wanted.is_empty() {
            return;
        }
        let mut song = (*self.song).clone();
        for id in wanted {
            let mut sides = vec![Side::Left, Side::Right];
            sides.retain(|side| matches!(self.side(id, *side, prover), Answer::Proved(_)));
            if let Some(mover) = inferred_movers::strongest(&sides) {
                inferred_movers::declared(&mut song, id, mover);
            }
        }
        self.song = Arc::new(song);
    }

    fn side(&mut self, action: ActionId, side: Side, prover: &mut Prover<'_>) -> Answer {
        if let Some(known) = self.moving.get(&(action, side)) {
            return known.clone();
        }
        let strong = strengthened(&self.song, action).filter(|_| side == Side::Left);
        let answer = match strong {
            None => moves(&self.song, action, side, &self.brute, prover),
            Some(song) => self.moves_if(&Arc::new(song), action, side, prover),
        };
        self.moving.insert((action, side), answer.clone());
        answer
    }

    /// Does an action move when what it requires holds?
    fn moves_if(
        &self,
        song: &Arc<Song>,
        action: ActionId,
        side: Side,
        prover: &mut Prover<'_>,
    ) -> Answer {
        let brute = match self.tries {
            true => Brute::new(song, LARGEST, STATES),
            false => Brute::new(song, 0, 0),
        };
        let mut theory = Theory::new(song.clone());
        moves(song, action, side, &brute, &mut prover.about(&mut theory))
    }

    /// Does a procedure refine its action?
    pub fn procedure(&mut self, procedure: ProcedureId, prover: &mut Prover<'_>) -> Answer {
        self.infer(prover);
        let song = self.song.clone();
        let actions = actions(&song);
        let own = self.of_procedure(procedure, prover);
        let Answer::Proved(mut proof) = own else {
            return own;
        };
        match self.permissions(prover) {
            Ok(told) => proof.explained.extend(told),
            Err(why) => return Answer::unknown(why),
        }
        for action in self.used(actions) {
            if !matches!(self.mover(action, prover), Answer::Proved(_)) {
                return rests_on(&actions.actions[action.index()].name);
            }
        }
        for at in 0..actions.procedures.len() {
            let other = ProcedureId::from(at);
            if !matches!(self.of_procedure(other, prover), Answer::Proved(_)) {
                return rests_on(&actions.procedures[at].name);
            }
        }
        proof.notes.extend(trusted(actions, procedure));
        proof.notes.extend(external(&song));
        Answer::Proved(proof)
    }

    /// The same, with what external functions promise: what is shown of the program above all procedures rests on them, too.
    fn with_trust(&self, answer: Answer) -> Answer {
        match answer {
            Answer::Proved(mut proof) => {
                proof.notes.extend(external(&self.song));
                Answer::Proved(proof)
            }
            other => other,
        }
    }

    /// That no action doubles a permission, which everything rests on.
    fn permissions(&mut self, prover: &mut Prover<'_>) -> Result<Vec<String>, Missing> {
        if let Some(known) = &self.linear {
            return known.clone();
        }
        let mut all = Vec::new();
        for at in 0..actions(&self.song).actions.len() {
            let more = linear_permissions::obligations(prover.theory, ActionId::from(at));
            match more {
                Ok(more) => all.extend(more.into_iter().map(|one| (at, one))),
                Err(why) => return Err(why.message.into()),
            }
        }
        let (of, all): (Vec<usize>, Vec<_>) = all.into_iter().unzip();
        let open = prover.open("permissions", &all);
        let answer = match open.first() {
            None => Ok(all
                .iter()
                .map(|one| format!("{}: {}", one.rule.name(), one.sentence))
                .collect()),
            Some((at, why)) => {
                let one = &all[*at];
                let rule = one.rule.name();
                let seen = self.brute.doubles(ActionId::from(of[*at]));
                let why = seen.unwrap_or_else(|| why.to_string());
                let why = format!("not proved: {} ({rule}): {why}", one.sentence);
                Err(Missing::of(why, &all, &open))
            }
        };
        self.linear = Some(answer.clone());
        answer
    }

    /// What keeps a step from moving left, if that was looked at.
    fn what_stops(&self, step: Option<ActionId>) -> String {
        let found = step.and_then(|id| Some((id, self.moving.get(&(id, Side::Left))?)));
        match found {
            Some((id, Answer::Refuted(why))) => {
                let name = &actions(&self.song).actions[id.index()].name;
                format!(". `{name}` is not a left mover: {}", why.reason)
            }
            _ => String::new(),
        }
    }

    /// Every action whose declared type some procedure makes use of, or that another stands in the place of.
    fn used(&self, actions: &Actions) -> BTreeSet<ActionId> {
        let refining = |at: &usize| actions.actions[*at].role.refines.is_some();
        let refining = (0..actions.actions.len()).filter(refining);
        let mut used: BTreeSet<ActionId> = refining.map(ActionId::from).collect();
        for procedure in &actions.procedures {
            for layer in 1..=procedure.layer {
                used.extend(movers_used(actions, procedure, layer));
            }
        }
        used
    }

    /// What is shown about one procedure by itself.
    fn of_procedure(&mut self, id: ProcedureId, prover: &mut Prover<'_>) -> Answer {
        if let Some(known) = self.local.get(&id) {
            return known.clone();
        }
        let answer = match self.shown(id, prover) {
            Ok(proof) => Answer::Proved(proof),
            Err(why) => self.refuted(id, prover).unwrap_or(Answer::unknown(why)),
        };
        self.local.insert(id, answer.clone());
        answer
    }

    fn shown(&self, id: ProcedureId, prover: &mut Prover<'_>) -> Result<Proof, Missing> {
        if Arc::ptr_eq(&self.song, &prover.theory.song) {
            return self.shown_of(id, prover);
        }
        // With the types that were inferred.
        let mut theory = Theory::new(self.song.clone());
        self.shown_of(id, &mut prover.about(&mut theory))
    }

    fn shown_of(&self, id: ProcedureId, prover: &mut Prover<'_>) -> Result<Proof, Missing> {
        let actions = actions(&self.song);
        let procedure = &actions.procedures[id.index()];
        for layer in 1..=procedure.layer {
            let atomic = atomicity(actions, procedure, layer);
            atomic.map_err(|why| why.message + &self.what_stops(why.step))?;
        }
        let (mut all, layers) = self.asked_of(id, prover, Choices::Named)?;
        let mut open = prover.open(&procedure.name, &all);
        if !open.is_empty() && shares_names(actions, procedure) {
            let (others, _) = self.asked_of(id, prover, Choices::Some)?;
            if prover.open(&procedure.name, &others).is_empty() {
                open.clear();
                all = others;
            }
        }
        if let Some((at, why)) = open.first() {
            let one = &all[*at];
            let others = match open.len() {
                1 => String::new(),
                count => format!(", and {} more", count - 1),
            };
            let rule = one.rule.name();
            let example = self.example(id, &all, *at, &layers, prover);
            let why = format!(
                "not proved: {} ({rule}, {why}){others}{example}",
                one.sentence
            );
            return Err(Missing::of(why, &all, &open));
        }
        let explained = all.iter();
        Ok(Proof {
            obligations: all.len(),
            explained: explained
                .map(|one| {
                    let (rule, place) = (one.rule.name(), place_marker(one.span));
                    format!("{rule}: {} ({place})", one.sentence)
                })
                .collect(),
            notes: Vec::new(),
        })
    }

    /// What is asked of a procedure, and where the obligations of each layer begin.
    fn asked_of(
        &self,
        id: ProcedureId,
        prover: &mut Prover<'_>,
        choices: Choices,
    ) -> Result<(Vec<Obligation>, Beginnings), String> {
        let actions = actions(&self.song);
        let procedure = &actions.procedures[id.index()];
        let mut all: Vec<Obligation> = Vec::new();
        let mut layers = Beginnings::new();
        for layer in 1..=procedure.layer {
            layers.push((layer, all.len()));
            let more = obligations(prover.theory, id, layer, choices);
            all.extend(more.map_err(|why| why.message)?);
        }
        for layer in procedure.layer + 1..=height(actions) {
            let more = pending(prover.theory, id, layer);
            all.extend(more.map_err(|why| why.message)?);
        }
        Ok((all, layers))
    }

    /// A small state in which an open obligation is false, told; nothing if none is found.
    fn example(
        &self,
        id: ProcedureId,
        all: &[Obligation],
        at: usize,
        layers: &[(u32, usize)],
        prover: &Prover<'_>,
    ) -> String {
        let own = layers.iter().rev().find(|(_, from)| *from <= at);
        let Some((layer, from)) = own.filter(|_| self.tries) else {
            return String::new();
        };
        let sentence = &all[at].sentence;
        let same = all[*from..at]
            .iter()
            .filter(|one| one.sentence == *sentence);
        let which = Which {
            procedure: id,
            layer: *layer,
            sentence,
            number: same.count(),
        };
        let told = told(&self.song, &which, prover);
        told.map_or(String::new(), |told| format!("; {told}"))
    }

    /// What is wrong at the layer where a procedure gives way, if small programs show it and it is to blame.
    fn refuted(&mut self, id: ProcedureId, prover: &mut Prover<'_>) -> Option<Answer> {
        let song = self.song.clone();
        let actions = actions(&song);
        actions.init.as_ref().filter(|_| self.tries)?;
        let (layer, top) = (actions.procedures[id.index()].layer, height(actions) + 1);
        let tried = Tried::new(prover.solvers, &song);
        let search = || {
            let about = format!("layer {layer}");
            tried.search(&about, || differs(&song, layer, top))
        };
        let found = self.layers.entry(layer).or_insert_with(search).clone()?;
        let mut others: Vec<ProcedureId> = culprit::of_layer(actions, layer);
        others.retain(|other| *other != id && self.shown(*other, prover).is_err());
        if others.is_empty() {
            return Some(Answer::Refuted(found));
        }
        let failing = culprit::failing(&song, layer, LARGEST - 1, PROGRAM_STATES);
        let is_to_blame = |one: &ProcedureId| match failing.is_empty() {
            false => failing.contains(one),
            true => {
                let alone = Arc::new(culprit::alone(&song, *one));
                differs(&alone, layer, top).is_some()
            }
        };
        if !is_to_blame(&id) && others.iter().any(is_to_blame) {
            return None;
        }
        Some(Answer::Refuted(found))
    }

    /// Which way each action moves, and what keeps it from moving further, as text.
    pub fn movers(&mut self, prover: &mut Prover<'_>) -> String {
        let song = self.song.clone();
        let Some(actions) = song.actions() else {
            return "There are no actions.\n".to_owned();
        };
        let mut told = String::new();
        for (at, action) in actions.actions.iter().enumerate() {
            let id = ActionId::from(at);
            let answers = [Side::Left, Side::Right].map(|side| (side, self.side(id, side, prover)));
            let is = |at: usize| matches!(answers[at].1, Answer::Proved(_));
            let name = match (is(0), is(1)) {
                (true, true) => "both",
                (true, false) => "left",
                (false, true) => "right",
                (false, false) => "atomic",
            };
            told.push_str(&format!("{name:6} action {}\n", action.name));
            for (side, answer) in &answers {
                let why = match answer {
                    Answer::Proved(_) => continue,
                    Answer::Refuted(why) => &why.reason,
                    Answer::Unknown(why) => &why.why,
                };
                told.push_str(&format!("         not {}: {why}\n", side.name()));
            }
        }
        told
    }
}

/// What a layer does that the next does not; where that one is not run completely, with the topmost one.
fn differs(song: &Arc<Song>, layer: u32, top: u32) -> Option<Refutation> {
    let with = |upper| compare_with(song, layer, upper, LARGEST - 1, PROGRAM_STATES);
    let compared = match with(layer + 1) {
        Compared::GaveUp if layer + 1 < top => with(top),
        compared => compared,
    };
    match compared {
        Compared::Differs(refutation) => Some(refutation),
        _ => None,
    }
}

fn rests_on(name: &str) -> Answer {
    Answer::unknown(format!(
        "shown by itself, but it rests on `{name}`, which is not proved"
    ))
}

fn actions(song: &Song) -> &Actions {
    song.actions().expect("claims are about actions")
}

/// Where the obligations of each layer begin.
type Beginnings = Vec<(u32, usize)>;

/// Does a procedure call something as the action that it refines calls what it chooses?
fn shares_names(actions: &Actions, procedure: &Procedure) -> bool {
    let Some(refined) = procedure.refines else {
        return false;
    };
    let refined = &actions.actions[refined.index()];
    let chosen = picks(refined).into_iter();
    let mut names = chosen.map(|(_, local)| &refined.code.locals[local.index()].name);
    names.any(|name| procedure.code.locals.iter().any(|row| row.name == *name))
}
