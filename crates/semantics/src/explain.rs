//! Why a condition is false: the part that is, the witness of its quantifiers, and the values.
//!
//! `forall a, b: Db :: db[a].outcome == db[b].outcome` becomes
//! `a = Db#0, b = Db#1: db[0].outcome == db[1].outcome is false: db[0].outcome = some(true), db[1].outcome = none`.

use crate::eval::{Eval, Result, matches};
use crate::instance::Instance;
use crate::phrase::Phrase;
use crate::show::show;
use crate::value::Value;
use crate::world::World;
use plainsong_ir::visit::{Visit, free_locals, walk};
use plainsong_ir::{BinOp, Builtin, Expr, ExprKind, Local, LocalId, Quantifier, UnOp};

/// One sentence about a condition that is false.
pub(crate) fn why_false(
    instance: &Instance,
    world: &dyn World,
    condition: &Expr,
    locals: &[Local],
    slots: &[Value],
) -> String {
    let mut why = Why {
        instance,
        world,
        locals,
        slots: slots.to_vec(),
        witness: Vec::new(),
    };
    let culprit = why.culprit(condition, false).unwrap_or((condition, false));
    why.sentence(culprit)
}

struct Why<'a> {
    instance: &'a Instance,
    world: &'a dyn World,
    locals: &'a [Local],
    slots: Vec<Value>,
    witness: Vec<LocalId>,
}

impl Why<'_> {
    /// The smallest part of `expr` that is to blame for its being `truth`, and its own truth.
    fn culprit<'e>(&mut self, expr: &'e Expr, truth: bool) -> Result<(&'e Expr, bool)> {
        match (&expr.kind, truth) {
            (ExprKind::Unary(UnOp::Not, inner), _) if leads_on(inner, !truth) => {
                self.culprit(inner, !truth)
            }
            (ExprKind::Binary(BinOp::And, a, b), false) => {
                let first = if self.truth(a)? { b } else { a };
                self.culprit(first, false)
            }
            (ExprKind::Binary(BinOp::Implies, _, b), false) if leads_on(b, false) => {
                self.culprit(b, false)
            }
            (ExprKind::Quantifier(Quantifier::Forall, bindings, body), false)
            | (ExprKind::Quantifier(Quantifier::Exists, bindings, body), true) => {
                let mut eval = Eval::new(self.instance, self.world);
                eval.finds(truth, bindings, body, &mut self.slots)?;
                self.witness
                    .extend(bindings.iter().flat_map(|binding| &binding.names));
                self.culprit(body, truth)
            }
            (ExprKind::Let(local, value, body), _) => {
                self.slots[local.index()] = self.value(value)?;
                self.witness.push(*local);
                self.culprit(body, truth)
            }
            (ExprKind::If(condition, yes, no), _) => {
                let branch = if self.truth(condition)? { yes } else { no };
                self.culprit(branch, truth)
            }
            (ExprKind::Match(scrutinee, arms), _) => {
                let value = self.value(scrutinee)?;
                for (pattern, arm) in arms {
                    if matches(self.instance, pattern, &value, &mut self.slots) {
                        return self.culprit(arm, truth);
                    }
                }
                Ok((expr, truth))
            }
            _ => Ok((expr, truth)),
        }
    }

    fn sentence(&mut self, (culprit, truth): (&Expr, bool)) -> String {
        let mut phrase = Phrase::new(
            self.instance,
            self.locals,
            self.world
                .me()
                .and_then(|pid| pid.member().map(|row| self.instance.members()[row].family)),
        );
        // Names that it binds itself stand for many values, whatever they had last.
        for local in free_locals(culprit) {
            match self.slots.get(local.index()) {
                Some(value) if *value != Value::None => phrase.know(local, value),
                _ => {}
            }
        }
        let mut sentence = String::new();
        let witness: Vec<String> = self
            .witness
            .iter()
            .map(|local| self.named(*local))
            .collect();
        if !witness.is_empty() {
            sentence += &format!("{}: ", witness.join(", "));
        }
        sentence += &format!("{} is {truth}", phrase.expr(culprit));
        let values = self.values(culprit, &phrase);
        if !values.is_empty() {
            sentence += &format!(": {}", values.join(", "));
        }
        sentence
    }

    /// `a = Db#0`.
    fn named(&self, local: LocalId) -> String {
        let Local { name, ty, .. } = &self.locals[local.index()];
        format!(
            "{name} = {}",
            show(self.instance, &self.slots[local.index()], ty)
        )
    }

    /// The values that matter: of the two sides of a comparison, or of the variables in it.
    fn values(&mut self, culprit: &Expr, phrase: &Phrase<'_>) -> Vec<String> {
        let sides = match &culprit.kind {
            ExprKind::Binary(op, a, b) if is_comparison(*op) => Some((a, b)),
            _ => None,
        };
        if let Some((a, b)) = sides
            && !is_plain(a)
            && !is_plain(b)
        {
            return self.sides(a, b, phrase);
        }
        if is_plain(culprit) {
            return Vec::new();
        }
        let mut variables = Variables { found: Vec::new() };
        variables.expr(culprit);
        let mut values = Vec::new();
        for variable in variables.found {
            let witnessed =
                matches!(variable.kind, ExprKind::Local(l) if self.witness.contains(&l));
            if witnessed {
                continue;
            }
            if let Some(value) = self.shown(&variable) {
                let text = format!("{} = {value}", phrase.expr(&variable));
                if !values.contains(&text) {
                    values.push(text);
                }
            }
        }
        match sides {
            // Such as `count n in Node :: … == 1`: no variable that is read has just one value.
            Some((a, b)) if values.is_empty() => self.sides(a, b, phrase),
            _ => values,
        }
    }

    fn sides(&mut self, a: &Expr, b: &Expr, phrase: &Phrase<'_>) -> Vec<String> {
        let sides = [(a, "left side"), (b, "right side")].into_iter();
        sides
            .filter_map(|(side, which)| self.side(side, which, phrase))
            .collect()
    }

    /// `db[0].outcome = some(true)`; nothing where the text is the value. What is long, or has no end of
    /// its own (`count n in Node :: p`), is not said again.
    fn side(&mut self, side: &Expr, which: &str, phrase: &Phrase<'_>) -> Option<String> {
        const LONG: usize = 48;
        let (text, value) = (phrase.expr(side), self.shown(side)?);
        let is_open = text.contains(" :: ") || text.contains(" => ");
        let name = if is_open || text.len() > LONG {
            which
        } else {
            &text
        };
        (text != value).then(|| format!("{name} = {value}"))
    }

    fn shown(&mut self, expr: &Expr) -> Option<String> {
        let value = self.value(expr).ok()?;
        Some(show(self.instance, &value, &expr.ty))
    }

    fn value(&mut self, expr: &Expr) -> Result {
        Eval::new(self.instance, self.world).expr(expr, &mut self.slots)
    }

    fn truth(&mut self, expr: &Expr) -> Result<bool> {
        Ok(self.value(expr)?.truth())
    }
}

