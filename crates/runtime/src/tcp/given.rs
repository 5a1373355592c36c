//! What a run was given, on both sides: which of it differs.
//!
//! Who refuses says everything that it was given; who is refused knows its own, and names what is not the same.

/// How a refusal because of other parameters begins.
pub(super) const OTHER: &str = "other parameters: this role was given ";

/// What a role was given, as it is said to others.
pub(super) fn told(given: &str, seed: u64) -> String {
    let separator = if given.is_empty() { "" } else { ", " };
    format!("{given}{separator}seed {seed}")
}

/// A refusal with what differs here, if it is one because of parameters and both sides can be compared part by part.
pub(super) fn compared(refusal: String, own: &str) -> String {
    let Some(there) = refusal.strip_prefix(OTHER) else {
        return refusal;
    };
    let (theirs, ours): (Vec<&str>, Vec<&str>) = (parts(there), parts(own));
    let differing = theirs.iter().zip(&ours).filter(|(one, other)| one != other);
    let differing: Vec<String> = differing
        .map(|(there, here)| format!("{there} there, {here} here"))
        .collect();
    if theirs.len() != ours.len() || differing.is_empty() {
        return refusal;
    }
    format!("other parameters: {}", differing.join("; "))
}

/// What is separated by commas, but not inside of brackets.
fn parts(of: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_i64, 0);
    for (at, character) in of.char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(of[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(of[start..].trim());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(there: &str, here: &str) -> String {
        compared(format!("{OTHER}{}", told(there, 0)), &told(here, 0))
    }

    #[test]
    fn only_what_differs_is_named() {
        assert_eq!(
            refused(
                "budget = 5, m = map {0 => 1, 1 => 2}",
                "budget = 5, m = map {0 => 1, 1 => 3}"
            ),
            "other parameters: m = map {0 => 1, 1 => 2} there, m = map {0 => 1, 1 => 3} here"
        );
        let said = compared(format!("{OTHER}{}", told("x = 1", 4)), &told("x = 2", 5));
        assert_eq!(
            said,
            "other parameters: x = 1 there, x = 2 here; seed 4 there, seed 5 here"
        );
    }

    #[test]
    fn what_cannot_be_compared_stays_whole() {
        let all = "other parameters: this role was given x = 1, y = 2, seed 0";
        assert_eq!(refused("x = 1, y = 2", "x = 1"), all);
        let other = "another session: its is 1, this is 2";
        assert_eq!(compared(other.to_owned(), "seed 0"), other);
    }
}
