//! Values with a small syntax of their own: sizes, bounds, seconds.

use plainsong_driver::effort::Effort;
use plainsong_ir::Sizing;
use plainsong_semantics::sizes::Bounds;
use std::str::FromStr;
use std::time::Duration;

/// `Db=3`, `Db=2..4` or `Db=2..=4`; both ends are tried.
#[derive(Clone, Debug)]
pub(crate) struct Size(pub(crate) Sizing);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let example = "write it as `Db=3`, `Db=2..4` or, for a bool parameter, `strict=true`";
        let (name, value) = text.split_once('=').ok_or_else(|| example.to_owned())?;
        let name = name.trim();
        if !is_name(name) {
            return Err(format!(
                "`{name}` is not the name of a sort or parameter; {example}"
            ));
        }
        let (low, high) =
            range(value).ok_or_else(|| format!("`{value}` is not a size; {example}"))?;
        if low > high {
            return Err(format!("the range {low}..{high} is empty"));
        }
        Ok(Size(Sizing {
            name: name.to_owned(),
            low,
            high,
            span: Default::default(),
        }))
    }
}

/// `n=3,l=[1, 2]`: sizes, and values of parameters that are no numbers, as text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Given {
    /// Those that are numbers.
    pub(crate) sizes: Vec<Sizing>,
    /// The others.
    pub(crate) written: Vec<(String, String)>,
}

impl FromStr for Given {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut given = Given::default();
        for part in parts(text) {
            match part.split_once('=') {
                Some((name, value)) if is_name(name) && range(value).is_none() => {
                    given
                        .written
                        .push((name.trim().to_owned(), value.trim().to_owned()));
                }
                _ => given.sizes.push(part.parse::<Size>()?.0),
            }
        }
        Ok(given)
    }
}

/// What is between the commas that are inside of no bracket.
fn parts(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_i32, 0, Vec::new());
    for (at, sign) in text.char_indices() {
        match sign {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth <= 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn is_name(text: &str) -> bool {
    let text = text.trim();
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    !text.is_empty() && text.chars().all(is_part)
}

/// `states=N`, `first-states=N`, `first-executions=N`, `growing-states=N`, `int=LO..HI`, `nat=N`, `length=N` or `pending=N`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The most states to store, or executions to visit.
    States(u64),
    /// How many states `check` looks at before executions.
    FirstStates(u64),
    /// How many executions of handlers are visited before states.
    FirstExecutions(u64),
    /// How many states or executions are looked at where something grows without end.
    GrowingStates(u64),
    /// First and last `int` tried.
    Int(i64, i64),
    /// Last `nat` tried.
    Nat(i64),
    /// The longest sequence and largest bag tried.
    Length(usize),
    /// The most messages or asyncs in flight.
    Pending(u64),
}

impl FromStr for Bound {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let example = "write it as `states=1000000`, `first-states=1000`, `first-executions=1000`, \
                       `growing-states=1000`, `int=-2..2`, `nat=3`, `length=2` or `pending=3`";
        let (what, value) = text.split_once('=').ok_or_else(|| example.to_owned())?;
        let bad = || format!("`{value}` does not fit; {example}");
        match what.trim() {
            "states" => positive(value).map(Bound::States).ok_or_else(bad),
            "first-states" => positive(value).map(Bound::FirstStates).ok_or_else(bad),
            "first-executions" => positive(value).map(Bound::FirstExecutions).ok_or_else(bad),
            "growing-states" => positive(value).map(Bound::GrowingStates).ok_or_else(bad),
            "int" => match range(value) {
                Some((low, high)) if low <= high => Ok(Bound::Int(low, high)),
                _ => Err(bad()),
            },
            "nat" => match value.trim().parse() {
                Ok(nat) if nat >= 0 => Ok(Bound::Nat(nat)),
                _ => Err(bad()),
            },
            "length" => value.trim().parse().map(Bound::Length).map_err(|_| bad()),
            "pending" => positive(value).map(Bound::Pending).ok_or_else(bad),
            other => Err(format!("there is no bound `{other}`; {example}")),
        }
    }
}

