//! Declarations of the three forms: messages and processes, choreographies, globals and actions.

use super::items::{binder, binders, input, parameters, variable};
use super::layout::{Doc, group, join, list, text};
use super::stmts::braces;
use super::writer::Writer;
use crate::{
    Action, Body, Choreography, Code, Commute, DeclaredFairness, Expr, Family, FamilyId, Fault,
    FaultKind, Global, Handler, Induction, Invariant, Layers, LineKind, Local, LocalId,
    LoopClauses, Message, Procedure, Process, Sequentialization, Song, StartValue, Voices,
};

/// `message Name(…) via …;`
pub(super) fn message(song: &Song, decl: &Message) -> Doc {
    let mut head = text(format!("message {}", decl.name));
    if !decl.fields.is_empty() {
        let fields = binders(song, &decl.fields);
        head = list(&format!("message {}(", decl.name), fields, ")", Doc::Break);
    }
    let via = decl.delivery.map_or(String::new(), |delivery| {
        format!(" via {}", delivery.name())
    });
    let mut w = Writer::new(song, &decl.measures.locals);
    let levels = decl.measures.levels.iter();
    let levels = levels.flat_map(|level| [text(" decreases "), w.expr(level)]);
    let most = decl
        .most
        .map_or(String::new(), |most| format!(" <= {most}"));
    let mut parts = vec![head, text(via + &most)];
    parts.extend(levels);
    let mut w = Writer::new(song, &decl.order.locals);
    let clauses = decl.order.clauses.iter();
    parts.extend(clauses.flat_map(|clause| [text(" covers "), w.expr(clause)]));
    parts.push(text(";"));
    join(parts)
}

/// `process name[…] { … }`
pub(super) fn process(song: &Song, decl: &Process) -> Doc {
    let Some(family) = song.families.get(decl.family.index()) else {
        return text(format!("process family_{} {{}}", decl.family.0));
    };
    let word = if decl.daemon {
        "daemon process"
    } else {
        "process"
    };
    let word = format!("{}{word}", fairness(decl.fairness));
    let mut lines = state_vars(song, decl.family, family);
    let mut w = Writer::of_family(song, &decl.measures.locals, decl.family);
    let levels = decl.measures.levels.iter();
    lines.extend(levels.map(|level| join([text("decreases "), w.expr(level), text(";")])));
    let mut w = Writer::of_family(song, &decl.order.locals, decl.family);
    let clauses = decl.order.clauses.iter();
    lines.extend(clauses.map(|clause| join([text("covers "), w.expr(clause), text(";")])));
    let mut w = Writer::of_family(song, &decl.locals, decl.family);
    match &decl.body {
        Body::Sequential(stmts) => lines.extend(w.stmts(stmts)),
        Body::Handlers(handlers) => {
            lines.extend(handlers.iter().map(|row| handler(&mut w, row)));
        }
    }
    join([
        family_head(song, &word, decl.family, family),
        text(" "),
        braces(lines),
    ])
}

fn handler(w: &mut Writer<'_>, decl: &Handler) -> Doc {
    w.scoped(|w| {
        let accept = w.before_block(|w| w.accept(&decl.accept));
        join([text("on "), accept, text(" "), w.block(&decl.body)])
    })
}

/// `word name[i: T]`, with the indices named as the code names them.
fn family_head(song: &Song, word: &str, id: FamilyId, family: &Family) -> Doc {
    let head = format!("{word} {}", family.name);
    if family.index.is_empty() {
        return text(head);
    }
    let rows = outer_rows(song, id, family);
    let w = Writer::of_family(song, &rows, id);
    let indices = family
        .index
        .iter()
        .enumerate()
        .map(|(at, index)| binder(song, w.names.name(LocalId::from(at)), &index.ty));
    list(&format!("{head}["), indices.collect(), "]", Doc::Break)
}

/// The locals that all variables of a family begin with.
fn outer_rows(song: &Song, id: FamilyId, family: &Family) -> Vec<Local> {
    let indices = family.index.iter().map(|index| Local {
        name: index.name.clone(),
        ty: index.ty.clone(),
        mutable: false,
        span: family.span,
    });
    let line = song.lines.iter().find(|line| line.endpoints.contains(&id));
    let parameters = line.map_or(&[][..], |line| &line.code.locals);
    let parameters = parameters
        .iter()
        .take(line.map_or(0, |line| line.code.arity));
    indices.chain(parameters.cloned()).collect()
}

