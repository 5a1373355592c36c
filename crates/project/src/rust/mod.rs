//! From voices to a Rust crate.
//!
//! One module for each process family, with one function `play` that reads like the voice: state in
//! a struct `me`, a link for each peer and type of payload, the number of the transfer at every send
//! and receive. Types and functions of the song are in `types`, parameters and roles in the root. What a role asks of
//! its own code is a trait in its module; the types that implement it are in `external`, for the user to write.
//! Expressions that can fail return an error, as in the interpreter; numbers have 64 bits and are
//! checked. Nothing is locked, nothing is `unsafe`. A local that is read once is moved; collections
//! are shared behind an `Arc` and copied only when changed.
//!
//! NOT COVERED. Values that are identities of processes, and lists of all tuples with collections in them:
//! [`crate_of`] refuses them.

mod collisions;
mod connectives;
mod exprs;
pub mod external;
mod fits;
mod frame;
mod links;
mod names;
mod own_code;
mod places;
mod quantifiers;
mod reads;
mod stmts;
mod template;
mod types;
mod values;
mod wire;

use crate::codes::NOT_IN_RUST;
use crate::locate::external::external_functions;
use crate::names::camel;
use frame::crate_types;
use names::snake;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{Expr, FamilyId, FnId, Local, Song, Ty};
use plainsong_semantics::instance::Instance;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// A file of the crate: its path and its text.
pub type File = (String, String);

/// What a crate is made from.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    pub voices: &'a Song,
    /// What the choreography is called.
    pub name: &'a str,
    /// What its parameters are called. In the voices one that has the name of a variable has another name.
    pub parameters: &'a [String],
    /// The text of the choreography, for comments.
    pub text: &'a str,
    /// An instance of the voices, for the parameters of a run that says nothing about them.
    pub instance: &'a Instance,
}

/// The files of the crate, without the runtime it links; or what cannot be said in Rust.
pub fn crate_of(source: &Source<'_>) -> Result<Vec<File>, Vec<Diagnostic>> {
    let song = plainly_named(source.voices, source.parameters);
    let emit = Emit {
        song: &song,
        text: source.text,
        problems: RefCell::default(),
        external: external_functions(&song),
    };
    collisions::collisions(&emit);
    let mut files = vec![
        ("Cargo.toml".to_owned(), frame::manifest(source.name)),
        ("src/main.rs".to_owned(), frame::main(&emit, source.name)),
        ("src/lib.rs".to_owned(), frame::root(&emit, source)),
        ("src/types.rs".to_owned(), types::types(&emit)),
    ];
    files.extend(external::external(&emit).map(|text| ("src/external.rs".to_owned(), text)));
    for at in 0..source.voices.families.len() {
        let family = &source.voices.families[at];
        let text = stmts::role(&emit, FamilyId::from(at));
        files.push((format!("src/{}.rs", snake(&family.name)), text));
    }
    files.push((
        "voices.song".to_owned(),
        plainsong_ir::print::song(source.voices),
    ));
    let mut problems = emit.problems.into_inner();
    plainsong_diagnostics::sort(&mut problems);
    match problems.is_empty() {
        true => Ok(files),
        false => Err(problems),
    }
}

/// The parameters of an instance of the voices as an expression of the crate's root, of type `Parameters`; or
/// what cannot be said in Rust.
pub fn arguments(
    voices: &Song,
    parameters: &[String],
    instance: &Instance,
) -> Result<String, Vec<Diagnostic>> {
    let song = plainly_named(voices, parameters);
    let emit = Emit {
        song: &song,
        text: "",
        problems: RefCell::default(),
        external: external_functions(&song),
    };
    let arguments = frame::arguments(&emit, instance);
    match emit.problems.into_inner() {
        problems if problems.is_empty() => Ok(arguments),
        problems => Err(problems),
    }
}

/// The voices with the parameters of the choreography, which are the last ones, under their own names: in Rust, fields
/// of a struct hide nothing.
fn plainly_named(voices: &Song, parameters: &[String]) -> Song {
    let mut song = voices.clone();
    let first = song.consts.len().saturating_sub(parameters.len());
    for (at, name) in parameters.iter().enumerate() {
        let is_taken = song.consts.iter().any(|other| other.name == *name);
        if !is_taken && let Some(decl) = song.consts.get_mut(first + at) {
            decl.name.clone_from(name);
        }
    }
    song
}

/// What all parts of the crate need.
struct Emit<'a> {
    song: &'a Song,
    text: &'a str,
    problems: RefCell<Vec<Diagnostic>>,
    /// The external functions, and those that call them.
    external: BTreeSet<FnId>,
}

