//! Calls of choreographies by choreographies.
//!
//! The statement only says who is called with what and who plays whom; when all choreographies are known, it
//! is looked whether that fits, and what the calls stand for is filled in ([`plainsong_ir::sub_choreography`]).

mod member_by_member;
mod written_out;

use super::Lowering;
use super::codes::names::UNKNOWN_NAME;
use super::codes::parts::{CALL_CIRCLE, FOREIGN_ARGUMENT, WRONG_CAST};
use super::fit::Why;
use super::unit::Home;
use crate::ast::{self, AstNode};
use member_by_member::for_each_value;
use plainsong_diagnostics::{Diagnostic, Span};
use plainsong_ir::sub_choreography::{circle, is_kept, played_var, unfold};
use plainsong_ir::unanimity::Owners;
use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{FamilyId, Part, Player, Song, StartValue, Stmt, StmtKind, Ty};
use written_out::written_out;

impl Lowering<'_> {
    /// `call line(e) with left as a;`
    pub(crate) fn part(&mut self, s: &ast::CallStmt) -> Option<StmtKind> {
        let called = s.called()?;
        let name = called.name()?;
        let list = called.arguments();
        let Some(declared) = self.names.lines.get(name.text()) else {
            self.unknown_line(&name);
            self.ignore_arguments(list.as_ref());
            return None;
        };
        let line = declared.what;
        let row = &self.line_signatures[line];
        let types: Vec<Ty> = row.params.iter().map(|param| param.ty.clone()).collect();
        let declared = (row.name.clone(), Some(row.span));
        let why = |_| Why::Word("call");
        let arguments = self.arguments(list.as_ref(), &types, called.span(), &declared, why);
        let cast = self.cast(s, line, name.span());
        Some(StmtKind::Part(Box::new(Part {
            line,
            arguments: arguments?,
            cast: cast?,
            ..Part::default()
        })))
    }

    /// Reports players of an action or procedure.
    pub(crate) fn no_players(&mut self, span: Span) {
        let message = "only choreographies have endpoints that can be played";
        self.report(Diagnostic::error(&WRONG_CAST, span, message).help("leave `with …` away"));
    }

    fn unknown_line(&mut self, name: &ast::Name) {
        if self.names.is_doubtful(name.text()) {
            return;
        }
        let message = format!("there is no choreography `{}`", name.text());
        let diagnostic = Diagnostic::error(&UNKNOWN_NAME, name.span(), message);
        let known = self.line_signatures.iter().map(|row| row.name.as_str());
        let diagnostic = self.suggest(diagnostic, name, known);
        self.report(diagnostic);
    }

    /// Who plays each endpoint of `line`: as written, or the endpoint with its name.
    fn cast(&mut self, s: &ast::CallStmt, line: usize, span: Span) -> Option<Vec<Player>> {
        let Home::Line(home) = self.unit.home else {
            return None;
        };
        let endpoints = self.families.iter().enumerate().skip(self.process_count);
        let endpoints = endpoints.map(|(at, family)| (FamilyId::from(at), family.name.clone()));
        let rows: Vec<(FamilyId, String)> = endpoints
            .filter(|(at, name)| self.names.endpoint(line, name) == Some(*at))
            .collect();
        let mut cast: Vec<Option<Player>> = vec![None; rows.len()];
        for written in s.players() {
            let (who, played) = (written.who()?, written.played()?);
            let Some(at) = rows.iter().position(|(_, name)| name == played.text()) else {
                let called = &self.line_signatures[line].name;
                let message = format!("`{called}` has no endpoint `{}`", played.text());
                let diagnostic = Diagnostic::error(&WRONG_CAST, played.span(), message);
                let known: Vec<&str> = rows.iter().map(|(_, name)| name.as_str()).collect();
                let diagnostic = self.suggest(diagnostic, &played, known);
                self.report(diagnostic);
                return None;
            };
            if cast[at].is_some() {
                let message = format!("`{}` is played twice", played.text());
                self.report(Diagnostic::error(&WRONG_CAST, written.span(), message));
                return None;
            }
            cast[at] = Some(self.player(&who, home, rows[at].0)?);
        }
        for (player, (_, name)) in cast.iter_mut().zip(&rows) {
            if player.is_some() {
                continue;
            }
            let Some(family) = self.names.endpoint(home, name) else {
                let called = &self.line_signatures[line].name;
                let message = format!("no endpoint plays `{name}` of `{called}`");
                self.report(Diagnostic::error(&WRONG_CAST, span, message).help(format!(
                    "say who does: `call {called}(…) with … as {name};`"
                )));
                return None;
            };
            let member = Vec::new();
            *player = Some(Player { family, member });
        }
        cast.into_iter().collect()
    }

    /// An endpoint, a member of a family, or a family that plays a family.
    fn player(&mut self, who: &ast::Expr, home: usize, played: FamilyId) -> Option<Player> {
        let reference = self.family_ref(who).filter(|reference| {
            let name = &self.families[reference.family.index()].name;
            self.names.endpoint(home, name) == Some(reference.family)
        });
        let Some(reference) = reference else {
            let message = "this is no endpoint of this choreography";
            self.report(
                Diagnostic::error(&WRONG_CAST, who.span(), message)
                    .help("endpoints play: `left as a`, `node[i] as b`"),
            );
            return None;
        };
        let family = reference.family;
        let is_family = !self.families[played.index()].index.is_empty();
        let member = match who {
            ast::Expr::Name(_) if is_family => Vec::new(),
            _ => self.family_indices(&reference)?,
        };
        Some(Player { family, member })
    }

    /// Looks whether all calls fit, and fills in what they stand for.
    pub(crate) fn fill_parts(&mut self, song: &mut Song) {
        let mut found = Vec::new();
        for line in song.choreographies() {
            let mut calls = Calls {
                song,
                home: line,
                owners: Owners::of(song, &song.lines[line]),
                found: Vec::new(),
            };
            calls.block(&song.lines[line].code.body);
            found.append(&mut calls.found);
        }
        if let Some(circle) = circle(song) {
            found.push(in_a_circle(song, &circle));
        }
        if found.is_empty() {
            unfold(song);
        }
        found.into_iter().for_each(|one| self.report(one));
    }
}

