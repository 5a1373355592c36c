//! Rest for every size: measures proposed by `diverge`, shown by the prover.
//!
//! `plainsong_diverge::ranking` says which lines of code with which assertions have to be shown, and why that is
//! enough. Here they are shown, one handler after the other; a measure counts only when everything was.

use super::identities::as_data;
use crate::engine::Task;
use crate::watch::Overseer;
use plainsong_diverge::ranking::{Measure, obligations, own_measures, payload_measure, sending};
use plainsong_ir::Song;
use plainsong_prove::discharge::{Effort, Shown, discharge};
use plainsong_prove::obligation::{Obligation, Rule};
use plainsong_prove::theory::Theory;
use plainsong_prove::vc::conditions;
use plainsong_smt::{Cancel, Setup, Solvers};
use std::sync::Arc;

/// A proof for every size.
pub(super) struct Ranked {
    /// Why everything comes to rest.
    pub(super) why: String,
    /// How many obligations were shown.
    pub(super) obligations: usize,
    /// What is trusted.
    pub(super) notes: Vec<String>,
}

/// Looks for a ranking by local measures.
pub(super) fn ranked(task: &Task, overseer: &mut Overseer<'_>) -> Option<Ranked> {
    let song = &task.song;
    let processes = sending(song)?;
    let mut setup = Setup::from_environment();
    setup.dump.clone_from(&task.proof.dump);
    let mut prover = Prover {
        solvers: Solvers::new(setup),
        shown: 0,
        notes: Vec::new(),
    };
    let by_payload = {
        let measure = payload_measure();
        let mut all = processes.iter();
        all.all(|process| prover.shows(song, *process, &measure, overseer))
    };
    let why = match by_payload {
        true => "whatever a handler sends has less in its payload than what it took".to_owned(),
        false => {
            let mut words = Vec::new();
            for process in processes {
                let mut measures = own_measures(song, process).into_iter();
                let found =
                    measures.find(|measure| prover.shows(song, process, measure, overseer))?;
                words.push(found.words);
            }
            format!("whenever a handler sends, {}", words.join(", and "))
        }
    };
    Some(Ranked {
        why,
        obligations: prover.shown,
        notes: prover.notes,
    })
}

struct Prover {
    solvers: Solvers,
    shown: usize,
    notes: Vec<String>,
}

impl Prover {
    /// Are all obligations of a measure shown?
    fn shows(
        &mut self,
        song: &Song,
        process: usize,
        measure: &Measure,
        overseer: &mut Overseer<'_>,
    ) -> bool {
        let mut shown = 0;
        for (handler, line) in obligations(song, process, measure).into_iter().enumerate() {
            if overseer.look().is_some() {
                return false;
            }
            match self.line(line, &format!("measure/{process}/{handler}")) {
                Some(number) => shown += number,
                None => return false,
            }
        }
        self.shown += shown;
        true
    }

    /// How many obligations a line has, if all are shown.
    fn line(&mut self, line: Song, name: &str) -> Option<usize> {
        let mut theory = Theory::new(Arc::new(as_data(line)));
        let all = conditions(&mut theory, 0, &[]).ok()?;
        let asked: Vec<Obligation> = all
            .obligations
            .into_iter()
            .filter(|one| one.rule != Rule::Vacuity)
            .collect();
        let effort = Effort {
            name: name.to_owned(),
            ..Effort::default()
        };
        let cancel = Cancel::default();
        let shown = discharge(&mut theory, &asked, &self.solvers, &effort, &cancel);
        if shown.iter().any(|one| *one != Shown::Yes) {
            return None;
        }
        for note in all.notes {
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        Some(asked.len())
    }
}
