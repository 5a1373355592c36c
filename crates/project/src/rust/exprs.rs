//! Expressions.

use super::Emit;
use super::names::fresh;
use super::places::{Level, Piece};
use crate::names::camel;
use plainsong_ir::{
    BinOp, Builtin, Expr, ExprKind, FamilyId, Local, LocalId, Pattern, PatternKind, Ty, UnOp, VarId,
};
use std::collections::{BTreeMap, BTreeSet};

/// Where the state variables of a role are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Own {
    /// Fields of `me`.
    Fields,
    /// Names, while they are being given their first values.
    Names,
}

/// What names mean in one function.
pub(super) struct Scope<'a> {
    pub(super) emit: &'a Emit<'a>,
    pub(super) locals: &'a [Local],
    pub(super) family: Option<FamilyId>,
    pub(super) own: Own,
    pub(super) names: BTreeMap<LocalId, String>,
    pub(super) taken: BTreeSet<String>,
    /// Locals that something reads.
    pub(super) read: BTreeSet<LocalId>,
    /// Locals that are read once, where they can be given away.
    pub(super) given_away: BTreeSet<LocalId>,
    /// A state variable that the statement overwrites and reads once.
    pub(super) overwritten: Option<VarId>,
}

impl<'a> Scope<'a> {
    pub(super) fn new(emit: &'a Emit<'a>, locals: &'a [Local]) -> Self {
        Scope {
            emit,
            locals,
            family: None,
            own: Own::Fields,
            names: BTreeMap::new(),
            taken: BTreeSet::new(),
            read: BTreeSet::new(),
            given_away: BTreeSet::new(),
            overwritten: None,
        }
    }

    /// Names a local; one that nothing reads begins with an underscore.
    pub(super) fn bind(&mut self, local: LocalId) -> String {
        let mut name = fresh(&self.locals[local.index()].name, &mut self.taken);
        if !self.read.contains(&local) {
            name.insert(0, '_');
        }
        self.names.insert(local, name.clone());
        name
    }

