//! From a syntax tree to a song: names are resolved, types are checked and inferred, and the typed
//! expressions and statements of the IR are built, all in one walk.
//!
//! - Declarations come first ([`declarations`]), so that items may be used before the text declares
//!   them. Then every piece of code is walked once as a [`unit`].
//! - Checking is bidirectional. [`Lowering::expr`] finds the type of an expression, with the type
//!   that its place wants as a guide; [`Lowering::check`] also makes it fit ([`fit`]), which is where
//!   conversions between numbers are inserted.
//! - What is not known yet is a hole ([`crate::types::holes`]); [`finish`] replaces holes when a unit
//!   is complete and reports those that nothing has solved.
//! - A mistake is reported once. The expression then has the unknown type, which fits everything,
//!   so that nothing that depends on it is reported too.

mod actions;
mod addressed;
mod annotations;
mod calls;
mod choices;
pub(crate) mod codes;
mod commutes;
mod constructors;
mod declarations;
mod dependencies;
mod exhaustive;
mod expressions;
mod families;
mod faults;
mod finish;
mod fit;
mod layers;
mod lemmas;
mod lines;
mod literals;
mod loops;
mod matches;
mod measures;
mod methods;
mod moving;
mod operators;
mod orders;
mod parts;
mod patterns;
mod permissions;
mod places;
mod procedures;
mod processes;
mod products;
mod properties;
mod quantifiers;
mod receives;
mod references;
mod repeats;
mod sequences;
mod signatures;
mod sizes;
mod splits;
mod statements;
mod temporal;
mod traffic;
mod unit;
mod unknown;

use crate::ast;
use crate::names::Names;
use crate::names::declare::{Declarations, declare};
use crate::types::{DeclaredTypes, TypesInText, UNKNOWN};
pub(crate) use methods::methods_of;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::handlers::MessageAction;
use plainsong_ir::line::contracts;
use plainsong_ir::{Family, Global, Message, Song, Ty};
use signatures::{ActionSignature, ConstSignature, FnSignature};
use std::collections::BTreeSet;
use traffic::Traffic;
use unit::Unit;

/// Checks a parsed file and builds the song it describes, if there is no mistake in it.
pub(crate) fn lower(
    text: &str,
    file: &ast::Song,
    syntax_errors: &[Diagnostic],
    recording: bool,
) -> Lowered {
    let mut diagnostics = Vec::new();
    let (items, names) = declare(file, syntax_errors, &mut diagnostics);
    let mut lowering = Lowering::new(text, names, diagnostics);
    lowering.recorded = recording.then(Vec::new);
    let song = lowering.song(&items, syntax_errors.is_empty());
    let sound = syntax_errors.is_empty() && !lowering.diagnostics.iter().any(Diagnostic::is_error);
    Lowered {
        song: sound.then_some(song),
        diagnostics: lowering.diagnostics,
        types: TypesInText::new(
            lowering.recorded.unwrap_or_default(),
            lowering.declared_before.unwrap_or_default(),
        ),
    }
}

/// What became of a parsed file.
pub(crate) struct Lowered {
    /// The song, if there is no mistake.
    pub(crate) song: Option<Song>,
    /// Mistakes and suspicions.
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// What has which type; empty unless it was to be recorded.
    pub(crate) types: TypesInText,
}

/// The state of the walk: what is declared, and the unit being checked.
pub(crate) struct Lowering<'t> {
    text: &'t str,
    names: Names,
    types: DeclaredTypes,
    consts: Vec<ConstSignature>,
    functions: Vec<FnSignature>,
    messages: Vec<Message>,
    actions: Vec<ActionSignature>,
    procedures: Vec<ActionSignature>,
    invariants: Vec<ActionSignature>,
    lemmas: Vec<ActionSignature>,
    /// Of the choreographies.
    line_signatures: Vec<ActionSignature>,
    /// How many choreographies there are: lemmas come after them.
    line_count: usize,
    /// Processes, then endpoints; their variables are added as they are checked.
    families: Vec<Family>,
    /// How many of `families` are processes.
    process_count: usize,
    /// Names of layers, from 1 on.
    layer_names: Vec<String>,
    /// Added as they are checked.
    globals: Vec<Global>,
    /// What processes do with messages, when they are checked; schedules number it.
    message_actions: Vec<MessageAction>,
    /// The local names of each process, for properties that want to see them.
    process_locals: Vec<Vec<String>>,
    /// Statements that choose fairly.
    fair_choices: BTreeSet<Span>,
    /// Was the last choice that was looked at a fair one?
    chose_fairly: bool,
    /// Are all enums and structs declared?
    types_known: bool,
    /// Types of map keys, to be looked at when they are.
    map_keys: Vec<(Ty, Span)>,
    traffic: Traffic,
    /// What may still be spent on checking that matches are exhaustive.
    match_steps: usize,
    too_large_reported: bool,
    diagnostics: Vec<Diagnostic>,
    /// How many of `diagnostics` are errors.
    errors: usize,
    unit: Unit,
    /// Types of what stands in the text, where they are recorded.
    recorded: Option<Vec<(Span, Ty)>>,
    /// The declared types, kept for those.
    declared_before: Option<DeclaredTypes>,
}

