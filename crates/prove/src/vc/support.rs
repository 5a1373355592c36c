//! What a proof rests on: contracts of functions and lemmas.
//!
//! Statement. Whoever relies on what a lemma or a recursive function promises depends on its proof: all
//! obligations of that proof ([`Rule::Support`]), and of everything it rests on in turn. If one of them is
//! open, nothing that uses it is proved.
//!
//! Why sound. A use of a lemma relies on `ensures` for arguments at which `requires` is shown. A use that
//! comes back to the lemma in whose proof it stands has, besides, a smaller measure
//! ([`Terms::precedes`](crate::term::Terms::precedes)): so by induction on the measure every lemma of the circle holds. The
//! proof of a lemma is code that is followed like any other, and it must reach its end: each loop needs a
//! measure, and nothing may be chosen that might not be there. (For functions: [`crate::functions`].)
//!
//! The contract of an external function has no proof: it is listed among what is trusted ([`external`](super::external)).

use super::external::trusted;
use super::{Conditions, SymbolicState, VcWalk};
use crate::lower::{Env, Unsupported};
use crate::obligation::{Obligation, Rule};
use crate::symbolic_execution::SymbolicExecution;
use crate::theory::{Result, Theory};
use plainsong_diagnostics::Span;
use plainsong_ir::line::contracts;
use plainsong_ir::unanimity::Owners;
use plainsong_ir::{
    Choice, Choreography, Domain, Expr, FnId, LineKind, LocalId, Song, Use, recursion,
};
use std::collections::BTreeSet;

/// The obligations of a line with those of everything it rests on.
pub(super) fn with_support(
    theory: &mut Theory,
    number: usize,
    finally: &[usize],
) -> Result<Conditions> {
    theory.functions.allowed = true;
    let song = theory.song.clone();
    let line = &song.lines[number];
    let (mut conditions, mut used) = follow(theory, line, Some(number), finally)?;
    let mut lemmas = BTreeSet::from([number]);
    let mut functions: BTreeSet<FnId> = match line.kind {
        LineKind::Contract(function) => BTreeSet::from([function]),
        _ => BTreeSet::new(),
    };
    rest_on(
        theory,
        (&mut lemmas, &mut functions),
        &mut used,
        &mut conditions,
    )?;
    Ok(conditions)
}

/// The obligations of the lemmas that something uses, of the functions that were called so far, and of everything
/// that they rest on.
pub fn support(theory: &mut Theory, used: &BTreeSet<usize>) -> Result<Conditions> {
    let mut conditions = Conditions::default();
    let (mut lemmas, mut functions) = (BTreeSet::new(), BTreeSet::new());
    let mut used = used.clone();
    rest_on(
        theory,
        (&mut lemmas, &mut functions),
        &mut used,
        &mut conditions,
    )?;
    Ok(conditions)
}

/// Adds what is not in yet.
fn rest_on(
    theory: &mut Theory,
    (lemmas, functions): (&mut BTreeSet<usize>, &mut BTreeSet<FnId>),
    used: &mut BTreeSet<usize>,
    conditions: &mut Conditions,
) -> Result<()> {
    let song = theory.song.clone();
    let contracts = contracts(&song.functions);
    loop {
        let function = theory
            .called()
            .into_iter()
            .find(|one| !functions.contains(one));
        if let Some(lemma) = used.pop_first() {
            if lemmas.insert(lemma) {
                let decl = &song.lines[lemma];
                let more = supporting(theory, decl, Some(lemma), conditions)?;
                used.extend(more);
            }
        } else if let Some(function) = function {
            functions.insert(function);
            let kind = LineKind::Contract(function);
            if let Some(contract) = contracts.iter().find(|line| line.kind == kind) {
                supporting(theory, contract, None, conditions)?;
            }
            if song.functions[function.index()].is_external() {
                trusted(theory, function, conditions);
            }
        } else {
            return Ok(());
        }
    }
}

/// The obligations of a line without those of what it rests on.
pub(super) fn alone(theory: &mut Theory, number: usize, finally: &[usize]) -> Result<Conditions> {
    theory.functions.allowed = true;
    let song = theory.song.clone();
    let (conditions, _) = follow(theory, &song.lines[number], Some(number), finally)?;
    Ok(conditions)
}

