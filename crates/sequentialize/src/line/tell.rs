//! Events as statements.

use super::Teller;
use super::branches::{arms, different_members};
use crate::derivation_log::{At, Event};
use crate::process_code::{BlockId, OpKind, Over, Rounds, Var, received};
use crate::value::Comp;
use plainsong_diagnostics::Span;
use plainsong_ir::build::{expr, stmt};
use plainsong_ir::{
    Accept, Binding, Block, Choice, Domain, Expr, ExprKind, FamilyId, LocalId, LoopClauses, Place,
    Quantifier, Root, Source, Stmt, StmtKind, Ty,
};
use std::collections::{BTreeMap, BTreeSet};

pub(super) type Told<T> = Result<T, String>;

impl Teller<'_, '_> {
    /// Stories that begin alike, as statements; where they differ there is a branch.
    pub(super) fn stories(&mut self, stories: Vec<Vec<&Event>>) -> Told<Block> {
        let mut block = Block::new();
        let mut at = 0;
        loop {
            let heads: Vec<Option<&Event>> =
                stories.iter().map(|story| story.get(at).copied()).collect();
            if heads.iter().all(Option::is_none) {
                return Ok(block);
            }
            let heads: Option<Vec<&Event>> = heads.into_iter().collect();
            let heads = heads.ok_or("branches of the line end in different places")?;
            if let Some(arms) = arms(&heads)? {
                let rest: Vec<&[&Event]> = stories.iter().map(|story| &story[at + 1..]).collect();
                let taken: BTreeSet<usize> = arms.iter().copied().collect();
                if taken.len() > 1 {
                    let Event::Took(place, _) = heads[0] else {
                        return Err("a branch without its place".to_owned());
                    };
                    let branch = self.branch(*place, &arms, &rest)?;
                    block.extend(branch);
                    return Ok(block);
                }
                if let Event::Took(place, arm) = heads[0] {
                    self.only_arm(*place, *arm, &mut block)?;
                }
            } else if let Some((place, chosen)) = different_members(&heads) {
                if self.all_new(&chosen) {
                    self.chose(place, chosen[0], &mut block)?;
                    self.call_alike(&chosen);
                    at += 1;
                    continue;
                }
                let rest: Vec<&[&Event]> = stories.iter().map(|story| &story[at + 1..]).collect();
                self.chosen_again(place, &chosen, &rest, &mut block)?;
                return Ok(block);
            } else {
                self.event(&heads, &mut block)?;
            }
            at += 1;
        }
    }

    /// Does a process use this name for a loop that communicates?
    pub(super) fn is_loop_name(&self, family: FamilyId, name: LocalId) -> bool {
        let ops = self.part(family).ops(BlockId::ENTRY);
        ops.into_iter()
            .any(|op| matches!(op.kind, OpKind::For { local, .. } if local == name))
    }

    fn event(&mut self, heads: &[&Event], block: &mut Block) -> Told<()> {
        match heads[0] {
            Event::Did(at) => self.everywhere(at.comp, block, |teller, comp, block| {
                teller.did(*at, comp, block)
            }),
            Event::Chose(at, member) => self.chose(*at, *member, block),
            Event::Serves(member) => {
                let sort = self.sort(member.family)?;
                let index_name = self.index_name(member.family);
                let name = self.name(&index_name, Ty::Sort(sort));
                self.members.insert(*member, name);
                block.push(stmt(StmtKind::LetChoice(Choice {
                    local: name,
                    domain: Domain::Type(Ty::Sort(sort)),
                    filter: None,
                })));
                Ok(())
            }
            Event::Sent(..) => self.sends(heads, block),
            Event::Forgot(at, vars) => self.everywhere(at.comp, block, |teller, comp, block| {
                for var in vars.iter() {
                    let kind = teller.any_value(comp, *var)?;
                    block.push(stmt(kind));
                }
                for claim in teller.claims(*at, comp)? {
                    block.push(stmt(StmtKind::Assume(claim)));
                }
                Ok(())
            }),
            Event::Claimed(at) => self.everywhere(at.comp, block, |teller, comp, block| {
                let (_, span) = teller.op(*at);
                for claim in teller.claims(*at, comp)? {
                    let kind = StmtKind::Assert(claim);
                    block.push(Stmt { kind, span });
                }
                teller.untold.remove(&span);
                Ok(())
            }),
            Event::Received {
                at,
                arm,
                sent,
                from,
                per_round,
            } => {
                let (arm, sent, from, per_round) = (*arm, *sent, *from, *per_round);
                self.everywhere(at.comp, block, |teller, comp, block| {
                    teller.received((*at, arm), comp, sent, from, per_round, block)
                })
            }
            Event::Took(..) => Err("a branch among other statements".to_owned()),
            Event::Each { .. } => self.each(heads, block),
            Event::Repeat { .. } => self.repeat(heads, block),
        }
    }

