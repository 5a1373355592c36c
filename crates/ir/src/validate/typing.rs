//! The type that the parts of an expression give it.
//!
//! One level at a time: the parts are trusted to have the types they say, which is checked when
//! the walk comes to them.

use super::{methods, show};
use crate::finite::{is_finite, is_number, is_ordered, is_range_sort};
use crate::place::state_var_ty;
use crate::{
    ActionId, BinOp, Collection, Expr, ExprKind, FamilyId, Local, LocalId, PendingOf, Quantifier,
    Song, Ty, UnOp,
};

/// What is known where an expression stands.
#[derive(Clone, Copy)]
pub(super) struct Known<'a> {
    pub(super) song: &'a Song,
    pub(super) locals: &'a [Local],
    pub(super) family: Option<FamilyId>,
}

impl Known<'_> {
    /// The type of an expression, or what is wrong with it. Where the parts leave it open (`none`,
    /// `{}`, literals) it is the type the expression says, if that is possible.
    pub(super) fn type_of(&self, expr: &Expr) -> Result<Ty, String> {
        match &expr.kind {
            ExprKind::Bool(_) | ExprKind::Is(..) => Ok(Ty::Bool),
            ExprKind::Int(value) => integer(*value, &expr.ty),
            ExprKind::Local(local) => self.local(*local),
            ExprKind::Own(var) => {
                let ty = self
                    .family
                    .and_then(|family| state_var_ty(self.song, family, *var));
                ty.cloned()
                    .ok_or_else(|| "there is no such own variable".to_owned())
            }
            ExprKind::Of(family, index, var) => {
                self.index(*family, index)?;
                let ty = state_var_ty(self.song, *family, *var);
                ty.cloned()
                    .ok_or_else(|| "there is no such variable".to_owned())
            }
            ExprKind::Global(id) => {
                let actions = self.song.actions();
                let row = actions.and_then(|actions| actions.globals.get(id.index()));
                row.map(|row| row.ty.clone())
                    .ok_or_else(|| "there is no such global".to_owned())
            }
            ExprKind::Const(id) => {
                let row = self.song.consts.get(id.index());
                row.map(|row| row.ty.clone())
                    .ok_or_else(|| "there is no such constant".to_owned())
            }
            ExprKind::All(of) => self.all(of),
            ExprKind::Pid(family, index) => self.index(*family, index).map(|()| Ty::Process),
            ExprKind::SelfPid => Ok(Ty::Process),
            ExprKind::Unary(UnOp::Not, inner) => self.want(inner, &Ty::Bool).map(|()| Ty::Bool),
            ExprKind::Unary(UnOp::Neg, inner) => self.want(inner, &Ty::Int).map(|()| Ty::Int),
            ExprKind::Binary(op, a, b) => self.binary(*op, &a.ty, &b.ty),
            ExprKind::Range { start, end, .. } => {
                self.want(start, &Ty::Int)?;
                self.want(end, &Ty::Int)?;
                Ok(Ty::Set(Box::new(Ty::Int)))
            }
            ExprKind::If(condition, yes, no) => {
                self.want(condition, &Ty::Bool)?;
                self.want(no, &yes.ty)?;
                Ok(yes.ty.clone())
            }
            ExprKind::Match(_, arms) => {
                let (_, first) = arms.first().ok_or("a match has no arms")?;
                arms.iter()
                    .try_for_each(|(_, value)| self.want(value, &first.ty))?;
                Ok(first.ty.clone())
            }
            ExprKind::Let(local, value, body) => {
                self.want(value, &self.local(*local)?)?;
                Ok(body.ty.clone())
            }
            ExprKind::Tuple(parts) => tuple(parts),
            ExprKind::Project(tuple, at) => match &tuple.ty {
                Ty::Tuple(parts) => parts.get(*at).cloned(),
                _ => None,
            }
            .ok_or_else(|| "there is no such component".to_owned()),
            ExprKind::Struct(id, values) => {
                let fields = self.fields(&Ty::Struct(*id))?;
                self.all_of(values, &fields)?;
                Ok(Ty::Struct(*id))
            }
            ExprKind::Field(value, at) => {
                let fields = self.fields(&value.ty)?;
                fields
                    .get(*at)
                    .cloned()
                    .ok_or_else(|| "there is no such field".to_owned())
            }
            ExprKind::Update(base, changes) => self.update(base, changes),
            ExprKind::Variant(id, at, arguments) => {
                let decl = self.song.enums.get(id.index());
                let variant = decl.and_then(|decl| decl.variants.get(*at));
                self.all_of(
                    arguments,
                    &variant.ok_or("there is no such variant")?.fields,
                )?;
                Ok(Ty::Enum(*id))
            }
            ExprKind::None => match &expr.ty {
                Ty::Option(_) => Ok(expr.ty.clone()),
                _ => Err("none is an option".to_owned()),
            },
            ExprKind::Some(inner) => Ok(Ty::Option(Box::new(inner.ty.clone()))),
            ExprKind::Literal(elements) => {
                let element = expr.ty.element().ok_or("a literal is a collection")?;
                elements
                    .iter()
                    .try_for_each(|one| self.want(one, element))?;
                Ok(expr.ty.clone())
            }
            ExprKind::Comprehension(binding, body) => {
                if binding.names.len() != 1 {
                    return Err("a comprehension binds one name".to_owned());
                }
                match Collection::of(&expr.ty) {
                    Some(Collection::Set) => Ok(Ty::Set(Box::new(body.ty.clone()))),
                    Some(Collection::Seq) => Ok(Ty::Seq(Box::new(body.ty.clone()))),
                    _ => Err("a comprehension is a set or a sequence".to_owned()),
                }
            }
            ExprKind::MapOf(local, body) => {
                let key = self.local(*local)?;
                if !is_finite(self.song, &key) {
                    return Err(format!(
                        "the keys {} cannot be listed",
                        show(self.song, &key)
                    ));
                }
                Ok(Ty::Map(Box::new(key), Box::new(body.ty.clone())))
            }
            ExprKind::Index(value, key) => match &value.ty {
                Ty::Map(wanted, value) => self.want(key, wanted).map(|()| (**value).clone()),
                Ty::Seq(element) => self.want(key, &Ty::Int).map(|()| (**element).clone()),
                _ => Err("only maps and sequences are indexed".to_owned()),
            },
            ExprKind::Method(builtin, arguments) => {
                let types: Vec<Ty> = arguments.iter().map(|one| one.ty.clone()).collect();
                methods::result(self.song, *builtin, &types)
                    .ok_or_else(|| format!("{} does not take these arguments", builtin.name()))
            }
            ExprKind::Call(id, arguments) => {
                let function = self.song.functions.get(id.index());
                let function = function.ok_or("there is no such function")?;
                let wanted = function
                    .locals
                    .iter()
                    .take(function.arity)
                    .map(|row| row.ty.clone());
                self.all_of(arguments, &wanted.collect::<Vec<_>>())?;
                Ok(function.result.clone())
            }
            ExprKind::Quantifier(quantifier, bindings, body) => {
                if bindings.is_empty() {
                    return Err("a quantifier binds names".to_owned());
                }
                self.quantifier(*quantifier, body)
            }
            ExprKind::Old(inner) => Ok(inner.ty.clone()),
            ExprKind::Crashed(inner) if inner.ty == Ty::Process => Ok(Ty::Bool),
            ExprKind::Crashed(_) => Err("only a process crashes".to_owned()),
            ExprKind::Pending(what) => self.pending(*what),
            ExprKind::PendingOf(action, arguments) => self.pending_of(*action, arguments),
            ExprKind::Widen(inner) => {
                let narrow = inner.ty == Ty::Nat || is_range_sort(self.song, &inner.ty);
                narrow
                    .then_some(Ty::Int)
                    .ok_or_else(|| "only nat and ranges are widened".to_owned())
            }
            ExprKind::Narrow(inner) => {
                self.want(inner, &Ty::Int)?;
                let narrow = expr.ty == Ty::Nat || is_range_sort(self.song, &expr.ty);
                narrow
                    .then(|| expr.ty.clone())
                    .ok_or_else(|| "an int is narrowed to nat or a range".to_owned())
            }
        }
    }

    /// The type of a local.
    pub(super) fn local(&self, local: LocalId) -> Result<Ty, String> {
        let row = self.locals.get(local.index());
        row.map(|row| row.ty.clone())
            .ok_or_else(|| "there is no such local".to_owned())
    }

    /// Has `expr` this type?
    pub(super) fn want(&self, expr: &Expr, wanted: &Ty) -> Result<(), String> {
        if expr.ty == *wanted {
            return Ok(());
        }
        let (wanted, found) = (show(self.song, wanted), show(self.song, &expr.ty));
        Err(format!("a part has the type {found} instead of {wanted}"))
    }

    /// Have the expressions these types, one by one?
    pub(super) fn all_of(&self, exprs: &[Expr], wanted: &[Ty]) -> Result<(), String> {
        if exprs.len() != wanted.len() {
            return Err(format!(
                "there are {} parts instead of {}",
                exprs.len(),
                wanted.len()
            ));
        }
        exprs
            .iter()
            .zip(wanted)
            .try_for_each(|(expr, wanted)| self.want(expr, wanted))
    }

    /// Are these the indices of a family?
    pub(super) fn index(&self, family: FamilyId, index: &[Expr]) -> Result<(), String> {
        let decl = self
            .song
            .families
            .get(family.index())
            .ok_or("there is no such family")?;
        let wanted: Vec<Ty> = decl.index.iter().map(|row| row.ty.clone()).collect();
        self.all_of(index, &wanted)
    }

    fn all(&self, of: &Ty) -> Result<Ty, String> {
        if matches!(of, Ty::Bool | Ty::Sort(_) | Ty::Enum(_) | Ty::Struct(_))
            && is_finite(self.song, of)
        {
            Ok(Ty::Set(Box::new(of.clone())))
        } else {
            Err(format!(
                "{} cannot stand for the set of its values",
                show(self.song, of)
            ))
        }
    }

    fn binary(&self, op: BinOp, a: &Ty, b: &Ty) -> Result<Ty, String> {
        let number = matches!(a, Ty::Int | Ty::Nat);
        let fits = match op {
            BinOp::In => return self.membership(a, b),
            BinOp::And | BinOp::Or | BinOp::Implies | BinOp::Iff => *a == Ty::Bool,
            BinOp::Eq | BinOp::Ne => true,
            BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => is_ordered(self.song, a),
            BinOp::Add => number || matches!(a, Ty::Seq(_)),
            BinOp::Sub => matches!(a, Ty::Int | Ty::Set(_) | Ty::Bag(_)),
            BinOp::Mul | BinOp::Div | BinOp::Rem => number,
            BinOp::Union => matches!(a, Ty::Set(_) | Ty::Bag(_)),
            BinOp::Inter => matches!(a, Ty::Set(_)),
        };
        if a != b || !fits {
            let (a, b) = (show(self.song, a), show(self.song, b));
            return Err(format!("the operator does not take {a} and {b}"));
        }
        Ok(match op {
            BinOp::And | BinOp::Or | BinOp::Implies | BinOp::Iff => Ty::Bool,
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => Ty::Bool,
            _ => a.clone(),
        })
    }

    fn membership(&self, element: &Ty, collection: &Ty) -> Result<Ty, String> {
        if collection.element() == Some(element) {
            Ok(Ty::Bool)
        } else {
            let (a, b) = (show(self.song, element), show(self.song, collection));
            Err(format!("a {b} does not contain a {a}"))
        }
    }

    fn fields(&self, ty: &Ty) -> Result<Vec<Ty>, String> {
        let decl = match ty {
            Ty::Struct(id) => self.song.structs.get(id.index()),
            _ => None,
        };
        let decl = decl.ok_or_else(|| format!("{} has no fields", show(self.song, ty)))?;
        Ok(decl.fields.iter().map(|(_, field)| field.clone()).collect())
    }

    fn update(&self, base: &Expr, changes: &[(usize, Expr)]) -> Result<Ty, String> {
        let fields = self.fields(&base.ty)?;
        if changes.is_empty() || !changes.is_sorted_by(|(a, _), (b, _)| a < b) {
            return Err("changed fields stand in order, at least one".to_owned());
        }
        for (at, value) in changes {
            self.want(value, fields.get(*at).ok_or("there is no such field")?)?;
        }
        Ok(base.ty.clone())
    }

    fn quantifier(&self, quantifier: Quantifier, body: &Expr) -> Result<Ty, String> {
        match quantifier {
            Quantifier::Forall | Quantifier::Exists => {
                self.want(body, &Ty::Bool).map(|()| Ty::Bool)
            }
            Quantifier::Count => self.want(body, &Ty::Bool).map(|()| Ty::Nat),
            Quantifier::Sum if matches!(body.ty, Ty::Int | Ty::Nat) => Ok(body.ty.clone()),
            Quantifier::Sum => Err("only int and nat are added up".to_owned()),
        }
    }

    fn pending_of(&self, action: ActionId, arguments: &[Expr]) -> Result<Ty, String> {
        let Some(types) = self.parameters(action) else {
            return Err("there is no such action".to_owned());
        };
        match types
            .iter()
            .eq(arguments.iter().map(|argument| &argument.ty))
        {
            true => Ok(Ty::Nat),
            false => Err("a pending async has the types of the action's parameters".to_owned()),
        }
    }

    /// The types of the parameters of an action, or of what handles a message.
    fn parameters(&self, action: ActionId) -> Option<Vec<Ty>> {
        if let Some(voices) = self.song.voices() {
            let row = *voices.message_actions().get(action.index())?;
            return Some(row.parameters(self.song));
        }
        let row = self.song.actions()?.actions.get(action.index())?;
        let rows = row.code.locals[..row.code.arity].iter();
        Some(rows.map(|row| row.ty.clone()).collect())
    }

    fn pending(&self, what: PendingOf) -> Result<Ty, String> {
        let known = match what {
            PendingOf::All => true,
            PendingOf::Message(id) => self
                .song
                .voices()
                .is_some_and(|voices| id.index() < voices.messages.len()),
            PendingOf::Action(id) => self
                .song
                .actions()
                .is_some_and(|actions| id.index() < actions.actions.len()),
        };
        known
            .then_some(Ty::Nat)
            .ok_or_else(|| "there is no such message or action".to_owned())
    }

    pub(super) fn number(&self, ty: &Ty) -> bool {
        is_number(self.song, ty)
    }
}

fn integer(value: i64, ty: &Ty) -> Result<Ty, String> {
    if value < 0 {
        return Err("a literal is not negative: it stands under a minus".to_owned());
    }
    match ty {
        Ty::Int | Ty::Nat => Ok(ty.clone()),
        _ => Err("a literal is an int or a nat".to_owned()),
    }
}

fn tuple(parts: &[Expr]) -> Result<Ty, String> {
    if parts.len() < 2 {
        return Err("a tuple has two parts or more".to_owned());
    }
    Ok(Ty::Tuple(
        parts.iter().map(|part| part.ty.clone()).collect(),
    ))
}
