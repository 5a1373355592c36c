//! The module `types`: enums, structs and functions of the song, and how values are shown.

use super::Emit;
use super::exprs::Scope;
use super::external::is_checkable;
use super::names::snake;
use super::template::Template;
use crate::names::camel;
use crate::terms::refuted;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{ConstId, Expr, ExprKind, FnId, Function, LocalId, Song, Ty};
use std::collections::BTreeSet;

const DERIVES: &str = "Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize";

/// The text of the module.
pub(super) fn types(emit: &Emit<'_>) -> String {
    let mut body = String::new();
    for at in 0..emit.song.enums.len() {
        body.push_str(&emit.enum_(at));
    }
    for at in 0..emit.song.structs.len() {
        body.push_str(&emit.struct_(at));
    }
    for (at, function) in emit.song.functions.iter().enumerate() {
        // Those that ask a role's own code are in the role's module.
        if !emit.external.contains(&at.into()) {
            body.push_str(&emit.function(function));
        }
    }
    let uses_world = body.contains("&World");
    let has_types = !emit.song.enums.is_empty() || !emit.song.structs.is_empty();
    let mut text = "//! Types and functions that the roles share.\n\n".to_owned();
    if uses_world {
        text.push_str("use crate::World;\n");
    }
    if body.contains("types::") {
        text.push_str("use crate::types;\n");
    }
    text.push_str(&super::imports(&body));
    if has_types {
        text.push_str("use serde::{Deserialize, Serialize};\n");
    }
    text.push_str(&body);
    text
}

/// The locals that an expression reads.
pub(super) fn locals_read(of: &Expr) -> BTreeSet<LocalId> {
    struct Read(BTreeSet<LocalId>);
    impl Visit for Read {
        fn uses(&mut self, local: &LocalId) {
            self.0.insert(*local);
        }
    }
    let mut read = Read(BTreeSet::new());
    walk::expr(&mut read, of);
    if let ExprKind::Local(local) = of.kind {
        read.0.insert(local);
    }
    read.0
}