    /// A step of a whole family is a loop over its members.
    pub(super) fn everywhere(
        &mut self,
        comp: Comp,
        block: &mut Block,
        tell: impl FnOnce(&mut Self, Comp, &mut Block) -> Told<()>,
    ) -> Told<()> {
        if !comp.is_rest() {
            return tell(self, comp, block);
        }
        let sort = self.sort(comp.family)?;
        // Goes on with the loop before, if that is one over the same family.
        if let Some(Stmt {
            kind:
                StmtKind::For {
                    local,
                    domain,
                    body,
                    ..
                },
            ..
        }) = block.last_mut()
            && self.members.get(&comp) == Some(local)
            && *domain == members(sort)
        {
            let mut inner = std::mem::take(body);
            tell(self, comp, &mut inner)?;
            if let Some(Stmt {
                kind: StmtKind::For { body, .. },
                ..
            }) = block.last_mut()
            {
                *body = inner;
            }
            return Ok(());
        }
        let index_name = self.index_name(comp.family);
        let name = self.name(&index_name, Ty::Sort(sort));
        self.members.insert(comp, name);
        let mut inner = Block::new();
        tell(self, comp, &mut inner)?;
        push_loop(
            block,
            name,
            members(sort),
            inner,
            LoopClauses::default(),
            Span::default(),
        );
        Ok(())
    }

    fn did(&mut self, at: At, comp: Comp, block: &mut Block) -> Told<()> {
        let none = BTreeMap::new();
        let (kind, span) = self.op(at);
        let kind = match kind {
            OpKind::Set(var, value) => {
                let value = self.located(comp, value, &none)?;
                let place = self.place(comp, *var)?;
                StmtKind::Assign(place, value)
            }
            OpKind::SetPart(var, place, value) => {
                let value = self.located(comp, value, &none)?;
                self.changed(comp.family, *var);
                StmtKind::Assign(self.located_place(comp, place)?, value)
            }
            OpKind::Choose(var, choice) => {
                let place = self.place(comp, *var)?;
                let choice = self.choice(comp, choice, *var)?;
                StmtKind::AssignChoice(place, choice)
            }
            OpKind::ChoosePart(var, place, choice) => {
                let choice = self.choice(comp, choice, *var)?;
                self.changed(comp.family, *var);
                StmtKind::AssignChoice(self.located_place(comp, place)?, choice)
            }
            OpKind::Opaque(stmt, vars) => {
                vars.iter().for_each(|var| self.changed(comp.family, *var));
                self.located_stmt(comp, stmt)?.kind
            }
            OpKind::Assert(condition) => StmtKind::Assert(self.located(comp, condition, &none)?),
            OpKind::Assume(condition) => StmtKind::Assume(self.located(comp, condition, &none)?),
            _ => return Err("a statement that the line does not have".to_owned()),
        };
        block.push(Stmt { kind, span });
        Ok(())
    }

    pub(super) fn place(&mut self, comp: Comp, var: Var) -> Told<Place> {
        self.changed(comp.family, var);
        Ok(place(self.whole(comp, var)?))
    }

