//! What generated programs give to `format!`, so that values are shown as songs write them in one template and not in
//! templates inside of templates.

/// What `format!` is given: a text with holes, and what stands in those that have no name.
pub(super) struct Template {
    pub(super) text: String,
    pub(super) arguments: Vec<String>,
    /// Is it one string already?
    is_string: bool,
}

impl Template {
    /// Something that can be displayed, behind a prefix.
    pub(super) fn number(prefix: &str, place: &str) -> Template {
        let is_name = place.chars().all(|c| c.is_alphanumeric() || c == '_');
        let (hole, arguments) = match is_name {
            true => (format!("{{{place}}}"), Vec::new()),
            false => ("{}".to_owned(), vec![place.to_owned()]),
        };
        Template {
            text: format!("{prefix}{hole}"),
            arguments,
            is_string: false,
        }
    }

    pub(super) fn text(expression: String) -> Template {
        Template {
            text: "{}".to_owned(),
            arguments: vec![expression],
            is_string: true,
        }
    }

    /// Several of them between two signs; what has to be written twice in a template is.
    pub(super) fn joined(
        (open, close): (&str, &str),
        between: &str,
        parts: impl Iterator<Item = Template>,
    ) -> Template {
        let (texts, arguments): (Vec<String>, Vec<Vec<String>>) =
            parts.map(|part| (part.text, part.arguments)).unzip();
        Template {
            text: format!("{open}{}{close}", texts.join(between)),
            arguments: arguments.concat(),
            is_string: false,
        }
    }

    /// The same behind a text.
    pub(super) fn behind(self, text: &str) -> Template {
        Template {
            text: format!("{text}{}", self.text),
            is_string: false,
            ..self
        }
    }

    /// An expression of type `String`.
    pub(super) fn string(mut self) -> String {
        let is_alone = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '_');
        match (self.is_string, &*self.text) {
            (true, _) => self.arguments.remove(0),
            (false, "{}") => format!("{}.to_string()", self.arguments[0]),
            (false, text) => match text
                .strip_prefix('{')
                .and_then(|name| name.strip_suffix('}'))
            {
                Some(name) if is_alone(name) => format!("{name}.to_string()"),
                _ => format!("format!({})", self.given()),
            },
        }
    }

    /// What stands between the parentheses of `format!`.
    pub(super) fn given(&self) -> String {
        let quoted = format!("\"{}\"", self.text);
        let all = std::iter::once(quoted).chain(self.arguments.iter().cloned());
        all.collect::<Vec<_>>().join(", ")
    }
}
