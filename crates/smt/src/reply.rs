//! What a solver wrote, as an outcome.
//!
//! Every command that answers answers with one S-expression, so the reply is read by position: the
//! verdict, the reason, the costs, then what was asked. A solver goes on after an error, and a
//! declaration it did not accept would make the verdict one about another query: so anything before
//! the verdict is a rejection, whatever the verdict says.

use crate::answer::{Outcome, Reason};
use crate::query::Ask;
use crate::sexpr::{Sexpr, read_all};

/// An outcome, and the reading of the solver's counter after it.
pub(crate) struct Reply {
    pub(crate) outcome: Outcome,
    pub(crate) counter: Option<u64>,
}

/// Reads the complete text between two markers.
pub(crate) fn reply(text: &str, ask: &Ask) -> Reply {
    let parts = match read_all(text) {
        Ok(parts) => parts,
        Err(error) => return unknown(Reason::Garbage(format!("{error} in {}", excerpt(text)))),
    };
    let [verdict, rest @ ..] = parts.as_slice() else {
        return unknown(Reason::Garbage("nothing at all".to_owned()));
    };
    if let Some(message) = error_in(verdict) {
        return unknown(rejection(message));
    }
    if verdict.is_word("unsupported") {
        let what = "a command or option that it does not have".to_owned();
        return unknown(Reason::Rejected(what));
    }
    let [reason, cost, asked @ ..] = rest else {
        return unknown(Reason::Garbage(excerpt(text)));
    };
    let outcome = match verdict.as_atom() {
        Some("unsat") => unsat(ask, asked),
        Some("sat") => sat(ask, asked),
        Some("unknown") => Ok(Outcome::Unknown(why(reason))),
        _ => Err(excerpt(text)),
    };
    Reply {
        outcome: outcome.unwrap_or_else(|what| Outcome::Unknown(Reason::Garbage(what))),
        counter: counter(cost),
    }
}

fn unknown(reason: Reason) -> Reply {
    Reply {
        outcome: Outcome::Unknown(reason),
        counter: None,
    }
}

/// How many answers come before the core.
fn before_core(ask: &Ask) -> usize {
    usize::from(!ask.values.is_empty()) + usize::from(ask.model)
}

fn unsat(ask: &Ask, asked: &[Sexpr]) -> Result<Outcome, String> {
    if !ask.core {
        return Ok(Outcome::Unsat { core: Vec::new() });
    }
    let core = asked.get(before_core(ask));
    match core {
        Some(Sexpr::List(names)) if core.and_then(error_in).is_none() => {
            let mut core = names.clone();
            core.sort();
            Ok(Outcome::Unsat { core })
        }
        _ => Err("the unsatisfiable core is missing".to_owned()),
    }
}

fn sat(ask: &Ask, asked: &[Sexpr]) -> Result<Outcome, String> {
    let mut asked = asked.iter();
    let mut values = Vec::new();
    if !ask.values.is_empty() {
        let pairs = asked.next().and_then(Sexpr::as_list).unwrap_or_default();
        values = pairs.iter().map_while(second_of_pair).collect();
        if values.len() != ask.values.len() || pairs.len() != values.len() {
            return Err("values are missing from the model".to_owned());
        }
    }
    let model = match ask.model {
        false => None,
        true => match asked.next() {
            Some(model @ Sexpr::List(_)) if error_in(model).is_none() => Some(model.clone()),
            _ => return Err("the model is missing".to_owned()),
        },
    };
    Ok(Outcome::Sat { values, model })
}

fn second_of_pair(pair: &Sexpr) -> Option<Sexpr> {
    match pair.as_list()? {
        [_, value] => Some(value.clone()),
        _ => None,
    }
}

fn error_in(part: &Sexpr) -> Option<&Sexpr> {
    part.arguments_of("error")?.first()
}

fn rejection(message: &Sexpr) -> Reason {
    let text = message.as_text().unwrap_or_else(|| message.to_string());
    if text.contains("out of memory") {
        Reason::Memory
    } else {
        Reason::Rejected(text)
    }
}

