//! Bounded model checking (BMC) of choreographies: runs within bounds, found by a solver.
//!
//! A choreography is followed as for a proof, but from its start and loop by loop, round by round: sorts have
//! as many members as in an instance, integers, sequences and bags are those that the interpreter tries, and a
//! loop has a few rounds at most. What is left open (parameters, what variables start with, what is chosen) is
//! made of finitely many truths and integers ([`values`]); every quantifier is written out ([`expand`]). The
//! question whether something can go wrong is then one without quantifiers, which a solver answers quickly,
//! where a search has to try all combinations.
//!
//! What comes back is a [`Steering`]: values for the interpreter to run with. It is never a verdict: the caller
//! runs it ([`plainsong_semantics::search::steer`]) and believes what it sees. So nothing here has to be sound,
//! and no answer means nothing.
//!
//! NOT COVERED. Sets, bags and maps whose elements or keys are collections themselves; quantifiers over
//! collections; recursive functions deeper than a few calls. They lead to no answer.

mod expand;
mod scene;
mod values;

pub use scene::{Doubt, Shown, example, has_value};
pub(crate) use values::{Bounded, Input};

use crate::discharge::script::{Script, is_readable};
use crate::lower::Unsupported;
use crate::obligation::{Obligation, Rule};
use crate::term::{Op, Sort, Term};
use crate::theory::{Result, Theory};
use crate::vc;
use expand::QuantifierExpander;
use plainsong_ir::{Expr, ExprKind, Range, RangeEnd, Song, SortKind, Ty};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::search::{Start, Steering};
use plainsong_semantics::value::Value;
use plainsong_smt::{Cancel, Limits, Outcome, Query, Sexpr, Solvers};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// How often a solver is asked for smaller values.
const SMALLER: usize = 4;
/// What that may cost each time, in the solver's units.
const SMALLER_RESOURCES: u64 = 400_000;

/// What to look for, and where.
pub struct Hunt<'a> {
    /// Sizes of sorts; the values of parameters are found anew.
    pub instance: &'a Instance,
    /// The choreography, by its position.
    pub line: usize,
    /// The properties of its end that are asked about.
    pub finally: &'a [usize],
    /// How many rounds a loop has at most, where its text does not say.
    pub rounds: usize,
    /// What the query may cost, in the solver's units.
    pub resource: u64,
    /// Which rules may be broken.
    pub wanted: &'a dyn Fn(Rule) -> bool,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq)]
pub enum Catch {
    Lead(Lead),
    /// The solver says that there is nothing within these bounds.
    Nothing,
    /// It does not know.
    Unclear,
}

/// Values with which the solver believes something to go wrong.
#[derive(Clone, Debug, PartialEq)]
pub struct Lead {
    /// Values of constants and parameters, in the order of declaration.
    pub constants: Vec<Value>,
    /// What the execution chooses.
    pub steering: Steering,
}

/// Looks for values with which a run goes wrong.
///
/// # Errors
///
/// When the choreography uses something that is not covered.
pub fn lead(hunt: &Hunt<'_>, solvers: &Solvers, cancel: &Cancel) -> Result<Catch> {
    let song = concrete(hunt.instance);
    let mut theory = Theory::new(song);
    theory.bounded = Some(Bounded::new(hunt.instance.clone(), hunt.rounds));
    fix_ranges(&mut theory, hunt.instance)?;
    for at in 0..theory.song.consts.len() {
        theory.constant(plainsong_ir::ConstId::from(at))?;
    }
    let conditions = vc::unrolled(&mut theory, hunt.line, hunt.finally)?;
    let asked: Vec<Obligation> = (conditions.obligations.into_iter())
        .filter(|one| (hunt.wanted)(one.rule) && theory.terms.op(one.goal) != Op::True)
        .collect();
    if asked.is_empty() {
        return Ok(Catch::Nothing);
    }
    let formulas = QuantifierExpander::new(&mut theory).something_wrong(&asked)?;
    let terms = &theory.terms;
    let mut seen = FxHashSet::default();
    if !formulas
        .iter()
        .all(|one| is_readable(terms, *one, &mut seen))
    {
        let why = "a collection in it cannot be written out within bounds";
        return Err(Unsupported::new(Default::default(), why));
    }
    Ok(ask(&mut theory, formulas, hunt, solvers, cancel))
}

fn ask(
    theory: &mut Theory,
    mut formulas: Vec<Term>,
    hunt: &Hunt<'_>,
    solvers: &Solvers,
    cancel: &Cancel,
) -> Catch {
    let Some(bounded) = theory.bounded.take() else {
        return Catch::Unclear;
    };
    let query = query(theory, &bounded, &formulas, hunt);
    let mut best = match solvers.ask(&query, cancel).outcome {
        Outcome::Sat { values, .. } => match numbers(&values) {
            Some(numbers) => numbers,
            None => return Catch::Unclear,
        },
        Outcome::Unsat { .. } => return Catch::Nothing,
        Outcome::Unknown(_) => return Catch::Unclear,
    };
    let count = bounded.leaves.len();
    let cost = cost(theory, &bounded.leaves);
    formulas.push(cost);
    for _ in 0..SMALLER {
        let spent = best[..count].iter().filter(|leaf| **leaf != 0).count();
        let most = theory.terms.int(spent as i64 / 2);
        let last = formulas.len() - 1;
        formulas[last] = theory.terms.le(cost, most);
        let mut smaller = self::query(theory, &bounded, &formulas, hunt);
        smaller.limits.resource = SMALLER_RESOURCES;
        let Outcome::Sat { values, .. } = solvers.ask(&smaller, cancel).outcome else {
            break;
        };
        let Some(numbers) = numbers(&values) else {
            break;
        };
        best = numbers;
    }
    let (leaves, active) = best.split_at(count);
    Catch::Lead(read(&bounded, hunt.instance, leaves, active))
}

