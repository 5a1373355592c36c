//! Reads one expectation, word by word.

use super::{Claim, Ending, Question, Scope};
use plainsong_driver::engine::Fairness;
use plainsong_semantics::sizes::Sizes;
use plainsong_semantics::verdict::Outcome;

/// Reads what stands after `// expect `.
pub(super) fn expectation(text: &str) -> Result<(Question, Scope), String> {
    let mut reader = Reader { rest: text.trim() };
    let verb = reader.word()?;
    let scope = reader.scope()?;
    let question = match verb {
        "accepted" => Question::Accepted,
        "check" => Question::Check(reader.after_colon(Reader::claims)?),
        "prove" => Question::Prove(reader.after_colon(Reader::claims)?),
        "refine" => Question::Refine(reader.after_colon(Reader::claims)?),
        "sequentialize" => Question::Sequentialize(reader.after_colon(Reader::claims)?),
        "diverge" => Question::Diverge(reader.after_colon(Reader::claims)?, None),
        "diverge_fair" => {
            Question::Diverge(reader.after_colon(Reader::claims)?, Some(Fairness::Fair))
        }
        "diverge_resent" => {
            Question::Diverge(reader.after_colon(Reader::claims)?, Some(Fairness::Resent))
        }
        "explore" => Question::Explore(reader.after_colon(Reader::counts)?),
        "states" => Question::States(reader.after_colon(Reader::number)?),
        other => {
            return Err(format!(
                "`{other}` is no verb that can be expected to say something"
            ));
        }
    };
    if reader.rest.is_empty() {
        Ok((question, scope))
    } else {
        Err(format!("`{}` was not expected here", reader.rest))
    }
}

struct Reader<'t> {
    rest: &'t str,
}

impl<'t> Reader<'t> {
    /// Takes `punctuation` if it is next.
    fn take(&mut self, punctuation: &str) -> bool {
        match self.rest.strip_prefix(punctuation) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn want(&mut self, punctuation: &str) -> Result<(), String> {
        if self.take(punctuation) {
            Ok(())
        } else {
            Err(format!("`{punctuation}` is missing before `{}`", self.rest))
        }
    }

    fn after_colon<T>(
        &mut self,
        answer: impl Fn(&mut Self) -> Result<T, String>,
    ) -> Result<T, String> {
        self.want(":")?;
        answer(self)
    }

    fn word(&mut self) -> Result<&'t str, String> {
        self.run(|c| c.is_alphanumeric() || c == '_')
    }

