//! Which name in a text means what: an index of definitions and uses.
//!
//! The index is made from the syntax tree by the scoping rules of the language, so that it also covers items with
//! mistakes in them, which are not compiled. What the tree alone does not decide (whose field, which enum's variant)
//! is looked up among the types that the compiler found.
//!
//! Why right: for every song of the corpus each definition is renamed by this index, and the result has to compile to
//! the same song (`tests/it/rename.rs`).

mod collect;
mod renaming;
mod resolve;

pub use renaming::edited;

use plainsong_diagnostics::Span;
use plainsong_syntax::{SyntaxNode, TypesInText};

/// A position in [`Names::definitions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DefinitionId(pub usize);

/// What a name is the name of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "the names are those of the language")]
pub enum Kind {
    Sort,
    Enum,
    Variant,
    Struct,
    Field,
    Constant,
    SizeParameter,
    Function,
    Message,
    Process,
    /// A variable of a process or endpoint.
    State,
    Global,
    Action,
    Procedure,
    Invariant,
    Choreography,
    Endpoint,
    Lemma,
    Property,
    Constraint,
    Layer,
    /// A parameter or index of an item.
    Parameter,
    /// A name that a statement, pattern or quantifier binds.
    Local,
}

impl Kind {
    /// In the words of the book.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Sort => "sort",
            Kind::Enum => "enum",
            Kind::Variant => "variant",
            Kind::Struct => "struct",
            Kind::Field => "field",
            Kind::Constant => "constant",
            Kind::SizeParameter => "parameter of the model",
            Kind::Function => "function",
            Kind::Message => "message",
            Kind::Process => "process",
            Kind::State => "state variable",
            Kind::Global => "global variable",
            Kind::Action => "action",
            Kind::Procedure => "procedure",
            Kind::Invariant => "invariant",
            Kind::Choreography => "choreography",
            Kind::Endpoint => "endpoint",
            Kind::Lemma => "lemma",
            Kind::Property => "property",
            Kind::Constraint => "constraint",
            Kind::Layer => "layer",
            Kind::Parameter => "parameter",
            Kind::Local => "local name",
        }
    }

    /// Is it a local name, visible only within [`Definition::visible`]?
    pub fn is_local(self) -> bool {
        matches!(self, Kind::Local | Kind::Parameter)
    }
}

/// A name and what it is the name of.
#[derive(Clone, Debug)]
pub struct Definition {
    /// The name.
    pub name: String,
    /// What has it.
    pub kind: Kind,
    /// Where it is written.
    pub span: Span,
    /// The whole item, variable or binder.
    pub whole: Span,
    /// The enum of a variant, the process of a variable, the choreography of an endpoint.
    pub owner: Option<DefinitionId>,
    /// Where a local name can be used.
    pub visible: Span,
}

/// A place where a name is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Where.
    pub span: Span,
    /// What is meant.
    pub of: DefinitionId,
    /// Is it `x` for `x: x` in a struct, so that a new name is written beside the field?
    pub shorthand: bool,
}

/// Every definition and use of a text.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// In no particular order; local names come after items.
    pub definitions: Vec<Definition>,
    /// Ascending.
    pub uses: Vec<Use>,
}

impl Names {
    /// Reads a tree.
    pub fn new(root: &SyntaxNode, types: &TypesInText) -> Names {
        let items = collect::collect(root);
        let mut names = resolve::resolve(root, types, items);
        names.uses.sort_by_key(|one| (one.span, one.of));
        names.uses.dedup();
        names
    }

    /// The definition.
    pub fn definition(&self, id: DefinitionId) -> &Definition {
        &self.definitions[id.0]
    }

    /// With their numbers.
    pub fn all(&self) -> impl Iterator<Item = (DefinitionId, &Definition)> {
        let rows = self.definitions.iter().enumerate();
        rows.map(|(at, row)| (DefinitionId(at), row))
    }

    /// What the name at an offset means, and where that name stands. Of a field and a variable at one place, the
    /// variable.
    pub fn at(&self, offset: u32) -> Option<(DefinitionId, Span)> {
        let covers = |span: Span| span.start <= offset && offset <= span.end;
        let defined = self.all().filter(|(_, row)| covers(row.span));
        if let Some((id, row)) = defined.max_by_key(|(_, row)| row.kind.is_local()) {
            return Some((id, row.span));
        }
        let near = self.uses.partition_point(|one| one.span.end < offset);
        let rows = self.uses[near..].iter();
        let mut found = rows.take_while(|one| one.span.start <= offset);
        found
            .find(|one| covers(one.span))
            .map(|one| (one.of, one.span))
    }

    /// Where a definition is used, without the definition itself.
    pub fn uses_of(&self, id: DefinitionId) -> impl Iterator<Item = &Use> {
        self.uses.iter().filter(move |one| one.of == id)
    }

    /// The definition whose name stands exactly there.
    pub fn defined_at(&self, span: Span) -> Option<DefinitionId> {
        let mut rows = self.all().filter(|(_, row)| row.span == span);
        rows.next().map(|(id, _)| id)
    }

    /// Local names that can be used at an offset, innermost last.
    pub fn locals_at(&self, offset: u32) -> impl Iterator<Item = &Definition> {
        self.definitions.iter().filter(move |row| {
            row.kind.is_local() && row.visible.start <= offset && offset <= row.visible.end
        })
    }
}
