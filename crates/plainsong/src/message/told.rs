//! Handles that find out what is known of their type.
//!
//! A handle of the mirrors takes values of any type. The one that users name is a cover over it: its methods have
//! the bounds (`Clone`, `Debug`), and note that they hold ([`known`](super::known)). Where they do not hold, the
//! method of that name is found one step further, at what the cover dereferences to (*autoderef specialisation*).
//!
//! LIMIT. Where the compiler does not know the type yet at the call (`let (tx, rx) = channel(); tx.send(job)`), it
//! takes the method with the bounds, and complains if they do not hold. Name the type (`channel::<Job>()`), or
//! use what is covered (`as_is`).

/// A cover over a handle of any type.
macro_rules! told {
    (
        $(#[$doc:meta])*
        $name:ident over $any:ident, know_clone: Clone { $($methods:tt)* }
    ) => {
        $crate::message::told!(@ $(#[$doc])* $name $any know_clone [Clone] $($methods)*);
    };
    (
        $(#[$doc:meta])*
        $name:ident over $any:ident, know_both: Clone + Debug { $($methods:tt)* }
    ) => {
        $crate::message::told!(@ $(#[$doc])* $name $any know_both [Clone + std::fmt::Debug] $($methods)*);
    };
    (@ $(#[$doc:meta])* $name:ident $any:ident $know:ident [$($bound:tt)*]
            $(fn $method:ident($($arg:ident: $type:ty),*) -> $out:ty;)*
    ) => {
        $(#[$doc])*
        pub struct $name<T>($any<T>);

        impl<T> std::ops::Deref for $name<T> {
            type Target = $any<T>;

            fn deref(&self) -> &$any<T> {
                &self.0
            }
        }

        impl<T> std::ops::DerefMut for $name<T> {
            fn deref_mut(&mut self) -> &mut $any<T> {
                &mut self.0
            }
        }

        impl<T> std::fmt::Debug for $name<T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }

        impl<T: $($bound)* + 'static> $name<T> {
            $(
                #[doc = concat!("`", stringify!($method), "` as in the original, where more is known of the type.")]
                #[track_caller]
                pub fn $method(&self $(, $arg: $type)*) -> $out {
                    crate::message::$know::<T>();
                    self.0.$method($($arg),*)
                }
            )*
        }
    };
}
pub(crate) use told;
