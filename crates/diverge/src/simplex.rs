//! The simplex method: linear programs in exact arithmetic, with their duals.
//!
//! Maximises `c·y` over `y >= 0` with `A y <= b`, where no entry of `b` is negative, so that `y = 0` is a
//! place to begin. The answer comes with its dual, one multiplier for each row (Farkas' lemma: the
//! multipliers are a certificate). Fractions of 128-bit
//! integers; where they do not suffice there is no answer. Callers check each answer: nothing
//! rests on this file being right.
//!
//! Bland's rule decides which column enters, so that it comes to an end in spite of degenerate corners.

/// A fraction in lowest terms with a positive denominator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fraction {
    /// Above the line.
    pub(crate) over: i128,
    /// Below.
    pub(crate) under: i128,
}

impl Fraction {
    const ZERO: Fraction = Fraction { over: 0, under: 1 };

    pub(crate) fn whole(number: i64) -> Fraction {
        Fraction {
            over: i128::from(number),
            under: 1,
        }
    }

    /// Is it greater than zero?
    pub(crate) fn is_positive(self) -> bool {
        self.over > 0
    }

    fn is_zero(self) -> bool {
        self.over == 0
    }

    fn new(over: i128, under: i128) -> Option<Fraction> {
        let shared = gcd(over.checked_abs()?, under.checked_abs()?).max(1);
        let sign = under.signum();
        Some(Fraction {
            over: sign * (over / shared),
            under: sign * (under / shared),
        })
    }

    fn times(self, other: Fraction) -> Option<Fraction> {
        if self.is_zero() || other.is_zero() {
            return Some(Fraction::ZERO);
        }
        Fraction::new(
            self.over.checked_mul(other.over)?,
            self.under.checked_mul(other.under)?,
        )
    }

    fn by(self, other: Fraction) -> Option<Fraction> {
        let inverse = Fraction {
            over: other.under,
            under: other.over,
        };
        self.times(inverse)
    }

    fn minus(self, other: Fraction) -> Option<Fraction> {
        if other.is_zero() {
            return Some(self);
        }
        let left = self.over.checked_mul(other.under)?;
        let right = other.over.checked_mul(self.under)?;
        Fraction::new(
            left.checked_sub(right)?,
            self.under.checked_mul(other.under)?,
        )
    }

    fn is_less(self, other: Fraction) -> Option<bool> {
        let left = self.over.checked_mul(other.under)?;
        let right = other.over.checked_mul(self.under)?;
        Some(left < right)
    }
}

