//! First pass over a file: which items there are and what their names mean.
//!
//! Items get their ids here, in the order of the text; processes come before endpoints. An item in
//! which the parser found a mistake is left out, and the names in it become doubtful.

use super::{Declared, Endpoint, Item, Names, Signal};
use crate::ast::{self, AstNode};
use crate::kinds::{SyntaxKind, SyntaxNode};
use crate::lower::codes::names::DUPLICATE_NAME;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{
    ActionId, ConstId, EnumId, FamilyId, FnId, GlobalId, InvariantId, MessageId, ProcedureId,
    SortId, StructId,
};
use std::collections::HashMap;

/// The items of a file, by kind; the position of an item is its id.
#[derive(Default)]
pub(crate) struct Declarations {
    pub(crate) sorts: Vec<ast::SortItem>,
    pub(crate) enums: Vec<ast::EnumItem>,
    pub(crate) structs: Vec<ast::StructItem>,
    pub(crate) consts: Vec<ConstOrParam>,
    pub(crate) functions: Vec<ast::FnItem>,
    pub(crate) messages: Vec<ast::MessageItem>,
    pub(crate) processes: Vec<ast::ProcessItem>,
    pub(crate) globals: Vec<ast::VarDecl>,
    pub(crate) actions: Vec<ast::ActionItem>,
    pub(crate) inits: Vec<ast::InitItem>,
    pub(crate) lines: Vec<ast::ChoreographyItem>,
    pub(crate) lemmas: Vec<ast::LemmaItem>,
    pub(crate) properties: Vec<ast::PropertyItem>,
    pub(crate) constraints: Vec<ast::ConstraintItem>,
    pub(crate) sizes: Vec<ast::SizeItem>,
    pub(crate) faults: Vec<ast::FaultItem>,
    pub(crate) invariants: Vec<ast::InvariantItem>,
    pub(crate) procedures: Vec<ast::ProcedureItem>,
    pub(crate) sequences: Vec<ast::SequentializeItem>,
    pub(crate) commutes: Vec<ast::CommuteItem>,
    pub(crate) layers: Vec<ast::LayersItem>,
}

/// What [`Song::consts`](plainsong_ir::Song::consts) has in one table.
pub(crate) enum ConstOrParam {
    Const(ast::ConstItem),
    Param(ast::ParamItem),
}

/// Collects the items of `song` and their names.
pub(crate) fn declare(
    song: &ast::Song,
    syntax_errors: &[Diagnostic],
    diagnostics: &mut Vec<Diagnostic>,
) -> (Declarations, Names) {
    let mut collector = Collector {
        items: Declarations::default(),
        names: Names::default(),
        diagnostics,
    };
    let broken = Broken::new(syntax_errors);
    for node in song.syntax().children() {
        match ast::Item::cast(node.clone()) {
            Some(item) if !broken.contains(item.span()) => collector.item(item),
            _ => collector.doubt(&node),
        }
    }
    collector.endpoints();
    (collector.items, collector.names)
}

/// Where the parser found mistakes, ascending.
struct Broken(Vec<u32>);

impl Broken {
    fn new(errors: &[Diagnostic]) -> Self {
        let mut starts: Vec<u32> = errors
            .iter()
            .map(|error| error.primary.span.start)
            .collect();
        starts.sort_unstable();
        Broken(starts)
    }

    /// Is there a mistake inside `item` or right after it? One at its very first token belongs to
    /// what came before.
    fn contains(&self, item: Span) -> bool {
        let first = self.0.partition_point(|&start| start <= item.start);
        self.0.get(first).is_some_and(|&start| start <= item.end)
    }
}

struct Collector<'d> {
    items: Declarations,
    names: Names,
    diagnostics: &'d mut Vec<Diagnostic>,
}

