//! Events as statements.

use super::{Teller, expr};
use crate::part::{BlockId, OpKind, Over, Rounds, Var, received};
use crate::story::{At, Event};
use crate::value::Comp;
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{
    Accept, BinOp, Block, Choice, Domain, Expr, ExprKind, FamilyId, LocalId, LoopClauses, Place,
    Root, Source, Stmt, StmtKind, Ty,
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

    fn choice(&mut self, comp: Comp, choice: &Choice, var: Var) -> Told<Choice> {
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

    fn chose(&mut self, at: At, member: Comp, block: &mut Block) -> Told<()> {
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
            .map(crate::story::Story::events)
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
                let hint = self.located(at.comp, hint, &BTreeMap::new())?;
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
            .map(crate::story::Story::events)
            .collect();
        let before = self.versions.clone();
        let body = self.stories(stories)?;
        self.overwritten(&before, None);
        for key in &own {
            self.loops.remove(key);
        }
        let loops: Vec<At> = [*at].into_iter().chain(*partner).collect();
        let (clauses, span) = self.hints(&loops)?;
        push_loop(block, name, domain, body, clauses, span);
        Ok(())
    }

    /// `if` or `match`, with the rest of the stories in its branches.
    fn branch(&mut self, at: At, arms: &[usize], rest: &[&[&Event]]) -> Told<Block> {
        let none = BTreeMap::new();
        let (kind, span) = self.op(at);
        let saved = (self.sent.clone(), self.versions.clone());
        let mut changed = self.versions.clone();
        let mut arm = |teller: &mut Self, number: usize| -> Told<Block> {
            let mine = arms.iter().zip(rest).filter(|(arm, _)| **arm == number);
            let mine: Vec<Vec<&Event>> = mine.map(|(_, story)| story.to_vec()).collect();
            if mine.is_empty() {
                return Ok(Block::new());
            }
            (teller.sent, teller.versions) = saved.clone();
            let told = teller.stories(mine)?;
            latest(&mut changed, &teller.versions);
            Ok(told)
        };
        let kind = match kind {
            OpKind::If(condition, ..) | OpKind::Unless(condition) => {
                let condition = self.located(at.comp, condition, &none)?;
                StmtKind::If(condition, arm(self, 0)?, arm(self, 1)?)
            }
            OpKind::Maybe(..) | OpKind::Send(..) => StmtKind::Maybe(arm(self, 0)?, arm(self, 1)?),
            OpKind::Select {
                arms: kinds,
                timeout: Some(_),
            } => {
                let taken: BTreeSet<usize> = arms.iter().copied().collect();
                let taken: Vec<usize> = taken.into_iter().collect();
                match taken[..] {
                    [kind, late] if late == kinds.len() => {
                        StmtKind::Maybe(arm(self, kind)?, arm(self, late)?)
                    }
                    _ => return Err("which of several kinds comes".to_owned()),
                }
            }
            OpKind::Match(value, patterns) => {
                let value = self.located(at.comp, value, &none)?;
                let mut rows = Vec::new();
                for (number, (pattern, _)) in patterns.iter().enumerate() {
                    if !arms.contains(&number) {
                        rows.push((wild(pattern), Block::new()));
                        continue;
                    }
                    let (pattern, mut block) = self.names_of_arm(at, pattern, span)?;
                    block.extend(arm(self, number)?);
                    rows.push((pattern, block));
                }
                StmtKind::Match(value, rows)
            }
            _ => return Err("a branch that the line does not have".to_owned()),
        };
        (self.sent, self.versions) = (saved.0, changed);
        Ok(vec![Stmt { kind, span }])
    }

    /// The pattern of an arm with names of the line, and the assignments of what it binds.
    fn names_of_arm(
        &mut self,
        at: At,
        pattern: &plainsong_ir::Pattern,
        span: Span,
    ) -> Told<(plainsong_ir::Pattern, Block)> {
        let mut bound = Vec::new();
        crate::part::binds(pattern, &mut bound);
        let mut names = BTreeMap::new();
        let mut block = Block::new();
        for var in bound {
            let Var::Local(local) = var else { continue };
            let row = &self.engine.locals(at.comp.family)[local.index()];
            let name = self.name(&row.name, row.ty.clone());
            names.insert(local, name);
            let place = self.place(at.comp, var)?;
            block.push(Stmt {
                kind: StmtKind::Assign(place, expr(ExprKind::Local(name), row.ty.clone())),
                span,
            });
        }
        Ok((rename(pattern, &|local| names.get(&local).copied()), block))
    }

    /// An arm that is always taken: only what it binds is told.
    fn only_arm(&mut self, at: At, arm: usize, block: &mut Block) -> Told<()> {
        let (kind, span) = self.op(at);
        let OpKind::Match(value, patterns) = kind else {
            if let OpKind::If(condition, ..) | OpKind::Unless(condition) = kind {
                self.untold.insert(condition.span);
            }
            return Ok(());
        };
        self.untold.insert(value.span);
        let Some((pattern, _)) = patterns.get(arm) else {
            return Ok(());
        };
        let value = self.located(at.comp, value, &BTreeMap::new())?;
        let mut said = Vec::new();
        if let Some(whole) = just_said(block, &value)
            && parts_of(whole, pattern, &mut said)
        {
            for (local, part) in said {
                let place = self.place(at.comp, Var::Local(local))?;
                block.push(Stmt {
                    kind: StmtKind::Assign(place, part),
                    span,
                });
            }
            return Ok(());
        }
        let (pattern, names) = self.names_of_arm(at, pattern, span)?;
        if names.is_empty() {
            return Ok(());
        }
        let mut rows = vec![(pattern, names)];
        if patterns.len() > 1 {
            rows.push((wildcard(), Block::new()));
        }
        block.push(Stmt {
            kind: StmtKind::Match(value, rows),
            span,
        });
        Ok(())
    }

    /// Is none of these known? Then stories only number the member that they choose differently.
    fn all_new(&self, chosen: &[Comp]) -> bool {
        let mut chosen = chosen.iter();
        chosen.all(|member| !self.members.contains_key(member))
    }

    /// Members that are not known get the name of one that is.
    fn call_alike(&mut self, chosen: &[Comp]) {
        let mut known = chosen.iter();
        let name = known.find_map(|member| self.members.get(member).copied());
        if let Some(name) = name {
            for member in chosen {
                self.members.entry(*member).or_insert(name);
            }
        }
    }

    /// A member is chosen that may be one that is known already: `let y = choose W; if y == x …`.
    fn chosen_again(
        &mut self,
        at: At,
        chosen: &[Comp],
        rest: &[&[&Event]],
        block: &mut Block,
    ) -> Told<()> {
        let new = chosen
            .iter()
            .copied()
            .find(|member| !self.members.contains_key(member))
            .ok_or("a choice among known members")?;
        self.chose(at, new, block)?;
        let saved = (self.sent.clone(), self.versions.clone());
        let mut known: Vec<Comp> = chosen.to_vec();
        known.sort_unstable();
        known.dedup();
        known.retain(|member| *member != new);
        let mut changed = self.versions.clone();
        let mut told = |teller: &mut Self, member: Comp| -> Told<Block> {
            let mine = chosen.iter().zip(rest).filter(|(one, _)| **one == member);
            let mine: Vec<Vec<&Event>> = mine.map(|(_, story)| story.to_vec()).collect();
            (teller.sent, teller.versions) = saved.clone();
            let told = teller.stories(mine)?;
            latest(&mut changed, &teller.versions);
            Ok(told)
        };
        let mut otherwise = told(self, new)?;
        for member in known.into_iter().rev() {
            let same = told(self, member)?;
            let (left, right) = (self.index(new)?, self.index(member)?);
            let pair = left.into_iter().zip(right).next();
            let (left, right) = pair.ok_or("a single process has no index")?;
            let equal = ExprKind::Binary(BinOp::Eq, Box::new(left), Box::new(right));
            let kind = StmtKind::If(expr(equal, Ty::Bool), same, otherwise);
            otherwise = vec![stmt(kind)];
        }
        (self.sent, self.versions) = (saved.0, changed);
        block.extend(otherwise);
        Ok(())
    }
}

/// What a variable was assigned by the statement before, if that can be said again: it does not speak of the variable.
fn just_said<'b>(block: &'b Block, value: &Expr) -> Option<&'b Expr> {
    let StmtKind::Assign(place, said) = &block.last()?.kind else {
        return None;
    };
    let (Root::Of(family, index, var), ExprKind::Of(of, at, which)) = (&place.root, &value.kind)
    else {
        return None;
    };
    let is_it = (family, index, var) == (of, at, which) && place.path.is_empty();
    let mut speaks = Speaks(*family, *var, false);
    speaks.expr(said);
    (is_it && !speaks.2).then_some(said)
}

