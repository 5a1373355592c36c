//! The sorts, enums and structs of a file, and what their declarations say about types.

use super::convert::Number;
use super::holes::UNKNOWN;
use plainsong_diagnostics::Span;
use plainsong_ir::components::{components_of, is_cyclic};
use plainsong_ir::{EnumDecl, EnumId, StructDecl, StructId, Ty};

/// The declared types of a file.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeclaredTypes {
    /// By [`SortId`](plainsong_ir::SortId).
    pub(crate) sorts: Vec<Sort>,
    /// By [`EnumId`].
    pub(crate) enums: Vec<EnumDecl>,
    /// By [`StructId`].
    pub(crate) structs: Vec<StructDecl>,
    /// Which of them have finitely many values, once the sizes of sorts are fixed.
    finite_enums: Vec<bool>,
    finite_structs: Vec<bool>,
}

/// A sort, without its bounds.
#[derive(Clone, Debug)]
pub(crate) struct Sort {
    pub(crate) name: String,
    /// The name in the text.
    pub(crate) span: Span,
    pub(crate) members: Members,
}

/// What the members of a sort are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Members {
    /// Identities that can only be compared for equality.
    Unordered,
    /// Identities with an order.
    Ordered,
    /// Integers, as many as the size chosen for the sort.
    OpenRange,
    /// Integers between bounds.
    BoundedRange,
}

/// Enums and structs that contain each other in a circle.
pub(crate) struct Circle {
    /// The name and place of each member, in declaration order, enums first.
    pub(crate) members: Vec<(String, Span)>,
}

impl DeclaredTypes {
    /// Which kind of number a type is, if it is one.
    pub(crate) fn number(&self, ty: &Ty) -> Option<Number> {
        match ty {
            Ty::Int => Some(Number::Int),
            Ty::Nat => Some(Number::Nat),
            Ty::Sort(id) => match self.sorts.get(id.index())?.members {
                Members::OpenRange | Members::BoundedRange => Some(Number::Range),
                Members::Unordered | Members::Ordered => None,
            },
            _ => None,
        }
    }

