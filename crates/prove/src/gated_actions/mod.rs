//! Gated actions (gate and transition relation) in normal form: a function of explicit choices.
//!
//! Running an action from a store and arguments gives
//!
//! - `gate`: nothing fails, whatever is chosen;
//! - `guard`: this choice does not block;
//! - the store and the result after it, and the asyncs it creates, as terms over the choices.
//!
//! So `g'` is a successor of `g` exactly when `gate(g)` and for some choices `guard` and `g' = after`.
//! Running the same action again with the same choices ([`Gated::run`] with `given`) is how an
//! existential is answered by a witness.
//!
//! Why faithful. The statements are followed as the interpreter runs them (`semantics::code::run`), both
//! sides of every branch, with the condition under which the place is reached (`live`). What would fail
//! adds `live ==> condition` to the gate, for every value of the choices made so far; what would block adds
//! `live ==> condition` to the guard. Behind either the condition may be relied on.
//!
//! NOT COVERED, and said so ([`Unsupported`]): loops whose rounds share variables, and whatever expressions [`crate::lower`] leaves out.

mod assign;
mod created;
mod rounds;

pub use created::counted;

use crate::lower::{Definedness, Env, Lowering, Store, Unsupported};
use crate::symbolic_execution::SymbolicExecution;
use crate::term::{Sort, Term};
use crate::theory::{Result, Theory};
use plainsong_diagnostics::Span;
use plainsong_ir::{
    ActionId, Block, Choice, Code, Domain, Expr, LocalId, Pattern, Place, Stmt, StmtKind, Ty,
};
use std::collections::BTreeMap;

/// One run of an action, for all choices at once.
#[derive(Clone, Debug)]
pub struct Gated {
    /// What may not fail, part by part; closed under the choices.
    pub gate: Vec<GatePart>,
    /// Does this choice not block?
    pub guard: Term,
    /// The symbols of the choices, in the order of the text.
    pub choices: Vec<Term>,
    /// The globals afterwards.
    pub after: Store,
    /// The result, if it has one.
    pub result: Option<Term>,
    /// The asyncs that are created, in the order of the text; [`Gated::created`] counts them.
    pub created: Vec<Created>,
    /// Locals at the end, where all ways there agree that they have a value.
    pub locals: BTreeMap<LocalId, Term>,
    /// For choices of a `maybe` without `else`, by number, by the branches taken, when its block changes or creates something.
    acts: BTreeMap<usize, Term>,
}

/// One thing that may not fail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GatePart {
    /// What has to hold.
    pub holds: Term,
    /// The assertion or operation.
    pub span: Span,
}

/// An async that is created if a condition holds, once for each value of some symbols.
#[derive(Clone, Debug, PartialEq)]
pub struct Created {
    /// If.
    pub condition: Term,
    pub action: ActionId,
    pub arguments: Vec<Term>,
    /// The members of the loops around it: the condition and the arguments speak about them.
    pub each: Vec<Term>,
}

impl Gated {
    /// Runs code from a store and arguments; with fresh choices, or the `given` ones of another run of
    /// the same code.
    pub fn run(
        theory: &mut Theory,
        code: &Code,
        result: Option<LocalId>,
        before: &Store,
        arguments: &[Term],
        given: Option<&[Term]>,
    ) -> Result<Gated> {
        let locals = arguments.iter().enumerate();
        let env = Env {
            locals: locals
                .map(|(at, term)| (LocalId::from(at), *term))
                .collect(),
            store: before.clone(),
            ..Env::default()
        };
        let live = theory.terms.bool(true);
        let known = valid_arguments(theory, code, arguments)?;
        let mut running = SymbolicRun {
            theory,
            code,
            known,
            gate: Vec::new(),
            guard: Vec::new(),
            choices: Vec::new(),
            given: given.map(<[Term]>::to_vec),
            created: Vec::new(),
            acts: BTreeMap::new(),
            around: Vec::new(),
        };
        let state = running.block(
            ActionState {
                env,
                live,
                path: live,
            },
            &code.body,
        )?;
        let result = match result {
            None => None,
            Some(local) => Some(state.env.locals.get(&local).copied().ok_or_else(|| {
                Unsupported::new(Span::default(), "the result is not assigned on every way")
            })?),
        };
        let SymbolicRun {
            theory,
            gate,
            guard,
            choices,
            created,
            acts,
            ..
        } = running;
        let guard = theory.terms.and(&guard);
        let acts = acts.into_iter();
        let acts = acts.map(|(at, when)| (at, theory.terms.or(&when)));
        let acts = acts.collect();
        Ok(Gated {
            gate,
            guard,
            choices,
            after: state.env.store,
            result,
            created,
            locals: state.env.locals,
            acts,
        })
    }

    /// The choices, but that a `maybe` whose block changed and created nothing is not taken: they lead to the same,
    /// and tell those who run this elsewhere what it really did.
    pub fn doings(&self, theory: &mut Theory) -> Vec<Term> {
        let mut choices = self.choices.clone();
        for (&at, &acts) in &self.acts {
            choices[at] = theory.terms.and(&[choices[at], acts]);
        }
        choices
    }

