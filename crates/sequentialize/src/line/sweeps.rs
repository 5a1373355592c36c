//! The line of a row: members from first to last or from last to first, as often as it takes.
//!
//! Each sweep is a loop over the members (down the row it counts back) with what belongs to it of their code (`neighbours/schedule.rs`). What is sent is kept
//! at the sender, in a variable for its kind and direction; a receive reads it there. What does not communicate is done in the
//! sweep of what comes before it. Conditions around statements are about the position and the number of members, so they are
//! the same in every sweep.
//!
//! NOT COVERED. Code in which something comes in an earlier sweep than something before it, on whatever path.

use super::tell::{Told, members};
use super::{Line, Teller, assemble};
use crate::neighbours::schedule::{Sweeps, Way};
use crate::process_code::{Part, Var};
use crate::race::Senders;
use crate::rules::Engine;
use crate::value::{Comp, Role};
use crate::voices_to_parts::{Score, communicates};
use plainsong_diagnostics::Span;
use plainsong_ir::build::{expr, stmt};
use plainsong_ir::{
    BinOp, Block, Body, Builtin, Expr, ExprKind, LocalId, LoopClauses, MessageId, Place, Process,
    Root, Song, SortId, Source, Stmt, StmtKind, Ty, VarId,
};
use std::collections::BTreeMap;

/// What is known of a row's statements.
pub(crate) struct Row<'s> {
    pub(crate) song: &'s Song,
    pub(crate) process: &'s Process,
    pub(crate) sort: SortId,
    pub(crate) sweeps: &'s Sweeps,
    /// To or from which side a send or receive is, by its place.
    pub(crate) sides: &'s BTreeMap<Span, i64>,
}

/// The line of a row.
pub(crate) fn of_row(row: &Row<'_>) -> Told<Line> {
    let (Some(voices), Body::Sequential(body)) = (row.song.voices(), &row.process.body) else {
        return Err("no processes".to_owned());
    };
    let family = row.process.family;
    let part = Part {
        family,
        sort: Some(row.sort),
        daemon: false,
        blocks: vec![Vec::new()],
    };
    let score = Score::of_parts(row.song, voices, BTreeMap::from([(family, part)]));
    let engine = Engine::new(score, Senders::default(), &crate::Nobody);
    let mut teller = Teller::new(&engine);
    let comp = Comp {
        family,
        role: Role::Member(0),
    };
    let mut line = Block::new();
    let mut kept = BTreeMap::new();
    for (sweep, way) in row.sweeps.ways.iter().enumerate() {
        let index = teller.index_name(family);
        let member = teller.name(&index, Ty::Sort(row.sort));
        teller.members.insert(comp, member);
        let mut sweeping = SweepTeller {
            row,
            teller: &mut teller,
            comp,
            sweep,
            now: 0,
            kept: &mut kept,
        };
        let mut body = sweeping.block(body)?;
        if !body.is_empty() {
            let local = match way {
                Way::Up => member,
                Way::Down => {
                    let back = teller.name(BACK, Ty::Sort(row.sort));
                    body.insert(0, stmt(StmtKind::Let(member, from_the_end(row.sort, back))));
                    back
                }
            };
            line.push(stmt(StmtKind::For {
                local,
                domain: members(row.sort),
                filter: None,
                clauses: LoopClauses::default(),
                body,
            }));
        }
    }
    Ok(assemble(&engine, teller, line))
}

/// How far from the last one a member is, where a sweep goes down.
const BACK: &str = "back";

/// The member that is so far from the last one.
fn from_the_end(sort: SortId, back: LocalId) -> Expr {
    let ty = Ty::Sort(sort);
    let all = expr(ExprKind::All(ty.clone()), Ty::Set(Box::new(ty.clone())));
    let widened = |inner| expr(ExprKind::Widen(Box::new(inner)), Ty::Int);
    let length = widened(expr(ExprKind::Method(Builtin::Len, vec![all]), Ty::Nat));
    let minus = |a, b| {
        expr(
            ExprKind::Binary(BinOp::Sub, Box::new(a), Box::new(b)),
            Ty::Int,
        )
    };
    let last = minus(length, expr(ExprKind::Int(1), Ty::Int));
    let position = minus(last, widened(expr(ExprKind::Local(back), ty.clone())));
    expr(ExprKind::Narrow(Box::new(position)), ty)
}

/// The variables that keep what was sent: by kind, direction and field.
type Kept = BTreeMap<(MessageId, i64, usize), VarId>;

struct SweepTeller<'t, 'e, 'a, 's> {
    row: &'t Row<'s>,
    teller: &'t mut Teller<'e, 'a>,
    comp: Comp,
    sweep: usize,
    /// The sweep that the code has come to.
    now: usize,
    kept: &'t mut Kept,
}

impl SweepTeller<'_, '_, '_, '_> {
    fn block(&mut self, block: &Block) -> Told<Block> {
        let mut told = Block::new();
        for stmt in block {
            self.stmt(stmt, &mut told)?;
        }
        Ok(told)
    }

