//! From sizes to instances.

use super::depends::{Decl, order, table};
use super::members::enlist;
use super::{Facts, Instance, InstanceError, MOST_VALUES, error};
use crate::eval::Eval;
use crate::read::{read, refusal};
use crate::show::show;
use crate::sizes::{Bounds, Sizes};
use crate::trace::Failure;
use crate::value::Value;
use crate::world::Nothing;
use plainsong_diagnostics::{Span, near_names};
use plainsong_ir::{Const, ConstId, Expr, Range, RangeEnd, Song, SortDecl, SortId, SortKind, Ty};
use std::sync::{Arc, OnceLock};

/// The size of a sort when none is chosen.
const DEFAULT_SIZE: i64 = 2;
/// The most instances that open parameters may give.
const MOST_INSTANCES: usize = 10_000;

/// Every instance that `sizes` leaves open; with `values`, the one in which constants and parameters have
/// these.
pub(super) fn all(
    song: Arc<Song>,
    sizes: &Sizes,
    bounds: &Bounds,
    values: Option<&[Value]>,
) -> Result<Vec<Instance>, InstanceError> {
    names_are_known(&song, sizes)?;
    let order = order(&song)?;
    let facts = Facts {
        bounds: bounds.clone(),
        sorts: vec![(0, 0); song.sorts.len()],
        consts: vec![Value::None; song.consts.len()],
        tried: tried(&song, sizes),
        members: Vec::new(),
        families: Vec::new(),
        lanes: Vec::new(),
        compared: OnceLock::new(),
        message_actions: OnceLock::new(),
        song,
    };
    let mut drafts = vec![Instance {
        facts: Arc::new(facts),
        delivery: None,
        start: None,
    }];
    let mut missing = table(drafts[0].song());
    if missing.is_empty() {
        drafts.iter_mut().try_for_each(enlist)?;
    }
    for decl in order {
        drafts = fix(decl, drafts, sizes, values)?;
        if missing.remove(&decl) && missing.is_empty() {
            drafts.iter_mut().try_for_each(enlist)?;
        }
    }
    Ok(drafts)
}

/// The parameters whose values are not chosen.
fn tried(song: &Song, sizes: &Sizes) -> Vec<ConstId> {
    let params = song
        .consts
        .iter()
        .enumerate()
        .filter(|(_, item)| item.value.is_none());
    let open = params.filter(|(_, item)| !sizes.has(&item.name));
    open.map(|(at, _)| at.into()).collect()
}

/// Every name that was given a size is one that takes one.
fn names_are_known(song: &Song, sizes: &Sizes) -> Result<(), InstanceError> {
    let open: Vec<&str> = song
        .sorts
        .iter()
        .filter(|sort| sort.is_sized())
        .map(|sort| &*sort.name)
        .chain(
            song.consts
                .iter()
                .filter(|item| item.value.is_none())
                .map(|item| &*item.name),
        )
        .collect();
    let mut named = sizes.chosen.keys().chain(sizes.written.keys());
    let Some(name) = named.find(|name| !open.contains(&&***name)) else {
        return Ok(());
    };
    if let Some(sort) = song.sorts.iter().find(|sort| sort.name == *name) {
        return Err(
            error(format!("the size of `{name}` is what its bounds say"))
                .at(sort.span)
                .help("choose the parameters in its bounds instead"),
        );
    }
    if let Some(constant) = song.consts.iter().find(|constant| constant.name == *name) {
        return Err(error(format!("`{name}` is a constant: it has its value"))
            .at(constant.span)
            .help(format!(
                "declare it as `param {name}: …;` to choose its value"
            )));
    }
    let unknown = error(format!("there is no sort or parameter `{name}`"));
    Err(match near_names(name, open.iter().copied()).first() {
        Some(near) => unknown.help(format!("did you mean `{near}`?")),
        None if open.is_empty() => unknown.help("nothing in this song takes a size"),
        None => unknown.help(format!("these take a size or value: {}", open.join(", "))),
    })
}