impl Bound {
    /// Enters it where it belongs.
    pub(crate) fn apply(self, bounds: &mut Bounds, effort: &mut Effort) {
        match self {
            Bound::States(states) => effort.states = Some(states),
            Bound::FirstStates(states) => effort.first_states = states,
            Bound::FirstExecutions(executions) => effort.first_executions = executions,
            Bound::GrowingStates(states) => effort.growing_states = states,
            Bound::Int(low, high) => {
                bounds.int = (low, high);
                bounds.constants = false;
            }
            Bound::Nat(nat) => {
                bounds.nat = nat;
                bounds.constants = false;
            }
            Bound::Length(length) => bounds.length = length,
            Bound::Pending(most) => bounds.pending = Some(most),
        }
    }
}

/// A number of at least 1.
fn positive(text: &str) -> Option<u64> {
    text.trim().parse().ok().filter(|number| *number > 0)
}

/// `10` or `0.5`.
pub(crate) fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text
        .parse()
        .map_err(|_| "write it as `10` or `0.5`".to_owned())?;
    match Duration::try_from_secs_f64(number) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        _ => Err("it must be more than 0".to_owned()),
    }
}

/// `N`, `N..M` or `N..=M`.
fn range(text: &str) -> Option<(i64, i64)> {
    let number = |text: &str| match text.trim() {
        "false" => Some(0),
        "true" => Some(1),
        text => text.parse::<i64>().ok(),
    };
    match text.split_once("..") {
        None => number(text).map(|only| (only, only)),
        Some((low, high)) => Some((
            number(low)?,
            number(high.strip_prefix('=').unwrap_or(high))?,
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_parameters_may_have_commas_of_their_own() {
        let read = |text: &str| {
            text.parse::<Given>().map(|given| {
                let names = given.sizes.into_iter().map(|size| size.name);
                (names.collect::<Vec<_>>(), given.written)
            })
        };
        let texts = |all: &[(&str, &str)]| {
            all.iter()
                .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
                .collect::<Vec<_>>()
        };
        let (names, written) = read("N=3,l=[1, 2],b=true, m = map {0 => (1, 2)}").unwrap();
        assert_eq!(names, ["N", "b"]);
        assert_eq!(
            written,
            texts(&[("l", "[1, 2]"), ("m", "map {0 => (1, 2)}")])
        );
        assert!(read("N").is_err());
        assert!(read("N=3,[1, 2]").is_err());
    }

    #[test]
    fn sizes_read_as_one_number_or_a_range() {
        let read = |text: &str| {
            text.parse::<Size>()
                .map(|Size(size)| (size.name, size.low, size.high))
        };
        assert_eq!(read("Db=3"), Ok(("Db".to_owned(), 3, 3)));
        assert_eq!(read("Db=2..4"), Ok(("Db".to_owned(), 2, 4)));
        assert_eq!(read("Db=2..=4"), Ok(("Db".to_owned(), 2, 4)));
        for bad in [
            "Db",
            "=3",
            "Db=",
            "Db=x",
            "Db=4..2",
            "Db=1..",
            "D b=1",
            "Db=99999999999999999999",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn bounds_read_and_nonsense_does_not() {
        assert_eq!("int=-5..5".parse(), Ok(Bound::Int(-5, 5)));
        assert_eq!("nat=0".parse(), Ok(Bound::Nat(0)));
        assert_eq!("length=4".parse(), Ok(Bound::Length(4)));
        assert_eq!("pending=3".parse(), Ok(Bound::Pending(3)));
        assert_eq!("states=10".parse(), Ok(Bound::States(10)));
        assert_eq!("first-states=7".parse(), Ok(Bound::FirstStates(7)));
        assert_eq!("first-executions=7".parse(), Ok(Bound::FirstExecutions(7)));
        for bad in [
            "int",
            "int=5..-5",
            "nat=-1",
            "pending=0",
            "states=0",
            "first-states=0",
            "first-executions=many",
            "depth=3",
        ] {
            assert!(bad.parse::<Bound>().is_err(), "{bad}");
        }
    }

    #[test]
    fn seconds_are_more_than_none() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for bad in ["0", "-1", "nan", "inf", "1e300", "soon"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
    }
}