impl Emit<'_> {
    fn enum_(&self, at: usize) -> String {
        let decl = &self.song.enums[at];
        let name = self.type_name(&decl.name);
        let copy = if self.is_copy(&Ty::Enum(at.into())) {
            "Copy, "
        } else {
            ""
        };
        let mut variants = String::new();
        let mut shown = String::new();
        for (number, variant) in decl.variants.iter().enumerate() {
            let variant_name = camel(&variant.name);
            let path = plainsong_ir::print::variant_name(self.song, at.into(), number);
            let types: Vec<String> = variant.fields.iter().map(|ty| self.ty(ty)).collect();
            match types.is_empty() {
                true => {
                    variants.push_str(&format!("    {variant_name},\n"));
                    shown.push_str(&format!(
                        "            {name}::{variant_name} => \"{path}\".to_owned(),\n"
                    ));
                }
                false => {
                    variants.push_str(&format!("    {variant_name}({}),\n", types.join(", ")));
                    let parts: Vec<String> =
                        (0..types.len()).map(|at| format!("part_{at}")).collect();
                    let each = variant.fields.iter().zip(&parts);
                    let each = each.map(|(ty, part)| self.template(ty, part, true));
                    let each = Template::joined(("(", ")"), ", ", each).behind(&path);
                    shown.push_str(&format!(
                        "            {name}::{variant_name}({}) => {},\n",
                        parts.join(", "),
                        each.string()
                    ));
                }
            }
        }
        format!(
            "\n/// `enum {}` of the song.\n#[derive({copy}{DERIVES})]\npub enum {name} {{\n{variants}}}\n\n\
             impl {name} {{\n    /// As songs write it.\n    pub fn show(&self) -> String {{\n        match self {{\n{shown}        }}\n    }}\n}}\n",
            decl.name
        )
    }

    fn struct_(&self, at: usize) -> String {
        let decl = &self.song.structs[at];
        let name = self.type_name(&decl.name);
        let copy = if self.is_copy(&Ty::Struct(at.into())) {
            "Copy, "
        } else {
            ""
        };
        let mut fields = String::new();
        let mut parts = Vec::new();
        for (field, ty) in &decl.fields {
            fields.push_str(&format!("    pub {}: {},\n", snake(field), self.ty(ty)));
            let part = self.template(ty, &format!("self.{}", snake(field)), false);
            parts.push(part.behind(&format!("{field}: ")));
        }
        let shown = Template::joined((" {{ ", " }}"), ", ", parts.into_iter()).behind(&decl.name);
        format!(
            "\n/// `struct {}` of the song.\n#[derive({copy}{DERIVES})]\npub struct {name} {{\n{fields}}}\n\n\
             impl {name} {{\n    /// As songs write it.\n    pub fn show(&self) -> String {{\n        \
             {}\n    }}\n}}\n",
            decl.name,
            shown.string()
        )
    }

    /// A function: what it requires, then its value.
    fn function(&self, function: &Function) -> String {
        let (body, parameters) = self.function_body(function);
        let world = match body.contains("world") {
            true => "world",
            false => "_world",
        };
        format!(
            "\n/// `fn {}` of the song.\n///\n/// # Errors\n///\n/// When it has no value.\npub fn {}({world}: &World{parameters}) -> Result<{}, Undefined> {{\n{body}}}\n",
            function.name,
            snake(&function.name),
            self.ty(&function.result)
        )
    }

    /// The statements of a function, and its parameters. The value of an external one is what the own code of the role
    /// returns, once it was seen to be as promised.
    pub(super) fn function_body(&self, function: &Function) -> (String, String) {
        let mut scope = Scope::new(self, &function.locals);
        let contract = &function.contract;
        let promises: &[Expr] = match function.is_external() {
            true => &contract.ensures,
            false => &[],
        };
        let read = function.body.iter().chain(&contract.requires);
        scope.read = read.chain(promises).flat_map(locals_read).collect();
        if function.is_external() {
            scope.read.extend((0..function.arity).map(LocalId::from));
        }
        let mut parameters = String::new();
        for at in 0..function.arity {
            let name = scope.bind(LocalId::from(at));
            parameters.push_str(&format!(", {name}: {}", self.ty(&function.locals[at].ty)));
        }
        let wanted = scope.checked(&contract.requires, |text| {
            format!("`{}` requires `{text}`, which is false here", function.name)
        });
        let value = match &function.body {
            Some(body) => format!("    {}\n", scope.result(body)),
            None => scope.of_external(function),
        };
        (wanted + &value, parameters)
    }

    pub(super) fn fn_name(&self, id: FnId) -> String {
        snake(&self.song.functions[id.index()].name)
    }

    pub(super) fn const_name(&self, id: ConstId) -> String {
        let names: Vec<String> = self
            .song
            .consts
            .iter()
            .map(|decl| snake(&decl.name))
            .collect();
        let name = names[id.index()].clone();
        match names[..id.index()].contains(&name) {
            true => format!("{name}_{}", id.index()),
            false => name,
        }
    }

    /// A value as songs write it, as an expression of type `String`. `place` is the value, or with
    /// `reference` a reference to it.
    pub(super) fn shown(&self, ty: &Ty, place: &str, reference: bool) -> String {
        self.template(ty, place, reference).string()
    }

    /// A value as songs write it, as a part of what `format!` is given.
    pub(super) fn template(&self, ty: &Ty, place: &str, reference: bool) -> Template {
        let each = |ty: &Ty| format!("|one| {}", self.shown(ty, "one", true));
        let listed = |open: &str, close: &str, ty: &Ty| {
            Template::text(format!(
                "value::show((\"{open}\", \"{close}\"), {place}.iter(), {})",
                each(ty)
            ))
        };
        match ty {
            Ty::Bool | Ty::Int | Ty::Nat | Ty::Process => Template::number("", place),
            Ty::Sort(id) => {
                let sort = &self.song.sorts[id.index()];
                match sort.kind {
                    plainsong_ir::SortKind::Range(_) => Template::number("", place),
                    plainsong_ir::SortKind::Identities { .. } => {
                        Template::number(&format!("{}#", sort.name), place)
                    }
                }
            }
            Ty::Enum(_) | Ty::Struct(_) => Template::text(format!("{place}.show()")),
            Ty::Option(inner) => {
                let borrowed = if reference { "" } else { "&" };
                let each = each(inner);
                Template::text(format!("value::show_option({borrowed}{place}, {each})"))
            }
            Ty::Tuple(parts) => {
                let parts = parts.iter().enumerate();
                let parts =
                    parts.map(|(at, ty)| self.template(ty, &format!("{place}.{at}"), false));
                Template::joined(("(", ")"), ", ", parts)
            }
            Ty::Set(inner) => listed("{", "}", inner),
            Ty::Bag(inner) => listed("bag {", "}", inner),
            Ty::Seq(inner) => listed("[", "]", inner),
            Ty::Map(key, value) => {
                let pair = [
                    self.template(key, "key", true),
                    self.template(value, "one", true),
                ];
                let pair = Template::joined(("", ""), " => ", pair.into_iter()).string();
                Template::text(format!(
                    "value::show((\"map {{\", \"}}\"), {place}.iter(), |(key, one)| {pair})"
                ))
            }
        }
    }
}