    /// The whole gate.
    pub fn gate(&self, theory: &mut Theory) -> Term {
        let parts: Vec<Term> = self.gate.iter().map(|part| part.holds).collect();
        theory.terms.and(&parts)
    }
}

/// That arguments are values of the types of their parameters, as they are in every run, part by part.
fn valid_arguments(theory: &mut Theory, code: &Code, arguments: &[Term]) -> Result<Vec<Term>> {
    let mut known = Vec::new();
    for (local, &argument) in code.locals[..code.arity].iter().zip(arguments) {
        let valid = theory.valid(&local.ty, argument)?;
        known.extend(theory.terms.conjuncts(valid));
    }
    Ok(known)
}

/// What names stand for at a place, and when it is reached.
#[derive(Clone, Debug)]
struct ActionState {
    env: Env,
    live: Term,
    /// The conditions of the branches around.
    path: Term,
}

struct SymbolicRun<'a> {
    theory: &'a mut Theory,
    code: &'a Code,
    /// What is known of every run: that the arguments are values of their types.
    known: Vec<Term>,
    gate: Vec<GatePart>,
    guard: Vec<Term>,
    choices: Vec<Term>,
    given: Option<Vec<Term>>,
    created: Vec<Created>,
    acts: BTreeMap<usize, Vec<Term>>,
    /// The choices of each `maybe` without `else` around.
    around: Vec<usize>,
}

impl SymbolicRun<'_> {
    fn block(&mut self, mut state: ActionState, block: &Block) -> Result<ActionState> {
        for stmt in block {
            state = self.stmt(state, stmt)?;
        }
        Ok(state)
    }

    fn stmt(&mut self, mut state: ActionState, stmt: &Stmt) -> Result<ActionState> {
        match &stmt.kind {
            StmtKind::AssignChoice(place, choice) => {
                let value = self.choice(&mut state, choice, stmt.span)?;
                self.write(&mut state, place, value)?;
            }
            StmtKind::Maybe(yes, no) => {
                let at = self.choices.len();
                let taken = self.pick("maybe", Sort::BOOL);
                if no.is_empty() {
                    self.acts.insert(at, Vec::new());
                    self.around.push(at);
                }
                let state = self.branches(state, taken, yes, no);
                if no.is_empty() {
                    self.around.pop();
                }
                return state;
            }
            StmtKind::Async(action, arguments) => {
                let arguments = arguments.iter().map(|one| self.read(&mut state, one));
                let arguments = arguments.collect::<Result<Vec<Term>>>()?;
                self.acting(&state);
                self.created.push(Created {
                    condition: state.live,
                    action: *action,
                    arguments,
                    each: Vec::new(),
                });
            }
            StmtKind::For {
                local,
                domain,
                filter,
                body,
                ..
            } => {
                let round = rounds::Round {
                    local: *local,
                    domain,
                    filter: filter.as_ref(),
                    body,
                    span: stmt.span,
                };
                return self.every_round(state, &round);
            }
            _ => return self.common_stmt(state, stmt),
        }
        Ok(state)
    }

    /// Something is changed or created here.
    fn acting(&mut self, state: &ActionState) {
        for at in &self.around {
            self.acts.entry(*at).or_default().push(state.path);
        }
    }

    /// Fails unless the condition holds, and relies on it from here on.
    fn demand(&mut self, state: &mut ActionState, condition: Term, span: Span) {
        let condition = self.unknown(state, condition);
        let terms = &mut self.theory.terms;
        let mut holds = terms.implies(state.live, condition);
        for choice in self.choices.iter().rev() {
            holds = terms.forall(*choice, holds);
        }
        let is_trivial = terms.op(holds) == crate::term::Op::True;
        if !is_trivial {
            self.gate.push(GatePart { holds, span });
        }
        state.live = self.theory.terms.and(&[state.live, condition]);
    }

    /// What a condition says beyond what holds wherever this place is reached.
    fn unknown(&mut self, state: &ActionState, condition: Term) -> Term {
        let terms = &mut self.theory.terms;
        let before = terms.conjuncts(state.live);
        let mut parts = terms.conjuncts(condition);
        parts.retain(|part| !before.contains(part) && !self.known.contains(part));
        terms.and(&parts)
    }

    /// Blocks unless the condition holds, and relies on it from here on.
    fn block_unless(&mut self, state: &mut ActionState, condition: Term) {
        let condition = self.unknown(state, condition);
        let terms = &mut self.theory.terms;
        let passes = terms.implies(state.live, condition);
        self.guard.push(passes);
        state.live = terms.and(&[state.live, condition]);
    }

    /// The next choice: given, or a fresh symbol.
    fn pick(&mut self, name: &str, sort: Sort) -> Term {
        let at = self.choices.len();
        let given = self.given.as_ref().map(|given| given[at]);
        let value = given.unwrap_or_else(|| self.theory.terms.fresh(name, sort));
        self.choices.push(value);
        value
    }

    fn under(&mut self, state: &ActionState, condition: Term) -> ActionState {
        ActionState {
            env: state.env.clone(),
            live: self.theory.terms.and(&[state.live, condition]),
            path: self.theory.terms.and(&[state.path, condition]),
        }
    }

    /// Variable by variable: the one value or the other.
    fn join(
        &mut self,
        condition: Term,
        path: Term,
        yes: ActionState,
        no: ActionState,
    ) -> ActionState {
        let terms = &mut self.theory.terms;
        let mut env = no.env;
        env.locals = yes
            .env
            .locals
            .iter()
            .filter_map(|(local, a)| {
                let b = env.locals.get(local)?;
                Some((*local, terms.ite(condition, *a, *b)))
            })
            .collect();
        for (global, a) in &yes.env.store.globals {
            if let Some(b) = env.store.globals.get_mut(global) {
                *b = terms.ite(condition, *a, *b);
            }
        }
        ActionState {
            env,
            live: terms.or(&[yes.live, no.live]),
            path,
        }
    }
}

