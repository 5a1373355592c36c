//! The prover as the one whom `sequentialize` asks about numbers.
//!
//! A question becomes a line of its own: its values are parameters, what is known is required, and the goal is asserted.
//! What the prover shows is decided; everything else is not. No solver is started unless something is asked.

use plainsong_diagnostics::Span;
use plainsong_ir::{Choreography, Code, Expr, ExprKind, Local, Song, Stmt, StmtKind, Ty, UnOp};
use plainsong_prove::discharge::{Effort, Shown, discharge};
use plainsong_prove::obligation::Rule;
use plainsong_prove::theory::Theory;
use plainsong_prove::vc::conditions;
use plainsong_sequentialize::{Arbiter, Question};
use plainsong_smt::{Caching, Cancel, Setup, Solvers};
use std::cell::OnceCell;
use std::sync::Arc;

/// Decides what the prover shows.
pub struct Arithmetic {
    solvers: OnceCell<Solvers>,
    setup: Setup,
    /// Raised once it is time to stop: nothing more is decided then.
    cancel: Cancel,
}

impl Arbiter for Arithmetic {
    fn decides(&self, question: &Question) -> Option<bool> {
        if self.shows(question, question.goal.clone()) {
            return Some(true);
        }
        let not = Expr {
            kind: ExprKind::Unary(UnOp::Not, Box::new(question.goal.clone())),
            ..question.goal.clone()
        };
        self.shows(question, not).then_some(false)
    }
}

impl Arithmetic {
    /// With solvers that are set up so when something is asked; decides nothing any more once `cancel` is raised.
    pub fn new(setup: Setup, cancel: Cancel) -> Arithmetic {
        Arithmetic {
            solvers: OnceCell::new(),
            setup,
            cancel,
        }
    }

    /// With the solvers of this user's environment.
    pub fn with_caching(caching: &Caching) -> Arithmetic {
        Arithmetic::new(Setup::with_caching(caching), Cancel::default())
    }

    fn shows(&self, question: &Question, goal: Expr) -> bool {
        if self.cancel.is_cancelled() {
            return false;
        }
        let mut song = Song::default();
        song.lines.push(line(question, goal));
        let mut theory = Theory::new(Arc::new(song));
        let Ok(all) = conditions(&mut theory, 0, &[]) else {
            return false;
        };
        let asked = all.obligations.into_iter();
        let asked: Vec<_> = asked.filter(|one| one.rule == Rule::Assert).collect();
        let solvers = self
            .solvers
            .get_or_init(|| Solvers::new(self.setup.clone()));
        let effort = Effort {
            name: "decision".to_owned(),
            steps: Some(3),
            ..Effort::default()
        };
        let shown = discharge(&mut theory, &asked, solvers, &effort, &self.cancel);
        !asked.is_empty() && shown.iter().all(|shown| *shown == Shown::Yes)
    }
}

fn line(question: &Question, goal: Expr) -> Choreography {
    let locals = (0..question.values).map(|at| Local {
        name: format!("x{at}"),
        ty: Ty::Int,
        mutable: false,
        span: Span::default(),
    });
    Choreography {
        name: "decision".to_owned(),
        endpoints: Vec::new(),
        requires: question.given.clone(),
        ensures: Vec::new(),
        code: Code {
            arity: question.values,
            locals: locals.collect(),
            body: vec![Stmt {
                kind: StmtKind::Assert(goal),
                span: Span::default(),
            }],
        },
        kind: Default::default(),
        span: Span::default(),
    }
}
