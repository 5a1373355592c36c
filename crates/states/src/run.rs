//! Runs compiled programs.

use crate::code::{Arg, Op, Program, Question};
use crate::coding::Coding;
use crate::interner::Interner;
use crate::leaves::{decode, encode};
use plainsong_ir::ActionId;
use plainsong_semantics::action_state::value;
use plainsong_semantics::value::Value;

/// The most statements of one run. The interpreter's own limits lie far beyond, so a run that stays
/// within this one stays within those; one that does not is left to the interpreter.
const MOST_STATEMENTS: u32 = 50_000;
/// The most rounds of `while` loops in one run, for the same reason.
const MOST_ROUNDS: u32 = 40;
/// The most branches of one run.
const MOST_BRANCHES: usize = 10_000;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ran {
    Well,
    /// Only the interpreter knows.
    Bailed,
}

/// How states are written down, for a run that may give numbers to new values, or may not.
pub(crate) trait Coded {
    /// How states are written down.
    fn coding(&self) -> &Coding;
    /// Where values get numbers, if this run may ask the evaluator for some.
    fn interner(&mut self) -> Option<&mut Interner>;
}

impl Coded for Coding {
    fn coding(&self) -> &Coding {
        self
    }
    fn interner(&mut self) -> Option<&mut Interner> {
        Some(&mut self.interner)
    }
}

impl Coded for &Coding {
    fn coding(&self) -> &Coding {
        self
    }
    fn interner(&mut self) -> Option<&mut Interner> {
        None
    }
}

/// Registers, and what runs leave behind.
#[derive(Debug, Default)]
pub(crate) struct Runs {
    /// The registers; the first hold the state, the next whether the async that is taken is still owed.
    pub(crate) registers: Vec<u64>,
    /// The states that were emitted, one after the other.
    pub(crate) emitted: Vec<u64>,
    /// Which statements ran.
    pub(crate) marks: Vec<bool>,
    /// Those that ran for the first time in this run.
    new_marks: Vec<u32>,
    /// The async that is being taken.
    taken: Option<usize>,
}

impl Runs {
    /// For programs with this many statements in all.
    pub(crate) fn new(statements: usize) -> Self {
        Runs {
            marks: vec![false; statements],
            ..Runs::default()
        }
    }

    /// The same room and marks, for another worker.
    pub(crate) fn again(&self) -> Runs {
        Runs {
            registers: vec![0; self.registers.len()],
            marks: self.marks.clone(),
            ..Runs::default()
        }
    }

    /// Makes room for the registers of a program.
    pub(crate) fn make_room(&mut self, program: &Program<'_>) {
        let most = self.registers.len().max(program.registers);
        self.registers.resize(most, 0);
    }

    /// Runs a program on a state. A run that bails leaves nothing behind.
    ///
    /// A program that takes an async is run on the state with it, and *owes* it: when it leaves the same
    /// async again nothing is owed any more, and otherwise it is taken off the states that are emitted. An action
    /// that is always on offer owes nothing.
    pub(crate) fn run(
        &mut self,
        program: &Program<'_>,
        state: &[u64],
        taken: Option<usize>,
        coded: &mut impl Coded,
    ) -> Ran {
        let taken = taken.filter(|ground| !coded.coding().asyncs.all()[*ground].is_offer);
        self.registers[..state.len()].copy_from_slice(state);
        self.registers[state.len()] = u64::from(taken.is_some());
        self.taken = taken;
        self.new_marks.clear();
        let emitted = self.emitted.len();
        let ran = self.go(program, coded);
        if ran == Ran::Bailed {
            self.emitted.truncate(emitted);
            self.unmark();
        }
        ran
    }

