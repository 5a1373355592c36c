//! Every kind of step against the interpreter: from random states, the same failures and the same states after it.

use crate::random::Dice;
use crate::solvers;
use plainsong_diagnostics::Span;
use plainsong_induct::{System, state, steps};
use plainsong_ir::{ActionId, GlobalId, Ty};
use plainsong_prove::bounded::{Doubt, example, has_value};
use plainsong_prove::lower::Store;
use plainsong_prove::obligation::{Obligation, Rule};
use plainsong_prove::term::Term;
use plainsong_prove::theory::{Result, Theory};
use plainsong_semantics::action_state::{ActionState, Deeds};
use plainsong_semantics::instance::Instance;
use plainsong_semantics::machine::{Machine, Outcome, Subject};
use plainsong_semantics::sizes::{Bounds, Sizes};
use plainsong_semantics::value::Value;
use plainsong_smt::{Cancel, Solvers};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What a question may cost.
const RESOURCES: u64 = 20_000_000;

/// One action with arguments in one state, and what the interpreter says about it.
struct Case<'a> {
    system: &'a System,
    instance: &'a Instance,
    before: ActionState,
    action: ActionId,
    arguments: Arc<[Value]>,
    after: Vec<ActionState>,
    fails: bool,
}

/// What is asked of the solver: is there a choice with which …
enum Question<'a> {
    /// … this state comes after it?
    Comes(&'a ActionState),
    /// … a state comes after it that the interpreter does not know?
    ComesOther,
    /// … it fails?
    Fails,
}

impl Case<'_> {
    fn answer(&self, question: &Question<'_>, solvers: &Solvers) -> bool {
        let mut build = |theory: &mut Theory| self.doubt(theory, question).map(Some);
        let cancel = Cancel::default();
        let found = example(self.instance, &mut build, RESOURCES, solvers, &cancel);
        found.expect("it is covered").is_some()
    }

    fn doubt(&self, theory: &mut Theory, question: &Question<'_>) -> Result<Doubt> {
        let any = state::any(theory, self.system)?;
        let all = steps::kinds(theory, self.system, &any, None);
        let all = all.unwrap_or_else(|refused| panic!("{}", refused.why));
        let mut own = all
            .into_iter()
            .filter(|step| step.action == Some(self.action));
        let step = own.next().expect("every action is a kind of step");
        let mut hypotheses = any.known.clone();
        hypotheses.push(self.is_state(theory, &any.store, &self.before)?);
        let row = &self.system.actions().actions[self.action.index()];
        let types = row.code.locals.iter().map(|local| local.ty.clone());
        for ((term, value), ty) in step.arguments.iter().zip(&*self.arguments).zip(types) {
            hypotheses.push(has_value(theory, &ty, *term, value)?);
        }
        hypotheses.extend(step.offered.iter().copied());
        let gate: Vec<Term> = step.gate.iter().map(|part| part.holds).collect();
        let goal = match question {
            Question::Fails => theory.terms.and(&gate),
            Question::Comes(after) => {
                hypotheses.push(step.guard);
                hypotheses.extend(gate);
                let same = self.is_state(theory, &step.after, after)?;
                theory.terms.not(same)
            }
            Question::ComesOther => {
                hypotheses.push(step.guard);
                hypotheses.extend(gate);
                let mut known = Vec::new();
                for after in &self.after {
                    known.push(self.is_state(theory, &step.after, after)?);
                }
                theory.terms.or(&known)
            }
        };
        let obligation = Obligation {
            rule: Rule::Refinement("induct/step"),
            span: Span::default(),
            text: String::new(),
            sentence: String::new(),
            participants: Vec::new(),
            hypotheses,
            goal,
            induction: None,
        };
        Ok(Doubt {
            obligation,
            shown: Vec::new(),
        })
    }

    /// That a store is a state of the interpreter.
    fn is_state(&self, theory: &mut Theory, store: &Store, state: &ActionState) -> Result<Term> {
        let mut same = Vec::new();
        let globals = self.system.actions().globals.iter().zip(&state.globals);
        for (at, (row, value)) in globals.enumerate() {
            let term = store.globals[&GlobalId::from(at)];
            same.push(has_value(theory, &row.ty, term, value)?);
        }
        for (&action, &counts) in &store.pending {
            let row = &self.system.actions().actions[action.index()];
            let types = state::parameters(&row.code);
            let map = |held, key: &Ty| Ty::Map(Box::new(key.clone()), Box::new(held));
            let ty = types.iter().rev().fold(Ty::Nat, map);
            let bag = bag(self.instance, &ty, &mut Vec::new(), &|arguments| {
                let rows = state.pending.iter();
                rows.filter(|(id, with)| *id == action && **with == *arguments)
                    .count()
            });
            same.push(has_value(theory, &ty, counts, &bag)?);
        }
        Ok(theory.terms.and(&same))
    }
}

