//! Linear lexicographic ranking functions by Farkas' lemma.
//!
//! Statement. Given are *transitions*: polyhedra of values before and after, each with the owner of a measure before and
//! after. [`lexicographic`] finds tuples of linear measures, one component after the other, such that each transition that must
//! is decreased by a component, at least by one and from at least one, and not increased by those before it; others are increased by none. It
//! leaves out as few of those that must as tuples of this form allow.
//!
//! *How.* By Farkas' lemma a linear inequality follows from the inequalities of a polyhedron that is not empty if and only
//! if it is a sum of these, with factors that are not negative, and a number that is not. So "this component does not increase on
//! any transition that is left, and decreases on this one" is a linear program in its coefficients and those factors. What a
//! component decreases is done with; the rest is left to the next. As less is asked each time, it does no harm
//! to take any component that there is.
//!
//! Source: Bradley, Manna and Sipma, Linear ranking with reachability (CAV 2005); Alias, Darte, Feautrier and Gonnord,
//! Multi-dimensional rankings (SAS 2010).
//!
//! Nothing rests on this: what is found is a proposal, and is shown by a solver.

use super::values::Linear;
use crate::simplex::{Fraction, Program, gcd, maximise};
use std::collections::{BTreeMap, BTreeSet};

/// What one step does to measures.
#[derive(Clone, Debug)]
pub(super) struct Transition {
    /// Each is at least zero.
    pub(super) known: Vec<Linear>,
    /// Whose measure counts before, and its features.
    pub(super) before: (usize, Vec<Linear>),
    /// After.
    pub(super) after: (usize, Vec<Linear>),
    /// Must it be decreased?
    pub(super) must: bool,
}

/// One component of the tuples: for each owner the factors of its features, and a number behind them.
pub(super) type Component = BTreeMap<usize, Vec<i64>>;

/// Entries that all linear programs together may compute.
const WORK: u64 = 60_000_000;
/// The most components.
const COMPONENTS: usize = 6;

/// The components, and which transitions that must are not decreased. None where it takes too long.
pub(super) fn lexicographic(all: &[Transition]) -> Option<(Vec<Component>, Vec<usize>)> {
    let mut work = WORK;
    let mut left: Vec<usize> = Vec::new();
    for (at, one) in all.iter().enumerate() {
        if !is_empty(&one.known, &mut work)? {
            left.push(at);
        }
    }
    let mut found: Vec<Component> = Vec::new();
    'component: while found.len() < COMPONENTS {
        let open: Vec<usize> = left.iter().copied().filter(|at| all[*at].must).collect();
        for at in open {
            if let Some(component) = component(all, &left, at, &mut work)? {
                let before = left.len();
                let mut kept = Vec::new();
                for at in left {
                    if !decreases(&component, &all[at], &mut work)? {
                        kept.push(at);
                    }
                }
                left = kept;
                if left.len() == before {
                    return None;
                }
                found.push(component);
                continue 'component;
            }
        }
        break;
    }
    left.retain(|at| all[*at].must);
    Some((found, left))
}

/// A linear program in which everything is at least zero, and zero is possible.
#[derive(Default)]
struct Rows {
    rows: Vec<BTreeMap<usize, i64>>,
    most: Vec<i64>,
    columns: usize,
}

impl Rows {
    fn column(&mut self) -> usize {
        self.columns += 1;
        self.columns - 1
    }

    fn at_most(&mut self, row: BTreeMap<usize, i64>, most: i64) {
        if row.values().any(|factor| *factor != 0) {
            self.rows.push(row);
            self.most.push(most);
        }
    }

    fn zero(&mut self, row: BTreeMap<usize, i64>) {
        let negated = row.iter().map(|(at, factor)| (*at, -factor)).collect();
        self.at_most(row, 0);
        self.at_most(negated, 0);
    }

    /// The greatest value of a column, and where it is.
    fn greatest(self, column: usize, work: &mut u64) -> Option<(Fraction, Vec<Fraction>)> {
        let dense = |row: &BTreeMap<usize, i64>| {
            let mut dense = vec![0; self.columns];
            row.iter().for_each(|(at, factor)| dense[*at] = *factor);
            dense
        };
        let mut worth = vec![0; self.columns];
        worth[column] = 1;
        let program = Program {
            rows: self.rows.iter().map(dense).collect(),
            most: self.most,
            worth,
        };
        let best = maximise(&program, work)?;
        Some((best.value, best.point))
    }

