//! Loops over members in any order, said in the language.
//!
//! A `for` visits members in ascending order when it is run; what it stands for in a line may come in any.
//! Where that matters (comparing final states, proving), the loop is written out:
//!
//! ```text
//! visits.seen = {};
//! while exists x: S :: !visits.seen.contains(x) {
//!     let x = choose S where !visits.seen.contains(x);
//!     …
//!     visits.seen = visits.seen.with(x);
//! }
//! ```
//!
//! Which members were visited is a variable, so invariants can speak of it.

use super::Line;
use plainsong_diagnostics::Span;
use plainsong_ir::build::expr;
use plainsong_ir::visit::{Visit, renumber_locals, walk};
use plainsong_ir::{
    Binding, Block, Builtin, Choice, Domain, Expr, ExprKind, Family, FamilyId, Local, LocalId,
    LoopClauses, Place, Quantifier, Root, Song, SortId, SortKind, StartValue, StateVar, Stmt,
    StmtKind, Ty, UnOp, VarId,
};
use std::collections::BTreeSet;

/// The endpoint that says which members were visited.
const VISITS: &str = "visits";

/// Finds the loops of a body.
pub(super) struct Loops<'a> {
    pub(super) loose: &'a BTreeSet<LocalId>,
    pub(super) found: Vec<bool>,
}

impl Visit for Loops<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::For { local, .. } = &stmt.kind {
            self.found.push(self.loose.contains(local));
        }
        walk::stmt(self, stmt);
    }
}

impl Line {
    /// The song with its line's loops over members written out: those whose rounds may come in any order, or
    /// all of them but those that only do something to each member by itself.
    pub fn written_out(&self, all: bool) -> Song {
        let mut song = self.song.clone();
        let Some(line) = song.lines.pop() else {
            return song;
        };
        let mut name = VISITS.to_owned();
        while song.families.iter().any(|family| family.name == name) {
            name.push('_');
        }
        let mut writing = AnyOrderWriter {
            song: &song,
            any_order: &self.any_order,
            all,
            at: 0,
            visits: FamilyId::from(song.families.len()),
            vars: Vec::new(),
            locals: line.code.locals.clone(),
        };
        let body = writing.block(&line.code.body);
        let AnyOrderWriter { vars, locals, .. } = writing;
        let mut line = line;
        line.code.body = body;
        line.code.locals = locals;
        if !vars.is_empty() {
            line.endpoints.push(FamilyId::from(song.families.len()));
            song.families.push(Family {
                name,
                index: Vec::new(),
                vars,
                span: Span::default(),
            });
        }
        song.lines.push(line);
        renumber_locals(&mut song);
        song
    }
}

struct AnyOrderWriter<'a> {
    song: &'a Song,
    any_order: &'a [bool],
    all: bool,
    at: usize,
    visits: FamilyId,
    vars: Vec<StateVar>,
    locals: Vec<Local>,
}