/// `fault crash node <= 1;`
pub(super) fn fault(song: &Song, voices: &Voices, decl: &Fault) -> Doc {
    let name = match decl.kind {
        FaultKind::Crash(family) | FaultKind::Restart(family) => {
            song.families.get(family.index()).map(|family| &family.name)
        }
        FaultKind::Lose(message) | FaultKind::Duplicate(message) => {
            let message = voices.messages.get(message.index());
            message.map(|message| &message.name)
        }
    };
    let most = decl
        .most
        .map_or(String::new(), |most| format!(" <= {most}"));
    let name = name.map_or("?", String::as_str);
    let fair = decl
        .fairness
        .map_or(String::new(), |fair| format!("{} ", fair.words()));
    text(format!("{fair}fault {} {name}{most};", decl.kind.name()))
}

fn state_vars(song: &Song, id: FamilyId, family: &Family) -> Vec<Doc> {
    let vars = family.vars.iter().map(|var| {
        let mut w = Writer::of_family(song, &var.locals, id);
        let of = super::types::ty(song, &var.ty);
        if let (true, StartValue::Choice(choice)) = (var.is_input, &var.start) {
            let (_, filter) = w.choice_named(choice, var.name.clone());
            return input(&var.name, &of, filter);
        }
        let declared = variable(&mut w, &var.name, &of, &var.start, "");
        match var.durable {
            true => join([text("durable "), declared]),
            false => declared,
        }
    });
    vars.collect()
}

/// A choreography or a lemma; a contract is shown as what it checks.
pub(super) fn line(song: &Song, decl: &Choreography) -> Doc {
    match &decl.kind {
        LineKind::Choreography | LineKind::Contract(_) => choreography(song, decl),
        LineKind::Lemma(decreases) => lemma(song, decl, decreases),
    }
}

/// `lemma name(…) requires e ensures e decreases e { … }`
fn lemma(song: &Song, decl: &Choreography, decreases: &[Expr]) -> Doc {
    let mut w = Writer::of_line(song, decl);
    let parameters = parameters(&mut w, decl.code.arity);
    let head = list(
        &format!("lemma {}(", decl.name),
        parameters,
        ")",
        Doc::Break,
    );
    let clauses = w.contract(&decl.requires, &decl.ensures, None, decreases);
    let body = w.stmts(&decl.code.body);
    join([group([head, clauses, Doc::Line]), braces(body)])
}

/// `choreography name(…) { … }`
fn choreography(song: &Song, decl: &Choreography) -> Doc {
    let mut w = Writer::of_line(song, decl);
    let parameters = parameters(&mut w, decl.code.arity);
    let head = list(
        &format!("choreography {}(", decl.name),
        parameters,
        ")",
        Doc::Break,
    );
    let mut lines = Vec::new();
    for id in &decl.endpoints {
        if let Some(family) = song.families.get(id.index()) {
            let vars = state_vars(song, *id, family);
            lines.push(join([
                family_head(song, "endpoint", *id, family),
                text(" "),
                braces(vars),
            ]));
        }
    }
    let mut contract = |word: &str, expr| group([text(word), w.expr(expr), text(";")]);
    lines.extend(decl.requires.iter().map(|expr| contract("requires ", expr)));
    lines.extend(decl.ensures.iter().map(|expr| contract("ensures ", expr)));
    lines.extend(w.stmts(&decl.code.body));
    join([head, text(" "), braces(lines)])
}

/// `var x: T = e;` outside of everything.
pub(super) fn global(song: &Song, decl: &Global) -> Doc {
    let mut w = Writer::new(song, &decl.locals);
    let layers = layers(decl.layers);
    let share = decl.share.and_then(|(id, variant)| {
        let variants = &song.enums.get(id.index())?.variants;
        Some(format!(" as {}", variants.get(variant)?.name))
    });
    let of = super::types::ty(song, &decl.ty) + share.as_deref().unwrap_or_default();
    let declared = variable(&mut w, &decl.name, &of, &decl.start, &layers);
    match decl.linear {
        true => join([text("linear "), declared]),
        false => declared,
    }
}

/// `strong fair `, or nothing.
fn fairness(declared: Option<DeclaredFairness>) -> String {
    declared.map_or(String::new(), |declared| format!("{} ", declared.words()))
}