/// Fixes one declaration in every draft; an open parameter makes several of each.
fn fix(
    decl: Decl,
    drafts: Vec<Instance>,
    sizes: &Sizes,
    given: Option<&[Value]>,
) -> Result<Vec<Instance>, InstanceError> {
    let id = match decl {
        Decl::Const(id) => id,
        Decl::Sort(id) => return fix_sort(id, drafts, sizes),
    };
    let Some(song) = drafts.first().map(|draft| draft.song().clone()) else {
        return Ok(drafts);
    };
    let Const { name, span, .. } = &song.consts[id.index()];
    let mut fixed = Vec::new();
    for mut draft in drafts {
        let mut values = match given {
            Some(given) => vec![given[id.index()].clone()],
            None => const_values(id, &draft, sizes)?,
        };
        if let Some(last) = values.pop() {
            fixed.extend(
                values
                    .into_iter()
                    .map(|value| with_const(&draft, id, value)),
            );
            Arc::make_mut(&mut draft.facts).consts[id.index()] = last;
            fixed.push(draft);
        }
        if fixed.len() > MOST_INSTANCES {
            return Err(error("there are too many values of the parameters to try")
                .at(*span)
                .help(format!("choose a value, as in `--size {name}=1`")));
        }
    }
    if fixed.is_empty() {
        return Err(
            error(format!("no value of `{name}` that is tried is allowed"))
                .at(*span)
                .help(format!(
                    "choose one that its `where` allows: `--size {name}=…`"
                )),
        );
    }
    Ok(fixed)
}

/// Gives a sort its members in every draft. A sort has some: values of parameters that leave it none are not
/// tried, as if the parameter's `where` said so.
fn fix_sort(
    id: SortId,
    drafts: Vec<Instance>,
    sizes: &Sizes,
) -> Result<Vec<Instance>, InstanceError> {
    let mut fixed = Vec::new();
    let mut empty = None;
    for mut draft in drafts {
        let (first, last) = sort_range(id, &draft, sizes)?;
        if last < first {
            let sort = &draft.song().sorts[id.index()];
            let message = format!("`{}` = {first}..={last} has no members", sort.name);
            empty = Some(
                error(message)
                    .at(sort.span)
                    .help("a sort needs at least one; constrain the parameters in its bounds"),
            );
            continue;
        }
        Arc::make_mut(&mut draft.facts).sorts[id.index()] = (first, last);
        fixed.push(draft);
    }
    match empty {
        Some(error) if fixed.is_empty() => Err(error),
        _ => Ok(fixed),
    }
}

/// First and last member of a sort; it is empty when the last comes before the first.
fn sort_range(id: SortId, draft: &Instance, sizes: &Sizes) -> Result<(i64, i64), InstanceError> {
    let sort = &draft.song().sorts[id.index()];
    let size = || chosen_size(sort, sizes);
    let (first, last) = match &sort.kind {
        SortKind::Identities { .. } => (0, size()? - 1),
        SortKind::Range(Range { start, end }) => {
            let first = closed(draft, start, sort.span)?.int();
            let last = match end {
                RangeEnd::Open => first.checked_add(size()? - 1),
                RangeEnd::Before(end) => closed(draft, end, sort.span)?.int().checked_sub(1),
                RangeEnd::With(end) => Some(closed(draft, end, sort.span)?.int()),
            };
            (first, last.unwrap_or(i64::MAX))
        }
    };
    let length = i128::from(last) - i128::from(first) + 1;
    let name = &sort.name;
    if length > MOST_VALUES as i128 {
        return Err(error(format!("`{name}` has {length} members: too many"))
            .at(sort.span)
            .help(format!(
                "at most {MOST_VALUES} are possible; choose a smaller size"
            )));
    }
    Ok((first, last))
}

fn chosen_size(sort: &SortDecl, sizes: &Sizes) -> Result<i64, InstanceError> {
    let name = &sort.name;
    match sizes.get(name) {
        None => Ok(DEFAULT_SIZE),
        Some(size) if size < 1 => Err(error(format!("the size of `{name}` cannot be {size}"))
            .at(sort.span)
            .help(format!(
                "a sort needs at least one member, as in `--size {name}=2`"
            ))),
        Some(size) => Ok(size),
    }
}

