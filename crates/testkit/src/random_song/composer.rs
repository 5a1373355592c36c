//! The song being composed, and what it is composed with.

use super::dice::Dice;
use super::scope::Scope;
use plainsong_ir::{FamilyId, Message, Song, Ty};

/// Composes one song.
pub(super) struct Composer {
    pub(super) dice: Dice,
    pub(super) song: Song,
    /// How large things are.
    pub(super) size: usize,
    /// How many more expressions the piece of code may have before it must come to an end.
    pub(super) fuel: usize,
    /// Names of items.
    pub(super) taken: Vec<String>,
    /// The code being written.
    pub(super) scope: Scope,
    /// Parameters and results of functions, also of the one being written.
    pub(super) functions: Vec<(Vec<Ty>, Ty)>,
    /// The processes, before they are put into the song.
    pub(super) processes: Vec<FamilyId>,
    /// The messages, before they are put into the song.
    pub(super) messages: Vec<Message>,
    /// The parameters of actions, before these are put into the song.
    pub(super) actions: Vec<Vec<Ty>>,
}

impl Composer {
    pub(super) fn new(seed: u64, size: usize) -> Composer {
        Composer {
            dice: Dice::new(seed),
            song: Song::default(),
            size,
            fuel: 0,
            taken: Vec::new(),
            scope: Scope::default(),
            functions: Vec::new(),
            processes: Vec::new(),
            messages: Vec::new(),
            actions: Vec::new(),
        }
    }

    /// How deep an expression may nest that is written next; it gets its share of fuel.
    pub(super) fn depth(&mut self) -> usize {
        self.fuel = 4 + 6 * self.size;
        self.dice.between(0, 1 + self.size.min(3))
    }

    /// Must an expression of this depth be a simple one?
    pub(super) fn is_spent(&mut self, depth: usize) -> bool {
        self.fuel = self.fuel.saturating_sub(1);
        depth == 0 || self.fuel == 0
    }
}
