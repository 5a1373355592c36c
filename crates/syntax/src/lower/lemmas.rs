//! Lemmas, their uses, and the contracts of functions.

use super::Lowering;
use super::codes::names::UNKNOWN_NAME;
use super::fit::Why;
use super::signatures::name_and_span;
use super::unit::{Binder, Home};
use crate::ast::{self, AstNode, ContractKind};
use crate::names::declare::declared_twice;
use plainsong_diagnostics::Diagnostic;
use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{Choreography, Code, Contract, LineKind, StmtKind, Ty, Use};

impl Lowering<'_> {
    /// The lemmas: lines without endpoints.
    pub(crate) fn lemmas(&mut self, items: &[ast::LemmaItem]) -> Vec<Choreography> {
        let lemmas = items.iter().enumerate();
        lemmas.map(|(at, item)| self.lemma(at, item)).collect()
    }

    fn lemma(&mut self, at: usize, item: &ast::LemmaItem) -> Choreography {
        let (name, span) = name_and_span(item.name());
        self.begin(Home::Line(self.line_count + at));
        let written = item.binders();
        let params = self.lemmas[at].params.clone();
        self.bind_parameters(&params, written.as_ref(), Binder::Parameter);
        let (mut requires, mut ensures) = (Vec::new(), Vec::new());
        for contract in item.contracts() {
            let (condition, span) = (contract.condition(), contract.span());
            match contract.kind() {
                ContractKind::Requires => {
                    requires.push(self.condition(condition, span, "requires"));
                }
                ContractKind::Ensures => ensures.push(self.condition(condition, span, "ensures")),
            }
        }
        let mut decreases = self.only_measures(item.decreases());
        let statements = item.block();
        let statements = statements.iter().flat_map(ast::Block::statements);
        let (mut body, _) = self.statements(statements);
        let locals = self.finish(|filler| {
            let conditions = requires.iter_mut().chain(&mut ensures);
            let all = conditions.chain(&mut decreases);
            all.for_each(|expr| filler.expr(expr));
            walk_mut::block(filler, &mut body);
        });
        Choreography {
            name,
            endpoints: Vec::new(),
            requires,
            ensures,
            code: Code {
                arity: params.len(),
                locals,
                body,
            },
            kind: LineKind::Lemma(decreases),
            span,
        }
    }

    /// `use lemma(e, …);`
    pub(crate) fn use_stmt(&mut self, s: &ast::UseStmt) -> Option<StmtKind> {
        if !matches!(self.unit.home, Home::Line(_) | Home::Procedure) {
            self.misplaced(s.span().start, "use");
            return None;
        }
        let name = s.name()?;
        let list = s.arguments();
        let Some(declared) = self.names.lemmas.get(name.text()) else {
            if !self.names.is_doubtful(name.text()) {
                let message = format!("there is no lemma `{}`", name.text());
                let diagnostic = Diagnostic::error(&UNKNOWN_NAME, name.span(), message);
                let known = self.lemmas.iter().map(|row| row.name.as_str());
                let diagnostic = self.suggest(diagnostic, &name, known);
                self.report(diagnostic);
            }
            self.ignore_arguments(list.as_ref());
            return None;
        };
        let at = declared.what;
        let row = &self.lemmas[at];
        let types: Vec<Ty> = row.params.iter().map(|param| param.ty.clone()).collect();
        let declared = (row.name.clone(), Some(row.span));
        let why = |_| Why::Word("use");
        let arguments = self.arguments(list.as_ref(), &types, s.span(), &declared, why)?;
        let lemma = self.line_count + at;
        Some(StmtKind::Use(Use { lemma, arguments }))
    }

    /// The contract of a function is asked about by its name, as a choreography or lemma is.
    pub(crate) fn contract_names(&mut self, items: &[ast::FnItem]) {
        for item in items {
            let has_contract =
                item.contracts().next().is_some() || item.decreases().next().is_some();
            let asked = has_contract && !item.is_external();
            let Some(name) = item.name().filter(|_| asked) else {
                continue;
            };
            let line = self.names.lines.get(name.text());
            if let Some(earlier) = line.or_else(|| self.names.lemmas.get(name.text())) {
                let what = "a choreography or lemma";
                self.report(declared_twice(&name, what, earlier.span));
            }
        }
    }

    /// What stands between the head of a function and its body; the parameters are bound.
    pub(crate) fn function_contract(&mut self, item: &ast::FnItem, result: &Ty) -> Contract {
        let mut contract = Contract {
            decreases: self.only_measures(item.decreases()),
            ..Contract::default()
        };
        for written in item.contracts() {
            if written.kind() == ContractKind::Requires {
                let condition = self.condition(written.condition(), written.span(), "requires");
                contract.requires.push(condition);
            }
        }
        let mark = self.unit.enter();
        if item.contracts().next().is_some() || !contract.decreases.is_empty() {
            let (name, binder) = ("result", Binder::Parameter);
            let (_, span) = name_and_span(item.name());
            contract.result = Some(self.unit.bind(name, result.clone(), binder, span));
        }
        for written in item.contracts() {
            if written.kind() == ContractKind::Ensures {
                let promise = self.condition(written.condition(), written.span(), "ensures");
                contract.ensures.push(promise);
            }
        }
        self.unit.leave(mark);
        contract
    }
}
