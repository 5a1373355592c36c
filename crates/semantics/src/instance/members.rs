//! The table of processes and endpoints.

use super::{Facts, Instance, InstanceError, error};
use crate::show;
use crate::value::Value;
use plainsong_ir::{FamilyId, Ty};
use std::sync::Arc;

/// The most processes and endpoints.
const MOST_MEMBERS: u128 = 10_000;

/// One process or endpoint.
#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    pub family: FamilyId,
    /// Its indices.
    pub index: Vec<Value>,
    /// As the user names it: `coordinator`, `db[0]`.
    pub name: String,
}

/// Where the members of a family are.
#[derive(Clone, Debug, Default)]
pub(super) struct Family {
    first: usize,
    /// The values of each index, ascending.
    dimensions: Vec<Vec<Value>>,
}

impl Family {
    /// The row of the member with these indices.
    pub(super) fn row(&self, index: &[Value]) -> usize {
        let offset = self
            .dimensions
            .iter()
            .zip(index)
            .fold(0, |offset, (values, value)| {
                let place = values
                    .binary_search(value)
                    .expect("an index is a value of its type");
                offset * values.len() + place
            });
        self.first + offset
    }
}

/// Fills the table.
pub(super) fn enlist(instance: &mut Instance) -> Result<(), InstanceError> {
    let song = instance.song().clone();
    facts(instance).families = vec![Family::default(); song.families.len()];
    let processes = song.voices().map_or(vec![], |voices| {
        voices
            .processes
            .iter()
            .map(|process| process.family)
            .collect()
    });
    let groups = std::iter::once(processes)
        .chain(song.lines.iter().map(|line| line.endpoints.clone()))
        .collect::<Vec<_>>();
    for families in groups {
        let first = instance.members().len();
        for family in families {
            enlist_family(instance, family)?;
        }
        let rows = first..instance.members().len();
        facts(instance).lanes.push(rows);
    }
    Ok(())
}

fn enlist_family(instance: &mut Instance, id: FamilyId) -> Result<(), InstanceError> {
    let song = instance.song().clone();
    let family = &song.families[id.index()];
    let types: Vec<&Ty> = family.index.iter().map(|binder| &binder.ty).collect();
    let mut dimensions = Vec::new();
    let mut count = 1u128;
    for ty in &types {
        let values = instance.values(ty).map_err(|message| {
            error(format!(
                "the members of `{}` cannot be listed: {message}",
                family.name
            ))
            .at(family.span)
        })?;
        if values.is_empty() {
            let message = format!("`{}` cannot be indexed by processes", family.name);
            return Err(error(message).at(family.span));
        }
        count = count.saturating_mul(values.len() as u128);
        dimensions.push(values);
    }
    let count = count.saturating_add(instance.members().len() as u128);
    if count > MOST_MEMBERS {
        return Err(error(format!(
            "with `{}` there are {count} processes: too many",
            family.name
        ))
        .at(family.span)
        .help(format!(
            "at most {MOST_MEMBERS} can be run; choose smaller sizes"
        )));
    }
    let first = instance.members().len();
    let rows = dimensions
        .iter()
        .fold(vec![vec![]], |rows: Vec<Vec<Value>>, values| {
            let longer =
                |row: &Vec<Value>, value: &Value| [&row[..], std::slice::from_ref(value)].concat();
            rows.iter()
                .flat_map(|row| values.iter().map(move |value| longer(row, value)))
                .collect()
        });
    let members: Vec<Member> = rows
        .into_iter()
        .map(|index| {
            let name = show::member(instance, &family.name, &index, &types);
            Member {
                family: id,
                index,
                name,
            }
        })
        .collect();
    let table = facts(instance);
    table.members.extend(members);
    table.families[id.index()] = Family { first, dimensions };
    Ok(())
}

fn facts(instance: &mut Instance) -> &mut Facts {
    Arc::make_mut(&mut instance.facts)
}
