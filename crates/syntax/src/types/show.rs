//! Types as people write them, for messages.

use super::declared::DeclaredTypes;
use super::holes::{is_hole, is_unknown};
use plainsong_ir::Ty;

/// With an indefinite article: "an int", "a set<Node>".
pub(crate) fn a(word: &str) -> String {
    let vowel = word
        .chars()
        .next()
        .is_some_and(|c| "aeiouAEIOU".contains(c));
    if word.starts_with('(') {
        format!("a tuple {word}")
    } else {
        format!("{} {word}", if vowel { "an" } else { "a" })
    }
}

impl DeclaredTypes {
    /// The type as written in a program; `_` for what is not known.
    pub(crate) fn show(&self, ty: &Ty) -> String {
        match ty {
            Ty::Bool => "bool".to_owned(),
            Ty::Int => "int".to_owned(),
            Ty::Nat => "nat".to_owned(),
            Ty::Process => "process".to_owned(),
            Ty::Sort(_) if is_hole(ty) || is_unknown(ty) => "_".to_owned(),
            Ty::Sort(id) => self.sorts[id.index()].name.clone(),
            Ty::Enum(id) => self.enums[id.index()].name.clone(),
            Ty::Struct(id) => self.structs[id.index()].name.clone(),
            Ty::Tuple(tys) => {
                let parts: Vec<String> = tys.iter().map(|ty| self.show(ty)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Option(inner) => format!("option<{}>", self.show(inner)),
            Ty::Set(inner) => format!("set<{}>", self.show(inner)),
            Ty::Bag(inner) => format!("bag<{}>", self.show(inner)),
            Ty::Seq(inner) => format!("seq<{}>", self.show(inner)),
            Ty::Map(key, value) => format!("map<{}, {}>", self.show(key), self.show(value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_follow_the_sound() {
        assert_eq!(a("int"), "an int");
        assert_eq!(a("bool"), "a bool");
        assert_eq!(a("(int, bool)"), "a tuple (int, bool)");
    }
}
