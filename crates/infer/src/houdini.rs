//! Houdini [Houdini01] on the line: candidate invariants, kept where inductive, prove assertions and `finally` for every size.
//!
//! A line that `sequentialize` found is sequential code, so the prover can follow it. Loops over members need
//! invariants; [`invariant_templates`](crate::invariant_templates) guesses some;
//! those that are false in small executions are dropped ([`filter_by_runs`](crate::filter_by_runs)), then those that cannot be shown, until
//! all that are left can (the largest set of candidates that is inductive: a greatest fixed point in the lattice of
//! conjunctions, as in predicate abstraction). An `invariant` that a process's loop claims
//! stands at the line's loop; it helps, and has to be shown. Where it is not, `assertions` are open, and the rest is
//! shown without it: it only forbids executions. One of a daemon's loop is supposed where its rounds begin, and
//! asserted at the start and where they end: an execution in which it is false at the head of the loop fails there, so
//! a round that begins has it.
//!
//! Why sound. The processes end in no state that the line does not end in, and whatever a process evaluates, the
//! line evaluates with the same values, but for what is listed as not told. Loops are followed in any order of
//! members. The rounds of clients with daemons interleave, so nothing is said about what daemons hold at the end.
//!
//! NOT COVERED. Lines of processes that never end, lines that leave out a path on which an assertion fails,
//! properties that speak of daemons, measures of loops in processes and invariants of those that stand in no line.

use crate::filter_by_runs::drop_false_ones;
use crate::invariant_templates::{candidates, of_rows};
use crate::pids_as_data::as_data;
use crate::supervisor::Supervisor;
use plainsong_diagnostics::Span;
use plainsong_ir::validate::violations_in_code;
use plainsong_ir::visit::{Visit, VisitMut, any_stmt, walk, walk_mut};
use plainsong_ir::{
    Block, Claim, Expr, ExprKind, FamilyId, LoopClauses, Property, Song, Stmt, StmtKind, Ty,
};
use plainsong_prove::discharge::{Effort, Shown, discharge};
use plainsong_prove::obligation::{Obligation, Rule};
use plainsong_prove::theory::Theory;
use plainsong_prove::vc::conditions;
use plainsong_semantics::search::Check;
use plainsong_semantics::verdict::Assumption;
use plainsong_sequentialize::{Line, Sequentialized};
use plainsong_smt::Solvers;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Places of candidates begin here: beyond any text.
pub(crate) const BEYOND: u32 = 1 << 30;
/// So often candidates are dropped at most.
const ROUNDS: usize = 12;

/// What came of it, question by question.
pub enum Told {
    /// Proved, with the number of obligations and what is trusted.
    Proved(usize, Vec<Assumption>),
    /// Not, for this reason.
    Open(String),
}

/// Tries to answer the questions on the line.
pub fn on_the_line(
    song: &Song,
    found: &Sequentialized,
    questions: &[Check],
    solvers: &Solvers,
    supervisor: &mut dyn Supervisor,
) -> Vec<Told> {
    let open = |why: &str| {
        questions
            .iter()
            .map(|_| Told::Open(why.to_owned()))
            .collect()
    };
    let line = match &found.line {
        Ok(line) => line,
        Err(why) => return open(&format!("the line cannot be shown: {why}")),
    };
    if found.pruned {
        return open("an assertion certainly fails on one of its paths");
    }
    if !line.ends {
        return open("the line shows one round of processes that never end");
    }
    let mut written = line.written_out(true);
    let own_loops = has_while(line);
    let mut properties = BTreeMap::new();
    for question in questions {
        if let Check::Property(at) = *question
            && !line.crashes
            && let Ok(property) = at_endpoints(song, found, line, at)
        {
            properties.insert(at, written.properties.len());
            written.properties.push(property);
        }
    }
    let finally: Vec<usize> = properties.values().copied().collect();
    let proof = match attempt(written, &finally, own_loops, solvers, supervisor) {
        Ok(proof) => proof,
        Err(why) => return open(&why),
    };
    let answer = |question: &Check| match *question {
        Check::Property(at) => match properties.get(&at) {
            Some(number) => match proof.answer(|rule| rule == Rule::Finally(*number)) {
                Told::Open(why) => Told::Open(proof.unshown.clone().unwrap_or(why)),
                proved => proved,
            },
            None if line.crashes => {
                Told::Open("a process that crashes stops with any values it had".to_owned())
            }
            None => Told::Open("it speaks of daemons or of more than state".to_owned()),
        },
        Check::Assertions => match left_out(found, line) {
            Some(span) => Told::Open(format!(
                "something on the way does not stand in the line ({})",
                plainsong_diagnostics::place_marker(span)
            )),
            None => match &proof.unshown {
                Some(why) => Told::Open(why.clone()),
                None => proof.answer(|rule| matches!(rule, Rule::Assert | Rule::Defined)),
            },
        },
        _ => Told::Open("not asked of lines".to_owned()),
    };
    questions.iter().map(answer).collect()
}

