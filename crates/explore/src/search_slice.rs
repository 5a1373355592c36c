//! Search slices: the frontier that a stopped search has left.
//!
//! A place of the tree has a name, the *path* of outcome numbers that leads to it. A search that stops
//! has a whole subtree ahead of it, below where it is, and some outcomes left on the way there. Both
//! together are a *part*: one path, with a range of numbers at some of its places. So what is left has
//! about the size of one execution, however much it is.
//!
//! As text, `0 2(3..5) 1` is everything below `0 2 1`, and below `0 3` and `0 4`.

use crate::engine::Path;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// A part of the search tree, as a place and the outcomes that are left on the way to it.
///
/// The parts that [`explore_parts`](crate::explore_parts) leaves and what it has seen are disjoint and
/// together everything.
///
/// ```
/// use plainsong_explore::Part;
///
/// let part: Part = "0 2(3..5) 1".parse().unwrap();
/// assert_eq!(part.to_string(), "0 2(3..5) 1");
/// assert_eq!(Part::default().to_string(), "", "everything");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Everything below this is to be explored.
    path: Path,
    /// Outcomes left, as the length of the path before them and their numbers; shortest first.
    open: Vec<(usize, Range<u32>)>,
}

impl Part {
    pub(crate) fn new(path: Path, open: Vec<(usize, Range<u32>)>) -> Self {
        Part { path, open }
    }

    /// Where it begins. Of disjoint parts, the one that begins at the lexicographically lesser place has the executions that a
    /// single search meets first.
    pub fn place(&self) -> &[u32] {
        &self.path
    }

    /// Divides it into about so many parts, or as many as it can: the shallowest outcomes, which have the largest subtrees
    /// below them, become parts of their own. They are disjoint and together the whole.
    ///
    /// ```
    /// use plainsong_explore::Part;
    ///
    /// let part: Part = "0(1..3) 2(3..5) 1".parse().unwrap();
    /// let parts = part.shares(3);
    /// let parts: Vec<String> = parts.iter().map(Part::to_string).collect();
    /// assert_eq!(parts, ["0 2(3..5) 1", "1", "2"]);
    /// ```
    pub fn shares(mut self, wanted: usize) -> Vec<Part> {
        let mut given = Vec::new();
        while given.len() + 1 < wanted && !self.open.is_empty() {
            let (depth, outcomes) = self.open.remove(0);
            let room = (wanted - given.len() - 1) as u32;
            let own = outcomes
                .start
                .saturating_add(room.saturating_sub(1))
                .min(outcomes.end - 1);
            for outcome in outcomes.start..own {
                given.push(self.beside(depth, outcome, None));
            }
            let rest = (own + 1 < outcomes.end).then(|| (depth, own + 1..outcomes.end));
            given.push(self.beside(depth, own, rest));
        }
        let mut all = vec![self];
        all.append(&mut given);
        all
    }

    /// Another outcome in place of the one at this depth.
    fn beside(&self, depth: usize, outcome: u32, rest: Option<(usize, Range<u32>)>) -> Part {
        let mut path: Path = self.path.iter().take(depth).copied().collect();
        path.push(outcome);
        Part::new(path, rest.into_iter().collect())
    }

    /// The subtree to explore first, and what is left then.
    pub(crate) fn split(mut self) -> (Path, Option<Part>) {
        let first = self.path.clone();
        let Some((depth, outcomes)) = self.open.last_mut() else {
            return (first, None);
        };
        self.path.truncate(*depth);
        self.path.push(outcomes.start);
        outcomes.start += 1;
        if outcomes.start == outcomes.end {
            self.open.pop();
        }
        (first, Some(self))
    }
}

impl From<Path> for Part {
    fn from(path: Path) -> Self {
        Part::new(path, Vec::new())
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut open = self.open.iter().peekable();
        for (at, taken) in self.path.iter().enumerate() {
            let space = if at == 0 { "" } else { " " };
            write!(f, "{space}{taken}")?;
            if let Some((_, left)) = open.next_if(|(depth, _)| *depth == at) {
                write!(f, "({}..{})", left.start, left.end)?;
            }
        }
        Ok(())
    }
}

/// A text that is not a [`Part`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoPart;

impl fmt::Display for NoPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected outcomes like `0 2(3..5) 1`")
    }
}

impl std::error::Error for NoPart {}

impl FromStr for Part {
    type Err = NoPart;

    fn from_str(text: &str) -> Result<Self, NoPart> {
        let mut part = Part::default();
        for word in text.split_whitespace() {
            let (taken, left) = parse_word(word).ok_or(NoPart)?;
            if let Some(left) = left {
                part.open.push((part.path.len(), left));
            }
            part.path.push(taken);
        }
        Ok(part)
    }
}

/// `2` or `2(3..5)`.
fn parse_word(word: &str) -> Option<(u32, Option<Range<u32>>)> {
    let Some((taken, left)) = word.split_once('(') else {
        return Some((word.parse().ok()?, None));
    };
    let (start, end) = left.strip_suffix(')')?.split_once("..")?;
    let left: Range<u32> = start.parse().ok()?..end.parse().ok()?;
    (!left.is_empty()).then_some((taken.parse().ok()?, Some(left)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_explored_deepest_first_and_each_subtree_once() {
        let mut left: Option<Part> = Some("0(1..3) 2(3..4) 1".parse().expect("a part"));
        let mut paths = Vec::new();
        while let Some(part) = left {
            let (path, rest) = part.split();
            paths.push(path);
            left = rest;
        }
        assert_eq!(
            paths,
            [vec![0, 2, 1], vec![0, 3], vec![1], vec![2]] as [Path; 4]
        );
    }

    /// The subtrees of a part.
    fn paths(part: Part) -> Vec<Path> {
        let mut left = Some(part);
        let mut paths = Vec::new();
        while let Some(part) = left {
            let (path, rest) = part.split();
            paths.push(path);
            left = rest;
        }
        paths
    }

    #[test]
    fn shares_have_each_subtree_once_and_begin_in_the_order_of_the_search() {
        for text in [
            "",
            "0(1..9) 2",
            "0(1..3) 2(3..4) 1(2..7) 5",
            "4 0(1..2) 3(4..6)",
        ] {
            let part: Part = text.parse().expect("a part");
            let mut whole = paths(part.clone());
            whole.sort();
            for wanted in 1..12 {
                let shares = part.clone().shares(wanted);
                assert!(shares.len() <= wanted, "{text}: {shares:?}");
                let mut together: Vec<Path> = shares.into_iter().flat_map(paths).collect();
                together.sort();
                assert_eq!(together, whole, "{text} in {wanted}");
            }
        }
    }

    #[test]
    fn what_is_no_part_is_refused() {
        for text in ["x", "1(", "1(2..)", "1(3..3)", "-1", "1(2..3"] {
            assert_eq!(text.parse::<Part>(), Err(NoPart), "{text}");
        }
    }
}
