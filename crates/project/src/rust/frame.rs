//! The frame of a crate: manifest, `main`, and the root with parameters, world, roles and protocol.

use super::exprs::Scope;
use super::names::{crate_name, role_name, snake};
use super::{Emit, Source};
use plainsong_diagnostics::line_and_column;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Family, RangeEnd, SortDecl, SortKind, Stmt, StmtKind, Ty};
use plainsong_semantics::instance::Instance;

/// `Cargo.toml`
pub(super) fn manifest(name: &str) -> String {
    let name = crate_name(name);
    format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         plainsong-runtime = {{ path = \"runtime\" }}\nserde = {{ version = \"1.0\", features = [\"derive\", \"rc\"] }}\n\n\
         # A workspace of its own, wherever it lies.\n[workspace]\n\n[profile.release]\nlto = \"thin\"\n"
    )
}

/// `src/main.rs`
pub(super) fn main(emit: &Emit<'_>, name: &str) -> String {
    let (module, protocol) = (crate_name(name), emit.protocol_name(name));
    format!(
        "//! Runs the roles of `{name}`; `--help` says how.\n\nuse std::process::ExitCode;\n\n\
         fn main() -> ExitCode {{\n    plainsong_runtime::command(&{module}::{protocol})\n}}\n"
    )
}

/// `src/lib.rs`
pub(super) fn root(emit: &Emit<'_>, source: &Source<'_>) -> String {
    let parameters = parameters(emit, source);
    let world = world(emit);
    let roles = roles(emit);
    let state = state(emit);
    let protocol = protocol(emit, source);
    let body = format!("{parameters}{world}{roles}{state}{protocol}");
    let mut modules: Vec<String> = emit
        .song
        .families
        .iter()
        .map(|family| snake(&family.name))
        .collect();
    modules.push("types".to_owned());
    if super::external::has_own_code(emit) {
        modules.push("external".to_owned());
    }
    modules.sort();
    let modules: String = modules
        .iter()
        .map(|module| format!("pub mod {module};\n"))
        .collect();
    let mut imports = super::imports(&body.replace("plainsong_runtime::", ""));
    imports = imports.replace("plainsong_runtime::{", "plainsong_runtime::{Protocol, ");
    if !imports.contains("Protocol") {
        imports = imports.replace(
            "use plainsong_runtime::Error;",
            "use plainsong_runtime::{Error, Protocol};",
        );
    }
    let types = crate_types(emit, &body);
    let rests = rests(emit);
    let range = if body.contains("Range<") {
        "use std::ops::Range;\n"
    } else {
        ""
    };
    format!(
        "//! The choreography `{}` as one program for each endpoint, made by `plainsong project`.\n//!\n\
         //! Every role is a function `play` in a module of its own, with its statements in the order of the\n\
         //! choreography. A link carries one type from one role to another; the number at a send and its receive\n\
         //! is that of the transfer. `voices.song` has the same processes as a song.\n{rests}\n\
         {modules}\n{imports}use serde::{{Deserialize, Serialize}};\nuse std::fmt;\n{range}{types}{body}",
        source.name
    )
}

/// What the program rests on beside its proof: assumptions, and contracts of external functions.
fn rests(emit: &Emit<'_>) -> String {
    struct Assumed<'a>(&'a Emit<'a>, Vec<String>);
    impl Visit for Assumed<'_> {
        fn stmt(&mut self, one: &Stmt) {
            if let StmtKind::Assume(claim) = &one.kind {
                let text = claim.span.slice(self.0.text);
                let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
                let line = line_and_column(self.0.text, claim.span.start).line;
                self.1.push(format!("`assume {text}` (line {line})"));
            }
            walk::stmt(self, one);
        }
    }
    let mut assumed = Assumed(emit, Vec::new());
    walk::song(&mut assumed, emit.song);
    let external = emit.song.functions.iter().filter(|one| one.is_external());
    let external =
        external.map(|one| format!("the contract of the external function `{}`", one.name));
    let mut all: Vec<String> = assumed.1.into_iter().chain(external).collect();
    all.dedup();
    if all.is_empty() {
        return String::new();
    }
    let all: String = all.iter().map(|one| format!("//! - {one}\n")).collect();
    format!("//!\n//! What was proved of it rests on:\n//!\n{all}")
}

