//! Names of invariants that were found: what they speak about.

use plainsong_ir::visit::{Visit, walk};
use plainsong_ir::{Expr, ExprKind, Song};
use std::collections::BTreeSet;

/// How many words a name has at most.
const WORDS: usize = 3;

/// A name for a claim that no other has yet: the variables and messages in it.
pub(crate) fn name(song: &Song, claim: &Expr, taken: &mut BTreeSet<String>) -> String {
    let mut words = Words {
        song,
        all: Vec::new(),
    };
    words.expr(claim);
    words.all.truncate(WORDS);
    let stem = match &words.all[..] {
        [] => "members".to_owned(),
        [one] => format!("{one}_kept"),
        all => all.join("_"),
    };
    let numbers = (1..).map(|number| match number {
        1 => stem.clone(),
        _ => format!("{stem}_{number}"),
    });
    let mut free = numbers.filter(|name| !taken.contains(name));
    let name = free.next().unwrap_or(stem.clone());
    taken.insert(name.clone());
    name
}

struct Words<'s> {
    song: &'s Song,
    all: Vec<String>,
}

impl Words<'_> {
    fn say(&mut self, name: &str) {
        let word = name.to_lowercase();
        if !self.all.contains(&word) {
            self.all.push(word);
        }
    }
}

impl Visit for Words<'_> {
    fn expr(&mut self, expr: &Expr) {
        let song = self.song;
        match &expr.kind {
            ExprKind::Global(at) => {
                let row = song.actions().and_then(|all| all.globals.get(at.index()));
                row.into_iter().for_each(|row| self.say(&row.name));
            }
            ExprKind::Of(family, _, var) => {
                self.say(&song.families[family.index()].vars[var.index()].name);
            }
            ExprKind::PendingOf(action, _) => {
                let name = song.called_name(*action).map(str::to_owned);
                name.iter().for_each(|name| self.say(name));
            }
            _ => {}
        }
        walk::expr(self, expr);
    }
}