/// Does an expression read a variable of an endpoint?
struct Speaks(FamilyId, plainsong_ir::VarId, bool);

impl Visit for Speaks {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Of(family, _, var) = &expr.kind {
            self.2 |= (*family, *var) == (self.0, self.1);
        }
        walk::expr(self, expr);
    }
}

/// The parts of an expression that a pattern names, if it shows them.
fn parts_of(
    value: &Expr,
    pattern: &plainsong_ir::Pattern,
    found: &mut Vec<(LocalId, Expr)>,
) -> bool {
    use plainsong_ir::PatternKind as P;
    let mut all = |parts: &[plainsong_ir::Pattern], values: &[Expr]| {
        parts.len() == values.len()
            && parts
                .iter()
                .zip(values)
                .all(|(part, value)| parts_of(value, part, found))
    };
    match (&pattern.kind, &value.kind) {
        (P::Wild, _) => true,
        (P::Bind(local), _) => {
            found.push((*local, value.clone()));
            true
        }
        (P::Variant(_, wanted, parts), ExprKind::Variant(_, tag, values)) => {
            wanted == tag && all(parts, values)
        }
        (P::Tuple(parts), ExprKind::Tuple(values)) => all(parts, values),
        (P::Some(part), ExprKind::Some(inner)) => {
            all(std::slice::from_ref(part), std::slice::from_ref(inner))
        }
        _ => false,
    }
}

