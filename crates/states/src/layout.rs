//! Where each leaf of a state lies in its words.
//!
//! A state is a fixed number of 64-bit words; a *field* is some bits of one of them. Fields that may
//! outgrow their bits begin narrow: most counters stay small. When a number does not fit, the field is
//! widened, every word is packed anew, and the search goes on (see [`crate::search`]).

use crate::shape::{Fit, Grows};

/// Some bits of one word, and the number that they stand for when they are all zero.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    pub(crate) word: usize,
    /// Its lowest bit.
    pub(crate) shift: u32,
    /// Its bits, shifted down.
    pub(crate) mask: u64,
    /// What zero stands for.
    pub(crate) bias: u64,
    fit: Fit,
}

impl Field {
    /// The number in a state.
    pub(crate) fn load(&self, words: &[u64]) -> u64 {
        (words[self.word] >> self.shift & self.mask).wrapping_add(self.bias)
    }

    /// The bits for a number, shifted down; none when it does not fit.
    pub(crate) fn raw(&self, number: u64) -> Option<u64> {
        let raw = number.wrapping_sub(self.bias);
        (raw <= self.mask).then_some(raw)
    }

    /// Writes a number; false when it does not fit.
    pub(crate) fn store(&self, words: &mut [u64], number: u64) -> bool {
        let Some(raw) = self.raw(number) else {
            return false;
        };
        let word = &mut words[self.word];
        *word = *word & !(self.mask << self.shift) | raw << self.shift;
        true
    }
}

/// The fields of a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Layout {
    fields: Vec<Field>,
    /// How many bits of each word are used.
    used: Vec<u32>,
}

impl Layout {
    /// How many words a state has.
    pub(crate) fn words(&self) -> usize {
        self.used.len()
    }

    /// How many words a state has, and how many bits of the first are used.
    pub(crate) fn form(&self) -> (usize, u32) {
        (self.words(), self.used.first().copied().unwrap_or_default())
    }

    pub(crate) fn fields(&self) -> &[Field] {
        &self.fields
    }

    /// A field more, in the first word that has room for it.
    pub(crate) fn add(&mut self, fit: Fit) -> usize {
        let room = |used: &u32| used + fit.bits <= 64;
        let word = self.used.iter().position(room).unwrap_or_else(|| {
            self.used.push(0);
            self.used.len() - 1
        });
        let shift = self.used[word];
        self.used[word] += fit.bits;
        self.fields.push(Field {
            word,
            shift: if fit.bits == 0 { 0 } else { shift },
            mask: mask(fit.bits),
            bias: fit.bias as u64,
            fit,
        });
        self.fields.len() - 1
    }

    /// The same fields with one of them wider.
    pub(crate) fn widened(&self, field: usize) -> Layout {
        let mut layout = Layout::default();
        for (at, old) in self.fields.iter().enumerate() {
            let fit = if at == field { wider(old.fit) } else { old.fit };
            layout.add(fit);
        }
        layout
    }
}

/// At least twice as many bits, and enough for all numbers that fitted before.
fn wider(fit: Fit) -> Fit {
    let bits = (fit.bits * 2).clamp(1, 64);
    match fit.grows {
        Grows::Never => panic!("a number of fixed size fits its bits"),
        Grows::Up => {
            let most = fit.bias as u64 + mask(fit.bits);
            let bits = bits.max(64 - most.leading_zeros());
            Fit {
                bits,
                bias: 0,
                ..fit
            }
        }
        Grows::BothWays => {
            let bias = if bits == 64 { 0 } else { -(1i64 << (bits - 1)) };
            Fit { bits, bias, ..fit }
        }
    }
}

fn mask(bits: u32) -> u64 {
    match bits {
        64 => u64::MAX,
        bits => (1 << bits) - 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(bits: u32, bias: i64, grows: Grows) -> Fit {
        Fit {
            bits,
            bias,
            grows,
            blank: 0,
        }
    }

    #[test]
    fn numbers_come_back_or_do_not_fit() {
        let mut layout = Layout::default();
        let narrow = layout.add(fit(4, -8, Grows::BothWays));
        layout.add(fit(60, 0, Grows::Up));
        let single = layout.add(fit(0, 7, Grows::Never));
        assert_eq!(layout.words(), 1);
        let mut words = vec![0; 1];
        for number in -8i64..8 {
            assert!(layout.fields()[narrow].store(&mut words, number as u64));
            assert_eq!(layout.fields()[narrow].load(&words), number as u64);
        }
        assert!(!layout.fields()[narrow].store(&mut words, 8));
        assert!(!layout.fields()[narrow].store(&mut words, -9i64 as u64));
        assert_eq!(layout.fields()[single].load(&words), 7);
        assert!(!layout.fields()[single].store(&mut words, 8));
    }

    #[test]
    fn a_number_that_was_always_the_same_gets_bits_when_it_changes() {
        let mut layout = Layout::default();
        let field = layout.add(fit(0, 5, Grows::Up));
        let mut words = vec![0; 1];
        assert!(layout.fields()[field].store(&mut words, 5));
        assert!(!layout.fields()[field].store(&mut words, 4));
        layout = layout.widened(field);
        for number in 0..8 {
            assert!(layout.fields()[field].store(&mut words, number));
            assert_eq!(layout.fields()[field].load(&words), number);
        }
    }

    #[test]
    fn a_wide_field_holds_every_number() {
        let mut layout = Layout::default();
        let field = layout.add(fit(4, -8, Grows::BothWays));
        for _ in 0..4 {
            layout = layout.widened(field);
        }
        let mut words = vec![0; layout.words()];
        for number in [i64::MIN, -1, 0, i64::MAX] {
            assert!(layout.fields()[field].store(&mut words, number as u64));
            assert_eq!(layout.fields()[field].load(&words) as i64, number);
        }
    }
}
