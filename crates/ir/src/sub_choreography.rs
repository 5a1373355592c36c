//! Choreographies that are called by others, and what such a call stands for.
//!
//! Statement. `call exchange(e) with left as a, node[i] as b;` does what `exchange` does, where `left` has
//! the place of `a` and the member `node[i]` that of `b`: a variable of `a` is the variable of `left` with the
//! same name. A variable that starts with any value of its type (`var v: int;`) keeps the one it has; one that
//! starts with a value gets it. Everybody knows the arguments: no endpoint's state is read in them.
//!
//! Why its contract may be relied on. Whoever proves `exchange` proves it for all parameters and all values
//! of the variables that keep theirs, as long as `requires` holds; and the endpoints of a choreography are
//! different ones. So if those who play are different and `requires` holds when it begins, it ends as it
//! promises, and nothing is written but the variables of those who play that its text writes. A condition that
//! several decide part by part is taken apart in the call at most where it is in `exchange`
//! ([`crate::unanimity`]); so the agreement that is shown there is enough.
//!
//! The annotations of loops are not part of what a call stands for: `old` in them speaks of the beginning of
//! `exchange`, and they have been used up in its proof.

use crate::recursion;
use crate::visit::{VisitMut, renumber_locals, walk_mut};
use crate::{
    BinOp, Block, Choreography, Domain, Expr, ExprKind, Family, FamilyId, Local, LocalId,
    LoopClauses, Part, Place, Player, Root, Song, StartValue, StateVar, Stmt, StmtKind, Ty, VarId,
};
use plainsong_diagnostics::Span;

/// The calls in statements, without those inside of what they stand for.
pub fn parts_in(block: &Block) -> Vec<&Part> {
    let mut parts = Vec::new();
    for stmt in block {
        match &stmt.kind {
            StmtKind::Part(part) => parts.push(&**part),
            StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
                parts.extend(parts_in(yes));
                parts.extend(parts_in(no));
            }
            StmtKind::Match(_, arms) => {
                parts.extend(arms.iter().flat_map(|(_, body)| parts_in(body)));
            }
            StmtKind::While(_, _, body) | StmtKind::For { body, .. } => {
                parts.extend(parts_in(body));
            }
            _ => {}
        }
    }
    parts
}

/// The variable of a player that stands for a variable of what it plays: the one with the same name.
pub fn played_var(played: &StateVar, player: &Family) -> Option<VarId> {
    let at = player.vars.iter().position(|var| var.name == played.name)?;
    Some(VarId::from(at))
}

/// Does a variable keep the value that the caller's has?
pub fn is_kept(var: &StateVar) -> bool {
    match &var.start {
        StartValue::Value(_) => false,
        StartValue::Choice(choice) => {
            matches!(choice.domain, Domain::Type(_)) && choice.filter.is_none()
        }
    }
}

/// A circle of choreographies that call each other, if there is one: each calls the next, the last the first.
pub fn circle(song: &Song) -> Option<Vec<usize>> {
    let mut done = vec![false; song.lines.len()];
    (0..song.lines.len()).find_map(|line| follow(song, line, &mut Vec::new(), &mut done))
}

fn follow(song: &Song, line: usize, way: &mut Vec<usize>, done: &mut [bool]) -> Option<Vec<usize>> {
    if let Some(at) = way.iter().position(|one| *one == line) {
        return Some(way[at..].to_vec());
    }
    if done.get(line).copied().unwrap_or(true) {
        return None;
    }
    way.push(line);
    let next = recursion::parts(song, line);
    let found = next.into_iter().find_map(|to| follow(song, to, way, done));
    way.pop();
    done[line] = true;
    found
}

/// Says for every call what it stands for. There is no [`circle`], everybody who plays has the variables of
/// what it plays, and the numbers of indices fit.
pub fn unfold(song: &mut Song) {
    let mut order = Vec::new();
    for line in 0..song.lines.len() {
        callees_first(song, line, &mut order);
    }
    let mut any = false;
    for line in order {
        if recursion::parts(song, line).is_empty() {
            continue;
        }
        any = true;
        let mut code = std::mem::take(&mut song.lines[line].code);
        let mut unfolding = CallUnfolder {
            song,
            locals: &mut code.locals,
        };
        unfolding.block(&mut code.body);
        song.lines[line].code = code;
    }
    if any {
        renumber_locals(song);
    }
}

