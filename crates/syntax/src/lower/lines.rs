//! Choreographies.

use super::Lowering;
use super::signatures::name_and_span;
use super::unit::{Binder, Home};
use crate::ast::{self, AstNode, ContractKind};
use plainsong_ir::visit::{VisitMut, walk_mut};
use plainsong_ir::{Choreography, Code, Expr, FamilyId, LineKind};

impl Lowering<'_> {
    pub(crate) fn lines(&mut self, items: &[ast::ChoreographyItem]) -> Vec<Choreography> {
        let mut next = self.process_count;
        let mut lines = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let count = item.body().map_or(0, |body| body.endpoints().count());
            let endpoints: Vec<FamilyId> = (next..next + count).map(FamilyId::from).collect();
            next += count;
            lines.push(self.line(at, item, endpoints));
        }
        lines
    }

    fn line(
        &mut self,
        at: usize,
        item: &ast::ChoreographyItem,
        endpoints: Vec<FamilyId>,
    ) -> Choreography {
        let (name, span) = name_and_span(item.name());
        let written = item.binders();
        let params = self.line_signatures[at].params.clone();
        let body = item.body();
        let parts = body.iter().flat_map(ast::ChoreographyBody::endpoints);
        for (endpoint, &family) in parts.zip(&endpoints) {
            let indices = endpoint.indices();
            let home = Home::EndpointStart;
            self.state_vars(family, home, indices.as_ref(), endpoint.state(), |this| {
                this.bind_parameters(&params, written.as_ref(), Binder::Parameter);
            });
        }
        self.begin(Home::Line(at));
        self.bind_parameters(&params, written.as_ref(), Binder::Parameter);
        let (mut requires, mut ensures) = self.contracts(body.as_ref());
        let statements = body.iter().flat_map(ast::ChoreographyBody::statements);
        let (mut block, _) = self.statements(statements);
        let locals = self.finish(|filler| {
            requires
                .iter_mut()
                .chain(&mut ensures)
                .for_each(|expr| filler.expr(expr));
            walk_mut::block(filler, &mut block);
        });
        let code = Code {
            arity: params.len(),
            locals,
            body: block,
        };
        Choreography {
            name,
            endpoints,
            requires,
            ensures,
            code,
            kind: LineKind::Choreography,
            span,
        }
    }

    fn contracts(&mut self, body: Option<&ast::ChoreographyBody>) -> (Vec<Expr>, Vec<Expr>) {
        let (mut requires, mut ensures) = (Vec::new(), Vec::new());
        for contract in body.into_iter().flat_map(ast::ChoreographyBody::contracts) {
            let (condition, span) = (contract.condition(), contract.span());
            match contract.kind() {
                ContractKind::Requires => {
                    requires.push(self.condition(condition, span, "requires"));
                }
                ContractKind::Ensures => {
                    self.unit.old = true;
                    ensures.push(self.condition(condition, span, "ensures"));
                    self.unit.old = false;
                }
            }
        }
        (requires, ensures)
    }
}