    /// What is done in a block of its own: names end with it.
    pub(super) fn inside<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let taken = self.taken.clone();
        let result = work(self);
        self.taken = taken;
        result
    }

    /// A value that is handed over.
    pub(super) fn owned(&mut self, of: &Expr) -> Piece {
        let piece = self.expr(of);
        let is_given = match of.kind {
            ExprKind::Local(local) => self.given_away.contains(&local),
            ExprKind::Own(var) => self.overwritten == Some(var),
            _ => false,
        };
        if !is_place(of) || is_given {
            return piece;
        }
        match self.emit.is_copy(&of.ty) {
            true => Piece {
                level: if piece.reference {
                    Level::Prefix
                } else {
                    piece.level
                },
                text: piece.value(),
                reference: false,
            },
            false => Piece::tight(format!("{}.clone()", piece.receiver())),
        }
    }

    /// A value that is handed over, as text.
    pub(super) fn value(&mut self, of: &Expr) -> String {
        self.owned(of).text
    }

    /// A value as the result of a closure or function that may have none.
    pub(super) fn result(&mut self, of: &Expr) -> String {
        let value = self.owned(of);
        match value.text.strip_suffix('?') {
            Some(result) if value.level == Level::Tight => result.to_owned(),
            _ => format!("Ok({})", value.text),
        }
    }

    /// In front of a method that takes the value.
    fn given(&mut self, of: &Expr) -> String {
        self.owned(of).receiver()
    }

    /// A number, in front of a method.
    fn number(&mut self, of: &Expr) -> String {
        let piece = self.owned(of);
        piece.receiver()
    }

    fn borrowed(&mut self, of: &Expr) -> String {
        self.expr(of).borrowed()
    }

    /// A value that is looked at.
    pub(super) fn expr(&mut self, of: &Expr) -> Piece {
        match &of.kind {
            ExprKind::Bool(value) => Piece::tight(value.to_string()),
            ExprKind::Int(value) => number(*value),
            ExprKind::Local(local) => {
                let name = self.names.get(local).cloned();
                Piece::tight(name.unwrap_or_else(|| "unbound".to_owned()))
            }
            ExprKind::Own(var) => Piece::tight(self.own_name(*var)),
            ExprKind::Const(id) => Piece::tight(format!("world.{}", self.emit.const_name(*id))),
            ExprKind::All(ty) => {
                let all = self.emit.listed(ty, of.span);
                Piece::tight(format!("Set::of({all})"))
            }
            ExprKind::Unary(UnOp::Not, inner) if is_comparison(inner) => {
                self.expr(&crate::terms::refuted(inner))
            }
            ExprKind::Unary(UnOp::Not, inner) => {
                let inner = self.expr(inner).operand(Level::Compare);
                Piece::new(format!("!{inner}"), Level::Prefix)
            }
            ExprKind::Unary(UnOp::Neg, inner) => {
                let inner = self.number(inner);
                Piece::tight(format!("{inner}.negated()?"))
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b),
            ExprKind::Range { .. } => {
                let range = self.range(of);
                Piece::tight(format!("Set::of({range})"))
            }
            ExprKind::If(condition, a, b) => {
                let condition = self.expr(condition).value();
                let (a, b) = (self.value(a), self.value(b));
                Piece::new(
                    format!("if {condition} {{ {a} }} else {{ {b} }}"),
                    Level::Loose,
                )
            }
            ExprKind::Match(scrutinee, arms) => self.match_(scrutinee, arms),
            ExprKind::Is(scrutinee, pattern) => {
                let scrutinee = self.expr(scrutinee).value();
                let pattern = self.inside(|scope| scope.pattern(pattern, false));
                Piece::tight(format!("matches!({scrutinee}, {pattern})"))
            }
            ExprKind::Let(local, value, body) => {
                let value = self.value(value);
                let body = self.inside(|scope| {
                    let name = scope.bind(*local);
                    format!("{{ let {name} = {value}; {} }}", scope.value(body))
                });
                Piece::new(body, Level::Loose)
            }
            ExprKind::Tuple(parts) => Piece::tight(format!("({})", self.values(parts))),
            ExprKind::Project(inner, at) => self.part(inner, &at.to_string()),
            ExprKind::Struct(id, parts) => {
                let decl = &self.emit.song.structs[id.index()];
                let fields = decl.fields.iter().zip(parts).map(|((name, _), value)| {
                    format!("{}: {}", super::names::snake(name), self.value(value))
                });
                let fields: Vec<String> = fields.collect();
                let text = format!(
                    "{} {{ {} }}",
                    self.emit.type_name(&decl.name),
                    fields.join(", ")
                );
                Piece::new(text, Level::Loose)
            }
            ExprKind::Field(inner, at) => {
                let name = self.field_name(&inner.ty, *at);
                self.part(inner, &name)
            }
            ExprKind::Update(base, changes) => self.update(base, changes),
            ExprKind::Variant(id, at, parts) => {
                let decl = &self.emit.song.enums[id.index()];
                let name = format!(
                    "{}::{}",
                    self.emit.type_name(&decl.name),
                    camel(&decl.variants[*at].name)
                );
                match parts.is_empty() {
                    true => Piece::tight(name),
                    false => Piece::tight(format!("{name}({})", self.values(parts))),
                }
            }
            ExprKind::None => Piece::tight("None"),
            ExprKind::Some(inner) => Piece::tight(format!("Some({})", self.value(inner))),
            ExprKind::Literal(parts) => {
                let kind = collection(&of.ty);
                Piece::tight(format!("{kind}::of([{}])", self.values(parts)))
            }
            ExprKind::Comprehension(binding, body) => self.comprehension(&of.ty, binding, body),
            ExprKind::MapOf(local, body) => {
                let keys = self.emit.listed(&self.locals[local.index()].ty, of.span);
                let made = self.inside(|scope| {
                    let name = scope.bind(*local);
                    format!("|{name}| {}", scope.result(body))
                });
                Piece::tight(format!("Map::of({keys}, {made})?"))
            }
            ExprKind::Index(whole, index) => match &whole.ty {
                Ty::Seq(_) => {
                    let (whole, index) = (self.expr(whole).receiver(), self.value(index));
                    Piece::reference(format!("{whole}.at({index})?"))
                }
                _ => {
                    let (whole, index) = (self.expr(whole).receiver(), self.borrowed(index));
                    Piece::reference(format!("{whole}.at({index})?"))
                }
            },
            ExprKind::Method(builtin, parts) => self.method(*builtin, parts),
            ExprKind::Call(id, parts) => {
                let name = self.emit.fn_name(*id);
                let mut arguments = vec!["world".to_owned()];
                let function = match self.emit.external.contains(id) {
                    true => {
                        arguments.push("own".to_owned());
                        format!("self::ask_{name}")
                    }
                    false => format!("types::{name}"),
                };
                arguments.extend(parts.iter().map(|part| self.value(part)));
                Piece::tight(format!("{function}({})?", arguments.join(", ")))
            }
            ExprKind::Quantifier(quantifier, bindings, body) => {
                let text = self.quantifier(*quantifier, bindings, body);
                Piece::tight(format!("{text}?"))
            }
            ExprKind::Widen(inner) => self.expr(inner),
            ExprKind::Narrow(inner) => {
                let inner = self.number(inner);
                Piece::tight(match &of.ty {
                    Ty::Sort(id) => {
                        let range = self.emit.sort_name(*id);
                        format!("{inner}.within(&world.{range})?")
                    }
                    _ => format!("{inner}.nat()?"),
                })
            }
            ExprKind::Of(..)
            | ExprKind::Global(_)
            | ExprKind::Pid(..)
            | ExprKind::SelfPid
            | ExprKind::Old(_)
            | ExprKind::Crashed(_)
            | ExprKind::Pending(_)
            | ExprKind::PendingOf(..) => {
                self.emit.refuse(of.span, "this has no counterpart in Rust");
                Piece::tight("()")
            }
        }
    }

    /// Several values, separated by commas.
    fn values(&mut self, parts: &[Expr]) -> String {
        let parts: Vec<String> = parts.iter().map(|part| self.value(part)).collect();
        parts.join(", ")
    }

    pub(super) fn own_name(&self, var: VarId) -> String {
        let family = self.family.map(|id| &self.emit.song.families[id.index()]);
        let name = family.map_or("", |family| &family.vars[var.index()].name);
        let name = super::names::snake(name);
        match self.own {
            Own::Fields => format!("me.{name}"),
            Own::Names => name,
        }
    }

    pub(super) fn field_name(&self, ty: &Ty, at: usize) -> String {
        match ty {
            Ty::Struct(id) => super::names::snake(&self.emit.song.structs[id.index()].fields[at].0),
            _ => at.to_string(),
        }
    }

    fn part(&mut self, of: &Expr, name: &str) -> Piece {
        let of = self.expr(of).receiver();
        Piece::tight(format!("{of}.{name}"))
    }

    fn update(&mut self, base: &Expr, changes: &[(usize, Expr)]) -> Piece {
        let Ty::Struct(id) = &base.ty else {
            return self.owned(base);
        };
        let decl = &self.emit.song.structs[id.index()];
        let mut parts: Vec<String> = Vec::new();
        for (at, value) in changes {
            let name = self.field_name(&base.ty, *at);
            parts.push(format!("{name}: {}", self.value(value)));
        }
        if parts.len() < decl.fields.len() {
            parts.push(format!("..{}", self.given(base)));
        }
        let text = format!(
            "{} {{ {} }}",
            self.emit.type_name(&decl.name),
            parts.join(", ")
        );
        Piece::new(text, Level::Loose)
    }

    fn match_(&mut self, scrutinee: &Expr, arms: &[(Pattern, Expr)]) -> Piece {
        let scrutinee = self.value(scrutinee);
        let mut text = format!("match {scrutinee} {{ ");
        for (pattern, value) in arms {
            let arm = self.inside(|scope| {
                let pattern = scope.pattern(pattern, true);
                format!("{pattern} => {}, ", scope.value(value))
            });
            text.push_str(&arm);
        }
        text.push('}');
        Piece::new(text, Level::Loose)
    }

    fn binary(&mut self, op: BinOp, a: &Expr, b: &Expr) -> Piece {
        let method = |scope: &mut Self, name: &str| {
            let (a, b) = (scope.number(a), scope.value(b));
            Piece::tight(format!("{a}.{name}({b})?"))
        };
        let on_sets = |scope: &mut Self, name: &str| {
            let (a, b) = (scope.expr(a).receiver(), scope.borrowed(b));
            Piece::tight(format!("{a}.{name}({b})"))
        };
        let infix = |scope: &mut Self, sign: &str, level: Level| {
            let (a, b) = (scope.expr(a).operand(level), scope.expr(b).operand(level));
            Piece::new(format!("{a} {sign} {b}"), level)
        };
        if let Some((is_empty, whole)) = emptiness(op, a, b) {
            let (not, level) = if is_empty {
                ("", Level::Tight)
            } else {
                ("!", Level::Prefix)
            };
            let whole = self.expr(whole).receiver();
            return Piece::new(format!("{not}{whole}.is_empty()"), level);
        }
        match (op, &a.ty) {
            (BinOp::And | BinOp::Or, _) => self.connected(op, a, b),
            (BinOp::Implies, _) => {
                let a = crate::terms::not((*a).clone());
                let (a, b) = (
                    self.expr(&a).operand(Level::Or),
                    self.expr(b).operand(Level::Or),
                );
                Piece::new(format!("{a} || {b}"), Level::Or)
            }
            (BinOp::Iff | BinOp::Eq, _) => infix(self, "==", Level::Compare),
            (BinOp::Ne, _) => infix(self, "!=", Level::Compare),
            (BinOp::Lt, _) => infix(self, "<", Level::Compare),
            (BinOp::Le, _) => infix(self, "<=", Level::Compare),
            (BinOp::Gt, _) => infix(self, ">", Level::Compare),
            (BinOp::Ge, _) => infix(self, ">=", Level::Compare),
            (BinOp::Add, Ty::Seq(_)) => {
                let (a, b) = (self.given(a), self.borrowed(b));
                Piece::tight(format!("{a}.joined({b})"))
            }
            (BinOp::Add, _) => method(self, "plus"),
            (BinOp::Sub, Ty::Set(_) | Ty::Bag(_)) => on_sets(self, "difference"),
            (BinOp::Sub, _) => method(self, "minus"),
            (BinOp::Mul, _) => method(self, "times"),
            (BinOp::Div, _) => method(self, "over"),
            (BinOp::Rem, _) => method(self, "modulo"),
            (BinOp::Union, _) => on_sets(self, "union"),
            (BinOp::Inter, _) => on_sets(self, "intersection"),
            (BinOp::In, _) => {
                let set = match &b.kind {
                    ExprKind::Range { .. } => self.range(b),
                    _ => self.expr(b).receiver(),
                };
                let element = self.borrowed(a);
                Piece::tight(format!("{set}.contains({element})"))
            }
        }
    }

    fn method(&mut self, builtin: Builtin, parts: &[Expr]) -> Piece {
        let whole = &parts[0];
        let looks = |scope: &mut Self, name: &str| {
            let whole = scope.expr(whole).receiver();
            Piece::tight(format!("{whole}.{name}"))
        };
        let with_reference = |scope: &mut Self, name: &str| {
            let (whole, part) = (scope.expr(whole).receiver(), scope.borrowed(&parts[1]));
            Piece::tight(format!("{whole}.{name}({part})"))
        };
        match builtin {
            Builtin::Len => looks(self, "len()"),
            Builtin::IsEmpty => looks(self, "is_empty()"),
            Builtin::Contains => with_reference(self, "contains"),
            Builtin::Subset => with_reference(self, "subset"),
            Builtin::Count => with_reference(self, "count"),
            Builtin::ToSet => looks(self, "to_set()"),
            Builtin::ToBag => looks(self, "to_bag()"),
            Builtin::Min => looks(self, "least()?"),
            Builtin::Max => looks(self, "greatest()?"),
            Builtin::First => looks(self, "first()?"),
            Builtin::Last => looks(self, "last()?"),
            Builtin::IsSome => looks(self, "is_some()"),
            Builtin::IsNone => looks(self, "is_none()"),
            Builtin::With | Builtin::Push => {
                let name = if builtin == Builtin::With {
                    "with"
                } else {
                    "pushed"
                };
                let (whole, part) = (self.given(whole), self.value(&parts[1]));
                Piece::tight(format!("{whole}.{name}({part})"))
            }
            Builtin::Without => {
                let (whole, part) = (self.given(whole), self.borrowed(&parts[1]));
                Piece::tight(format!("{whole}.without({part})"))
            }
            Builtin::DropFirst => Piece::tight(format!("{}.drop_first()?", self.given(whole))),
            Builtin::DropLast => Piece::tight(format!("{}.drop_last()?", self.given(whole))),
            Builtin::Update => {
                let key = match &whole.ty {
                    Ty::Seq(_) => self.value(&parts[1]),
                    _ => self.borrowed(&parts[1]),
                };
                let (whole, value) = (self.given(whole), self.value(&parts[2]));
                Piece::tight(format!("{whole}.updated({key}, {value})?"))
            }
            Builtin::Unwrap => Piece::tight(format!("value::unwrap({})?", self.value(whole))),
            Builtin::UnwrapOr => {
                let (whole, other) = (self.given(whole), self.value(&parts[1]));
                Piece::tight(format!("{whole}.unwrap_or({other})"))
            }
        }
    }

    /// A pattern; without names when they are not wanted.
    pub(super) fn pattern(&mut self, of: &Pattern, named: bool) -> String {
        let all = |scope: &mut Self, parts: &[Pattern]| {
            let parts: Vec<String> = parts
                .iter()
                .map(|part| scope.pattern(part, named))
                .collect();
            parts.join(", ")
        };
        match &of.kind {
            PatternKind::Wild => "_".to_owned(),
            PatternKind::Bind(local) => {
                let name = self.bind(*local);
                if named { name } else { "_".to_owned() }
            }
            PatternKind::Bool(value) => value.to_string(),
            PatternKind::Int(value) => value.to_string(),
            PatternKind::None => "None".to_owned(),
            PatternKind::Some(inner) => format!("Some({})", self.pattern(inner, named)),
            PatternKind::Tuple(parts) => format!("({})", all(self, parts)),
            PatternKind::Variant(id, at, parts) => {
                let decl = &self.emit.song.enums[id.index()];
                let name = format!(
                    "{}::{}",
                    self.emit.type_name(&decl.name),
                    camel(&decl.variants[*at].name)
                );
                match parts.is_empty() {
                    true => name,
                    false => format!("{name}({})", all(self, parts)),
                }
            }
            PatternKind::Struct(id, parts) => {
                let decl = &self.emit.song.structs[id.index()];
                let fields = decl.fields.iter().zip(parts).map(|((name, _), part)| {
                    format!(
                        "{}: {}",
                        super::names::snake(name),
                        self.pattern(part, named)
                    )
                });
                let fields: Vec<String> = fields.collect();
                format!(
                    "{} {{ {} }}",
                    self.emit.type_name(&decl.name),
                    fields.join(", ")
                )
            }
            PatternKind::Pid(..) => {
                self.emit
                    .refuse(of.span, "identities of processes are no values in Rust");
                "_".to_owned()
            }
        }
    }
}