fn in_a_circle(song: &Song, circle: &[usize]) -> Diagnostic {
    let names = circle.iter().chain(circle.first());
    let names: Vec<&str> = names.map(|at| song.lines[*at].name.as_str()).collect();
    let message = format!(
        "choreographies call each other in a circle: {}",
        names.join(" → ")
    );
    let first = &song.lines[circle[0]];
    let mut diagnostic =
        Diagnostic::error(&CALL_CIRCLE, first.span, message).help("repeat with `while` or `for`");
    for at in &circle[1..] {
        let line = &song.lines[*at];
        diagnostic = diagnostic.also(line.span, format!("`{}` is in the circle", line.name));
    }
    diagnostic
}

fn is_foreign(one: &Diagnostic) -> bool {
    one.code.name == FOREIGN_ARGUMENT.name
}

/// Looks at the calls of one line.
struct Calls<'s> {
    song: &'s Song,
    /// Which line that is.
    home: usize,
    owners: Owners,
    found: Vec<Diagnostic>,
}

impl Visit for Calls<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        if let StmtKind::Part(part) = &stmt.kind {
            self.part(part, stmt.span);
        }
        walk::stmt(self, stmt);
    }
}

impl Calls<'_> {
    fn part(&mut self, part: &Part, span: Span) {
        let line = &self.song.lines[part.line];
        let before = self.found.len();
        for argument in &part.arguments {
            self.is_known(argument, "pass only what everybody knows; let endpoints transfer the rest first: `b.x = a.x;`");
        }
        for player in &part.cast {
            for at in &player.member {
                self.is_known(at, "let each member decide for itself who it is");
            }
        }
        let foreign = self.found.len() > before;
        for (player, played) in part.cast.iter().zip(&line.endpoints) {
            self.fits(player, *played, span);
        }
        for (at, one) in part.cast.iter().enumerate() {
            for other in &part.cast[at + 1..] {
                self.are_different(one, other, span);
            }
        }
        if foreign && self.found[before..].iter().all(is_foreign) {
            // One at a time: the others are looked at again when this one is known.
            let first = &mut self.found[before];
            let (song, home, of) = (self.song, self.home, first.primary.span);
            first.fix = for_each_value(song, home, part, span, of)
                .or_else(|| written_out(song, home, part, span, of));
        }
    }

    fn is_known(&mut self, expr: &plainsong_ir::Expr, help: &str) {
        if !self.owners.is_common(expr) {
            let message =
                "this depends on the state of an endpoint, which not all who take part know";
            self.found
                .push(Diagnostic::error(&FOREIGN_ARGUMENT, expr.span, message).help(help));
        }
    }

    /// Has who plays the variables of what it plays?
    fn fits(&mut self, player: &Player, played: FamilyId, span: Span) {
        let player_family = &self.song.families[player.family.index()];
        let played = &self.song.families[played.index()];
        let wanted = played.index.iter().map(|binder| &binder.ty);
        let given = player_family.index.iter().map(|binder| &binder.ty);
        let given = given.skip(player.member.len());
        let (who, role) = (&player_family.name, &played.name);
        if !given.eq(wanted) {
            let message = format!("`{who}` cannot play `{role}`: their indices are not the same");
            self.wrong(
                span,
                message,
                played.span,
                "a family plays a family, a member or a single endpoint a single one",
            );
            return;
        }
        for var in &played.vars {
            let name = &var.name;
            let there = played_var(var, player_family);
            let there = there.map(|at| &player_family.vars[at.index()]);
            if there.is_none_or(|there| there.ty != var.ty) {
                let message =
                    format!("`{who}` cannot play `{role}`: it has no such variable `{name}`");
                let help = format!("declare `{name}` in `{who}` with the type it has in `{role}`");
                self.wrong(span, message, var.span, &help);
            } else if there.is_some_and(|there| there.is_input) && !var.is_input {
                let message = format!("`{name}` of `{who}` is an input, which `{role}` may change");
                let help = format!("declare it as an input in `{role}`, too: `in {name}: …;`");
                self.wrong(span, message, var.span, &help);
            } else if matches!(var.start, StartValue::Choice(_)) && !is_kept(var) {
                let message = format!(
                    "what `{name}` of `{role}` starts with is chosen, and a call has a value already"
                );
                let help = "write `= choose` and its type, and say in `requires` what must hold";
                self.wrong(span, message, var.span, help);
            }
        }
    }

    fn wrong(&mut self, span: Span, message: String, also: Span, help: &str) {
        self.found.push(
            Diagnostic::error(&WRONG_CAST, span, message)
                .also(also, "declared here")
                .help(help),
        );
    }

    fn are_different(&mut self, one: &Player, other: &Player, span: Span) {
        let index = |player: &Player| player.member.clone();
        let same = one.family == other.family
            && (one.member.is_empty() || other.member.is_empty() || index(one) == index(other));
        if same {
            let name = &self.song.families[one.family.index()].name;
            let message = format!("`{name}` cannot play two endpoints at once");
            self.found.push(
                Diagnostic::error(&WRONG_CAST, span, message)
                    .help("no endpoint sends to itself: let another endpoint play one of them"),
            );
        }
    }
}
