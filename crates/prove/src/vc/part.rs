//! Calls of choreographies: what was shown of the one that is called is relied on.
//!
//! Statement. Behind a call, what its text writes may have any value of which its `ensures` holds, if those who
//! play are different endpoints and its `requires` holds when it begins; everything else is what it was.
//!
//! Why sound. [`plainsong_ir::sub_choreography`] says why; the proof of the one that is called is part of every proof that
//! calls it ([`super::support`]), with the agreement of those who decide in it. What is written is found in its
//! text as if everybody played itself: an endpoint that is played by a member of a family writes nothing of
//! other members. What a member has afterwards is chosen there, so in a loop over members it is a function of the
//! member ([`super::family`]). Within bounds there are no contracts: the text is followed.

use super::{Flow, States, SymbolicState, VcWalk};
use crate::obligation::Rule;
use crate::rounds::{Variable, Written};
use crate::symbolic_execution::SymbolicExecution;
use crate::term::Term;
use crate::theory::Result;
use plainsong_ir::sub_choreography::played_var;
use plainsong_ir::{FamilyId, Part, Player, VarId};
use std::rc::Rc;

impl VcWalk<'_> {
    /// The states behind a call.
    pub(super) fn part(&mut self, state: SymbolicState, part: &Part) -> Result<States> {
        let mut after = Vec::new();
        for (flow, mut state) in self.block(state, &part.start)? {
            let name = self.theory.song.lines[part.line].name.clone();
            let sentence = format!("`{name}` wants this, and it may be false");
            for condition in &part.requires {
                self.check(&mut state, condition, Rule::Assert, &sentence)?;
            }
            match self.theory.bounded {
                Some(_) => after.extend(self.block(state, &part.body)?),
                None => {
                    self.done(&mut state, part)?;
                    after.push((flow, state));
                }
            }
        }
        self.used.insert(part.line);
        debug_assert!(after.iter().all(|(flow, _)| *flow == Flow::Next));
        Ok(after)
    }

    /// Forgets what the one that is called writes, and relies on what it promises.
    fn done(&mut self, state: &mut SymbolicState, part: &Part) -> Result<()> {
        let song = self.theory.song.clone();
        let line = &song.lines[part.line];
        let before = Rc::new(state.env.store.clone());
        for variable in Written::of(&line.code.body).variables {
            let Variable::Of(family, var) = variable else {
                continue;
            };
            if let Some(role) = line.endpoints.iter().position(|one| *one == family) {
                self.forget_played(state, &part.cast[role], (family, var))?;
            }
        }
        let outside = state.env.old.replace(before);
        for promise in &part.ensures {
            self.rely(state, promise)?;
        }
        state.env.old = outside;
        Ok(())
    }

    /// Makes a variable of who plays arbitrary.
    fn forget_played(
        &mut self,
        state: &mut SymbolicState,
        player: &Player,
        (family, var): (FamilyId, VarId),
    ) -> Result<()> {
        let song = self.theory.song.clone();
        let decl = &song.families[player.family.index()];
        let played = &song.families[family.index()].vars[var.index()];
        let there = played_var(played, decl).expect("who plays has the variables of what it plays");
        let variable = Variable::Of(player.family, there);
        if player.member.is_empty() {
            // Not what one member has: a loop around this has to be cut.
            self.cuts += 1;
            return self.forget(state, variable);
        }
        let Some(whole) = state.env.store.value(variable) else {
            return Ok(());
        };
        let member = player.member.iter();
        let member = member.map(|at| self.read(state, at));
        let member: Vec<Term> = member.collect::<Result<_>>()?;
        let name = format!("{}.{}", decl.name, played.name);
        let (value, valid) = self.theory.arbitrary(&name, &played.ty, played.span)?;
        state.hypotheses.push(valid);
        self.chosen.push(value);
        let whole = self.with_member(whole, &member, value);
        state.env.store.set(variable, whole);
        Ok(())
    }

    /// The variable of a family, with another value at one member.
    fn with_member(&mut self, whole: Term, member: &[Term], value: Term) -> Term {
        let Some((first, rest)) = member.split_first() else {
            return value;
        };
        let inner = self.theory.terms.select(whole, *first);
        let inner = self.with_member(inner, rest, value);
        self.theory.terms.store(whole, *first, inner)
    }
}
