//! Executions drawn by priorities: they exist, and all can be drawn.

use crate::random::{Rng, Spice, generate};
use crate::script::{Collected, Do, Log, Script, Scripted, explore};
use plainsong_explore::{Model, Pct, Policy, sample};

/// Draws so many executions of a script.
fn draw(script: &Script, depth: u32, walks: u32) -> (Collected, Pct) {
    let spawn_order: Vec<usize> = (0..script.len()).collect();
    let mut program = Scripted {
        script,
        spawn_order: spawn_order.clone(),
        families: Vec::new(),
    };
    let mut seen = Collected::named(&spawn_order);
    let mut pct = Pct::new(depth, 7);
    for _ in 0..walks {
        pct.draw(&mut program, &mut seen, |engine| engine);
    }
    (seen, pct)
}

#[test]
fn executions_drawn_exist_and_most_are_drawn() {
    let mut rng = Rng(11);
    let (mut all, mut drawn) = (0, 0);
    for round in 0..400 {
        let spice = [Spice::None, Spice::Both][round % 2];
        let script = generate(&mut rng, None, spice);
        let spawn_order: Vec<usize> = (0..script.len()).collect();
        let (whole, _) = explore(&script, &spawn_order, Policy::ReceivesLast);
        let (seen, _) = draw(&script, 3, 200);
        for log in seen.complete.keys() {
            assert!(whole.complete.contains_key(log), "{script:?} {log:?}");
        }
        for log in seen.blocked.keys() {
            assert!(whole.blocked.contains_key(log), "{script:?} {log:?}");
        }
        let small = whole.complete.len() + whole.blocked.len() < 30;
        if small {
            all += whole.complete.len() + whole.blocked.len();
            drawn += seen.complete.len() + seen.blocked.len();
        }
    }
    assert!(drawn * 20 > all * 17, "{drawn} of {all}");
}

/// Messages that overtake others, under each model that allows it.
#[test]
fn messages_overtake_where_they_may() {
    // C8 of the conformance cases: a comment may arrive before the news.
    let triangle = |model| {
        vec![
            vec![Do::Send(2, 0, model), Do::Send(1, 0, model)],
            vec![Do::Recv(None, true), Do::Send(2, 1, model)],
            vec![Do::Recv(None, true), Do::Recv(None, true)],
        ]
    };
    let orders = |model| draw(&triangle(model), 2, 200).0.complete.len();
    assert_eq!(orders(Model::Unordered), 2);
    assert_eq!(orders(Model::Fifo), 2);
    assert_eq!(orders(Model::Causal), 1);
    assert_eq!(orders(Model::Mailbox), 1);
}

#[test]
fn a_receive_that_need_not_wait_gets_both() {
    let script = vec![
        vec![Do::Recv(None, false)],
        vec![Do::Send(0, 0, Model::Fifo)],
    ];
    let (seen, _) = draw(&script, 1, 100);
    let times: Vec<usize> = seen.complete.values().copied().collect();
    assert_eq!(times.len(), 2);
    assert!(times.iter().all(|&times| times > 15), "{times:?}");
}

#[test]
fn bugs_of_depth_two_show_as_often_as_promised() {
    // One message among 20 of another sender: each of the 21 places but first and last has depth 2.
    let script = vec![
        vec![Do::Recv(None, true); 21],
        vec![Do::Send(0, 0, Model::Mailbox); 20],
        vec![Do::Send(0, 1, Model::Mailbox)],
    ];
    let (seen, pct) = draw(&script, 2, 20_000);
    assert_eq!(seen.complete.len(), 21);
    let bound = 20_000 / (4 * pct.longest());
    let fewest = seen.complete.values().min().copied().unwrap_or_default() as u64;
    // The bound is about the mean: three standard deviations less are allowed.
    let least = bound - 3 * bound.isqrt();
    assert!(fewest >= least, "{fewest} < {least}");
    // With depth 1 the other sender is either first or last.
    let (seen, _) = draw(&script, 1, 2_000);
    assert_eq!(seen.complete.len(), 2);
}

#[test]
fn a_bug_of_depth_three_that_even_chances_do_not_show() {
    // One sender's first message comes after five of the other's, and its second after all.
    let script = vec![
        vec![Do::Recv(None, true); 16],
        vec![Do::Send(0, 0, Model::Mailbox); 14],
        vec![Do::Send(0, 1, Model::Mailbox); 2],
    ];
    let is_bug = |log: &Log| {
        let from_second = |line: &String| line.starts_with("2.");
        let places = log[0].iter().enumerate();
        let places = places.filter(|(_, line)| from_second(line));
        places.map(|(at, _)| at).eq([5, 15])
    };
    let (by_priority, _) = draw(&script, 3, 20_000);
    assert!(by_priority.complete.keys().any(&is_bug));
    let (too_shallow, _) = draw(&script, 2, 20_000);
    assert!(!too_shallow.complete.keys().any(&is_bug));
    let spawn_order: Vec<usize> = (0..script.len()).collect();
    let mut program = Scripted {
        script: &script,
        spawn_order: spawn_order.clone(),
        families: Vec::new(),
    };
    let mut evenly = Collected::named(&spawn_order);
    sample(&mut program, 5_000, 7, &mut evenly, |engine| engine);
    assert!(!evenly.complete.keys().any(&is_bug));
}
