//! Makes a song smaller while it keeps a property.

use plainsong_ir::validate::validate;
use plainsong_ir::{Block, Body, Song, StmtKind, System};

/// The smallest valid song found by leaving out statements, handlers, arms and `init`, one at a
/// time, that still is as `wanted`.
pub(crate) fn shrink(song: &Song, wanted: &dyn Fn(&Song) -> bool) -> Song {
    let mut smallest = song.clone();
    let mut position = 0;
    while let Some(smaller) = without(&smallest, position) {
        if validate(&smaller).is_ok() && wanted(&smaller) {
            smallest = smaller;
            position = 0;
        } else {
            position += 1;
        }
    }
    smallest
}

/// The smallest song found that still is as `wanted`, and its text with the seed it comes from.
pub(crate) fn shown(seed: u64, song: &Song, wanted: &dyn Fn(&Song) -> bool) -> (Song, String) {
    let small = shrink(song, wanted);
    let text = format!("seed {seed}\n{}", plainsong_ir::print::song(&small));
    (small, text)
}

/// The song with its `position`-th removable part left out; `None` when there are fewer.
fn without(song: &Song, position: usize) -> Option<Song> {
    let mut song = song.clone();
    let System::Voices(voices) = &mut song.system else {
        return None;
    };
    let mut left = position;
    for process in &mut voices.processes {
        let done = match &mut process.body {
            Body::Sequential(block) => remove(block, &mut left),
            Body::Handlers(handlers) => {
                handlers
                    .iter_mut()
                    .any(|handler| remove(&mut handler.body, &mut left))
                    || take(handlers, &mut left)
            }
        };
        if done {
            return Some(song);
        }
    }
    if let Some(code) = &mut voices.init
        && remove(&mut code.body, &mut left)
    {
        return Some(song);
    }
    if voices.init.is_some() && left == 0 {
        voices.init = None;
        return Some(song);
    }
    None
}

/// Removes the `left`-th part inside of `block`, or counts past its parts.
fn remove(block: &mut Block, left: &mut usize) -> bool {
    take(block, left)
        || unwrap(block, left)
        || block.iter_mut().any(|statement| match &mut statement.kind {
            StmtKind::If(_, then, otherwise) | StmtKind::Maybe(then, otherwise) => {
                remove(then, left) || remove(otherwise, left)
            }
            StmtKind::While(_, _, body) | StmtKind::For { body, .. } => remove(body, left),
            StmtKind::Match(_, arms) => arms.iter_mut().any(|(_, body)| remove(body, left)),
            StmtKind::Select(arms, timeout) => {
                arms.iter_mut().any(|(_, body)| remove(body, left))
                    || timeout.as_mut().is_some_and(|body| remove(body, left))
                    || (arms.len() > 1 && take(arms, left))
            }
            _ => false,
        })
}

/// Takes out the `left`-th element, or counts past all of them.
fn take<T>(list: &mut Vec<T>, left: &mut usize) -> bool {
    if *left < list.len() {
        list.remove(*left);
        return true;
    }
    *left -= list.len();
    false
}

/// Replaces the `left`-th branching statement by one of its branches.
fn unwrap(block: &mut Block, left: &mut usize) -> bool {
    for at in 0..block.len() {
        let branches: Vec<Block> = match &block[at].kind {
            StmtKind::If(_, then, otherwise) | StmtKind::Maybe(then, otherwise) => {
                vec![then.clone(), otherwise.clone()]
            }
            StmtKind::For { body, .. } => vec![body.clone()],
            _ => Vec::new(),
        };
        if *left < branches.len() {
            let branch = branches[*left].clone();
            block.splice(at..=at, branch);
            return true;
        }
        *left -= branches.len();
    }
    false
}