/// After branches a variable is as often assigned as in any of them: a value that was sent before may be another
/// one in some of them. What a branch sends is not known behind it, because another one may have sent something else.
fn latest(all: &mut BTreeMap<(FamilyId, Var), u32>, one: &BTreeMap<(FamilyId, Var), u32>) {
    for (key, version) in one {
        let known = all.entry(*key).or_default();
        *known = (*known).max(*version);
    }
}

/// The arms that stories take at the same branch; nothing if they are not at one.
fn arms(heads: &[&Event]) -> Told<Option<Vec<usize>>> {
    let mut arms = Vec::new();
    let mut place = None;
    for head in heads {
        match head {
            Event::Took(at, arm) if place.is_none_or(|place| place == *at) => {
                place = Some(*at);
                arms.push(*arm);
            }
            _ if place.is_none() && arms.is_empty() => {}
            _ => return Err("branches of the line go different ways".to_owned()),
        }
    }
    if place.is_some() && arms.len() < heads.len() {
        return Err("branches of the line go different ways".to_owned());
    }
    let same = |head: &&Event| {
        std::mem::discriminant(*head) == std::mem::discriminant(heads[0])
            && head.at() == heads[0].at()
    };
    if place.is_none() && !heads.iter().all(same) {
        return Err("branches of the line go different ways".to_owned());
    }
    Ok(place.map(|_| arms))
}

/// The choice that all of these are, if they do not all choose the same member.
fn different_members(heads: &[&Event]) -> Option<(At, Vec<Comp>)> {
    let Event::Chose(at, first) = heads[0] else {
        return None;
    };
    let members: Option<Vec<Comp>> = heads
        .iter()
        .map(|head| match head {
            Event::Chose(_, member) => Some(*member),
            _ => None,
        })
        .collect();
    let members = members?;
    members
        .iter()
        .any(|member| member != first)
        .then_some((*at, members))
}

fn wild(pattern: &plainsong_ir::Pattern) -> plainsong_ir::Pattern {
    rename(pattern, &|_| None)
}

fn wildcard() -> plainsong_ir::Pattern {
    plainsong_ir::Pattern {
        kind: plainsong_ir::PatternKind::Wild,
        span: Span::default(),
    }
}

fn rename(
    pattern: &plainsong_ir::Pattern,
    name: &dyn Fn(LocalId) -> Option<LocalId>,
) -> plainsong_ir::Pattern {
    use plainsong_ir::PatternKind as P;
    let all =
        |parts: &[plainsong_ir::Pattern]| parts.iter().map(|part| rename(part, name)).collect();
    let kind = match &pattern.kind {
        P::Bind(local) => name(*local).map_or(P::Wild, P::Bind),
        P::Some(inner) => P::Some(Box::new(rename(inner, name))),
        P::Tuple(parts) => P::Tuple(all(parts)),
        P::Variant(id, tag, parts) => P::Variant(*id, *tag, all(parts)),
        P::Struct(id, parts) => P::Struct(*id, all(parts)),
        P::Pid(family, parts) => P::Pid(*family, all(parts)),
        P::Wild | P::Bool(_) | P::Int(_) | P::None => pattern.kind.clone(),
    };
    plainsong_ir::Pattern {
        kind,
        span: pattern.span,
    }
}

fn members(sort: plainsong_ir::SortId) -> Domain {
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

fn stmt(kind: StmtKind) -> Stmt {
    Stmt {
        kind,
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