    /// A property; those of a choreography have its name before a dot.
    fn property(&mut self) -> Result<&'t str, String> {
        self.run(|c| c.is_alphanumeric() || c == '_' || c == '.')
    }

    fn run(&mut self, part: impl Fn(char) -> bool) -> Result<&'t str, String> {
        let end = self.rest.find(|c| !part(c)).unwrap_or(self.rest.len());
        if end == 0 {
            return Err(format!("a word is missing before `{}`", self.rest));
        }
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        Ok(word)
    }

    fn number<N: std::str::FromStr>(&mut self) -> Result<N, String> {
        let negative = if self.take("-") { "-" } else { "" };
        let digits = self.word()?;
        format!("{negative}{digits}")
            .parse()
            .map_err(|_| format!("`{digits}` is not a number"))
    }

    fn scope(&mut self) -> Result<Scope, String> {
        let sizes = self.sizes()?;
        let states = if self.take("within ") {
            Some(self.number()?)
        } else {
            None
        };
        if states.is_some() {
            self.want("states")?;
        }
        Ok(Scope { sizes, states })
    }

    fn sizes(&mut self) -> Result<Sizes, String> {
        let mut sizes = Sizes::new();
        if !self.take("(") {
            return Ok(sizes);
        }
        loop {
            let name = self.word()?;
            self.want("=")?;
            sizes = sizes.with(name, self.number()?);
            if !self.take(",") {
                break;
            }
        }
        self.want(")")?;
        Ok(sizes)
    }

    fn claims(&mut self) -> Result<Vec<Claim>, String> {
        if [Outcome::Holds.name(), Outcome::Proved.name()].contains(&self.rest) {
            self.rest = "";
            return Ok(Vec::new());
        }
        self.list(Reader::claim)
    }

    fn claim(&mut self) -> Result<Claim, String> {
        let property = self.property()?.to_owned();
        let outcome = outcome(self.word()?)?;
        let reason = if self.take("\"") {
            Some(self.quoted()?)
        } else {
            None
        };
        Ok(Claim {
            property,
            outcome,
            reason,
        })
    }

    fn quoted(&mut self) -> Result<String, String> {
        let (quoted, rest) = self
            .rest
            .split_once('"')
            .ok_or("a closing `\"` is missing")?;
        self.rest = rest.trim_start();
        Ok(quoted.to_owned())
    }

    fn counts(&mut self) -> Result<Vec<(Ending, u64)>, String> {
        self.list(|reader| {
            let name = reader.word()?;
            let ending = Ending::ALL.into_iter().find(|ending| ending.name() == name);
            let ending = ending.ok_or_else(|| format!("`{name}` is nothing that is counted"))?;
            reader.want("=")?;
            Ok((ending, reader.number()?))
        })
    }

    fn list<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Result<T, String>,
    ) -> Result<Vec<T>, String> {
        let mut items = vec![item(self)?];
        while self.take(",") {
            items.push(item(self)?);
        }
        Ok(items)
    }
}

fn outcome(word: &str) -> Result<Outcome, String> {
    [
        Outcome::Proved,
        Outcome::Holds,
        Outcome::Refuted,
        Outcome::Unknown,
    ]
    .into_iter()
    .find(|outcome| outcome.name() == word)
    .ok_or_else(|| format!("`{word}` is not a verdict"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(sizes: Sizes) -> Scope {
        Scope {
            sizes,
            states: None,
        }
    }

    #[test]
    fn reads_every_kind_of_question() {
        let (question, found) =
            expectation("check(Db=2, N=-1): p refuted \"a, b\", q.assertions unknown").unwrap();
        assert_eq!(found, scope(Sizes::new().with("Db", 2).with("N", -1)));
        let claim = |property: &str, outcome, reason: Option<&str>| Claim {
            property: property.into(),
            outcome,
            reason: reason.map(Into::into),
        };
        let claims = vec![
            claim("p", Outcome::Refuted, Some("a, b")),
            claim("q.assertions", Outcome::Unknown, None),
        ];
        assert_eq!(question, Question::Check(claims));
        assert_eq!(
            expectation("check: holds"),
            Ok((Question::Check(vec![]), Scope::default()))
        );
        assert_eq!(
            expectation("accepted"),
            Ok((Question::Accepted, Scope::default()))
        );
        assert_eq!(
            expectation("states(A=1): 57"),
            Ok((Question::States(57), scope(Sizes::new().with("A", 1))))
        );
        let counts = vec![(Ending::Executions, 6), (Ending::Discarded, 2)];
        assert_eq!(
            expectation("explore within 1000 states: executions = 6, discarded = 2"),
            Ok((
                Question::Explore(counts),
                Scope {
                    states: Some(1000),
                    ..Scope::default()
                }
            ))
        );
    }

    #[test]
    fn says_what_is_wrong_with_a_line() {
        for (text, part) in [
            ("guess: 3", "`guess` is no verb"),
            ("check(Db): holds", "`=` is missing"),
            ("check: p maybe", "`maybe` is not a verdict"),
            ("check: p refuted \"open", "closing"),
            ("check", "`:` is missing"),
            ("explore: runs = 3", "nothing that is counted"),
            ("states: many", "not a number"),
            ("states: 3 or 4", "`or 4` was not expected"),
        ] {
            let message = expectation(text).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
