//! A choreography as its proof sees it: loops begin in any state that their invariants allow.
//!
//! [`cut`] puts before each `while` a free choice of everything that its body may write, and an assumption that the
//! invariants hold. The round of a `for` gets the same at its beginning. A run of that choreography that goes
//! wrong shows a state at the head of a loop that the invariants allow, and from which they, or what comes behind,
//! do not hold: that is why a proof by these invariants fails. [`marked`] is the choreography itself with the same
//! marks at the heads of its loops, so that whether that state is ever there can be looked up.
//!
//! A mark is an assignment of a variable to itself: runs stop there, and nothing changes. Its span says which loop
//! it stands at.
//!
//! Nothing here has to be sound: what comes of it is never a verdict. Rounds that are taken all at once in proofs
//! ([`crate::rounds`]) are left as they are.

use crate::rounds::{Variable, Written, permuted, separate};
use plainsong_diagnostics::Span;
use plainsong_ir::unanimity::Owners;
use plainsong_ir::{
    Block, Choice, Domain, Expr, ExprKind, FamilyId, Local, LocalId, LoopClauses, Place, Root,
    Song, Stmt, StmtKind, Ty, VarId, print,
};

/// A loop that is cut.
#[derive(Clone, Debug, PartialEq)]
pub struct CutLoop {
    /// The span of its marks.
    pub mark: Span,
    /// How it begins, as the song prints it.
    pub text: String,
    /// The variables of endpoints that its body may write.
    pub written: Vec<(FamilyId, VarId)>,
    /// The name of a `for`.
    pub local: Option<LocalId>,
}

/// The song with the loops of a line cut at their heads.
pub fn cut(song: &Song, line: usize) -> (Song, Vec<CutLoop>) {
    rewritten(song, line, true)
}

/// The song with marks at the heads of the same loops.
pub fn marked(song: &Song, line: usize) -> Song {
    rewritten(song, line, false).0
}

fn rewritten(song: &Song, line: usize, cuts: bool) -> (Song, Vec<CutLoop>) {
    let decl = &song.lines[line];
    let mut rewriting = LoopCutter {
        song,
        owners: Owners::of(song, decl),
        locals: decl.code.locals.clone(),
        loops: Vec::new(),
        cuts,
    };
    let body = rewriting.block(&decl.code.body, None);
    let (locals, loops) = (rewriting.locals, rewriting.loops);
    let mut song = song.clone();
    song.lines[line].code.body = body;
    song.lines[line].code.locals = locals;
    (song, loops)
}

struct LoopCutter<'a> {
    song: &'a Song,
    owners: Owners,
    locals: Vec<Local>,
    loops: Vec<CutLoop>,
    /// Are there choices at the heads, or only marks?
    cuts: bool,
}