/// A place that is open and does not stand in the line.
fn left_out(found: &Sequentialized, line: &Line) -> Option<Span> {
    let inside = |open: &Span| {
        line.untold
            .iter()
            .any(|untold| untold.start <= open.start && open.end <= untold.end)
    };
    let told = Spans::of(line);
    found
        .open
        .iter()
        .copied()
        .find(|open| inside(open) || !told.contains(open))
}

/// Does a process have a `while` of its own?
fn has_while(line: &Line) -> bool {
    let is_while = |stmt: &Stmt| matches!(stmt.kind, StmtKind::While(..));
    let mut last = line.song.lines.last().into_iter();
    last.any(|line| any_stmt(&line.code.body, is_while))
}

/// The places that stand in a line.
struct Spans(BTreeSet<Span>);

impl Spans {
    fn of(line: &Line) -> BTreeSet<Span> {
        let mut spans = Spans(BTreeSet::new());
        if let Some(line) = line.song.lines.last() {
            spans.block(&line.code.body);
        }
        spans.0
    }
}

impl Visit for Spans {
    fn stmt(&mut self, stmt: &Stmt) {
        self.0.insert(stmt.span);
        walk::stmt(self, stmt);
    }

    fn expr(&mut self, expr: &Expr) {
        self.0.insert(expr.span);
        walk::expr(self, expr);
    }
}

/// A property of the processes as one of the line.
fn at_endpoints(
    song: &Song,
    found: &Sequentialized,
    line: &Line,
    at: usize,
) -> Result<Property, ()> {
    let mut property = song.properties[at].clone();
    let Claim::Finally(claim) = &mut property.claim else {
        return Err(());
    };
    let processes = song.voices().map_or(&[][..], |voices| &voices.processes);
    let daemons = processes.iter().filter(|process| process.daemon);
    let mut moving = EndpointRewriter {
        endpoints: &line.endpoints,
        daemons: daemons.map(|process| process.family).collect(),
        may_leave: found.may_leave,
        wrong: false,
    };
    moving.expr(claim);
    if moving.wrong { Err(()) } else { Ok(property) }
}

struct EndpointRewriter<'a> {
    endpoints: &'a BTreeMap<FamilyId, FamilyId>,
    daemons: BTreeSet<FamilyId>,
    /// May messages be left over?
    may_leave: bool,
    wrong: bool,
}

impl VisitMut for EndpointRewriter<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Of(family, ..) => match self.endpoints.get(family) {
                Some(endpoint) if !self.daemons.contains(family) => *family = *endpoint,
                _ => self.wrong = true,
            },
            ExprKind::Pending(_) if self.may_leave => self.wrong = true,
            ExprKind::PendingOf(..) => self.wrong = true,
            // When the line is over, every message has been received.
            ExprKind::Pending(_) => {
                expr.kind = ExprKind::Int(0);
                expr.ty = Ty::Nat;
            }
            _ => {}
        }
        walk_mut::expr(self, expr);
    }
}

/// The obligations that are left when the candidates are inductive.
struct Proof {
    obligations: Vec<(Obligation, Shown)>,
    notes: Vec<Assumption>,
    /// What is said of an invariant that a process claims and that could not be shown, if there is one.
    unshown: Option<String>,
}