/// The line that imports those of the song's types that a text uses.
pub(super) fn crate_types(emit: &Emit<'_>, body: &str) -> String {
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
    let names: Vec<String> = enums
        .chain(structs)
        .filter(|name| mentions(body, name))
        .collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("use types::{{{}}};\n", names.join(", ")),
    }
}

/// Is the name a word of the text?
fn mentions(text: &str, name: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(name).any(|(at, _)| {
        !is_part(text[..at].chars().next_back()) && !is_part(text[at + name.len()..].chars().next())
    })
}

fn parameters(emit: &Emit<'_>, source: &Source<'_>) -> String {
    let mut fields = String::new();
    for sort in emit.song.sorts.iter().filter(|sort| sort.is_sized()) {
        fields.push_str(&format!(
            "    /// How many members `{}` has.\n    pub {}: Int,\n",
            sort.name,
            size_name(sort)
        ));
    }
    for (at, decl) in emit.song.consts.iter().enumerate() {
        if decl.value.is_none() {
            let fitted = match emit.fitted(&decl.ty, "").is_some() {
                true => {
                    " Fitted to the sizes: keys without a value get those of the others, in turn."
                }
                false => "",
            };
            fields.push_str(&format!(
                "    /// `{}` of the song.{fitted}\n    pub {}: {},\n",
                decl.name,
                emit.const_name(at.into()),
                emit.ty(&decl.ty)
            ));
        }
    }
    let given = given(emit, source.instance);
    let is_default = |(_, value): &(String, String)| matches!(&**value, "0" | "false" | "None");
    if given.iter().all(is_default) {
        return format!(
            "\n/// What a run is given.\n#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]\npub struct Parameters {{\n{fields}}}\n"
        );
    }
    let values = arguments(emit, source.instance);
    format!(
        "\n/// What a run is given.\n#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]\npub struct Parameters {{\n{fields}}}\n\n\
         impl Default for Parameters {{\n    fn default() -> Parameters {{\n        {values}\n    }}\n}}\n"
    )
}

/// The `Parameters` of an instance, as an expression.
pub(super) fn arguments(emit: &Emit<'_>, instance: &Instance) -> String {
    let given = given(emit, instance).into_iter();
    let values: String = given
        .map(|(name, value)| format!("            {name}: {value},\n"))
        .collect();
    format!("Parameters {{\n{values}        }}")
}

/// The fields of `Parameters` with their values in an instance.
fn given(emit: &Emit<'_>, instance: &Instance) -> Vec<(String, String)> {
    let mut values = Vec::new();
    for (at, sort) in emit.song.sorts.iter().enumerate() {
        if sort.is_sized() {
            values.push((size_name(sort), instance.size(at.into()).to_string()));
        }
    }
    for (at, decl) in emit.song.consts.iter().enumerate() {
        if decl.value.is_none() {
            let value = emit.literal(instance.constant(at.into()), &decl.ty);
            values.push((emit.const_name(at.into()), value));
        }
    }
    values
}

fn size_name(sort: &SortDecl) -> String {
    format!("{}_count", snake(&sort.name))
}

