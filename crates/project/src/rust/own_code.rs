//! Own code: what a role asks of Rust code that its team writes.
//!
//! A role's module has a trait `Code` with a method for each external function that the role calls and for each of its inputs. The
//! function `play` is given a value of it and is the only one that has it, so a method may change it: a database handle, a
//! connection, a count. For each function there is an `ask_…` beside it that looks at what is required, asks, and looks at what is
//! promised. So what was proved of the line rests on methods that keep their contracts, and one that does not is found
//! out where it returns.
//!
//! The value is behind a `RefCell` while the role plays: calls stand inside of closures and of arguments of other calls, and
//! no method of it can call back.

use super::Emit;
use super::exprs::Scope;
use super::names::snake;
use crate::terms::refuted;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Body, Expr, ExprKind, FamilyId, FnId, Function, StartValue, StateVar, VarId};
use std::collections::BTreeSet;

/// What one role asks.
pub(super) struct OwnCode {
    /// External functions, and those between that call them.
    pub(super) functions: BTreeSet<FnId>,
    pub(super) inputs: Vec<VarId>,
}

impl Emit<'_> {
    /// What the roles of a family ask of their own code, if anything.
    pub(super) fn own_code(&self, id: FamilyId) -> Option<OwnCode> {
        let mut called = Called(BTreeSet::new());
        let vars = &self.song.families[id.index()].vars;
        for var in vars {
            match &var.start {
                StartValue::Value(value) => called.expr(value),
                StartValue::Choice(choice) => called.choice(choice),
            }
        }
        let voices = self.song.voices();
        let process = voices.and_then(|voices| voices.processes.get(id.index()));
        if let Some(Body::Sequential(block)) = process.map(|process| &process.body) {
            called.block(block);
        }
        let functions = self.reached(called.0);
        let inputs = vars.iter().enumerate().filter(|(_, var)| var.is_input);
        let inputs: Vec<VarId> = inputs.map(|(at, _)| VarId::from(at)).collect();
        (!functions.is_empty() || !inputs.is_empty()).then_some(OwnCode { functions, inputs })
    }

    /// Those among the functions that ask own code, and whom they call for it.
    fn reached(&self, from: BTreeSet<FnId>) -> BTreeSet<FnId> {
        let mut waiting: Vec<FnId> = from.into_iter().collect();
        let mut found = BTreeSet::new();
        while let Some(id) = waiting.pop() {
            if !self.external.contains(&id) || !found.insert(id) {
                continue;
            }
            let mut called = Called(BTreeSet::new());
            let function = &self.song.functions[id.index()];
            function.computed().for_each(|part| called.expr(part));
            waiting.extend(called.0);
        }
        found
    }

    /// The external functions among them.
    pub(super) fn asked<'s>(&'s self, own: &OwnCode) -> impl Iterator<Item = &'s Function> {
        let functions = own.functions.iter();
        let functions: Vec<&Function> = functions
            .map(|id| &self.song.functions[id.index()])
            .filter(|function| function.is_external())
            .collect();
        functions.into_iter()
    }

    /// What the method for an input is called: as the input, unless an external function is.
    pub(super) fn input_name(&self, own: &OwnCode, var: &StateVar) -> String {
        let name = snake(&var.name);
        match self
            .asked(own)
            .any(|function| snake(&function.name) == name)
        {
            true => format!("{name}_input"),
            false => name,
        }
    }

    /// The head of the method of an external function; `used` says whether there is a body that uses the names.
    pub(super) fn method_of(&self, function: &Function, used: bool) -> String {
        let mark = if used { "" } else { "_" };
        let parameters = function.locals[..function.arity].iter().map(|local| {
            let borrow = if self.is_copy(&local.ty) { "" } else { "&" };
            format!(
                ", {mark}{}: {borrow}{}",
                snake(&local.name),
                self.ty(&local.ty)
            )
        });
        let parameters: String = parameters.collect();
        let (name, result) = (snake(&function.name), self.ty(&function.result));
        format!(
            "fn {name}(&mut self, {mark}world: &World{parameters}) -> Result<{result}, Failure>"
        )
    }

    /// The head of the method for an input.
    pub(super) fn method_for(&self, own: &OwnCode, var: &StateVar, used: bool) -> String {
        let mark = if used { "" } else { "_" };
        let (name, ty) = (self.input_name(own, var), self.ty(&var.ty));
        format!("fn {name}(&mut self, {mark}world: &World) -> Result<{ty}, Failure>")
    }

    /// The trait of a role, and the functions that ask.
    pub(super) fn asking(&self, id: FamilyId, own: &OwnCode) -> String {
        let family = &self.song.families[id.index()];
        let mut methods = String::new();
        for var in own.inputs.iter().map(|at| &family.vars[at.index()]) {
            methods.push_str(&format!(
                "    /// {}\n    ///\n    /// # Errors\n    ///\n    /// When there is none; then the role does not begin.\n    {};\n\n",
                self.input_said(var),
                self.method_for(own, var, true)
            ));
        }
        for function in self.asked(own) {
            methods.push_str(&format!(
                "    /// `extern fn {}` of the song.\n{}    ///\n    /// # Errors\n    ///\n    /// When it has no value; then the role ends.\n    {};\n\n",
                function.name,
                self.contract_said(function),
                self.method_of(function, true)
            ));
        }
        let asks = own.functions.iter().map(|id| self.ask(*id));
        format!(
            "\n/// The own code of `{}`: what it is given when it starts, and its external functions. Given the same arguments, a\n\
             /// function returns the same value: that is what proofs rest on.\npub trait Code {{\n{}\n}}\n{}",
            family.name,
            methods.trim_end(),
            asks.collect::<String>()
        )
    }

    /// The contract of a function as lines of a comment.
    fn contract_said(&self, function: &Function) -> String {
        let clause = |word: &str, of: &Expr| {
            let text = self.written(of, &function.locals);
            format!("    /// - {word} `{text}`\n")
        };
        let contract = &function.contract;
        let requires = contract.requires.iter().map(|of| clause("requires", of));
        let ensures = contract.ensures.iter().map(|of| clause("ensures", of));
        let clauses: String = requires.chain(ensures).collect();
        match clauses.is_empty() {
            true => clauses,
            false => format!("    ///\n{clauses}"),
        }
    }

    /// The input as it is declared.
    fn input_said(&self, var: &StateVar) -> String {
        let ty = plainsong_ir::print::ty(self.song, &var.ty);
        let filter = match &var.start {
            StartValue::Choice(choice) => choice.filter.as_ref(),
            StartValue::Value(_) => None,
        };
        let filter = filter.map(|of| format!(" where {}", self.written(of, &var.locals)));
        format!("`in {}: {ty}{}`", var.name, filter.unwrap_or_default())
    }

    /// The function that asks own code, or calls others that do.
    fn ask(&self, id: FnId) -> String {
        let function = &self.song.functions[id.index()];
        let (body, parameters) = self.function_body(function);
        let world = if body.contains("world") {
            "world"
        } else {
            "_world"
        };
        let word = if function.is_external() {
            "extern fn"
        } else {
            "fn"
        };
        format!(
            "\n/// `{word} {}` of the song, with its contract.\nfn ask_{}<C: Code>({world}: &World, own: &RefCell<&mut C>{parameters}) -> Result<{}, Undefined> {{\n{body}}}\n",
            function.name,
            snake(&function.name),
            self.ty(&function.result)
        )
    }

    /// The first value of an input: what own code gives, which has to be of the type and as the input is declared.
    pub(super) fn given(&self, scope: &mut Scope<'_>, own: &OwnCode, var: &StateVar) -> String {
        let (name, ty) = (snake(&var.name), self.ty(&var.ty));
        let method = self.input_name(own, var);
        let mut text = format!("    let {name}: {ty} = own.borrow_mut().{method}(world)?;\n");
        let said = format!("own code gives what is declared: {}", self.input_said(var));
        if let Some(fits) = self.fits(&var.ty, &name, false) {
            text.push_str(&refusal(&fits, &format!("Error::assumption({said:?})")));
        }
        if let StartValue::Choice(choice) = &var.start
            && let Some(filter) = &choice.filter
        {
            scope.names.insert(choice.local, name);
            let wrong = scope.expr(&refuted(filter)).value();
            text.push_str(&format!(
                "    if {wrong} {{\n        return Err(Error::assumption({said:?}));\n    }}\n"
            ));
        }
        text
    }
}

/// Stops where a value is none of its type.
pub(super) fn refusal(fits: &str, error: &str) -> String {
    format!("    let fits = {fits};\n    if !fits {{\n        return Err({error});\n    }}\n")
}

/// The functions that are called.
struct Called(BTreeSet<FnId>);

impl Visit for Called {
    fn expr(&mut self, of: &Expr) {
        if let ExprKind::Call(id, _) = of.kind {
            self.0.insert(id);
        }
        walk::expr(self, of);
    }
}
