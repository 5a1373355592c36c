//! Statements with free choices: what follows is compiled once for each value.
//!
//! `let x = choose S; rest` becomes, for each value `v` of `S` in order: *restore the state as it was at
//! the choice; x is v; rest; emit*. Every way through ends with a jump to the next value of the last
//! choice ([`Compiler::fail`]), which is also where an `assume` goes, so the ways come in the order of the
//! interpreter. What follows a statement is a [`Rest`]; statements without a choice inside are compiled
//! as plain code and do not multiply what follows. A choice inside a `while` is for the interpreter.
//!
//! What follows may bind locals anew, those of a loop in its next rounds: whoever compiles it a second
//! time first puts back what locals held at the fork.

use super::quantifiers::Element;
use super::stmts::For;
use super::{Compiler, MOST_CALLS, Result, Trouble};
use crate::code::{Arg, Op};
use plainsong_ir::finite::is_finite;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Block, Choice, Domain, Expr, Pattern, Place, Stmt, StmtKind};

/// The most statements and rounds on one way through, so that the stack suffices.
const LONGEST_WAY: u32 = 300;

/// What follows.
enum Rest<'s, 'r> {
    /// Nothing.
    End,
    /// These statements, then the rest.
    Stmts(&'s [Stmt], &'r Rest<'s, 'r>),
    /// The other rounds of a loop, from this one, then the rest.
    Rounds(For<'s>, &'r [Element], &'r Rest<'s, 'r>),
}

impl<'s> Compiler<'s, '_> {
    /// A whole body, to its ends.
    pub(super) fn whole(&mut self, body: &'s Block) -> Result<()> {
        self.way(body, &Rest::End, 0)
    }

    fn way(&mut self, mut stmts: &'s [Stmt], rest: &Rest<'s, '_>, long: u32) -> Result<()> {
        while let Some((first, tail)) = stmts.split_first() {
            if forks(first) {
                return self.fork(first, &Rest::Stmts(tail, rest), long + 1);
            }
            self.stmt(first)?;
            stmts = tail;
        }
        self.follow(rest, long + 1)
    }

    fn follow(&mut self, rest: &Rest<'s, '_>, long: u32) -> Result<()> {
        if long > LONGEST_WAY {
            return Err(Trouble::GivesUp);
        }
        match rest {
            Rest::End => {
                self.op(Op::Emit)?;
                let fail = self.fail;
                self.op(Op::Jump(fail))
            }
            Rest::Stmts(stmts, rest) => self.way(stmts, rest, long),
            Rest::Rounds(stmt, elements, rest) => {
                self.promises(stmt.of_loop())?;
                let Some((element, others)) = elements.split_first() else {
                    return self.follow(rest, long + 1);
                };
                let others = Rest::Rounds(*stmt, others, rest);
                let next = self.label();
                let locals = self.locals.clone();
                self.begin_round(stmt, element, next)?;
                self.way(stmt.body, &others, long + 1)?;
                self.bind(next);
                if element.guard.is_some() || stmt.filter.is_some() {
                    self.locals = locals;
                    self.follow(&others, long + 1)?;
                }
                Ok(())
            }
        }
    }

    fn fork(&mut self, stmt: &'s Stmt, rest: &Rest<'s, '_>, long: u32) -> Result<()> {
        if long > LONGEST_WAY {
            return Err(Trouble::GivesUp);
        }
        self.mark(stmt)?;
        match &stmt.kind {
            StmtKind::LetChoice(choice) => self.choose(choice, None, rest, long),
            StmtKind::AssignChoice(place, choice) => self.choose(choice, Some(place), rest, long),
            StmtKind::Maybe(yes, no) => self.maybe(yes, no, rest, long),
            StmtKind::If(condition, yes, no) => {
                let otherwise = self.label();
                self.branch(condition, false, otherwise)?;
                let locals = self.locals.clone();
                self.way(yes, rest, long)?;
                self.bind(otherwise);
                self.locals = locals;
                self.way(no, rest, long)
            }
            StmtKind::Match(scrutinee, arms) => self.match_fork(scrutinee, arms, rest, long),
            StmtKind::For {
                local,
                domain,
                filter,
                clauses,
                body,
            } => {
                let stmt = For {
                    local: *local,
                    domain,
                    filter: filter.as_ref(),
                    clauses,
                    body,
                };
                if stmt.goes_past() {
                    return Err(Trouble::GivesUp);
                }
                let elements = self.loop_elements(domain)?;
                self.follow(&Rest::Rounds(stmt, &elements, rest), long)
            }
            StmtKind::Break => match innermost(rest) {
                Rest::Rounds(_, _, after) => self.follow(after, long),
                _ => Err(Trouble::GivesUp),
            },
            StmtKind::Continue => self.follow(innermost(rest), long),
            _ => Err(Trouble::GivesUp),
        }
    }

    fn match_fork(
        &mut self,
        scrutinee: &'s Expr,
        arms: &'s [(Pattern, Block)],
        rest: &Rest<'s, '_>,
        long: u32,
    ) -> Result<()> {
        let value = self.expr(scrutinee)?;
        let value = self.settled(value)?;
        let shape = self.shape(&scrutinee.ty);
        let locals = self.locals.clone();
        for (pattern, body) in arms {
            let next = self.label();
            self.statement_pattern(pattern, &shape, &value, next)?;
            self.way(body, rest, long)?;
            self.bind(next);
            self.locals.clone_from(&locals);
        }
        let bail = self.bail;
        self.op(Op::Jump(bail))
    }

