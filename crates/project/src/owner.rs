//! Who owns what: endpoints as they are named in a line, and which of them an expression reads.

use crate::terms::without_spans;
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{Visit, free_locals, walk};
use plainsong_ir::{Expr, ExprKind, FamilyId, LocalId};
use std::collections::{BTreeMap, BTreeSet};

/// An endpoint, named by its family and indices; the indices are known to everybody.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Owner {
    pub(crate) family: FamilyId,
    /// The indices, without places in the text.
    pub(crate) index: Vec<Expr>,
}

impl Owner {
    pub(crate) fn new(family: FamilyId, index: &[Expr]) -> Owner {
        Owner {
            family,
            index: index.iter().map(without_spans).collect(),
        }
    }

    /// The locals that its indices read.
    pub(crate) fn locals(&self) -> BTreeSet<LocalId> {
        self.index.iter().flat_map(free_locals).collect()
    }
}

/// One endpoint, or every member of a family.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Who {
    One(Owner),
    /// All of them.
    Family(FamilyId),
}

impl Who {
    pub(crate) fn family(&self) -> FamilyId {
        match self {
            Who::One(owner) => owner.family,
            Who::Family(family) => *family,
        }
    }
}

/// Which locals belong to one endpoint; the others are known to everybody.
pub(crate) type Located = BTreeMap<LocalId, Owner>;

/// Whom an expression reads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reads {
    /// The endpoints, each once, in order of reading.
    pub(crate) owners: Vec<Owner>,
    /// Does a name that the expression binds decide whose variable is read?
    pub(crate) gathers: bool,
    /// An index that itself depends on the state of an endpoint.
    pub(crate) hidden: Option<Span>,
}

impl Reads {
    /// Of several expressions together.
    pub(crate) fn of<'e>(exprs: impl IntoIterator<Item = &'e Expr>, located: &Located) -> Reads {
        let mut reader = Reader {
            located,
            reads: Reads::default(),
            bound: BTreeSet::new(),
        };
        for expr in exprs {
            reader.expr(expr);
        }
        reader.reads
    }

    /// Everybody but `owner`.
    pub(crate) fn others(&self, owner: &Owner) -> Vec<Owner> {
        let others = self.owners.iter().filter(|other| *other != owner);
        others.cloned().collect()
    }
}

struct Reader<'a> {
    located: &'a Located,
    reads: Reads,
    bound: BTreeSet<LocalId>,
}

impl Reader<'_> {
    fn add(&mut self, owner: Owner) {
        if !self.reads.owners.contains(&owner) {
            self.reads.owners.push(owner);
        }
    }
}

impl Visit for Reader<'_> {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Of(family, index, _) = &expr.kind {
            let inner = Reads::of(index, self.located);
            if !inner.owners.is_empty() {
                self.reads.hidden.get_or_insert(expr.span);
            }
            let owner = Owner::new(*family, index);
            self.reads.gathers |= !owner.locals().is_disjoint(&self.bound);
            self.add(owner);
        }
        walk::expr(self, expr);
    }

    fn uses(&mut self, local: &LocalId) {
        if let Some(owner) = self.located.get(local) {
            self.add(owner.clone());
        }
    }

    fn binds(&mut self, local: &LocalId) {
        self.bound.insert(*local);
    }
}
