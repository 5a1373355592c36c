//! Random action systems in which something happens.
//!
//! `init` is made to leave an async of every action whose arguments can be chosen among few values. What it
//! did before is left out where it may have very many outcomes: the interpreter keeps all of them at once.

use crate::interpreter_agrees::account::instance;
use plainsong_ir::{
    Choice, Code, Domain, Expr, ExprKind, Local, LocalId, Song, Stmt, StmtKind, System,
};
use plainsong_semantics::instance::Instance;

/// The most values of the arguments of one action, and of all actions together.
const MOST_ARGUMENTS: usize = 6;
const MOST_STARTS: usize = 24;

/// The most outcomes of what `init` does besides.
const MOST_OUTCOMES: f64 = 100.0;

/// How often the body of a loop is thought to be repeated.
const ROUNDS: i32 = 4;

/// `song` with asyncs left at the start.
pub(super) fn lively(mut song: Song) -> Song {
    let Some(instance) = instance(&song) else {
        return song;
    };
    let System::Actions(actions) = &mut song.system else {
        return song;
    };
    let init = actions.init.get_or_insert_with(Code::default);
    let mut starts = 1;
    let mut first = Vec::new();
    let pending = actions.actions.iter().enumerate();
    for (at, action) in pending.filter(|(_, action)| !action.role.repeat) {
        let parameters = &action.code.locals[..action.code.arity];
        let values = |local: &Local| {
            instance
                .candidates(&local.ty)
                .map_or(usize::MAX, |all| all.len())
        };
        let count = parameters
            .iter()
            .map(values)
            .fold(1usize, usize::saturating_mul);
        if count == 0 || count > MOST_ARGUMENTS || starts * count > MOST_STARTS {
            continue;
        }
        starts *= count;
        let mut arguments = Vec::new();
        for parameter in parameters {
            let (choice, argument) = chosen(init, parameter);
            first.push(choice);
            arguments.push(argument);
        }
        first.push(stmt(StmtKind::Async(at.into(), arguments)));
    }
    if outcomes(&instance, &init.body) <= MOST_OUTCOMES {
        first.append(&mut init.body);
    }
    init.body = first;
    plainsong_ir::visit::renumber_locals(&mut song);
    song
}

/// About how many outcomes statements have.
fn outcomes(instance: &Instance, block: &[Stmt]) -> f64 {
    let of = |block: &[Stmt]| outcomes(instance, block);
    let one = |stmt: &Stmt| match &stmt.kind {
        StmtKind::LetChoice(choice) | StmtKind::AssignChoice(_, choice) => match &choice.domain {
            Domain::Type(ty) => instance
                .candidates(ty)
                .map_or(f64::MAX, |all| all.len() as f64),
            Domain::In(_) => 4.0,
        },
        StmtKind::If(_, yes, no) => of(yes).max(of(no)),
        StmtKind::Match(_, arms) => arms.iter().map(|(_, arm)| of(arm)).fold(1.0, f64::max),
        StmtKind::Maybe(one, other) => of(one) + of(other),
        StmtKind::While(_, _, body) | StmtKind::For { body, .. } => of(body).powi(ROUNDS),
        _ => 1.0,
    };
    block.iter().map(one).product()
}

fn chosen(init: &mut Code, parameter: &Local) -> (Stmt, Expr) {
    let local = LocalId::from(init.locals.len());
    init.locals.push(Local {
        name: format!("start{}", init.locals.len()),
        mutable: false,
        ..parameter.clone()
    });
    let choice = StmtKind::LetChoice(Choice {
        local,
        domain: Domain::Type(parameter.ty.clone()),
        filter: None,
    });
    let argument = Expr {
        kind: ExprKind::Local(local),
        ty: parameter.ty.clone(),
        span: Default::default(),
    };
    (stmt(choice), argument)
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt {
        kind,
        span: Default::default(),
    }
}
