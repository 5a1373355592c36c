//! Branches: stories that go different ways are told one after the other, and what they choose differently has one name.

use super::Teller;
use super::tell::Told;
use crate::derivation_log::{At, Event};
use crate::process_code::{OpKind, Var};
use crate::value::Comp;
use plainsong_diagnostics::Span;
use plainsong_ir::build::{expr, stmt};
use plainsong_ir::visit::any_expr;
use plainsong_ir::{BinOp, Block, Expr, ExprKind, FamilyId, LocalId, Root, Stmt, StmtKind, Ty};
use std::collections::{BTreeMap, BTreeSet};

impl Teller<'_, '_> {
    /// `if` or `match`, with the rest of the stories in its branches.
    pub(super) fn branch(&mut self, at: At, arms: &[usize], rest: &[&[&Event]]) -> Told<Block> {
        let none = BTreeMap::new();
        let (kind, span) = self.op(at);
        let saved = (self.sent.clone(), self.versions.clone());
        let (mut changed, mut sent) = (self.versions.clone(), BTreeMap::new());
        let mut arm = |teller: &mut Self, number: usize| -> Told<Block> {
            let mine = arms.iter().zip(rest).filter(|(arm, _)| **arm == number);
            let mine: Vec<Vec<&Event>> = mine.map(|(_, story)| story.to_vec()).collect();
            if mine.is_empty() {
                return Ok(Block::new());
            }
            (teller.sent, teller.versions) = saved.clone();
            let told = teller.stories(mine)?;
            latest(&mut changed, &teller.versions);
            sent.append(&mut teller.sent);
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
        self.versions = changed;
        self.sent_behind(saved.0, sent);
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
        crate::process_code::binds(pattern, &mut bound);
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
    pub(super) fn only_arm(&mut self, at: At, arm: usize, block: &mut Block) -> Told<()> {
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
    pub(super) fn all_new(&self, chosen: &[Comp]) -> bool {
        let mut chosen = chosen.iter();
        chosen.all(|member| !self.members.contains_key(member))
    }

    /// Members that are not known get the name of one that is.
    pub(super) fn call_alike(&mut self, chosen: &[Comp]) {
        let mut known = chosen.iter();
        let name = known.find_map(|member| self.members.get(member).copied());
        if let Some(name) = name {
            for member in chosen {
                self.members.entry(*member).or_insert(name);
            }
        }
    }

    /// A member is chosen that may be one that is known already: `let y = choose W; if y == x …`.
    pub(super) fn chosen_again(
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
        let (mut changed, mut sent) = (self.versions.clone(), BTreeMap::new());
        let mut told = |teller: &mut Self, member: Comp| -> Told<Block> {
            let mine = chosen.iter().zip(rest).filter(|(one, _)| **one == member);
            let mine: Vec<Vec<&Event>> = mine.map(|(_, story)| story.to_vec()).collect();
            (teller.sent, teller.versions) = saved.clone();
            let told = teller.stories(mine)?;
            latest(&mut changed, &teller.versions);
            sent.append(&mut teller.sent);
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
        self.versions = changed;
        self.sent_behind(saved.0, sent);
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
    let speaks = |expr: &Expr| matches!(&expr.kind, ExprKind::Of(of, _, which) if (of, which) == (family, var));
    (is_it && !any_expr(said, speaks)).then_some(said)
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
pub(super) fn arms(heads: &[&Event]) -> Told<Option<Vec<usize>>> {
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
pub(super) fn different_members(heads: &[&Event]) -> Option<(At, Vec<Comp>)> {
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
