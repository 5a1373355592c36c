//! The module `external`: external functions, which the user writes.
//!
//! Roles call the function of the same name in `types`, which looks at what is required, calls the one here and
//! looks at what is promised. So what was proved of the line rests on functions that keep their contracts, and one
//! that does not is found out where it returns. The file is made once: whoever writes files leaves it alone when
//! it is there ([`OWN_FILES`]).
//!
//! NOT COVERED. Clauses that speak about all numbers, sequences or the like (`forall n: int :: …`) cannot be looked
//! at; they are trusted. So is that the same arguments give the same result.

use super::Emit;
use super::names::snake;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Domain, Expr, ExprKind, Function, Song, Ty};

/// Files that belong to the user once they are there.
pub const OWN_FILES: [&str; 2] = ["src/external.rs", "Cargo.toml"];

/// Has the song functions that the user writes in Rust?
pub fn has_external(song: &Song) -> bool {
    song.functions.iter().any(Function::is_external)
}

/// The external functions that a text of the module does not define.
pub fn missing<'s>(song: &'s Song, text: &str) -> Vec<&'s str> {
    let functions = song.functions.iter().filter(|one| one.is_external());
    functions
        .map(|function| &*function.name)
        .filter(|name| !text.contains(&format!("fn {}(", snake(name))))
        .collect()
}

/// The text of the module, if there are external functions.
pub(super) fn external(emit: &Emit<'_>) -> Option<String> {
    if !has_external(emit.song) {
        return None;
    }
    let functions = emit.song.functions.iter().filter(|one| one.is_external());
    let body: String = functions.map(|function| emit.yours(function)).collect();
    let types = super::crate_types(emit, &body).replace("use types", "use crate::types");
    Some(format!(
        "//! External functions: yours to write. `plainsong project` leaves this file alone once it is there.\n//!\n\
         //! Each of them keeps its contract, and given the same arguments it returns the same value: that is what proofs\n\
         //! rest on. Contracts are looked at whenever a function is called and returns. Several roles may call it at once.\n\n\
         use crate::World;\n{types}{}{body}",
        super::imports(&body)
    ))
}

impl Emit<'_> {
    /// An external function as the user finds it.
    fn yours(&self, function: &Function) -> String {
        let name = snake(&function.name);
        let parameters = function.locals[..function.arity].iter().map(|local| {
            let borrow = if self.is_copy(&local.ty) { "" } else { "&" };
            format!(", _{}: {borrow}{}", snake(&local.name), self.ty(&local.ty))
        });
        let parameters: String = parameters.collect();
        let clause = |word: &str, of: &Expr| {
            let text = self.written(of, &function.locals);
            format!("/// - {word} `{text}`\n")
        };
        let contract = &function.contract;
        let requires = contract.requires.iter().map(|of| clause("requires", of));
        let ensures = contract.ensures.iter().map(|of| clause("ensures", of));
        let clauses: String = requires.chain(ensures).collect();
        let clauses = match clauses.is_empty() {
            true => clauses,
            false => format!("///\n{clauses}"),
        };
        let todo = format!("`{name}` is not written yet: src/external.rs is where it belongs");
        format!(
            "\n/// `extern fn {}` of the song.\n{clauses}///\n/// # Errors\n///\n/// When it has no value.\n\
             pub fn {name}(_world: &World{parameters}) -> Result<{}, Undefined> {{\n    Err(Undefined::new({todo:?}))\n}}\n",
            function.name,
            self.ty(&function.result)
        )
    }
}

/// Can it be looked at, in a run? What goes through all values of an infinite type cannot.
pub(super) fn is_checkable(song: &Song, of: &Expr) -> bool {
    struct Infinite<'a>(&'a Song, bool);
    impl Visit for Infinite<'_> {
        fn expr(&mut self, of: &Expr) {
            match &of.kind {
                ExprKind::Quantifier(_, bindings, _) => {
                    let domains = bindings.iter().map(|binding| &binding.domain);
                    domains.for_each(|domain| self.goes_through(domain));
                }
                ExprKind::Comprehension(binding, _) => self.goes_through(&binding.domain),
                ExprKind::All(ty) => self.1 |= is_infinite(self.0, ty),
                ExprKind::MapOf(..) => {
                    self.1 |= matches!(&of.ty, Ty::Map(key, _) if is_infinite(self.0, key));
                }
                _ => {}
            }
            walk::expr(self, of);
        }
    }
    impl Infinite<'_> {
        fn goes_through(&mut self, domain: &Domain) {
            self.1 |= matches!(domain, Domain::Type(ty) if is_infinite(self.0, ty));
        }
    }
    let mut infinite = Infinite(song, false);
    infinite.expr(of);
    !infinite.1
}

fn is_infinite(song: &Song, ty: &Ty) -> bool {
    match ty {
        Ty::Int | Ty::Nat | Ty::Seq(_) | Ty::Bag(_) | Ty::Process => true,
        Ty::Bool | Ty::Sort(_) => false,
        Ty::Option(inner) | Ty::Set(inner) => is_infinite(song, inner),
        Ty::Map(key, value) => is_infinite(song, key) || is_infinite(song, value),
        Ty::Tuple(parts) => parts.iter().any(|part| is_infinite(song, part)),
        Ty::Struct(id) => {
            let fields = &song.structs[id.index()].fields;
            fields.iter().any(|(_, ty)| is_infinite(song, ty))
        }
        Ty::Enum(id) => {
            let variants = song.enums[id.index()].variants.iter();
            variants
                .flat_map(|variant| &variant.fields)
                .any(|ty| is_infinite(song, ty))
        }
    }
}
