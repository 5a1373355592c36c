//! Statements that all forms share.

use super::composer::Composer;
use super::normal;
use super::scope::Home;
use plainsong_ir::{
    Block, Choice, Domain, Expr, ExprKind, GlobalId, LoopClauses, Place, Root, Stmt, StmtKind, Ty,
    VarId,
};

impl Composer {
    /// A block with statements nested at most `depth` deep.
    pub(super) fn block(&mut self, depth: usize) -> Block {
        let most = self.size;
        self.scoped(|c| {
            (0..c.dice.between(0, 1 + most))
                .map(|_| c.stmt(depth))
                .collect()
        })
    }

    /// A block that is not empty.
    fn full_block(&mut self, depth: usize) -> Block {
        self.scoped(|c| {
            let first = c.stmt(depth);
            let rest = c.block(depth);
            std::iter::once(first).chain(rest).collect()
        })
    }

    /// A statement; the names it binds are visible from here on.
    pub(super) fn stmt(&mut self, depth: usize) -> Stmt {
        if depth > 0 && self.dice.once_in(3) {
            return self.compound(depth - 1);
        }
        match self.dice.below(12) {
            0 | 1 => self.let_stmt(),
            2 => self.let_choice(),
            3..=5 => self.assign(),
            6 => self.assign_choice(),
            7 => {
                let kind = if self.dice.once_in(2) {
                    StmtKind::Assert
                } else {
                    StmtKind::Assume
                };
                stmt(kind(self.condition()))
            }
            8 if self.scope.loops > 0 => stmt(if self.dice.once_in(2) {
                StmtKind::Break
            } else {
                StmtKind::Continue
            }),
            _ => self.communication(),
        }
    }

    fn compound(&mut self, depth: usize) -> Stmt {
        match self.dice.below(6) {
            0 | 1 => {
                let condition = self.condition();
                let yes = self.block(depth);
                let no = if self.dice.once_in(2) {
                    self.block(depth)
                } else {
                    Vec::new()
                };
                stmt(StmtKind::If(condition, yes, no))
            }
            2 => self.match_stmt(depth),
            3 if self.scope.home != Home::Action => {
                let condition = if self.dice.once_in(3) {
                    normal::boolean(true)
                } else {
                    self.condition()
                };
                let clauses = self.clauses();
                let body = self.in_loop(|c| c.block(depth));
                stmt(StmtKind::While(condition, clauses, body))
            }
            4 => {
                let yes = self.full_block(depth);
                let no = if self.dice.once_in(2) {
                    self.block(depth)
                } else {
                    Vec::new()
                };
                stmt(StmtKind::Maybe(yes, no))
            }
            _ => self.for_stmt(depth),
        }
    }

    /// What is particular to a form; where there is nothing, an assertion.
    fn communication(&mut self) -> Stmt {
        match self.scope.home {
            Home::Body if self.dice.once_in(2) => self.receive(),
            Home::Body | Home::Handler | Home::VoicesInit => self.send(),
            Home::Action => self.async_stmt(),
            _ => stmt(StmtKind::Assert(self.condition())),
        }
    }

    pub(super) fn condition(&mut self) -> Expr {
        let depth = self.depth();
        self.check(&Ty::Bool, depth)
    }

    fn let_stmt(&mut self) -> Stmt {
        let depth = self.depth();
        let ty = self.ty(2);
        let mutable = self.scope.home != Home::Line && self.dice.once_in(2);
        let value = if mutable {
            self.check(&ty, depth)
        } else {
            self.initial(&ty, depth)
        };
        let name = self.local_name();
        stmt(StmtKind::Let(self.bind(name, ty, mutable), value))
    }

    fn let_choice(&mut self) -> Stmt {
        let depth = self.depth();
        let (domain, ty) = self.choice_domain(depth);
        let mutable = self.scope.home != Home::Line && self.dice.once_in(2);
        let name = self.local_name();
        let local = self.bind(name, ty, mutable);
        let filter = self.filter(depth);
        stmt(StmtKind::LetChoice(Choice {
            local,
            domain,
            filter,
        }))
    }

    /// What `choose` takes values from: a type, or a collection that is not all of a type.
    fn choice_domain(&mut self, depth: usize) -> (Domain, Ty) {
        if self.dice.once_in(2) {
            let ty = self.domain_ty();
            return (Domain::Type(ty.clone()), ty);
        }
        let set = self.elements(depth);
        let element = set.ty.element().cloned().unwrap_or(Ty::Bool);
        match set.kind {
            ExprKind::All(_) => (Domain::Type(element.clone()), element),
            _ => (Domain::In(set), element),
        }
    }

    /// A type that can be written after `choose`.
    fn domain_ty(&mut self) -> Ty {
        self.enumerable_ty()
    }

    /// A choice of a value of type `ty` for a variable called `name`.
    pub(super) fn choice_of(&mut self, ty: &Ty, name: String, depth: usize) -> Option<Choice> {
        let listed = self.is_soon_listed(ty);
        let domain = if listed && self.dice.once_in(2) {
            Domain::Type(ty.clone())
        } else {
            let set = self.synth(&Ty::Set(Box::new(ty.clone())), depth);
            match set.kind {
                ExprKind::All(_) if listed => Domain::Type(ty.clone()),
                ExprKind::All(_) => return None,
                _ => Domain::In(set),
            }
        };
        Some(self.scoped(|c| {
            let local = c.bind(name, ty.clone(), false);
            let filter = c.filter(depth);
            Choice {
                local,
                domain,
                filter,
            }
        }))
    }

