//! Contracts of external functions (assume-guarantee): what is trusted, and what is not.
//!
//! Statement. Whoever relies on the contract of an external function trusts that its implementation keeps it. That it
//! *can* be kept is an obligation ([`Rule::Satisfiable`]): for all arguments that are values of their types and satisfy
//! `requires` there is a value of the result's type that satisfies `ensures`.
//!
//! Why that is enough. A function that returns such a value for each of these arguments keeps the contract, so the
//! facts about its calls have a model. A contract that speaks of other external functions speaks of functions that are
//! there before, as no contract leads back to its own function.
//!
//! How it is shown. A solver that looks for a result by itself seldom finds one. So results are proposed
//! ([`Theory::witnesses`]): what `ensures` compares the result with, one more and one less, the parameters, and the
//! simplest values of the type. One of them is enough for each case.

use super::Conditions;
use crate::functions::Definition;
use crate::lower::{Env, Lowering, Unsupported};
use crate::obligation::{Obligation, Rule};
use crate::term::{Sort, Term};
use crate::theory::{Result, Theory};
use plainsong_diagnostics::Span;
use plainsong_ir::visit::{Visit, free_locals, walk};
use plainsong_ir::{BinOp, Expr, ExprKind, FnId, Function, LocalId, Song, SortKind, Ty};
use plainsong_semantics::verdict::Assumption;
use rustc_hash::FxHashMap;

/// No more results are proposed.
const MOST: usize = 24;

/// The contract of an external function is listed, and it has to be possible to keep it.
pub(super) fn trusted(theory: &mut Theory, function: FnId, conditions: &mut Conditions) {
    let Some(definition) = theory.definition(function) else {
        return;
    };
    let song = theory.song.clone();
    let decl = &song.functions[function.index()];
    let name = &decl.name;
    let note = Assumption::Contract(name.clone());
    if !conditions.notes.contains(&note) {
        conditions.notes.push(note);
    }
    if decl.contract.ensures.is_empty() && is_inhabited(&song, &decl.result, MOST) {
        return;
    }
    conditions.obligations.push(Obligation {
        rule: Rule::Satisfiable,
        span: decl.span,
        text: name.clone(),
        sentence: format!(
            "for some arguments there may be no result that the contract of `{name}` allows"
        ),
        participants: Vec::new(),
        hypotheses: vec![definition.domain],
        goal: satisfiable(theory, &definition),
        induction: None,
    });
}

/// Does a type have a value, whatever the sizes and parameters are? Types inside are looked at up to some depth.
fn is_inhabited(song: &Song, ty: &Ty, depth: usize) -> bool {
    let inside = |ty: &Ty| depth > 0 && is_inhabited(song, ty, depth - 1);
    match ty {
        Ty::Bool | Ty::Int | Ty::Nat | Ty::Option(_) => true,
        Ty::Set(_) | Ty::Bag(_) | Ty::Seq(_) => true,
        Ty::Sort(id) => song.sorts[id.index()].is_sized(),
        Ty::Struct(id) => {
            let mut fields = song.structs[id.index()].fields.iter();
            fields.all(|(_, ty)| inside(ty))
        }
        Ty::Enum(id) => {
            let mut variants = song.enums[id.index()].variants.iter();
            variants.any(|one| one.fields.iter().all(inside))
        }
        Ty::Tuple(parts) => parts.iter().all(inside),
        Ty::Map(_, value) => inside(value),
        Ty::Process => false,
    }
}

/// Is a proposed result allowed, or any other?
fn satisfiable(theory: &mut Theory, definition: &Definition) -> Term {
    let mut ways: Vec<Term> = Vec::new();
    for witness in &definition.witnesses {
        let by = FxHashMap::from_iter([(definition.result, *witness)]);
        ways.push(theory.terms.replace(definition.promise, &by));
    }
    ways.push(theory.terms.exists(definition.result, definition.promise));
    theory.terms.or(&ways)
}