impl Proof {
    fn answer(&self, belongs: impl Fn(Rule) -> bool) -> Told {
        let mine = self
            .obligations
            .iter()
            .filter(|(one, _)| belongs(one.rule) || is_relied_on(one.rule))
            .filter(|(one, _)| one.span.start < BEYOND);
        let mine: Vec<_> = mine.collect();
        let invariants = self.obligations.iter().filter(|(one, _)| is_invariant(one));
        match mine.iter().find(|(_, shown)| *shown != Shown::Yes) {
            None => Told::Proved(mine.len() + invariants.count(), self.notes.clone()),
            Some((one, _)) => Told::Open(format!(
                "`{}` was not proved: {}{}",
                one.text,
                one.sentence,
                match one.span == Span::default() {
                    true => String::new(),
                    false => format!(" ({})", plainsong_diagnostics::place_marker(one.span)),
                }
            )),
        }
    }
}

fn is_invariant(one: &Obligation) -> bool {
    matches!(
        one.rule,
        Rule::Established | Rule::Maintained | Rule::Position
    ) || one.span.start >= BEYOND
}

/// Does everything behind it depend on it? Processes, unlike a line, do not stop where it is false.
fn is_relied_on(rule: Rule) -> bool {
    rule.is_unchecked() || rule == Rule::Unanimity
}

/// Drops candidates until those that are left are inductive, then shows the rest.
fn attempt(
    mut song: Song,
    finally: &[usize],
    own_loops: bool,
    solvers: &Solvers,
    supervisor: &mut dyn Supervisor,
) -> Result<Proof, String> {
    song = as_data(song);
    let number = song.lines.len() - 1;
    let mut locals = song.lines[number].code.locals.clone();
    let mut guesses = candidates(&song, &song.lines[number].code.body, &mut locals);
    for (at, more) in of_rows(&song, number, &mut locals) {
        guesses.entry(at).or_default().extend(more);
    }
    song.lines[number].code.locals = locals;
    place(&mut guesses);
    drop_ill_typed(&song, number, &mut guesses);
    drop_false_ones(&song, number, &mut guesses);
    let mut unshown = None;
    for round in 0..ROUNDS {
        if let Some(why) = supervisor.reason_to_stop() {
            return Err(why);
        }
        let guessed = with_invariants(&song, number, &guesses);
        let mut theory = Theory::new(Arc::new(guessed));
        let all = conditions(&mut theory, number, finally).map_err(|why| why.message)?;
        let (mut asked, rest): (Vec<Obligation>, Vec<Obligation>) = all
            .obligations
            .into_iter()
            .filter(|one| one.rule != Rule::Vacuity)
            .partition(is_invariant);
        each_by_itself(&mut asked);
        let effort = Effort {
            name: format!("line/{round}"),
            steps: Some(3),
            ..Effort::default()
        };
        let shown = discharge(&mut theory, &asked, solvers, &effort, &supervisor.cancel());
        let failed: BTreeSet<u32> = asked
            .iter()
            .zip(&shown)
            .filter(|(_, shown)| **shown != Shown::Yes)
            .map(|(one, _)| one.span.start)
            .collect();
        let guesses_fail = failed.iter().any(|at| *at >= BEYOND);
        // What is claimed may need the guesses, so they are sifted first.
        if let (false, Some(claimed)) = (guesses_fail, not_shown(&asked, &shown)) {
            unshown.get_or_insert(claimed);
            without_claims(&mut song.lines[number].code.body, &failed);
            continue;
        }
        if failed.is_empty() {
            let effort = Effort {
                name: "line/goals".to_owned(),
                ..Effort::default()
            };
            let goals = discharge(&mut theory, &rest, solvers, &effort, &supervisor.cancel());
            let obligations = asked
                .into_iter()
                .zip(shown)
                .chain(rest.into_iter().zip(goals));
            let obligations: Vec<_> = obligations.collect();
            let notes = trusted(all.notes, own_loops, &obligations);
            return Ok(Proof {
                obligations,
                notes,
                unshown,
            });
        }
        for one in guesses.values_mut() {
            one.retain(|guess| !failed.contains(&guess.span.start));
        }
    }
    Err(unshown.unwrap_or_else(|| "invariants for its loops were not found".to_owned()))
}

/// The first claim that was not proved.
fn not_shown(asked: &[Obligation], shown: &[Shown]) -> Option<String> {
    let mut all = asked.iter().zip(shown);
    let (one, _) = all.find(|(_, shown)| **shown != Shown::Yes)?;
    Some(format!(
        "the invariant `{}` was not proved: {} ({})",
        one.text,
        one.sentence,
        plainsong_diagnostics::place_marker(one.span)
    ))
}

