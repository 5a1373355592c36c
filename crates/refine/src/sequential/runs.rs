//! Pending asyncs as one bag of instances, for the interpreter: `pending`, in `ran` what has run, and what was pending
//! before the last of them.
//!
//! A run may be made to stop before any call: it fails there, with what would be called next behind what ran.

use super::bag::{Ledger, int, parameters, zero};
use plainsong_diagnostics::{Span, quote_marker};
use plainsong_ir::visit::any_stmt;
use plainsong_ir::{
    ActionId, Actions, BinOp, Binding, Builtin, Domain, EnumDecl, EnumId, Expr, ExprKind, Global,
    GlobalId, Local, LocalId, Pattern, PatternKind, Place, Quantifier, Root, Song, StartValue,
    Stmt, StmtKind, Ty, Variant,
};
use plainsong_semantics::trace::Failure;
use plainsong_semantics::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The most calls of a run; where a schedule has a `while`, whose rounds may go on and on.
const LONGEST: i64 = 40;
const LONGEST_WHILE: i64 = 9;

/// The bag of what is pending and the sequence of what has run; an instance is a variant of an enum.
pub(crate) struct Runs {
    kind: EnumId,
    variants: BTreeMap<ActionId, (usize, usize)>,
    pub(crate) pending: GlobalId,
    /// What was pending before the last call.
    pub(crate) before: GlobalId,
    /// What has run.
    pub(crate) ran: GlobalId,
    /// May runs stop before any call of the last schedule?
    pub(crate) stopping: bool,
    /// The most calls of a run.
    longest: i64,
}

impl Runs {
    /// Adds the enum to a song and the variables behind the globals.
    pub(crate) fn new(song: &mut Song, actions: &mut Actions, pool: &BTreeSet<ActionId>) -> Runs {
        let kind = EnumId::from(song.enums.len());
        let mut variants = BTreeMap::new();
        let mut rows = Vec::new();
        for &id in pool {
            let action = &actions.actions[id.index()];
            let fields = parameters(action);
            variants.insert(id, (rows.len(), fields.len()));
            rows.push(Variant {
                name: action.name.clone(),
                fields,
            });
        }
        let name = "Async".to_owned();
        let span = Span::default();
        song.enums.push(EnumDecl {
            splits: None,
            name,
            variants: rows,
            span,
        });
        let element = Box::new(Ty::Enum(kind));
        let pending = global(actions, "pending", Ty::Bag(element.clone()));
        let before = global(actions, "pending_before", Ty::Bag(element.clone()));
        let ran = global(actions, "ran", Ty::Seq(element));
        Runs {
            kind,
            variants,
            pending,
            before,
            ran,
            stopping: false,
            longest: longest(actions),
        }
    }

    /// The asyncs of a collection of instances.
    pub(crate) fn asyncs(&self, collection: &Value) -> Vec<(ActionId, Vec<Value>)> {
        let mut all = Vec::new();
        for instance in collection.elements().iter() {
            let Value::Variant(variant, arguments) = instance else {
                continue;
            };
            let mut known = self.variants.iter();
            if let Some((action, _)) = known.find(|(_, (at, _))| *at == *variant as usize) {
                all.push((*action, arguments.to_vec()));
            }
        }
        all
    }

    fn instance(&self, action: ActionId, arguments: &[Expr], span: Span) -> Option<Expr> {
        let (variant, _) = self.variants.get(&action)?;
        Some(Expr {
            kind: ExprKind::Variant(self.kind, *variant, arguments.to_vec()),
            ty: Ty::Enum(self.kind),
            span,
        })
    }

    fn whole(&self, global: GlobalId, span: Span) -> Expr {
        let element = Box::new(Ty::Enum(self.kind));
        let ty = match global == self.ran {
            true => Ty::Seq(element),
            false => Ty::Bag(element),
        };
        Expr {
            kind: ExprKind::Global(global),
            ty,
            span,
        }
    }

    /// Runs that are too long are not looked at.
    fn short(&self, span: Span) -> Stmt {
        let whole = self.whole(self.ran, span);
        let len = Expr {
            kind: ExprKind::Method(Builtin::Len, vec![whole]),
            ty: Ty::Nat,
            span,
        };
        let short = Expr {
            kind: ExprKind::Binary(BinOp::Lt, Box::new(len), Box::new(int(self.longest, span))),
            ty: Ty::Bool,
            span,
        };
        Stmt {
            kind: StmtKind::Assume(short),
            span,
        }
    }

    /// Remembers what is pending.
    fn kept(&self, span: Span) -> Stmt {
        let place = Place {
            root: Root::Global(self.before),
            path: Vec::new(),
            span,
        };
        Stmt {
            kind: StmtKind::Assign(place, self.whole(self.pending, span)),
            span,
        }
    }

