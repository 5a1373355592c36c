//! How big: the command line beats a property's `at`, which beats the file's `size`, which beats
//! the default. Each size remembers where it came from, for `--verbose`.

use crate::Problem;
use crate::song::{Sizeable, sizeable};
use plainsong_ir::{Property, Sizing, Song};
use plainsong_semantics::sizes::Sizes;
use std::collections::BTreeMap;

/// Sorts have this many members unless somebody says otherwise.
pub const DEFAULT: i64 = 2;

/// Who chose a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `--size`.
    CommandLine,
    Property,
    /// `size` in the file.
    File,
    /// Nobody.
    Default,
    /// Nobody; it grows while there is time.
    Grows,
}

impl Origin {
    /// For people.
    pub fn name(self) -> &'static str {
        match self {
            Origin::CommandLine => "from --size",
            Origin::Property => "from the property's `at`",
            Origin::File => "from the file's `size`",
            Origin::Default => "by default",
            Origin::Grows => "at most, while there is time (--grow)",
        }
    }
}

/// A range of sizes to try, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chosen {
    /// Smallest.
    pub low: i64,
    /// Largest.
    pub high: i64,
    /// Who chose it.
    pub origin: Origin,
}

/// The sizes of one property, by name. Parameters nobody chose are not in it: they take every
/// value.
pub type SizeTable = BTreeMap<String, Chosen>;

/// Sizes for `property` (or for what is always checked).
pub fn table(song: &Song, property: Option<&Property>, command_line: &[Sizing]) -> SizeTable {
    let known = sizeable(song);
    let mut table = SizeTable::new();
    for (name, kind) in &known {
        if *kind == Sizeable::Sort {
            let chosen = Chosen {
                low: DEFAULT,
                high: DEFAULT,
                origin: Origin::Default,
            };
            table.insert((*name).to_owned(), chosen);
        }
    }
    let at = property.map_or(&[][..], |property| &property.sizes);
    let layers = [
        (&song.sizes[..], Origin::File),
        (at, Origin::Property),
        (command_line, Origin::CommandLine),
    ];
    for (sizings, origin) in layers {
        for sizing in sizings
            .iter()
            .filter(|sizing| known.iter().any(|(name, _)| *name == sizing.name))
        {
            let chosen = Chosen {
                low: sizing.low,
                high: sizing.high,
                origin,
            };
            table.insert(sizing.name.clone(), chosen);
        }
    }
    table
}

/// Sorts nobody has sized grow from one member on, as far as the number of combinations allows.
pub fn grow(table: &mut SizeTable) {
    const MOST: i64 = 12;
    let is_free = |chosen: &&Chosen| chosen.origin == Origin::Default;
    let free = table.values().filter(is_free).count() as u32;
    let fixed: f64 = table
        .values()
        .filter(|chosen| !is_free(chosen))
        .map(|chosen| (chosen.high - chosen.low) as f64 + 1.0)
        .product();
    let fits =
        |most: &i64| (*most as f64).powf(f64::from(free)) * fixed <= MOST_COMBINATIONS as f64;
    let high = (DEFAULT..=MOST).rev().find(fits).unwrap_or(DEFAULT);
    for chosen in table.values_mut() {
        if chosen.origin == Origin::Default {
            *chosen = Chosen {
                low: 1,
                high,
                origin: Origin::Grows,
            };
        }
    }
}

/// Sorts nobody has sized have one, two and three members, as far as there are not too many of them: many
/// cycles need a triangle, and a chain without a middle is no chain.
pub fn from_one_to_three(table: &mut SizeTable) {
    const MOST: usize = 3;
    let is_free = |chosen: &&mut Chosen| chosen.origin == Origin::Default;
    let free: Vec<&mut Chosen> = table.values_mut().filter(is_free).collect();
    if free.len() > MOST {
        return;
    }
    for chosen in free {
        (chosen.low, chosen.high) = (1, 3);
    }
}

/// Does some sort grow?
pub fn does_grow(table: &SizeTable) -> bool {
    table.values().any(|chosen| chosen.origin == Origin::Grows)
}

/// Every combination of sizes, smallest first.
pub fn ascending(table: &SizeTable) -> Vec<Sizes> {
    let sizings: Vec<Sizing> = table
        .iter()
        .map(|(name, chosen)| Sizing {
            name: name.clone(),
            low: chosen.low,
            high: chosen.high,
            span: Default::default(),
        })
        .collect();
    let mut all = Sizes::combinations(&sizings);
    all.sort_by_key(|sizes| {
        sizes
            .chosen
            .values()
            .fold(0i64, |sum, size| sum.saturating_add(*size))
    });
    all
}

/// The most combinations of sizes that are tried for one property.
pub const MOST_COMBINATIONS: u64 = 10_000;

