//! Conditions of a line that several endpoints decide, each for itself.
//!
//! `if a.x > 0 && b.y > 0` has one part for `a` and one for `b`. When a line is turned into processes,
//! each of them evaluates its own part only; so both parts must always come to the same, or one would
//! enter the branch while the other does not, and they would wait for each other. This says which
//! conditions are of that kind and what has to hold ([`Agreement`]); the interpreter checks it in every
//! run, the prover shows it.
//!
//! A condition that nobody can evaluate part by part (a conjunct reads several endpoints, or several
//! members of one family, or could fail where another conjunct is false) is decided by one endpoint,
//! which tells the others: then there is nothing to agree about. Nor is there when a conjunct depends on a
//! name that cannot be said to belong to one endpoint.

use crate::visit::{Visit, conjuncts, endpoints_read, free_locals, is_total, walk, without_spans};
use crate::{
    BinOp, Block, Expr, ExprKind, FamilyId, LocalId, Place, Root, Song, Stmt, StmtKind, Ty,
};
use std::collections::{BTreeMap, BTreeSet};

/// Two parts of a condition that must come to the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// `part of the one <==> part of the other`.
    pub equal: Expr,
    /// The two families.
    pub between: [FamilyId; 2],
}

/// To whom the names of a line belong.
#[derive(Clone, Debug, Default)]
pub struct Owners {
    names: BTreeMap<LocalId, Whose>,
}

#[derive(Clone, Debug, PartialEq)]
enum Whose {
    /// Everybody knows it.
    Common,
    /// One endpoint has it.
    One(FamilyId, Vec<Expr>),
    /// Not said.
    Open,
}

impl Owners {
    /// Of the names that statements bind.
    pub fn of(block: &Block) -> Owners {
        let mut owners = Owners::default();
        let mut binding = Binding(&mut owners);
        block.iter().for_each(|stmt| binding.stmt(stmt));
        owners
    }

    /// What the parts of a condition have to agree about: the first part with each other one.
    pub fn agreements(&self, condition: &Expr) -> Vec<Agreement> {
        let Some(groups) = self.groups(condition) else {
            return Vec::new();
        };
        let Some(((first, own), others)) = groups.split_first() else {
            return Vec::new();
        };
        let agreement = |(other, parts): &(FamilyId, Vec<Expr>)| Agreement {
            equal: binary(BinOp::Iff, all(own), all(parts)),
            between: [*first, *other],
        };
        others.iter().map(agreement).collect()
    }

    /// Each endpoint with its conjuncts, if every conjunct belongs to one.
    fn groups(&self, condition: &Expr) -> Option<Vec<(FamilyId, Vec<Expr>)>> {
        let mut groups: Vec<(FamilyId, Vec<Expr>, Vec<Expr>)> = Vec::new();
        let mut common: Vec<Expr> = Vec::new();
        for part in conjuncts(condition) {
            match self.whose(part) {
                Whose::Common => {
                    groups.iter_mut().for_each(|one| one.2.push(part.clone()));
                    common.push(part.clone());
                }
                Whose::One(family, index) => {
                    let twin = groups.iter().any(|one| one.0 == family && one.1 != index);
                    let other = groups.iter().any(|one| one.0 != family);
                    if twin || other && !is_total(part) {
                        return None;
                    }
                    match groups.iter_mut().find(|one| one.0 == family) {
                        Some(one) => one.2.push(part.clone()),
                        None => {
                            let own = [&common[..], std::slice::from_ref(part)].concat();
                            groups.push((family, index, own));
                        }
                    }
                }
                Whose::Open => return None,
            }
        }
        Some(groups.into_iter().map(|one| (one.0, one.2)).collect())
    }

    fn whose(&self, expr: &Expr) -> Whose {
        let mut whose = Whose::Common;
        let free = free_locals(expr);
        for (family, index, _) in endpoints_read(expr) {
            let known = index
                .iter()
                .all(|at| free_locals(at).is_subset(&free) && endpoints_read(at).is_empty());
            let index = index.iter().map(without_spans).collect();
            let one = if known {
                Whose::One(family, index)
            } else {
                Whose::Open
            };
            whose = both(whose, one);
        }
        for local in free {
            let name = self.names.get(&local).cloned().unwrap_or(Whose::Common);
            whose = both(whose, name);
        }
        whose
    }
}