/// Does an expression of this truth have a part to blame or a witness?
fn leads_on(expr: &Expr, truth: bool) -> bool {
    match &expr.kind {
        ExprKind::Unary(UnOp::Not, inner) => leads_on(inner, !truth),
        ExprKind::Quantifier(Quantifier::Exists, ..) => truth,
        ExprKind::Quantifier(Quantifier::Forall, ..) => !truth,
        ExprKind::Binary(BinOp::And, ..) => !truth,
        ExprKind::Binary(BinOp::Implies, _, b) => !truth && leads_on(b, false),
        _ => false,
    }
}

fn is_comparison(op: BinOp) -> bool {
    matches!(
        op,
        BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge | BinOp::In
    )
}

/// A name or a literal: saying its value next to it would say nothing more.
fn is_plain(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Widen(inner) | ExprKind::Narrow(inner) => is_plain(inner),
        ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::None
        | ExprKind::Local(_)
        | ExprKind::Own(_)
        | ExprKind::Global(_)
        | ExprKind::Const(_) => true,
        _ => false,
    }
}

/// Collects the variables that an expression reads, outside of what it binds itself; of one that it looks into
/// (`log[3].term`), only that part.
struct Variables {
    found: Vec<Expr>,
}

impl Variables {
    /// Visits the indices of a path into a variable; says whether it is one.
    fn path(&mut self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Field(of, _) | ExprKind::Project(of, _) => self.path(of),
            ExprKind::Method(Builtin::Unwrap, of) => self.path(&of[0]),
            ExprKind::Index(of, at) => {
                let is_path = self.path(of);
                if is_path {
                    self.expr(at);
                }
                is_path
            }
            ExprKind::Local(_) | ExprKind::Own(_) | ExprKind::Global(_) | ExprKind::Of(..) => true,
            _ => false,
        }
    }
}

impl Visit for Variables {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Field(..)
            | ExprKind::Project(..)
            | ExprKind::Index(..)
            | ExprKind::Method(Builtin::Unwrap, _)
                if self.path(expr) =>
            {
                self.found.push(expr.clone());
            }
            ExprKind::Local(_)
            | ExprKind::Own(_)
            | ExprKind::Global(_)
            | ExprKind::Const(_)
            | ExprKind::Crashed(_)
            | ExprKind::Pending(_)
            | ExprKind::PendingOf(..)
            | ExprKind::Old(_)
            | ExprKind::Of(..) => self.found.push(expr.clone()),
            ExprKind::Quantifier(..)
            | ExprKind::Comprehension(..)
            | ExprKind::MapOf(..)
            | ExprKind::Let(..)
            | ExprKind::Match(..) => {}
            _ => walk::expr(self, expr),
        }
    }
}