    /// Farkas: a term, whose coefficients and constant are rows themselves, is a sum of what is known.
    fn follows(&mut self, known: &[Linear], term: Affine) {
        let Affine {
            mut constant,
            mut terms,
        } = term;
        for one in known {
            let factor = self.column();
            for (at, by) in &one.terms {
                *terms.entry(*at).or_default().entry(factor).or_default() -= by;
            }
            *constant.entry(factor).or_default() -= one.constant;
        }
        for row in terms.into_values() {
            self.zero(row);
        }
        let negated = constant.iter().map(|(at, factor)| (*at, -factor)).collect();
        self.at_most(negated, 0);
    }
}

/// A linear term whose coefficients are linear in the columns of a program.
#[derive(Clone, Default)]
struct Affine {
    constant: BTreeMap<usize, i64>,
    terms: BTreeMap<usize, BTreeMap<usize, i64>>,
}

impl Affine {
    /// Adds a linear term times a column.
    fn add(&mut self, term: &Linear, column: usize, factor: i64) {
        let add = |to: &mut BTreeMap<usize, i64>, by: i64| {
            if by != 0 {
                *to.entry(column).or_default() += by * factor;
            }
        };
        add(&mut self.constant, term.constant);
        for (at, by) in &term.terms {
            add(self.terms.entry(*at).or_default(), *by);
        }
    }
}

/// Does nothing satisfy all of it?
fn is_empty(known: &[Linear], work: &mut u64) -> Option<bool> {
    if known
        .iter()
        .any(|one| one.fixed().is_some_and(|fixed| fixed < 0))
    {
        return Some(true);
    }
    let mut rows = Rows::default();
    let scale = rows.column();
    rows.at_most(BTreeMap::from([(scale, 1)]), 1);
    let mut falsity = Affine::default();
    falsity.add(&Linear::number(-1), scale, 1);
    rows.follows(known, falsity);
    let (value, _) = rows.greatest(scale, work)?;
    Some(value.is_positive())
}

/// A component that no transition of `left` increases, and that one decreases.
fn component(
    all: &[Transition],
    left: &[usize],
    one: usize,
    work: &mut u64,
) -> Option<Option<Component>> {
    let mut rows = Rows::default();
    let scale = rows.column();
    rows.at_most(BTreeMap::from([(scale, 1)]), 1);
    let mut columns: BTreeMap<(usize, usize), (usize, usize)> = BTreeMap::new();
    let sides = |at: usize| [&all[at].before, &all[at].after];
    for (owner, features) in left.iter().flat_map(|at| sides(*at)) {
        for feature in 0..=features.len() {
            let key = (*owner, feature);
            let new = || (rows.column(), rows.column());
            columns.entry(key).or_insert_with(new);
        }
    }
    let add = |to: &mut Affine, (owner, features): &(usize, Vec<Linear>), factor: i64| {
        let all = features.iter().cloned().chain([Linear::number(1)]);
        for (at, feature) in all.enumerate() {
            let (plus, minus) = columns[&(*owner, at)];
            to.add(&feature, plus, factor);
            to.add(&feature, minus, -factor);
        }
    };
    for at in left {
        let Transition {
            known,
            before,
            after,
            ..
        } = &all[*at];
        let mut fall = Affine::default();
        add(&mut fall, before, 1);
        add(&mut fall, after, -1);
        if *at == one {
            fall.add(&Linear::number(-1), scale, 1);
            let mut enough = Affine::default();
            add(&mut enough, before, 1);
            enough.add(&Linear::number(-1), scale, 1);
            rows.follows(known, enough);
        }
        rows.follows(known, fall);
    }
    let (value, point) = rows.greatest(scale, work)?;
    if !value.is_positive() {
        return Some(None);
    }
    let mut common = 1_i128;
    for fraction in &point {
        common = common / gcd(common, fraction.under) * fraction.under;
        if common > i128::from(u32::MAX) {
            return None;
        }
    }
    let whole = |at: usize| i64::try_from(point[at].over * (common / point[at].under)).ok();
    let mut owners: BTreeMap<usize, Vec<i64>> = BTreeMap::new();
    for ((owner, _), (plus, minus)) in &columns {
        let factor = whole(*plus)?.checked_sub(whole(*minus)?)?;
        owners.entry(*owner).or_default().push(factor);
    }
    Some(Some(owners))
}