/// The struct with everything that does not change during a run.
fn world(emit: &Emit<'_>) -> String {
    let (mut fields, mut lines, mut names) = (String::new(), String::new(), Vec::new());
    // Bounds of sorts read constants, and constants may range over sorts: in the order of need.
    for (at, decl) in emit.song.consts.iter().enumerate() {
        let name = emit.const_name(at.into());
        fields.push_str(&format!(
            "    /// `{}` of the song.\n    pub {name}: {},\n",
            decl.name,
            emit.ty(&decl.ty)
        ));
        if decl.value.is_none() {
            let copied = if emit.is_copy(&decl.ty) {
                ""
            } else {
                ".clone()"
            };
            lines.push_str(&format!(
                "        let {name} = parameters.{name}{copied};\n"
            ));
        }
        names.push(name);
    }
    let (early, late) = constants(emit);
    lines.push_str(&early);
    for sort in &emit.song.sorts {
        let name = format!("all_{}", snake(&sort.name));
        fields.push_str(&format!(
            "    /// The members of `{}`.\n    pub {name}: Range<Int>,\n",
            sort.name
        ));
        lines.push_str(&format!(
            "        let {name} = value::members({:?}, {})?;\n",
            sort.name,
            members(emit, sort)
        ));
        names.push(name);
    }
    for (at, decl) in emit.song.consts.iter().enumerate() {
        let name = emit.const_name(at.into());
        if decl.value.is_none()
            && let Some(fitted) = emit.fitted(&decl.ty, &name)
        {
            lines.push_str(&format!("        let {name} = {fitted}?;\n"));
        }
    }
    lines.push_str(&late);
    let mut next = "0".to_owned();
    let mut role_fields = String::new();
    for family in &emit.song.families {
        let name = snake(&family.name);
        let count = count(emit, family);
        match family.index.is_empty() {
            true => {
                lines.push_str(&format!("        let role_{name} = {next};\n"));
                next = format!("role_{name} + 1");
                role_fields.push_str(&format!("{name}: role_{name}, "));
            }
            false => {
                lines.push_str(&format!("        let first_{name}: usize = {next};\n        let end_{name} = first_{name} + {count};\n"));
                next = format!("end_{name}");
                role_fields.push_str(&format!("{name}: first_{name}..end_{name}, "));
            }
        }
    }
    if emit.song.families.iter().any(|one| !one.index.is_empty()) {
        lines.push_str(&format!("        value::roles({next})?;\n"));
    }
    let checks: String = emit
        .song
        .consts
        .iter()
        .filter_map(|decl| decl.constraint.as_ref().map(|constraint| (decl, constraint)))
        .map(|(decl, constraint)| {
            let mut scope = Scope::new(emit, &decl.locals);
            scope.read = super::types::locals_read(constraint);
            let what = plainsong_ir::print::expr(emit.song, &decl.locals, constraint);
            let wrong = scope.expr(&crate::terms::refuted(constraint)).value();
            format!("        if {wrong} {{\n            return Err(Error::assumption({what:?}));\n        }}\n")
        })
        .collect();
    let fields_made = names.join(", ");
    let separator = if names.is_empty() { "" } else { ", " };
    let unused = if lines.contains("parameters.") {
        "parameters"
    } else {
        "_parameters"
    };
    let (bind, end) = match checks.is_empty() {
        true => ("Ok(World {", "})"),
        false => ("let made = World {", "};"),
    };
    // Functions of the song take the world by reference, as roles have it.
    let after = match checks.is_empty() {
        true => String::new(),
        false if !checks.contains("world") => format!("{checks}        Ok(made)\n"),
        false => format!("        let world = &made;\n{checks}        Ok(made)\n"),
    };
    let numbers: String = emit
        .song
        .families
        .iter()
        .filter(|family| !family.index.is_empty())
        .map(|family| number_of(emit, family))
        .collect();
    format!(
        "\n/// What all roles know and nobody changes.\n#[derive(Clone, Debug)]\npub struct World {{\n{fields}    /// The numbers of the roles.\n    pub roles: Roles,\n}}\n\n\
         impl World {{\n    /// The world of a run.\n    ///\n    /// # Errors\n    ///\n    /// When the parameters are not allowed.\n    \
         pub fn new({unused}: &Parameters) -> Result<World, Error> {{\n{lines}        let roles = Roles {{ {role_fields}}};\n        {bind} {fields_made}{separator}roles {end}\n{after}    }}\n{numbers}}}\n"
    )
}

