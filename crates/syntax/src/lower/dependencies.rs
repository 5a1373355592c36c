//! Constants and sorts that depend on themselves.
//!
//! Looked for in the finished song, where every name is resolved. Functions are in the graph because
//! the circle may go through one, but functions alone may call each other freely.

use super::Lowering;
use super::codes::declarations::RECURSIVE_DEFINITION;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::components::{components_of, is_cyclic};
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Binding, Domain, Expr, ExprKind, RangeEnd, Song, SortKind, Ty};

impl Lowering<'_> {
    /// Reports constants and sorts whose definitions go in a circle.
    pub(crate) fn circles(&mut self, song: &Song) {
        let graph = Graph::of(song);
        for component in components_of(&graph.edges) {
            let defined = component.iter().any(|&node| node < graph.functions_from);
            if defined && is_cyclic(&component, &graph.edges) {
                let members: Vec<(String, Span)> = component
                    .iter()
                    .map(|&node| graph.name(song, node))
                    .collect();
                self.circle(members);
            }
        }
    }

    fn circle(&mut self, mut members: Vec<(String, Span)>) {
        members.sort_by_key(|&(_, span)| span);
        let Some(((first, span), others)) = members.split_first() else {
            return;
        };
        let message = match others {
            [] => format!("`{first}` depends on itself"),
            _ => {
                let names: Vec<String> = members
                    .iter()
                    .map(|(name, _)| format!("`{name}`"))
                    .collect();
                format!("{} depend on each other in a circle", names.join(", "))
            }
        };
        let mut diagnostic = Diagnostic::error(&RECURSIVE_DEFINITION, *span, message);
        for (name, span) in others {
            diagnostic = diagnostic.also(*span, format!("`{name}` is in the circle"));
        }
        self.report(diagnostic.help(
            "constants and the bounds of sorts are computed from other declarations, not from themselves",
        ));
    }
}

/// Constants, then sorts, then functions, each pointing at what it needs.
struct Graph {
    edges: Vec<Vec<usize>>,
    sorts_from: usize,
    functions_from: usize,
}

impl Graph {
    fn of(song: &Song) -> Graph {
        let sorts_from = song.consts.len();
        let functions_from = sorts_from + song.sorts.len();
        let mut edges = Vec::new();
        let needs = || Needs {
            sorts_from,
            functions_from,
            found: Vec::new(),
        };
        for (at, decl) in song.consts.iter().enumerate() {
            let mut needs = needs();
            needs.ty(&decl.ty);
            decl.value.iter().for_each(|value| needs.expr(value));
            decl.constraint
                .iter()
                .for_each(|constraint| needs.expr(constraint));
            // The condition on a parameter sees the parameter itself.
            needs
                .found
                .retain(|&node| decl.value.is_some() || node != at);
            edges.push(needs.found);
        }
        for decl in &song.sorts {
            let mut needs = needs();
            if let SortKind::Range(range) = &decl.kind {
                needs.expr(&range.start);
                match &range.end {
                    RangeEnd::Open => {}
                    RangeEnd::Before(end) | RangeEnd::With(end) => needs.expr(end),
                }
            }
            edges.push(needs.found);
        }
        for decl in &song.functions {
            let mut needs = needs();
            decl.body.iter().for_each(|body| needs.expr(body));
            edges.push(needs.found);
        }
        Graph {
            edges,
            sorts_from,
            functions_from,
        }
    }

    fn name(&self, song: &Song, node: usize) -> (String, Span) {
        if node < self.sorts_from {
            let decl = &song.consts[node];
            (decl.name.clone(), decl.span)
        } else if node < self.functions_from {
            let decl = &song.sorts[node - self.sorts_from];
            (decl.name.clone(), decl.span)
        } else {
            let decl = &song.functions[node - self.functions_from];
            (decl.name.clone(), decl.span)
        }
    }
}

/// What an expression needs to be computed.
struct Needs {
    sorts_from: usize,
    functions_from: usize,
    found: Vec<usize>,
}

impl Needs {
    /// The sorts whose members a type has.
    fn ty(&mut self, ty: &Ty) {
        match ty {
            Ty::Sort(id) => {
                let node = self.sorts_from + id.index();
                if node < self.functions_from {
                    self.found.push(node);
                }
            }
            Ty::Tuple(tys) => tys.iter().for_each(|ty| self.ty(ty)),
            Ty::Option(x) | Ty::Set(x) | Ty::Bag(x) | Ty::Seq(x) => self.ty(x),
            Ty::Map(key, value) => {
                self.ty(key);
                self.ty(value);
            }
            Ty::Bool | Ty::Int | Ty::Nat | Ty::Enum(_) | Ty::Struct(_) | Ty::Process => {}
        }
    }
}

impl Visit for Needs {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Const(id) => self.found.push(id.index()),
            ExprKind::Call(id, _) => self.found.push(self.functions_from + id.index()),
            ExprKind::All(ty) => self.ty(ty),
            ExprKind::Narrow(_) | ExprKind::MapOf(..) => self.ty(&expr.ty),
            _ => {}
        }
        walk::expr(self, expr);
    }

    fn binding(&mut self, binding: &Binding) {
        if let Domain::Type(ty) = &binding.domain {
            self.ty(ty);
        }
        walk::binding(self, binding);
    }
}