impl Emit<'_> {
    fn refuse(&self, span: Span, what: &str) {
        let mut problems = self.problems.borrow_mut();
        problems.push(Diagnostic::error(&NOT_IN_RUST, span, what));
    }

    /// A condition as it stands in the choreography, on one line.
    fn written(&self, of: &Expr, locals: &[Local]) -> String {
        let text = of.span.slice(self.text);
        match text.is_empty() {
            true => plainsong_ir::print::expr(self.song, locals, of),
            false => text.split_whitespace().collect::<Vec<_>>().join(" "),
        }
    }

    /// The name of an enum or struct: its own, unless generated code uses that for something else.
    fn type_name(&self, name: &str) -> String {
        let name = camel(name);
        let families = self.song.families.iter();
        let is_role = families
            .map(|family| names::role_name(&family.name))
            .any(|role| role == name);
        match is_role || names::TYPES.contains(&&*name) {
            true => format!("{name}Value"),
            false => name,
        }
    }

    /// The name of the protocol: the choreography's, unless a type of the song or of generated code is called that.
    fn protocol_name(&self, choreography: &str) -> String {
        let name = camel(choreography);
        let enums = self.song.enums.iter().map(|decl| &decl.name);
        let structs = self.song.structs.iter().map(|decl| &decl.name);
        let is_type = enums.chain(structs).any(|ty| self.type_name(ty) == name);
        match is_type || names::TYPES.contains(&&*name) {
            true => format!("{name}Protocol"),
            false => name,
        }
    }

    /// The type in Rust.
    fn ty(&self, ty: &Ty) -> String {
        let one = |inner: &Ty| self.ty(inner);
        match ty {
            Ty::Bool => "bool".to_owned(),
            Ty::Int | Ty::Nat | Ty::Sort(_) => "Int".to_owned(),
            Ty::Enum(id) => self.type_name(&self.song.enums[id.index()].name),
            Ty::Struct(id) => self.type_name(&self.song.structs[id.index()].name),
            Ty::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(one).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Option(inner) => format!("Option<{}>", one(inner)),
            Ty::Set(inner) => format!("Set<{}>", one(inner)),
            Ty::Bag(inner) => format!("Bag<{}>", one(inner)),
            Ty::Seq(inner) => format!("Seq<{}>", one(inner)),
            Ty::Map(key, value) => format!("Map<{}, {}>", one(key), one(value)),
            Ty::Process => {
                self.refuse(
                    Span::default(),
                    "identities of processes are no values in Rust",
                );
                "Int".to_owned()
            }
        }
    }

    /// Is a value of the type copied by reading it?
    fn is_copy(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Bool | Ty::Int | Ty::Nat | Ty::Sort(_) | Ty::Process => true,
            Ty::Set(_) | Ty::Bag(_) | Ty::Seq(_) | Ty::Map(..) => false,
            Ty::Option(inner) => self.is_copy(inner),
            Ty::Tuple(parts) => parts.iter().all(|part| self.is_copy(part)),
            Ty::Struct(id) => {
                let fields = &self.song.structs[id.index()].fields;
                fields.iter().all(|(_, ty)| self.is_copy(ty))
            }
            Ty::Enum(id) => {
                let variants = &self.song.enums[id.index()].variants;
                variants
                    .iter()
                    .flat_map(|variant| &variant.fields)
                    .all(|ty| self.is_copy(ty))
            }
        }
    }

    /// The number of each type that messages carry.
    fn kinds(&self) -> BTreeMap<Ty, usize> {
        let mut kinds = BTreeMap::new();
        let messages = self
            .song
            .voices()
            .map_or(&[][..], |voices| &voices.messages);
        for message in messages {
            let next = kinds.len();
            kinds.entry(message.fields[0].ty.clone()).or_insert(next);
        }
        kinds
    }
}

/// The text without comments and without what stands in quotes: there everything may be called anything.
fn code_alone(text: &str) -> String {
    let mut code = String::new();
    for line in text.lines() {
        for (at, part) in line.split('"').enumerate() {
            match part.split_once("//") {
                _ if at % 2 == 1 => {}
                None => code.push_str(part),
                Some((before, _)) => {
                    code.push_str(before);
                    break;
                }
            }
        }
        code.push('\n');
    }
    code
}

/// What generated modules use, of which each uses a part.
fn imports(text: &str) -> String {
    let text = &code_alone(text);
    let word = |name: &str| {
        text.match_indices(name).any(|(at, _)| {
            let before = text[..at].chars().next_back();
            let after = text[at + name.len()..].chars().next();
            let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
            // A variant of the song may be called like a type of the runtime.
            let looks_like_one = before == Some(':') || matches!(after, Some('(' | ','));
            let is_variant = looks_like_one && name != "Int";
            !part(before) && !part(after) && !is_variant
        })
    };
    let used = |names: &[&str]| -> Vec<String> {
        names
            .iter()
            .filter(|name| word(name))
            .map(|name| (*name).to_owned())
            .collect()
    };
    let methods = [
        ".plus(",
        ".minus(",
        ".times(",
        ".over(",
        ".modulo(",
        ".negated(",
        ".nat(",
        ".within(",
    ];
    let mut values = used(&["Bag", "Int", "Map", "Seq", "Set", "Undefined"]);
    if methods.iter().any(|method| text.contains(method)) {
        values.push("Number".to_owned());
    }
    values.sort();
    let mut root = used(&["Error", "Failure", "Net"]);
    root.extend(text.contains(".recv(").then(|| "Rx".to_owned()));
    root.extend(text.contains(".send(").then(|| "Tx".to_owned()));
    root.extend(text.contains("value::").then(|| "value".to_owned()));
    let mut lines = String::new();
    match root.len() {
        0 => {}
        1 if root[0] != "value" => {
            lines.push_str(&format!("use plainsong_runtime::{};\n", root[0]));
        }
        _ => lines.push_str(&format!(
            "use plainsong_runtime::{{{}}};\n",
            root.join(", ")
        )),
    }
    match values.len() {
        0 => {}
        1 => lines.push_str(&format!("use plainsong_runtime::value::{};\n", values[0])),
        _ => lines.push_str(&format!(
            "use plainsong_runtime::value::{{{}}};\n",
            values.join(", ")
        )),
    }
    lines
}
