//! One module for each process family: its final state, and the function that plays it.

use super::Emit;
use super::exprs::{Own, Scope};
use super::names::{role_name, snake};
use super::own_code::OwnCode;
use super::reads::{
    choice_reads, index_used, is_back, is_itself, names_read, overwritten, read_once, waits,
};
use super::template::Template;
use crate::terms::binary;
use plainsong_diagnostics::Span;
use plainsong_ir::{
    Access, BinOp, Block, Body, Choice, Domain, Expr, ExprKind, FamilyId, LocalId, MessageId,
    Place, Process, Root, Source, StartValue, Stmt, StmtKind, Ty,
};
use std::collections::{BTreeMap, BTreeSet};

/// The text of the module of a family.
pub(super) fn role(emit: &Emit<'_>, id: FamilyId) -> String {
    let Some(process) = emit
        .song
        .voices()
        .and_then(|voices| voices.processes.get(id.index()))
    else {
        return String::new();
    };
    let mut role = Role {
        scope: Scope::new(emit, &process.locals),
        links: BTreeMap::new(),
        choices: 0,
        changes: false,
        ends: true,
        own: emit.own_code(id),
    };
    role.scope.family = Some(id);
    let body = role.play(process);
    let family = &emit.song.families[id.index()];
    let state = emit.state(id);
    let asking = role.own.as_ref().map(|own| emit.asking(id, own));
    let text = format!("{state}{}\n{body}", asking.unwrap_or_default());
    let cell = match role.own {
        Some(_) => "use std::cell::RefCell;\n",
        None => "",
    };
    let world = "use crate::World;\n";
    let types = used_types(emit, &text);
    let imports = super::imports(&text);
    let what = match family.index.is_empty() {
        true => format!("The role `{}`.", family.name),
        false => format!("The roles of the family `{}`.", family.name),
    };
    format!(
        "//! {what}\n\n{world}{types}{imports}use serde::{{Deserialize, Serialize}};\n{cell}use std::fmt;\n{text}"
    )
}

fn used_types(emit: &Emit<'_>, text: &str) -> String {
    let enums = emit
        .song
        .enums
        .iter()
        .map(|decl| emit.type_name(&decl.name));
    let structs = emit
        .song
        .structs
        .iter()
        .map(|decl| emit.type_name(&decl.name));
    let has = |name: &String| {
        text.match_indices(&**name).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + name.len()..].chars().next();
            let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            !part(before) && !part(after)
        })
    };
    let mut names: Vec<String> = enums.chain(structs).filter(has).collect();
    names.sort();
    if text.contains("types::") {
        names.insert(0, "self".to_owned());
    }
    match &names[..] {
        [] => String::new(),
        [one] if one == "self" => "use crate::types;\n".to_owned(),
        [one] => format!("use crate::types::{one};\n"),
        _ => format!("use crate::types::{{{}}};\n", names.join(", ")),
    }
}

impl Emit<'_> {
    /// The struct of a family's variables, and how it is shown.
    fn state(&self, id: FamilyId) -> String {
        let family = &self.song.families[id.index()];
        let name = role_name(&family.name);
        let mut fields = String::new();
        let mut parts = Vec::new();
        for var in &family.vars {
            fields.push_str(&format!(
                "    pub {}: {},\n",
                snake(&var.name),
                self.ty(&var.ty)
            ));
            let part = self.template(&var.ty, &format!("self.{}", snake(&var.name)), false);
            parts.push(part.behind(&format!("{} = ", var.name)));
        }
        let shown = match parts.is_empty() {
            true => "f.write_str(\"\")".to_owned(),
            false => {
                let shown = Template::joined(("", ""), ", ", parts.into_iter());
                format!("write!(f, {})", shown.given())
            }
        };
        format!(
            "\n/// The variables of `{}`.\n#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]\n\
             pub struct {name} {{\n{fields}}}\n\n\
             impl fmt::Display for {name} {{\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {{\n        {shown}\n    }}\n}}\n",
            family.name
        )
    }
}