impl LoopCutter<'_> {
    /// A block; `head` is the loop to whose head a `continue` leads, if that is to be marked.
    fn block(&mut self, block: &Block, head: Option<usize>) -> Block {
        let mut out = Vec::new();
        for stmt in block {
            self.stmt(stmt, head, &mut out);
        }
        out
    }

    fn stmt(&mut self, stmt: &Stmt, head: Option<usize>, out: &mut Block) {
        let kind = match &stmt.kind {
            StmtKind::If(condition, yes, no) => {
                let (yes, no) = (self.block(yes, head), self.block(no, head));
                StmtKind::If(condition.clone(), yes, no)
            }
            StmtKind::Maybe(yes, no) => {
                StmtKind::Maybe(self.block(yes, head), self.block(no, head))
            }
            StmtKind::Match(scrutinee, arms) => {
                let arms = arms.iter();
                let arms = arms.map(|(pattern, body)| (pattern.clone(), self.block(body, head)));
                let arms: Vec<_> = arms.collect();
                StmtKind::Match(scrutinee.clone(), arms)
            }
            StmtKind::While(condition, clauses, body) => {
                let body = self.while_loop(condition, clauses, body, out);
                StmtKind::While(condition.clone(), clauses.clone(), body)
            }
            StmtKind::For {
                local,
                domain,
                filter,
                clauses,
                body,
            } => StmtKind::For {
                local: *local,
                domain: domain.clone(),
                filter: filter.clone(),
                clauses: clauses.clone(),
                body: self.for_loop(*local, filter.as_ref(), clauses, body),
            },
            StmtKind::Continue => {
                let mark = head.and_then(|number| self.mark(number));
                out.extend(mark);
                StmtKind::Continue
            }
            other => other.clone(),
        };
        out.push(Stmt {
            kind,
            span: stmt.span,
        });
    }

    fn while_loop(
        &mut self,
        condition: &Expr,
        clauses: &LoopClauses,
        body: &Block,
        out: &mut Block,
    ) -> Block {
        let text = format!("while {}", print::expr(self.song, &self.locals, condition));
        let Some(number) = self.open(text, None, body) else {
            return self.block(body, None);
        };
        if self.cuts {
            self.arbitrary(number, clauses, out);
            let agreements = self.owners.agreements(condition).into_iter();
            out.extend(agreements.map(|one| assume(one.equal)));
        }
        out.extend(self.mark(number));
        let mut body = self.block(body, (!self.cuts).then_some(number));
        if !self.cuts {
            body.extend(self.mark(number));
        }
        body
    }

    fn for_loop(
        &mut self,
        local: LocalId,
        filter: Option<&Expr>,
        clauses: &LoopClauses,
        body: &Block,
    ) -> Block {
        let at_once = clauses.invariants.is_empty()
            && (separate(self.song, local, filter, body).is_some_and(|some| !some.is_empty())
                || permuted(self.song, local, filter, body).is_some());
        let text = format!("for {}", self.locals[local.index()].name);
        let number = match at_once {
            true => None,
            false => self.open(text, Some(local), body),
        };
        let mut begun = Vec::new();
        if let Some(number) = number {
            if self.cuts {
                self.arbitrary(number, clauses, &mut begun);
            }
            begun.extend(self.mark(number));
        }
        begun.extend(self.block(body, None));
        begun
    }

    /// Notes a loop that writes something.
    fn open(&mut self, text: String, local: Option<LocalId>, body: &Block) -> Option<usize> {
        let written = Written::of(body).variables.into_iter();
        let written: Vec<(FamilyId, VarId)> = written
            .filter_map(|variable| match variable {
                Variable::Of(family, var) => Some((family, var)),
                Variable::Global(_) => None,
            })
            .collect();
        if written.is_empty() {
            return None;
        }
        let number = self.loops.len();
        let at = u32::MAX - number as u32;
        self.loops.push(CutLoop {
            mark: Span::new(at, at),
            text,
            written,
            local,
        });
        Some(number)
    }

    /// Makes what the body may write arbitrary within the invariants.
    fn arbitrary(&mut self, number: usize, clauses: &LoopClauses, out: &mut Block) {
        for (family, var) in self.loops[number].written.clone() {
            let ty = self.ty(family, var);
            let chosen = self.fresh("any", ty.clone());
            let choice = Choice {
                local: chosen,
                domain: Domain::Type(ty),
                filter: None,
            };
            let span = Span::default();
            out.push(self.each_member(family, var, span, |place| {
                StmtKind::AssignChoice(place, choice)
            }));
        }
        out.extend(clauses.invariants.iter().cloned().map(assume));
    }

    /// Assigns a variable to itself.
    fn mark(&mut self, number: usize) -> Option<Stmt> {
        let known = &self.loops[number];
        let span = known.mark;
        let single =
            |(family, _): &&(FamilyId, VarId)| self.song.families[family.index()].index.is_empty();
        let written = known.written.iter();
        let (family, var) = *written.clone().find(single).or(known.written.first())?;
        let ty = self.ty(family, var);
        Some(self.each_member(family, var, span, |place| {
            let index = match &place.root {
                Root::Of(_, index, _) => index.clone(),
                _ => Vec::new(),
            };
            let kind = ExprKind::Of(family, index, var);
            StmtKind::Assign(place, Expr { kind, ty, span })
        }))
    }

    /// A statement about a variable of each member of a family.
    fn each_member(
        &mut self,
        family: FamilyId,
        var: VarId,
        span: Span,
        stmt: impl FnOnce(Place) -> StmtKind,
    ) -> Stmt {
        let binders = self.song.families[family.index()].index.clone();
        let names: Vec<(LocalId, Ty)> = (binders.iter())
            .map(|one| (self.fresh(&one.name, one.ty.clone()), one.ty.clone()))
            .collect();
        let index = names.iter().map(|(local, ty)| Expr {
            kind: ExprKind::Local(*local),
            ty: ty.clone(),
            span,
        });
        let place = Place {
            root: Root::Of(family, index.collect(), var),
            path: Vec::new(),
            span,
        };
        let mut all = Stmt {
            kind: stmt(place),
            span,
        };
        for (local, ty) in names.into_iter().rev() {
            let kind = StmtKind::For {
                local,
                domain: Domain::Type(ty),
                filter: None,
                clauses: LoopClauses::default(),
                body: vec![all],
            };
            all = Stmt { kind, span };
        }
        all
    }

    fn ty(&self, family: FamilyId, var: VarId) -> Ty {
        let family = &self.song.families[family.index()];
        family.vars[var.index()].ty.clone()
    }

    fn fresh(&mut self, name: &str, ty: Ty) -> LocalId {
        self.locals.push(Local {
            name: name.to_owned(),
            ty,
            mutable: false,
            span: Span::default(),
        });
        LocalId::from(self.locals.len() - 1)
    }
}

fn assume(condition: Expr) -> Stmt {
    Stmt {
        span: condition.span,
        kind: StmtKind::Assume(condition),
    }
}