/// Is there something to look at, and can it be looked at?
fn is_checked(song: &Song, of: &Expr) -> bool {
    of.kind != ExprKind::Bool(true) && is_checkable(song, of)
}

impl Scope<'_> {
    /// Statements that stop where one of the conditions is false, as far as they can be looked at.
    pub(super) fn checked(
        &mut self,
        conditions: &[Expr],
        message: impl Fn(&str) -> String,
    ) -> String {
        let mut text = String::new();
        for condition in conditions {
            if !is_checked(self.emit.song, condition) {
                continue;
            }
            let shown = self.emit.written(condition, self.locals);
            let wrong = self.expr(&refuted(condition)).value();
            let message = message(&shown);
            text.push_str(&format!(
                "    if {wrong} {{\n        return Err(Undefined::new({message:?}));\n    }}\n"
            ));
        }
        text
    }

    /// The user's function is called, and what it returns is looked at.
    fn of_external(&mut self, function: &Function) -> String {
        let mut arguments = "world".to_owned();
        for at in 0..function.arity {
            let local = LocalId::from(at);
            let borrow = match self.emit.is_copy(&self.locals[at].ty) {
                true => "",
                false => "&",
            };
            arguments.push_str(&format!(", {borrow}{}", self.names[&local]));
        }
        let call = format!("own.borrow_mut().{}({arguments})", snake(&function.name));
        let promises = &function.contract.ensures;
        let is_promised = promises
            .iter()
            .any(|promise| is_checked(self.emit.song, promise));
        let name = match function.contract.result {
            Some(result) if is_promised => {
                self.read.insert(result);
                self.bind(result)
            }
            _ => super::names::fresh("result", &mut self.taken),
        };
        let fits = self.emit.fits(&function.result, &name, false);
        if fits.is_none() && !is_promised {
            return format!("    Ok({call}?)\n");
        }
        let fits = fits.map(|fits| {
            let ty = plainsong_ir::print::ty(self.emit.song, &function.result);
            let wrong = format!("what `{}` returned is no {ty}", function.name);
            super::own_code::refusal(&fits, &format!("Undefined::new({wrong:?})"))
        });
        let checks = self.checked(promises, |text| {
            format!(
                "`{}` promises `{text}`, which is false of what it returned",
                function.name
            )
        });
        let fits = fits.unwrap_or_default();
        format!("    let {name} = {call}?;\n{fits}{checks}    Ok({name})\n")
    }
}