    fn go(&mut self, program: &Program<'_>, coded: &mut impl Coded) -> Ran {
        let limit = self.emitted.len() + MOST_BRANCHES * coded.coding().layout.words().max(1);
        let (mut statements, mut rounds) = (0, 0);
        let mut pc = 0usize;
        loop {
            let op = &program.ops[pc];
            let coding = coded.coding();
            pc += 1;
            match op {
                Op::Test {
                    word,
                    to,
                    mask,
                    value,
                } => {
                    if self.registers[*word as usize] & mask != *value {
                        pc = *to as usize;
                    }
                }
                Op::TestNot {
                    word,
                    to,
                    mask,
                    value,
                } => {
                    if self.registers[*word as usize] & mask == *value {
                        pc = *to as usize;
                    }
                }
                Op::Mark(statement) => {
                    let mark = &mut self.marks[*statement as usize];
                    if !*mark {
                        *mark = true;
                        self.new_marks.push(*statement);
                    }
                    statements += 1;
                    if statements > MOST_STATEMENTS {
                        return Ran::Bailed;
                    }
                }
                Op::Patch { word, clear, bits } => {
                    let word = &mut self.registers[*word as usize];
                    *word = *word & !clear | bits;
                }
                Op::Jump(to) => pc = *to as usize,
                Op::Emit => {
                    if !self.emit(coding) || self.emitted.len() > limit {
                        return Ran::Bailed;
                    }
                }
                Op::Move(to, from) => self.registers[*to as usize] = self.load(*from, coding),
                Op::Post(number) => {
                    if !self.post(*number as usize, coding) {
                        return Ran::Bailed;
                    }
                }
                Op::Compute(binary, to, a, b) => {
                    match binary.of(self.load(*a, coding), self.load(*b, coding)) {
                        Some(result) => self.registers[*to as usize] = result,
                        None => return Ran::Bailed,
                    }
                }
                Op::Store(field, from) => {
                    let number = self.load(*from, coding);
                    let field = &coding.layout.fields()[*field as usize];
                    if !field.store(&mut self.registers, number) {
                        return Ran::Bailed;
                    }
                }
                Op::JumpIfZero(arg, to) => {
                    if self.load(*arg, coding) == 0 {
                        pc = *to as usize;
                    }
                }
                Op::JumpIf { same, a, b, to } => {
                    if (self.load(*a, coding) == self.load(*b, coding)) == *same {
                        pc = *to as usize;
                    }
                }
                Op::Again(to) => {
                    rounds += 1;
                    if rounds > MOST_ROUNDS {
                        return Ran::Bailed;
                    }
                    pc = *to as usize;
                }
                Op::Table(arg, targets) => {
                    pc = targets[self.load(*arg, coding) as usize] as usize;
                }
                Op::Within(arg, first, last) => {
                    if !(*first..=*last).contains(&(self.load(*arg, coding) as i64)) {
                        return Ran::Bailed;
                    }
                }
                Op::PostWith(action, arguments) => {
                    if !self.post_with(*action, arguments, coding) {
                        return Ran::Bailed;
                    }
                }
                Op::Pending(to, action) => {
                    self.registers[*to as usize] = self.pending(*action, coding);
                }
                Op::Interpret(question) => {
                    if !self.ask(&program.questions[*question as usize], coded) {
                        return Ran::Bailed;
                    }
                }
                Op::Bail => return Ran::Bailed,
                Op::End => return Ran::Well,
            }
        }
    }

    fn load(&self, arg: Arg, coding: &Coding) -> u64 {
        match arg {
            Arg::Const(number) => number,
            Arg::Reg(register) => self.registers[register as usize],
            Arg::Field(field) => coding.layout.fields()[field as usize].load(&self.registers),
        }
    }

    /// Emits the state without what is owed; false when a count does not fit.
    fn emit(&mut self, coding: &Coding) -> bool {
        let words = coding.layout.words();
        let first = self.emitted.len();
        self.emitted.extend_from_slice(&self.registers[..words]);
        match self.taken {
            Some(taken) if self.registers[words] != 0 => {
                let field = &coding.layout.fields()[coding.asyncs.all()[taken].field];
                let count = field.load(&self.registers);
                field.store(&mut self.emitted[first..], count - 1)
            }
            _ => true,
        }
    }

    /// Leaves one async more; false when its count does not fit.
    fn post(&mut self, number: usize, coding: &Coding) -> bool {
        let owed = &mut self.registers[coding.layout.words()];
        if *owed != 0 && self.taken == Some(number) {
            *owed = 0;
            return true;
        }
        let field = &coding.layout.fields()[coding.asyncs.all()[number].field];
        let count = field.load(&self.registers);
        field.store(&mut self.registers, count + 1)
    }

    fn post_with(&mut self, action: ActionId, arguments: &[Arg], coding: &Coding) -> bool {
        let leaves: Vec<u64> = arguments
            .iter()
            .map(|arg| self.load(*arg, coding))
            .collect();
        match coding.asyncs.find(action, &leaves) {
            Some(number) => self.post(number, coding),
            None => false,
        }
    }

    fn pending(&self, action: Option<ActionId>, coding: &Coding) -> u64 {
        let counted = coding.asyncs.all().iter();
        let counted = counted.filter(|ground| {
            !ground.is_offer && action.is_none_or(|action| action == ground.action)
        });
        counted
            .map(|ground| coding.layout.fields()[ground.field].load(&self.registers))
            .sum()
    }

    /// Asks the evaluator; false when it fails, or may not be asked.
    fn ask(&mut self, question: &Question<'_>, coded: &mut impl Coded) -> bool {
        let coding = coded.coding();
        let mut globals = vec![Value::None; coding.globals()];
        for global in &question.globals {
            globals[*global] = coding.value(*global, &self.registers);
        }
        let mut locals = vec![Value::None; question.locals];
        for (local, shape, leaves) in &question.reads {
            let leaves: Vec<u64> = leaves.iter().map(|arg| self.load(*arg, coding)).collect();
            let Some(value) = decode(shape, &leaves, &coding.interner) else {
                return false;
            };
            locals[*local] = value;
        }
        let Ok(answer) = value(&coding.instance, &globals, question.expr, &mut locals) else {
            return false;
        };
        let Some(interner) = coded.interner() else {
            return false;
        };
        let (shape, first) = &question.answer;
        let mut leaves = Vec::with_capacity(shape.width);
        encode(shape, &answer, interner, &mut leaves);
        let first = *first as usize;
        self.registers[first..first + leaves.len()].copy_from_slice(&leaves);
        true
    }

    /// Did the last run mark a statement for the first time?
    pub(crate) fn has_new_marks(&self) -> bool {
        !self.new_marks.is_empty()
    }

    /// Takes back the marks of the last run.
    pub(crate) fn unmark(&mut self) {
        for statement in self.new_marks.drain(..) {
            self.marks[statement as usize] = false;
        }
    }
}
