//! Invariant inference (strengthening): finding inductive invariants, goal-directed, from counterexamples to induction and states that runs come to.
//!
//! The steps that proofs are about are made circuits at small sizes ([`model`], from terms by [`finite`]): running them on 64 states
//! at a time gives states that runs come to, and a SAT solver in process gives counterexamples to induction. Clauses over simple atoms
//! ([`atoms`]) that hold in every state seen ([`clauses`]) are candidates; which of them join the claims is decided along the proof
//! graph ([`graph`]). Then everything is shown for every size like stated invariants ([`crate::fixpoint`]).
//!
//! Why sound. What is found is only ever added to the invariants of the song: no sample and no bounded question enters a proof.
//!
//! Levels: clauses of two literals over two names for each sort, then of three, then with conditions of the song and "there is a member
//! with …", then over three names, then with "there is a member with … and …", then of four literals, then with "there is a member
//! with …" of three things, one of which never changes.
//!
//! NOT COVERED: sums, sequences, variables over numbers. Then nothing is found.

mod atoms;
mod circuit;
mod clauses;
mod finite;
mod graph;
mod guards;
mod model;
mod naming;
mod setting;
mod solver;
mod templates;
mod values;

use crate::fixpoint::{Ask, Found, Report, prove_within};
use crate::system::System;
use atoms::Atoms;
use clauses::Clause;
use graph::Result;
use plainsong_ir::build::{all, binary, not, proposition};
use plainsong_ir::visit::{any_expr, each_expr, rename_locals};
use plainsong_ir::{
    BinOp, Binding, Claim, Domain, Expr, ExprKind, Local, LocalId, Property, Quantifier, Song, Ty,
};
use setting::Setting;
use std::collections::BTreeSet;
use std::sync::Arc;

/// How often a search goes on after what it found is not shown for every size.
const ROUNDS: usize = 6;
/// How many steps of the discharge are tried first: with clauses that take longer, others are looked for before.
const QUICK: usize = 3;

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
    let mut setting = Setting::new(&system, song.properties.len(), &atoms)?;
    // Behind the properties of the text is what bodies know where they are.
    let known = system.own..system.song.properties.len();
    let claims = targets.iter().copied().chain(known);
    let claims: Option<Vec<_>> = claims.map(|at| setting.claim(&system, at)).collect();
    let models = setting.models(&atoms, &system, over)?;
    let mut graph = setting.graph(&atoms, models, &claims?)?;
    if graph.is_seen_false() {
        return None;
    }
    let search = Search {
        song,
        targets,
        ask,
        atoms: &atoms,
    };
    let mut later = Vec::new();
    for _ in 0..ROUNDS {
        let Result::Found(clauses) = graph.run(over) else {
            break;
        };
        match search.shown(&clauses, Some(QUICK)) {
            Ok(lemmas) => return Some(lemmas),
            Err(wrong) => {
                later.push(clauses);
                if wrong.is_empty() {
                    break;
                }
                graph.give_up(&wrong);
            }
        }
    }
    // What was not shown quickly may be shown with more effort.
    let mut all = later.iter().filter(|_| !over());
    all.find_map(|clauses| search.shown(clauses, None).ok())
}

struct Search<'a> {
    song: &'a Arc<Song>,
    targets: &'a [usize],
    ask: &'a Ask<'a>,
    atoms: &'a Atoms,
}

impl Search<'_> {
    /// Shows everything for every size; clauses that are not shown, if there are some.
    fn shown(
        &self,
        clauses: &[Clause],
        steps: Option<usize>,
    ) -> std::result::Result<Lemmas, Vec<Clause>> {
        let report = self.proof(clauses, steps).ok_or_else(Vec::new)?;
        let first = self.song.properties.len();
        let is_shown = |at: &usize| matches!(report.claims.get(at), Some(Found::Shown(_)));
        if !self.targets.iter().all(is_shown) {
            let wrong = clauses.iter().enumerate();
            let wrong = wrong.filter(|(at, _)| !is_shown(&(first + at)));
            return Err(wrong.map(|(_, clause)| clause.clone()).collect());
        }
        let own = self.song.properties.iter();
        let mut taken: BTreeSet<String> = own.map(|row| row.name.clone()).collect();
        let texts = clauses.iter().map(|clause| {
            let mut property = self.property(clause);
            property.name = naming::name(self.song, &claim(&property), &mut taken);
            text(self.song, &property)
        });
        Ok(Lemmas {
            texts: texts.collect(),
            report,
        })
    }

    fn proof(&self, clauses: &[Clause], steps: Option<usize>) -> Option<Report> {
        let mut song = (**self.song).clone();
        let first = song.properties.len();
        song.properties
            .extend(clauses.iter().map(|one| self.property(one)));
        let last = song.properties.len();
        let mut system = System::of(&Arc::new(song)).ok()?;
        let is_asked = |at: &usize| *at >= first || self.targets.contains(at);
        system.claims.retain(is_asked);
        debug_assert!(system.own == last, "claims of the text come first");
        prove_within(&system, self.ask, steps).ok()
    }

    /// A clause as an invariant: `forall a, b: S :: p && q ==> r`.
    fn property(&self, clause: &Clause) -> Property {
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
        named(self.atoms, body, "found".to_owned())
    }
}

/// A claim about all members that it names.
fn named(atoms: &Atoms, mut body: Expr, name: String) -> Property {
    in_order_of_appearance(atoms, &mut body);
    let names = (0..atoms.names).map(LocalId::from);
    let used: Vec<LocalId> = names
        .filter(|name| any_expr(&body, |one| one.kind == ExprKind::Local(*name)))
        .collect();
    let mut bindings: Vec<(Ty, Vec<LocalId>)> = Vec::new();
    for name in used {
        let ty = &atoms.locals[name.index()].ty;
        match bindings.last_mut() {
            Some((same, names)) if same == ty => names.push(name),
            _ => bindings.push((ty.clone(), vec![name])),
        }
    }
    let bindings: Vec<Binding> = bindings
        .into_iter()
        .map(|(ty, names)| Binding {
            domain: Domain::Type(ty),
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
    invariant(&atoms.locals, claim, name)
}

/// Gives the names of each sort to members in the order in which they are spoken of.
fn in_order_of_appearance(atoms: &Atoms, body: &mut Expr) {
    let mut met: Vec<LocalId> = Vec::new();
    each_expr(body, |one| match one.kind {
        ExprKind::Local(name) if name.index() < atoms.names && !met.contains(&name) => {
            met.push(name);
        }
        _ => {}
    });
    let sort = |name: &LocalId| name.index() / atoms.each;
    let renamed = |name: LocalId| {
        let at = met.iter().position(|one| *one == name)?;
        let earlier = met[..at].iter().filter(|one| sort(one) == sort(&name));
        Some(LocalId::from(sort(&name) * atoms.each + earlier.count()))
    };
    rename_locals(body, |name| renamed(name).unwrap_or(name));
}

fn invariant(locals: &[Local], claim: Expr, name: String) -> Property {
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
    let claims = atoms.all.iter();
    claims
        .map(|atom| invariant(&atoms.locals, atom.clone(), String::new()))
        .collect()
}

/// The system of a song with more claims.
fn with_claims(song: &Song, claims: Vec<Property>) -> Option<System> {
    let mut song = song.clone();
    song.properties.extend(claims);
    System::of(&Arc::new(song)).ok()
}
