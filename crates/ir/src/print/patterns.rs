//! Patterns as written in the text.

use super::layout::{Doc, join, list, text};
use super::references::variant_name;
use super::types::named;
use super::writer::Writer;
use crate::{Pattern, PatternKind, StructId};

impl Writer<'_> {
    /// A pattern; its names are bound from here on.
    pub(super) fn pattern(&mut self, pattern: &Pattern) -> Doc {
        match &pattern.kind {
            PatternKind::Wild => text("_"),
            PatternKind::Bind(local) => text(self.names.bind(*local)),
            PatternKind::Bool(value) => text(value.to_string()),
            PatternKind::Int(value) => text(value.to_string()),
            PatternKind::None => text("none"),
            PatternKind::Some(inner) => join([text("some("), self.pattern(inner), text(")")]),
            PatternKind::Tuple(parts) => list("(", self.patterns(parts), ")", Doc::Break),
            PatternKind::Variant(id, variant, parts) => {
                let name = variant_name(self.song, *id, *variant);
                self.applied(name, "(", parts, ")")
            }
            PatternKind::Pid(family, parts) => {
                let name = self.family_name(*family);
                self.applied(name, "[", parts, "]")
            }
            PatternKind::Struct(id, parts) => self.struct_pattern(*id, parts),
        }
    }

    fn patterns(&mut self, parts: &[Pattern]) -> Vec<Doc> {
        parts.iter().map(|part| self.pattern(part)).collect()
    }

    /// `name`, or `name(…)` when there are parts.
    fn applied(&mut self, name: String, open: &str, parts: &[Pattern], close: &str) -> Doc {
        if parts.is_empty() {
            return text(name);
        }
        list(
            &format!("{name}{open}"),
            self.patterns(parts),
            close,
            Doc::Break,
        )
    }

    fn struct_pattern(&mut self, id: StructId, parts: &[Pattern]) -> Doc {
        let decl = self.song.structs.get(id.index());
        let name = named(decl.map(|decl| &decl.name), "struct", id.0);
        let fields = parts.iter().enumerate().map(|(at, part)| {
            let field = self.field_name(id, at);
            let doc = self.pattern(part);
            match &part.kind {
                PatternKind::Bind(local) if self.names.name(*local) == field => doc,
                _ => join([text(format!("{field}: ")), doc]),
            }
        });
        list(&format!("{name} {{"), fields.collect(), "}", Doc::Line)
    }
}