    fn changed(&self, global: GlobalId, method: Builtin, instance: Expr, span: Span) -> Stmt {
        let whole = self.whole(global, span);
        let value = Expr {
            ty: whole.ty.clone(),
            kind: ExprKind::Method(method, vec![whole, instance]),
            span,
        };
        let place = Place {
            root: Root::Global(global),
            path: Vec::new(),
            span,
        };
        Stmt {
            kind: StmtKind::Assign(place, value),
            span,
        }
    }
}

/// What a failure says, with what the user wrote where it speaks about the bag.
pub(super) fn in_words(failure: &Failure) -> String {
    let message = failure.message.replace("Async::", "");
    let Some((said, values)) = message.split_once(" is false") else {
        return message;
    };
    let about_the_bag = ["pending.count(", " in pending ::"];
    if !about_the_bag.iter().any(|part| said.contains(part)) {
        return message;
    }
    // `j = Node#0: …` is an instance of a quantifier.
    let instance = said
        .split_once(": ")
        .filter(|(names, _)| names.contains(" = "));
    let instance = instance
        .map_or("", |(names, _)| names)
        .trim_start_matches("invariant ");
    let colon = if instance.is_empty() { "" } else { ": " };
    let quote = quote_marker(failure.span);
    format!("{instance}{colon}{quote} is false{values}")
}

impl Ledger for Runs {
    fn count(&self, action: ActionId, arguments: &[Expr], span: Span) -> Expr {
        let Some(instance) = self.instance(action, arguments, span) else {
            return int(0, span);
        };
        let whole = self.whole(self.pending, span);
        Expr {
            kind: ExprKind::Method(Builtin::Count, vec![whole, instance]),
            ty: Ty::Nat,
            span,
        }
    }

    fn total(&self, action: ActionId, locals: &mut Vec<Local>, span: Span) -> Expr {
        let Some(&(variant, fields)) = self.variants.get(&action) else {
            return int(0, span);
        };
        let ty = Ty::Enum(self.kind);
        let local = LocalId::from(locals.len());
        locals.push(Local {
            name: "x".to_owned(),
            ty: ty.clone(),
            mutable: false,
            span,
        });
        let anything = Pattern {
            kind: PatternKind::Wild,
            span,
        };
        let pattern = Pattern {
            kind: PatternKind::Variant(self.kind, variant, vec![anything; fields]),
            span,
        };
        let one = Expr {
            kind: ExprKind::Local(local),
            ty,
            span,
        };
        let is = Expr {
            kind: ExprKind::Is(Box::new(one), pattern),
            ty: Ty::Bool,
            span,
        };
        let binding = Binding {
            names: vec![local],
            domain: Domain::In(self.whole(self.pending, span)),
            filter: None,
        };
        Expr {
            kind: ExprKind::Quantifier(Quantifier::Count, vec![binding], Box::new(is)),
            ty: Ty::Nat,
            span,
        }
    }

    fn none(&self, action: ActionId, locals: &mut Vec<Local>, span: Span) -> Expr {
        zero(self.total(action, locals, span), span)
    }

    fn change(&self, action: ActionId, arguments: &[Expr], more: bool, span: Span) -> Vec<Stmt> {
        let Some(instance) = self.instance(action, arguments, span) else {
            return Vec::new();
        };
        if more {
            return vec![self.changed(self.pending, Builtin::With, instance, span)];
        }
        let noted = self.changed(self.ran, Builtin::Push, instance.clone(), span);
        let taken = self.changed(self.pending, Builtin::Without, instance, span);
        vec![self.short(span), self.kept(span), taken, noted]
    }

    fn before_call(&self, action: ActionId, arguments: &[Expr], span: Span) -> Vec<Stmt> {
        let Some(instance) = self
            .instance(action, arguments, span)
            .filter(|_| self.stopping)
        else {
            return Vec::new();
        };
        let noted = self.changed(self.ran, Builtin::Push, instance, span);
        let never = Expr {
            kind: ExprKind::Bool(false),
            ty: Ty::Bool,
            span: Span::default(),
        };
        let stop = Stmt {
            kind: StmtKind::Assert(never),
            span: Span::default(),
        };
        let kind = StmtKind::Maybe(vec![noted, stop], Vec::new());
        vec![Stmt { kind, span }]
    }

    fn actions(&self) -> Vec<ActionId> {
        self.variants.keys().copied().collect()
    }
}

fn longest(actions: &Actions) -> i64 {
    let is_while = |stmt: &Stmt| matches!(stmt.kind, StmtKind::While(..));
    let mut all = actions.sequences.iter();
    match all.any(|sequence| any_stmt(&sequence.code.body, is_while)) {
        true => LONGEST_WHILE,
        false => LONGEST,
    }
}

fn global(actions: &mut Actions, name: &str, ty: Ty) -> GlobalId {
    let span = Span::default();
    let empty = Expr {
        kind: ExprKind::Literal(Vec::new()),
        ty: ty.clone(),
        span,
    };
    actions.globals.push(Global {
        name: name.to_owned(),
        ty,
        start: StartValue::Value(empty),
        locals: Vec::new(),
        linear: false,
        share: None,
        layers: None,
        span,
    });
    GlobalId::from(actions.globals.len() - 1)
}