    fn changed(&mut self, family: FamilyId, var: Var) {
        *self.versions.entry((family, var)).or_default() += 1;
    }

    pub(super) fn choice(&mut self, comp: Comp, choice: &Choice, var: Var) -> Told<Choice> {
        let ty = self.engine.locals(comp.family)[choice.local.index()]
            .ty
            .clone();
        let id = self.var(comp.family, var);
        let endpoint = self.endpoints[&comp.family];
        let root_name = self.song.families[endpoint.index()].vars[id.index()]
            .name
            .clone();
        let local = self.name(&root_name, ty);
        let named = BTreeMap::from([(choice.local, local)]);
        let domain = match &choice.domain {
            Domain::Type(ty) => Domain::Type(ty.clone()),
            Domain::In(set) => Domain::In(self.located(comp, set, &BTreeMap::new())?),
        };
        let filter = match &choice.filter {
            Some(filter) => Some(self.located(comp, filter, &named)?),
            None => None,
        };
        Ok(Choice {
            local,
            domain,
            filter,
        })
    }

    pub(super) fn chose(&mut self, at: At, member: Comp, block: &mut Block) -> Told<()> {
        let (OpKind::Choose(var, choice), span) = self.op(at) else {
            return Err("a member is chosen into a part".to_owned());
        };
        if self.members.contains_key(&member) {
            return Err("two choices may be the same member".to_owned());
        }
        let sort = self.sort(member.family)?;
        let index_name = self.index_name(member.family);
        let name = self.name(&index_name, Ty::Sort(sort));
        let named = BTreeMap::from([(choice.local, name)]);
        let filter = match &choice.filter {
            Some(filter) => Some(self.located(at.comp, filter, &named)?),
            None => None,
        };
        block.push(stmt(StmtKind::LetChoice(Choice {
            local: name,
            domain: Domain::Type(Ty::Sort(sort)),
            filter,
        })));
        self.members.insert(member, name);
        let place = self.place(at.comp, *var)?;
        let value = expr(ExprKind::Local(name), Ty::Sort(sort));
        block.push(Stmt {
            kind: StmtKind::Assign(place, value),
            span,
        });
        Ok(())
    }

    fn received(
        &mut self,
        (at, arm): (At, usize),
        comp: Comp,
        number: u32,
        from: Comp,
        per_round: bool,
        block: &mut Block,
    ) -> Told<()> {
        let (kind, span) = self.op(at);
        let accepts = kind.accepts();
        let accept = *accepts.get(arm).ok_or("a receive without its statement")?;
        if per_round && self.takes_from_bag(accept, comp, from, block, span)? {
            return self.sender(accept, comp, from, per_round, block, span);
        }
        for (field, slot) in accept.slots.iter().enumerate() {
            let Some(local) = slot else { continue };
            let var = Var::Local(*local);
            let kind = if per_round {
                self.any_value(comp, var)?
            } else {
                let value = self.sent_value(number, field, comp, from, accept.message)?;
                StmtKind::Assign(self.place(comp, var)?, value)
            };
            block.push(Stmt { kind, span });
        }
        self.sender(accept, comp, from, per_round, block, span)
    }

    /// Any value of the variable's type.
    pub(super) fn any_value(&mut self, comp: Comp, var: Var) -> Told<StmtKind> {
        let ty = self.engine.ty(comp, var).clone();
        if !plainsong_ir::finite::is_enumerable(self.engine.score.song, &ty) {
            return Err("a message per round has a value that cannot be chosen".to_owned());
        }
        self.exact = false;
        let place = self.place(comp, var)?;
        let id = self.var(comp.family, var);
        let endpoint = self.endpoints[&comp.family];
        let name = self.song.families[endpoint.index()].vars[id.index()]
            .name
            .clone();
        let local = self.name(&name, ty.clone());
        Ok(StmtKind::AssignChoice(
            place,
            Choice {
                local,
                domain: Domain::Type(ty),
                filter: None,
            },
        ))
    }