impl AnyOrderWriter<'_> {
    fn block(&mut self, block: &Block) -> Block {
        let mut result = Block::new();
        for stmt in block {
            self.stmt(stmt, &mut result);
        }
        result
    }

    fn stmt(&mut self, stmt: &Stmt, into: &mut Block) {
        let kind = match &stmt.kind {
            StmtKind::For {
                local,
                domain,
                filter,
                clauses,
                body,
            } => {
                let loose = self.any_order.get(self.at).copied().unwrap_or(false);
                self.at += 1;
                let body = self.block(body);
                let sort = self.members(domain).filter(|_| filter.is_none());
                let wanted = match self.all {
                    true => !is_separate(&body, *local),
                    false => loose,
                };
                if let Some(sort) = sort.filter(|_| wanted) {
                    return self.written(*local, sort, body, (clauses, stmt.span), into);
                }
                StmtKind::For {
                    local: *local,
                    domain: domain.clone(),
                    filter: filter.clone(),
                    clauses: clauses.clone(),
                    body,
                }
            }
            StmtKind::If(condition, yes, no) => {
                StmtKind::If(condition.clone(), self.block(yes), self.block(no))
            }
            StmtKind::Maybe(yes, no) => StmtKind::Maybe(self.block(yes), self.block(no)),
            StmtKind::Match(value, arms) => {
                let arms = arms
                    .iter()
                    .map(|(pattern, block)| (pattern.clone(), self.block(block)));
                StmtKind::Match(value.clone(), arms.collect())
            }
            StmtKind::While(condition, clauses, body) => {
                StmtKind::While(condition.clone(), clauses.clone(), self.block(body))
            }
            other => other.clone(),
        };
        into.push(Stmt {
            kind,
            span: stmt.span,
        });
    }

    /// The unordered sort that a loop goes over.
    fn members(&self, domain: &Domain) -> Option<SortId> {
        let ty = match domain {
            Domain::Type(ty) => ty,
            Domain::In(set) => match &set.kind {
                ExprKind::All(ty) => ty,
                _ => return None,
            },
        };
        let Ty::Sort(sort) = ty else { return None };
        let kind = &self.song.sorts[sort.index()].kind;
        (*kind == SortKind::Identities { ordered: false }).then_some(*sort)
    }

    fn written(
        &mut self,
        local: LocalId,
        sort: SortId,
        body: Block,
        (clauses, span): (&LoopClauses, Span),
        into: &mut Block,
    ) {
        let member = Ty::Sort(sort);
        let set = Ty::Set(Box::new(member.clone()));
        let var = VarId::from(self.vars.len());
        self.vars.push(StateVar {
            name: format!("seen_{}", self.vars.len() + 1),
            ty: set.clone(),
            start: StartValue::Value(expr(ExprKind::Literal(Vec::new()), set.clone())),
            locals: Vec::new(),
            durable: false,
            is_input: false,
            span: Span::default(),
        });
        let visits = self.visits;
        let seen = || expr(ExprKind::Of(visits, Vec::new(), var), set.clone());
        let put = |value| Stmt {
            kind: StmtKind::Assign(
                Place {
                    root: Root::Of(visits, Vec::new(), var),
                    path: Vec::new(),
                    span: Span::default(),
                },
                value,
            ),
            span: Span::default(),
        };
        let unseen = |name: LocalId| {
            let one = expr(ExprKind::Local(name), member.clone());
            let inside = ExprKind::Method(Builtin::Contains, vec![seen(), one]);
            let inside = Box::new(expr(inside, Ty::Bool));
            expr(ExprKind::Unary(UnOp::Not, inside), Ty::Bool)
        };
        into.push(put(expr(ExprKind::Literal(Vec::new()), set.clone())));
        let row = self.locals[local.index()].clone();
        let bound = LocalId::from(self.locals.len());
        self.locals.push(row);
        let binding = Binding {
            names: vec![bound],
            domain: Domain::Type(member.clone()),
            filter: None,
        };
        let more = ExprKind::Quantifier(Quantifier::Exists, vec![binding], Box::new(unseen(bound)));
        let mut round = vec![Stmt {
            kind: StmtKind::LetChoice(Choice {
                local,
                domain: Domain::Type(member.clone()),
                filter: Some(unseen(local)),
            }),
            span: Span::default(),
        }];
        round.extend(body);
        let this: Expr = expr(ExprKind::Local(local), member.clone());
        let with = ExprKind::Method(Builtin::With, vec![seen(), this]);
        round.push(put(expr(with, set.clone())));
        into.push(Stmt {
            kind: StmtKind::While(expr(more, Ty::Bool), clauses.clone(), round),
            span,
        });
    }
}

/// Does it only assign variables of the member itself, without choices and loops?
fn is_separate(block: &Block, local: LocalId) -> bool {
    let own = |place: &Place| match &place.root {
        Root::Of(_, index, _) => {
            matches!(&index[..], [one] if one.kind == ExprKind::Local(local))
        }
        _ => false,
    };
    block.iter().all(|stmt| match &stmt.kind {
        StmtKind::Assign(place, _) => own(place),
        StmtKind::Let(..) | StmtKind::Assert(_) => true,
        StmtKind::If(_, yes, no) => is_separate(yes, local) && is_separate(no, local),
        StmtKind::Match(_, arms) => arms.iter().all(|(_, body)| is_separate(body, local)),
        _ => false,
    })
}
