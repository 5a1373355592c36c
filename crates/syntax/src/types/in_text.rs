//! What has which type in a text, for editors.
//!
//! Names whose value is converted where they stand have two types at one place: the one that they have by themselves
//! is told.

use super::declared::DeclaredTypes;
use super::is_unknown;
use crate::lower::methods_of;
use plainsong_diagnostics::Span;
use plainsong_ir::Ty;

/// The types of expressions, patterns, places and declared names, by where they stand.
#[derive(Clone, Debug, Default)]
pub struct TypesInText {
    /// Ascending; of one place only one.
    rows: Vec<(Span, Ty)>,
    declared: DeclaredTypes,
}

impl TypesInText {
    pub(crate) fn new(mut rows: Vec<(Span, Ty)>, declared: DeclaredTypes) -> Self {
        rows.retain(|(span, ty)| span.start < span.end && !is_unknown(ty));
        // What was said last of a place is said of its innermost expression.
        rows.reverse();
        rows.sort_by_key(|(span, _)| *span);
        rows.dedup_by_key(|(span, _)| *span);
        TypesInText { rows, declared }
    }

    /// The type of what stands exactly there.
    pub fn at(&self, span: Span) -> Option<&Ty> {
        let at = self.rows.binary_search_by_key(&span, |(span, _)| *span);
        Some(&self.rows[at.ok()?].1)
    }

    /// The type as people write it; `_` for parts that are not known.
    pub fn show(&self, ty: &Ty) -> String {
        self.declared.show(ty)
    }

    /// The fields of a struct, with its name.
    pub fn fields(&self, ty: &Ty) -> Option<(&str, &[(String, Ty)])> {
        let Ty::Struct(id) = ty else { return None };
        let declared = self.declared.structs.get(id.index())?;
        Some((&declared.name, &declared.fields))
    }

    /// The name of an enum.
    pub fn enum_name(&self, ty: &Ty) -> Option<&str> {
        let Ty::Enum(id) = ty else { return None };
        Some(&self.declared.enums.get(id.index())?.name)
    }

    /// The built-in methods of values of the type.
    pub fn methods(&self, ty: &Ty) -> &'static [&'static str] {
        methods_of(ty)
    }
}

#[cfg(test)]
mod tests {
    use crate::analyse;
    use plainsong_diagnostics::Span;

    fn type_of(text: &str, what: &str) -> Option<String> {
        let analysed = analyse(text);
        let start = text.find(what).expect("it is in the text") as u32;
        let span = Span::new(start, start + what.len() as u32);
        let ty = analysed.types.at(span)?;
        Some(analysed.types.show(ty))
    }

    #[test]
    fn names_places_patterns_and_expressions_have_types() {
        let text = "
sort Db;
enum Vote { Yes, No }
struct Entry { term: nat, vote: Vote }
process p[d: Db] {
    var entry: Entry = Entry { term: 0, vote: No };
    let first = entry.term + 1;
    var seen = {};
    entry.vote = Yes;
    seen = { first };
    match entry.vote { Yes => { assert first in seen; } No => { } }
}
";
        assert_eq!(type_of(text, "seen"), Some("set<nat>".to_owned()));
        assert_eq!(type_of(text, "first"), Some("nat".to_owned()));
        assert_eq!(type_of(text, "entry.vote"), Some("Vote".to_owned()));
        assert_eq!(type_of(text, "entry.term + 1"), Some("nat".to_owned()));
        assert_eq!(type_of(text, "Yes =>"), None);
        assert_eq!(type_of(text, "{ first }"), Some("set<nat>".to_owned()));
    }

    #[test]
    fn mistakes_elsewhere_do_not_hide_types() {
        let text = "var x = 1;\naction A() { let y = x + 1; let z = nowhere; }\naction B() { }";
        assert_eq!(type_of(text, "y"), Some("int".to_owned()));
        assert_eq!(type_of(text, "x"), Some("int".to_owned()));
        assert_eq!(type_of(text, "z"), None);
    }
}