/// The constants: those that need no sort and nothing that is fitted to one, and those that do.
fn constants(emit: &Emit<'_>) -> (String, String) {
    let (mut early, mut late) = (String::new(), String::new());
    let fitted = emit.song.consts.iter().enumerate().filter(|(_, decl)| {
        let is_fitted = emit.fitted(&decl.ty, "").is_some();
        decl.value.is_none() && is_fitted
    });
    let mut needed: Vec<String> = fitted.map(|(at, _)| emit.const_name(at.into())).collect();
    for (at, decl) in emit.song.consts.iter().enumerate() {
        let Some(value) = &decl.value else {
            continue;
        };
        let mut scope = Scope::new(emit, &decl.locals);
        scope.read = super::types::locals_read(value);
        let value = scope.value(value).replace("world.", "");
        if value.contains("(world") {
            emit.refuse(
                decl.span,
                "a constant that calls a function has no counterpart in Rust yet",
            );
        }
        let name = emit.const_name(at.into());
        let ty = emit.ty(&decl.ty);
        let line = format!("        let {name}: {ty} = {value};\n");
        let is_late = line.contains("all_") || needed.iter().any(|name| mentions(&value, name));
        match is_late {
            true => {
                late.push_str(&line);
                needed.push(name);
            }
            false => early.push_str(&line),
        }
    }
    (early, late)
}

fn members(emit: &Emit<'_>, sort: &SortDecl) -> String {
    let closed = |of: &plainsong_ir::Expr| {
        let mut scope = Scope::new(emit, &[]);
        scope.value(of).replace("world.", "")
    };
    match &sort.kind {
        SortKind::Identities { .. } => format!("0..parameters.{}", size_name(sort)),
        SortKind::Range(range) => {
            let start = closed(&range.start);
            match &range.end {
                RangeEnd::Open => format!("{start}..{start}.plus(parameters.{})?", size_name(sort)),
                RangeEnd::Before(end) => format!("value::range({start}, {})", closed(end)),
                RangeEnd::With(end) => format!("value::range_with({start}, {})?", closed(end)),
            }
        }
    }
}

/// How many members a family has, as `usize`.
fn count(emit: &Emit<'_>, family: &Family) -> String {
    let each = family
        .index
        .iter()
        .map(|binder| size(emit, &binder.ty).replace("self.", ""));
    each.collect::<Vec<_>>().join(" * ")
}

fn size(emit: &Emit<'_>, ty: &Ty) -> String {
    match ty {
        Ty::Bool => "2".to_owned(),
        Ty::Sort(id) => format!("self.{}.clone().count()", emit.sort_name(*id)),
        Ty::Enum(id)
            if emit.song.enums[id.index()]
                .variants
                .iter()
                .all(|one| one.fields.is_empty()) =>
        {
            emit.song.enums[id.index()].variants.len().to_string()
        }
        _ => {
            emit.refuse(
                Default::default(),
                "families in Rust are indexed by sorts, `bool` and plain enums",
            );
            "0".to_owned()
        }
    }
}

/// The method that numbers the members of a family, from 0.
fn number_of(emit: &Emit<'_>, family: &Family) -> String {
    let name = snake(&family.name);
    let mut parameters = Vec::new();
    let mut number = String::new();
    for binder in &family.index {
        let index = snake(&binder.name);
        parameters.push(format!("{index}: {}", emit.ty(&binder.ty)));
        let one = match &binder.ty {
            Ty::Bool => format!("usize::from({index})"),
            Ty::Sort(id) => format!("({index} - self.{}.start) as usize", emit.sort_name(*id)),
            _ => format!("{index} as usize"),
        };
        number = match number.is_empty() {
            true => one,
            false => format!("({number}) * {} + {one}", size(emit, &binder.ty)),
        };
    }
    format!(
        "\n    /// Which member of `{}` it is, counted from 0.\n    pub fn {name}_number(&self, {}) -> usize {{\n        {number}\n    }}\n",
        family.name,
        parameters.join(", ")
    )
}

fn roles(emit: &Emit<'_>) -> String {
    let mut fields = String::new();
    for family in &emit.song.families {
        let name = snake(&family.name);
        let ty = if family.index.is_empty() {
            "usize"
        } else {
            "Range<usize>"
        };
        fields.push_str(&format!(
            "    /// `{}`.\n    pub {name}: {ty},\n",
            family.name
        ));
    }
    format!(
        "\n/// The numbers of the roles.\n#[derive(Clone, Debug)]\npub struct Roles {{\n{fields}}}\n"
    )
}

