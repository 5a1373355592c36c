//! Witnesses: what two actions choose when they are swapped.
//!
//! `commute A(x) choosing v then B(y) choosing w with w = e;` names the arguments of both and what they chose in
//! the order `A`, `B`; the expressions say what is chosen in the order `B`, `A`. They may read globals, which are
//! those before both.

use super::Lowering;
use super::codes::layers::{COMMUTE, SCHEDULE};
use super::fit::Why;
use super::unit::{Binder, Home};
use crate::ast::{self, AstNode};
use plainsong_diagnostics::{Code, Diagnostic, Span};
use plainsong_ir::visit::{Visit, VisitMut, walk};
use plainsong_ir::{Action, ActionId, Choice, Commute, Expr, LocalId, Ty};

impl Lowering<'_> {
    /// The witnesses.
    pub(crate) fn commutes(
        &mut self,
        items: &[ast::CommuteItem],
        actions: &[Action],
    ) -> Vec<Commute> {
        let all = items.iter();
        all.filter_map(|item| self.commute(item, actions)).collect()
    }

    fn commute(&mut self, item: &ast::CommuteItem, actions: &[Action]) -> Option<Commute> {
        self.begin(Home::Invariant);
        let sides: Vec<ast::CommuteSide> = item.sides().collect();
        let [one, two] = &sides[..] else { return None };
        let (first, named_first) = self.commute_side(one, actions)?;
        let (second, named_second) = self.commute_side(two, actions)?;
        let mut with: Vec<(LocalId, Expr)> = Vec::new();
        for witness in item.witnesses() {
            with.push(self.witness(&witness, [named_first, named_second])?);
        }
        let locals = self.finish(|filler| {
            with.iter_mut().for_each(|(_, value)| filler.expr(value));
        });
        let [[a, b], [c, d]] = [named_first, named_second];
        Some(Commute {
            first,
            second,
            named: [a, b, c, d],
            locals,
            with,
            span: one.span(),
        })
    }

    /// The action, and how many arguments and choices are named.
    pub(super) fn commute_side(
        &mut self,
        side: &ast::CommuteSide,
        actions: &[Action],
    ) -> Option<(ActionId, [usize; 2])> {
        let names = side.names();
        let (name, arguments) = names.split_first()?;
        let id = self.named_action(name)?;
        let action = &actions[id.index()];
        let code = &action.code;
        let params = code.locals[..code.arity].iter().map(|row| row.ty.clone());
        let mut chosen = Chosen::default();
        chosen.block(&code.body);
        let chosen = chosen.0.iter().map(|at| code.locals[at.index()].ty.clone());
        let (params, chosen): (Vec<Ty>, Vec<Ty>) = (params.collect(), chosen.collect());
        self.bind_names(arguments, &params, "arguments", side.span())?;
        let names = side.chosen();
        if !names.is_empty() {
            self.bind_names(&names, &chosen, "choices", side.span())?;
        }
        Some((id, [params.len(), names.len()]))
    }

    /// What is wrong with names for arguments and choices.
    fn code_of_names(&self) -> &'static Code {
        match self.unit.home {
            Home::Schedule => &SCHEDULE,
            _ => &COMMUTE,
        }
    }

    fn bind_names(
        &mut self,
        names: &[ast::Name],
        types: &[Ty],
        what: &str,
        span: Span,
    ) -> Option<()> {
        if names.len() != types.len() {
            let message = format!(
                "{} {what} are named here, there are {}",
                names.len(),
                types.len()
            );
            let help = "name all of them, in the order of the text";
            let code = self.code_of_names();
            self.report(Diagnostic::error(code, span, message).help(help));
            return None;
        }
        for (name, ty) in names.iter().zip(types) {
            let local = self
                .unit
                .bind(name.text(), ty.clone(), Binder::Parameter, name.span());
            self.unit.read[local.index()] = true;
        }
        Some(())
    }

    pub(super) fn witness(
        &mut self,
        witness: &ast::Witness,
        [[a, b], [c, d]]: [[usize; 2]; 2],
    ) -> Option<(LocalId, Expr)> {
        let name = witness.name()?;
        let known = (a..a + b).chain(a + b + c..a + b + c + d);
        let mut known = known.filter(|at| self.unit.locals[*at].name == name.text());
        let Some(at) = known.next() else {
            let message = format!("`{}` is not something that is chosen here", name.text());
            let help = "name what an action chooses with `choosing`";
            let code = self.code_of_names();
            self.report(Diagnostic::error(code, name.span(), message).help(help));
            return None;
        };
        let ty = self.unit.locals[at].ty.clone();
        let value = self.check(&witness.value()?, &ty, Why::Word("commute"));
        Some((LocalId::from(at), value))
    }
}

/// What an action chooses, in the order of the text.
#[derive(Default)]
struct Chosen(Vec<LocalId>);

impl Visit for Chosen {
    fn choice(&mut self, choice: &Choice) {
        self.0.push(choice.local);
        walk::choice(self, choice);
    }
}
