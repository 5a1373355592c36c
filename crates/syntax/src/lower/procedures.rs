//! Procedures, the invariants they rely on, and their statements.

use super::Lowering;
use super::actions::mover;
use super::addressed::Addressed;
use super::codes::layers::{CALLED_RESULT, PAR_ARM, PERMISSION, UNASSIGNED_RESULT, WRONG_LAYER};
use super::fit::Why;
use super::unit::{Binder, Home};
use crate::ast::{self, AstNode, ContractKind, UseKind};
use crate::names::Signal;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::visit::{Visit, VisitMut, walk, walk_mut};
use plainsong_ir::{
    Block, Call, Callee, Clause, ClauseKind, Code, Contract, Expr, Invariant, InvariantCall,
    Layers, LocalId, Procedure, ProcedureId, Root, Stmt, StmtKind, Ty,
};

impl Lowering<'_> {
    pub(crate) fn invariant_bodies(&mut self, items: &[ast::InvariantItem]) -> Vec<Invariant> {
        let mut invariants = Vec::new();
        for (at, item) in items.iter().enumerate() {
            self.begin(Home::Invariant);
            let params = self.invariants[at].params.clone();
            self.bind_parameters(&params, item.binders().as_ref(), Binder::Parameter);
            let mut body = match item.body() {
                Some(body) => {
                    let written = ast::Expr::Block(body);
                    self.check(&written, &Ty::Bool, Why::Word("invariant"))
                }
                None => self.wrong(item.span()),
            };
            let locals = self.finish_expr(&mut body);
            let layer = self.one_layer(item.layers().as_ref());
            if !self.invariants[at].given.is_empty() {
                let message = "an invariant gives no permissions";
                let help = "write `linear`: it speaks about a permission that its caller has";
                let span = self.invariants[at].span;
                self.report(Diagnostic::error(&PERMISSION, span, message).help(help));
            }
            let row = &self.invariants[at];
            invariants.push(Invariant {
                name: row.name.clone(),
                layer,
                arity: params.len(),
                locals,
                linear: row.linear.iter().map(|at| LocalId::from(*at)).collect(),
                body,
                span: row.span,
            });
        }
        invariants
    }

    pub(crate) fn procedure_bodies(&mut self, items: &[ast::ProcedureItem]) -> Vec<Procedure> {
        let all = items.iter().enumerate();
        all.map(|(at, item)| self.procedure(at, item)).collect()
    }

    fn procedure(&mut self, at: usize, item: &ast::ProcedureItem) -> Procedure {
        self.begin(Home::Procedure);
        let params = self.procedures[at].params.clone();
        self.bind_parameters(&params, item.binders().as_ref(), Binder::Parameter);
        let result = self.bind_result(self.procedures[at].result.clone());
        let mut clauses = Vec::new();
        for written in item.uses() {
            let kind = match written.kind() {
                UseKind::Requires => ClauseKind::Requires,
                UseKind::Ensures => ClauseKind::Ensures,
                UseKind::Preserves => ClauseKind::Preserves,
            };
            let calls = written
                .calls()
                .filter_map(|call| self.invariant_call(&call));
            let calls: Vec<InvariantCall> = calls.collect();
            clauses.extend(calls.into_iter().map(|call| Clause { kind, call }));
        }
        let mut contract = self.moving_contract(item);
        let (mut body, _) = self.block(item.block());
        self.is_assigned(result, &body);
        let locals = self.finish(|filler| {
            let arguments = clauses.iter_mut().flat_map(|one| &mut one.call.arguments);
            arguments.for_each(|expr: &mut Expr| filler.expr(expr));
            let conditions = contract.requires.iter_mut().chain(&mut contract.ensures);
            let all = conditions.chain(&mut contract.decreases);
            all.for_each(|expr| filler.expr(expr));
            walk_mut::block(filler, &mut body);
        });
        let refines = item.refines().and_then(|name| self.named_action(&name));
        let synchronizes = item.synchronizes();
        let synchronizes = synchronizes
            .iter()
            .filter_map(|name| self.named_procedure(name));
        let synchronizes = synchronizes.collect();
        let layer = self.one_layer(item.layers().as_ref());
        let row = &self.procedures[at];
        Procedure {
            name: row.name.clone(),
            mover: item.mover().and_then(mover),
            layer,
            refines,
            synchronizes,
            clauses,
            contract,
            code: Code {
                arity: params.len(),
                locals,
                body,
            },
            linear: row.linear.iter().map(|at| LocalId::from(*at)).collect(),
            taken: row.taken.iter().map(|at| LocalId::from(*at)).collect(),
            given: row.given.iter().map(|at| LocalId::from(*at)).collect(),
            result,
            gives: row.gives,
            span: row.span,
        }
    }

    /// What callers of a procedure that moves show and rely on.
    fn moving_contract(&mut self, item: &ast::ProcedureItem) -> Contract {
        let mut contract = Contract {
            decreases: self.only_measures(item.decreases()),
            ..Contract::default()
        };
        for written in item.contracts() {
            let (condition, span) = (written.condition(), written.span());
            match written.kind() {
                ContractKind::Requires => {
                    let condition = self.condition(condition, span, "requires");
                    contract.requires.push(condition);
                }
                ContractKind::Ensures => {
                    self.unit.old = true;
                    let condition = self.condition(condition, span, "ensures");
                    self.unit.old = false;
                    contract.ensures.push(condition);
                }
            }
        }
        contract
    }

    fn named_procedure(&mut self, name: &ast::Name) -> Option<ProcedureId> {
        match self.names.signal(name.text()) {
            Some(Signal::Procedure(id)) => Some(id),
            _ => {
                self.unknown_signal(name, "procedure");
                None
            }
        }
    }

    /// Makes the result the next local of the unit.
    pub(crate) fn bind_result(
        &mut self,
        result: Option<(plainsong_ir::Binder, Span)>,
    ) -> Option<LocalId> {
        let (row, span) = result?;
        let local = self.unit.bind(&row.name, row.ty, Binder::Var, span);
        self.unit.read[local.index()] = true;
        Some(local)
    }

    /// Reports a result that some way through the code does not assign.
    pub(crate) fn is_assigned(&mut self, result: Option<LocalId>, body: &Block) {
        let Some(local) = result else { return };
        let row = &self.unit.locals[local.index()];
        let name = &row.name;
        let diagnostic = match assigned(body, local, false) {
            Ok(true) => return,
            Ok(false) => {
                let message = format!("`{name}` is not assigned on every way to the end");
                Diagnostic::error(&UNASSIGNED_RESULT, row.span, message)
                    .help("assign the result in both branches, or once before them")
            }
            Err(span) => {
                let message = format!("`{name}` is read here before it is assigned");
                Diagnostic::error(&UNASSIGNED_RESULT, span, message).help("assign the result first")
            }
        };
        self.report(diagnostic);
    }

    /// `@ a..b`
    pub(crate) fn written_layers(&mut self, written: Option<&ast::LayerClause>) -> Option<Layers> {
        let written = written?;
        let bounds = written.bounds().into_iter();
        let numbers: Vec<Option<u32>> = bounds.map(|one| self.layer_number(one)).collect();
        if self.is_unknown_layer(written) {
            return None;
        }
        let layers = match numbers[..] {
            [Some(only)] => Some((only, only)),
            [Some(first), Some(last)] if first <= last => Some((first, last)),
            _ => None,
        };
        if layers.is_none() {
            let message = "layers go upwards: the first, `..`, the last";
            self.report(Diagnostic::error(&WRONG_LAYER, written.span(), message));
        }
        layers.map(|(first, last)| Layers { first, last })
    }

    fn layer_number(&self, bound: ast::LayerBound) -> Option<u32> {
        match bound {
            ast::LayerBound::Number(number) => number,
            ast::LayerBound::Name(name) => {
                let at = self.layer_names.iter().position(|known| *known == name)?;
                u32::try_from(at + 1).ok()
            }
        }
    }

    /// Reports a name that no layer has.
    fn is_unknown_layer(&mut self, written: &ast::LayerClause) -> bool {
        let known = &self.layer_names;
        let unknown = written.bounds().into_iter().find_map(|bound| match bound {
            ast::LayerBound::Name(name) if !known.contains(&name) => Some(name),
            _ => None,
        });
        let Some(name) = unknown else { return false };
        let message = format!("there is no layer `{name}`");
        let help =
            "name the layers from the lowest to the highest: `layers machine, lock, counter;`";
        self.report(Diagnostic::error(&WRONG_LAYER, written.span(), message).help(help));
        true
    }

    /// `layers machine, lock;`: names of layers, from 1 on.
    pub(crate) fn name_layers(&mut self, items: &[ast::LayersItem]) {
        for name in items.iter().flat_map(ast::LayersItem::names) {
            if self.layer_names.iter().any(|known| known == name.text()) {
                let message = format!("there are two layers `{}`", name.text());
                self.report(Diagnostic::error(&WRONG_LAYER, name.span(), message));
            }
            self.layer_names.push(name.text().to_owned());
        }
    }

    /// `@ n`; 1 when not written.
    fn one_layer(&mut self, written: Option<&ast::LayerClause>) -> u32 {
        let Some(layers) = self.written_layers(written) else {
            return 1;
        };
        if let Some(written) = written
            && (layers.first != layers.last || layers.first == 0)
        {
            let message = "procedures and invariants have one layer, from 1 on";
            self.report(Diagnostic::error(&WRONG_LAYER, written.span(), message));
        }
        layers.first
    }

    /// Reports `linear` and `@` of a variable that is not global.
    pub(crate) fn no_layers(&mut self, var: &ast::VarDecl) {
        if var.is_linear() || var.layers().is_some() {
            let message = "only global variables are `linear` or have layers";
            self.report(Diagnostic::error(&WRONG_LAYER, var.span(), message));
        }
    }

    /// `call f(e);`
    pub(crate) fn call_stmt(&mut self, s: &ast::CallStmt) -> Option<StmtKind> {
        if matches!(self.unit.home, Home::Line(at) if at < self.line_count) {
            return self.part(s);
        }
        if let Some(player) = s.players().next() {
            self.no_players(player.span());
        }
        let call = self.called(&s.called()?)?;
        Some(StmtKind::Call(None, call))
    }

    /// `let x = call f(e);`
    pub(crate) fn let_called(
        &mut self,
        name: &ast::Name,
        ty: Option<&ast::Type>,
        called: &ast::Called,
        binder: Binder,
    ) -> Option<StmtKind> {
        if let Some(ty) = ty {
            let message = "the type is that of the result";
            self.report(
                Diagnostic::error(&CALLED_RESULT, ty.span(), message).help("leave it away"),
            );
        }
        let call = self.called(called)?;
        let result = match call.callee {
            Callee::Action(id) => &self.actions[id.index()].result,
            Callee::Procedure(id) => &self.procedures[id.index()].result,
        };
        let Some((row, _)) = result else {
            let message = "what is called here has no result";
            self.report(
                Diagnostic::error(&CALLED_RESULT, called.span(), message)
                    .help("declare one: `-> name: T` after the parameters"),
            );
            return None;
        };
        let ty = row.ty.clone();
        let local = self.unit.bind(name.text(), ty, binder, name.span());
        Some(StmtKind::Call(Some(local), call))
    }

    /// Reports `x = call f(e);`.
    pub(crate) fn assigned_call(&mut self, called: &ast::Called) {
        let message = "the result of a call gets a name of its own";
        self.report(
            Diagnostic::error(&CALLED_RESULT, called.span(), message)
                .help("write `let r = call …;`, then use `r`"),
        );
    }

    fn called(&mut self, called: &ast::Called) -> Option<Call> {
        if !matches!(self.unit.home, Home::Procedure | Home::Schedule) {
            self.misplaced(called.span().start, "call");
            return None;
        }
        let name = called.name()?;
        if let Some(Signal::Message(message)) = self.names.signal(name.text())
            && self.unit.home == Home::Schedule
        {
            let written = Addressed {
                message,
                arguments: called.arguments(),
                to: called.to(),
                from: called.from(),
                span: called.span(),
            };
            let (id, arguments) = self.addressed(&written)?;
            return Some(Call {
                callee: Callee::Action(id),
                arguments,
                span: called.span(),
            });
        }
        if let Some(to) = called.to() {
            self.no_address(to.span());
        }
        let (callee, row, why) = match self.names.signal(name.text()) {
            Some(Signal::Action(id)) => {
                let row = &self.actions[id.index()];
                (Callee::Action(id), row, Why::Action(id))
            }
            Some(Signal::Procedure(id)) => {
                let row = &self.procedures[id.index()];
                (Callee::Procedure(id), row, Why::Procedure(id))
            }
            _ => {
                self.unknown_signal(&name, "action");
                self.ignore_arguments(called.arguments().as_ref());
                return None;
            }
        };
        let types: Vec<Ty> = row.params.iter().map(|param| param.ty.clone()).collect();
        let declared = (row.name.clone(), Some(row.span));
        let arguments = called.arguments();
        let span = called.span();
        let arguments = self.arguments(arguments.as_ref(), &types, span, &declared, |_| why)?;
        Some(Call {
            callee,
            arguments,
            span,
        })
    }

    /// `async p(e);` of a procedure.
    pub(crate) fn spawn(
        &mut self,
        id: ProcedureId,
        name: &ast::Name,
        arguments: Option<&ast::ArgList>,
    ) -> Option<StmtKind> {
        if self.unit.home == Home::Action {
            self.misplaced(name.span().start, name.text());
            return None;
        }
        let row = &self.procedures[id.index()];
        let types: Vec<Ty> = row.params.iter().map(|param| param.ty.clone()).collect();
        let declared = (row.name.clone(), Some(row.span));
        let why = |_| Why::Procedure(id);
        let values = self.arguments(arguments, &types, name.span(), &declared, why)?;
        Some(StmtKind::Spawn(id, values))
    }

    /// `par { call f(e); … }`
    pub(crate) fn par_stmt(&mut self, s: &ast::ParStmt) -> Option<StmtKind> {
        if self.unit.home != Home::Procedure {
            self.misplaced(s.span().start, "par");
            return None;
        }
        let mut calls = Vec::new();
        for arm in s.statements() {
            match arm {
                ast::Stmt::Call(arm) => calls.push(self.called(&arm.called()?)?),
                other => {
                    let message = "only calls run in parallel";
                    self.report(
                        Diagnostic::error(&PAR_ARM, other.span(), message)
                            .help("put the statements into a procedure and call it"),
                    );
                }
            }
        }
        Some(StmtKind::Par(calls))
    }

    /// `yield inv(e), …;`
    pub(crate) fn yield_stmt(&mut self, s: &ast::YieldStmt) -> Option<StmtKind> {
        if self.unit.home != Home::Procedure {
            self.misplaced(s.span().start, "yield");
            return None;
        }
        let calls = s.calls().map(|call| self.invariant_call(&call));
        Some(StmtKind::Yield(calls.collect::<Option<_>>()?))
    }

    pub(super) fn invariant_call(&mut self, call: &ast::InvariantCall) -> Option<InvariantCall> {
        let name = call.name()?;
        let Some(Signal::Invariant(id)) = self.names.signal(name.text()) else {
            self.unknown_signal(&name, "invariant");
            self.ignore_arguments(call.arguments().as_ref());
            return None;
        };
        let row = &self.invariants[id.index()];
        let types: Vec<Ty> = row.params.iter().map(|param| param.ty.clone()).collect();
        let declared = (row.name.clone(), Some(row.span));
        let (list, span) = (call.arguments(), call.span());
        let why = |_| Why::Invariant(id);
        let arguments = self.arguments(list.as_ref(), &types, span, &declared, why)?;
        Some(InvariantCall {
            invariant: id,
            arguments,
            span,
        })
    }
}