    fn assign(&mut self) -> Stmt {
        let depth = self.depth();
        match self.place() {
            Some((place, ty)) => {
                let value = self.check(&ty, depth);
                stmt(StmtKind::Assign(place, value))
            }
            None => self.let_stmt(),
        }
    }

    fn assign_choice(&mut self) -> Stmt {
        let depth = self.depth();
        let Some((place, ty)) = self.place() else {
            return self.let_choice();
        };
        let family = self.scope.own.map(|(family, _)| family);
        let name = place.root.name(&self.song, &self.scope.locals, family);
        let name = name.unwrap_or_default().to_owned();
        self.scope.hidden = Some(place.root.clone());
        let choice = self.choice_of(&ty, name, depth);
        self.scope.hidden = None;
        match choice {
            Some(choice) => stmt(StmtKind::AssignChoice(place, choice)),
            None => {
                let value = self.check(&ty, depth);
                stmt(StmtKind::Assign(place, value))
            }
        }
    }

    /// Something that can be assigned here, with its type.
    fn place(&mut self) -> Option<(Place, Ty)> {
        let mut roots: Vec<Root> = Vec::new();
        for local in &self.scope.visible {
            if self.scope.locals[local.index()].mutable {
                roots.push(Root::Local(*local));
            }
        }
        if let Some((_, known)) = self.scope.own {
            roots.extend((0..known).map(|at| Root::Own(VarId::from(at))));
        }
        roots.extend((0..self.scope.globals).map(|at| Root::Global(GlobalId::from(at))));
        for family in self.scope.endpoints.clone() {
            let vars = self.song.families[family.index()].vars.len();
            if vars > 0 {
                let var = VarId::from(self.dice.below(vars));
                roots.push(Root::Of(family, Vec::new(), var));
            }
        }
        let mut root = self.dice.choose(&roots)?.clone();
        if let Root::Of(family, index, _) = &mut root {
            *index = self.index(*family, 0);
        }
        let family = self.scope.own.map(|(family, _)| family);
        let ty = root.ty(&self.song, &self.scope.locals, family)?.clone();
        let (path, ty) = self.path(ty);
        Some((
            Place {
                root,
                path,
                span: Default::default(),
            },
            ty,
        ))
    }

    fn match_stmt(&mut self, depth: usize) -> Stmt {
        let of = self.ty(1);
        let inner = self.depth();
        let scrutinee = self.synth(&of, inner);
        let mut arms = Vec::new();
        for shape in self.cover(&of, 2) {
            arms.push(self.scoped(|c| {
                let pattern = c.name_parts(shape, &of);
                (pattern, c.block(depth))
            }));
        }
        stmt(StmtKind::Match(scrutinee, arms))
    }

    fn for_stmt(&mut self, depth: usize) -> Stmt {
        let inner = self.depth();
        let (domain, ty) = self.loop_domain(inner);
        self.scoped(|c| {
            let local = c.bind_fresh(ty);
            let filter = c.filter(inner);
            let clauses = c.clauses();
            let body = c.in_loop(|c| c.block(depth));
            stmt(StmtKind::For {
                local,
                domain,
                filter,
                clauses,
                body,
            })
        })
    }

    /// What `for` and comprehensions go through; the name of a type stands for the set of its values.
    pub(super) fn loop_domain(&mut self, depth: usize) -> (Domain, Ty) {
        let ty = self.finite_ty();
        let composed = !matches!(ty, Ty::Bool | Ty::Sort(_) | Ty::Enum(_) | Ty::Struct(_));
        if composed && self.dice.once_in(2) {
            return (Domain::Type(ty.clone()), ty);
        }
        let set = self.elements(depth);
        let element = set.ty.element().cloned().unwrap_or(Ty::Bool);
        (Domain::In(set), element)
    }

    fn in_loop<T>(&mut self, write: impl FnOnce(&mut Self) -> T) -> T {
        self.scope.loops += 1;
        let written = write(self);
        self.scope.loops -= 1;
        written
    }

    fn clauses(&mut self) -> LoopClauses {
        if !self.dice.once_in(3) {
            return LoopClauses::default();
        }
        let depth = self.depth();
        self.scope.old = self.scope.home == Home::Line;
        let invariants = (0..self.dice.below(3))
            .map(|_| self.check(&Ty::Bool, depth))
            .collect();
        self.scope.old = false;
        let measures = match self.dice.once_in(2) {
            true => 1 + self.dice.below(2),
            false => 0,
        };
        let decreases = (0..measures)
            .map(|_| {
                let ty = self.number_ty();
                self.synth(&ty, depth)
            })
            .collect();
        LoopClauses {
            invariants,
            decreases,
        }
    }
}

/// A statement without a place in a text.
pub(super) fn stmt(kind: StmtKind) -> Stmt {
    Stmt {
        kind,
        span: Default::default(),
    }
}
