//! Permissions: what the values of `linear` parameters and variables stand for.
//!
//! A value is a permission of its own type, unless an enum `splits` that type: then it stands for all variants of that
//! enum with the value in them, each of which is a permission and may be held without the others.

use crate::{EnumDecl, EnumId, Global, Ty};

/// The enum that splits permissions of a type.
pub fn split_by(enums: &[EnumDecl], ty: &Ty) -> Option<EnumId> {
    let at = enums
        .iter()
        .position(|one| one.splits.as_ref() == Some(ty))?;
    Some(EnumId::from(at))
}

/// The type of the permissions that a value of a type stands for.
pub fn permission_ty(enums: &[EnumDecl], ty: &Ty) -> Ty {
    split_by(enums, ty).map_or_else(|| ty.clone(), Ty::Enum)
}

/// Which variants of its elements a variable holds, if they are split.
pub fn variants_held(enums: &[EnumDecl], global: &Global) -> Option<Vec<usize>> {
    if let Some((_, variant)) = global.share {
        return Some(vec![variant]);
    }
    let id = split_by(enums, global.ty.element()?)?;
    Some((0..enums[id.index()].variants.len()).collect())
}