impl Collector<'_> {
    fn item(&mut self, item: ast::Item) {
        match item {
            ast::Item::Sort(item) => {
                let id = SortId::from(self.items.sorts.len());
                self.name(item.name(), Item::Sort(id));
                self.items.sorts.push(item);
            }
            ast::Item::Enum(item) => self.enumeration(item),
            ast::Item::Struct(item) => {
                let id = StructId::from(self.items.structs.len());
                self.name(item.name(), Item::Struct(id));
                self.items.structs.push(item);
            }
            ast::Item::Const(item) => {
                self.constant(item.name());
                self.items.consts.push(ConstOrParam::Const(item));
            }
            ast::Item::Param(item) => {
                self.constant(item.name());
                self.items.consts.push(ConstOrParam::Param(item));
            }
            ast::Item::Fn(item) => {
                let id = FnId::from(self.items.functions.len());
                self.name(item.name(), Item::Function(id));
                self.items.functions.push(item);
            }
            ast::Item::Message(item) => {
                let id = MessageId::from(self.items.messages.len());
                self.signal(item.name(), Signal::Message(id));
                self.items.messages.push(item);
            }
            ast::Item::Process(item) => {
                let id = FamilyId::from(self.items.processes.len());
                self.name(item.name(), Item::Family(id));
                self.items.processes.push(item);
            }
            ast::Item::Var(item) => {
                let id = GlobalId::from(self.items.globals.len());
                self.name(item.name(), Item::Global(id));
                self.items.globals.push(item);
            }
            ast::Item::Action(item) => {
                let id = ActionId::from(self.items.actions.len());
                self.signal(item.name(), Signal::Action(id));
                self.items.actions.push(item);
            }
            ast::Item::Init(item) => self.items.inits.push(item),
            ast::Item::Choreography(item) => self.line(item),
            ast::Item::Lemma(item) => self.lemma(item),
            ast::Item::Property(item) => self.property(item),
            ast::Item::Constraint(item) => self.constraint(item),
            ast::Item::Size(item) => self.items.sizes.push(item),
            ast::Item::Fault(item) => self.items.faults.push(item),
            ast::Item::Invariant(item) => {
                let id = InvariantId::from(self.items.invariants.len());
                self.signal(item.name(), Signal::Invariant(id));
                self.items.invariants.push(item);
            }
            ast::Item::Procedure(item) => {
                let id = ProcedureId::from(self.items.procedures.len());
                self.signal(item.name(), Signal::Procedure(id));
                self.items.procedures.push(item);
            }
            ast::Item::Sequentialize(item) => self.items.sequences.push(item),
            ast::Item::Commute(item) => self.items.commutes.push(item),
            ast::Item::Layers(item) => self.items.layers.push(item),
        }
    }

    fn enumeration(&mut self, item: ast::EnumItem) {
        let id = EnumId::from(self.items.enums.len());
        self.name(item.name(), Item::Enum(id));
        for (at, variant) in item.variants().enumerate() {
            if let Some(name) = variant.name() {
                let rows = self
                    .names
                    .variants
                    .entry(name.text().to_owned())
                    .or_default();
                if rows.last().is_none_or(|&(last, _)| last != id) {
                    rows.push((id, at));
                }
            }
        }
        self.items.enums.push(item);
    }

    fn constant(&mut self, name: Option<ast::Name>) {
        let id = ConstId::from(self.items.consts.len());
        self.name(name, Item::Const(id));
    }

    fn line(&mut self, item: ast::ChoreographyItem) {
        let what = self.items.lines.len();
        if let Some(name) = item.name()
            && let Some(new) = self.new_line(&name, what)
        {
            self.names.lines.insert(name.text().to_owned(), new);
        }
        self.items.lines.push(item);
    }

    fn lemma(&mut self, item: ast::LemmaItem) {
        let what = self.items.lemmas.len();
        if let Some(name) = item.name()
            && let Some(new) = self.new_line(&name, what)
        {
            self.names.lemmas.insert(name.text().to_owned(), new);
        }
        self.items.lemmas.push(item);
    }

    /// Choreographies and lemmas share their names.
    fn new_line(&mut self, name: &ast::Name, what: usize) -> Option<Declared<usize>> {
        let span = name.span();
        let line = self.names.lines.get(name.text());
        match (line, self.names.lemmas.get(name.text())) {
            (Some(earlier), _) => self.twice(name, "a choreography", earlier.span),
            (_, Some(earlier)) => self.twice(name, "a lemma", earlier.span),
            (None, None) => return Some(Declared { what, span }),
        }
        None
    }

    fn property(&mut self, item: ast::PropertyItem) {
        self.new_claim(item.name());
        self.items.properties.push(item);
    }

    fn constraint(&mut self, item: ast::ConstraintItem) {
        self.new_claim(item.name());
        self.items.constraints.push(item);
    }

    /// Properties and constraints share their names.
    fn new_claim(&mut self, name: Option<ast::Name>) {
        let Some(name) = name else { return };
        match self.names.properties.get(name.text()).copied() {
            Some(earlier) => self.twice(&name, "a property or constraint", earlier),
            None => {
                let properties = &mut self.names.properties;
                properties.insert(name.text().to_owned(), name.span());
            }
        }
    }

    /// Numbers the endpoints of all choreographies, after the processes.
    fn endpoints(&mut self) {
        let mut next = self.items.processes.len();
        for line in 0..self.items.lines.len() {
            let body = self.items.lines[line].body();
            let mut seen: HashMap<String, Span> = HashMap::new();
            for endpoint in body.iter().flat_map(ast::ChoreographyBody::endpoints) {
                let family = FamilyId::from(next);
                next += 1;
                let Some(name) = endpoint.name() else {
                    continue;
                };
                match seen.get(name.text()) {
                    Some(&earlier) => self.twice(&name, "an endpoint", earlier),
                    None => {
                        seen.insert(name.text().to_owned(), name.span());
                        let rows = self
                            .names
                            .endpoints
                            .entry(name.text().to_owned())
                            .or_default();
                        rows.push(Endpoint { line, family });
                    }
                }
            }
        }
    }

    fn name(&mut self, name: Option<ast::Name>, what: Item) {
        let Some(name) = name else { return };
        match self.names.items.get(name.text()).copied() {
            Some(earlier) => self.twice(&name, earlier.what.describe(), earlier.span),
            None => {
                let new = Declared {
                    what,
                    span: name.span(),
                };
                self.names.items.insert(name.text().to_owned(), new);
            }
        }
    }

    fn signal(&mut self, name: Option<ast::Name>, what: Signal) {
        let Some(name) = name else { return };
        match self.names.signals.get(name.text()).copied() {
            Some(earlier) => self.twice(&name, earlier.what.describe(), earlier.span),
            None => {
                let new = Declared {
                    what,
                    span: name.span(),
                };
                self.names.signals.insert(name.text().to_owned(), new);
            }
        }
    }

    fn twice(&mut self, name: &ast::Name, what: &str, earlier: Span) {
        self.diagnostics.push(declared_twice(name, what, earlier));
    }

    fn doubt(&mut self, node: &SyntaxNode) {
        for element in node.descendants_with_tokens() {
            if let Some(token) = element.as_token()
                && token.kind() == SyntaxKind::Ident
            {
                self.names.doubt(token.text());
            }
        }
    }
}

/// "`x` is declared twice": it is already `what`, declared at `earlier`.
pub(crate) fn declared_twice(name: &ast::Name, what: &str, earlier: Span) -> Diagnostic {
    let text = name.text();
    Diagnostic::error(
        &DUPLICATE_NAME,
        name.span(),
        format!("`{text}` is declared twice"),
    )
    .label(format!("`{text}` is already {what}"))
    .also(earlier, "first declared here")
    .help("give one of them another name")
}