/// ` @ 1..2`, or nothing.
fn layers(layers: Option<Layers>) -> String {
    match layers {
        None => String::new(),
        Some(Layers { first, last }) if first == last => format!(" @ {first}"),
        Some(Layers { first, last }) => format!(" @ {first}..{last}"),
    }
}

/// `action Name(…) { … }`
pub(super) fn action(song: &Song, decl: &Action) -> Doc {
    let mut w = Writer::new(song, &decl.code.locals);
    let role = &decl.role;
    let mover = role
        .mover
        .map_or(String::new(), |mover| format!("{} ", mover.name()));
    let repeat = if role.repeat { "repeat " } else { "" };
    let fair = fairness(role.fairness);
    let head = format!("{fair}{repeat}{mover}action {}(", decl.name);
    let head = signature(
        &mut w,
        &head,
        decl.code.arity,
        [&role.linear, &role.taken, &role.given],
        (role.result, role.gives),
    );
    let refines = role.refines.map_or(String::new(), |action| {
        format!(" refines {}", w.action_name(action))
    });
    let mut parts = vec![head, text(format!("{}{refines}", layers(role.layers)))];
    for call in &role.requires {
        parts.push(text(" requires "));
        parts.push(w.invariant_call(call));
    }
    let stmts = w.stmts(&decl.code.body);
    parts.extend([text(" "), braces(stmts)]);
    join(parts)
}

/// `commute A(x) choosing v then B(y) with v = e;`
pub(super) fn commute(song: &Song, decl: &Commute) -> Doc {
    let mut w = Writer::new(song, &decl.locals);
    let mut from = 0;
    let mut names = |w: &mut Writer<'_>, count: usize| {
        let named: Vec<String> = (from..from + count)
            .map(|at| w.names.bind(LocalId::from(at)).to_owned())
            .collect();
        from += count;
        named.join(", ")
    };
    let mut sides = Vec::new();
    for (action, counts) in [(decl.first, 0), (decl.second, 2)] {
        let arguments = names(&mut w, decl.named[counts]);
        let chosen = match decl.named[counts + 1] {
            0 => String::new(),
            count => format!(" choosing {}", names(&mut w, count)),
        };
        sides.push(format!("{}({arguments}){chosen}", w.action_name(action)));
    }
    let mut parts = vec![text(format!("commute {} with ", sides.join(" then ")))];
    for (at, (local, value)) in decl.with.iter().enumerate() {
        let comma = if at == 0 { "" } else { ", " };
        let name = w.names.name(*local).to_owned();
        parts.push(text(format!("{comma}{name} = ")));
        parts.push(w.expr(value));
    }
    parts.push(text(";"));
    join(parts)
}

/// Parameters and the result.
fn signature(
    w: &mut Writer<'_>,
    head: &str,
    arity: usize,
    [linear, taken, given]: [&[LocalId]; 3],
    (result, gives): (Option<LocalId>, bool),
) -> Doc {
    let parameters = parameters(w, arity).into_iter().enumerate();
    let parameters = parameters.map(|(at, doc)| match LocalId::from(at) {
        local if taken.contains(&local) => join([text("take "), doc]),
        local if given.contains(&local) => join([text("give "), doc]),
        local if linear.contains(&local) => join([text("linear "), doc]),
        _ => doc,
    });
    let head = list(head, parameters.collect(), ")", Doc::Break);
    let Some(result) = result else { return head };
    let name = w.names.bind(result);
    let row = w.names.locals().get(result.index());
    let ty = row.map_or(String::new(), |row| super::types::ty(w.song, &row.ty));
    let linear = if gives { "linear " } else { "" };
    join([head, text(format!(" -> {linear}{name}: {ty}"))])
}

/// `invariant name(…) @ n { e }`
pub(super) fn invariant(song: &Song, decl: &Invariant) -> Doc {
    let mut w = Writer::new(song, &decl.locals);
    let head = format!("invariant {}(", decl.name);
    let head = signature(
        &mut w,
        &head,
        decl.arity,
        [&decl.linear, &[], &[]],
        (None, false),
    );
    let layer = format!(" @ {} ", decl.layer);
    group([head, text(layer), w.branch(&decl.body)])
}

