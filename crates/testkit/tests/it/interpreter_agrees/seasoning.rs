//! Assertions, assumptions and choices, strewn into a small program.
//!
//! Small programs keep what they received in the state variable `log` and have a `flag`; the added
//! statements are about these, so whether they hold depends on the execution.

use plainsong_diagnostics::Span;
use plainsong_ir::{
    BinOp, Block, Body, Builtin, Expr, ExprKind, Place, Root, Song, Stmt, StmtKind, System, Ty,
    VarId,
};
use plainsong_testkit::random_song::Dice;

const LOG: VarId = VarId(0);
const FLAG: VarId = VarId(1);

/// `song` with up to three statements more.
pub(crate) fn seasoned(seed: u64, mut song: Song) -> Song {
    let mut dice = Dice::new(seed);
    let System::Voices(voices) = &mut song.system else {
        return song;
    };
    for _ in 0..dice.between(1, 3) {
        let at = dice.below(voices.processes.len());
        let block = match &mut voices.processes[at].body {
            Body::Sequential(block) => block,
            Body::Handlers(handlers) if handlers.is_empty() => continue,
            Body::Handlers(handlers) => {
                let at = dice.below(handlers.len());
                &mut handlers[at].body
            }
        };
        let statement = statement(&mut dice);
        insert(block, statement, &mut dice);
    }
    song
}

/// Puts `statement` somewhere into `block`, or into a block inside of it.
fn insert(block: &mut Block, statement: Stmt, dice: &mut Dice) {
    let at = dice.between(0, block.len());
    let inner = block.get_mut(at).and_then(|here| match &mut here.kind {
        StmtKind::If(_, then, _) | StmtKind::Maybe(then, _) => Some(then),
        StmtKind::For { body, .. } => Some(body),
        StmtKind::Select(arms, _) => arms.first_mut().map(|(_, body)| body),
        _ => None,
    });
    match inner {
        Some(inner) if dice.once_in(2) => insert(inner, statement, dice),
        _ => block.insert(at, statement),
    }
}

fn statement(dice: &mut Dice) -> Stmt {
    let received = binary(
        *dice.pick(&[BinOp::Ne, BinOp::Le, BinOp::Ge]),
        length(),
        int(dice),
    );
    let flag = expr(ExprKind::Own(FLAG), Ty::Bool);
    let condition = if dice.once_in(3) {
        flag.clone()
    } else {
        received
    };
    let kind = match dice.below(5) {
        0 => StmtKind::Assert(condition),
        1 => StmtKind::Assume(condition),
        2 => StmtKind::Assert(is_last(dice)),
        3 => StmtKind::Assume(binary(BinOp::Or, condition, is_last(dice))),
        _ => {
            let place = Place {
                root: Root::Own(FLAG),
                path: Vec::new(),
                span: Span::default(),
            };
            let set = StmtKind::Assign(place, condition);
            StmtKind::Maybe(vec![stmt(set)], Vec::new())
        }
    };
    stmt(kind)
}

/// `log.len()`, an `int`.
fn length() -> Expr {
    let length = expr(ExprKind::Method(Builtin::Len, vec![log()]), Ty::Nat);
    expr(ExprKind::Widen(Box::new(length)), Ty::Int)
}

/// `log.last() == b`, which is undefined when nothing was received.
fn is_last(dice: &mut Dice) -> Expr {
    let last = expr(ExprKind::Method(Builtin::Last, vec![log()]), Ty::Bool);
    binary(
        BinOp::Eq,
        last,
        expr(ExprKind::Bool(dice.once_in(2)), Ty::Bool),
    )
}

fn log() -> Expr {
    expr(ExprKind::Own(LOG), Ty::Seq(Box::new(Ty::Bool)))
}

fn int(dice: &mut Dice) -> Expr {
    expr(ExprKind::Int(dice.below(3) as i64), Ty::Int)
}

fn binary(op: BinOp, left: Expr, right: Expr) -> Expr {
    expr(
        ExprKind::Binary(op, Box::new(left), Box::new(right)),
        Ty::Bool,
    )
}

fn expr(kind: ExprKind, ty: Ty) -> Expr {
    Expr {
        kind,
        ty,
        span: Span::default(),
    }
}

fn stmt(kind: StmtKind) -> Stmt {
    Stmt {
        kind,
        span: Span::default(),
    }
}