/// Conditions are relied on once they were asked for; a guess that is wrong must not help others, or only one of
/// them would be dropped at a time. What a loop may begin its round with is the same formula as what is asked of the next
/// loop: it stays where it was known before it was asked for.
fn each_by_itself(asked: &mut [Obligation]) {
    let mut goals = BTreeSet::new();
    for one in asked {
        one.hypotheses.retain(|known| !goals.contains(known));
        goals.insert(one.goal);
    }
}

/// Loops over members are finite: nothing is trusted about their end. What a daemon claims of the head of its loop is
/// supposed where a round begins, and asserted where it comes there: nothing is trusted. What processes suppose
/// themselves is told by whoever reads them.
fn trusted(
    mut notes: Vec<Assumption>,
    own_loops: bool,
    obligations: &[(Obligation, Shown)],
) -> Vec<Assumption> {
    let asserted = obligations
        .iter()
        .filter(|(one, _)| one.rule == Rule::Assert);
    let claimed: BTreeSet<&str> = asserted.map(|(one, _)| one.text.as_str()).collect();
    notes.retain(|note| match note {
        Assumption::Assume(text) => !claimed.contains(text.as_str()),
        Assumption::Termination => own_loops,
        _ => true,
    });
    notes
}

/// Drops candidates that are no expressions of the song: they are put together from parts, and nobody wrote them. What is
/// wrong is told by the place of the candidate.
fn drop_ill_typed(song: &Song, number: usize, guesses: &mut BTreeMap<usize, Vec<Expr>>) {
    let guessed = with_invariants(song, number, guesses);
    let violations = violations_in_code(&guessed);
    let wrong: BTreeSet<u32> = violations.iter().map(|one| one.span.start).collect();
    for one in guesses.values_mut() {
        one.retain(|guess| !wrong.contains(&guess.span.start));
    }
}

/// Gives every candidate its own place, so that obligations say which one they are about.
fn place(guesses: &mut BTreeMap<usize, Vec<Expr>>) {
    struct At(Span);
    impl VisitMut for At {
        fn expr(&mut self, expr: &mut Expr) {
            expr.span = self.0;
            walk_mut::expr(self, expr);
        }
    }
    let all = guesses.values_mut().flatten();
    for (number, guess) in all.enumerate() {
        let start = BEYOND + number as u32;
        At(Span {
            start,
            end: start + 1,
        })
        .expr(guess);
    }
}

/// Drops the invariants that stand at these places.
fn without_claims(body: &mut Block, places: &BTreeSet<u32>) {
    struct ClaimRemover<'a>(&'a BTreeSet<u32>);
    impl VisitMut for ClaimRemover<'_> {
        fn clauses(&mut self, clauses: &mut LoopClauses) {
            let is_kept = |one: &Expr| !self.0.contains(&one.span.start);
            clauses.invariants.retain(is_kept);
        }
    }
    ClaimRemover(places).block(body);
}

/// The song with these invariants at the loops of its last line.
pub(crate) fn with_invariants(
    song: &Song,
    number: usize,
    guesses: &BTreeMap<usize, Vec<Expr>>,
) -> Song {
    let mut song = song.clone();
    let mut at = 0;
    annotate(&mut song.lines[number].code.body, guesses, &mut at);
    song
}

/// Loops in the order of the text.
fn annotate(block: &mut Block, guesses: &BTreeMap<usize, Vec<Expr>>, at: &mut usize) {
    for stmt in block {
        match &mut stmt.kind {
            StmtKind::While(_, clauses, body) => {
                let guesses_here = guesses.get(at).into_iter().flatten();
                clauses.invariants.extend(guesses_here.cloned());
                *at += 1;
                annotate(body, guesses, at);
            }
            StmtKind::For { clauses, body, .. } => {
                let guesses_here = guesses.get(at).into_iter().flatten();
                clauses.invariants.extend(guesses_here.cloned());
                *at += 1;
                annotate(body, guesses, at);
            }
            StmtKind::If(_, yes, no) | StmtKind::Maybe(yes, no) => {
                annotate(yes, guesses, at);
                annotate(no, guesses, at);
            }
            StmtKind::Match(_, arms) => {
                for (_, body) in arms {
                    annotate(body, guesses, at);
                }
            }
            _ => {}
        }
    }
}
