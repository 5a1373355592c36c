//! Executions that have ended, shown to observers and to Graphviz.

use super::Watch;
use crate::dot::dot;
use crate::machine::Machine;
use crate::observer::{Execution, Outcome};
use crate::shared_context::World;
use plainsong_explore::Graph;

impl Watch {
    /// Shows an execution to whoever wants to see it, if it is one.
    pub(super) fn show(&mut self, graph: &Graph<Machine>, world: &World) {
        world.begin_execution();
        world.begins.set(world.audience.get().is_some());
        let Some(outcome) = self.outcome.take() else {
            return;
        };
        if let Some(audience) = world.audience.get() {
            let number = world.number.get();
            audience.after(&Execution {
                number,
                outcome: &outcome,
                events: graph.order().len() as u64,
                processes: graph.threads(),
                dot: &|| self.dot(graph, &outcome),
            });
        }
        if self.shared.settings.dot_file.is_some() {
            self.keep_dot(graph, &outcome);
        }
    }

    /// Keeps the graph of the first execution, and later that of the first that failed.
    fn keep_dot(&self, graph: &Graph<Machine>, outcome: &Outcome) {
        let failed = matches!(outcome, Outcome::Failed(_));
        let is_better = match &self.shared.found().dot {
            None => true,
            Some((_, kept_failed)) => failed && !kept_failed,
        };
        if is_better && let Some(text) = self.dot(graph, outcome) {
            let mut found = self.shared.found();
            if failed || found.dot.is_none() {
                found.dot = Some((text, failed));
            }
        }
    }

    /// The graph of an execution; none if it is another one when it is run again.
    fn dot(&self, graph: &Graph<Machine>, outcome: &Outcome) -> Option<String> {
        let machine = self.run_from_scratch(graph, true).ok()?;
        let title = match outcome {
            Outcome::Failed(message) => format!("failed: {message}"),
            _ => outcome.name().to_owned(),
        };
        Some(dot(graph, &machine, &title))
    }
}