/// That nothing is allowed for these arguments: shown, it refutes the contract.
///
/// # Errors
///
/// When the arguments are not covered by proofs.
pub fn nothing_allowed(
    theory: &mut Theory,
    function: FnId,
    arguments: &[Expr],
) -> Result<Obligation> {
    let song = theory.song.clone();
    let decl = &song.functions[function.index()];
    let unknown = || Unsupported::new(decl.span, "this function is not called");
    let definition = theory.definition(function).ok_or_else(unknown)?;
    let mut lowering = Lowering::new(theory, Env::default());
    let arguments = lowering.exprs(arguments)?;
    let domain = definition.at(theory, definition.domain, &arguments, definition.result);
    let promise = definition.at(theory, definition.promise, &arguments, definition.result);
    let allowed = theory.terms.exists(definition.result, promise);
    let not_allowed = theory.terms.not(allowed);
    Ok(Obligation {
        rule: Rule::Satisfiable,
        span: decl.span,
        text: decl.name.clone(),
        sentence: String::new(),
        participants: Vec::new(),
        hypotheses: Vec::new(),
        goal: theory.terms.and(&[domain, not_allowed]),
        induction: None,
    })
}

impl Theory {
    /// Results that the contract of a function may allow.
    pub(crate) fn witnesses(
        &mut self,
        decl: &Function,
        env: &Env,
        params: &[Term],
        result: Term,
    ) -> Vec<Term> {
        let sort = self.terms.sort(result);
        let mut all = self.simple(&decl.result, sort, decl.span);
        let mut compared = Compared {
            result: decl.contract.result,
            with: Vec::new(),
        };
        decl.contract
            .ensures
            .iter()
            .for_each(|one| compared.expr(one));
        for with in compared.with {
            // What it is compared with need not have a value: then it is no result.
            let read = Lowering::new(self, env.clone()).expr(&with);
            all.extend(read.into_iter().filter(|one| self.terms.sort(*one) == sort));
        }
        all.extend(params.iter().filter(|one| self.terms.sort(**one) == sort));
        all.extend(self.made_of_parts(decl, env, sort));
        all.extend(self.made_of_parameters(decl, params, sort));
        all.extend(self.the_same_everywhere(decl, env));
        if sort == Sort::INT {
            for one in all.clone() {
                let by_one = self.terms.int(1);
                all.push(self.terms.add(one, by_one));
                all.push(self.terms.sub(one, by_one));
            }
        }
        let mut different: Vec<Term> = Vec::new();
        for one in all {
            if !different.contains(&one) {
                different.push(one);
            }
        }
        different.truncate(MOST);
        different
    }

    /// A struct or tuple whose parts are what `ensures` compares them with, or the simplest.
    fn made_of_parts(&mut self, decl: &Function, env: &Env, sort: Sort) -> Option<Term> {
        let song = self.song.clone();
        let types: Vec<Ty> = match &decl.result {
            Ty::Struct(id) => {
                let fields = song.structs[id.index()].fields.iter();
                fields.map(|(_, ty)| ty.clone()).collect()
            }
            Ty::Tuple(parts) => parts.clone(),
            _ => return None,
        };
        let mut parts = Parts {
            result: decl.contract.result,
            with: Vec::new(),
        };
        decl.contract.ensures.iter().for_each(|one| parts.expr(one));
        let mut values = Vec::new();
        for (at, ty) in types.iter().enumerate() {
            let of = self.sort_of_type(ty, decl.span).ok()?;
            let mut with = parts.with.iter().filter(|part| part.at == at);
            let read = with.find_map(|part| {
                let read = Lowering::new(self, env.clone()).expr(&part.with).ok()?;
                Some(self.beside(read, part.by))
            });
            let simple = self.simple(ty, of, decl.span).first().copied();
            values.push(read.filter(|one| self.terms.sort(*one) == of).or(simple)?);
        }
        Some(self.terms.make(sort, 0, &values))
    }

