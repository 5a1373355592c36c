//! A line whose every free choice belongs to an endpoint: the one that projection gives it to.
//!
//! `maybe` and `let x = choose …` are nobody's. Voices make them at one endpoint ([`project`](crate::project) says
//! which); who plays the line and draws choices for each endpoint from a sequence of its own has to give them to the
//! same one, or line and voices go different ways with one seed. So a choice becomes an assignment to a hidden variable
//! of that endpoint, whose name begins with an underscore.
//!
//! Why it means the same. The variable is read once, directly after it was chosen, and by nothing else; the values
//! that can be chosen are those of the choice, in the same order.

use crate::Options;
use crate::locate::Locate;
use crate::owner::Owner;
use crate::terms::{expr, first_of, not, stmt};
use plainsong_diagnostics::Span;
use plainsong_ir::{
    Block, Choice, Domain, Expr, ExprKind, Local, LocalId, Part, Place, Root, Song, StartValue,
    StateVar, Stmt, StmtKind, Ty, VarId,
};
use std::collections::BTreeMap;

/// Where a choice is: the calls around it, then the statement.
pub(crate) type Site = (Vec<Span>, Span);

/// Who makes a choice.
#[derive(Clone, Debug)]
pub(crate) struct Chooser {
    pub(crate) owner: Owner,
    /// A `maybe` that concerns nobody else: it stays one, and its first way is the first to be drawn.
    pub(crate) is_alone: bool,
}

/// The song with a line in which every choice belongs to an endpoint; as it is, where the line cannot be projected.
pub fn owned(song: &Song, line: usize, options: &Options) -> Song {
    let decl = &song.lines[line];
    let (locate, _) = Locate::whole(song, decl, options);
    let mut owned = Owned {
        choosers: locate.choosers,
        song: song.clone(),
        rows: decl.code.locals.clone(),
        arity: decl.code.arity,
        calls: Vec::new(),
    };
    let body = owned.block(&decl.code.body);
    let code = &mut owned.song.lines[line].code;
    (code.body, code.locals) = (body, owned.rows);
    owned.song
}

struct Owned {
    choosers: BTreeMap<Site, Chooser>,
    song: Song,
    /// The names of the line.
    rows: Vec<Local>,
    /// How many of them are its parameters.
    arity: usize,
    /// The calls that are around.
    calls: Vec<Span>,
}

impl Owned {
    fn block(&mut self, block: &Block) -> Block {
        block.iter().flat_map(|one| self.stmt(one)).collect()
    }

    fn stmt(&mut self, one: &Stmt) -> Vec<Stmt> {
        let site = (self.calls.clone(), one.span);
        let chooser = self.choosers.get(&site).cloned();
        let kind = match (&one.kind, chooser) {
            (StmtKind::LetChoice(choice), Some(chooser)) => {
                let ty = self.rows[choice.local.index()].ty.clone();
                let Some((place, value)) = self.hidden(&chooser.owner, &ty) else {
                    return vec![one.clone()];
                };
                let chosen = StmtKind::AssignChoice(place, choice.clone());
                return vec![
                    stmt(chosen, one.span),
                    stmt(StmtKind::Let(choice.local, value), one.span),
                ];
            }
            (StmtKind::Maybe(then, otherwise), Some(chooser)) => {
                let (then, otherwise) = (self.block(then), self.block(otherwise));
                return self.decided(&chooser, then, otherwise, one.span);
            }
            (StmtKind::Maybe(then, otherwise), None) => {
                StmtKind::Maybe(self.block(then), self.block(otherwise))
            }
            (StmtKind::If(condition, then, otherwise), _) => {
                StmtKind::If(condition.clone(), self.block(then), self.block(otherwise))
            }
            (StmtKind::While(condition, clauses, body), _) => {
                StmtKind::While(condition.clone(), clauses.clone(), self.block(body))
            }
            (StmtKind::Match(scrutinee, arms), _) => {
                let arms = arms.iter();
                let arms = arms.map(|(pattern, block)| (pattern.clone(), self.block(block)));
                StmtKind::Match(scrutinee.clone(), arms.collect())
            }
            (StmtKind::For { .. }, _) => {
                let mut kind = one.kind.clone();
                if let StmtKind::For { body, .. } = &mut kind {
                    *body = self.block(body);
                }
                kind
            }
            (StmtKind::Part(part), _) => StmtKind::Part(Box::new(self.part(part, one.span))),
            (kind, _) => kind.clone(),
        };
        vec![stmt(kind, one.span)]
    }

    fn part(&mut self, part: &Part, span: Span) -> Part {
        self.calls.push(span);
        let body = self.block(&part.body);
        self.calls.pop();
        Part {
            body,
            ..part.clone()
        }
    }

    /// `owner._way = choose bool; if owner._way { … } else { … }`
    fn decided(
        &mut self,
        chooser: &Chooser,
        then: Block,
        otherwise: Block,
        span: Span,
    ) -> Vec<Stmt> {
        let Some((place, value)) = self.hidden(&chooser.owner, &Ty::Bool) else {
            return vec![stmt(StmtKind::Maybe(then, otherwise), span)];
        };
        self.rows.push(row("_way", &Ty::Bool));
        let choice = Choice {
            local: LocalId::from(self.rows.len() - 1),
            domain: Domain::Type(Ty::Bool),
            filter: None,
        };
        // Truth values are drawn in the order `false`, `true`.
        let condition = if chooser.is_alone { not(value) } else { value };
        vec![
            stmt(StmtKind::AssignChoice(place, choice), span),
            stmt(StmtKind::If(condition, then, otherwise), span),
        ]
    }

    /// A new variable of an endpoint, as a place and as a value; none of types that begin with nothing.
    fn hidden(&mut self, owner: &Owner, ty: &Ty) -> Option<(Place, Expr)> {
        let indices = self.song.families[owner.family.index()].index.iter();
        let mut locals: Vec<Local> = indices.map(|one| row(&one.name, &one.ty)).collect();
        locals.extend_from_slice(&self.rows[..self.arity]);
        let mut fresh = |name: &str, ty: &Ty| {
            locals.push(row(name, ty));
            LocalId::from(locals.len() - 1)
        };
        let start = first_of(&self.song, ty, &mut fresh)?;
        let Owner { family, index } = owner.clone();
        let vars = &mut self.song.families[family.index()].vars;
        vars.push(StateVar {
            name: format!("_choice_{}", vars.len()),
            ty: ty.clone(),
            start: StartValue::Value(start),
            locals,
            durable: false,
            is_input: false,
            span: Span::default(),
        });
        let var = VarId::from(vars.len() - 1);
        let place = Place {
            root: Root::Of(family, index.clone(), var),
            path: Vec::new(),
            span: Span::default(),
        };
        Some((
            place,
            expr(
                ExprKind::Of(family, index, var),
                ty.clone(),
                Span::default(),
            ),
        ))
    }
}

fn row(name: &str, ty: &Ty) -> Local {
    Local {
        name: name.to_owned(),
        ty: ty.clone(),
        mutable: false,
        span: Span::default(),
    }
}
