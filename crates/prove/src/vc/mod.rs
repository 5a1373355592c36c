//! Verification conditions of located sequential code, by forward symbolic execution (strongest postconditions).
//!
//! A choreography is followed from its start to its end with symbols for what is not known, as the
//! interpreter would run it. Where the interpreter can fail there is an [`Obligation`]; afterwards its
//! condition may be relied on, because the interpreter goes no further when it fails. So the
//! obligations of one rule can be shown whether or not those of another can; except that where more is
//! asked for than runs check ([`Rule::Position`], [`Rule::Injective`], [`Rule::DefinedEverywhere`]), everything
//! depends on it.
//!
//! - Branches without loops and jumps are joined again, variable by variable (as in static single assignment, SSA), so the
//!   number of obligations grows with the text and not with the number of paths; weakest preconditions of passive programs
//!   are kept small in the same way.
//! - A loop is cut at its head ([`loops`]): invariants are established (initiation), everything the body may write
//!   becomes unknown (havoc), invariants are relied on and have to be maintained (consecution). What the body does not write
//!   keeps its value: that is the frame.
//! - A condition that several endpoints decide part by part has to be unanimous
//!   ([`plainsong_ir::unanimity`]): at an `if` where it stands, at a `while` like an invariant, at every
//!   level of nesting.
//! - A lemma is used by showing what it wants and relying on what it promises; its proof, and those of the
//!   functions that are called, are shown with whatever rests on them ([`support`]).
//! - A choreography is called by showing its precondition and relying on its postcondition ([`part`]): modular reasoning.
//! - A transfer between endpoints is an assignment: a line's steps happen one after the other.
//!
//! NOT COVERED. Termination of `while` loops without `decreases`: the notes say so, and what is
//! proved is what holds if the end is reached. `always` properties of lines.

mod actions;
mod apart;
pub(crate) mod assign;
mod external;
mod family;
mod frame;
mod join;
mod loops;
mod part;
mod permuted;
mod start;
mod statements;
mod support;
mod unrolled;

use crate::lower::{Env, Lowering};
use crate::obligation::{Obligation, Rule};
use crate::symbolic_execution::SymbolicExecution;
use crate::term::{Op, Term};
use crate::theory::{Result, Theory};
use plainsong_diagnostics::Span;
use plainsong_ir::unanimity::{Agreement, Owners, apart};
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{BinOp, Choreography, Claim, Expr, ExprKind, FamilyId, LineKind, Stmt};
use plainsong_semantics::verdict::Assumption;
use std::collections::BTreeSet;

/// The most states that one place of the text is followed with.
const MOST_STATES: usize = 64;

/// What a choreography asks for.
#[derive(Clone, Debug, Default)]
pub struct Conditions {
    /// What has to be shown.
    pub obligations: Vec<Obligation>,
    /// What is trusted or not covered, for the verdict.
    pub notes: Vec<Assumption>,
    /// What somebody asks for besides ([`Watch`]).
    watched: Vec<Obligation>,
}

/// The obligations of line `line`, with those of the properties in `finally` and of the functions and
/// lemmas that it rests on.
pub fn conditions(theory: &mut Theory, line: usize, finally: &[usize]) -> Result<Conditions> {
    support::with_support(theory, line, finally)
}

/// The obligations of line `line` within bounds, round by round.
pub(crate) fn unrolled(theory: &mut Theory, line: usize, finally: &[usize]) -> Result<Conditions> {
    support::alone(theory, line, finally)
}

pub use actions::{Watch, of_init, watched};
pub use external::nothing_allowed;
pub use support::support;

/// What is known at a place of the text.
#[derive(Clone, Debug, Default)]
struct SymbolicState {
    env: Env,
    hypotheses: Vec<Term>,
    /// The branches that were taken, as far as they were not joined.
    path: Vec<Term>,
}

impl SymbolicState {
    /// Goes on where the condition holds.
    fn take(&mut self, condition: Term) {
        self.hypotheses.push(condition);
        self.path.push(condition);
    }
}

/// Where a block leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    /// To the next statement.
    Next,
    /// Out of the loop.
    Break,
    /// To the next round.
    Continue,
}

/// States behind a statement.
type States = Vec<(Flow, SymbolicState)>;

struct VcWalk<'a> {
    theory: &'a mut Theory,
    /// The names of the code at hand, to print what obligations are about.
    locals: Vec<plainsong_ir::Local>,
    /// To whom those names belong.
    owners: Owners,
    /// What is being read, as the song prints it.
    text: String,
    conditions: Conditions,
    /// What was chosen so far in a loop whose rounds are taken all at once.
    chosen: Vec<Term>,
    /// Is something read that no run reads?
    beyond: bool,
    /// How many loops were cut at their heads.
    cuts: usize,
    /// The lemma whose proof is followed.
    lemma: Option<usize>,
    /// Lemmas that were used.
    used: BTreeSet<usize>,
    /// Who asks for more.
    watch: Option<&'a dyn Watch>,
}