/// What one call stands for: names for its arguments, first values, statements. Rows for its names are added. Who plays fits,
/// as for [`unfold`], and the choreography calls no others.
pub fn stands_for(song: &Song, part: &Part, span: Span, locals: &mut Vec<Local>) -> Block {
    let mut part = part.clone();
    CallUnfolder { song, locals }.part(&mut part, span);
    [part.start, part.body].concat()
}

fn callees_first(song: &Song, line: usize, order: &mut Vec<usize>) {
    if order.contains(&line) {
        return;
    }
    for callee in recursion::parts(song, line) {
        callees_first(song, callee, order);
    }
    order.push(line);
}

/// Fills in the calls of one line.
struct CallUnfolder<'s> {
    song: &'s Song,
    locals: &'s mut Vec<Local>,
}

impl VisitMut for CallUnfolder<'_> {
    fn stmt(&mut self, stmt: &mut Stmt) {
        match &mut stmt.kind {
            StmtKind::Part(part) => self.part(part, stmt.span),
            _ => walk_mut::stmt(self, stmt),
        }
    }
}

impl CallUnfolder<'_> {
    fn part(&mut self, part: &mut Part, span: Span) {
        let song = self.song;
        let line = &song.lines[part.line];
        let offset = self.take_in(&line.code.locals);
        let mut casting = EndpointSubstitution {
            song,
            line,
            cast: &part.cast,
            locals: offset,
            own: None,
        };
        let mut body = line.code.body.clone();
        let mut requires = line.requires.clone();
        let mut ensures = line.ensures.clone();
        casting.block(&mut body);
        requires.iter_mut().for_each(|one| casting.expr(one));
        ensures.iter_mut().for_each(|one| casting.expr(one));
        part.start = Vec::new();
        for (at, argument) in part.arguments.iter().enumerate() {
            let kind = StmtKind::Let(LocalId::from(offset + at), argument.clone());
            part.start.push(Stmt { kind, span });
        }
        let mut apart = different(&part.cast, span);
        apart.append(&mut requires);
        for (role, family) in line.endpoints.iter().enumerate() {
            let played = &song.families[family.index()];
            for var in played.vars.iter().filter(|var| !is_kept(var)) {
                let begins = self.begins(line, &part.cast, role, var, offset);
                part.start.push(begins);
            }
        }
        part.requires = apart;
        part.ensures = ensures;
        part.body = body;
    }

    /// Adds rows for names that are used here, too; the first of them.
    fn take_in(&mut self, rows: &[Local]) -> usize {
        let first = self.locals.len();
        self.locals.extend(rows.iter().cloned());
        first
    }

    /// A variable gets the value that it starts with, at every member.
    fn begins(
        &mut self,
        line: &Choreography,
        cast: &[Player],
        role: usize,
        var: &StateVar,
        params: usize,
    ) -> Stmt {
        let song = self.song;
        let played = &song.families[line.endpoints[role].index()];
        let StartValue::Value(start) = &var.start else {
            unreachable!("what starts with a choice is kept or was refused")
        };
        let (index, arity) = (played.index.len(), line.code.arity);
        let indices = self.take_in(&var.locals[..index]);
        let bound = self.take_in(&var.locals[(index + arity).min(var.locals.len())..]);
        let member: Vec<Expr> = (played.index.iter().enumerate())
            .map(|(at, binder)| Expr {
                kind: ExprKind::Local(LocalId::from(indices + at)),
                ty: binder.ty.clone(),
                span: var.span,
            })
            .collect();
        let mut casting = EndpointSubstitution {
            song,
            line,
            cast,
            locals: params,
            own: Some(OwnNames {
                role,
                member: member.clone(),
                indices,
                arity,
                bound,
            }),
        };
        let mut value = start.clone();
        casting.expr(&mut value);
        let player = &cast[role];
        let target = played_var(var, &song.families[player.family.index()]);
        let target = target.expect("who plays has the variables of what it plays");
        let place = Place {
            root: Root::Of(
                player.family,
                [&player.member[..], &member].concat(),
                target,
            ),
            path: Vec::new(),
            span: var.span,
        };
        let mut stmt = Stmt {
            kind: StmtKind::Assign(place, value),
            span: var.span,
        };
        for (at, binder) in played.index.iter().enumerate().rev() {
            stmt = Stmt {
                kind: StmtKind::For {
                    local: LocalId::from(indices + at),
                    domain: Domain::Type(binder.ty.clone()),
                    filter: None,
                    clauses: LoopClauses::default(),
                    body: vec![stmt],
                },
                span: var.span,
            };
        }
        stmt
    }
}