/// The condition and the block of a block that is one `if` without `else`.
fn only_if(block: &Block) -> Option<(&Expr, &Block)> {
    let [only] = &block[..] else {
        return None;
    };
    match &only.kind {
        StmtKind::If(condition, then, otherwise) if otherwise.is_empty() => Some((condition, then)),
        _ => None,
    }
}

struct Role<'a> {
    scope: Scope<'a>,
    /// Links by direction, peer and type: what they are called.
    links: BTreeMap<(bool, FamilyId, Ty), String>,
    choices: usize,
    /// Is a variable assigned?
    changes: bool,
    /// Is there no loop that never ends?
    ends: bool,
    /// What it asks of its own code.
    own: Option<OwnCode>,
}

impl Role<'_> {
    fn play(&mut self, process: &Process) -> String {
        let emit = self.scope.emit;
        let family = &emit.song.families[process.family.index()];
        let Body::Sequential(block) = &process.body else {
            return String::new();
        };
        self.scope.read = names_read(block);
        self.scope.given_away = read_once(block);
        self.name_links(block);
        let mut parameters = vec!["net: &mut N".to_owned(), "world: &World".to_owned()];
        let starts: BTreeSet<usize> = family
            .vars
            .iter()
            .flat_map(|var| index_used(&var.start, family.index.len()))
            .collect();
        for (at, binder) in family.index.iter().enumerate() {
            let local = LocalId::from(at);
            if starts.contains(&at) {
                self.scope.read.insert(local);
            }
            let name = self.scope.bind(local);
            parameters.push(format!("{name}: {}", emit.ty(&binder.ty)));
        }
        let (mut code, mut own) = ("", "");
        if self.own.is_some() {
            parameters.insert(2, "code: &mut C".to_owned());
            (code, own) = ("C: Code, ", "    let own = &RefCell::new(code);\n");
        }
        let body = self.block(block, 1);
        let starts = self.starts(process.family);
        let links = self.open_links();
        let uses_net = !links.is_empty() || self.choices > 0;
        if !uses_net {
            parameters[0] = "_net: &mut N".to_owned();
        }
        if ![&starts, &links, &body]
            .iter()
            .any(|text| text.contains("world"))
        {
            parameters[1] = "_world: &World".to_owned();
        }
        let name = role_name(&family.name);
        let allow = match self.ends {
            true => "",
            false => "#[allow(unreachable_code, reason = \"it never ends\")]\n",
        };
        format!(
            "/// Plays `{}`.\n///\n/// # Errors\n///\n/// When a peer is gone, or when something has no value.\n{allow}\
             pub fn play<{code}N: Net>({}) -> Result<{name}, Error> {{\n{links}{own}{starts}{body}    Ok(me)\n}}\n",
            family.name,
            parameters.join(", ")
        )
    }

    /// `let mut me = …`
    fn starts(&mut self, id: FamilyId) -> String {
        let emit = self.scope.emit;
        let family = &emit.song.families[id.index()];
        let mut text = String::new();
        let mut fields = Vec::new();
        for var in &family.vars {
            let mut scope = Scope::new(emit, &var.locals);
            scope.family = Some(id);
            scope.own = Own::Names;
            scope.taken.clone_from(&self.scope.taken);
            for at in 0..family.index.len() {
                let local = LocalId::from(at);
                scope.names.insert(local, self.scope.names[&local].clone());
            }
            let name = snake(&var.name);
            match (&var.start, &self.own) {
                (_, Some(own)) if var.is_input => {
                    text.push_str(&emit.given(&mut scope, own, var));
                }
                (StartValue::Value(value), _) => {
                    scope.read = super::types::locals_read(value);
                    let value = scope.value(value);
                    text.push_str(&format!(
                        "    let {name}: {} = {value};\n",
                        emit.ty(&var.ty)
                    ));
                }
                (StartValue::Choice(choice), _) => {
                    scope.read = choice_reads(choice);
                    let value = chosen(&mut scope, choice, &mut self.choices);
                    text.push_str(&format!(
                        "    let {name}: {} = {value};\n",
                        emit.ty(&var.ty)
                    ));
                }
            }
            fields.push(name);
        }
        let keep = if self.changes { "mut " } else { "" };
        text.push_str(&format!(
            "    let {keep}me = {} {{ {} }};\n",
            role_name(&family.name),
            fields.join(", ")
        ));
        text
    }

    /// Gives each link a name: `to_b`, and with several types `to_b_2`.
    fn name_links(&mut self, block: &Block) {
        let families = &self.scope.emit.song.families;
        for (sends, family, ty) in super::links::links_of(self.scope.emit.song, block) {
            let direction = if sends { "to" } else { "from" };
            let wanted = format!("{direction}_{}", families[family.index()].name);
            let name = super::names::fresh(&wanted, &mut self.scope.taken);
            self.links.insert((sends, family, ty), name);
        }
    }

    fn open_links(&self) -> String {
        let emit = self.scope.emit;
        let kinds = emit.kinds();
        let mut text = String::new();
        for ((sends, family, ty), name) in &self.links {
            let decl = &emit.song.families[family.index()];
            let role = format!("world.roles.{}", snake(&decl.name));
            let kind = kinds.get(ty).copied().unwrap_or(0);
            let (way, ty) = (if *sends { "tx" } else { "rx" }, emit.ty(ty));
            text.push_str(&match decl.index.is_empty() {
                true => format!("    let mut {name} = net.{way}::<{ty}>({role}, {kind})?;\n"),
                false => {
                    format!("    let mut {name} = net.{way}s::<{ty}>({role}.clone(), {kind})?;\n")
                }
            });
        }
        text
    }

    fn block(&mut self, block: &Block, depth: usize) -> String {
        let taken = self.scope.taken.clone();
        let mut text = String::new();
        let mut at = 0;
        while let Some(one) = block.get(at) {
            let joined = block
                .get(at + 1)
                .and_then(|next| self.received_into(one, next, depth));
            match joined {
                Some(line) => {
                    text.push_str(&line);
                    at += 2;
                }
                // `x = y; y = x;`: the second one changes nothing.
                None if block
                    .get(at + 1)
                    .is_some_and(|next| self.is_kept(one, next)) =>
                {
                    at += 2;
                }
                None if block.get(at + 1).is_some_and(|next| is_back(one, next)) => {
                    text.push_str(&self.stmt(one, depth));
                    at += 2;
                }
                None => {
                    text.push_str(&self.stmt(one, depth));
                    at += 1;
                }
            }
        }
        self.scope.taken = taken;
        text
    }

    /// `receive M(x) from p; place = x;` in one line.
    fn received_into(&mut self, one: &Stmt, next: &Stmt, depth: usize) -> Option<String> {
        let (StmtKind::Receive(accept), StmtKind::Assign(place, value)) = (&one.kind, &next.kind)
        else {
            return None;
        };
        let ExprKind::Local(local) = value.kind else {
            return None;
        };
        let is_it = accept.slots[0] == Some(local) && self.scope.given_away.contains(&local);
        let reads_it = place.path.iter().any(|access| {
            matches!(access, Access::Index(index) if super::types::locals_read(index).contains(&local))
        });
        if !is_it || reads_it {
            return None;
        }
        let Source::Process(from) = &accept.source else {
            return None;
        };
        let received = self.recv(accept.message, from);
        let target = self.place(place);
        Some(line(
            depth,
            &format!("{target} = {received};"),
            self.comment(one.span),
        ))
    }

    /// `let new = x; x = new;`, where nothing else reads the name.
    fn is_kept(&self, one: &Stmt, next: &Stmt) -> bool {
        let (StmtKind::Let(local, from), StmtKind::Assign(place, value)) = (&one.kind, &next.kind)
        else {
            return false;
        };
        self.scope.given_away.contains(local)
            && value.kind == ExprKind::Local(*local)
            && is_itself(place, from)
    }

    fn stmt(&mut self, one: &Stmt, depth: usize) -> String {
        let indent = "    ".repeat(depth);
        match &one.kind {
            StmtKind::Let(local, value) => {
                let value = self.scope.value(value);
                let ty = self.scope.emit.ty(&self.scope.locals[local.index()].ty);
                let keep = if self.scope.locals[local.index()].mutable {
                    "mut "
                } else {
                    ""
                };
                let name = self.scope.bind(*local);
                format!("{indent}let {keep}{name}: {ty} = {value};\n")
            }
            StmtKind::LetChoice(choice) => {
                let value = chosen(&mut self.scope, choice, &mut self.choices);
                let name = self.scope.bind(choice.local);
                format!("{indent}let {name} = {value};\n")
            }
            StmtKind::Assign(place, value) if is_itself(place, value) => String::new(),
            StmtKind::Assign(place, value) => {
                self.scope.overwritten = overwritten(place, value);
                let value = self.scope.value(value);
                self.scope.overwritten = None;
                let target = self.place(place);
                format!("{indent}{target} = {value};\n")
            }
            StmtKind::AssignChoice(place, choice) => {
                let value = chosen(&mut self.scope, choice, &mut self.choices);
                let target = self.place(place);
                format!("{indent}{target} = {value};\n")
            }
            StmtKind::If(condition, then, otherwise) => self.if_(condition, then, otherwise, depth),
            StmtKind::Match(scrutinee, arms) => {
                let scrutinee = self.scope.value(scrutinee);
                let mut text = format!("{indent}match {scrutinee} {{\n");
                for (pattern, block) in arms {
                    let taken = self.scope.taken.clone();
                    let pattern = self.scope.pattern(pattern, true);
                    let block = self.block(block, depth + 2);
                    self.scope.taken = taken;
                    text.push_str(&match block.is_empty() {
                        true => format!("{indent}    {pattern} => {{}}\n"),
                        false => format!("{indent}    {pattern} => {{\n{block}{indent}    }}\n"),
                    });
                }
                text + &format!("{indent}}}\n")
            }
            StmtKind::While(condition, _, body) => {
                let head = match condition.kind {
                    ExprKind::Bool(true) => {
                        self.ends &= crate::locate::leaves(body);
                        "loop".to_owned()
                    }
                    _ => format!("while {}", self.scope.expr(condition).value()),
                };
                let waits = match waits(condition, body) {
                    true => format!(
                        "{indent}#[allow(clippy::while_immutable_condition, reason = \"it ends at once or never\")]\n"
                    ),
                    false => String::new(),
                };
                let body = self.block(body, depth + 1);
                format!("{waits}{indent}{head} {{\n{body}{indent}}}\n")
            }
            StmtKind::For {
                local,
                domain,
                filter,
                body,
                ..
            } => self.for_((*local, domain, filter.as_ref()), body, depth),
            StmtKind::Break => format!("{indent}break;\n"),
            StmtKind::Continue => format!("{indent}continue;\n"),
            StmtKind::Maybe(then, otherwise) => {
                self.choices += 1;
                let then = self.block(then, depth + 1);
                let otherwise = self.block(otherwise, depth + 1);
                let site = self.choices;
                let mut text =
                    format!("{indent}if net.choose({site}, 2)? == 0 {{\n{then}{indent}}}");
                if !otherwise.is_empty() {
                    text.push_str(&format!(" else {{\n{otherwise}{indent}}}"));
                }
                text + "\n"
            }
            StmtKind::Assert(claim) if claim.kind == ExprKind::Bool(true) => String::new(),
            StmtKind::Assert(claim) => {
                let what = self.written(claim);
                let claim = self.scope.expr(claim).value();
                format!("{indent}value::claim({claim}, {what:?})?;\n")
            }
            StmtKind::Assume(claim) => self.assumption(&crate::terms::refuted(claim), claim, depth),
            StmtKind::Send(message, values, to) => {
                let value = self.scope.value(&values[0]);
                let link = self.link(true, *message, to);
                let send = format!("{link}.send({}, {value})?;", message.0);
                line(depth, &send, self.comment(one.span))
            }
            StmtKind::Receive(accept) => {
                let Source::Process(from) = &accept.source else {
                    return String::new();
                };
                let received = self.recv(accept.message, from);
                let name =
                    accept.slots[0].map_or_else(|| "_".to_owned(), |local| self.scope.bind(local));
                line(
                    depth,
                    &format!("let {name} = {received};"),
                    self.comment(one.span),
                )
            }
            StmtKind::Select(..)
            | StmtKind::Async(..)
            | StmtKind::Spawn(..)
            | StmtKind::Call(..)
            | StmtKind::Par(_)
            | StmtKind::Use(_)
            | StmtKind::Part(_)
            | StmtKind::Yield(_) => {
                self.scope
                    .emit
                    .refuse(one.span, "projected voices have no such statement");
                String::new()
            }
        }
    }

    /// Stops where something is wrong with a claim.
    fn assumption(&mut self, wrong: &Expr, claim: &Expr, depth: usize) -> String {
        let (indent, what) = ("    ".repeat(depth), self.written(claim));
        let wrong = self.scope.expr(wrong).value();
        format!(
            "{indent}if {wrong} {{\n{indent}    return Err(Error::assumption({what:?}));\n{indent}}}\n"
        )
    }

    fn if_(&mut self, condition: &Expr, then: &Block, otherwise: &Block, depth: usize) -> String {
        if let (Some((inner, then)), []) = (only_if(then), &otherwise[..]) {
            let both = binary(BinOp::And, condition.clone(), inner.clone());
            return self.if_(&both, then, otherwise, depth);
        }
        if let (
            [
                Stmt {
                    kind: StmtKind::Assume(claim),
                    ..
                },
            ],
            [],
        ) = (&then[..], &otherwise[..])
        {
            let wrong = binary(BinOp::And, condition.clone(), crate::terms::refuted(claim));
            return self.assumption(&wrong, claim, depth);
        }
        let indent = "    ".repeat(depth);
        let condition = self.scope.expr(condition).value();
        let then = self.block(then, depth + 1);
        let mut text = format!("{indent}if {condition} {{\n{then}{indent}}}");
        match &otherwise[..] {
            [] => text.push('\n'),
            [
                Stmt {
                    kind: StmtKind::If(condition, then, otherwise),
                    ..
                },
            ] => {
                let rest = self.if_(condition, then, otherwise, depth);
                text.push_str(&format!(" else {}", rest.trim_start()));
            }
            _ => {
                let otherwise = self.block(otherwise, depth + 1);
                text.push_str(&format!(" else {{\n{otherwise}{indent}}}\n"));
            }
        }
        text
    }

    fn for_(
        &mut self,
        (local, domain, filter): (LocalId, &Domain, Option<&Expr>),
        body: &Block,
        depth: usize,
    ) -> String {
        let indent = "    ".repeat(depth);
        let elements = self.scope.elements(domain, local);
        let taken = self.scope.taken.clone();
        let name = self.scope.bind(local);
        let mut text = format!("{indent}for {name} in {elements} {{\n");
        if let Some(filter) = filter {
            let filter = self.scope.expr(&crate::terms::refuted(filter)).value();
            text.push_str(&format!(
                "{indent}    if {filter} {{\n{indent}        continue;\n{indent}    }}\n"
            ));
        }
        text.push_str(&self.block(body, depth + 1));
        self.scope.taken = taken;
        text + &format!("{indent}}}\n")
    }

    fn recv(&mut self, message: MessageId, from: &Expr) -> String {
        let link = self.link(false, message, from);
        format!("{link}.recv({})?", message.0)
    }

    /// The link to or from a process for a message.
    fn link(&mut self, sends: bool, message: MessageId, peer: &Expr) -> String {
        let emit = self.scope.emit;
        let ExprKind::Pid(family, index) = &peer.kind else {
            emit.refuse(peer.span, "the peer of a message is named");
            return String::new();
        };
        let ty = emit
            .song
            .voices()
            .map(|voices| voices.messages[message.index()].fields[0].ty.clone());
        let name = ty.and_then(|ty| self.links.get(&(sends, *family, ty)).cloned());
        let name = name.unwrap_or_default();
        if index.is_empty() {
            return name;
        }
        let parts: Vec<String> = index.iter().map(|part| self.scope.value(part)).collect();
        let member = snake(&emit.song.families[family.index()].name);
        format!("{name}[world.{member}_number({})]", parts.join(", "))
    }

    /// What an assignment writes to.
    fn place(&mut self, place: &Place) -> String {
        let mut text = match place.root {
            Root::Own(var) => {
                self.changes = true;
                self.scope.own_name(var)
            }
            Root::Local(local) => self.scope.names.get(&local).cloned().unwrap_or_default(),
            Root::Of(..) | Root::Global(_) => String::new(),
        };
        let emit = self.scope.emit;
        let mut ty = place
            .root
            .ty(emit.song, self.scope.locals, self.scope.family)
            .cloned();
        let mut through = false;
        for access in &place.path {
            let whole = ty.clone().unwrap_or(Ty::Bool);
            ty = access.part_ty(emit.song, &whole);
            match access {
                Access::Field(at) | Access::Project(at) => {
                    text = format!("{text}.{}", self.scope.field_name(&whole, *at));
                    through = false;
                }
                Access::Index(index) => {
                    let index = match &whole {
                        Ty::Seq(_) => self.scope.value(index),
                        _ => self.scope.expr(index).borrowed(),
                    };
                    text = format!("{text}.at_mut({index})?");
                    through = true;
                }
            }
        }
        if through { format!("*{text}") } else { text }
    }

    /// A part of the choreography, on one line.
    fn comment(&self, span: Span) -> Option<String> {
        let text = span.slice(self.scope.emit.text);
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = text.trim_end_matches(';').to_owned();
        (!text.is_empty() && text.chars().count() <= 70).then_some(text)
    }

    fn written(&self, of: &Expr) -> String {
        self.scope.emit.written(of, self.scope.locals)
    }
}