/// Adds the obligations of something that others rest on; gives the lemmas it uses.
fn supporting(
    theory: &mut Theory,
    decl: &Choreography,
    number: Option<usize>,
    conditions: &mut Conditions,
) -> Result<BTreeSet<usize>> {
    let what = match decl.kind {
        LineKind::Lemma(_) => format!("the lemma `{}`", decl.name),
        LineKind::Contract(_) => format!("the function `{}`", decl.name),
        LineKind::Choreography => format!("the choreography `{}`", decl.name),
    };
    let (found, used) = follow(theory, decl, number, &[]).map_err(|unsupported| Unsupported {
        message: format!("{what}: {}", unsupported.message),
        ..unsupported
    })?;
    for note in found.notes {
        if !conditions.notes.contains(&note) {
            conditions.notes.push(note);
        }
    }
    let asked = found.obligations.into_iter();
    let asked = asked.filter(|one| one.rule != Rule::Vacuity);
    conditions.obligations.extend(asked.map(|one| Obligation {
        rule: Rule::Support,
        sentence: format!("{what} is not proved: {}", one.sentence),
        ..one
    }));
    Ok(used)
}

/// The obligations of a line, and the lemmas it uses.
fn follow(
    theory: &mut Theory,
    line: &Choreography,
    number: Option<usize>,
    finally: &[usize],
) -> Result<(Conditions, BTreeSet<usize>)> {
    let song = theory.song.clone();
    let mut following = VcWalk {
        theory,
        locals: line.code.locals.clone(),
        owners: Owners::of(&song, line),
        text: String::new(),
        conditions: Conditions::default(),
        chosen: Vec::new(),
        beyond: false,
        cuts: 0,
        lemma: number.filter(|_| line.is_lemma()),
        used: BTreeSet::new(),
        watch: None,
    };
    let followed = following.line(line, finally);
    following.theory.functions.induction = None;
    followed?;
    Ok((following.conditions, following.used))
}

impl VcWalk<'_> {
    /// In the proof of a function's contract, facts about the functions of its circle hold for smaller
    /// arguments only.
    pub(super) fn begin_induction(
        &mut self,
        state: &mut SymbolicState,
        function: FnId,
    ) -> Result<()> {
        let circle = self.theory.circle(function);
        let song = self.theory.song.clone();
        let decl = &song.functions[function.index()];
        if !circle.is_empty() && !decl.contract.decreases.is_empty() {
            let bound = self.measures(state, &decl.contract.decreases)?;
            self.theory.functions.induction = Some(crate::functions::Induction {
                functions: (*circle).clone(),
                bound,
            });
        }
        Ok(())
    }

    /// `use lemma(…);`
    pub(super) fn use_lemma(
        &mut self,
        state: &mut SymbolicState,
        used: &Use,
        span: Span,
    ) -> Result<()> {
        let song = self.theory.song.clone();
        let lemma = &song.lines[used.lemma];
        let arguments = self.reading(state, span, |lowering| lowering.exprs(&used.arguments))?;
        let within = self
            .lemma
            .filter(|within| recursion::comes_back(&song, *within, used.lemma));
        let bound = match within {
            Some(within) => Some(self.measures(state, measure(&song, within, span)?)?),
            None => None,
        };
        let params = arguments.into_iter().enumerate();
        let env = Env {
            locals: params.map(|(at, term)| (LocalId::from(at), term)).collect(),
            ..Env::default()
        };
        let outside = std::mem::replace(&mut state.env, env);
        let locals = std::mem::replace(&mut self.locals, lemma.code.locals.clone());
        let sentence = format!("the lemma `{}` wants this, and it may be false", lemma.name);
        for condition in &lemma.requires {
            self.check(state, condition, Rule::LemmaRequires, &sentence)?;
        }
        if let Some(bound) = bound {
            let smaller = measure(&song, used.lemma, span)?;
            let there = self.measures(state, smaller)?;
            let goal = self.theory.terms.precedes(&there, &bound);
            let rule = Rule::LemmaDecreases;
            let sentence = format!("`use {}` may not be of something smaller", lemma.name);
            self.oblige(state, rule, span, sentence, Vec::new(), goal);
            state.hypotheses.push(goal);
        }
        for promise in &lemma.ensures {
            self.rely(state, promise)?;
        }
        self.locals = locals;
        state.env = outside;
        self.used.insert(used.lemma);
        Ok(())
    }

    /// In the proof of a lemma nothing is chosen that might not be there.
    pub(super) fn may_choose(&self, choice: &Choice, span: Span) -> Result<()> {
        let sure = matches!(choice.domain, Domain::Type(_)) && choice.filter.is_none();
        match self.lemma {
            Some(_) if !sure => Err(Unsupported::new(
                span,
                "the proof of a lemma chooses from whole types only",
            )),
            _ => Ok(()),
        }
    }
}

fn measure(song: &Song, lemma: usize, span: Span) -> Result<&[Expr]> {
    let decl = &song.lines[lemma];
    match &decl.kind {
        LineKind::Lemma(decreases) if !decreases.is_empty() => Ok(decreases),
        _ => Err(Unsupported::new(
            span,
            format!(
                "the lemma `{}` uses itself and has no `decreases`",
                decl.name
            ),
        )),
    }
}
