//! Messages and processes, and the statements with which they talk.

use super::composer::Composer;
use super::names::Kind;
use super::scope::{Home, Scope};
use super::stmts::stmt;
use plainsong_ir::{
    Accept, Binder, Body, Code, Delivery, Family, FamilyId, Handler, Local, Measures, Message,
    MessageId, Process, Source, StartValue, StateVar, Stmt, StmtKind, System, Ty, Voices,
};

impl Composer {
    /// Names the processes, so that everything can mention them.
    pub(super) fn declare_processes(&mut self) {
        for _ in 0..self.dice.between(1, 1 + self.size) {
            let family = self.family_head(Kind::Family);
            self.processes.push(family);
        }
    }

    /// A family without variables.
    pub(super) fn family_head(&mut self, kind: Kind) -> FamilyId {
        let name = self.item_name(kind);
        let count = if self.dice.once_in(2) {
            self.dice.between(1, 2)
        } else {
            0
        };
        let (index, _) = self.within(Scope::default(), |c| {
            let rows = (0..count).map(|_| {
                let ty = c.index_ty();
                let name = c.local_name();
                c.bind(name.clone(), ty.clone(), false);
                Binder { name, ty }
            });
            rows.collect()
        });
        self.song.families.push(Family {
            name,
            index,
            vars: Vec::new(),
            span: Default::default(),
        });
        FamilyId::from(self.song.families.len() - 1)
    }

    /// Declares messages with all delivery models.
    pub(super) fn declare_messages(&mut self) {
        for _ in 0..self.dice.between(1, 2 + self.size) {
            let name = self.item_name(Kind::Signal);
            let mut names: Vec<String> = Vec::new();
            for _ in 0..self.dice.below(3) {
                let field = self.name_apart_from(Kind::Field, &names);
                names.push(field);
            }
            let fields = names
                .into_iter()
                .map(|name| Binder {
                    name,
                    ty: self.ty(1),
                })
                .collect();
            let delivery = self.dice.choose(&Delivery::ALL).copied();
            let delivery = delivery.filter(|_| !self.dice.once_in(3));
            self.messages.push(Message {
                name,
                fields,
                delivery,
                measures: Measures::default(),
                order: Default::default(),
                most: None,
                span: Default::default(),
            });
        }
    }

    /// Writes all processes and `init`.
    pub(super) fn voices(&mut self) {
        for family in self.processes.clone() {
            self.state_vars(family, Home::Start, &[]);
        }
        let processes: Vec<Process> = self
            .processes
            .clone()
            .into_iter()
            .map(|family| self.process_decl(family))
            .collect();
        let init = self.dice.once_in(2).then(|| {
            let (body, locals) = self.within(Scope::new(Home::VoicesInit), |c| c.block(2));
            Code {
                arity: 0,
                locals,
                body,
            }
        });
        let messages = self.messages.clone();
        self.song.system = System::Voices(Voices {
            messages,
            processes,
            init,
            faults: Vec::new(),
            sequences: Vec::new(),
        });
    }

    /// Gives a family its variables; `parameters` are those of its choreography.
    pub(super) fn state_vars(&mut self, family: FamilyId, home: Home, parameters: &[Local]) {
        let mut names = Vec::new();
        for known in 0..self.dice.between(0, 1 + self.size) {
            let name = self.name_apart_from(Kind::State, &names);
            names.push(name.clone());
            let ty = self.ty(2);
            let mut scope = self.family_scope(family, home, parameters);
            scope.own = Some((family, known));
            let (start, locals) = self.within(scope, |c| c.start_value(&ty, &name));
            let var = StateVar {
                name,
                ty,
                start,
                locals,
                durable: false,
                is_input: false,
                span: Default::default(),
            };
            self.song.families[family.index()].vars.push(var);
        }
    }

    /// A scope that begins with the indices of a family and some parameters.
    pub(super) fn family_scope(&self, family: FamilyId, home: Home, parameters: &[Local]) -> Scope {
        let index = self.song.families[family.index()]
            .index
            .iter()
            .map(|row| Local {
                name: row.name.clone(),
                ty: row.ty.clone(),
                mutable: false,
                span: Default::default(),
            });
        let locals: Vec<Local> = index.chain(parameters.iter().cloned()).collect();
        let visible = (0..locals.len()).map(Into::into).collect();
        Scope {
            locals,
            visible,
            ..Scope::new(home)
        }
    }

