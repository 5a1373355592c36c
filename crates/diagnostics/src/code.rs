//! The catalogue of diagnostic codes: each has a stable name and its own explanation.

/// A kind of mistake. The name is stable: scripts and `plainsong explain` rely on it.
#[derive(Debug, PartialEq, Eq)]
pub struct Code {
    /// Stable, lower-case, hyphenated: `unknown-name`.
    pub name: &'static str,
    /// One line: what is wrong.
    pub title: &'static str,
    /// Markdown: why it is wrong, an example, and what to do.
    pub explanation: &'static str,
}

/// Declares codes as constants next to each other and collects them in `ALL`.
///
/// ```
/// plainsong_diagnostics::declare_codes! {
///     /// A name that nothing declares.
///     UNKNOWN_NAME = "unknown-name", "a name is used but not declared", "Every name …";
/// }
/// assert_eq!(ALL[0].name, UNKNOWN_NAME.name);
/// ```
#[macro_export]
macro_rules! declare_codes {
    ($($(#[$meta:meta])* $ident:ident = $name:literal, $title:literal, $explanation:expr;)*) => {
        $($(#[$meta])* pub static $ident: $crate::Code = $crate::Code {
            name: $name,
            title: $title,
            explanation: $explanation,
        };)*
        /// Every code declared here.
        pub static ALL: &[&$crate::Code] = &[$(&$ident),*];
    };
}
