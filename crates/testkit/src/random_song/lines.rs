//! Choreographies.

use super::composer::Composer;
use super::names::Kind;
use super::scope::{Home, Scope};
use plainsong_ir::{Choreography, Code, FamilyId, Local, Ty};

impl Composer {
    /// Writes one choreography.
    pub(super) fn line(&mut self) {
        let name = self.item_name(Kind::Line);
        let parameters = self.line_parameters();
        let mut endpoints: Vec<FamilyId> = Vec::new();
        for _ in 0..self.dice.between(1, 1 + self.size) {
            let family = self.family_head(Kind::Family);
            self.state_vars(family, Home::EndpointStart, &parameters);
            endpoints.push(family);
        }
        let visible = (0..parameters.len()).map(Into::into).collect();
        let arity = parameters.len();
        let scope = Scope {
            locals: parameters,
            visible,
            endpoints: endpoints.clone(),
            ..Scope::new(Home::Line)
        };
        let ((requires, ensures, body), locals) = self.within(scope, |c| {
            let requires = (0..c.dice.below(2)).map(|_| c.condition()).collect();
            c.scope.old = true;
            let ensures = (0..c.dice.below(3)).map(|_| c.condition()).collect();
            c.scope.old = false;
            let body = (0..c.dice.between(1, 3 + c.size))
                .map(|_| c.stmt(2))
                .collect();
            (requires, ensures, body)
        });
        let code = Code {
            arity,
            locals,
            body,
        };
        let span = Default::default();
        self.song.lines.push(Choreography {
            name,
            endpoints,
            requires,
            ensures,
            code,
            kind: Default::default(),
            span,
        });
    }

    fn line_parameters(&mut self) -> Vec<Local> {
        let (_, parameters) = self.within(Scope::default(), |c| {
            for at in 0..c.dice.below(3) {
                let ty: Ty = c.enumerable_ty();
                // Other words than those of indices, so that neither hides the other.
                c.bind(format!("given{at}"), ty, false);
            }
        });
        parameters
    }
}
