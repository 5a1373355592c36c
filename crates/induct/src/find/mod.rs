//! Invariant inference (strengthening): finding inductive invariants, goal-directed, from counterexamples to induction and states that runs come to.
//!
//! Clauses over simple atoms ([`atoms`]) that hold in every state seen ([`samples`]) are candidates ([`clauses`]). Beginning with
//! the claims to be shown, a counterexample to induction at a small size is looked for; a candidate that is false in the state before it
//! joins the claims, the shortest that forbids the most counterexamples seen; and so on until there is none. A
//! candidate for which nothing helps is given up, and the search begins again without it. Then everything is shown for every
//! size like stated invariants ([`crate::fixpoint`]), and what is not needed is left out.
//!
//! Why sound. What is found is only ever added to the invariants of the song: no sample and no bounded question enters a proof.
//!
//! Levels: clauses of two literals, then of three, then, where there are few atoms, of four; two names for each sort, universal quantifiers only.
//!
//! NOT COVERED: `exists`, sums, more names, atoms that steps remember of their guards. Then nothing is found.

mod atoms;
mod clauses;
mod naming;
mod samples;

use crate::counterexample::{instance, some};
use crate::fixpoint::{Ask, Found, Report, prove};
use crate::system::System;
use atoms::Atoms;
use clauses::{Clause, Row, is_false, minimal};
use plainsong_ir::build::{all, binary, not, proposition};
use plainsong_ir::visit::{any_expr, replace};
use plainsong_ir::{
    ActionId, BinOp, Binding, Claim, Domain, Expr, ExprKind, Local, LocalId, Property, Quantifier,
    Song,
};
use plainsong_semantics::machine::Config;
use samples::Evaluator;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// How many literals clauses have at most, level by level.
const LEVELS: [usize; 3] = [2, 3, 4];
/// The most atoms with which clauses of four literals are looked at.
const FOR_FOUR: usize = 45;
/// The sizes at which counterexamples are looked for.
const SIZES: [i64; 3] = [1, 2, 3];
/// The most questions to the solver at one level.
const QUESTIONS: usize = 1_500;
/// The most lemmas of one attempt.
const LEMMAS: usize = 24;

/// Invariants that were found.
#[derive(Clone, Debug)]
pub struct Lemmas {
    /// As text that can be pasted into the song.
    pub texts: Vec<String>,
    /// What was shown of the song with them; its own claims keep their positions.
    pub report: Report,
}

/// Looks for invariants with which these claims, by position among the properties, are shown. `over`: is it time to stop?
pub fn lemmas(
    song: &Arc<Song>,
    targets: &[usize],
    ask: &Ask<'_>,
    over: &mut dyn FnMut() -> bool,
) -> Option<Lemmas> {
    let atoms = Atoms::of(song)?;
    let system = with_claims(song, free(&atoms))?;
    let first = song.properties.len();
    let translated = system.song.properties[first..first + atoms.all.len()].iter();
    let translated = translated.map(claim).collect();
    let evaluator = Evaluator {
        system: &system,
        atoms: translated,
        locals: &atoms.locals,
    };
    let rows = evaluator.sampled();
    let renamed = renamings(&atoms);
    LEVELS.into_iter().find_map(|most| {
        if over() || most == 4 && atoms.all.len() > FOR_FOUR {
            return None;
        }
        let pool = minimal(&rows, atoms.all.len(), &atoms.same, &renamed, most);
        let mut search = Search {
            song,
            targets,
            ask,
            atoms: &atoms,
            evaluator: &evaluator,
            pool,
            given_up: BTreeSet::new(),
            chosen: Vec::new(),
            seen: Vec::new(),
            closed: BTreeSet::new(),
            questions: 0,
        };
        search.run(over)
    })
}

struct Search<'a> {
    song: &'a Arc<Song>,
    targets: &'a [usize],
    ask: &'a Ask<'a>,
    atoms: &'a Atoms,
    evaluator: &'a Evaluator<'a>,
    pool: Vec<Clause>,
    /// Candidates, by position in the pool, that cannot be shown.
    given_up: BTreeSet<usize>,
    /// Candidates that joined the claims.
    chosen: Vec<usize>,
    /// Rows of the states before counterexamples.
    seen: Vec<Vec<Row>>,
    /// Which steps do no harm to which claims, at all sizes that are tried.
    closed: BTreeSet<(Goal, ActionId)>,
    questions: usize,
}

/// A claim of the song, or a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Goal {
    Claim(usize),
    Candidate(usize),
}