/// Does a component decrease a transition, from at least one and by at least one?
fn decreases(component: &Component, one: &Transition, work: &mut u64) -> Option<bool> {
    let before = measured(component, &one.before);
    let after = measured(component, &one.after);
    let least = Linear::number(1);
    let fall = before.minus(&after).minus(&least);
    Some(
        is_implied(&one.known, &fall, work)?
            && is_implied(&one.known, &before.minus(&least), work)?,
    )
}

fn measured(component: &Component, (owner, features): &(usize, Vec<Linear>)) -> Linear {
    let Some(factors) = component.get(owner) else {
        return Linear::default();
    };
    let all = features.iter().cloned().chain([Linear::number(1)]);
    all.zip(factors)
        .fold(Linear::default(), |sum, (one, by)| sum.and(&one, *by))
}

/// Is a term at least zero wherever all that is known is? Only for what some values satisfy.
fn is_implied(known: &[Linear], term: &Linear, work: &mut u64) -> Option<bool> {
    if let Some(fixed) = term.fixed() {
        return Some(fixed >= 0);
    }
    let mentioned: BTreeSet<usize> = known
        .iter()
        .flat_map(|one| one.terms.keys().copied())
        .collect();
    if !term.terms.keys().all(|at| mentioned.contains(at)) {
        return Some(false);
    }
    let mut rows = Rows::default();
    let scale = rows.column();
    rows.at_most(BTreeMap::from([(scale, 1)]), 1);
    let mut goal = Affine::default();
    goal.add(term, scale, 1);
    rows.follows(known, goal);
    let (value, _) = rows.greatest(scale, work)?;
    Some(value == Fraction::whole(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(at: usize) -> Linear {
        Linear::variable(at)
    }

    /// `left > 0`, then one less; otherwise `rounds > 0`, then one less and `left` anything.
    #[test]
    fn a_pair_counts_down_in_turn() {
        let (rounds, left, any) = (variable(0), variable(1), variable(2));
        let one = Linear::number(1);
        let inner = Transition {
            known: vec![left.minus(&one), rounds.clone()],
            before: (0, vec![rounds.clone(), left.clone()]),
            after: (0, vec![rounds.clone(), left.minus(&one)]),
            must: true,
        };
        let outer = Transition {
            known: vec![rounds.minus(&one), left.clone(), any.clone()],
            before: (0, vec![rounds.clone(), left]),
            after: (0, vec![rounds.minus(&one), any]),
            must: true,
        };
        let (found, left) = lexicographic(&[inner, outer]).expect("small");
        assert_eq!((found.len(), left), (2, Vec::new()));
        assert_eq!(
            found[0][&0][1], 0,
            "the first component leaves out what jumps"
        );
    }

    /// A counter that grows without a limit has no measure, and one below a limit has.
    #[test]
    fn what_grows_needs_a_limit() {
        let (count, limit) = (variable(0), variable(1));
        let one = Linear::number(1);
        let step = |known: Vec<Linear>| Transition {
            known,
            before: (0, vec![count.clone(), limit.clone()]),
            after: (0, vec![count.plus(&one), limit.clone()]),
            must: true,
        };
        let below = limit.minus(&count).minus(&one);
        let (found, left) = lexicographic(&[step(vec![below])]).expect("small");
        assert!(left.is_empty() && found[0][&0][0] < 0, "{found:?}");
        let (found, left) = lexicographic(&[step(vec![count.clone()])]).expect("small");
        assert!(found.is_empty() && left == [0], "{found:?}");
        let never = [count.minus(&one), Linear::default().minus(&count)];
        let (_, left) = lexicographic(&[step(never.into())]).expect("small");
        assert!(left.is_empty(), "what nothing satisfies needs no measure");
    }
}
