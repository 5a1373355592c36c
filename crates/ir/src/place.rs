//! Types of places, and the names of their roots.

use crate::{Access, FamilyId, Local, Place, Root, Song, Ty, VarId};

impl Place {
    /// The type of what is written, in code with these locals and, if it has any, own variables.
    pub fn ty(&self, song: &Song, locals: &[Local], family: Option<FamilyId>) -> Option<Ty> {
        let mut ty = self.root.ty(song, locals, family)?.clone();
        for access in &self.path {
            ty = access.part_ty(song, &ty)?;
        }
        Some(ty)
    }
}

impl Root {
    /// The type of the whole variable.
    pub fn ty<'a>(
        &self,
        song: &'a Song,
        locals: &'a [Local],
        family: Option<FamilyId>,
    ) -> Option<&'a Ty> {
        match self {
            Root::Local(local) => Some(&locals.get(local.index())?.ty),
            Root::Own(var) => state_var_ty(song, family?, *var),
            Root::Of(family, _, var) => state_var_ty(song, *family, *var),
            Root::Global(id) => Some(&song.actions()?.globals.get(id.index())?.ty),
        }
    }

    /// The name of the variable.
    pub fn name<'a>(
        &self,
        song: &'a Song,
        locals: &'a [Local],
        family: Option<FamilyId>,
    ) -> Option<&'a str> {
        let state_var = |family: FamilyId, var: VarId| {
            Some(
                &*song
                    .families
                    .get(family.index())?
                    .vars
                    .get(var.index())?
                    .name,
            )
        };
        match self {
            Root::Local(local) => Some(&locals.get(local.index())?.name),
            Root::Own(var) => state_var(family?, *var),
            Root::Of(family, _, var) => state_var(*family, *var),
            Root::Global(id) => Some(&song.actions()?.globals.get(id.index())?.name),
        }
    }
}

impl Access {
    /// The type of the part it leads to, from a value of type `whole`.
    pub fn part_ty(&self, song: &Song, whole: &Ty) -> Option<Ty> {
        match (self, whole) {
            (Access::Field(at), Ty::Struct(id)) => {
                Some(song.structs.get(id.index())?.fields.get(*at)?.1.clone())
            }
            (Access::Project(at), Ty::Tuple(parts)) => parts.get(*at).cloned(),
            (Access::Index(_), Ty::Map(_, value)) => Some((**value).clone()),
            (Access::Index(_), Ty::Seq(element)) => Some((**element).clone()),
            _ => None,
        }
    }
}

/// The type of a state variable.
pub(crate) fn state_var_ty(song: &Song, family: FamilyId, var: VarId) -> Option<&Ty> {
    Some(&song.families.get(family.index())?.vars.get(var.index())?.ty)
}
