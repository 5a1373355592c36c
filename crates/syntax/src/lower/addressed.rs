//! Messages in schedules: `Vote(yes) to coordinator from db[d]` is one that is in flight.

use super::Lowering;
use super::codes::layers::SCHEDULE;
use super::fit::Why;
use crate::ast::{self, AstNode};
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::handlers::Sender;
use plainsong_ir::{ActionId, Expr, ExprKind, FamilyId, MessageId, Ty};

/// A message with an address, as written.
pub(crate) struct Addressed {
    pub(crate) message: MessageId,
    pub(crate) arguments: Option<ast::ArgList>,
    pub(crate) to: Option<ast::Expr>,
    pub(crate) from: Option<ast::Expr>,
    pub(crate) span: Span,
}

impl Lowering<'_> {
    /// What handles the message, and the arguments: the member's indices, the sender's, the payload.
    pub(crate) fn addressed(&mut self, written: &Addressed) -> Option<(ActionId, Vec<Expr>)> {
        let row = &self.messages[written.message.index()];
        let types: Vec<Ty> = row.fields.iter().map(|field| field.ty.clone()).collect();
        let declared = (row.name.clone(), Some(row.span));
        let why = |at| Why::Message(written.message, at);
        let list = written.arguments.as_ref();
        let payload = self.arguments(list, &types, written.span, &declared, why);
        let Some(to) = &written.to else {
            let message = format!("it is not said to whom `{}` goes", declared.0);
            let help = format!("write `call {}(…) to p;`", declared.0);
            self.report(Diagnostic::error(&SCHEDULE, written.span, message).help(help));
            return None;
        };
        let (family, mut arguments) = self.member_named(to, "to")?;
        let mut rows = self.message_actions.iter();
        let found = rows.position(|row| row.family == family && row.message == written.message);
        let Some(at) = found else {
            let who = self.families[family.index()].name.clone();
            let message = format!("`{who}` does not handle `{}`", declared.0);
            self.report(Diagnostic::error(&SCHEDULE, to.span(), message));
            return None;
        };
        arguments.extend(self.sender_named(written, self.message_actions[at].sender)?);
        arguments.extend(payload?);
        Some((ActionId::from(at), arguments))
    }

    /// The indices of the sender, if the handlers ask for it.
    fn sender_named(&mut self, written: &Addressed, sender: Sender) -> Option<Vec<Expr>> {
        let message = match (sender, &written.from) {
            (Sender::Unasked, None) => return Some(Vec::new()),
            (Sender::Family(family), Some(from)) => {
                let (named, indices) = self.member_named(from, "from")?;
                if named == family {
                    return Some(indices);
                }
                let who = &self.families[family.index()].name;
                format!("only `{who}` sends this message")
            }
            (Sender::Family(family), None) if self.families[family.index()].index.is_empty() => {
                return Some(Vec::new());
            }
            (Sender::Family(_), None) => "the handlers ask who sent it: say `from p`".to_owned(),
            (Sender::Unasked, Some(_)) => {
                "the handlers do not ask who sent it: leave out `from`".to_owned()
            }
            (Sender::Unclear, _) => {
                "the handlers ask who sent it, and not only one family does".to_owned()
            }
        };
        self.report(Diagnostic::error(&SCHEDULE, written.span, message));
        None
    }

    /// The family and the indices of an address.
    fn member_named(
        &mut self,
        address: &ast::Expr,
        word: &'static str,
    ) -> Option<(FamilyId, Vec<Expr>)> {
        let lowered = self.check(address, &Ty::Process, Why::Word(word));
        match lowered.kind {
            ExprKind::Pid(family, indices) => Some((family, indices)),
            _ => {
                let message = "a schedule names the process: `p`, or `p[i]`";
                self.report(Diagnostic::error(&SCHEDULE, address.span(), message));
                None
            }
        }
    }

    /// Reports an address of what is no message.
    pub(crate) fn no_address(&mut self, span: Span) {
        let message = "only messages go to a process";
        self.report(Diagnostic::error(&SCHEDULE, span, message).help("leave out `to` and `from`"));
    }
}