/// Is the local assigned at the end of the block? Or where it is read before it is.
fn assigned(block: &Block, local: LocalId, before: bool) -> Result<bool, Span> {
    let mut so_far = before;
    for stmt in block {
        so_far = assigned_by(stmt, local, so_far)?;
    }
    Ok(so_far)
}

fn assigned_by(stmt: &Stmt, local: LocalId, before: bool) -> Result<bool, Span> {
    let either =
        |yes: &Block, no: &Block| Ok(assigned(yes, local, before)? && assigned(no, local, before)?);
    let mut heads = Heads {
        local,
        read: false,
        top: true,
    };
    heads.stmt(stmt);
    let whole = matches!(
        &stmt.kind,
        StmtKind::Assign(place, _) | StmtKind::AssignChoice(place, _)
            if place.root == Root::Local(local) && place.path.is_empty()
    );
    if heads.read && !before {
        return Err(stmt.span);
    }
    match &stmt.kind {
        _ if whole => Ok(true),
        StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => either(yes, no),
        StmtKind::Match(_, arms) => {
            let mut all = true;
            for (_, body) in arms {
                all &= assigned(body, local, before)?;
            }
            Ok(all)
        }
        StmtKind::While(_, _, body) | StmtKind::For { body, .. } => {
            assigned(body, local, before)?;
            Ok(before)
        }
        _ => Ok(before),
    }
}

/// Looks for a local in what a statement evaluates itself, not in the blocks inside of it.
struct Heads {
    local: LocalId,
    read: bool,
    top: bool,
}

impl Visit for Heads {
    fn stmt(&mut self, stmt: &Stmt) {
        if std::mem::take(&mut self.top) {
            walk::stmt(self, stmt);
        }
    }

    fn place(&mut self, place: &plainsong_ir::Place) {
        self.read |= !place.path.is_empty() && place.root == Root::Local(self.local);
        for access in &place.path {
            if let plainsong_ir::Access::Index(index) = access {
                self.expr(index);
            }
        }
    }

    fn uses(&mut self, local: &LocalId) {
        self.read |= *local == self.local;
    }
}
