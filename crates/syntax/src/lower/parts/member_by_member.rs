//! The fix for a call that passes what only one endpoint knows: every value is tried, and the endpoint says which.
//!
//! Statement. `call give(a.next);` becomes
//!
//! ```text
//! for m in Node { if a.next == m { call give(m); } }
//! ```
//!
//! Everybody knows `m`; that `a` has to tell the others which round is the one is for projection. Of two values, each
//! has a branch: `if a.f { call give(true); } else { call give(false); }`, about which nothing has to be shown round by round.
//!
//! Why it means the same. A branch is taken where the argument has its value. In the loop, the argument has exactly one value, so the call is made in exactly one round. It has the
//! same value in all of them: the call writes nothing that it reads.
//!
//! NOT COVERED: numbers and other types with too many values; what the call itself may change; choreographies that call
//! others, for which that is not looked up. For most of these the call is written out ([`written_out`](super::written_out)).

use plainsong_diagnostics::{Fix, Span};
use plainsong_ir::print;
use plainsong_ir::sub_choreography::is_kept;
use plainsong_ir::visit::{Visit, endpoints_read, walk};
use plainsong_ir::{
    BinOp, Expr, ExprKind, FamilyId, Local, LocalId, Part, Place, Song, Stmt, StmtKind, Ty, VarId,
};
use plainsong_ir::{Choreography, Root};
use std::collections::BTreeSet;

/// The call at `span` in line `home`, for each value of what stands at `of`.
pub(super) fn for_each_value(
    song: &Song,
    home: usize,
    part: &Part,
    span: Span,
    of: Span,
) -> Option<Fix> {
    let members = part.cast.iter().flat_map(|player| &player.member);
    let value = part.arguments.iter().chain(members);
    let value = value.into_iter().find(|one| one.span == of)?;
    if value.ty == Ty::Bool {
        return Some(for_both(song, home, part, span, value));
    }
    let is_listed = matches!(value.ty, Ty::Sort(_) | Ty::Enum(_));
    if !is_listed || !is_steady(song, part, value) {
        return None;
    }
    let mut locals = song.lines[home].code.locals.clone();
    let name = unused(song, &locals);
    locals.push(Local {
        name: name.clone(),
        ty: value.ty.clone(),
        mutable: false,
        span: Span::default(),
    });
    let member = Expr {
        kind: ExprKind::Local(LocalId::from(locals.len() - 1)),
        ty: value.ty.clone(),
        span: Span::default(),
    };
    let is_it = Expr {
        kind: ExprKind::Binary(BinOp::Eq, Box::new(value.clone()), Box::new(member)),
        ty: Ty::Bool,
        span: Span::default(),
    };
    let ty = print::ty(song, &value.ty);
    let is_it = print::expr(song, &locals, &is_it);
    let begin = format!("for {name} in {ty} {{\n    if {is_it} {{\n        ");
    Some(Fix {
        title: "call it for every value, and let the endpoint say for which".to_owned(),
        edits: vec![
            (Span::new(span.start, span.start), begin),
            (of, name),
            (Span::new(span.end, span.end), "\n    }\n}".to_owned()),
        ],
    })
}

/// A branch for true and one for false.
fn for_both(song: &Song, home: usize, part: &Part, span: Span, value: &Expr) -> Fix {
    let locals = &song.lines[home].code.locals;
    let call = |truth: bool| {
        let mut part = part.clone();
        let members = part.cast.iter_mut().flat_map(|player| &mut player.member);
        for one in part.arguments.iter_mut().chain(members) {
            if one.span == value.span {
                one.kind = ExprKind::Bool(truth);
            }
        }
        let kind = StmtKind::Part(Box::new(part));
        let text = print::stmt(song, locals, &Stmt { kind, span });
        text.trim().to_owned()
    };
    let text = format!(
        "if {} {{\n    {}\n}} else {{\n    {}\n}}",
        print::expr(song, locals, value),
        call(true),
        call(false)
    );
    Fix {
        title: "call it in a branch for each value".to_owned(),
        edits: vec![(span, text)],
    }
}

fn unused(song: &Song, locals: &[Local]) -> String {
    let names = locals.iter().map(|one| &one.name);
    let names = names.chain(song.consts.iter().map(|one| &one.name));
    let names = names.chain(song.functions.iter().map(|one| &one.name));
    let names: BTreeSet<&String> = names
        .chain(song.families.iter().map(|one| &one.name))
        .collect();
    let numbered = (2..).map(|number| format!("m_{number}"));
    let mut wanted = std::iter::once("m".to_owned()).chain(numbered);
    let free = wanted.find(|name| !names.contains(name));
    free.expect("there is always another number")
}

/// Does the call leave alone what a value reads?
fn is_steady(song: &Song, part: &Part, value: &Expr) -> bool {
    let called = &song.lines[part.line];
    let Some(written) = Written::by(called) else {
        return false;
    };
    endpoints_read(value).iter().all(|(family, _, var)| {
        let name = &song.families[family.index()].vars[var.index()].name;
        let mut roles = part.cast.iter().zip(&called.endpoints);
        roles.all(|(player, played)| {
            let vars = &song.families[played.index()].vars;
            let mut same = vars.iter().enumerate().filter(|(_, one)| one.name == *name);
            player.family != *family
                || same.all(|(at, one)| is_kept(one) && !written.has(*played, VarId::from(at)))
        })
    })
}

/// The variables that a choreography assigns to.
#[derive(Default)]
struct Written {
    vars: BTreeSet<(FamilyId, VarId)>,
    calls: bool,
}

impl Written {
    /// Nothing if it calls others.
    fn by(line: &Choreography) -> Option<Written> {
        let mut written = Written::default();
        written.block(&line.code.body);
        (!written.calls).then_some(written)
    }

    fn has(&self, family: FamilyId, var: VarId) -> bool {
        self.vars.contains(&(family, var))
    }
}

impl Visit for Written {
    fn stmt(&mut self, stmt: &Stmt) {
        self.calls |= matches!(stmt.kind, StmtKind::Part(_));
        walk::stmt(self, stmt);
    }

    /// Only assignments have places.
    fn place(&mut self, place: &Place) {
        if let Root::Of(family, _, var) = &place.root {
            self.vars.insert((*family, *var));
        }
        walk::place(self, place);
    }
}
