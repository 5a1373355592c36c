//! `always` on executions agrees with the search through states.
//!
//! Each random program gets a few properties of the form "never this of one process and that of
//! another at the same time"; whether such a state can be reached is what the two are asked. Every
//! refutation replays, several workers and little memory give the same.

use crate::interpreter_agrees::MOST_MEMBERS;
use crate::interpreter_agrees::account::instance;
use crate::interpreter_agrees::programs::small;
use crate::interpreter_agrees::shrink::shown;
use plainsong_diagnostics::Span;
use plainsong_explore_songs::{Finding, Manner, explore};
use plainsong_ir::{
    BinOp, Binding, Builtin, Claim, Delivery, Domain, Expr, ExprKind, FamilyId, Local, LocalId,
    Property, Quantifier, Song, Ty, UnOp, VarId,
};
use plainsong_semantics::machine::{Machine, Subject};
use plainsong_semantics::replay::replay;
use plainsong_semantics::search::{Answer, Check, Completeness, Limits, Query, Unwatched, search};
use plainsong_testkit::random_song::Dice;

/// How many programs are compared for each model.
const PROGRAMS: u64 = 1_000;

/// The most states, and the most executions; programs with more are left out.
const LIMITS: Limits = Limits {
    states: 5_000,
    refutations: None,
};

/// How many properties each program gets.
const PROPERTIES: usize = 6;

const LOG: VarId = VarId(0);
const FLAG: VarId = VarId(1);

#[test]
fn of_unordered_programs() {
    agree(Some(Delivery::Unordered));
}

#[test]
fn of_fifo_programs() {
    agree(Some(Delivery::Fifo));
}

#[test]
fn of_causal_programs() {
    agree(Some(Delivery::Causal));
}

#[test]
fn of_mailbox_programs() {
    agree(Some(Delivery::Mailbox));
}

#[test]
fn of_programs_of_mixed_models() {
    agree(None);
}

fn agree(delivery: Option<Delivery>) {
    let mut tally = Tally::default();
    for (seed, song) in small(delivery, PROGRAMS) {
        tally.compare(seed, &with_properties(seed, song));
    }
    assert!(tally.left_out * 3 < tally.compared, "{tally:?}");
    assert!(tally.refuted * 4 > tally.compared, "{tally:?}");
    assert!(tally.held * 4 > tally.compared, "{tally:?}");
}

/// Compares what is found about one program.
pub(super) fn agree_on(seed: u64, song: Song) {
    Tally::default().compare(seed, &with_properties(seed, song));
}

/// What the compared programs were like.
#[derive(Debug, Default)]
struct Tally {
    compared: usize,
    left_out: usize,
    /// Properties.
    refuted: usize,
    held: usize,
}

impl Tally {
    fn compare(&mut self, seed: u64, song: &Song) {
        let Some((searched, explored)) = both(song) else {
            self.left_out += 1;
            return;
        };
        if searched != explored {
            let differ = |song: &Song| both(song).is_some_and(|(one, two)| one != two);
            let (small, text) = shown(seed, song, &differ);
            panic!("{text}\n{:#?}", both(&small));
        }
        self.compared += 1;
        self.refuted += searched.iter().filter(|refuted| **refuted).count();
        self.held += searched.iter().filter(|refuted| !**refuted).count();
    }
}

/// Which properties are refuted by the search, and by exploration.
fn both(song: &Song) -> Option<(Vec<bool>, Vec<bool>)> {
    let instance = instance(song)?;
    if instance.members().len() > MOST_MEMBERS {
        return None;
    }
    let properties = song.properties.iter().enumerate();
    let always = properties.filter(|(_, one)| matches!(one.claim, Claim::Always(_)));
    let checks: Vec<Check> = always.map(|(at, _)| Check::Property(at)).collect();
    let query = Query {
        subject: Subject::System,
        checks: checks.clone(),
    };
    let report = search(&instance, &query, &LIMITS, &mut Unwatched);
    if report.completeness != Completeness::Complete && report.completeness != Completeness::Enough
    {
        return None;
    }
    let answers = report.findings.iter().map(|finding| &finding.answer);
    let searched = answers.map(|answer| matches!(answer, Answer::Refuted(_)));
    let machine = Machine::new(&instance, Subject::System);
    let explored = explored(&machine, &checks)?;
    Some((searched.collect(), explored))
}