/// What came of one look at all claims.
enum Look {
    /// No counterexample.
    Inductive,
    /// This claim is not: in the state before, these rows are true.
    Open(Goal, Vec<Row>),
    /// Too much was asked, or it is not covered.
    Over,
}

impl Search<'_> {
    fn run(&mut self, over: &mut dyn FnMut() -> bool) -> Option<Lemmas> {
        loop {
            match self.look(over) {
                Look::Over => return None,
                Look::Inductive => match self.shown() {
                    Ok(lemmas) => return Some(lemmas),
                    Err(wrong) if wrong.is_empty() => return None,
                    Err(wrong) => self.give_up(wrong),
                },
                Look::Open(goal, rows) => match (self.helpful(&rows), goal) {
                    (Some(candidate), _) if self.chosen.len() < LEMMAS => {
                        self.seen.push(rows);
                        self.chosen.push(candidate);
                    }
                    (_, Goal::Candidate(at)) => self.give_up(vec![at]),
                    (_, Goal::Claim(_)) => return None,
                },
            }
        }
    }

    /// Begins again without these candidates.
    fn give_up(&mut self, candidates: Vec<usize>) {
        self.given_up.extend(candidates);
        self.chosen.clear();
        self.closed.clear();
    }

    /// The claims to be shown, with the candidates that joined them, as one system.
    fn system(&self) -> Option<(System, Vec<Goal>)> {
        let candidates = self.chosen.iter().map(|at| self.property(*at));
        let mut system = with_claims(self.song, candidates.collect())?;
        let first = self.song.properties.len();
        let mut goals: Vec<Goal> = self.targets.iter().copied().map(Goal::Claim).collect();
        goals.extend(self.chosen.iter().copied().map(Goal::Candidate));
        let own = self.targets.iter().copied();
        system.claims = own.chain(first..system.song.properties.len()).collect();
        system.counted.clone_from(&self.evaluator.system.counted);
        Some((system, goals))
    }

    fn look(&mut self, over: &mut dyn FnMut() -> bool) -> Look {
        let Some((system, goals)) = self.system() else {
            return Look::Over;
        };
        for (goal, &claim) in goals.iter().zip(&system.claims) {
            for action in (0..system.actions().actions.len()).map(ActionId::from) {
                if self.closed.contains(&(*goal, action)) {
                    continue;
                }
                for size in SIZES {
                    self.questions += 1;
                    if self.questions > QUESTIONS || over() {
                        return Look::Over;
                    }
                    let Some(instance) = instance(&system, size) else {
                        continue;
                    };
                    let who = (self.ask.solvers, self.ask.cancel);
                    if let Some(before) = some(&system, claim, action, instance, who) {
                        return Look::Open(*goal, self.rows(size, &before));
                    }
                }
                self.closed.insert((*goal, action));
            }
        }
        Look::Inductive
    }

    fn rows(&self, size: i64, config: &Config) -> Vec<Row> {
        let instance = instance(self.evaluator.system, size);
        instance.map_or_else(Vec::new, |instance| self.evaluator.rows(&instance, config))
    }

    /// The candidate that is false in a state, short, and false in most of the states seen.
    fn helpful(&self, rows: &[Row]) -> Option<usize> {
        let able = self.pool.iter().enumerate().filter(|(at, clause)| {
            !self.given_up.contains(at) && !self.chosen.contains(at) && is_false(clause, rows)
        });
        let cost = |clause: &Clause| {
            let forbidden = self
                .seen
                .iter()
                .filter(|rows| is_false(clause, rows))
                .count();
            4 * clause.len() as i64 - forbidden as i64
        };
        able.min_by_key(|(at, clause)| (cost(clause), *at))
            .map(|(at, _)| at)
    }

    /// Shows everything for every size; candidates that are not proved, if there are some.
    fn shown(&self) -> Result<Lemmas, Vec<usize>> {
        let mut kept = self.chosen.clone();
        let mut report = self.proof(&kept).ok_or_else(Vec::new)?;
        let first = self.song.properties.len();
        let is_shown =
            |report: &Report, at: &usize| matches!(report.claims.get(at), Some(Found::Shown(_)));
        if !self.targets.iter().all(|at| is_shown(&report, at)) {
            let wrong = (0..kept.len()).filter(|at| !is_shown(&report, &(first + at)));
            return Err(wrong.map(|at| kept[at]).collect());
        }
        for at in (0..kept.len()).rev() {
            let mut fewer = kept.clone();
            fewer.remove(at);
            if let Some(other) = self.proof(&fewer)
                && self.targets.iter().all(|at| is_shown(&other, at))
            {
                (kept, report) = (fewer, other);
            }
        }
        let own = self.song.properties.iter();
        let mut taken: BTreeSet<String> = own.map(|row| row.name.clone()).collect();
        let texts = kept.iter().map(|at| {
            let mut property = self.property(*at);
            property.name = naming::name(self.song, &claim(&property), &mut taken);
            text(self.song, &property)
        });
        Ok(Lemmas {
            texts: texts.collect(),
            report,
        })
    }

    fn proof(&self, candidates: &[usize]) -> Option<Report> {
        let mut song = (**self.song).clone();
        let own = candidates.iter().map(|at| self.property(*at));
        song.properties.extend(own);
        prove(&Arc::new(song), self.ask).ok()
    }

    /// A candidate as an invariant: `forall a, b: S :: p && q ==> r`.
    fn property(&self, at: usize) -> Property {
        let clause = &self.pool[at];
        let atom = |positive: bool| {
            let own = clause.iter().filter(move |one| one.positive == positive);
            own.map(|one| self.atoms.all[one.atom].clone())
        };
        let (premises, conclusions) = (
            atom(false),
            atom(true).reduce(|a, b| binary(BinOp::Or, a, b)),
        );
        let body = match (premises.clone().next(), conclusions) {
            (None, Some(conclusion)) => conclusion,
            (_, None) => not(all(premises)),
            (_, Some(conclusion)) => binary(BinOp::Implies, all(premises), conclusion),
        };
        named(&self.atoms.locals, body, format!("found_{at}"))
    }
}