fn bag(
    instance: &Instance,
    ty: &Ty,
    at: &mut Vec<Value>,
    count: &dyn Fn(&[Value]) -> usize,
) -> Value {
    let Ty::Map(key, held) = ty else {
        return Value::Int(count(at) as i64);
    };
    let keys = instance.values(key).expect("arguments are of finite types");
    let entries = keys.into_iter().map(|one| {
        at.push(one.clone());
        let value = bag(instance, held, at, count);
        at.pop();
        (one, value)
    });
    Value::Map(entries.collect())
}

/// A random state.
fn random_state(dice: &mut Dice, system: &System, instance: &Instance) -> ActionState {
    let rows = system.actions().globals.iter();
    let globals = rows
        .map(|row| random_value(dice, instance, &row.ty))
        .collect();
    let mut pending = Vec::new();
    for (at, row) in system.actions().actions.iter().enumerate() {
        if row.role.repeat {
            continue;
        }
        for _ in 0..dice.below(3) {
            let types = state::parameters(&row.code);
            let with: Vec<Value> = types
                .iter()
                .map(|ty| random_value(dice, instance, ty))
                .collect();
            pending.push((ActionId::from(at), Arc::from(with)));
        }
    }
    pending.sort();
    ActionState {
        begun: true,
        globals,
        pending,
    }
}

fn random_value(dice: &mut Dice, instance: &Instance, ty: &Ty) -> Value {
    match ty {
        Ty::Nat => Value::Int(dice.below(3) as i64),
        Ty::Map(key, held) => {
            let keys = instance.values(key).expect("keys are of finite types");
            let entries = keys.into_iter();
            let entries = entries.map(|key| (key, random_value(dice, instance, held)));
            Value::Map(entries.collect())
        }
        _ => {
            let all = instance.values(ty).expect("the type is finite");
            all[dice.below(all.len())].clone()
        }
    }
}

/// What can be run in a state, and what the interpreter says about it.
fn cases<'a>(system: &'a System, instance: &'a Instance, before: &ActionState) -> Vec<Case<'a>> {
    let machine = Machine::new(instance, Subject::System);
    let mut deeds = Deeds::new(&machine);
    let config = before.clone().config();
    let mut runs: BTreeSet<(ActionId, Arc<[Value]>)> = before.pending.iter().cloned().collect();
    runs.extend(deeds.offers());
    let mut cases = Vec::new();
    for (action, arguments) in runs {
        let one = (action, arguments.clone());
        let steps = match before.pending.iter().position(|other| *other == one) {
            Some(at) => deeds.steps_of(&config, at),
            None => deeds.steps_of_offer(&config, (action, &arguments)),
        };
        let (mut after, mut fails) = (Vec::new(), false);
        for step in steps {
            match &step.outcome {
                Outcome::Next(config) => after.push(ActionState::of(config)),
                Outcome::Failed(..) => fails = true,
                Outcome::Discarded => {}
            }
        }
        cases.push(Case {
            system,
            instance,
            before: before.clone(),
            action,
            arguments,
            after,
            fails,
        });
    }
    cases
}

#[test]
fn steps_are_those_of_the_interpreter() {
    let solvers = solvers();
    let (mut states, mut failures) = (0, 0);
    for seed in 0..8_u64 {
        let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 77);
        let mut text = dice.system();
        text.push_str("property counted: always pending() >= 0;\n");
        text.push_str(
            "repeat action Divide(x: S, y: S) { assume lit; assert n > 0 || mark[x]; n -= 1; }\n",
        );
        let song = plainsong_syntax::compile(&text)
            .song
            .unwrap_or_else(|| panic!("{text}"));
        let system = System::of(&Arc::new(song)).unwrap_or_else(|why| panic!("{}", why.why));
        for size in 1..=2 {
            let sizes = Sizes::new().with("S", size);
            let instances = Instance::all(system.song.clone(), &sizes, &Bounds::default());
            let instance = &instances.expect("there is an instance")[0];
            let before = random_state(&mut dice, &system, instance);
            for case in cases(&system, instance, &before) {
                let place = || {
                    format!(
                        "seed {seed}, {:?}{:?} in {before:?}\n{text}",
                        case.action, case.arguments
                    )
                };
                let fails = case.answer(&Question::Fails, &solvers);
                assert_eq!(fails, case.fails, "fails: {}", place());
                failures += u32::from(fails);
                if fails {
                    continue;
                }
                for after in &case.after {
                    assert!(
                        case.answer(&Question::Comes(after), &solvers),
                        "{after:?} is lost: {}",
                        place()
                    );
                    states += 1;
                }
                assert!(
                    !case.answer(&Question::ComesOther, &solvers),
                    "something else: {}",
                    place()
                );
            }
        }
    }
    assert!(
        states >= 50 && failures >= 5,
        "{states} states, {failures} failures"
    );
}