    /// The names that a receive gives to its sender.
    fn sender(
        &mut self,
        accept: &Accept,
        comp: Comp,
        from: Comp,
        per_round: bool,
        block: &mut Block,
        span: Span,
    ) -> Told<()> {
        let (index, who) = match &accept.source {
            Source::Anyone(who) => (None, *who),
            Source::Family(_, index, who) => (index.first().copied(), *who),
            Source::Process(_) => return Ok(()),
        };
        if per_round && from.is_rest() && (index.is_some() || who.is_some()) {
            debug_assert!(!received(accept).is_empty());
            return Err("a message per round has an unknown sender".to_owned());
        }
        if let Some(local) = index {
            let value = self
                .index(from)?
                .into_iter()
                .next()
                .ok_or("a single process has no index")?;
            let place = self.place(comp, Var::Local(local))?;
            block.push(Stmt {
                kind: StmtKind::Assign(place, value),
                span,
            });
        }
        if let Some(local) = who {
            let value = expr(ExprKind::Pid(from.family, self.index(from)?), Ty::Process);
            let place = self.place(comp, Var::Local(local))?;
            block.push(Stmt {
                kind: StmtKind::Assign(place, value),
                span,
            });
        }
        Ok(())
    }

    fn each(&mut self, heads: &[&Event], block: &mut Block) -> Told<()> {
        let Event::Each {
            at, family, rounds, ..
        } = heads[0]
        else {
            return Err("loops that differ".to_owned());
        };
        let sort = self.sort(*family)?;
        let mut named = self.index_name(*family);
        let mut own = None;
        if !*rounds && let (OpKind::For { local, over, body }, _) = self.op(*at) {
            let gathers = self.engine.receives_from(at.comp, *body, *family);
            let is_one = |head: &&Event| matches!(head, Event::Each { member, second, .. } if member == second);
            let by_name = self.engine.addresses(at.comp, *body, *local) && heads.iter().all(is_one);
            if matches!(over, Over::Members(_)) && (!gathers || by_name) {
                named.clone_from(&self.engine.locals(at.comp.family)[local.index()].name);
                own = Some((at.comp.family, *local));
            }
        }
        let name = self.name(&named, Ty::Sort(sort));
        let mut leaves = Vec::new();
        for head in heads {
            let Event::Each {
                member,
                leaves: more,
                ..
            } = head
            else {
                return Err("loops that differ".to_owned());
            };
            // Of two members it is the one who sends; what the other is told must not need its name.
            self.members.insert(*member, name);
            leaves.extend(more.iter());
        }
        if let Some(own) = own {
            self.loops.insert(own, name);
        }
        let stories = leaves
            .into_iter()
            .map(crate::derivation_log::Story::events)
            .collect();
        let before = self.versions.clone();
        let body = self.stories(stories)?;
        self.overwritten(&before, Some(*family));
        if let Some(own) = own {
            self.loops.remove(&own);
        } else {
            self.loose.insert(name);
        }
        let hints = match *rounds {
            true => Vec::new(),
            false => vec![*at],
        };
        let (clauses, span) = self.hints(&hints)?;
        push_loop(block, name, members(sort), body, clauses, span);
        Ok(())
    }

    /// What a daemon claims of the head of its loop.
    fn claims(&mut self, at: At, comp: Comp) -> Told<Vec<Expr>> {
        let (_, span) = self.op(at);
        let claims = self.engine.score.hints.get(&span).copied();
        let claims = claims.into_iter().flatten();
        claims
            .map(|claim| self.located(comp, claim, &BTreeMap::new()))
            .collect()
    }