fn both(a: Whose, b: Whose) -> Whose {
    match (a, b) {
        (Whose::Common, other) | (other, Whose::Common) => other,
        (a, b) if a == b => a,
        _ => Whose::Open,
    }
}

struct Binding<'a>(&'a mut Owners);

impl Visit for Binding<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::Let(local, value) => {
                let whose = self.0.whose(value);
                self.0.names.insert(*local, whose);
            }
            StmtKind::LetChoice(choice) => {
                self.0.names.insert(choice.local, Whose::Open);
            }
            StmtKind::Match(scrutinee, arms) => {
                let whose = self.0.whose(scrutinee);
                let mut names = Bound(BTreeSet::new());
                arms.iter().for_each(|(pattern, _)| names.pattern(pattern));
                for name in names.0 {
                    self.0.names.insert(name, whose.clone());
                }
            }
            StmtKind::For {
                local,
                domain: crate::Domain::In(elements),
                ..
            } => {
                let whose = self.0.whose(elements);
                self.0.names.insert(*local, whose);
            }
            _ => {}
        }
        walk::stmt(self, stmt);
    }
}

struct Bound(BTreeSet<LocalId>);

impl Visit for Bound {
    fn binds(&mut self, local: &LocalId) {
        self.0.insert(*local);
    }
}

/// The first statement of a block in which one of these families takes part.
pub fn first_action<'b>(block: &'b [Stmt], families: &[FamilyId]) -> Option<&'b Stmt> {
    let takes_part = |stmt: &&Stmt| {
        let mut parts = Parts {
            families,
            found: false,
        };
        parts.stmt(stmt);
        parts.found
    };
    let stmt = block.iter().find(takes_part)?;
    match &stmt.kind {
        StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
            first_action(yes, families).or_else(|| first_action(no, families))
        }
        StmtKind::While(_, _, body) | StmtKind::For { body, .. } => first_action(body, families),
        StmtKind::Match(_, arms) => arms
            .iter()
            .find_map(|(_, body)| first_action(body, families)),
        _ => Some(stmt),
    }
}

/// What would happen without agreement, in words: where the two would be.
pub fn apart(
    song: &Song,
    locals: &[crate::Local],
    agreement: &Agreement,
    inside: &[Stmt],
    outside: &[Stmt],
) -> String {
    let [a, b] = agreement
        .between
        .map(|family| song.families[family.index()].name.as_str());
    let at = |block: &[Stmt]| {
        let action = first_action(block, &agreement.between)?;
        let text = crate::print::stmt(song, locals, action);
        Some(text.lines().next()?.trim().to_owned())
    };
    let inside = at(inside).map_or("past this".to_owned(), |text| format!("at `{text}`"));
    let outside = at(outside).map_or("past this".to_owned(), |text| format!("at `{text}`"));
    format!("`{a}` and `{b}` do not agree: one would be {inside}, the other {outside}")
}

struct Parts<'f> {
    families: &'f [FamilyId],
    found: bool,
}

impl Visit for Parts<'_> {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Of(family, ..) = &expr.kind {
            self.found |= self.families.contains(family);
        }
        walk::expr(self, expr);
    }

    fn place(&mut self, place: &Place) {
        if let Root::Of(family, ..) = &place.root {
            self.found |= self.families.contains(family);
        }
        walk::place(self, place);
    }
}

fn all(parts: &[Expr]) -> Expr {
    let mut parts = parts.iter().cloned();
    let first = parts.next().expect("a group has a conjunct");
    parts.fold(first, |left, right| binary(BinOp::And, left, right))
}

fn binary(op: BinOp, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    Expr {
        kind: ExprKind::Binary(op, Box::new(left), Box::new(right)),
        ty: Ty::Bool,
        span,
    }
}
