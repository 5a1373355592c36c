//! Path relations: what one handler may do, path by path, as polyhedra.
//!
//! A handler is executed on symbolic values. Conditions on numbers become linear inequalities; where one is not linear both
//! branches are possible, and what is not known of a value is a variable of its own. The same expression read twice is the
//! same value until something is written. Loops are gone through once from anything that they may leave behind.
//! So every step of the handler is on some path, and satisfies what is said of it.
//!
//! Not precise about: maps, identities, what is in collections. Nothing rests on any of it: rankings made from paths are
//! proposals.

mod expressions;
mod statements;

use super::values::{Fresh, Linear, Value};
use crate::terms::expr;
use plainsong_ir::visit::any_expr;
use plainsong_ir::{
    Builtin, ConstId, Expr, ExprKind, Handler, LocalId, MessageId, Range, RangeEnd, Song, SortKind,
    Ty, VarId, Voices,
};
use std::collections::BTreeMap;

/// The most paths of a handler.
const PATHS: usize = 600;
/// How deep calls of functions are followed.
const CALLS: usize = 6;

/// A message that is sent.
#[derive(Clone, Debug)]
pub(super) struct Sent {
    pub(super) message: MessageId,
    pub(super) payload: Vec<Value>,
    /// At least zero where it is sent.
    pub(super) known: Vec<Linear>,
}

/// One way through a handler.
#[derive(Clone, Debug, Default)]
pub(super) struct Path {
    pub(super) known: Vec<Linear>,
    pub(super) own: Vec<Value>,
    pub(super) sends: Vec<Sent>,
    locals: Vec<BTreeMap<LocalId, Value>>,
    /// What was read that is neither a variable nor linear, since the last write.
    reads: Vec<(Expr, Value)>,
    /// Is a loop left, or its next round begun?
    is_cut: bool,
}

/// What a handler may do.
pub(super) struct Relation {
    /// What the process has, and the payload that is taken, at the beginning.
    pub(super) own: Vec<Value>,
    pub(super) payload: Vec<Value>,
    /// What is the same in every state.
    pub(super) rigid: Vec<Linear>,
    pub(super) paths: Vec<Path>,
}

/// Numbers that are the same in every state: parameters, and how many members sorts have.
pub(super) fn rigid(song: &Song) -> Vec<Expr> {
    let parameters = song.consts.iter().enumerate();
    let parameters = parameters.filter(|(_, one)| one.value.is_none());
    let parameters = parameters.filter(|(_, one)| matches!(one.ty, Ty::Int | Ty::Nat));
    let parameters =
        parameters.map(|(at, one)| expr(ExprKind::Const(ConstId::from(at)), one.ty.clone()));
    let sorts = song
        .sorts
        .iter()
        .enumerate()
        .filter(|(_, one)| one.is_sized());
    let sizes = sorts.map(|(at, _)| {
        let sort = Ty::Sort(at.into());
        let all = expr(ExprKind::All(sort.clone()), Ty::Set(sort.into()));
        expr(ExprKind::Method(Builtin::Len, vec![all]), Ty::Nat)
    });
    parameters.chain(sizes).collect()
}

/// The paths of a handler; none where there are too many.
pub(super) fn relation(song: &Song, process: usize, handler: &Handler) -> Option<Relation> {
    let voices = song.voices()?;
    let mut walk = Walk {
        song,
        voices,
        process,
        fresh: Fresh::default(),
        rigid: Vec::new(),
        left: PATHS,
    };
    let mut path = Path {
        locals: vec![BTreeMap::new()],
        ..Path::default()
    };
    for one in rigid(song) {
        let variable = walk.fresh.variable();
        if one.ty == Ty::Nat {
            path.known.push(variable.clone());
        }
        walk.rigid.push((one, variable));
    }
    let family = &song.families[voices.processes[process].family.index()];
    for var in &family.vars {
        let value = walk.fresh.value(song, &var.ty, &mut path.known);
        path.own.push(value);
    }
    let own = path.own.clone();
    let fields = &voices.messages[handler.accept.message.index()].fields;
    let mut payload = Vec::new();
    for (field, slot) in fields.iter().zip(&handler.accept.slots) {
        let value = walk.fresh.value(song, &field.ty, &mut path.known);
        if let Some(slot) = slot {
            path.locals[0].insert(*slot, value.clone());
        }
        payload.push(value);
    }
    let mut paths = vec![path];
    for one in &song.consts {
        if let (Some(where_), None) = (&one.constraint, &one.value) {
            paths = walk.assumed_of(paths, where_, true)?;
        }
    }
    for (at, field) in fields.iter().enumerate() {
        if let Value::Number(number) = &payload[at] {
            paths = walk.in_range(paths, &field.ty, number)?;
        }
    }
    if let Some(filter) = &handler.accept.filter {
        paths = walk.assumed(paths, filter)?;
    }
    let paths = walk.block(&handler.body, paths)?;
    Some(Relation {
        own,
        payload,
        rigid: walk.rigid.iter().map(|(_, term)| term.clone()).collect(),
        paths,
    })
}