    /// How a variable starts.
    pub(super) fn start_value(&mut self, ty: &Ty, name: &str) -> StartValue {
        let depth = self.depth();
        let choice = match self.dice.once_in(4) {
            true => self.choice_of(ty, name.to_owned(), depth),
            false => None,
        };
        match choice {
            Some(choice) => StartValue::Choice(choice),
            None => StartValue::Value(self.check(ty, depth)),
        }
    }

    fn process_decl(&mut self, family: FamilyId) -> Process {
        let handlers = self.dice.once_in(3);
        let home = if handlers { Home::Handler } else { Home::Body };
        let mut scope = self.family_scope(family, home, &[]);
        scope.own = Some((family, self.song.families[family.index()].vars.len()));
        let (body, locals) = self.within(scope, |c| match handlers {
            true => Body::Handlers((0..c.dice.between(1, 3)).map(|_| c.handler()).collect()),
            false => Body::Sequential(c.body()),
        });
        Process {
            family,
            daemon: self.dice.once_in(4),
            fairness: None,
            locals,
            measures: Measures::default(),
            order: Default::default(),
            body,
        }
    }

    /// Statements that do not begin with `var`, which would be a state variable.
    fn body(&mut self) -> Vec<Stmt> {
        let first = self.receive_or_send();
        let mut body = vec![first];
        for _ in 0..self.dice.between(0, 2 + 2 * self.size) {
            body.push(self.stmt(2));
        }
        body
    }

    fn receive_or_send(&mut self) -> Stmt {
        if self.dice.once_in(2) {
            self.receive()
        } else {
            self.send()
        }
    }

    fn handler(&mut self) -> Handler {
        self.scoped(|c| {
            let accept = c.accept();
            Handler {
                accept,
                body: c.block(2),
            }
        })
    }

    /// `send M(…) to p;`
    pub(super) fn send(&mut self) -> Stmt {
        let depth = self.depth();
        let at = self.dice.below(self.messages.len());
        let types = self.messages[at]
            .fields
            .iter()
            .map(|field| field.ty.clone());
        let types: Vec<Ty> = types.collect();
        let payload = self.checks(&types, depth);
        let address = self.check(&Ty::Process, depth);
        stmt(StmtKind::Send(MessageId::from(at), payload, address))
    }

    /// A receive of any kind; a single one binds names for what follows.
    pub(super) fn receive(&mut self) -> Stmt {
        if !self.dice.once_in(3) {
            return stmt(StmtKind::Receive(self.accept()));
        }
        let arms = (0..self.dice.between(1, 3)).map(|_| {
            self.scoped(|c| {
                let accept = c.accept();
                (accept, c.block(1))
            })
        });
        let arms = arms.collect();
        let timeout = self.dice.once_in(2).then(|| self.block(1));
        stmt(StmtKind::Select(arms, timeout))
    }

    fn accept(&mut self) -> Accept {
        let depth = self.depth();
        let at = self.dice.below(self.messages.len());
        let process = self.dice.once_in(4).then(|| self.check(&Ty::Process, 1));
        let fields = self.messages[at].fields.clone();
        let slots = fields.into_iter().map(|field| {
            let named = !self.dice.once_in(4);
            named.then(|| self.bind_fresh(field.ty))
        });
        let slots = slots.collect();
        let source = match process {
            Some(process) => Source::Process(process),
            None => self.source(),
        };
        let filter = self.filter(depth);
        let message = MessageId::from(at);
        Accept {
            message,
            slots,
            source,
            filter,
            span: Default::default(),
        }
    }

    fn source(&mut self) -> Source {
        let who = |c: &mut Self| c.dice.once_in(3).then(|| c.bind_fresh(Ty::Process));
        if self.dice.once_in(2) {
            return Source::Anyone(who(self));
        }
        let family = *self.dice.pick(&self.processes);
        let index = self.song.families[family.index()].index.clone();
        let named = self.dice.once_in(2);
        let index = index.into_iter().filter(|_| named);
        let index = index.map(|row| self.bind_fresh(row.ty)).collect();
        Source::Family(family, index, who(self))
    }
}