    /// What a process claims; if it is a whole family that does, each of its members does.
    fn claimed(&mut self, comp: Comp, claim: &Expr) -> Told<Expr> {
        if !comp.is_rest() || self.members.contains_key(&comp) {
            return self.located(comp, claim, &BTreeMap::new());
        }
        let ty = Ty::Sort(self.sort(comp.family)?);
        let index = self.index_name(comp.family);
        let name = self.name(&index, ty.clone());
        self.members.insert(comp, name);
        let claim = self.located(comp, claim, &BTreeMap::new());
        self.members.remove(&comp);
        let each = Binding {
            names: vec![name],
            domain: Domain::Type(ty),
            filter: None,
        };
        let kind = ExprKind::Quantifier(Quantifier::Forall, vec![each], Box::new(claim?));
        Ok(expr(kind, Ty::Bool))
    }

    /// What loops of processes claim of every round, and where.
    fn hints(&mut self, loops: &[At]) -> Told<(LoopClauses, Span)> {
        let mut clauses = LoopClauses::default();
        let mut place = Span::default();
        for at in loops {
            let (_, span) = self.op(*at);
            let Some(hints) = self.engine.score.hints.get(&span).copied() else {
                continue;
            };
            place = span;
            for hint in hints {
                let hint = self.claimed(at.comp, hint)?;
                clauses.invariants.push(hint);
            }
            self.untold.remove(&span);
        }
        Ok((clauses, place))
    }

    fn repeat(&mut self, heads: &[&Event], block: &mut Block) -> Told<()> {
        let Event::Repeat {
            at, partner, over, ..
        } = heads[0]
        else {
            return Err("loops that differ".to_owned());
        };
        let domain = match over {
            Over::Rounds(Rounds::Sort(sort)) => members(*sort),
            Over::Rounds(Rounds::Range(range)) => {
                Domain::In(self.engine.score.ranges[*range as usize].clone())
            }
            Over::Members(family) => members(self.sort(*family)?),
            Over::SizeOf(_) => return Err("a loop with as many rounds as members".to_owned()),
        };
        let (OpKind::For { local, .. }, _) = self.op(*at) else {
            return Err("a loop without its statement".to_owned());
        };
        let row = &self.engine.locals(at.comp.family)[local.index()];
        let name = self.name(&row.name, row.ty.clone());
        let mut own = vec![(at.comp.family, *local)];
        if let Some(partner) = partner
            && let (OpKind::For { local, .. }, _) = self.op(*partner)
        {
            own.push((partner.comp.family, *local));
        }
        for key in &own {
            self.loops.insert(*key, name);
        }
        let mut leaves = Vec::new();
        for head in heads {
            let Event::Repeat { leaves: more, .. } = head else {
                return Err("loops that differ".to_owned());
            };
            leaves.extend(more.iter());
        }
        let stories = leaves
            .into_iter()
            .map(crate::derivation_log::Story::events)
            .collect();
        let before = self.versions.clone();
        let body = self.stories(stories)?;
        self.overwritten(&before, None);
        let loops: Vec<At> = [*at].into_iter().chain(*partner).collect();
        let in_order = matches!(over, Over::Rounds(Rounds::Range(_)));
        let hints = match in_order {
            // At the head of a loop over a range, its name is the number of the round.
            true => Some(self.hints(&loops)?),
            false => None,
        };
        for key in &own {
            self.loops.remove(key);
        }
        let (clauses, span) = match hints {
            Some(hints) => hints,
            None => self.hints(&loops)?,
        };
        push_loop(block, name, domain, body, clauses, span);
        Ok(())
    }
}

pub(super) fn members(sort: plainsong_ir::SortId) -> Domain {
    let ty = Ty::Sort(sort);
    Domain::In(expr(ExprKind::All(ty.clone()), Ty::Set(Box::new(ty))))
}

fn place(root: Root) -> Place {
    Place {
        root,
        path: Vec::new(),
        span: Span::default(),
    }
}

fn push_loop(
    block: &mut Block,
    local: LocalId,
    domain: Domain,
    body: Block,
    clauses: LoopClauses,
    span: Span,
) {
    if body.is_empty() && clauses.invariants.is_empty() {
        return;
    }
    block.push(Stmt {
        kind: StmtKind::For {
            local,
            domain,
            filter: None,
            clauses,
            body,
        },
        span,
    });
}
