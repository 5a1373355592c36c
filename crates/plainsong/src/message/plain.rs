//! Types of which all is known from the start.
//!
//! A process that gets the same answer again need not run again. Messages can be copied and shown, but
//! in general not compared: their `Debug` form may hide a difference. Of the plain types here it is known that
//! values that are equal cannot be told apart. Of what is made of them, how to copy and show it.

use super::known::{Known, both};
use crate::process::Process;
use std::any::Any;

macro_rules! plain_types {
    ($use:ident) => {
        $use!((), bool, char, String, &'static str, Process);
        $use!(
            u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize
        );
    };
}

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
    plain_types!(compare);
    false
}

/// What is known of a type without having been told.
pub(super) fn known<T: 'static>() -> Option<Known<T>> {
    macro_rules! find {
        ($($plain:ty),*) => {$(
            find!(@one $plain);
            find!(@one Option<$plain>);
            find!(@one Vec<$plain>);
            find!(@one Result<$plain, ()>);
            find!(@one Result<$plain, String>);
            find!(@one Result<$plain, &'static str>);
            find!(@one Result<(), $plain>);
            find!(@one Option<Vec<$plain>>);
            find!(@one ($plain, $plain));
            find!(@one (usize, $plain));
            find!(@one Vec<($plain, $plain)>);
            find!(@one Option<Option<$plain>>);
        )*};
        (@one $known:ty) => {
            if std::any::TypeId::of::<T>() == std::any::TypeId::of::<$known>() {
                let known: Box<dyn Any> = Box::new(both::<$known>());
                return known.downcast().ok().map(|known| *known);
            }
        };
    }
    plain_types!(find);
    find!(f32, f64);
    None
}

#[cfg(test)]
mod tests {
    use super::{is_same, known};

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

    #[test]
    fn what_is_made_of_plain_values_can_be_copied() {
        assert!(known::<Option<Vec<u8>>>().is_some_and(|known| known.clone.is_some()));
        assert!(known::<Box<dyn Fn()>>().is_none());
    }
}
