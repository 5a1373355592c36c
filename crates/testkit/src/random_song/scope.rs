//! What code being written may use.

use super::composer::Composer;
use plainsong_ir::{FamilyId, Local, LocalId, Root, Ty};

/// Where code stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Home {
    /// Constants, constraints, functions.
    #[default]
    Closed,
    /// The first value of a variable of a process.
    Start,
    /// The first value of a variable of an endpoint.
    EndpointStart,
    /// The first value of a global.
    GlobalStart,
    /// Statements of a process.
    Body,
    Handler,
    /// `init` of processes.
    VoicesInit,
    /// Actions and their `init`.
    Action,
    /// A choreography.
    Line,
    /// A property about the system, if there is one.
    SystemProperty,
    /// A property about a choreography.
    LineProperty,
}

/// The code being written.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    pub(super) home: Home,
    pub(super) locals: Vec<Local>,
    pub(super) visible: Vec<LocalId>,
    /// The process or endpoint whose variables are its own, and how many are known.
    pub(super) own: Option<(FamilyId, usize)>,
    /// How many globals are known.
    pub(super) globals: usize,
    /// The families whose variables can be named.
    pub(super) endpoints: Vec<FamilyId>,
    /// May `old` stand here?
    pub(super) old: bool,
    /// How many loops are open.
    pub(super) loops: usize,
    /// The variable that a candidate hides.
    pub(super) hidden: Option<Root>,
}

impl Scope {
    pub(super) fn new(home: Home) -> Scope {
        Scope {
            home,
            ..Scope::default()
        }
    }
}

impl Composer {
    /// Adds a local and makes it visible.
    pub(super) fn bind(&mut self, name: String, ty: Ty, mutable: bool) -> LocalId {
        let id = LocalId::from(self.scope.locals.len());
        self.scope.locals.push(Local {
            name,
            ty,
            mutable,
            span: Default::default(),
        });
        self.scope.visible.push(id);
        id
    }

    /// Adds a local with a name of its own choice.
    pub(super) fn bind_fresh(&mut self, ty: Ty) -> LocalId {
        let name = self.local_name();
        self.bind(name, ty, false)
    }

    /// Names bound inside end with it.
    pub(super) fn scoped<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.scope.visible.len();
        let written = write(self);
        self.scope.visible.truncate(before);
        written
    }

    /// Writes a piece of code in a scope of its own.
    pub(super) fn within<T>(
        &mut self,
        scope: Scope,
        write: impl FnOnce(&mut Self) -> T,
    ) -> (T, Vec<Local>) {
        let outer = std::mem::replace(&mut self.scope, scope);
        let written = write(self);
        let inner = std::mem::replace(&mut self.scope, outer);
        (written, inner.locals)
    }
}