/// How many of the leaves are not zero or false.
fn cost(theory: &mut Theory, leaves: &[Term]) -> Term {
    let (none, one) = (theory.terms.int(0), theory.terms.int(1));
    let mut cost = none;
    for &leaf in leaves {
        let part = match theory.terms.sort(leaf) == Sort::BOOL {
            true => theory.terms.ite(leaf, one, none),
            false => {
                let zero = theory.terms.eq(leaf, none);
                theory.terms.ite(zero, none, one)
            }
        };
        cost = theory.terms.add(cost, part);
    }
    cost
}

fn query(theory: &Theory, bounded: &Bounded, formulas: &[Term], hunt: &Hunt<'_>) -> Query {
    let mut script = Script::new(&theory.terms);
    formulas.iter().for_each(|formula| script.count(*formula));
    formulas.iter().for_each(|formula| script.assert(*formula));
    let mut values: Vec<Sexpr> = (bounded.leaves.iter())
        .map(|leaf| script.say(*leaf))
        .collect();
    for (input, _) in &bounded.inputs {
        values.push(match input {
            Input::Choice(active) => script.say(*active),
            _ => Sexpr::bool(true),
        });
    }
    let line = &theory.song.lines[hunt.line].name;
    let mut query = Query::new(format!("{line}/run-within-bounds"), script.finish());
    query.about = format!("a run of `{line}` within bounds that goes wrong");
    query.ask.values = values;
    query.limits = Limits {
        resource: hunt.resource,
        ..Limits::default()
    };
    query
}

fn numbers(values: &[Sexpr]) -> Option<Vec<i64>> {
    values.iter().map(number).collect()
}

/// The model as values of the source.
fn read(bounded: &Bounded, instance: &Instance, leaves: &[i64], active: &[i64]) -> Lead {
    let consts = instance.song().consts.len();
    let mut constants: Vec<Value> = (0..consts)
        .map(|at| instance.constant(plainsong_ir::ConstId::from(at)).clone())
        .collect();
    let mut steering = Steering::default();
    for ((input, shape), active) in bounded.inputs.iter().zip(active) {
        let value = shape.value(leaves);
        match input {
            Input::Constant(at) => constants[at.index()] = value,
            Input::Param => steering.params.push(value),
            Input::Start(family, index, var) => steering.starts.push(Start {
                family: *family,
                index: index.clone(),
                var: *var,
                value,
            }),
            Input::Choice(_) if *active != 0 => steering.choices.push(value),
            Input::Choice(_) | Input::Anything => {}
        }
    }
    Lead {
        constants,
        steering,
    }
}

/// A truth or an integer that a solver printed.
fn number(text: &Sexpr) -> Option<i64> {
    if let Some(items) = text.as_list() {
        let [minus, digits] = items else { return None };
        return (minus.as_atom()? == "-").then_some(-number(digits)?);
    }
    match text.as_atom()? {
        "true" => Some(1),
        "false" => Some(0),
        digits => digits.parse().ok(),
    }
}

/// The song in which every sort is a range of integers with known ends.
fn concrete(instance: &Instance) -> Arc<Song> {
    let mut song = (**instance.song()).clone();
    for (at, sort) in song.sorts.iter_mut().enumerate() {
        let (first, last) = instance.range(plainsong_ir::SortId::from(at));
        let int = |value: i64| Expr {
            kind: ExprKind::Int(value),
            ty: Ty::Int,
            span: sort.span,
        };
        sort.kind = SortKind::Range(Range {
            start: int(first),
            end: RangeEnd::With(int(last)),
        });
    }
    Arc::new(song)
}

/// Parameters that say how far a range goes say what they say in the instance.
fn fix_ranges(theory: &mut Theory, instance: &Instance) -> Result<()> {
    for (at, sort) in instance.song().sorts.iter().enumerate() {
        let (first, last) = instance.range(plainsong_ir::SortId::from(at));
        let SortKind::Range(range) = &sort.kind else {
            continue;
        };
        let mut ends = vec![(&range.start, first)];
        match &range.end {
            RangeEnd::Open => {}
            RangeEnd::Before(end) => ends.push((end, last + 1)),
            RangeEnd::With(end) => ends.push((end, last)),
        }
        for (end, value) in ends {
            let end = theory.closed(end)?;
            let value = theory.terms.int(value);
            let fixed = theory.terms.eq(end, value);
            theory.rely(fixed);
        }
    }
    Ok(())
}