    fn stmt(&mut self, stmt: &Stmt, told: &mut Block) -> Told<()> {
        if !communicates(stmt) {
            if self.now == self.sweep {
                told.push(self.local(stmt)?);
            }
            return Ok(());
        }
        match &stmt.kind {
            StmtKind::If(condition, yes, no) => {
                let before = self.now;
                let yes = self.block(yes)?;
                let after = std::mem::replace(&mut self.now, before);
                let no = self.block(no)?;
                self.now = self.now.max(after);
                if !yes.is_empty() || !no.is_empty() {
                    let condition = self
                        .teller
                        .located(self.comp, condition, &BTreeMap::new())?;
                    told.push(Stmt {
                        kind: StmtKind::If(condition, yes, no),
                        span: stmt.span,
                    });
                }
                Ok(())
            }
            StmtKind::Send(message, arguments, _) => {
                let Some(side) = self.begins(stmt.span)? else {
                    return Ok(());
                };
                for (field, argument) in arguments.iter().enumerate() {
                    let var = self.kept(*message, side, field);
                    let value = self.teller.located(self.comp, argument, &BTreeMap::new())?;
                    let endpoint = self.teller.endpoints[&self.comp.family];
                    let index = self.teller.index(self.comp)?;
                    told.push(Stmt {
                        kind: StmtKind::Assign(place(Root::Of(endpoint, index, var)), value),
                        span: stmt.span,
                    });
                }
                Ok(())
            }
            StmtKind::Receive(accept) => {
                let Some(side) = self.begins(stmt.span)? else {
                    return Ok(());
                };
                let Source::Process(process) = &accept.source else {
                    return Err("a receive without its sender".to_owned());
                };
                let ExprKind::Pid(_, index) = &process.kind else {
                    return Err("a receive without its sender".to_owned());
                };
                for (field, slot) in accept.slots.iter().enumerate() {
                    let Some(local) = slot else { continue };
                    let value = self.read(accept.message, -side, field, index)?;
                    let target = self.teller.place(self.comp, Var::Local(*local))?;
                    told.push(Stmt {
                        kind: StmtKind::Assign(target, value),
                        span: stmt.span,
                    });
                }
                Ok(())
            }
            _ => Err("a loop that communicates".to_owned()),
        }
    }

    /// Comes to a send or receive: on which side, if it is one of this sweep.
    fn begins(&mut self, at: Span) -> Told<Option<i64>> {
        // What nobody does is in no sweep.
        let (Some(sweep), Some(side)) = (self.row.sweeps.of.get(&at), self.row.sides.get(&at))
        else {
            return Ok(None);
        };
        if *sweep < self.now {
            return Err("members do not all do the same in the same order".to_owned());
        }
        self.now = *sweep;
        Ok((*sweep == self.sweep).then_some(*side))
    }

    /// What the one beside has sent.
    fn read(&mut self, message: MessageId, side: i64, field: usize, index: &[Expr]) -> Told<Expr> {
        let var = self.kept(message, side, field);
        let mut at = Vec::new();
        for one in index {
            at.push(self.teller.located(self.comp, one, &BTreeMap::new())?);
        }
        let ty = self.teller.engine.score.voices.messages[message.index()].fields[field]
            .ty
            .clone();
        let endpoint = self.teller.endpoints[&self.comp.family];
        Ok(expr(ExprKind::Of(endpoint, at, var), ty))
    }

    fn kept(&mut self, message: MessageId, side: i64, field: usize) -> VarId {
        if let Some(known) = self.kept.get(&(message, side, field)) {
            return *known;
        }
        let row = &self.teller.engine.score.voices.messages[message.index()];
        let name = format!("{}_{}", row.name, row.fields[field].name).to_lowercase();
        let ty = row.fields[field].ty.clone();
        let var = self.teller.endpoint_var(self.comp.family, &name, &ty);
        self.kept.insert((message, side, field), var);
        var
    }

    /// A statement that does not communicate. Names become variables, because they are seen in later sweeps.
    fn local(&mut self, stmt: &Stmt) -> Told<Stmt> {
        let comp = self.comp;
        let kind = match &stmt.kind {
            StmtKind::Let(local, value) => {
                let value = self.teller.located(comp, value, &BTreeMap::new())?;
                StmtKind::Assign(self.teller.place(comp, Var::Local(*local))?, value)
            }
            StmtKind::LetChoice(choice) => {
                let var = Var::Local(choice.local);
                let place = self.teller.place(comp, var)?;
                StmtKind::AssignChoice(place, self.teller.choice(comp, choice, var)?)
            }
            StmtKind::AssignChoice(target, choice) => {
                let var = match &target.root {
                    Root::Local(local) => Var::Local(*local),
                    Root::Own(var) => Var::Own(*var),
                    Root::Of(..) | Root::Global(_) => {
                        return Err("an assignment to something else".to_owned());
                    }
                };
                let choice = self.teller.choice(comp, choice, var)?;
                StmtKind::AssignChoice(self.teller.located_place(comp, target)?, choice)
            }
            StmtKind::Assign(target, value) => {
                let value = self.teller.located(comp, value, &BTreeMap::new())?;
                StmtKind::Assign(self.teller.located_place(comp, target)?, value)
            }
            StmtKind::Assert(condition) => {
                StmtKind::Assert(self.teller.located(comp, condition, &BTreeMap::new())?)
            }
            _ => return self.teller.located_stmt(comp, stmt),
        };
        Ok(Stmt {
            kind,
            span: stmt.span,
        })
    }
}

fn place(root: Root) -> Place {
    Place {
        root,
        path: Vec::new(),
        span: Span::default(),
    }
}
