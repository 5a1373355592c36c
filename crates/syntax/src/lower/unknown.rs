//! Names that mean nothing where they stand, and what may have been meant.

use super::Lowering;
use super::codes::names::{
    UNKNOWN_ACTION, UNKNOWN_FIELD, UNKNOWN_MESSAGE, UNKNOWN_NAME, UNKNOWN_TYPE, UNKNOWN_VARIANT,
};
use super::unit::Home;
use crate::ast;
use crate::names::near;
use plainsong_diagnostics::{Code, Diagnostic};
use plainsong_ir::{EnumId, FamilyId, StructId};

/// Past this many mistakes nobody reads on, and looking for near names takes time.
const MAX_SUGGESTIONS: usize = 100;

impl Lowering<'_> {
    /// Asks "did you mean …?" if a known name is near the one written, and offers to write it.
    pub(crate) fn suggest<'a>(
        &self,
        diagnostic: Diagnostic,
        name: &ast::Name,
        known: impl IntoIterator<Item = &'a str>,
    ) -> Diagnostic {
        if self.errors >= MAX_SUGGESTIONS {
            return diagnostic;
        }
        let near = near(name.text(), known);
        let Some(&first) = near.first() else {
            return diagnostic;
        };
        let listed: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
        diagnostic
            .help(format!("did you mean {}?", listed.join(" or ")))
            .fix(
                format!("write `{first}`"),
                vec![(name.span(), first.to_owned())],
            )
    }

    /// "there is no enum `E`", or what `E` is instead.
    fn unknown(&self, code: &'static Code, name: &ast::Name, wanted: &str) -> Diagnostic {
        let text = name.text();
        let declared = self
            .names
            .items
            .get(text)
            .map(|item| (item.what.describe(), item.span));
        let declared = declared.or(self
            .names
            .signals
            .get(text)
            .map(|signal| (signal.what.describe(), signal.span)));
        let article = if wanted.starts_with(['a', 'e']) {
            "an"
        } else {
            "a"
        };
        match declared {
            Some((what, span)) => {
                let message = format!("`{text}` is {what}, not {article} {wanted}");
                Diagnostic::error(code, name.span(), message)
                    .also(span, format!("`{text}` is declared here"))
            }
            None => Diagnostic::error(code, name.span(), format!("there is no {wanted} `{text}`")),
        }
    }

    /// Reports a name that is not declared.
    pub(crate) fn unknown_name(&mut self, name: &ast::Name) {
        let text = name.text();
        if self.names.is_doubtful(text) {
            return;
        }
        if let Home::EndpointStart(_) = self.unit.home
            && self.names.endpoints.contains_key(text)
        {
            return self.foreign_start(name);
        }
        let message = format!("`{text}` is not declared");
        let mut diagnostic = Diagnostic::error(&UNKNOWN_NAME, name.span(), message);
        if let Some(local) = self
            .unit
            .locals
            .iter()
            .rev()
            .find(|local| local.name == text)
        {
            diagnostic = diagnostic.also(local.span, format!("this `{text}` ended with its block"));
        }
        let diagnostic = match self.elsewhere(text) {
            Some(help) => diagnostic.help(help),
            None => self.suggest(diagnostic, name, self.visible_names()),
        };
        self.report(diagnostic);
    }

    /// Reports a variable of an endpoint that starts with the state of another one.
    fn foreign_start(&mut self, name: &ast::Name) {
        let text = name.text();
        let message = format!("an endpoint cannot start with the state of `{text}`");
        let help = "endpoints start alone, from parameters and constants; transfer it in a first statement";
        self.report(Diagnostic::error(&UNKNOWN_NAME, name.span(), message).help(help));
    }

    /// What the name means in other places.
    fn elsewhere(&self, text: &str) -> Option<String> {
        let owner = self
            .families
            .iter()
            .position(|f| f.vars.iter().any(|v| v.name == text));
        if let Some(owner) = owner {
            let owner = self.family_form(FamilyId::from(owner));
            return Some(match self.unit.home {
                Home::Property | Home::Line(_) => format!("did you mean `{owner}.{text}`?"),
                _ => format!("`{text}` belongs to `{owner}`; processes share nothing"),
            });
        }
        let signal = self.names.signals.get(text)?;
        Some(format!(
            "`{text}` is {}; it is not a value",
            signal.what.describe()
        ))
    }

    /// Every name that an expression could use here.
    fn visible_names(&self) -> impl Iterator<Item = &str> {
        let own = self
            .unit
            .home
            .own_family()
            .map(|family| &self.names.vars[family.index()]);
        self.unit
            .scope
            .names()
            .chain(
                own.into_iter()
                    .flat_map(|vars| vars.keys().map(String::as_str)),
            )
            .chain(self.names.items.keys().map(String::as_str))
            .chain(self.names.variants.keys().map(String::as_str))
            .chain(self.names.endpoints.keys().map(String::as_str))
    }

    /// Reports a call of something that is not declared.
    pub(crate) fn unknown_function(&mut self, name: &ast::Name) {
        const METHODS: [&str; 7] = ["len", "min", "max", "contains", "first", "last", "unwrap"];
        let text = name.text();
        if self.names.is_doubtful(text) {
            return;
        }
        let diagnostic = self.unknown(&UNKNOWN_NAME, name, "function");
        let diagnostic = if METHODS.contains(&text) {
            diagnostic.help(format!("it is a method: write `value.{text}(…)`"))
        } else {
            let functions = self.functions.iter().map(|function| function.name.as_str());
            let variants = self.names.variants.keys().map(String::as_str);
            self.suggest(diagnostic, name, functions.chain(variants))
        };
        self.report(diagnostic);
    }

    /// Reports a type that is not declared.
    pub(crate) fn unknown_type(&mut self, name: &ast::Name) {
        let text = name.text();
        if self.names.is_doubtful(text) {
            return;
        }
        let diagnostic = self.unknown(&UNKNOWN_TYPE, name, "type");
        let diagnostic = match foreign_type(text) {
            Some(help) => diagnostic.help(help),
            None => {
                let declared = self
                    .names
                    .items
                    .iter()
                    .filter(|(_, item)| item.what.is_type());
                let built_in = ["bool", "int", "nat", "process"];
                let known = declared.map(|(name, _)| name.as_str()).chain(built_in);
                let mut diagnostic = self.suggest(diagnostic, name, known);
                if !self.names.items.contains_key(text) {
                    let help = || format!("declare it, for example `sort {text};`");
                    diagnostic.help.get_or_insert_with(help);
                }
                diagnostic
            }
        };
        self.report(diagnostic);
    }

    /// Reports the name of an enum before `::` that is none.
    pub(crate) fn unknown_enum(&mut self, name: &ast::Name) {
        if self.names.is_doubtful(name.text()) {
            return;
        }
        let known = self.types.enums.iter().map(|decl| decl.name.as_str());
        self.report(self.suggest(self.unknown(&UNKNOWN_TYPE, name, "enum"), name, known));
    }

    /// Reports the name of a struct before `{` that is none.
    pub(crate) fn unknown_struct(&mut self, name: &ast::Name) {
        if self.names.is_doubtful(name.text()) {
            return;
        }
        let known = self.types.structs.iter().map(|decl| decl.name.as_str());
        self.report(self.suggest(self.unknown(&UNKNOWN_TYPE, name, "struct"), name, known));
    }

    /// Reports the name of a process that is none.
    pub(crate) fn unknown_process(&mut self, name: &ast::Name) {
        if self.names.is_doubtful(name.text()) {
            return;
        }
        let known = self.families[..self.process_count]
            .iter()
            .map(|family| family.name.as_str());
        self.report(self.suggest(self.unknown(&UNKNOWN_NAME, name, "process"), name, known));
    }

    /// Reports a message or action that is not declared.
    pub(crate) fn unknown_signal(&mut self, name: &ast::Name, wanted: &str) {
        let text = name.text();
        if self.names.is_doubtful(text) {
            return;
        }
        let code = if wanted == "action" {
            &UNKNOWN_ACTION
        } else {
            &UNKNOWN_MESSAGE
        };
        let diagnostic = self.unknown(code, name, wanted);
        if self.names.signals.contains_key(text) {
            self.report(diagnostic);
            return;
        }
        let known = self.names.signals.keys().map(String::as_str);
        let mut diagnostic = self.suggest(diagnostic, name, known);
        if wanted == "message" {
            diagnostic
                .help
                .get_or_insert_with(|| format!("declare it: `message {text};`"));
        }
        self.report(diagnostic);
    }

    /// Reports a variant that the enum does not have.
    pub(crate) fn unknown_variant(&mut self, id: EnumId, name: &ast::Name) {
        let decl = &self.types.enums[id.index()];
        let message = format!("`{}` has no variant `{}`", decl.name, name.text());
        let known = decl.variants.iter().map(|variant| variant.name.as_str());
        let diagnostic = Diagnostic::error(&UNKNOWN_VARIANT, name.span(), message)
            .also(decl.span, format!("`{}` is declared here", decl.name));
        self.report(self.suggest(diagnostic, name, known));
    }

    /// Reports a field that the struct does not have.
    pub(crate) fn unknown_field(&mut self, id: StructId, name: &ast::Name) {
        let decl = &self.types.structs[id.index()];
        let message = format!("`{}` has no field `{}`", decl.name, name.text());
        let known = decl.fields.iter().map(|(field, _)| field.as_str());
        let diagnostic = Diagnostic::error(&UNKNOWN_FIELD, name.span(), message)
            .also(decl.span, format!("`{}` is declared here", decl.name));
        self.report(self.suggest(diagnostic, name, known));
    }
}

/// What a type of another language is called here.
fn foreign_type(name: &str) -> Option<String> {
    let here = match name {
        "boolean" | "Bool" | "Boolean" => "bool",
        "integer" | "Int" | "i32" | "i64" | "isize" => "int",
        "Nat" | "u8" | "u32" | "u64" | "usize" => "nat",
        "Option" => "option<…>",
        "Set" | "HashSet" => "set<…>",
        "Vec" | "list" | "List" | "Seq" => "seq<…>",
        "Map" | "HashMap" => "map<…, …>",
        "string" | "String" | "str" => {
            return Some("there are no strings; use an enum for a fixed set of words".to_owned());
        }
        _ => return None,
    };
    Some(format!("did you mean `{here}`?"))
}
