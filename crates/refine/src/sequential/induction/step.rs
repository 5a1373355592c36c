//! Choice and step: what the block names comes next, and then the invariant action has done that, too.
//!
//! Statement. Behind the invariant action the block is followed. On each way through it that calls `A(y)`, the
//! invariant action left `A(y)` behind (`choice`), `A*` does not fail, and the invariant action can do
//! what it did followed by `A*`, with one `A(y)` less and what `A*` created more: with the values that its choices
//! have when the block ends (`step`). On each way that calls nothing, it left nothing that is eliminated behind (`choice`).

use super::witness::Chosen;
use super::{Inductive, Start};
use crate::answer::obligation;
use crate::movers::picks;
use crate::sequential::context::same;
use crate::sequential::example::Asked;
use plainsong_diagnostics::Span;
use plainsong_ir::{ActionId, Block, Call, Callee, Expr, LocalId, Root, Stmt, StmtKind};
use plainsong_prove::gated_actions::Gated;
use plainsong_prove::lower::{Env, Lowering, Unsupported};
use plainsong_prove::obligation::Obligation;
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};

const CHOICE: &str = "sequentialize/choice";
const STEP: &str = "sequentialize/step";

/// The obligations.
pub(super) fn step(inductive: &Inductive<'_, '_>, theory: &mut Theory) -> Result<Asked> {
    let start = inductive.start(theory)?;
    let invariant = inductive.action(inductive.by.invariant);
    let run = inductive.run(theory, &start, inductive.by.invariant, None)?;
    let mut known = start.known.clone();
    known.extend([run.gate(theory), run.guard]);
    let mut env = Env {
        store: run.after.clone(),
        ..Env::default()
    };
    let chosen = picks(invariant)
        .into_iter()
        .map(|(at, _)| run.choices[at])
        .take(inductive.by.named[1]);
    let names = start.arguments.iter().copied().chain(chosen);
    for (at, value) in names.enumerate() {
        env.locals.insert(LocalId::from(at), value);
    }
    let mut following = StepWalk {
        inductive,
        start: &start,
        run: &run,
        all: Vec::new(),
    };
    let way = StepPath {
        env,
        known,
        called: None,
    };
    let ways = following.block(theory, vec![way], &inductive.sequence.code.body)?;
    for way in ways {
        following.end(theory, way)?;
    }
    let all = following.all;
    Ok(inductive.asked(&start, (inductive.by.invariant, &run), all))
}

/// One way through the block.
#[derive(Clone)]
struct StepPath {
    env: Env,
    known: Vec<Term>,
    /// What was called, with which arguments, what it did, and where.
    called: Option<(ActionId, Vec<Term>, Gated, Span)>,
}

struct StepWalk<'a, 'k, 's> {
    inductive: &'a Inductive<'k, 's>,
    start: &'a Start,
    /// The run of the invariant action.
    run: &'a Gated,
    all: Vec<Obligation>,
}

