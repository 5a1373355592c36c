//! Values of which it is known that they are the same.
//!
//! A process that gets the same answer again need not run again. Messages can be copied and shown, but
//! in general not compared: their `Debug` form may hide a difference. Of the types here it is known that
//! values that are equal cannot be told apart.

use crate::process::Process;
use std::any::Any;

/// Are both the same value of a plain type? Of other types nobody can say: then the answer is no.
pub(super) fn is_same<T: 'static>(one: &T, other: &T) -> bool {
    macro_rules! compare {
        ($($plain:ty),*) => {$(
            if let (Some(one), Some(other)) = (
                (one as &dyn Any).downcast_ref::<$plain>(),
                (other as &dyn Any).downcast_ref::<$plain>(),
            ) {
                return one == other;
            }
        )*};
    }
    compare!((), bool, char, String, &'static str, Process);
    compare!(
        u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize
    );
    false
}

#[cfg(test)]
mod tests {
    use super::is_same;

    #[test]
    fn plain_values_are_compared() {
        assert!(is_same(&7_u32, &7));
        assert!(!is_same(&7_u32, &8));
        assert!(is_same(&"ack".to_owned(), &"ack".to_owned()));
        assert!(is_same(&(), &()));
    }

    #[test]
    fn of_other_values_nobody_knows() {
        assert!(!is_same(&0.0_f64, &0.0));
        assert!(!is_same(&vec![1], &vec![1]));
    }
}