    /// Variants of an enum whose payload are parameters where these are of its types, or the simplest.
    fn made_of_parameters(&mut self, decl: &Function, params: &[Term], sort: Sort) -> Vec<Term> {
        let Ty::Enum(id) = &decl.result else {
            return Vec::new();
        };
        let song = self.song.clone();
        let variants = song.enums[id.index()].variants.iter().enumerate();
        let mut all = Vec::new();
        for (at, variant) in variants.filter(|(_, one)| !one.fields.is_empty()) {
            let mut payload = Vec::new();
            for ty in &variant.fields {
                let Ok(of) = self.sort_of_type(ty, decl.span) else {
                    break;
                };
                let mut fitting = params.iter().filter(|one| self.terms.sort(**one) == of);
                let parameter = fitting.next().copied();
                let simple = || self.simple(ty, of, decl.span).first().copied();
                payload.extend(parameter.or_else(simple));
            }
            if payload.len() == variant.fields.len() {
                all.push(self.terms.make(sort, at as u32, &payload));
            }
        }
        all
    }

    /// A number, or the next one above or below it; what is no number stays as it is.
    fn beside(&mut self, number: Term, by: i64) -> Term {
        match by {
            0 => number,
            _ if self.terms.sort(number) != Sort::INT => number,
            _ => {
                let by = self.terms.int(by);
                self.terms.add(number, by)
            }
        }
    }

    /// Maps that have what `ensures` compares their elements with, whatever the key is.
    fn the_same_everywhere(&mut self, decl: &Function, env: &Env) -> Vec<Term> {
        if !matches!(decl.result, Ty::Map(..)) {
            return Vec::new();
        }
        let mut parts = Parts {
            result: decl.contract.result,
            with: Vec::new(),
        };
        decl.contract.ensures.iter().for_each(|one| parts.expr(one));
        let is_fixed = |with: &Expr| free_locals(with).iter().all(|one| one.index() < decl.arity);
        let mut all = Vec::new();
        for part in parts.with.into_iter().filter(|part| is_fixed(&part.with)) {
            let map = Expr {
                kind: everywhere(part.with),
                ty: decl.result.clone(),
                span: decl.span,
            };
            all.extend(Lowering::new(self, env.clone()).expr(&map));
        }
        all
    }

    /// The simplest values of a type.
    fn simple(&mut self, ty: &Ty, sort: Sort, span: Span) -> Vec<Term> {
        let song = self.song.clone();
        let mut written: Vec<Expr> = simplest(&song, ty, span, DEPTH).into_iter().collect();
        let expr = |kind: ExprKind| Expr {
            kind,
            ty: ty.clone(),
            span,
        };
        match ty {
            Ty::Bool => written.push(expr(ExprKind::Bool(true))),
            Ty::Enum(id) => {
                let variants = song.enums[id.index()].variants.iter().enumerate();
                let bare = variants.filter(|(_, one)| one.fields.is_empty());
                written.extend(bare.map(|(at, _)| expr(ExprKind::Variant(*id, at, Vec::new()))));
            }
            _ => {}
        }
        let mut all: Vec<Term> = Vec::new();
        for one in &written {
            all.extend(Lowering::new(self, Env::default()).expr(one));
        }
        if sort == Sort::INT && all.is_empty() {
            all.push(self.terms.int(0));
        }
        all.retain(|one| self.terms.sort(*one) == sort);
        all
    }
}

/// How deep types inside of types are written out.
const DEPTH: usize = 4;

