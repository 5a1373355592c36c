//! The few colours in use. Renderings always carry them; whoever prints decides whether the
//! terminal wants them and strips them otherwise.

use annotate_snippets::renderer::{AnsiColor, Effects, Style};

/// Something that is fine.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Something that is wrong.
pub(crate) const BAD: Style = AnsiColor::Red.on_default().effects(Effects::BOLD);
/// Something that is not known.
pub(crate) const OPEN: Style = AnsiColor::Yellow.on_default();
/// A heading.
pub(crate) const STRONG: Style = Style::new().effects(Effects::BOLD);

pub(crate) fn paint(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}
