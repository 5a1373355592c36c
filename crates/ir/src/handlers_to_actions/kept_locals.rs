//! Names of a body that outlive a step: they become variables of the process.
//!
//! A name is kept if some segment reads it without having bound it first, on the way that comes to the reading. All others are
//! names of one segment.

use crate::build::{assign, expr, local, none};
use crate::visit::{Visit, VisitMut, locals_bound, walk, walk_mut};
use crate::{
    Accept, Block, Choice, Domain, Expr, ExprKind, Local, LocalId, Place, Root, StartValue,
    StateVar, Stmt, StmtKind, Ty, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// The names that segments read without having bound them. `known`: names that have a value from the start.
pub(super) fn read_before_bound<'a>(
    segments: impl Iterator<Item = (Option<&'a Accept>, &'a Block)>,
    known: usize,
) -> BTreeSet<LocalId> {
    let mut reader = Reader {
        bound: BTreeSet::new(),
        read: BTreeSet::new(),
    };
    for (accept, block) in segments {
        reader.bound = (0..known).map(LocalId::from).collect();
        if let Some(accept) = accept {
            reader.accept(accept);
        }
        reader.block(block);
    }
    reader.read
}

/// A walk in the order in which code runs.
struct Reader {
    bound: BTreeSet<LocalId>,
    read: BTreeSet<LocalId>,
}

impl Visit for Reader {
    fn uses(&mut self, local: &LocalId) {
        if !self.bound.contains(local) {
            self.read.insert(*local);
        }
    }

    fn binds(&mut self, local: &LocalId) {
        self.bound.insert(*local);
    }

    /// What a block binds is bound in it.
    fn block(&mut self, block: &Block) {
        let outside = self.bound.clone();
        walk::block(self, block);
        self.bound = outside;
    }
}

/// Names as variables of the process.
pub(super) struct Kept {
    /// Which variable each became.
    pub(super) vars: BTreeMap<LocalId, VarId>,
    pub(super) types: Vec<Ty>,
    /// Names that mean a candidate or a message's part for a while.
    hidden: Vec<LocalId>,
}

impl Kept {
    pub(super) fn new(vars: BTreeMap<LocalId, VarId>, locals: &[Local]) -> Kept {
        Kept {
            vars,
            types: locals.iter().map(|row| row.ty.clone()).collect(),
            hidden: Vec::new(),
        }
    }

    fn var(&self, local: LocalId) -> Option<VarId> {
        let hides = self.hidden.contains(&local);
        self.vars.get(&local).copied().filter(|_| !hides)
    }

    /// `variable = name;` for the kept ones of these names.
    fn stored(&self, names: impl IntoIterator<Item = LocalId>) -> Block {
        let rows = names.into_iter().filter_map(|name| {
            let value = local(name, &self.types[name.index()]);
            Some(assign(Root::Own(*self.vars.get(&name)?), Vec::new(), value))
        });
        rows.collect()
    }

    /// A segment that begins with a message.
    pub(super) fn received(&mut self, accept: &mut Accept, block: &mut Block) {
        let names = locals_bound_by(accept);
        let outside = self.hidden.len();
        self.hidden.extend(names.iter().copied());
        walk_mut::accept(self, accept);
        self.hidden.truncate(outside);
        self.block(block);
        block.splice(0..0, self.stored(names));
    }
}

impl VisitMut for Kept {
    fn expr(&mut self, one: &mut Expr) {
        if let ExprKind::Local(name) = one.kind
            && let Some(var) = self.var(name)
        {
            one.kind = ExprKind::Own(var);
            return;
        }
        walk_mut::expr(self, one);
    }

    fn place(&mut self, place: &mut Place) {
        walk_mut::place(self, place);
        if let Root::Local(name) = place.root
            && let Some(var) = self.var(name)
        {
            place.root = Root::Own(var);
        }
    }

    fn choice(&mut self, choice: &mut Choice) {
        if let Domain::In(set) = &mut choice.domain {
            self.expr(set);
        }
        self.hidden.push(choice.local);
        if let Some(filter) = &mut choice.filter {
            self.expr(filter);
        }
        self.hidden.pop();
    }

    fn stmt(&mut self, one: &mut Stmt) {
        walk_mut::stmt(self, one);
        let place = |root| Place {
            root,
            path: Vec::new(),
            span: one.span,
        };
        match &mut one.kind {
            StmtKind::Let(name, value) => {
                if let Some(var) = self.vars.get(name) {
                    one.kind = StmtKind::Assign(place(Root::Own(*var)), value.clone());
                }
            }
            StmtKind::LetChoice(choice) => {
                if let Some(var) = self.vars.get(&choice.local) {
                    one.kind = StmtKind::AssignChoice(place(Root::Own(*var)), choice.clone());
                }
            }
            StmtKind::Match(_, arms) => {
                for (pattern, body) in arms {
                    let names = locals_bound(pattern);
                    body.splice(0..0, self.stored(names));
                }
            }
            _ => {}
        }
    }
}

/// The names that an accept gives to a message's parts and sender.
fn locals_bound_by(accept: &Accept) -> Vec<LocalId> {
    struct Names(Vec<LocalId>);
    impl Visit for Names {
        fn binds(&mut self, local: &LocalId) {
            self.0.push(*local);
        }
        fn expr(&mut self, _: &Expr) {}
    }
    let mut names = Names(Vec::new());
    names.accept(accept);
    names.0
}

/// The variable of a name, of a family with so many indices: it starts with something of its type.
pub(super) fn variable(row: &Local, indices: &[Local]) -> StateVar {
    let value = |kind| StartValue::Value(expr(kind, row.ty.clone()));
    let mut locals = indices.to_vec();
    let start = match &row.ty {
        Ty::Bool => value(ExprKind::Bool(false)),
        Ty::Int | Ty::Nat => value(ExprKind::Int(0)),
        Ty::Option(_) => StartValue::Value(none(&row.ty)),
        Ty::Set(_) | Ty::Bag(_) | Ty::Seq(_) => value(ExprKind::Literal(Vec::new())),
        _ => {
            let chosen = LocalId::from(locals.len());
            locals.push(row.clone());
            StartValue::Choice(Choice {
                local: chosen,
                domain: Domain::Type(row.ty.clone()),
                filter: None,
            })
        }
    };
    StateVar {
        name: row.name.clone(),
        ty: row.ty.clone(),
        start,
        locals,
        // A restart begins where it is not read.
        durable: true,
        is_input: false,
        span: row.span,
    }
}