/// The simplest value of a type, as text; nothing if it is not plain what that is.
fn simplest(song: &Song, ty: &Ty, span: Span, depth: usize) -> Option<Expr> {
    let depth = depth.checked_sub(1)?;
    let inside = |ty: &Ty| simplest(song, ty, span, depth);
    let kind = match ty {
        Ty::Bool => ExprKind::Bool(false),
        Ty::Int | Ty::Nat => ExprKind::Int(0),
        Ty::Option(_) => ExprKind::None,
        Ty::Set(_) | Ty::Seq(_) | Ty::Bag(_) => ExprKind::Literal(Vec::new()),
        Ty::Map(_, value) => everywhere(inside(value)?),
        Ty::Tuple(parts) => ExprKind::Tuple(parts.iter().map(inside).collect::<Option<_>>()?),
        Ty::Struct(id) => {
            let fields = song.structs[id.index()].fields.iter();
            ExprKind::Struct(
                *id,
                fields.map(|(_, ty)| inside(ty)).collect::<Option<_>>()?,
            )
        }
        Ty::Enum(id) => {
            let mut variants = song.enums[id.index()].variants.iter().enumerate();
            variants.find_map(|(at, one)| {
                let payload = one.fields.iter().map(inside).collect::<Option<_>>()?;
                Some(ExprKind::Variant(*id, at, payload))
            })?
        }
        Ty::Sort(id) => match &song.sorts[id.index()].kind {
            SortKind::Range(range) => ExprKind::Narrow(Box::new(range.start.clone())),
            SortKind::Identities { .. } => return None,
        },
        Ty::Process => return None,
    };
    Some(Expr {
        kind,
        ty: ty.clone(),
        span,
    })
}

/// A map that has this everywhere: the name of its keys is none of the function's.
fn everywhere(value: Expr) -> ExprKind {
    ExprKind::MapOf(LocalId(u32::MAX), Box::new(value))
}

/// What the result is compared with.
struct Compared {
    result: Option<LocalId>,
    with: Vec<Expr>,
}

impl Compared {
    fn is_result(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Widen(inner) | ExprKind::Narrow(inner) => self.is_result(inner),
            ExprKind::Local(local) => Some(*local) == self.result,
            _ => false,
        }
    }

    fn note(&mut self, one: &Expr, other: &Expr) {
        let speaks = self
            .result
            .is_some_and(|result| free_locals(other).contains(&result));
        if self.is_result(one) && !speaks {
            self.with.push(other.clone());
        }
    }
}

impl Visit for Compared {
    fn expr(&mut self, expr: &Expr) {
        if let Some((left, right)) = comparison(expr) {
            self.note(left, right);
            self.note(right, left);
        }
        walk::expr(self, expr);
    }
}

/// What a part of the result is compared with.
struct ComparedPart {
    /// Its position; of maps and sequences, zero.
    at: usize,
    with: Expr,
    /// How far from that the nearest number is that passes.
    by: i64,
}

/// What parts of the result are compared with.
struct Parts {
    result: Option<LocalId>,
    with: Vec<ComparedPart>,
}

impl Parts {
    fn note(&mut self, one: &Expr, other: &Expr, by: i64) {
        let mut one = one;
        while let ExprKind::Widen(inner) | ExprKind::Narrow(inner) = &one.kind {
            one = inner;
        }
        let (whole, at) = match &one.kind {
            ExprKind::Field(whole, at) | ExprKind::Project(whole, at) => (whole, *at),
            ExprKind::Index(whole, _) => (whole, 0),
            _ => return,
        };
        let speaks = self
            .result
            .is_some_and(|result| free_locals(other).contains(&result));
        let is_result =
            matches!(&whole.kind, ExprKind::Local(local) if Some(*local) == self.result);
        if is_result && !speaks {
            self.with.push(ComparedPart {
                at,
                with: other.clone(),
                by,
            });
        }
    }
}

impl Visit for Parts {
    fn expr(&mut self, expr: &Expr) {
        if let Some((left, right)) = comparison(expr) {
            let by = match &expr.kind {
                ExprKind::Binary(BinOp::Gt, ..) => 1,
                ExprKind::Binary(BinOp::Lt, ..) => -1,
                _ => 0,
            };
            self.note(left, right, by);
            self.note(right, left, -by);
        }
        walk::expr(self, expr);
    }
}

/// The two sides of a comparison.
fn comparison(expr: &Expr) -> Option<(&Expr, &Expr)> {
    use BinOp::{Eq, Ge, Gt, Iff, Le, Lt};
    match &expr.kind {
        ExprKind::Binary(Eq | Lt | Le | Gt | Ge | Iff, left, right) => Some((left, right)),
        _ => None,
    }
}