fn explored(machine: &Machine, checks: &[Check]) -> Option<Vec<bool>> {
    let manner = Manner {
        limits: LIMITS,
        ..Manner::default()
    };
    let alone = explore(machine, checks, &manner, &mut Unwatched).ok()?;
    if alone.count.completeness != Completeness::Complete {
        return None;
    }
    let shared = Manner {
        jobs: 3,
        kept: 20,
        ..manner
    };
    let shared = explore(machine, checks, &shared, &mut Unwatched).expect("as one worker");
    assert_eq!(shared.findings, alone.findings);
    for finding in &alone.findings {
        match finding {
            Finding::Refuted(trace) => assert_eq!(replay(machine, trace), Ok(())),
            Finding::NotRefuted => {}
            Finding::Unknown(why) => panic!("these have values: {why}"),
        }
    }
    let refuted = |finding: &Finding| matches!(finding, Finding::Refuted(_));
    Some(alone.findings.iter().map(refuted).collect())
}

/// With properties that some states do not occur.
fn with_properties(seed: u64, mut song: Song) -> Song {
    let mut dice = Dice::new(seed.wrapping_mul(31));
    song.properties.clear();
    for number in 0..PROPERTIES {
        let mut locals = Vec::new();
        let mut state = about_one(&song, &mut dice, &mut locals);
        for _ in 0..dice.between(1, 2) {
            let more = about_one(&song, &mut dice, &mut locals);
            state = both_of(BinOp::And, state, more, Ty::Bool);
        }
        song.properties.push(Property {
            name: format!("never{number}"),
            is_invariant: false,
            engines: Vec::new(),
            sizes: Vec::new(),
            claim: Claim::Always(expr(ExprKind::Unary(UnOp::Not, Box::new(state)), Ty::Bool)),
            locals,
            span: Span::default(),
        });
    }
    song
}

/// What some or every member of some family is like.
fn about_one(song: &Song, dice: &mut Dice, locals: &mut Vec<Local>) -> Expr {
    let at = dice.below(song.families.len());
    let family = FamilyId::from(at);
    let Some(index) = song.families[at].index.first() else {
        return is_like(family, Vec::new(), dice);
    };
    let local = LocalId::from(locals.len());
    locals.push(Local {
        name: format!("i{}", locals.len()),
        ty: index.ty.clone(),
        mutable: false,
        span: Span::default(),
    });
    let member = expr(ExprKind::Local(local), index.ty.clone());
    let binding = Binding {
        names: vec![local],
        domain: Domain::Type(index.ty.clone()),
        filter: None,
    };
    let body = Box::new(is_like(family, vec![member], dice));
    let quantifier = *dice.pick(&[Quantifier::Forall, Quantifier::Exists]);
    expr(
        ExprKind::Quantifier(quantifier, vec![binding], body),
        Ty::Bool,
    )
}

/// What a process is like: its flag, what it received or how much of it.
fn is_like(family: FamilyId, index: Vec<Expr>, dice: &mut Dice) -> Expr {
    let seq = Ty::Seq(Box::new(Ty::Bool));
    let flag = expr(ExprKind::Of(family, index.clone(), FLAG), Ty::Bool);
    let log = expr(ExprKind::Of(family, index, LOG), seq.clone());
    match dice.below(5) {
        0 => flag,
        1 => expr(ExprKind::Unary(UnOp::Not, Box::new(flag)), Ty::Bool),
        2 => {
            let mut bit = || expr(ExprKind::Bool(dice.once_in(2)), Ty::Bool);
            let wanted = vec![bit()];
            let wanted = expr(ExprKind::Literal(wanted), seq);
            both_of(BinOp::Eq, log, wanted, Ty::Bool)
        }
        _ => {
            let length = expr(ExprKind::Method(Builtin::Len, vec![log]), Ty::Nat);
            let length = expr(ExprKind::Widen(Box::new(length)), Ty::Int);
            let wanted = expr(ExprKind::Int(dice.below(3) as i64), Ty::Int);
            both_of(BinOp::Eq, length, wanted, Ty::Bool)
        }
    }
}

fn both_of(op: BinOp, left: Expr, right: Expr, ty: Ty) -> Expr {
    expr(ExprKind::Binary(op, Box::new(left), Box::new(right)), ty)
}

fn expr(kind: ExprKind, ty: Ty) -> Expr {
    Expr {
        kind,
        ty,
        span: Span::default(),
    }
}