struct Walk<'a> {
    song: &'a Song,
    voices: &'a Voices,
    process: usize,
    fresh: Fresh,
    rigid: Vec<(Expr, Linear)>,
    /// How many more paths there may be.
    left: usize,
}

impl Path {
    /// Adds what is at least zero; false if nothing satisfies it.
    fn know(&mut self, term: Linear) -> bool {
        match term.fixed() {
            Some(fixed) => fixed >= 0,
            None => {
                if !self.known.contains(&term) {
                    self.known.push(term);
                }
                true
            }
        }
    }

    /// The same with something known; none if that cannot be.
    fn with(mut self, terms: impl IntoIterator<Item = Linear>) -> Option<Path> {
        let mut all = terms.into_iter();
        all.all(|term| self.know(term)).then_some(self)
    }

    /// Forgets what was read of a variable of the process.
    fn written(&mut self, var: VarId) {
        let reads = |one: &Expr| any_expr(one, |part| part.kind == ExprKind::Own(var));
        self.reads.retain(|(one, _)| !reads(one));
    }

    fn written_local(&mut self, local: LocalId) {
        let reads = |one: &Expr| any_expr(one, |part| part.kind == ExprKind::Local(local));
        self.reads.retain(|(one, _)| !reads(one));
    }

    fn bind(&mut self, local: LocalId, value: Value) {
        self.written_local(local);
        self.locals
            .last_mut()
            .expect("code has names")
            .insert(local, value);
    }

    fn local(&self, local: LocalId) -> Option<&Value> {
        self.locals.last()?.get(&local)
    }
}

impl Walk<'_> {
    fn fork(&mut self) -> Option<()> {
        self.left = self.left.checked_sub(1)?;
        Some(())
    }

    /// Any value of a type.
    fn any(&mut self, ty: &Ty, path: &mut Path) -> Value {
        let mut known = Vec::new();
        let value = self.fresh.value(self.song, ty, &mut known);
        for term in known {
            path.know(term);
        }
        value
    }

    /// The value with the features that its type has: what is not known of it is anything.
    fn shaped(&mut self, value: Value, ty: &Ty, path: &mut Path) -> Value {
        match (value, ty) {
            (Value::Unknown, _) => self.any(ty, path),
            (Value::Option(filled, inner), Ty::Option(content)) => {
                let inner = match **content {
                    Ty::Int | Ty::Nat => self.shaped(*inner, content, path),
                    _ => Value::Unknown,
                };
                Value::Option(filled, inner.into())
            }
            (Value::Parts(parts), Ty::Tuple(types)) => {
                let pairs = parts.into_iter().zip(types);
                Value::Parts(
                    pairs
                        .map(|(part, ty)| self.shaped(part, ty, path))
                        .collect(),
                )
            }
            (Value::Parts(parts), Ty::Struct(which)) => {
                let types = &self.song.structs[which.index()].fields;
                let pairs = parts.into_iter().zip(types);
                let shaped = pairs.map(|(part, (_, ty))| self.shaped(part, ty, path));
                Value::Parts(shaped.collect())
            }
            (value, _) => value,
        }
    }

    /// A number is in its range, where its type is one.
    fn in_range(&mut self, paths: Vec<Path>, ty: &Ty, number: &Linear) -> Option<Vec<Path>> {
        let Ty::Sort(sort) = ty else {
            return Some(paths);
        };
        let SortKind::Range(Range { start, end }) = &self.song.sorts[sort.index()].kind else {
            return Some(paths);
        };
        let mut all = Vec::new();
        for path in paths {
            let Some((path, Value::Number(start))) = self.one(start, path)? else {
                continue;
            };
            let Some(mut path) = path.with([number.minus(&start)]) else {
                continue;
            };
            let last = match end {
                RangeEnd::Open => None,
                RangeEnd::Before(end) => Some((end, 1)),
                RangeEnd::With(end) => Some((end, 0)),
            };
            if let Some((end, less)) = last {
                let Some((after, Value::Number(end))) = self.one(end, path)? else {
                    continue;
                };
                let most = end.minus(number).minus(&Linear::number(less));
                let Some(after) = after.with([most]) else {
                    continue;
                };
                path = after;
            }
            all.push(path);
        }
        Some(all)
    }

    /// A value that needs no branches; the outer none where there is too much.
    fn one(&mut self, expr: &Expr, path: Path) -> Option<Option<(Path, Value)>> {
        Some(self.eval(expr, path)?.into_iter().next())
    }

    fn assumed(&mut self, paths: Vec<Path>, condition: &Expr) -> Option<Vec<Path>> {
        self.assumed_of(paths, condition, false)
    }

    /// The paths on which a condition is true. In one `apart`, names are not those of the handler.
    fn assumed_of(&mut self, paths: Vec<Path>, condition: &Expr, apart: bool) -> Option<Vec<Path>> {
        let mut all = Vec::new();
        for mut path in paths {
            if apart {
                path.locals.push(BTreeMap::new());
            }
            for (mut path, truth) in self.decide(condition, path)? {
                if apart {
                    path.locals.pop();
                }
                if truth {
                    all.push(path);
                }
            }
        }
        Some(all)
    }
}
