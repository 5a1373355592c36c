//! Unanimity (agreement on a joint guard): conditions of a line that several endpoints decide, each for itself.
//!
//! `if a.x > 0 && b.y > 0` has one part for `a` and one for `b`. When a line is turned into processes,
//! each of them evaluates its own part only; so both parts must always come to the same, or one would
//! enter the branch while the other does not, and they would wait for each other. This says which
//! conditions are of that kind and what has to hold ([`Agreement`]); the interpreter checks it in every
//! run, the prover shows it.
//!
//! A conjunct about every member of a family ([`family_part`]), `forall s: Server :: server[s].ok`, is
//! decided by each member for itself if it stands beside a part of a single endpoint (`c.ok && forall s: Server
//! :: server[s].ok`: every server has to come to the same as `c`), or if there is nobody but families. Alone, it
//! is a question to the whole family, which one endpoint asks.
//!
//! A condition that nobody can evaluate part by part (a conjunct reads several endpoints, or several
//! members of one family, or could fail where another conjunct is false) is decided by one endpoint,
//! which tells the others: then there is nothing to agree about. Nor is there when a conjunct depends on a
//! name that cannot be said to belong to one endpoint.

use crate::sub_choreography::parts_in;
use crate::visit::{Visit, conjuncts, endpoints_read, free_locals, is_total, locals_bound, walk};
use crate::{
    BinOp, Binding as Binders, Choreography, Domain, Expr, ExprKind, FamilyId, LocalId, Part,
    Place, Quantifier, Root, Song, Stmt, StmtKind, Ty, UnOp,
};
use std::collections::BTreeMap;

/// Two parts of a condition that must come to the same.
#[derive(Clone, Debug, PartialEq)]
pub struct Agreement {
    /// `part of the one <==> part of the other`.
    pub equal: Expr,
    /// The two families.
    pub between: [FamilyId; 2],
}

/// A conjunct that each member of a family can evaluate for itself.
#[derive(Clone, Debug, PartialEq)]
pub struct FamilyPart {
    pub family: FamilyId,
    /// Names for the indices of a member.
    pub member: Vec<LocalId>,
    /// What they range over.
    pub domains: Vec<Domain>,
    /// What it says about this member; it always has a value.
    pub body: Expr,
}

/// `forall s: Server :: …` with a body that reads nobody but `server[s]`.
pub fn family_part(part: &Expr) -> Option<FamilyPart> {
    let ExprKind::Quantifier(Quantifier::Forall, bindings, body) = &part.kind else {
        return None;
    };
    let (mut member, mut domains) = (Vec::new(), Vec::new());
    for binding in bindings {
        let is_whole = match &binding.domain {
            Domain::Type(_) => true,
            Domain::In(set) => matches!(set.kind, ExprKind::All(_)),
        };
        if !is_whole || binding.filter.is_some() {
            return None;
        }
        member.extend(&binding.names);
        domains.extend(binding.names.iter().map(|_| binding.domain.clone()));
    }
    let read = endpoints_read(body);
    let family = read.first()?.0;
    let is_member = |index: &[Expr]| {
        let names = index.iter().map(|at| match at.kind {
            ExprKind::Local(name) => Some(name),
            _ => None,
        });
        names.eq(member.iter().copied().map(Some))
    };
    let alone = read
        .iter()
        .all(|(one, index, _)| *one == family && is_member(index));
    (alone && is_total(body)).then(|| FamilyPart {
        family,
        member,
        domains,
        body: (**body).clone(),
    })
}

/// To whom the names of a line belong.
#[derive(Clone, Debug, Default)]
pub struct Owners {
    names: BTreeMap<LocalId, Whose>,
    /// Is there an endpoint that is no family?
    has_single: bool,
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
    /// Of the names that the statements of a choreography bind.
    pub fn of(song: &Song, line: &Choreography) -> Owners {
        let is_single = |id: &FamilyId| song.families[id.index()].index.is_empty();
        let mut owners = Owners {
            names: BTreeMap::new(),
            has_single: line.endpoints.iter().any(is_single),
        };
        // A condition of a part is decided as in the part alone, where it was shown to be unanimous.
        let singles = |part: &Part| {
            let parts = song.lines.get(part.line);
            parts.is_some_and(|line| line.endpoints.iter().any(is_single))
        };
        owners.has_single |= parts_in(&line.code.body).into_iter().any(singles);
        let mut binding = Binding(&mut owners);
        line.code.body.iter().for_each(|stmt| binding.stmt(stmt));
        owners
    }

    /// Does everybody know the value of an expression?
    pub fn is_common(&self, expr: &Expr) -> bool {
        self.whose(expr) == Whose::Common
    }

    /// Is a condition taken apart, so that several decide it, each for itself?
    pub fn divides(&self, condition: &Expr) -> bool {
        let groups = self.groups(condition);
        groups.is_some_and(|groups| groups.len() > 1 || !groups.iter().all(Group::is_single))
    }