/// `procedure name(…) @ n refines A … { … }`
pub(super) fn procedure(song: &Song, decl: &Procedure) -> Doc {
    let mut w = Writer::new(song, &decl.code.locals);
    let mover = decl
        .mover
        .map_or(String::new(), |mover| format!("{} ", mover.name()));
    let head = format!("{mover}procedure {}(", decl.name);
    let head = signature(
        &mut w,
        &head,
        decl.code.arity,
        [&decl.linear, &decl.taken, &decl.given],
        (decl.result, decl.gives),
    );
    let refines = decl.refines.map_or(String::new(), |action| {
        format!(" refines {}", w.action_name(action))
    });
    let rows = song
        .actions()
        .map_or(&[][..], |actions| &actions.procedures);
    let names = decl.synchronizes.iter();
    let names = names.filter_map(|id| Some(rows.get(id.index())?.name.as_str()));
    let names: Vec<&str> = names.collect();
    let synchronizes = match names[..] {
        [] => String::new(),
        _ => format!(" synchronizes {}", names.join(", ")),
    };
    let mut parts = vec![
        head,
        text(format!(" @ {}{refines}{synchronizes}", decl.layer)),
    ];
    for clause in &decl.clauses {
        parts.push(text(format!(" {} ", clause.kind.name())));
        parts.push(w.invariant_call(&clause.call));
    }
    let contract = &decl.contract;
    let written = [
        ("requires", &contract.requires),
        ("ensures", &contract.ensures),
    ];
    for (word, conditions) in written {
        for condition in conditions {
            parts.push(text(format!(" {word} ")));
            parts.push(w.expr(condition));
        }
    }
    for (at, measure) in contract.decreases.iter().enumerate() {
        parts.push(text(if at == 0 { " decreases " } else { ", " }));
        parts.push(w.expr(measure));
    }
    let stmts = w.stmts(&decl.code.body);
    parts.extend([text(" "), braces(stmts)]);
    join(parts)
}

/// `sequentialize A, B as C … { … }`
pub(super) fn sequence(song: &Song, decl: &Sequentialization) -> Doc {
    let mut w = Writer::new(song, &decl.code.locals);
    let eliminated = decl.eliminated.iter().map(|one| {
        let by = one
            .by
            .map_or(String::new(), |by| format!(" as {}", w.action_name(by)));
        format!("{}{by}", w.action_name(one.action))
    });
    let mut eliminated: Vec<String> = eliminated.collect();
    eliminated.dedup();
    let into = decl.into.map_or(String::new(), |action| {
        format!(" into {}", w.action_name(action))
    });
    let mut head = vec![text(format!(
        "sequentialize {}{into}",
        eliminated.join(", ")
    ))];
    if let Some(by) = &decl.by {
        head.extend(induction(&mut w, by));
    }
    let head = join(head);
    let clauses = w.clauses(&LoopClauses {
        invariants: decl.invariants.clone(),
        decreases: decl.decreases.clone(),
    });
    if decl.into.is_some() && decl.by.is_none() {
        return join([group([head, clauses]), text(";")]);
    }
    let stmts = w.stmts(&decl.code.body);
    join([group([head, clauses, Doc::Line]), braces(stmts)])
}

/// ` as B by I(x) choosing k with k = e`
fn induction(w: &mut Writer<'_>, by: &Induction) -> Vec<Doc> {
    let [arguments, chosen] = by.named;
    let names: Vec<String> = (0..arguments + chosen)
        .map(|at| w.names.bind(LocalId::from(at)).to_owned())
        .collect();
    let (arguments, chosen) = names.split_at(arguments);
    let (becomes, invariant) = (w.action_name(by.becomes), w.action_name(by.invariant));
    let mut head = format!(" as {becomes} by {invariant}({})", arguments.join(", "));
    if !chosen.is_empty() {
        head.push_str(&format!(" choosing {}", chosen.join(", ")));
    }
    let mut parts = vec![text(head)];
    for (at, (local, value)) in by.with.iter().enumerate() {
        let before = if at == 0 { " with" } else { "," };
        let name = w.names.name(*local).to_owned();
        parts.push(text(format!("{before} {name} = ")));
        parts.push(w.expr(value));
    }
    parts
}

/// `init { … }`
pub(super) fn init(song: &Song, code: &Code) -> Doc {
    let mut w = Writer::new(song, &code.locals);
    let stmts = w.stmts(&code.body);
    join([text("init "), braces(stmts)])
}
