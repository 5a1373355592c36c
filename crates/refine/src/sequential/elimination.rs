//! Elimination: asyncs that an action leaves behind become its end.
//!
//! Statement. `sequentialize B, C into A;` replaces `A` by an action that ends with what stands for `B` and `C` where
//! it created asyncs of them last, and so on for those that these create last. `B` and `C` move left past
//! everything that can be pending with them, and can come to an end; that is asked as for a schedule. What they
//! assert or wait for becomes something that the new action asserts.
//!
//! Why sound. This is the rule of schedules ([`super`]) with `A` in the place of `init`: its steps, followed by a prefix
//! of what is put behind it. The next call is the async that is inlined next, which was created, so it is
//! pending; where it fails, the new action fails, and nothing is claimed about executions of a program that
//! fails more often. The asyncs that other actions create stay as they are. [Kragl20] section 4.4.
//!
//! NOT COVERED, and refused: asyncs that are created before something else is done, or in loops; those that lead
//! back to themselves; elimination behind a schedule.

use super::asserted::asserted;
use super::induction;
use super::inline::inlined;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Action, ActionId, Actions, Block, Code, Expr, ExprKind, Local, LocalId, Sequentialization,
    Song, Stmt, StmtKind, System,
};

/// How many sequentializations, from the first on, put asyncs into actions, here or by induction.
pub(crate) fn leading(song: &Song) -> usize {
    let all = song.sequences().iter();
    all.take_while(|one| one.into.is_some()).count()
}

/// The song after the first `count` sequentializations, which put asyncs into actions.
pub(crate) fn after(song: &Song, count: usize) -> Result<Song, String> {
    (0..count).try_fold(song.clone(), |song, _| eliminated(song))
}

fn eliminated(mut song: Song) -> Result<Song, String> {
    let System::Actions(actions) = &mut song.system else {
        return Err("there are no actions".to_owned());
    };
    let sequence = actions.sequences.remove(0);
    let into = sequence.into.expect("it puts asyncs into an action");
    if let Some(by) = &sequence.by {
        induction::applied(actions, into, by);
        return Ok(song);
    }
    let code = actions.actions[into.index()].code.clone();
    let mut inlining = Inliner {
        actions,
        sequence: &sequence,
        locals: code.locals,
        around: vec![into],
    };
    let mut body = code.body;
    inlining.tail(&mut body)?;
    let locals = inlining.locals;
    actions.actions[into.index()].code = Code {
        arity: code.arity,
        locals,
        body,
    };
    Ok(song)
}

struct Inliner<'s> {
    actions: &'s Actions,
    sequence: &'s Sequentialization,
    locals: Vec<Local>,
    /// The action, and those that are being put behind it.
    around: Vec<ActionId>,
}

impl Inliner<'_> {
    fn is_gone(&self, id: ActionId) -> bool {
        self.sequence.eliminated.iter().any(|one| one.action == id)
    }

    /// What stands for an eliminated action.
    fn standing_for(&self, id: ActionId) -> Action {
        let mut all = self.sequence.eliminated.iter();
        let by = all.find(|one| one.action == id).and_then(|one| one.by);
        match by {
            Some(by) => self.actions.actions[by.index()].clone(),
            None => asserted(&self.actions.actions[id.index()]),
        }
    }

    /// Puts asyncs that are created last behind the block.
    fn tail(&mut self, block: &mut Block) -> Result<(), String> {
        let last = block.iter().rposition(|stmt| !self.creates(stmt));
        let asyncs = block.split_off(last.map_or(0, |at| at + 1));
        let deeper = asyncs.is_empty();
        let count = block.len();
        for (at, stmt) in block.iter_mut().enumerate() {
            if deeper && at + 1 == count {
                self.tail_of(stmt)?;
            } else {
                self.nothing_in(stmt)?;
            }
        }
        let mut calls = Vec::new();
        for stmt in asyncs {
            let StmtKind::Async(id, arguments) = &stmt.kind else {
                continue;
            };
            let arguments = self.fixed(arguments, block);
            calls.push((*id, arguments));
        }
        let count = calls.len();
        for (at, (id, arguments)) in calls.into_iter().enumerate() {
            let mut body = self.called(id, &arguments)?;
            if at + 1 < count {
                body.iter().try_for_each(|stmt| self.nothing_in(stmt))?;
            } else {
                self.around.push(id);
                self.tail(&mut body)?;
                self.around.pop();
            }
            block.extend(body);
        }
        Ok(())
    }

    fn tail_of(&mut self, stmt: &mut Stmt) -> Result<(), String> {
        match &mut stmt.kind {
            StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
                self.tail(yes)?;
                self.tail(no)
            }
            StmtKind::Match(_, arms) => arms.iter_mut().try_for_each(|(_, body)| self.tail(body)),
            _ => self.nothing_in(stmt),
        }
    }

    fn creates(&self, stmt: &Stmt) -> bool {
        matches!(stmt.kind, StmtKind::Async(id, _) if self.is_gone(id))
    }

    fn nothing_in(&self, stmt: &Stmt) -> Result<(), String> {
        struct Finds<'a, 's>(&'a Inliner<'s>, Option<ActionId>);
        impl Visit for Finds<'_, '_> {
            fn stmt(&mut self, stmt: &Stmt) {
                if let StmtKind::Async(id, _) = stmt.kind
                    && self.0.is_gone(id)
                {
                    self.1 = Some(id);
                }
                walk::stmt(self, stmt);
            }
        }
        let mut finds = Finds(self, None);
        finds.stmt(stmt);
        match finds.1 {
            None => Ok(()),
            Some(id) => Err(format!(
                "`{}` is not created last: what is put into an action is created at its end, and in no loop",
                self.actions.actions[id.index()].name
            )),
        }
    }

    fn called(&mut self, id: ActionId, arguments: &[Expr]) -> Result<Block, String> {
        if self.around.contains(&id) {
            let name = &self.actions.actions[id.index()].name;
            return Err(format!("`{name}` leads back to itself, and may never end"));
        }
        let by = self.standing_for(id);
        Ok(inlined(&by.code, arguments, &mut self.locals))
    }

    /// Gives names to arguments, whose values are those where the async is created.
    fn fixed(&mut self, arguments: &[Expr], block: &mut Block) -> Vec<Expr> {
        let mut names = Vec::new();
        for argument in arguments {
            let local = LocalId::from(self.locals.len());
            self.locals.push(Local {
                name: "argument".to_owned(),
                ty: argument.ty.clone(),
                mutable: false,
                span: argument.span,
            });
            block.push(Stmt {
                kind: StmtKind::Let(local, argument.clone()),
                span: argument.span,
            });
            names.push(Expr {
                kind: ExprKind::Local(local),
                ..argument.clone()
            });
        }
        names
    }
}