    /// What the parts of a condition have to agree about: that of one endpoint with each other one.
    pub fn agreements(&self, condition: &Expr) -> Vec<Agreement> {
        let Some(groups) = self.groups(condition) else {
            return Vec::new();
        };
        let single = groups.iter().find(|one| one.is_single());
        let Some(first) = single else {
            return groups.iter().map(Group::agreement).collect();
        };
        let others = groups.iter().filter(|one| one.family != first.family);
        others.map(|other| other.agreement_with(first)).collect()
    }

    /// Each endpoint or family with its conjuncts, if every conjunct belongs to one.
    fn groups(&self, condition: &Expr) -> Option<Vec<Group>> {
        let mut groups: Vec<Group> = Vec::new();
        let mut common: Vec<Expr> = Vec::new();
        for part in conjuncts(condition) {
            let group = match (self.whose(part), self.family_part(part)) {
                (Whose::Common, _) => {
                    groups
                        .iter_mut()
                        .for_each(|one| one.parts.push(part.clone()));
                    common.push(part.clone());
                    continue;
                }
                (Whose::One(family, index), _) => Group {
                    family,
                    index,
                    member: Vec::new(),
                    domains: Vec::new(),
                    parts: vec![part.clone()],
                },
                (Whose::Open, Some(each)) => Group {
                    family: each.family,
                    index: Vec::new(),
                    member: each.member,
                    domains: each.domains,
                    parts: vec![each.body],
                },
                (Whose::Open, None) => return None,
            };
            let others = groups.iter().any(|one| one.family != group.family);
            if others && !is_total(part) {
                return None;
            }
            match groups.iter_mut().find(|one| one.family == group.family) {
                Some(one) if one.is_same(&group) => one.parts.extend(group.parts),
                Some(_) => return None,
                None => {
                    let parts = [&common[..], &group.parts].concat();
                    groups.push(Group { parts, ..group });
                }
            }
        }
        let has_single = groups.iter().any(Group::is_single);
        let stands = has_single || (groups.len() < 2 && !self.has_single);
        stands.then_some(groups)
    }

    /// A part of a whole family, in names that everybody knows.
    fn family_part(&self, part: &Expr) -> Option<FamilyPart> {
        let is_common = |local: &LocalId| {
            let whose = self.names.get(local);
            whose.is_none_or(|whose| *whose == Whose::Common)
        };
        family_part(part).filter(|_| free_locals(part).iter().all(is_common))
    }

    fn whose(&self, expr: &Expr) -> Whose {
        let mut whose = Whose::Common;
        let free = free_locals(expr);
        for (family, index, _) in endpoints_read(expr) {
            let known = index
                .iter()
                .all(|at| free_locals(at).is_subset(&free) && endpoints_read(at).is_empty());
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

/// The conjuncts of one endpoint, or those of each member of a family.
struct Group {
    family: FamilyId,
    index: Vec<Expr>,
    /// Names for the indices of a member, when it is a whole family, and what they range over.
    member: Vec<LocalId>,
    domains: Vec<Domain>,
    parts: Vec<Expr>,
}

impl Group {
    fn is_single(&self) -> bool {
        self.member.is_empty()
    }

    /// Two parts of a family have names of their own, so they are not put together.
    fn is_same(&self, other: &Group) -> bool {
        self.member.is_empty() && other.member.is_empty() && self.index == other.index
    }

    /// With the part of a single endpoint.
    fn agreement_with(&self, first: &Group) -> Agreement {
        let own = all(&first.parts);
        let equal = binary(BinOp::Iff, own, all(&self.parts));
        Agreement {
            equal: self.for_all(equal),
            between: [first.family, self.family],
        }
    }

    /// Of the members among each other.
    fn agreement(&self) -> Agreement {
        let part = all(&self.parts);
        let (ty, span) = (Ty::Bool, part.span);
        let kind = ExprKind::Unary(UnOp::Not, Box::new(part.clone()));
        let none = self.for_all(Expr { kind, ty, span });
        Agreement {
            equal: binary(BinOp::Or, self.for_all(part), none),
            between: [self.family, self.family],
        }
    }

    fn for_all(&self, body: Expr) -> Expr {
        if self.member.is_empty() {
            return body;
        }
        let span = body.span;
        let binders = self.member.iter().zip(&self.domains);
        let binders = binders.map(|(name, domain)| Binders {
            names: vec![*name],
            domain: domain.clone(),
            filter: None,
        });
        let kind = ExprKind::Quantifier(Quantifier::Forall, binders.collect(), Box::new(body));
        let ty = Ty::Bool;
        Expr { kind, ty, span }
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
                for name in arms.iter().flat_map(|(pattern, _)| locals_bound(pattern)) {
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
        StmtKind::Part(part) => {
            first_action(&part.start, families).or_else(|| first_action(&part.body, families))
        }
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
    match agreement.between[0] == agreement.between[1] {
        true => {
            format!("the members of `{a}` do not agree: one would be {inside}, another {outside}")
        }
        false => {
            format!("`{a}` and `{b}` do not agree: one would be {inside}, the other {outside}")
        }
    }
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
