//! Declarations shared by all forms: types, constants, functions, properties, sizes.

use super::layout::{Doc, group, indent, join, list, text};
use super::stmts::choose;
use super::types::ty;
use super::writer::Writer;
use crate::{
    Binder, Claim, Const, EnumDecl, Expr, ExprKind, Function, Property, RangeEnd, Sizing, Song,
    SortDecl, SortKind, StartValue, StructDecl, Ty,
};

/// `sort Name …;`
pub(super) fn sort(song: &Song, decl: &SortDecl) -> Doc {
    let mut parts = vec![text(format!("sort {}", decl.name))];
    match &decl.kind {
        SortKind::Identities { ordered: false } => {}
        SortKind::Identities { ordered: true } => parts.push(text(" ordered")),
        SortKind::Range(range) => {
            let mut w = Writer::new(song, &[]);
            let mut bound = |expr: &Expr| w.expr_at(expr, super::levels::RANGE + 1);
            parts.extend([text(" = "), bound(&range.start)]);
            match &range.end {
                RangeEnd::Open => parts.push(text("..")),
                RangeEnd::Before(end) => parts.extend([text(".."), bound(end)]),
                RangeEnd::With(end) => parts.extend([text("..="), bound(end)]),
            }
        }
    }
    parts.push(text(";"));
    Doc::Join(parts)
}

/// `enum Name { … }`
pub(super) fn enumeration(song: &Song, decl: &EnumDecl) -> Doc {
    let variants = decl.variants.iter().map(|variant| {
        if variant.fields.is_empty() {
            return text(&*variant.name);
        }
        let fields = variant
            .fields
            .iter()
            .map(|field| text(ty(song, field)))
            .collect();
        list(&format!("{}(", variant.name), fields, ")", Doc::Break)
    });
    let splits = decl.splits.as_ref();
    let splits = splits.map_or(String::new(), |of| format!(" splits {}", ty(song, of)));
    list(
        &format!("enum {}{splits} {{", decl.name),
        variants.collect(),
        "}",
        Doc::Line,
    )
}

/// `struct Name { … }`
pub(super) fn structure(song: &Song, decl: &StructDecl) -> Doc {
    let fields = decl
        .fields
        .iter()
        .map(|(name, field)| binder(song, name, field))
        .collect();
    list(&format!("struct {} {{", decl.name), fields, "}", Doc::Line)
}

/// `const NAME: T = e;` or `param NAME: T where p;`
pub(super) fn constant(song: &Song, decl: &Const) -> Doc {
    let mut w = Writer::new(song, &decl.locals);
    let typed = binder(song, &decl.name, &decl.ty);
    let mut parts = match &decl.value {
        Some(value) => vec![text("const "), typed, text(" = "), w.expr(value)],
        None => vec![text("param "), typed],
    };
    parts.extend(
        decl.constraint
            .as_ref()
            .map(|constraint| w.filter(constraint)),
    );
    parts.push(text(";"));
    Doc::Group(Box::new(Doc::Join(parts)))
}

/// `fn name(…) -> T { … }` or `extern fn name(…) -> T;`
pub(super) fn function(song: &Song, decl: &Function) -> Doc {
    let mut w = Writer::new(song, &decl.locals);
    let parameters = parameters(&mut w, decl.arity);
    let word = match decl.is_external() {
        true => "extern fn",
        false => "fn",
    };
    let at = match &decl.at {
        Some(role) => format!(" at {role}"),
        None => String::new(),
    };
    let head = list(
        &format!("{word} {}{at}(", decl.name),
        parameters,
        ")",
        Doc::Break,
    );
    let result = text(format!(" -> {}", ty(song, &decl.result)));
    let contract = &decl.contract;
    if contract.result.is_none() {
        return match &decl.body {
            Some(body) => group([head, result, text(" "), w.branch(body)]),
            None => group([head, result, text(";")]),
        };
    }
    let clauses = w.contract(
        &contract.requires,
        &contract.ensures,
        contract.result,
        &contract.decreases,
    );
    match &decl.body {
        Some(body) => join([group([head, result, clauses, Doc::Line]), w.branch(body)]),
        None => group([head, result, clauses, text(";")]),
    }
}

