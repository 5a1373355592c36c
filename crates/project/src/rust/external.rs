//! The module `external`: the own code of the roles, which the user writes.
//!
//! It has a type for each role with [own code](super::own_code), a function that makes a value of it when the role begins, and
//! methods that say that they are not written yet. The file is made once: whoever writes files leaves it alone when
//! it is there ([`OWN_FILES`]).
//!
//! NOT COVERED. Clauses that speak about all numbers, sequences or the like (`forall n: int :: …`) cannot be looked
//! at; they are trusted. So is that the same arguments give the same result.

use super::names::{role_name, snake};
use super::own_code::OwnCode;
use super::{Emit, external_functions};
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Domain, Expr, ExprKind, Family, FamilyId, Song, Ty};
use std::collections::BTreeSet;

/// Files that belong to the user once they are there.
pub const OWN_FILES: [&str; 2] = ["src/external.rs", "Cargo.toml"];

/// Has one of the roles code that the user writes in Rust?
pub fn has_external(song: &Song) -> bool {
    has_own_code(&bare(song))
}

/// The external functions and inputs that a text of the module does not define.
pub fn missing<'s>(song: &'s Song, text: &str) -> Vec<&'s str> {
    let emit = bare(song);
    let mut names = BTreeSet::new();
    for (id, family) in families(song) {
        let Some(own) = emit.own_code(id) else {
            continue;
        };
        let inputs = own.inputs.iter().map(|at| &family.vars[at.index()]);
        names.extend(inputs.map(|var| (emit.input_name(&own, var), &*var.name)));
        for id in &own.functions {
            let function = &song.functions[id.index()];
            if function.is_external() {
                names.insert((snake(&function.name), &*function.name));
            }
        }
    }
    names.retain(|(in_rust, _)| !text.contains(&format!("fn {in_rust}(")));
    names.into_iter().map(|(_, name)| name).collect()
}

pub(super) fn has_own_code(emit: &Emit<'_>) -> bool {
    families(emit.song).any(|(id, _)| emit.own_code(id).is_some())
}

fn bare(song: &Song) -> Emit<'_> {
    Emit {
        song,
        text: "",
        problems: Default::default(),
        external: external_functions(song),
    }
}

fn families(song: &Song) -> impl Iterator<Item = (FamilyId, &Family)> {
    let families = song.families.iter().enumerate();
    families.map(|(at, family)| (at.into(), family))
}

/// The text of the module, if a role has own code.
pub(super) fn external(emit: &Emit<'_>) -> Option<String> {
    let own: Vec<_> = families(emit.song)
        .filter_map(|(id, family)| Some((family, emit.own_code(id)?)))
        .collect();
    if own.is_empty() {
        return None;
    }
    let modules: BTreeSet<String> = own.iter().map(|(one, _)| snake(&one.name)).collect();
    let modules: String = modules
        .iter()
        .map(|name| format!("use crate::{name};\n"))
        .collect();
    let body: String = own
        .iter()
        .map(|(family, own)| emit.yours(family, own))
        .collect();
    let types = super::crate_types(emit, &body).replace("use types", "use crate::types");
    Some(format!(
        "//! Own code of the roles: yours to write. `plainsong project` leaves this file alone once it is there.\n//!\n\
         //! Every method keeps its contract, and given the same arguments it returns the same value: that is what proofs\n\
         //! rest on. Contracts are looked at whenever a method is called and returns.\n\n\
         use crate::World;\n{modules}{types}{}{body}",
        super::imports(&body)
    ))
}

impl Emit<'_> {
    /// The own code of a role as the user finds it.
    fn yours(&self, family: &Family, own: &OwnCode) -> String {
        let (module, name) = (
            snake(&family.name),
            format!("{}Code", role_name(&family.name)),
        );
        let indices = family
            .index
            .iter()
            .map(|binder| format!(", _{}: {}", snake(&binder.name), self.ty(&binder.ty)));
        let indices: String = indices.collect();
        let unwritten = |head: String, name: &str| {
            let todo = format!("`{name}` is not written yet: src/external.rs is where it belongs");
            format!("    {head} {{\n        Err(Failure::new({todo:?}))\n    }}\n\n")
        };
        let inputs = own.inputs.iter().map(|at| &family.vars[at.index()]);
        let inputs = inputs.map(|var| unwritten(self.method_for(own, var, false), &var.name));
        let functions = self.asked(own);
        let functions = functions.map(|one| unwritten(self.method_of(one, false), &one.name));
        let methods: String = inputs.chain(functions).collect();
        format!(
            "\n/// What `{}` has of its own: a connection, a file, a user.\n#[derive(Debug)]\npub struct {name};\n\n\
             /// Called when `{}` begins.\n///\n/// # Errors\n///\n/// When it cannot begin.\n\
             pub fn {module}(_world: &World{indices}) -> Result<{name}, Failure> {{\n    Ok({name})\n}}\n\n\
             impl {module}::Code for {name} {{\n{}\n}}\n",
            family.name,
            family.name,
            methods.trim_end()
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
