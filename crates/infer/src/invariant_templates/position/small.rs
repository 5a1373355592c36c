//! What the members of small rows have at the end of a line.

use plainsong_ir::{ExprKind, FamilyId, RangeEnd, Song, SortId, SortKind, Ty, VarId};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Config, Machine, Outcome, Status, Subject};
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_semantics::value::Value;
use std::sync::Arc;

/// Rows of so many members are run; the first says little.
const SIZES: std::ops::RangeInclusive<i64> = 1..=5;

/// The most states of one size.
const STATES: usize = 2_000;

/// A family whose members stand in a row, and all the ways in which small ones end.
pub(super) struct Rows {
    pub(super) family: FamilyId,
    pub(super) sort: SortId,
    ends: Vec<Vec<Vec<Value>>>,
}

/// A member of one of the rows.
pub(super) struct Member<'a> {
    pub(super) position: i64,
    pub(super) length: i64,
    row: &'a [Vec<Value>],
}

impl Member<'_> {
    /// Its value of a variable.
    pub(super) fn has(&self, var: VarId) -> &Value {
        self.at(self.position as usize, var)
    }

    /// That of the first member.
    pub(super) fn first_has(&self, var: VarId) -> &Value {
        self.at(0, var)
    }

    /// That of the last.
    pub(super) fn last_has(&self, var: VarId) -> &Value {
        self.at(self.row.len() - 1, var)
    }

    fn at(&self, position: usize, var: VarId) -> &Value {
        &self.row[position][var.index()]
    }
}

impl Rows {
    /// All members of all rows.
    pub(super) fn members(&self) -> impl Iterator<Item = Member<'_>> {
        self.ends.iter().flat_map(|row| {
            (0..row.len()).map(move |position| Member {
                position: position as i64,
                length: row.len() as i64,
                row,
            })
        })
    }

    /// The only endpoint of a line, if it is a row; its small sizes are run.
    pub(super) fn of(song: &Song, number: usize) -> Option<Rows> {
        let line = &song.lines[number];
        let [family] = line.endpoints[..] else {
            return None;
        };
        let [index] = &song.families[family.index()].index[..] else {
            return None;
        };
        let Ty::Sort(sort) = index.ty else {
            return None;
        };
        let name = length_of(song, sort)?;
        let song = Arc::new(song.clone());
        let mut ends = Vec::new();
        for size in SIZES {
            let sizes = Sizes::new().with(name.clone(), size);
            let instances = Instance::all(song.clone(), &sizes, &Bounds::default()).ok()?;
            for instance in instances {
                ends.extend(ends_of(&instance, number, family)?);
            }
        }
        Some(Rows { family, sort, ends })
    }
}

/// What says how long a row is: a range from 0 on, or the parameter that it ends before.
fn length_of(song: &Song, sort: SortId) -> Option<String> {
    let declared = &song.sorts[sort.index()];
    let SortKind::Range(range) = &declared.kind else {
        return None;
    };
    (range.start.kind == ExprKind::Int(0)).then_some(())?;
    match &range.end {
        RangeEnd::Open => Some(declared.name.clone()),
        RangeEnd::Before(end) => match end.kind {
            ExprKind::Const(id) => Some(song.consts[id.index()].name.clone()),
            _ => None,
        },
        RangeEnd::With(_) => None,
    }
}

/// The ends of all runs, member by member; nothing if there are too many.
fn ends_of(instance: &Instance, line: usize, family: FamilyId) -> Option<Vec<Vec<Vec<Value>>>> {
    let machine = Machine::new(instance, Subject::Line(line));
    let vars = instance.song().families[family.index()].vars.len();
    let members = instance.members().iter().enumerate();
    let rows = members.filter(|(_, member)| member.family == family);
    let rows: Vec<usize> = rows.map(|(at, _)| at).collect();
    let values = |config: &Config, row: usize| {
        let vars = (0..vars).map(|var| config.value(row, VarId::from(var)).clone());
        vars.collect::<Vec<Value>>()
    };
    let mut ends = Vec::new();
    let mut open: Vec<Outcome> = machine.initial();
    let mut left = STATES;
    while let Some(outcome) = open.pop() {
        left = left.checked_sub(1)?;
        let Outcome::Next(config) = outcome else {
            continue;
        };
        let steps = machine.steps(&config);
        if machine.status_given(&config, &steps) == Status::Final {
            ends.push(rows.iter().map(|row| values(&config, *row)).collect());
        }
        open.extend(steps.into_iter().map(|step| step.outcome));
    }
    Some(ends)
}
