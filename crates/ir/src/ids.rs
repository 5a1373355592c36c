//! Dense ids: indices into the tables of a [`Song`](crate::Song).

macro_rules! ids {
    ($($(#[$meta:meta])* $name:ident),* $(,)?) => {$(
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// As an index into its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            fn from(index: usize) -> Self {
                $name(u32::try_from(index).expect("a table has fewer than 2^32 rows"))
            }
        }
    )*};
}

ids! {
    /// Into [`Song::sorts`](crate::Song::sorts).
    SortId,
    /// Into [`Song::enums`](crate::Song::enums).
    EnumId,
    /// Into [`Song::structs`](crate::Song::structs).
    StructId,
    /// Into [`Song::consts`](crate::Song::consts): constants and parameters.
    ConstId,
    /// Into [`Song::functions`](crate::Song::functions).
    FnId,
    /// Into [`Song::families`](crate::Song::families): processes and endpoints alike.
    FamilyId,
    /// Into a family's [`vars`](crate::Family::vars).
    VarId,
    /// Into [`Voices::messages`](crate::Voices::messages).
    MessageId,
    /// Into [`Actions::globals`](crate::Actions::globals).
    GlobalId,
    /// Into [`Actions::actions`](crate::Actions::actions).
    ActionId,
    /// Into [`Actions::invariants`](crate::Actions::invariants).
    InvariantId,
    /// Into [`Actions::procedures`](crate::Actions::procedures).
    ProcedureId,
    /// Into the table of locals of the code it occurs in.
    LocalId,
}