/// `(:reason-unknown "canceled")`; the words are the solvers' own.
fn why(info: &Sexpr) -> Reason {
    let said = info
        .arguments_of(":reason-unknown")
        .and_then(<[Sexpr]>::first);
    let text = match said {
        Some(said) => said.as_text().unwrap_or_else(|| said.to_string()),
        None => String::new(),
    };
    let stopped = ["canceled", "resource", "resourceout"];
    if text.contains("memout") || text.contains("max. memory") {
        Reason::Memory
    } else if stopped.iter().any(|word| text.contains(word)) {
        Reason::Resource
    } else {
        Reason::Incomplete(text)
    }
}

/// `(:rlimit 7)` in one solver, one of `(:all-statistics ((name 7) …))` in the other.
fn counter(info: &Sexpr) -> Option<u64> {
    let value = match info.arguments_of(":all-statistics") {
        None => info.arguments_of(":rlimit")?.first()?,
        Some(all) => {
            let mut all = all.first()?.as_list()?.iter();
            let units = "\"resource::resourceUnitsUsed\"";
            all.find_map(|one| one.arguments_of(units)?.first())?
        }
    };
    value.as_int()?.try_into().ok()
}

/// Enough of a text to recognise it.
fn excerpt(text: &str) -> String {
    let short: String = text.chars().take(120).collect();
    format!("{:?}", short.trim_end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask() -> Ask {
        Ask {
            values: vec![Sexpr::word("x"), Sexpr::word("y")],
            model: true,
            core: true,
        }
    }

    const REST: &str = "(:reason-unknown \"\") (:rlimit 7) ";

    fn outcome(verdict: &str, asked: &str, ask: &Ask) -> Outcome {
        reply(&format!("{verdict} {REST} {asked}"), ask).outcome
    }

    #[test]
    fn complete_replies_are_verdicts() {
        assert_eq!(
            outcome("unsat", "(error \"a\") (error \"b\") (q p)", &ask()),
            Outcome::Unsat {
                core: vec![Sexpr::word("p"), Sexpr::word("q")]
            }
        );
        assert_eq!(
            outcome("sat", "((x 1) (y (- 2))) (m) (error \"\")", &ask()),
            Outcome::Sat {
                values: vec![Sexpr::int(1), Sexpr::int(-2)],
                model: Some(Sexpr::list([Sexpr::word("m")])),
            }
        );
    }

    /// Whatever is missing or wrong, there is no verdict.
    #[test]
    fn incomplete_replies_are_not() {
        let replies = [
            "",
            "sat",
            "unsat",
            "unsat (:reason-unknown \"\")",
            "(error \"line 1: unknown sort\") unsat (:reason-unknown \"\") (:rlimit 7) () () ()",
            "(error \"out of memory\")",
            "success unsat (:reason-unknown \"\") (:rlimit 7) () () (p)",
            "sat (:reason-unknown \"\") (:rlimit 7)",
            "sat (:reason-unknown \"\") (:rlimit 7) ((x 1)) (m) (error \"\")",
            "sat (:reason-unknown \"\") (:rlimit 7) ((x 1) (y)) (m) (error \"\")",
            "sat (:reason-unknown \"\") (:rlimit 7) ((x 1) (y 2)) (error \"no\") (error \"\")",
            "sat (:reason-unknown \"\") (:rlimit 7) (error \"no\") (m) (error \"\")",
            "unsat (:reason-unknown \"\") (:rlimit 7) () ()",
            "unsat (:reason-unknown \"\") (:rlimit 7) () () (error \"no\")",
            "sat (:reason-unknown \"\") (:rlimit 7) ((x 1) (y",
            "Segmentation fault",
            "unsatisfiable a b",
        ];
        for text in replies {
            let outcome = reply(text, &ask()).outcome;
            assert!(
                matches!(outcome, Outcome::Unknown(_)),
                "{text}: {outcome:?}"
            );
        }
    }

    #[test]
    fn reasons_are_told_apart() {
        let reason = |said: &str| {
            reply(
                &format!("unknown (:reason-unknown {said}) (:rlimit 7)"),
                &Ask::default(),
            )
            .outcome
        };
        assert_eq!(
            reason("\"push canceled\""),
            Outcome::Unknown(Reason::Resource)
        );
        assert_eq!(reason("resourceout"), Outcome::Unknown(Reason::Resource));
        assert_eq!(reason("memout"), Outcome::Unknown(Reason::Memory));
        let gave_up = Reason::Incomplete("(incomplete quantifiers)".to_owned());
        assert_eq!(
            reason("\"(incomplete quantifiers)\""),
            Outcome::Unknown(gave_up)
        );
    }
}