impl SymbolicExecution for SymbolicRun<'_> {
    type State = ActionState;
    type After = ActionState;

    const NOT_COVERED: &'static str = "this statement is not covered in actions yet";

    fn theory(&mut self) -> &mut Theory {
        self.theory
    }

    fn known(&self) -> &[Term] {
        &self.known
    }

    fn env(state: &mut ActionState) -> &mut Env {
        &mut state.env
    }

    fn after(state: ActionState) -> ActionState {
        state
    }

    /// Part of the gate.
    fn needs(&mut self, state: &mut ActionState, one: Definedness, span: Span) -> Result<()> {
        if one.everywhere {
            // More than the interpreter asks for: relied on, it would hide states.
            return Err(Unsupported::new(
                span,
                "an operation under a quantifier that may have no result is not covered in actions",
            ));
        }
        self.demand(state, one.condition, span);
        Ok(())
    }

    fn assign(&mut self, state: &mut ActionState, place: &Place, value: &Expr) -> Result<()> {
        let value = self.read(state, value)?;
        self.write(state, place, value)
    }

    fn assert(&mut self, state: &mut ActionState, condition: &Expr, span: Span) -> Result<()> {
        let holds = self.read(state, condition)?;
        self.demand(state, holds, span);
        Ok(())
    }

    fn assume(&mut self, state: &mut ActionState, condition: &Expr) -> Result<()> {
        let holds = self.read(state, condition)?;
        self.block_unless(state, holds);
        Ok(())
    }

    fn choice(&mut self, state: &mut ActionState, choice: &Choice, span: Span) -> Result {
        let ty = match &choice.domain {
            Domain::Type(ty) => ty.clone(),
            Domain::In(collection) => collection.ty.element().cloned().unwrap_or(Ty::Bool),
        };
        let whole = match &choice.domain {
            Domain::Type(_) => None,
            Domain::In(collection) => {
                let whole = self.read(state, collection)?;
                Some((collection.ty.clone(), whole))
            }
        };
        let sort = self.theory.sort_of_type(&ty, span)?;
        let name = &self.code.locals[choice.local.index()].name;
        let value = self.pick(name, sort);
        let valid = self.theory.valid(&ty, value)?;
        self.block_unless(state, valid);
        if let Some((collection, whole)) = whole {
            let mut lowering = Lowering::new(self.theory, Env::default());
            let member = lowering.is_member(&collection, whole, &ty, value)?;
            self.block_unless(state, member);
        }
        state.env.locals.insert(choice.local, value);
        if let Some(filter) = &choice.filter {
            let passes = self.read(state, filter)?;
            self.block_unless(state, passes);
        }
        Ok(value)
    }

    fn branches(
        &mut self,
        state: ActionState,
        condition: Term,
        yes: &Block,
        no: &Block,
    ) -> Result<ActionState> {
        let not = self.theory.terms.not(condition);
        let taken = self.under(&state, condition);
        let other = self.under(&state, not);
        let path = state.path;
        let yes = self.block(taken, yes)?;
        let no = self.block(other, no)?;
        Ok(self.join(condition, path, yes, no))
    }

    fn arms(
        &mut self,
        mut state: ActionState,
        value: Term,
        ty: &Ty,
        arms: &[(Pattern, Block)],
    ) -> Result<ActionState> {
        let Some(((pattern, body), rest)) = arms.split_first() else {
            return Ok(state);
        };
        let (outside, path) = (state.env.clone(), state.path);
        let fits = self.reading(&mut state, pattern.span, |lowering| {
            lowering.matches(pattern, value, ty)
        })?;
        if rest.is_empty() {
            // The patterns cover every value, so the last one fits when no other does.
            return self.block(state, body);
        }
        let taken = self.under(&state, fits);
        let yes = self.block(taken, body)?;
        state.env = outside;
        let not = self.theory.terms.not(fits);
        let other = self.under(&state, not);
        let no = self.arms(other, value, ty, rest)?;
        Ok(self.join(fits, path, yes, no))
    }
}
