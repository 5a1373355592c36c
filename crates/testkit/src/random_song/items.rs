//! Constants, functions, properties and sizes.

use super::composer::Composer;
use super::names::Kind;
use super::scope::{Home, Scope};
use plainsong_ir::{
    Claim, Const, Fairness, Function, Property, Sizing, System, Temporal, TemporalOperator,
    TemporalPart, Ty,
};

const ENGINES: &[&str] = &[
    "states",
    "explore",
    "sequentialize",
    "diverge",
    "liveness",
    "refine",
    "project",
];

impl Composer {
    /// Constants and parameters; each may mention those before it.
    pub(super) fn constants_and_parameters(&mut self) {
        for _ in 0..self.dice.below(2 + self.size) {
            let name = self.item_name(Kind::Const);
            if self.dice.once_in(3) {
                self.parameter(name);
            } else {
                let ty = self.ty(2);
                let (value, locals) = self.within(Scope::default(), |c| {
                    let depth = c.depth();
                    c.check(&ty, depth)
                });
                let value = Some(value);
                let (constraint, span) = (None, Default::default());
                self.song.consts.push(Const {
                    name,
                    ty,
                    value,
                    constraint,
                    locals,
                    span,
                });
            }
        }
    }

    /// A parameter, whose condition may mention it.
    fn parameter(&mut self, name: String) {
        let ty = self.enumerable_ty();
        self.song.consts.push(Const {
            name,
            ty,
            value: None,
            constraint: None,
            locals: Vec::new(),
            span: Default::default(),
        });
        let (constraint, locals) = self.within(Scope::default(), |c| {
            let depth = c.depth();
            c.dice.once_in(2).then(|| c.check(&Ty::Bool, depth))
        });
        if let Some(decl) = self.song.consts.last_mut() {
            decl.constraint = constraint;
            decl.locals = locals;
        }
    }

    /// Functions; each may call those before it and itself.
    pub(super) fn pure_functions(&mut self) {
        for _ in 0..self.dice.below(2 + self.size) {
            let name = self.item_name(Kind::Function);
            let parameters = self.parameters();
            let result = self.ty(2);
            let types = parameters.iter().map(|row| row.ty.clone()).collect();
            self.functions.push((types, result.clone()));
            let arity = parameters.len();
            let visible = (0..arity).map(Into::into).collect();
            let scope = Scope {
                locals: parameters,
                visible,
                ..Scope::new(Home::Closed)
            };
            let (body, locals) = self.within(scope, |c| {
                let depth = c.depth();
                c.branch(&result, depth)
            });
            let span = Default::default();
            self.song.functions.push(Function {
                name,
                arity,
                locals,
                contract: Default::default(),
                result,
                body: Some(body),
                at: None,
                span,
            });
        }
    }

    /// Properties about the system, or about one choreography each.
    pub(super) fn all_properties(&mut self) {
        for _ in 0..self.dice.below(2 + self.size) {
            let name = self.item_name(Kind::Property);
            let mut engines: Vec<String> = Vec::new();
            while engines.len() < 2 && self.dice.once_in(4) {
                let engine = (*self.dice.pick(ENGINES)).to_owned();
                if !engines.contains(&engine) {
                    engines.push(engine);
                }
            }
            let sizes = if self.dice.once_in(4) {
                self.sizings()
            } else {
                Vec::new()
            };
            let scope = self.property_scope();
            let system = self.song.system != System::None;
            let (claim, locals) = self.within(scope, |c| match c.dice.below(5) {
                4 => Claim::Temporal(c.temporal()),
                0 if system => Claim::Quiescent {
                    fair: c.dice.once_in(2),
                },
                1 => Claim::Finally(c.condition()),
                _ => Claim::Always(c.condition()),
            });
            let span = Default::default();
            self.song.properties.push(Property {
                name,
                is_invariant: false,
                engines,
                sizes,
                claim,
                locals,
                span,
            });
        }
    }

    /// A temporal claim of one or two parts.
    fn temporal(&mut self) -> Temporal {
        let parts = (0..1 + self.dice.below(2)).map(|_| {
            let operator = *self.dice.pick(&[
                TemporalOperator::Eventually,
                TemporalOperator::InfinitelyOften,
                TemporalOperator::EventuallyAlways,
                TemporalOperator::LeadsTo,
            ]);
            let is_response = operator == TemporalOperator::LeadsTo;
            TemporalPart {
                measure: Vec::new(),
                bindings: Vec::new(),
                operator,
                premise: is_response.then(|| self.condition()),
                goal: self.condition(),
            }
        });
        let parts = parts.collect();
        let levels = [
            None,
            None,
            Some(Fairness::None),
            Some(Fairness::Weak),
            Some(Fairness::Strong),
        ];
        Temporal {
            parts,
            fairness: *self.dice.pick(&levels),
        }
    }

    fn property_scope(&mut self) -> Scope {
        let line = self.dice.below(self.song.lines.len() + 1);
        if let Some(line) = self.song.lines.get(line) {
            let endpoints = line.endpoints.clone();
            return Scope {
                endpoints,
                ..Scope::new(Home::LineProperty)
            };
        }
        match &self.song.system {
            System::None => Scope::new(Home::Closed),
            System::Voices(_) => {
                let endpoints = self.processes.clone();
                Scope {
                    endpoints,
                    ..Scope::new(Home::SystemProperty)
                }
            }
            System::Actions(actions) => {
                let globals = actions.globals.len();
                Scope {
                    globals,
                    ..Scope::new(Home::SystemProperty)
                }
            }
        }
    }

    /// Sizes for some sorts and parameters.
    pub(super) fn sizings(&mut self) -> Vec<Sizing> {
        let mut names: Vec<String> = Vec::new();
        for sort in &self.song.sorts {
            if sort.is_sized() {
                names.push(sort.name.clone());
            }
        }
        for decl in &self.song.consts {
            if decl.value.is_none() && decl.ty == Ty::Nat {
                names.push(decl.name.clone());
            }
        }
        names.retain(|_| self.dice.once_in(2));
        let sizings = names.into_iter().map(|name| {
            let low = self.dice.between(1, 3) as i64;
            let high = low + self.dice.below(2) as i64;
            Sizing {
                name,
                low,
                high,
                span: Default::default(),
            }
        });
        sizings.collect()
    }
}
