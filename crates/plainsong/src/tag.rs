//! Tags: a label on a message that receives can select by.

use std::fmt;

/// A label on a message: a number, a word, or a list of labels.
///
/// Selecting by value ([`receive_where`](crate::receive_where)) needs no tags; they are for
/// messages whose type one does not want to change.
///
/// ```
/// use plainsong::Tag;
///
/// assert_eq!(Tag::from(3), Tag::Number(3));
/// assert_eq!(Tag::from("ack"), Tag::Word("ack".into()));
/// assert_eq!(Tag::from([1, 2]), Tag::List(vec![Tag::Number(1), Tag::Number(2)]));
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Tag {
    /// A number.
    Number(i128),
    /// A word.
    Word(String),
    /// Several labels.
    List(Vec<Tag>),
}

impl fmt::Debug for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Tag::Number(number) => write!(f, "{number}"),
            Tag::Word(word) => f.write_str(word),
            Tag::List(list) => f.debug_list().entries(list).finish(),
        }
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl From<$number> for Tag {
            fn from(number: $number) -> Self {
                Tag::Number(i128::from(number))
            }
        }
    )*};
}

numbers!(u8, u16, u32, u64, i8, i16, i32, i64, i128);

impl From<usize> for Tag {
    fn from(number: usize) -> Self {
        Tag::Number(number as i128)
    }
}

impl From<&str> for Tag {
    fn from(word: &str) -> Self {
        Tag::Word(word.to_owned())
    }
}

impl From<String> for Tag {
    fn from(word: String) -> Self {
        Tag::Word(word)
    }
}

impl<T: Into<Tag>> From<Vec<T>> for Tag {
    fn from(list: Vec<T>) -> Self {
        Tag::List(list.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Tag>, const N: usize> From<[T; N]> for Tag {
    fn from(list: [T; N]) -> Self {
        Tag::List(list.into_iter().map(Into::into).collect())
    }
}

impl<T: Into<Tag>> From<(T, T)> for Tag {
    fn from((first, second): (T, T)) -> Self {
        Tag::List(vec![first.into(), second.into()])
    }
}