/// That members of one family that play are different ones.
fn different(cast: &[Player], span: Span) -> Vec<Expr> {
    let mut all = Vec::new();
    for (at, one) in cast.iter().enumerate() {
        for other in &cast[at + 1..] {
            if one.family == other.family && !one.member.is_empty() {
                all.push(other_member(one, other, span));
            }
        }
    }
    all
}

fn other_member(one: &Player, other: &Player, span: Span) -> Expr {
    let truth = |kind| Expr {
        kind,
        ty: Ty::Bool,
        span,
    };
    let pairs = one.member.iter().zip(&other.member);
    let unequal = pairs.map(|(a, b)| {
        truth(ExprKind::Binary(
            BinOp::Ne,
            Box::new(a.clone()),
            Box::new(b.clone()),
        ))
    });
    let either =
        unequal.reduce(|a, b| truth(ExprKind::Binary(BinOp::Or, Box::new(a), Box::new(b))));
    either.unwrap_or_else(|| truth(ExprKind::Bool(false)))
}

/// Puts players into the place of endpoints, and gives names their rows in the caller's table.
struct EndpointSubstitution<'s> {
    song: &'s Song,
    line: &'s Choreography,
    cast: &'s [Player],
    /// Where the rows of the line's names begin.
    locals: usize,
    /// In the first value of a variable, whose names are its own.
    own: Option<OwnNames>,
}

/// The names in the first value of a variable: indices, parameters, what it binds.
struct OwnNames {
    role: usize,
    member: Vec<Expr>,
    indices: usize,
    arity: usize,
    bound: usize,
}

impl EndpointSubstitution<'_> {
    fn renamed(&self, local: &mut LocalId) {
        let at = local.index();
        let row = match &self.own {
            None => self.locals + at,
            Some(own) => {
                let indices = own.member.len();
                match at {
                    _ if at < indices => own.indices + at,
                    _ if at < indices + own.arity => self.locals + at - indices,
                    _ => own.bound + at - indices - own.arity,
                }
            }
        };
        *local = LocalId::from(row);
    }

    fn role_of(&self, family: FamilyId) -> Option<usize> {
        self.line.endpoints.iter().position(|one| *one == family)
    }

    /// Who plays a family, and the number of its variable there.
    fn player(&self, role: usize, var: VarId) -> (&Player, VarId) {
        let player = &self.cast[role];
        let played = &self.song.families[self.line.endpoints[role].index()];
        let family = &self.song.families[player.family.index()];
        let var = played_var(&played.vars[var.index()], family);
        (
            player,
            var.expect("who plays has the variables of what it plays"),
        )
    }

    /// Rewrites who is meant.
    fn meant(&self, family: &mut FamilyId, index: &mut Vec<Expr>, var: &mut VarId) {
        if let Some(role) = self.role_of(*family) {
            let (player, there) = self.player(role, *var);
            let member = player.member.iter().cloned();
            *index = member.chain(std::mem::take(index)).collect();
            (*family, *var) = (player.family, there);
        }
    }
}

impl VisitMut for EndpointSubstitution<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        walk_mut::expr(self, expr);
        if let ExprKind::Of(family, index, var) = &mut expr.kind {
            self.meant(family, index, var);
        } else if let (ExprKind::Own(var), Some(own)) = (&expr.kind, &self.own) {
            let (player, there) = self.player(own.role, *var);
            let index = [&player.member[..], &own.member].concat();
            expr.kind = ExprKind::Of(player.family, index, there);
        }
    }

    fn place(&mut self, place: &mut Place) {
        walk_mut::place(self, place);
        if let Root::Of(family, index, var) = &mut place.root {
            self.meant(family, index, var);
        }
    }

    fn clauses(&mut self, clauses: &mut LoopClauses) {
        *clauses = LoopClauses::default();
    }

    fn stmt(&mut self, stmt: &mut Stmt) {
        walk_mut::stmt(self, stmt);
        if let StmtKind::Part(part) = &mut stmt.kind {
            for inner in &mut part.cast {
                if let Some(role) = self.role_of(inner.family) {
                    let player = &self.cast[role];
                    let member = player.member.iter().cloned();
                    inner.member = member.chain(std::mem::take(&mut inner.member)).collect();
                    inner.family = player.family;
                }
            }
        }
    }

    fn binds(&mut self, local: &mut LocalId) {
        self.renamed(local);
    }

    fn uses(&mut self, local: &mut LocalId) {
        self.renamed(local);
    }
}