/// Is it a comparison that can be turned around?
fn is_comparison(of: &Expr) -> bool {
    match &of.kind {
        ExprKind::Binary(op, a, _) => {
            use BinOp::{Ge, Gt, Le, Lt};
            matches!(op, Lt | Le | Gt | Ge) && matches!(a.ty, Ty::Int | Ty::Nat | Ty::Sort(_))
        }
        _ => false,
    }
}

/// `x.len() == 0` and its like: does it say that `x` is empty, or that it is not?
fn emptiness<'e>(op: BinOp, a: &'e Expr, b: &Expr) -> Option<(bool, &'e Expr)> {
    let (ExprKind::Method(Builtin::Len, parts), ExprKind::Int(bound)) = (&a.kind, &b.kind) else {
        return None;
    };
    let is_empty = match (op, *bound) {
        (BinOp::Eq | BinOp::Le, 0) | (BinOp::Lt, 1) => true,
        (BinOp::Ne | BinOp::Gt, 0) | (BinOp::Ge, 1) => false,
        _ => return None,
    };
    Some((is_empty, &parts[0]))
}

fn number(value: i64) -> Piece {
    match value < 0 {
        true => Piece::new(value.to_string(), Level::Prefix),
        false => Piece::tight(value.to_string()),
    }
}

/// The name of a collection's type, without its elements.
pub(super) fn collection(ty: &Ty) -> &'static str {
    match ty {
        Ty::Bag(_) => "Bag",
        Ty::Seq(_) => "Seq",
        _ => "Set",
    }
}

/// Does it name a part of the memory?
fn is_place(of: &Expr) -> bool {
    match &of.kind {
        ExprKind::Local(_) | ExprKind::Own(_) | ExprKind::Const(_) | ExprKind::Index(..) => true,
        ExprKind::Project(inner, _) | ExprKind::Field(inner, _) | ExprKind::Widen(inner) => {
            is_place(inner)
        }
        _ => false,
    }
}
