//! A song in which points are compared with numbers only where that is sure to come out the same further on.
//!
//! Before every statement that compares a point with a number an assertion stands that the point lies beyond the
//! number, on the side to which it is shifted. An execution of this song that does not fail is one of the
//! original, and comparisons in it come out the same when the points are shifted further to that side.
//!
//! An assertion may fail although its comparison would not have been evaluated; then a cycle is
//! given up that might have been one.

use crate::shift_invariance::infer::{Code, Inferred, Manner, Spot, Used};
use plainsong_ir::{
    BinOp, Block, Body, Expr, ExprKind, FamilyId, Local, MessageId, Song, Stmt, StmtKind, System,
    Ty,
};

/// The song with guards asserted in the code that is used; none when there are none. `side` says to which side
/// a point is shifted: 1 up, -1 down, 0 not at all.
pub(super) fn guarded(
    song: &Song,
    used: &Used,
    inferred: &Inferred,
    side: &dyn Fn(Spot) -> i64,
) -> Option<Song> {
    let mut writer = Writer {
        song,
        used,
        inferred,
        side,
        found: false,
    };
    let mut strict = song.clone();
    match &mut strict.system {
        System::Voices(voices) => {
            for process in &mut voices.processes {
                let (family, locals) = (process.family, process.locals.clone());
                if let Body::Handlers(handlers) = &mut process.body {
                    for handler in handlers {
                        let code = (family.index(), Some(handler.accept.message));
                        writer.body(code, Some(family), &locals, &mut handler.body);
                    }
                }
            }
        }
        System::Actions(actions) => {
            for (at, action) in actions.actions.iter_mut().enumerate() {
                let locals = action.code.locals.clone();
                let code = (song.families.len() + at, None);
                writer.body(code, None, &locals, &mut action.code.body);
            }
        }
        System::None => {}
    }
    writer.found.then_some(strict)
}

struct Writer<'a> {
    song: &'a Song,
    used: &'a Used,
    inferred: &'a Inferred,
    side: &'a dyn Fn(Spot) -> i64,
    found: bool,
}

impl Writer<'_> {
    fn body(
        &mut self,
        code: (usize, Option<MessageId>),
        family: Option<FamilyId>,
        locals: &[Local],
        block: &mut Block,
    ) {
        if !self.used.contains(&code) {
            return;
        }
        let manner = Manner {
            used: Some(self.used),
            guards: true,
        };
        let mut inferred = self.inferred.clone();
        let mut code = Code::new(self.song, manner, &mut inferred, code.0, family, locals);
        self.block(&mut code, block);
    }

    fn block(&mut self, code: &mut Code<'_>, block: &mut Block) {
        for mut stmt in std::mem::take(block) {
            for guard in code.guards(&stmt) {
                let side = code.point_of(&guard.point).map_or(0, self.side);
                let op = match side {
                    0 => continue,
                    up if up > 0 => BinOp::Gt,
                    _ => BinOp::Lt,
                };
                self.found = true;
                let beyond = ExprKind::Binary(op, Box::new(guard.point), Box::new(guard.number));
                block.push(Stmt {
                    kind: StmtKind::Assert(Expr {
                        kind: beyond,
                        ty: Ty::Bool,
                        span: stmt.span,
                    }),
                    span: stmt.span,
                });
            }
            self.inside(code, &mut stmt);
            block.push(stmt);
        }
    }

    fn inside(&mut self, code: &mut Code<'_>, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
                self.block(code, yes);
                self.block(code, no);
            }
            StmtKind::Match(_, arms) => {
                arms.iter_mut()
                    .for_each(|(_, block)| self.block(code, block));
            }
            StmtKind::While(_, _, block) | StmtKind::For { body: block, .. } => {
                self.block(code, block);
            }
            StmtKind::Part(part) => {
                self.block(code, &mut part.start);
                self.block(code, &mut part.body);
            }
            _ => {}
        }
    }
}