fn state(emit: &Emit<'_>) -> String {
    let (mut variants, mut shown) = (String::new(), String::new());
    for family in &emit.song.families {
        let (module, name) = (snake(&family.name), role_name(&family.name));
        variants.push_str(&format!(
            "    /// Of `{}`.\n    {name}({module}::{name}),\n",
            family.name
        ));
        shown.push_str(&format!(
            "            State::{name}(state) => state.fmt(f),\n"
        ));
    }
    format!(
        "\n/// How a role ends.\n#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]\npub enum State {{\n{variants}}}\n\n\
         impl fmt::Display for State {{\n    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {{\n        match self {{\n{shown}        }}\n    }}\n}}\n"
    )
}

fn protocol(emit: &Emit<'_>, source: &Source<'_>) -> String {
    let name = emit.protocol_name(source.name);
    let hash = super::wire::digest(source.voices);
    let (mut sets, mut takes) = (String::new(), false);
    for sort in emit.song.sorts.iter().filter(|sort| sort.is_sized()) {
        sets.push_str(&format!(
            "            \"{}\" => match value.parse() {{\n                Ok(count) if count >= 1 => parameters.{} = count,\n                _ => return Err(format!(\"`{{value}}` is no number of members\")),\n            }},\n",
            sort.name,
            size_name(sort)
        ));
        takes = true;
    }
    for (at, decl) in emit.song.consts.iter().enumerate() {
        if decl.value.is_some() {
            continue;
        }
        let (name, field) = (&decl.name, emit.const_name(at.into()));
        if is_read(&decl.ty) {
            sets.push_str(&format!(
                "            \"{name}\" => match value::read(value) {{\n                Some(value) => parameters.{field} = value,\n                None => return Err(format!(\"`{{value}}` is no value of `{name}`\")),\n            }},\n",
            ));
            takes = true;
        } else {
            sets.push_str(&format!(
                "            \"{name}\" => return Err(\"`{name}` cannot be set here: change it in `Parameters::default`\".to_owned()),\n",
            ));
        }
    }
    let (parameters, value) = if takes {
        ("parameters", "value")
    } else {
        ("_parameters", "_value")
    };
    let (mut listed, mut played) = (String::new(), String::new());
    for family in &emit.song.families {
        let (module, variant) = (snake(&family.name), role_name(&family.name));
        if family.index.is_empty() {
            listed.push_str(&format!(
                "        names.push(\"{}\".to_owned());\n",
                family.name
            ));
            played.push_str(&format!("        if role == world.roles.{module} {{\n            return Ok(State::{variant}({module}::play(net, &world{})?));\n        }}\n", own_code(emit, family, "")));
        } else {
            listed.push_str(&nested(emit, family, |names| {
                let holes: Vec<String> = names.iter().map(|_| "{}".to_owned()).collect();
                let values = family
                    .index
                    .iter()
                    .zip(names)
                    .map(|(binder, name)| shown_index(emit, &binder.ty, name));
                format!(
                    "names.push(format!(\"{}[{}]\", {}));",
                    family.name,
                    holes.join(", "),
                    values.collect::<Vec<_>>().join(", ")
                )
            }));
            played.push_str(&nested(emit, family, |names| {
                let names = names.join(", ");
                let own = own_code(emit, family, &format!(", {names}"));
                format!("if role == world.roles.{module}.start + world.{module}_number({names}) {{\n return Ok(State::{variant}({module}::play(net, &world{own}, {names})?));\n }}")
            }));
        }
    }
    let single = emit
        .song
        .families
        .iter()
        .all(|family| family.index.is_empty());
    let listed = match single {
        true => {
            let names = emit
                .song
                .families
                .iter()
                .map(|family| format!("\"{}\".to_owned()", family.name));
            format!(
                "        Ok(vec![{}])\n",
                names.collect::<Vec<_>>().join(", ")
            )
        }
        false => format!("        let mut names = Vec::new();\n{listed}        Ok(names)\n"),
    };
    let check = match listed.contains("world") {
        true => "        let world = World::new(parameters)?;\n",
        false => "        World::new(parameters)?;\n",
    };
    let links = super::links::method(emit);
    let set_body = format!(
        "        match name {{\n{sets}            _ => return Err(format!(\"there is no parameter `{{name}}` that can be set\")),\n        }}\n        Ok(())\n"
    );
    let set_body = match takes {
        true => set_body,
        false if sets.is_empty() => {
            "        Err(format!(\"there is no parameter `{name}` that can be set\"))\n".to_owned()
        }
        false => format!(
            "        match name {{\n{}            _ => Err(format!(\"there is no parameter `{{name}}` that can be set\")),\n        }}\n",
            sets.replace("return Err(", "Err(")
        ),
    };
    format!(
        "\n/// The protocol.\n#[derive(Clone, Copy, Debug, Default)]\npub struct {name};\n\n\
         impl Protocol for {name} {{\n    const NAME: &'static str = \"{}\";\n    const HASH: u64 = {hash:#018x};\n    type Parameters = Parameters;\n    type State = State;\n\n\
         fn parameters(&self) -> Parameters {{\n        Parameters::default()\n    }}\n\n\
         fn set(&self, {parameters}: &mut Parameters, name: &str, {value}: &str) -> Result<(), String> {{\n{set_body}    }}\n\n\
         fn roles(&self, parameters: &Parameters) -> Result<Vec<String>, Error> {{\n{check}{listed}\n    }}\n\n\
         {links}\
         fn play<N: Net>(&self, role: usize, net: &mut N, parameters: &Parameters) -> Result<State, Error> {{\n        let world = World::new(parameters)?;\n{played}        Err(Error::misuse(format!(\"there is no role {{role}}\")))\n    }}\n}}\n",
        source.name
    )
}

