//! In which order sorts, constants and parameters can be fixed.
//!
//! `sort Slot = 0..N;` needs `N`, `param root: Db;` needs `Db`, and names may be used before they
//! are declared: so each declaration is fixed after the ones it mentions.

use super::{InstanceError, error};
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Binding, Choice, ConstId, Domain, EnumId, Expr, ExprKind, FnId, RangeEnd, Song, SortId,
    SortKind, StructId, Ty,
};
use std::collections::{BTreeMap, BTreeSet};

/// A declaration to fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Decl {
    Sort(SortId),
    Const(ConstId),
}

/// All sorts, constants and parameters, each after what it needs.
pub(super) fn order(song: &Song) -> Result<Vec<Decl>, InstanceError> {
    let sorts = (0..song.sorts.len()).map(|at| Decl::Sort(at.into()));
    let consts = (0..song.consts.len()).map(|at| Decl::Const(at.into()));
    let mut order = DependencyOrder {
        song,
        state: BTreeMap::new(),
        done: Vec::new(),
    };
    for decl in sorts.chain(consts) {
        order.place(decl)?;
    }
    Ok(order.done)
}

/// What must be fixed before the table of processes and endpoints: the sorts of their indices.
pub(super) fn table(song: &Song) -> BTreeSet<Decl> {
    let mut needs = Needs {
        song,
        found: BTreeSet::new(),
        seen: Seen::default(),
    };
    needs.processes();
    needs.found
}

/// A walk in depth, with its own stack: a text may chain as many constants as it likes.
struct DependencyOrder<'a> {
    song: &'a Song,
    /// Declarations entered, and whether they are done.
    state: BTreeMap<Decl, bool>,
    done: Vec<Decl>,
}

impl DependencyOrder<'_> {
    fn place(&mut self, root: Decl) -> Result<(), InstanceError> {
        let mut stack: Vec<(Decl, Vec<Decl>)> = Vec::new();
        self.enter(root, &mut stack)?;
        while let Some((decl, needed)) = stack.last_mut() {
            let decl = *decl;
            match needed.pop() {
                Some(next) => self.enter(next, &mut stack)?,
                None => {
                    stack.pop();
                    self.state.insert(decl, true);
                    self.done.push(decl);
                }
            }
        }
        Ok(())
    }

    fn enter(
        &mut self,
        decl: Decl,
        stack: &mut Vec<(Decl, Vec<Decl>)>,
    ) -> Result<(), InstanceError> {
        match self.state.get(&decl) {
            Some(true) => Ok(()),
            Some(false) => {
                let (name, span) = name(self.song, decl);
                Err(error(format!("`{name}` depends on itself")).at(span))
            }
            None => {
                self.state.insert(decl, false);
                stack.push((decl, needs(self.song, decl).into_iter().rev().collect()));
                Ok(())
            }
        }
    }
}

fn name(song: &Song, decl: Decl) -> (&str, Span) {
    match decl {
        Decl::Sort(id) => (&song.sorts[id.index()].name, song.sorts[id.index()].span),
        Decl::Const(id) => (&song.consts[id.index()].name, song.consts[id.index()].span),
    }
}

/// What a declaration mentions.
fn needs(song: &Song, decl: Decl) -> BTreeSet<Decl> {
    let mut needs = Needs {
        song,
        found: BTreeSet::new(),
        seen: Seen::default(),
    };
    match decl {
        Decl::Sort(id) => {
            if let SortKind::Range(range) = &song.sorts[id.index()].kind {
                needs.expr(&range.start);
                match &range.end {
                    RangeEnd::Open => {}
                    RangeEnd::Before(end) | RangeEnd::With(end) => needs.expr(end),
                }
            }
        }
        Decl::Const(id) => {
            let constant = &song.consts[id.index()];
            needs.ty(&constant.ty);
            constant
                .value
                .iter()
                .chain(&constant.constraint)
                .for_each(|expr| needs.expr(expr));
            if constant.value.is_none() {
                needs.found.remove(&decl);
            }
        }
    }
    needs.found
}

struct Needs<'a> {
    song: &'a Song,
    found: BTreeSet<Decl>,
    seen: Seen,
}

/// What was already looked into.
#[derive(Default)]
struct Seen {
    functions: BTreeSet<FnId>,
    enums: BTreeSet<EnumId>,
    structs: BTreeSet<StructId>,
    processes: bool,
}

impl Needs<'_> {
    /// The sorts in a type.
    fn ty(&mut self, ty: &Ty) {
        match ty {
            Ty::Bool | Ty::Int | Ty::Nat => {}
            Ty::Process => self.processes(),
            Ty::Sort(id) => {
                self.found.insert(Decl::Sort(*id));
            }
            Ty::Enum(id) => {
                if self.seen.enums.insert(*id) {
                    let variants = &self.song.enums[id.index()].variants;
                    variants
                        .iter()
                        .flat_map(|variant| &variant.fields)
                        .for_each(|ty| self.ty(ty));
                }
            }
            Ty::Struct(id) => {
                if self.seen.structs.insert(*id) {
                    self.song.structs[id.index()]
                        .fields
                        .iter()
                        .for_each(|(_, ty)| self.ty(ty));
                }
            }
            Ty::Tuple(types) => types.iter().for_each(|ty| self.ty(ty)),
            Ty::Option(ty) | Ty::Set(ty) | Ty::Bag(ty) | Ty::Seq(ty) => self.ty(ty),
            Ty::Map(key, value) => {
                self.ty(key);
                self.ty(value);
            }
        }
    }

    /// The sorts that index processes.
    fn processes(&mut self) {
        if !std::mem::replace(&mut self.seen.processes, true) {
            let indices = self.song.families.iter().flat_map(|family| &family.index);
            indices.for_each(|index| self.ty(&index.ty));
        }
    }

    fn function(&mut self, function: FnId) {
        if self.seen.functions.insert(function) {
            let song = self.song;
            let computed = song.functions[function.index()].computed();
            computed.for_each(|expr| self.expr(expr));
        }
    }

    fn domain(&mut self, domain: &Domain) {
        if let Domain::Type(ty) = domain {
            self.ty(ty);
        }
    }
}

impl Visit for Needs<'_> {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Const(id) => {
                self.found.insert(Decl::Const(*id));
            }
            ExprKind::All(ty) => self.ty(ty),
            ExprKind::Pid(..) => self.processes(),
            ExprKind::Narrow(_) | ExprKind::MapOf(..) => self.ty(&expr.ty),
            ExprKind::Call(function, _) => self.function(*function),
            _ => {}
        }
        walk::expr(self, expr);
    }

    fn binding(&mut self, binding: &Binding) {
        self.domain(&binding.domain);
        walk::binding(self, binding);
    }

    fn choice(&mut self, choice: &Choice) {
        self.domain(&choice.domain);
        walk::choice(self, choice);
    }
}
