//! The same answers, down to models and resource counts, whoever gives them and after whatever.

use crate::stage::{corpus, pool};
use plainsong_smt::{Answer, Cancel, Outcome, Query, Strategy};
use std::thread;

/// Every goal under both strategies, with its model, short of the dearest.
fn queries() -> Vec<Query> {
    let mut queries = Vec::new();
    for goal in corpus() {
        for strategy in [Strategy::Direct, Strategy::Plain, Strategy::Automatic] {
            let mut query = goal.query.clone();
            query.strategy = strategy;
            query.ask.model = true;
            query.limits.resource = 30_000;
            queries.push(query);
        }
    }
    queries
}

fn essence(answer: Answer) -> (Outcome, Option<u64>) {
    (answer.outcome, answer.resource)
}

/// A different order for each number.
fn shuffled(count: usize, number: u64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut state = number
        .wrapping_mul(2_862_933_555_777_941_757)
        .wrapping_add(3);
    for at in (1..count).rev() {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        order.swap(at, (state >> 33) as usize % (at + 1));
    }
    order
}

#[test]
fn an_answer_does_not_depend_on_what_else_was_asked() {
    let queries = queries();
    let cancel = Cancel::default();
    let fresh: Vec<_> = queries
        .iter()
        .map(|query| essence(pool(1).ask(query, &cancel)))
        .collect();
    let decided = fresh
        .iter()
        .filter(|one| !matches!(one.0, Outcome::Unknown(_)));
    assert!(decided.count() >= 16);
    for (number, processes) in [(1, 1), (2, 1), (3, 2), (4, 4)] {
        let pool = pool(processes);
        let order = shuffled(queries.len(), number);
        thread::scope(|scope| {
            for part in order.chunks(queries.len().div_ceil(processes)) {
                let (pool, queries, fresh, cancel) = (&pool, &queries, &fresh, &cancel);
                scope.spawn(move || {
                    for &at in part {
                        let answer = essence(pool.ask(&queries[at], cancel));
                        assert_eq!(answer, fresh[at], "{} in order {number}", queries[at].name);
                    }
                });
            }
        });
    }
}

#[test]
fn a_list_of_queries_is_answered_alike_by_pools_of_every_size() {
    let queries = queries();
    let queries: Vec<&Query> = queries.iter().collect();
    let answers = |processes| -> Vec<_> {
        let answers = pool(processes).ask_all(&queries, &Cancel::default());
        answers.into_iter().map(essence).collect()
    };
    let one = answers(1);
    assert_eq!(one, answers(2));
    assert_eq!(one, answers(5));
}