    fn maybe(
        &mut self,
        yes: &'s Block,
        no: &'s Block,
        rest: &Rest<'s, '_>,
        long: u32,
    ) -> Result<()> {
        let outer = self.enter_choice()?;
        let saved = self.save()?;
        let second = self.label();
        self.fail = second;
        let locals = self.locals.clone();
        self.way(yes, rest, long)?;
        self.bind(second);
        self.locals = locals;
        self.restore(&saved)?;
        self.leave_choice(outer);
        self.way(no, rest, long)
    }

    fn choose(
        &mut self,
        choice: &'s Choice,
        place: Option<&'s Place>,
        rest: &Rest<'s, '_>,
        long: u32,
    ) -> Result<()> {
        let elements = self.candidates(choice)?;
        let outer = self.enter_choice()?;
        let saved = self.save()?;
        let locals = self.locals.clone();
        for (at, element) in elements.iter().enumerate() {
            let next = self.label();
            self.fail = next;
            if at > 0 {
                self.locals.clone_from(&locals);
                self.restore(&saved)?;
            }
            if let Some(guard) = element.guard {
                self.jump_if_truth(guard, false, next)?;
            }
            let known = element.leaves.clone();
            self.locals[choice.local.index()] = Some(known.clone());
            if let Some(filter) = &choice.filter {
                self.branch(filter, false, next)?;
            }
            if let Some(place) = place {
                self.assign(place, known)?;
            } else {
                let leaves = self.bound(choice.local, known)?;
                self.locals[choice.local.index()] = Some(leaves);
            }
            self.follow(rest, long)?;
            self.bind(next);
        }
        self.leave_choice(outer);
        let fail = self.fail;
        self.op(Op::Jump(fail))
    }

    /// What can be chosen, before the filter.
    fn candidates(&mut self, choice: &'s Choice) -> Result<Vec<Element>> {
        match &choice.domain {
            Domain::Type(ty) => {
                let instance = &self.coding.instance;
                if !is_finite(instance.song(), ty) && (choice.filter.is_some() || self.assumes) {
                    // When no value of the window passes, the interpreter notices.
                    return Err(Trouble::GivesUp);
                }
                let values = instance.choosable(ty);
                let values = values.map_err(|_| Trouble::GivesUp)?;
                self.unguarded(ty, &values)
            }
            Domain::In(collection) => {
                let shape = self.shape(&collection.ty);
                let ty = collection.ty.element().ok_or(Trouble::GivesUp)?;
                let leaves = self.expr(collection)?;
                if let Some(known) = self.known(&shape, &leaves) {
                    let mut values = known.elements().to_vec();
                    values.sort_unstable();
                    values.dedup();
                    return self.unguarded(ty, &values);
                }
                match &shape.kind {
                    crate::shape::Kind::Bag(listed) => {
                        let counts = self.settled(leaves)?;
                        let mut elements = self.unguarded(ty, &listed.values)?;
                        for (element, count) in elements.iter_mut().zip(counts) {
                            element.guard = Some(count);
                        }
                        Ok(elements)
                    }
                    _ => self.loop_elements(&choice.domain),
                }
            }
        }
    }

    fn enter_choice(&mut self) -> Result<u32> {
        self.choices += 1;
        if self.choices > MOST_CALLS {
            return Err(Trouble::GivesUp);
        }
        Ok(self.fail)
    }

    fn leave_choice(&mut self, outer: u32) {
        self.choices -= 1;
        self.fail = outer;
    }

    /// Copies of the state, of what is owed, and of the locals that may be assigned.
    fn save(&mut self) -> Result<Vec<(u32, u32)>> {
        let words = 0..self.coding.layout.words() as u32 + 1;
        let mut saved = Vec::new();
        for register in words.chain(self.mutable.clone()) {
            let copy = self.register();
            self.op(Op::Move(copy, Arg::Reg(register)))?;
            saved.push((register, copy));
        }
        Ok(saved)
    }

    fn restore(&mut self, saved: &[(u32, u32)]) -> Result<()> {
        for (register, copy) in saved {
            self.op(Op::Move(*register, Arg::Reg(*copy)))?;
        }
        Ok(())
    }
}

/// The loop around.
fn innermost<'r, 's>(mut rest: &'r Rest<'s, 'r>) -> &'r Rest<'s, 'r> {
    while let Rest::Stmts(_, outer) = rest {
        rest = outer;
    }
    rest
}

/// Does a statement choose, or leave a loop around it?
fn forks(stmt: &Stmt) -> bool {
    let mut finds = Finds {
        found: false,
        loops: 0,
    };
    finds.stmt(stmt);
    finds.found
}

struct Finds {
    found: bool,
    loops: u32,
}

impl Visit for Finds {
    fn stmt(&mut self, stmt: &Stmt) {
        match &stmt.kind {
            StmtKind::LetChoice(_) | StmtKind::AssignChoice(..) | StmtKind::Maybe(..) => {
                self.found = true;
            }
            StmtKind::Break | StmtKind::Continue => self.found |= self.loops == 0,
            StmtKind::For { .. } | StmtKind::While(..) => {
                self.loops += 1;
                walk::stmt(self, stmt);
                self.loops -= 1;
            }
            _ => walk::stmt(self, stmt),
        }
    }

    fn expr(&mut self, _: &Expr) {}
}