/// A claim about all members that it names.
fn named(locals: &[Local], body: Expr, name: String) -> Property {
    let names = (0..locals.len()).map(LocalId::from);
    let used: Vec<LocalId> = names
        .filter(|name| any_expr(&body, |one| one.kind == ExprKind::Local(*name)))
        .collect();
    let mut bindings: BTreeMap<usize, Vec<LocalId>> = BTreeMap::new();
    for name in used {
        bindings.entry(name.index() / 2).or_default().push(name);
    }
    let bindings: Vec<Binding> = bindings
        .into_values()
        .map(|names| Binding {
            domain: Domain::Type(locals[names[0].index()].ty.clone()),
            names,
            filter: None,
        })
        .collect();
    let claim = match bindings.is_empty() {
        true => body,
        false => proposition(ExprKind::Quantifier(
            Quantifier::Forall,
            bindings,
            Box::new(body),
        )),
    };
    Property {
        name,
        is_invariant: true,
        engines: Vec::new(),
        sizes: Vec::new(),
        claim: Claim::Always(claim),
        locals: locals.to_vec(),
        span: Default::default(),
    }
}

/// `invariant name: e;`
fn text(song: &Song, property: &Property) -> String {
    let claim = plainsong_ir::print::expr(song, &property.locals, &claim(property));
    let claim: Vec<&str> = claim.split_whitespace().collect();
    format!("invariant {}: {};", property.name, claim.join(" "))
}

fn claim(property: &Property) -> Expr {
    match &property.claim {
        Claim::Always(claim) => claim.clone(),
        _ => plainsong_ir::build::truth(true),
    }
}

/// The atoms as claims whose names are free: to be translated, not to be shown.
fn free(atoms: &Atoms) -> Vec<Property> {
    let claims = atoms.all.iter().map(|atom| Property {
        claim: Claim::Always(atom.clone()),
        ..named(
            &atoms.locals,
            plainsong_ir::build::truth(true),
            String::new(),
        )
    });
    claims.collect()
}

/// The system of a song with more claims.
fn with_claims(song: &Song, claims: Vec<Property>) -> Option<System> {
    let mut song = song.clone();
    song.properties.extend(claims);
    System::of(&Arc::new(song)).ok()
}

/// For each way to swap the two names of some sorts: which atom each becomes.
fn renamings(atoms: &Atoms) -> Vec<Vec<usize>> {
    let sorts = atoms.locals.len() / 2;
    (1..1_usize << sorts)
        .map(|swapped| {
            let each = atoms.all.iter().enumerate();
            let each = each.map(|(at, atom)| {
                let mut other = atom.clone();
                replace(&mut other, |one| {
                    let ExprKind::Local(name) = one.kind else {
                        return None;
                    };
                    let swaps = swapped & (1 << (name.index() / 2)) != 0;
                    swaps.then(|| Expr {
                        kind: ExprKind::Local(LocalId::from(name.index() ^ 1)),
                        ..one.clone()
                    })
                });
                let found = atoms.all.iter().position(|one| *one == other);
                found.unwrap_or(at)
            });
            each.collect()
        })
        .collect()
}