/// The greatest number that divides both.
pub(crate) fn gcd(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// A linear program.
#[derive(Clone, Debug)]
pub(crate) struct Program {
    pub(crate) rows: Vec<Vec<i64>>,
    /// `b`, none negative.
    pub(crate) most: Vec<i64>,
    /// `c`.
    pub(crate) worth: Vec<i64>,
}

/// The best there is.
#[derive(Clone, Debug)]
pub(crate) struct Best {
    /// `c·y`.
    pub(crate) value: Fraction,
    /// `y`.
    pub(crate) point: Vec<Fraction>,
    /// A multiplier for each row: none negative, and together they bound `c` from above.
    pub(crate) dual: Vec<Fraction>,
}

/// The most pivots.
const PIVOTS: usize = 5_000;

/// Solves a program; none when it has no best answer, or arithmetic does not suffice, or more than `work` entries would
/// have to be computed. What was is subtracted.
pub(crate) fn maximise(program: &Program, work: &mut u64) -> Option<Best> {
    let mut tableau = Tableau::new(program);
    for _ in 0..PIVOTS {
        let Some(column) = tableau.entering() else {
            return Some(tableau.best());
        };
        let row = tableau.leaving(column)??;
        *work = work.checked_sub(tableau.work(column))?;
        tableau.pivot(row, column)?;
    }
    None
}

struct Tableau {
    /// Each row: the columns of `y`, those of the slacks, and what is left.
    rows: Vec<Vec<Fraction>>,
    /// What each column is still worth; in the last place, minus the value reached.
    worth: Vec<Fraction>,
    /// The column that is basic in each row.
    basis: Vec<usize>,
    columns: usize,
}

impl Tableau {
    fn new(program: &Program) -> Self {
        let columns = program.worth.len();
        let count = program.rows.len();
        let row = |at: usize| {
            let own = program.rows[at].iter().map(|entry| Fraction::whole(*entry));
            let slack = (0..count).map(|other| Fraction::whole(i64::from(other == at)));
            let most = [Fraction::whole(program.most[at])];
            own.chain(slack).chain(most).collect()
        };
        let worth = program.worth.iter().map(|entry| Fraction::whole(*entry));
        Tableau {
            rows: (0..count).map(row).collect(),
            worth: worth.chain((0..=count).map(|_| Fraction::ZERO)).collect(),
            basis: (columns..columns + count).collect(),
            columns,
        }
    }

    /// The first column that is worth something.
    fn entering(&self) -> Option<usize> {
        let columns = &self.worth[..self.worth.len() - 1];
        columns.iter().position(|worth| worth.is_positive())
    }

    /// The row that limits a column; the inner none when nothing does.
    fn leaving(&self, column: usize) -> Option<Option<usize>> {
        let mut best: Option<(Fraction, usize)> = None;
        for (at, row) in self.rows.iter().enumerate() {
            if !row[column].is_positive() {
                continue;
            }
            let ratio = row[row.len() - 1].by(row[column])?;
            let is_better = match best {
                None => true,
                Some((least, other)) => {
                    let is_tie = ratio == least;
                    ratio.is_less(least)? || (is_tie && self.basis[at] < self.basis[other])
                }
            };
            if is_better {
                best = Some((ratio, at));
            }
        }
        Some(best.map(|(_, at)| at))
    }

    /// The entries that a pivot in this column computes.
    fn work(&self, column: usize) -> u64 {
        let touched = self.rows.iter().filter(|row| !row[column].is_zero());
        (touched.count() * self.worth.len()) as u64
    }

    fn pivot(&mut self, at: usize, column: usize) -> Option<()> {
        let by = self.rows[at][column];
        for entry in &mut self.rows[at] {
            *entry = entry.by(by)?;
        }
        let pivot = self.rows[at].clone();
        for (other, row) in self.rows.iter_mut().enumerate() {
            if other != at {
                subtract(row, &pivot, column)?;
            }
        }
        subtract(&mut self.worth, &pivot, column)?;
        self.basis[at] = column;
        Some(())
    }

    fn best(&self) -> Best {
        let last = self.worth.len() - 1;
        let minus = |fraction: Fraction| Fraction {
            over: -fraction.over,
            under: fraction.under,
        };
        let mut point = vec![Fraction::ZERO; self.columns];
        for (row, column) in self.rows.iter().zip(&self.basis) {
            if *column < self.columns {
                point[*column] = row[last];
            }
        }
        Best {
            value: minus(self.worth[last]),
            point,
            dual: self.worth[self.columns..last]
                .iter()
                .map(|worth| minus(*worth))
                .collect(),
        }
    }
}

/// Clears a column of a row by subtracting a multiple of the pivot row.
fn subtract(row: &mut [Fraction], pivot: &[Fraction], column: usize) -> Option<()> {
    let factor = row[column];
    if factor.is_zero() {
        return Some(());
    }
    for (entry, by) in row.iter_mut().zip(pivot) {
        if !by.is_zero() {
            *entry = entry.minus(factor.times(*by)?)?;
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_corner_and_its_dual() {
        let program = Program {
            rows: vec![vec![1, 1], vec![1, 3], vec![1, 0]],
            most: vec![4, 6, 3],
            worth: vec![3, 5],
        };
        let mut work = 1_000;
        let best = maximise(&program, &mut work).expect("bounded");
        assert!(work < 1_000 && maximise(&program, &mut 3).is_none());
        assert_eq!(best.value, Fraction::whole(14));
        assert_eq!(best.point, [Fraction::whole(3), Fraction::whole(1)]);
        let bound: i128 = best
            .dual
            .iter()
            .zip(&program.most)
            .map(|(dual, most)| dual.over * i128::from(*most) * 6 / dual.under)
            .sum();
        assert_eq!(bound, 14 * 6);
    }

    #[test]
    fn without_a_bound_there_is_no_best() {
        let program = Program {
            rows: vec![vec![-1]],
            most: vec![0],
            worth: vec![1],
        };
        assert!(maximise(&program, &mut 1_000).is_none());
    }
}
