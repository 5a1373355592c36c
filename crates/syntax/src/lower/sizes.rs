//! Sizes of sorts and values of parameters.

use super::Lowering;
use super::codes::declarations::BAD_SIZE;
use super::codes::names::DUPLICATE_NAME;
use crate::ast::{self, AstNode};
use crate::names::Item;
use crate::types::Members;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::{ConstId, Sizing, SortId, Ty};
use std::collections::HashMap;

impl Lowering<'_> {
    /// `Db = 3, N = 2..=4`
    pub(crate) fn sizings(&mut self, list: impl Iterator<Item = ast::Sizing>) -> Vec<Sizing> {
        let mut sizings = Vec::new();
        let mut seen = HashMap::new();
        for written in list {
            let Some(name) = written.name() else { continue };
            self.given_once(&name, &mut seen);
            if let Some(sizing) = self.sizing(&name, &written) {
                sizings.push(sizing);
            }
        }
        sizings
    }

    fn given_once(&mut self, name: &ast::Name, seen: &mut HashMap<String, Span>) {
        match seen.get(name.text()) {
            Some(&earlier) => {
                let message = format!("`{}` is given a size twice", name.text());
                self.report(
                    Diagnostic::error(&DUPLICATE_NAME, name.span(), message)
                        .also(earlier, "first given here")
                        .help("a range of sizes is written `2..=4`"),
                );
            }
            None => _ = seen.insert(name.text().to_owned(), name.span()),
        }
    }

    fn sizing(&mut self, name: &ast::Name, written: &ast::Sizing) -> Option<Sizing> {
        let (low, high) = (written.first()?, written.last()?);
        let span = written.span();
        let least = match self.names.item(name.text()) {
            Some(Item::Sort(id)) => self.sort_size(id, name)?,
            Some(Item::Const(id)) => self.param_size(id, name)?,
            _ => {
                self.no_size(name);
                return None;
            }
        };
        if low < least {
            let message = format!("the sort `{}` has at least one member", name.text());
            self.report(Diagnostic::error(&BAD_SIZE, span, message).help("sizes begin with 1"));
        } else if high < low {
            let message = format!("there are no sizes from {low} to {high}");
            self.report(
                Diagnostic::error(&BAD_SIZE, span, message)
                    .help(format!("write the smaller one first: `{high}..={low}`")),
            );
        }
        Some(Sizing {
            name: name.text().to_owned(),
            low,
            high,
            span,
        })
    }

    /// The least size of a sort; reports one whose bounds say it already.
    fn sort_size(&mut self, id: SortId, name: &ast::Name) -> Option<i64> {
        let sort = &self.types.sorts[id.index()];
        if sort.members != Members::BoundedRange {
            return Some(1);
        }
        let declared = sort.span;
        let message = format!(
            "the sort `{}` has the size that its bounds say",
            name.text()
        );
        self.bad_size(
            name.span(),
            message,
            declared,
            "choose the parameter in its bounds, or leave out the upper bound",
        );
        None
    }

    /// The least value of a parameter; reports what is no parameter or no number.
    fn param_size(&mut self, id: ConstId, name: &ast::Name) -> Option<i64> {
        let row = &self.consts[id.index()];
        let declared = row.span;
        let text = name.text();
        let ty = row.ty.clone().unwrap_or(Ty::Int);
        if !row.is_param {
            let message = format!("`{text}` is a constant and has a value already");
            self.bad_size(
                name.span(),
                message,
                declared,
                "declare it as a parameter: `param N: nat;`",
            );
            return None;
        }
        if self.types.number(&ty).is_none() {
            let message =
                format!("the parameter `{text}` is no number; every value of it is tried");
            self.bad_size(
                name.span(),
                message,
                declared,
                "choose the sizes of its sorts instead",
            );
            return None;
        }
        Some(0)
    }

    fn bad_size(&mut self, span: Span, message: String, declared: Span, help: &str) {
        self.report(
            Diagnostic::error(&BAD_SIZE, span, message)
                .also(declared, "declared here")
                .help(help),
        );
    }

    fn no_size(&mut self, name: &ast::Name) {
        let text = name.text();
        if self.names.is_doubtful(text) {
            return;
        }
        let message = match self.names.item(text) {
            Some(item) => format!("`{text}` is {} and has no size", item.describe()),
            None => format!("there is no sort or parameter `{text}`"),
        };
        let sorts = self.types.sorts.iter().map(|sort| sort.name.as_str());
        let params = self
            .consts
            .iter()
            .filter(|row| row.is_param)
            .map(|row| row.name.as_str());
        let diagnostic = Diagnostic::error(&BAD_SIZE, name.span(), message);
        self.report(self.suggest(diagnostic, name, sorts.chain(params)));
    }
}