/// Refuses sizes for names that no song has, and sizes that cannot be.
pub fn validate(command_line: &[Sizing], songs: &[&Song]) -> Result<(), Problem> {
    let known: Vec<(&str, Sizeable)> = songs.iter().flat_map(|song| sizeable(song)).collect();
    for (at, sizing) in command_line.iter().enumerate() {
        if let Some(other) = command_line[..at]
            .iter()
            .find(|one| one.name == sizing.name)
        {
            return Err(said_twice(other, sizing));
        }
        let kinds: Vec<Sizeable> = known
            .iter()
            .filter(|(name, _)| *name == sizing.name)
            .map(|(_, kind)| *kind)
            .collect();
        if kinds.is_empty() {
            return Err(unknown(&sizing.name, &known));
        }
        if kinds.iter().all(|kind| *kind == Sizeable::Fixed) {
            return Err(Problem::new(format!(
                "`{}` has the size its bounds give it; `--size` cannot change it",
                sizing.name
            )));
        }
        if kinds.contains(&Sizeable::Sort) && sizing.low < 1 {
            return Err(
                Problem::new(format!("`{}` needs at least one member", sizing.name))
                    .help(format!("for example `--size {}=2`", sizing.name)),
            );
        }
    }
    Ok(())
}

/// Refuses a table with more combinations than anybody can wait for.
pub fn refuse_endless(table: &SizeTable) -> Result<(), Problem> {
    let combinations = table.values().try_fold(1u64, |product, chosen| {
        let number = chosen.high.checked_sub(chosen.low)?.checked_add(1)?;
        product.checked_mul(u64::try_from(number).ok()?)
    });
    match combinations {
        Some(number) if number <= MOST_COMBINATIONS => Ok(()),
        _ => Err(Problem::new(format!(
            "the ranges of sizes have more than {MOST_COMBINATIONS} combinations"
        ))),
    }
}

fn said_twice(first: &Sizing, second: &Sizing) -> Problem {
    let name = &first.name;
    let low = first.low.min(second.low);
    let high = first.high.max(second.high);
    Problem::new(format!("`--size` says twice how big `{name}` is")).help(format!(
        "for several sizes write a range: `--size {name}={low}..{high}`"
    ))
}

fn unknown(name: &str, known: &[(&str, Sizeable)]) -> Problem {
    let mut names: Vec<&str> = known
        .iter()
        .filter(|(_, kind)| *kind != Sizeable::Fixed)
        .map(|(name, _)| *name)
        .collect();
    names.sort_unstable();
    names.dedup();
    Problem::unknown("sort or parameter", name, &names)
}

#[cfg(test)]
mod tests {
    use super::*;
    use plainsong_ir::SortDecl;

    fn sizing(name: &str, low: i64, high: i64) -> Sizing {
        Sizing {
            name: name.to_owned(),
            low,
            high,
            span: Default::default(),
        }
    }

    fn song() -> Song {
        let sort = |name: &str| SortDecl {
            name: name.to_owned(),
            kind: plainsong_ir::SortKind::Identities { ordered: false },
            span: Default::default(),
        };
        Song {
            sorts: vec![sort("Db"), sort("Node")],
            sizes: vec![sizing("Db", 3, 3)],
            ..Song::default()
        }
    }

    #[test]
    fn the_command_line_beats_the_file_beats_the_default() {
        let table = table(&song(), None, &[]);
        assert_eq!(
            table["Db"],
            Chosen {
                low: 3,
                high: 3,
                origin: Origin::File
            }
        );
        assert_eq!(
            table["Node"],
            Chosen {
                low: 2,
                high: 2,
                origin: Origin::Default
            }
        );
        let table = super::table(&song(), None, &[sizing("Db", 1, 4)]);
        assert_eq!(
            table["Db"],
            Chosen {
                low: 1,
                high: 4,
                origin: Origin::CommandLine
            }
        );
    }

    #[test]
    fn sizes_ascend() {
        let table = super::table(&song(), None, &[sizing("Db", 1, 2), sizing("Node", 1, 3)]);
        let all = ascending(&table);
        let sums: Vec<i64> = all
            .iter()
            .map(|sizes| sizes.chosen.values().sum())
            .collect();
        assert_eq!(sums, [2, 3, 3, 4, 4, 5]);
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let refuse = |sizing: Sizing| validate(&[sizing], &[&song()]).expect_err("refused");
        assert_eq!(
            refuse(sizing("Dc", 2, 2)).help.as_deref(),
            Some("did you mean `Db`?")
        );
        assert_eq!(
            refuse(sizing("Db", 0, 2)).message,
            "`Db` needs at least one member"
        );
        let twice = validate(&[sizing("Db", 2, 2), sizing("Db", 3, 3)], &[&song()]);
        assert_eq!(
            twice.expect_err("refused").help.as_deref(),
            Some("for several sizes write a range: `--size Db=2..3`")
        );
        let endless = table(&song(), None, &[sizing("Db", 1, i64::MAX)]);
        assert!(refuse_endless(&endless).is_err());
    }
}