/// `property name …: claim;`
pub(super) fn property(song: &Song, decl: &Property) -> Doc {
    if decl.is_invariant {
        return stated("invariant", song, decl);
    }
    let mut w = Writer::of_property(song, &decl.locals);
    let mut head = format!("property {}", decl.name);
    if !decl.engines.is_empty() {
        head.push_str(&format!(" by {}", decl.engines.join(", ")));
    }
    if !decl.sizes.is_empty() {
        let sizes: Vec<String> = decl.sizes.iter().map(sizing).collect();
        head.push_str(&format!(" at {}", sizes.join(", ")));
    }
    let claim = match &decl.claim {
        Claim::Finally(claim) => join([text("finally "), w.expr(claim)]),
        Claim::Always(claim) | Claim::Step(claim) => join([text("always "), w.expr(claim)]),
        Claim::Quiescent { fair: false } => text("eventually quiescent"),
        Claim::Quiescent { fair: true } => text("eventually quiescent fair"),
        Claim::Temporal(temporal) => w.temporal(temporal),
    };
    claimed(&head, claim, decl)
}

/// `head: claim;`. A quantifier breaks after its `::`; anything else begins on a line of its own if need be.
fn claimed(head: &str, claim: Doc, decl: &Property) -> Doc {
    let quantified = matches!(
        &decl.claim,
        Claim::Finally(claim) | Claim::Always(claim) | Claim::Step(claim)
            if matches!(claim.kind, ExprKind::Quantifier(..))
    );
    let claim = if quantified {
        join([text(" "), claim])
    } else {
        indent([Doc::Line, claim])
    };
    group([text(format!("{head}:")), claim, text(";")])
}

/// `constraint name: e;`
pub(super) fn constraint(song: &Song, decl: &Property) -> Doc {
    stated("constraint", song, decl)
}

/// `word name: e;`
fn stated(word: &str, song: &Song, decl: &Property) -> Doc {
    let mut w = Writer::of_property(song, &decl.locals);
    let condition = match &decl.claim {
        Claim::Finally(claim) | Claim::Always(claim) | Claim::Step(claim) => w.expr(claim),
        Claim::Quiescent { .. } | Claim::Temporal(_) => text("true"),
    };
    claimed(&format!("{word} {}", decl.name), condition, decl)
}

/// `size Db = 3;`
pub(super) fn size(decl: &Sizing) -> Doc {
    text(format!("size {};", sizing(decl)))
}

fn sizing(decl: &Sizing) -> String {
    if decl.low == decl.high {
        format!("{} = {}", decl.name, decl.low)
    } else {
        format!("{} = {}..={}", decl.name, decl.low, decl.high)
    }
}

/// `name: T`
pub(super) fn binder(song: &Song, name: &str, of: &Ty) -> Doc {
    text(format!("{name}: {}", ty(song, of)))
}

/// Binders with the names they have in a declaration.
pub(super) fn binders(song: &Song, rows: &[Binder]) -> Vec<Doc> {
    rows.iter()
        .map(|row| binder(song, &row.name, &row.ty))
        .collect()
}

/// Binds the first `arity` locals and writes them as parameters.
pub(super) fn parameters(w: &mut Writer<'_>, arity: usize) -> Vec<Doc> {
    let names = w.bind_parameters(arity);
    let rows = w.names.locals().iter().take(arity);
    names
        .iter()
        .zip(rows)
        .map(|(name, row)| binder(w.song, name, &row.ty))
        .collect()
}

/// `var x: T = e @ 0..1;` with a start value; the parameters of `w` are bound already.
pub(super) fn variable(
    w: &mut Writer<'_>,
    name: &str,
    of: &str,
    start: &StartValue,
    layers: &str,
) -> Doc {
    let head = format!("var {name}: {of}");
    match start {
        StartValue::Value(value) => {
            let value = w.expr(value);
            group([text(head), text(" = "), value, text(format!("{layers};"))])
        }
        StartValue::Choice(choice) => {
            let (domain, filter) = w.choice_named(choice, name.to_owned());
            choose(head, "", domain, filter, layers)
        }
    }
}

/// `in x: T where p;`
pub(super) fn input(name: &str, of: &str, filter: Option<Doc>) -> Doc {
    let head = text(format!("in {name}: {of}"));
    group([head].into_iter().chain(filter).chain([text(";")]))
}
