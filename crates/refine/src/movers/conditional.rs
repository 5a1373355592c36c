//! Conditional left movers: what an action `requires` may be relied on when it is moved.
//!
//! Statement. Let `A` require `I`. If `A` with `assert I` in front moves left past every other action as it is, and
//! `I` holds wherever `A` is called, then `A` may be taken for a left mover.
//!
//! Why sound. A thread that is past its commit point is about to run `A`. In the execution in which all that was
//! moved so far stands where it belongs, `A` would run right there, and `I` holds there: that is asked at the call.
//! The steps of others that come before `A` really runs keep `I` together with the gate of `A`: that is gate
//! preservation of the strengthened action. So wherever `A` is swapped with such a step, or inserted before a
//! failure, `I` holds, and the conditions of the strengthened action are the ones that are needed.
//!
//! DIFFERS from a gate: `A` does not fail where `I` is false, so other left movers may make `I` true.
//!
//! Source. Action preconditions of the reference tool since 2025. The action exists at one layer only, and `I` speaks
//! about variables that actions of that layer see; the checker asks for both.

use plainsong_ir::visit::shift_locals;
use plainsong_ir::{ActionId, Local, LocalId, Song, Stmt, StmtKind, System};

/// The song in which an action asserts what it requires; `None` if it requires nothing.
pub fn strengthened(song: &Song, id: ActionId) -> Option<Song> {
    let actions = song.actions()?;
    let requires = actions.actions[id.index()].role.requires.clone();
    if requires.is_empty() {
        return None;
    }
    let invariants = actions.invariants.clone();
    let mut song = song.clone();
    let System::Actions(actions) = &mut song.system else {
        return None;
    };
    let code = &mut actions.actions[id.index()].code;
    let mut front: Vec<Stmt> = Vec::new();
    for call in requires {
        let invariant = &invariants[call.invariant.index()];
        let from = code.locals.len();
        let rows = invariant.locals.iter();
        code.locals.extend(rows.map(|row| Local {
            name: format!("{}_of_{}", row.name, invariant.name),
            ..row.clone()
        }));
        for (at, argument) in call.arguments.into_iter().enumerate() {
            let local = LocalId::from(from + at);
            front.push(Stmt {
                kind: StmtKind::Let(local, argument),
                span: call.span,
            });
        }
        let mut body = invariant.body.clone();
        shift_locals(&mut body, from);
        front.push(Stmt {
            kind: StmtKind::Assert(body),
            span: call.span,
        });
    }
    code.body.splice(0..0, front);
    Some(song)
}
