//! Threads that are a single action: those that are started with a procedure of a lower layer.
//!
//! Statement. Above its layer, a procedure that is started is its action, which happens at any time. So at
//! each of those layers that step keeps every invariant, for arguments whose permissions are not its own.
//! That it fails there is relied on not to happen: it is the same step at the next layer.
//!
//! Where the action does not exist, it is not pending: who starts it is no procedure there, and the action of who starts it
//! leaves it behind only where it exists (`layers` in `plainsong-syntax`); what is synchronized is done below.
//!
//! Why needed. Between two yields of a thread others act, and these steps are among them ([Kragl20] section
//! 3.3 counts pending asyncs among the fragments).

use super::{Path, ProcedureWalk, actions, starts};
use crate::layer_program::action_at;
use plainsong_ir::{LocalId, ProcedureId};
use plainsong_prove::gated_actions::Gated;
use plainsong_prove::obligation::Obligation;
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};

/// What has to be shown of a procedure at a layer above its own.
pub fn pending(theory: &mut Theory, procedure: ProcedureId, layer: u32) -> Result<Vec<Obligation>> {
    let song = theory.song.clone();
    let mut following = ProcedureWalk::new(theory, procedure, layer, super::Choices::Named);
    let decl = following.decl(&song);
    let all = actions(&song);
    let mut bodies = all.procedures.iter().map(|one| &one.code.body);
    let init = all.init.as_ref();
    let started = init.is_some_and(|init| starts(&init.body, procedure))
        || bodies.any(|body| starts(body, procedure));
    let Some(action) = decl.refines.filter(|_| started) else {
        return Ok(Vec::new());
    };
    let action = action_at(actions(&song), action, layer);
    let action = &actions(&song).actions[action.index()];
    if !action.exists_at(layer) {
        return Ok(Vec::new());
    }
    let mut path = Path::start(decl, following.theory.terms.bool(false));
    let mut arguments: Vec<Term> = Vec::new();
    for (at, row) in decl.code.locals[..decl.code.arity].iter().enumerate() {
        let (value, valid) = following.theory.arbitrary(&row.name, &row.ty, row.span)?;
        path.known.push(valid);
        path.env.locals.insert(LocalId::from(at), value);
        arguments.push(value);
    }
    following.permissions(&mut path)?;
    following.anything(&mut path)?;
    following.holds_alone(&mut path)?;
    let (code, result) = (&action.code, action.role.result);
    let store = path.env.store.clone();
    let run = Gated::run(following.theory, code, result, &store, &arguments, None)?;
    let gate = run.gate(following.theory);
    path.known.extend([gate, run.guard]);
    path.env.store = run.after;
    following.noninterference(&path, decl.span)?;
    Ok(following.obligations)
}