impl VcWalk<'_> {
    fn line(&mut self, line: &Choreography, finally: &[usize]) -> Result<()> {
        let song = self.theory.song.clone();
        let mut state = self.start(line)?;
        for condition in &line.requires {
            let holds = self.read(&mut state, condition)?;
            state.hypotheses.push(holds);
        }
        if !line.requires.is_empty() {
            self.reachable(
                &state,
                line.requires[0].span,
                "nothing satisfies `requires`",
            );
        }
        if let LineKind::Contract(function) = line.kind {
            self.begin_induction(&mut state, function)?;
        }
        for (_, mut state) in self.block(state, &line.code.body)? {
            for promise in &line.ensures {
                self.check(
                    &mut state,
                    promise,
                    Rule::Ensures,
                    "may be false at the end",
                )?;
            }
            for &at in finally {
                let property = &song.properties[at];
                if let Claim::Finally(claim) = &property.claim {
                    let mut ending = state.clone();
                    ending.env.locals.clear();
                    self.locals.clone_from(&property.locals);
                    self.check(
                        &mut ending,
                        claim,
                        Rule::Finally(at),
                        "may be false at the end",
                    )?;
                }
            }
        }
        Ok(())
    }

    /// Asks for a condition, conjunct by conjunct, and relies on it afterwards.
    fn check(
        &mut self,
        state: &mut SymbolicState,
        expr: &Expr,
        rule: Rule,
        sentence: &str,
    ) -> Result<()> {
        if let ExprKind::Binary(BinOp::And, left, right) = &expr.kind {
            self.check(state, left, rule, sentence)?;
            return self.check(state, right, rule, sentence);
        }
        let goal = self.read(state, expr)?;
        let participants = self.participants(expr);
        self.oblige(
            state,
            rule,
            expr.span,
            sentence.to_owned(),
            participants,
            goal,
        );
        state.hypotheses.push(goal);
        Ok(())
    }

    /// Asks that those who decide a condition part by part come to the same, and relies on it.
    fn unanimous(
        &mut self,
        state: &mut SymbolicState,
        agreements: &[Agreement],
        inside: &[Stmt],
        outside: &[Stmt],
        when: &str,
    ) -> Result<()> {
        for agreement in agreements {
            let song = self.theory.song.clone();
            let told = apart(&song, &self.locals, agreement, inside, outside);
            let sentence = format!("{when}{told}");
            let goal = self.read(state, &agreement.equal)?;
            let participants = self.participants(&agreement.equal);
            let span = agreement.equal.span;
            self.oblige(state, Rule::Unanimity, span, sentence, participants, goal);
            state.hypotheses.push(goal);
        }
        Ok(())
    }

    /// Relies on a condition without asking for it.
    fn rely(&mut self, state: &mut SymbolicState, expr: &Expr) -> Result<()> {
        let env = state.env.clone();
        let mut lowering = Lowering::new(self.theory, env);
        let holds = lowering.expr(expr)?;
        // Whoever established it has shown that it is defined.
        let definedness = std::mem::take(&mut lowering.definedness);
        state
            .hypotheses
            .extend(definedness.into_iter().map(|one| one.condition));
        state.hypotheses.push(holds);
        Ok(())
    }

    fn oblige(
        &mut self,
        state: &SymbolicState,
        rule: Rule,
        span: Span,
        sentence: String,
        participants: Vec<String>,
        goal: Term,
    ) {
        if self.theory.terms.op(goal) == Op::True {
            // Shown by building it; still counted, so that the number of obligations says how much
            // was asked.
            self.push(rule, span, sentence, participants, Vec::new(), goal);
            return;
        }
        let hypotheses = state.hypotheses.clone();
        self.push(rule, span, sentence, participants, hypotheses, goal);
    }

    fn push(
        &mut self,
        rule: Rule,
        span: Span,
        sentence: String,
        participants: Vec<String>,
        hypotheses: Vec<Term>,
        goal: Term,
    ) {
        self.conditions.obligations.push(Obligation {
            rule,
            span,
            text: self.text.clone(),
            sentence,
            participants,
            hypotheses,
            goal,
            induction: self.theory.functions.induction.clone(),
        });
    }

    /// Notes a place that should be reachable.
    fn reachable(&mut self, state: &SymbolicState, span: Span, sentence: &str) {
        let goal = self.theory.terms.bool(false);
        let hypotheses = state.hypotheses.clone();
        self.push(
            Rule::Vacuity,
            span,
            sentence.to_owned(),
            Vec::new(),
            hypotheses,
            goal,
        );
    }

    fn participants(&self, expr: &Expr) -> Vec<String> {
        let mut found = Families(BTreeSet::new());
        found.expr(expr);
        let song = &self.theory.song;
        let names = found.0.into_iter();
        names
            .map(|family| song.families[family.index()].name.clone())
            .collect()
    }
}

/// Collects the families whose variables are read.
struct Families(BTreeSet<FamilyId>);

impl Visit for Families {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Of(family, ..) = &expr.kind {
            self.0.insert(*family);
        }
        walk::expr(self, expr);
    }
}