/// The values a constant or parameter may have.
fn const_values(id: ConstId, draft: &Instance, sizes: &Sizes) -> Result<Vec<Value>, InstanceError> {
    let constant = &draft.song().consts[id.index()];
    if let Some(value) = &constant.value {
        let mut locals = vec![Value::None; constant.locals.len()];
        let value = Eval::new(draft, &Nothing).expr(value, &mut locals);
        return Ok(vec![
            value.map_err(|failure| failed(&constant.name, failure))?,
        ]);
    }
    let chosen = match (sizes.get(&constant.name), sizes.written.get(&constant.name)) {
        (Some(chosen), _) => Some(param_value(constant, chosen, draft)?),
        (None, Some(text)) => Some(param_written(constant, text, draft)?),
        (None, None) => None,
    };
    if let Some(value) = chosen {
        if allowed(id, &value, draft)? {
            return Ok(vec![value]);
        }
        let shown = show(draft, &value, &constant.ty);
        return Err(error(format!("`{}` cannot be {shown}", constant.name))
            .at(constant.span)
            .help("its declaration says `where` it may be"));
    }
    let candidates = draft.candidates(&constant.ty).map_err(|message| {
        error(format!(
            "the values of `{}` cannot all be tried: {message}",
            constant.name
        ))
        .at(constant.span)
    })?;
    let mut values = Vec::new();
    for value in candidates {
        if allowed(id, &value, draft)? {
            values.push(value);
        }
    }
    match values.is_empty() {
        true => beyond(id, draft),
        false => Ok(values),
    }
}

/// Numbers are looked at up to here when no value of the window is allowed.
const FARTHEST: i64 = 1_000;

/// The number nearest to 0 that is allowed, when none of the window is: `where N >= 3 * F + 1`.
fn beyond(id: ConstId, draft: &Instance) -> Result<Vec<Value>, InstanceError> {
    let below = match &draft.song().consts[id.index()].ty {
        Ty::Int => true,
        Ty::Nat => false,
        _ => return Ok(Vec::new()),
    };
    for number in 0..=FARTHEST {
        let both = [Some(number), below.then_some(-number)];
        for number in both.into_iter().flatten() {
            let value = Value::Int(number);
            if allowed(id, &value, draft)? {
                return Ok(vec![value]);
            }
        }
    }
    Ok(Vec::new())
}

/// The value that a number stands for.
fn param_value(constant: &Const, chosen: i64, draft: &Instance) -> Result<Value, InstanceError> {
    let name = &constant.name;
    let outside =
        |what: String| Err(error(format!("`{name}` cannot be {chosen}: {what}")).at(constant.span));
    match &constant.ty {
        Ty::Int => Ok(Value::Int(chosen)),
        Ty::Nat if chosen < 0 => outside("it is a nat".to_owned()),
        Ty::Nat => Ok(Value::Int(chosen)),
        Ty::Bool if (0..=1).contains(&chosen) => Ok(Value::Bool(chosen == 1)),
        Ty::Bool => outside("0 stands for false, 1 for true".to_owned()),
        Ty::Sort(id) => {
            let (first, last) = draft.range(*id);
            let sort = &draft.song().sorts[id.index()];
            match sort.kind {
                _ if !(first..=last).contains(&chosen) => {
                    outside(format!("the members of {} are {first}..={last}", sort.name))
                }
                SortKind::Identities { .. } => Ok(Value::Id(chosen as u32)),
                SortKind::Range(_) => Ok(Value::Int(chosen)),
            }
        }
        _ => Err(error(format!("the value of `{name}` is not a number"))
            .at(constant.span)
            .help("leave it out: every value is tried")),
    }
}

/// The value that a text stands for.
fn param_written(constant: &Const, text: &str, draft: &Instance) -> Result<Value, InstanceError> {
    read(draft, &constant.ty, text).map_err(|why| {
        let refusal = refusal(draft, &constant.ty, (&constant.name, text), &why);
        error(refusal).at(constant.span)
    })
}

fn allowed(id: ConstId, value: &Value, draft: &Instance) -> Result<bool, InstanceError> {
    let constant = &draft.song().consts[id.index()];
    let Some(constraint) = &constant.constraint else {
        return Ok(true);
    };
    let with = with_const(draft, id, value.clone());
    let mut locals = vec![Value::None; constant.locals.len()];
    let truth = Eval::new(&with, &Nothing).truth(constraint, &mut locals);
    truth.map_err(|failure| failed(&constant.name, failure))
}

fn with_const(draft: &Instance, id: ConstId, value: Value) -> Instance {
    let mut draft = draft.clone();
    Arc::make_mut(&mut draft.facts).consts[id.index()] = value;
    draft
}

/// The value of a closed expression without names of its own.
fn closed(draft: &Instance, expr: &Expr, span: Span) -> Result<Value, InstanceError> {
    let value = Eval::new(draft, &Nothing).expr(expr, &mut []);
    value.map_err(|failure| error(failure.message).at(span))
}

fn failed(name: &str, failure: Failure) -> InstanceError {
    error(format!("`{name}` has no value: {}", failure.message)).at(failure.span)
}