/// What a role is given as its own code, if it has any.
fn own_code(emit: &Emit<'_>, family: &Family, names: &str) -> String {
    let at = emit
        .song
        .families
        .iter()
        .position(|one| one.name == family.name);
    let has_code = at.is_some_and(|at| emit.own_code(at.into()).is_some());
    match has_code {
        true => format!(", &mut external::{}(&world{names})?", snake(&family.name)),
        false => String::new(),
    }
}

fn shown_index(emit: &Emit<'_>, ty: &Ty, name: &str) -> String {
    match ty {
        Ty::Enum(_) => emit.shown(ty, name, true),
        _ => name.to_owned(),
    }
}

/// Loops over the indices of a family around a statement.
fn nested(emit: &Emit<'_>, family: &Family, inner: impl Fn(&[String]) -> String) -> String {
    let names: Vec<String> = family
        .index
        .iter()
        .map(|binder| snake(&binder.name))
        .collect();
    let mut text = format!("{}\n", inner(&names));
    for (binder, name) in family.index.iter().zip(&names).rev() {
        let elements = emit.listed(&binder.ty, family.span);
        text = format!("        for {name} in {elements} {{\n{text}        }}\n");
    }
    text
}

/// Are values of the type read from text by the runtime?
fn is_read(ty: &Ty) -> bool {
    match ty {
        Ty::Bool | Ty::Int | Ty::Nat | Ty::Sort(_) => true,
        Ty::Option(inner) | Ty::Set(inner) | Ty::Bag(inner) | Ty::Seq(inner) => is_read(inner),
        Ty::Map(key, value) => is_read(key) && is_read(value),
        Ty::Tuple(parts) => parts.len() == 2 && parts.iter().all(is_read),
        Ty::Enum(_) | Ty::Struct(_) | Ty::Process => false,
    }
}

impl Emit<'_> {
    /// A parameter whose maps are fitted to the sizes of the run, as an expression that may be undefined; `None` for
    /// one without maps.
    fn fitted(&self, ty: &Ty, value: &str) -> Option<String> {
        let Ty::Map(key, of) = ty else {
            return None;
        };
        let keys = self.listed(key, Default::default()).replace("world.", "");
        let inner = match self.fitted(of, "value") {
            Some(inner) => inner,
            None if self.is_copy(of) => "Ok(*value)".to_owned(),
            None => "Ok(value.clone())".to_owned(),
        };
        Some(format!("{value}.fitted({keys}, |value| {inner})"))
    }
}