impl StepWalk<'_, '_, '_> {
    fn block(
        &mut self,
        theory: &mut Theory,
        ways: Vec<StepPath>,
        block: &Block,
    ) -> Result<Vec<StepPath>> {
        let mut ways = ways;
        for stmt in block {
            let mut next = Vec::new();
            for way in ways {
                next.extend(self.stmt(theory, way, stmt)?);
            }
            ways = next;
        }
        Ok(ways)
    }

    fn stmt(
        &mut self,
        theory: &mut Theory,
        mut way: StepPath,
        stmt: &Stmt,
    ) -> Result<Vec<StepPath>> {
        match &stmt.kind {
            StmtKind::Let(local, value) => {
                let value = read(theory, &way, value)?;
                way.env.locals.insert(*local, value);
            }
            StmtKind::Assign(place, value) if place.path.is_empty() => {
                let value = read(theory, &way, value)?;
                if let Root::Local(local) = place.root {
                    way.env.locals.insert(local, value);
                }
            }
            StmtKind::If(condition, yes, no) => {
                let condition = read(theory, &way, condition)?;
                let mut other = way.clone();
                way.known.push(condition);
                other.known.push(theory.terms.not(condition));
                let mut ways = self.block(theory, vec![way], yes)?;
                ways.extend(self.block(theory, vec![other], no)?);
                return Ok(ways);
            }
            StmtKind::Call(_, call) => self.call(theory, &mut way, call)?,
            _ => return Err(Unsupported::new(stmt.span, "this is no part of a choice")),
        }
        Ok(vec![way])
    }

    fn call(&mut self, theory: &mut Theory, way: &mut StepPath, call: &Call) -> Result<()> {
        let pairs = &self.inductive.known.stage.staged.eliminated[self.inductive.known.sequence];
        let pair = pairs
            .iter()
            .find(|(action, _)| call.callee == Callee::Action(*action));
        let Some(&(action, by)) = pair else {
            return Err(Unsupported::new(call.span, "this is not eliminated"));
        };
        let arguments = call.arguments.iter().map(|one| read(theory, way, one));
        let arguments = arguments.collect::<Result<Vec<Term>>>()?;
        let invariant = self.inductive.action(self.inductive.by.invariant);
        let (name, other) = (&self.inductive.action(action).name, &invariant.name);
        let count = self.run.created(theory, action, &arguments);
        let one = theory.terms.int(1);
        let pending = theory.terms.le(one, count);
        let sentence = format!("`{name}`, which comes next, was left behind by `{other}`");
        let known = way.known.clone();
        self.all
            .push(obligation(CHOICE, call.span, sentence, known, pending));
        way.known.push(pending);
        let code = &self.inductive.action(by).code;
        let run = Gated::run(theory, code, None, &way.env.store, &arguments, None)?;
        for part in &run.gate {
            let sentence =
                format!("`{name}` does not fail, nor wait, where it comes next behind `{other}`");
            let known = way.known.clone();
            self.all
                .push(obligation(STEP, part.span, sentence, known, part.holds));
        }
        way.known.extend([run.gate(theory), run.guard]);
        way.env.store = run.after.clone();
        way.called = Some((action, arguments, run, call.span));
        Ok(())
    }

    /// What is asked where the block ends.
    fn end(&mut self, theory: &mut Theory, way: StepPath) -> Result<()> {
        let inductive = self.inductive;
        let invariant = inductive.action(inductive.by.invariant);
        let Some((action, arguments, ran, span)) = &way.called else {
            let sentence = format!(
                "`{}` leaves nothing behind where the choice names nothing",
                invariant.name
            );
            let nothing = inductive.nothing_left(theory, self.run)?;
            for goal in nothing {
                let (span, sentence) = (inductive.sequence.span, sentence.clone());
                let known = way.known.clone();
                self.all
                    .push(obligation(CHOICE, span, sentence, known, goal));
            }
            return Ok(());
        };
        let names = picks(invariant).into_iter().enumerate();
        let chosen: Chosen = names
            .filter_map(|(number, (at, _))| {
                let name = LocalId::from(inductive.by.named[0] + number);
                (number < inductive.by.named[1]).then_some((at, *way.env.locals.get(&name)?))
            })
            .collect();
        let by = inductive.by.invariant;
        let (then, open) = inductive.run_choosing(theory, self.start, by, &chosen)?;
        let of = inductive.action(*action);
        let counts = |theory: &mut Theory, id: ActionId, keys: &[Term]| {
            let left = self.run.created(theory, id, keys);
            let more = ran.created(theory, id, keys);
            let mut count = theory.terms.add(left, more);
            if id == *action {
                let taken = same(theory, of, arguments, keys);
                let (one, zero) = (theory.terms.int(1), theory.terms.int(0));
                let less = theory.terms.ite(taken, one, zero);
                count = theory.terms.sub(count, less);
            }
            [count, then.created(theory, id, keys)]
        };
        let parts = inductive.same(theory, [&way.env.store, &then.after], &counts)?;
        let sentence = format!(
            "`{}` can do what it does followed by `{}`",
            invariant.name, of.name
        );
        for (told, goal) in inductive.possible(theory, (&then, &open), parts) {
            let sentence = format!("{sentence}: {told}");
            let known = way.known.clone();
            self.all
                .push(obligation(STEP, *span, sentence, known, goal));
        }
        Ok(())
    }
}

/// The value of an expression; where it has none, any.
fn read(theory: &mut Theory, way: &StepPath, expr: &Expr) -> Result {
    Lowering::new(theory, way.env.clone()).expr(expr)
}