fn line(depth: usize, code: &str, comment: Option<String>) -> String {
    let indent = "    ".repeat(depth);
    match comment {
        None => format!("{indent}{code}\n"),
        Some(comment) => format!("{indent}{code} // {comment}\n"),
    }
}

/// A free choice as an expression.
fn chosen(scope: &mut Scope<'_>, choice: &Choice, choices: &mut usize) -> String {
    *choices += 1;
    let site = *choices;
    if let (Domain::Type(Ty::Bool), None) = (&choice.domain, &choice.filter) {
        return format!("net.choose({site}, 2)? == 1");
    }
    let elements = scope.elements(&choice.domain, choice.local);
    let test = scope.inside(|scope| match &choice.filter {
        None => "|_| Ok(true)".to_owned(),
        Some(filter) => {
            let name =
                super::names::fresh(&scope.locals[choice.local.index()].name, &mut scope.taken);
            let is_copy = scope.emit.is_copy(&scope.locals[choice.local.index()].ty);
            scope.names.insert(choice.local, name.clone());
            let filter = scope.result(filter);
            match is_copy {
                true => format!("|&{name}| {filter}"),
                false => format!("|{name}| {filter}"),
            }
        }
    });
    format!("value::pick({elements}, {test}, |count| net.choose({site}, count))?")
}