impl<'t> Lowering<'t> {
    fn new(text: &'t str, names: Names, diagnostics: Vec<Diagnostic>) -> Self {
        Lowering {
            text,
            names,
            types: DeclaredTypes::default(),
            consts: Vec::new(),
            functions: Vec::new(),
            messages: Vec::new(),
            actions: Vec::new(),
            procedures: Vec::new(),
            invariants: Vec::new(),
            lemmas: Vec::new(),
            line_signatures: Vec::new(),
            line_count: 0,
            families: Vec::new(),
            process_count: 0,
            layer_names: Vec::new(),
            globals: Vec::new(),
            message_actions: Vec::new(),
            process_locals: Vec::new(),
            fair_choices: BTreeSet::new(),
            chose_fairly: false,
            types_known: false,
            map_keys: Vec::new(),
            traffic: Traffic::default(),
            match_steps: exhaustive::MAX_STEPS,
            too_large_reported: false,
            errors: diagnostics.len(),
            diagnostics,
            unit: Unit::default(),
            recorded: None,
            declared_before: None,
        }
    }

    fn song(&mut self, items: &Declarations, complete: bool) -> Song {
        self.declare_types(items);
        self.declare_signatures(items);
        let consts = self.constants(&items.consts);
        let sorts = self.sorts(&items.sorts);
        let functions = self.function_bodies(&items.functions);
        let system = self.system(items);
        let mut lines = self.lines(&items.lines);
        lines.extend(self.lemmas(&items.lemmas));
        lines.extend(contracts(&functions));
        self.contract_names(&items.functions);
        let properties = self.properties(&items.properties);
        let constraints = self.constraints(&items.constraints);
        let sizes = self.sizings(items.sizes.iter().flat_map(ast::SizeItem::sizings));
        self.record_declarations();
        let mut song = Song {
            sorts,
            enums: std::mem::take(&mut self.types.enums),
            structs: std::mem::take(&mut self.types.structs),
            consts,
            functions,
            families: std::mem::take(&mut self.families),
            system,
            lines,
            properties,
            constraints,
            sizes,
            fair_choices: std::mem::take(&mut self.fair_choices),
        };
        self.circles(&song);
        if complete && self.errors == 0 {
            self.fill_parts(&mut song);
        }
        if complete && self.errors == 0 {
            self.layers(&song);
            self.repeats(&song);
        }
        if complete && self.errors == 0 {
            self.unused_messages();
        }
        song
    }

    /// Types of variables and constants, for whoever asks what has which type.
    fn record_declarations(&mut self) {
        let Some(recorded) = &mut self.recorded else {
            return;
        };
        let vars = self.families.iter().flat_map(|family| &family.vars);
        recorded.extend(vars.map(|var| (var.span, var.ty.clone())));
        let globals = self.globals.iter();
        recorded.extend(globals.map(|global| (global.span, global.ty.clone())));
        let consts = self.consts.iter();
        recorded.extend(consts.filter_map(|row| Some((row.span, row.ty.clone()?))));
        self.declared_before = Some(self.types.clone());
    }

    /// Notes the type of what is no expression.
    fn note_type(&mut self, span: Span, ty: &Ty) {
        if self.recorded.is_some() {
            self.unit.noted.push((span, ty.clone()));
        }
    }

    /// Remembers a mistake.
    fn report(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.is_error());
        self.diagnostics.push(diagnostic);
    }

    /// The type with its outermost constructor made visible, as far as it is known.
    fn shallow(&self, ty: &Ty) -> Ty {
        self.unit.holes.shallow(ty).clone()
    }

    /// The type with every solved hole replaced.
    fn resolved(&self, ty: &Ty) -> Ty {
        self.unit.holes.resolve(ty).unwrap_or(UNKNOWN)
    }

    /// The type as people write it.
    fn show(&self, ty: &Ty) -> String {
        self.types.show(&self.resolved(ty))
    }

    /// The text at `span` in quotes, or a word for it when it is long.
    fn quote(&self, span: Span) -> String {
        let text = span.slice(self.text);
        if text.len() <= 40 && !text.contains('\n') && !text.is_empty() {
            format!("`{text}`")
        } else {
            "this expression".to_owned()
        }
    }
}