    /// Can values be compared with `<`?
    pub(crate) fn is_ordered(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Sort(id) => self
                .sorts
                .get(id.index())
                .is_none_or(|sort| sort.members != Members::Unordered),
            _ => self.number(ty).is_some(),
        }
    }

    /// Can the values be listed once the sizes of sorts are fixed?
    pub(crate) fn is_finite(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Bool | Ty::Sort(_) | Ty::Process => true,
            Ty::Int | Ty::Nat | Ty::Bag(_) | Ty::Seq(_) => false,
            Ty::Enum(id) => is_listed(&self.finite_enums, id.index()),
            Ty::Struct(id) => is_listed(&self.finite_structs, id.index()),
            Ty::Tuple(tys) => tys.iter().all(|part| self.is_finite(part)),
            Ty::Option(inner) | Ty::Set(inner) => self.is_finite(inner),
            Ty::Map(key, value) => self.is_finite(key) && self.is_finite(value),
        }
    }

    /// Are there processes inside values of the type?
    pub(crate) fn contains_process(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Process => true,
            Ty::Bool | Ty::Int | Ty::Nat | Ty::Sort(_) => false,
            Ty::Enum(id) => {
                let variants = self
                    .enums
                    .get(id.index())
                    .map_or(&[][..], |decl| &decl.variants);
                let mut fields = variants.iter().flat_map(|variant| &variant.fields);
                fields.any(|field| self.contains_process(field))
            }
            Ty::Struct(id) => {
                let fields = self
                    .structs
                    .get(id.index())
                    .map_or(&[][..], |decl| &decl.fields);
                fields.iter().any(|(_, field)| self.contains_process(field))
            }
            Ty::Tuple(tys) => tys.iter().any(|part| self.contains_process(part)),
            Ty::Option(x) | Ty::Set(x) | Ty::Bag(x) | Ty::Seq(x) => self.contains_process(x),
            Ty::Map(key, value) => self.contains_process(key) || self.contains_process(value),
        }
    }

    /// Completes the tables once all enums and structs are known: finds those that contain
    /// themselves (and makes their contents unknown), and which of the others are finite.
    pub(crate) fn close(&mut self) -> Vec<Circle> {
        let edges: Vec<Vec<usize>> = self.parts().map(|tys| self.targets(&tys)).collect();
        self.finite_enums = vec![true; self.enums.len()];
        self.finite_structs = vec![true; self.structs.len()];
        let mut circles = Vec::new();
        for component in components_of(&edges) {
            if is_cyclic(&component, &edges) {
                circles.push(self.break_circle(&component));
            } else {
                self.decide(component[0]);
            }
        }
        circles
    }

    /// The types inside each enum, then inside each struct.
    fn parts(&self) -> impl Iterator<Item = Vec<Ty>> {
        let enums = self.enums.iter().map(|decl| {
            decl.variants
                .iter()
                .flat_map(|v| v.fields.clone())
                .collect()
        });
        let structs = self
            .structs
            .iter()
            .map(|decl| decl.fields.iter().map(|(_, ty)| ty.clone()).collect());
        enums.chain(structs)
    }

    /// The enums and structs that occur in `tys`, as nodes of the graph.
    fn targets(&self, tys: &[Ty]) -> Vec<usize> {
        let mut found = Vec::new();
        for ty in tys {
            self.collect(ty, &mut found);
        }
        found
    }

    fn collect(&self, ty: &Ty, found: &mut Vec<usize>) {
        match ty {
            Ty::Enum(id) => found.push(id.index()),
            Ty::Struct(id) => found.push(self.enums.len() + id.index()),
            Ty::Tuple(tys) => tys.iter().for_each(|ty| self.collect(ty, found)),
            Ty::Option(x) | Ty::Set(x) | Ty::Bag(x) | Ty::Seq(x) => self.collect(x, found),
            Ty::Map(key, value) => {
                self.collect(key, found);
                self.collect(value, found);
            }
            Ty::Bool | Ty::Int | Ty::Nat | Ty::Sort(_) | Ty::Process => {}
        }
    }

    fn node(&self, node: usize) -> Node {
        match node.checked_sub(self.enums.len()) {
            Some(at) => Node::Struct(StructId::from(at)),
            None => Node::Enum(EnumId::from(node)),
        }
    }

    fn break_circle(&mut self, component: &[usize]) -> Circle {
        let mut members = Vec::new();
        for &node in component {
            match self.node(node) {
                Node::Enum(id) => {
                    let decl = &mut self.enums[id.index()];
                    members.push((decl.name.clone(), decl.span));
                    let fields = decl.variants.iter_mut().flat_map(|v| &mut v.fields);
                    fields.for_each(|ty| *ty = UNKNOWN);
                }
                Node::Struct(id) => {
                    let decl = &mut self.structs[id.index()];
                    members.push((decl.name.clone(), decl.span));
                    decl.fields.iter_mut().for_each(|(_, ty)| *ty = UNKNOWN);
                }
            }
        }
        Circle { members }
    }

    /// Decides whether a declared type has finitely many values.
    fn decide(&mut self, node: usize) {
        match self.node(node) {
            Node::Enum(id) => {
                let variants = self.enums[id.index()].variants.iter();
                let mut fields = variants.flat_map(|variant| &variant.fields);
                self.finite_enums[id.index()] = fields.all(|ty| self.is_finite(ty));
            }
            Node::Struct(id) => {
                let mut fields = self.structs[id.index()].fields.iter();
                self.finite_structs[id.index()] = fields.all(|(_, ty)| self.is_finite(ty));
            }
        }
    }
}

/// What the table says; what is not in it was reported already.
fn is_listed(finite: &[bool], at: usize) -> bool {
    finite.get(at).copied().unwrap_or(true)
}

enum Node {
    Enum(EnumId),
    Struct(StructId),
}
