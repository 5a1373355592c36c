//! Reading values that were written as text: `some(3)`, `{Db#0, Db#1}`, `map {1 => true}`.
//!
//! A trace carries values as text, in the notation of the language. Formats with values of their own
//! need the structure back. What is not understood stays text, so nothing is lost.

/// A value by its structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// `true`.
    Bool(bool),
    /// `-3`.
    Int(String),
    /// An identity, the name of a process, or anything not understood.
    Word(String),
    /// `(1, 2)`.
    Tuple(Vec<Shape>),
    /// `[1, 2]`.
    Seq(Vec<Shape>),
    /// `{1, 2}`.
    Set(Vec<Shape>),
    /// `bag {1, 1}`.
    Bag(Vec<Shape>),
    /// `map {1 => true}`.
    Map(Vec<(Shape, Shape)>),
    /// `Point { x: 1 }`, by its fields.
    Record(Vec<(String, Shape)>),
    /// `some(1)`, `Colour::Red`.
    Variant(String, Vec<Shape>),
}

/// The structure of a value that is written like this.
pub(super) fn shape(text: &str) -> Shape {
    let mut reader = Reader { rest: text };
    match reader.value() {
        Some(shape) if reader.rest.trim().is_empty() => shape,
        _ => Shape::Word(text.to_owned()),
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn value(&mut self) -> Option<Shape> {
        let word = self.word();
        match word {
            "" => self.bracketed(),
            "true" => Some(Shape::Bool(true)),
            "false" => Some(Shape::Bool(false)),
            "none" => Some(Shape::Variant("none".to_owned(), Vec::new())),
            "bag" => Some(Shape::Bag(self.list('{', '}')?)),
            "map" => self.map(),
            _ if word.parse::<i128>().is_ok() => Some(Shape::Int(word.to_owned())),
            _ => self.named(word),
        }
    }

    /// A name and what may come after it: arguments, fields, an index.
    fn named(&mut self, word: &str) -> Option<Shape> {
        match self.next() {
            Some('(') => Some(Shape::Variant(last(word), self.list('(', ')')?)),
            Some('{') => self.record(),
            Some('[') => {
                let end = self.rest.find(']')?;
                let (index, rest) = self.rest.split_at(end + 1);
                self.rest = rest;
                Some(Shape::Word(format!("{word}{index}")))
            }
            _ if word.contains("::") => Some(Shape::Variant(last(word), Vec::new())),
            _ => Some(Shape::Word(word.to_owned())),
        }
    }

    fn bracketed(&mut self) -> Option<Shape> {
        match self.next()? {
            '(' => Some(Shape::Tuple(self.list('(', ')')?)),
            '[' => Some(Shape::Seq(self.list('[', ']')?)),
            '{' => Some(Shape::Set(self.list('{', '}')?)),
            _ => None,
        }
    }

    fn map(&mut self) -> Option<Shape> {
        let mut pairs = Vec::new();
        self.items('{', '}', |reader| {
            let key = reader.value()?;
            reader.eat("=>")?;
            pairs.push((key, reader.value()?));
            Some(())
        })?;
        Some(Shape::Map(pairs))
    }

    fn record(&mut self) -> Option<Shape> {
        let mut fields = Vec::new();
        self.items('{', '}', |reader| {
            reader.skip();
            let end = reader.rest.find(':')?;
            let name = reader.rest[..end].trim().to_owned();
            reader.rest = &reader.rest[end + 1..];
            fields.push((name, reader.value()?));
            Some(())
        })?;
        Some(Shape::Record(fields))
    }

    fn list(&mut self, open: char, close: char) -> Option<Vec<Shape>> {
        let mut items = Vec::new();
        self.items(open, close, |reader| {
            items.push(reader.value()?);
            Some(())
        })?;
        Some(items)
    }

    fn items(
        &mut self,
        open: char,
        close: char,
        mut item: impl FnMut(&mut Self) -> Option<()>,
    ) -> Option<()> {
        self.eat(open.encode_utf8(&mut [0; 4]))?;
        let mut end = [0; 4];
        let end = &*close.encode_utf8(&mut end);
        if self.eat(end).is_some() {
            return Some(());
        }
        loop {
            item(self)?;
            if self.eat(end).is_some() {
                return Some(());
            }
            self.eat(",")?;
        }
    }

    fn word(&mut self) -> &'a str {
        self.skip();
        let belongs = |character: char| character.is_alphanumeric() || "_#-:".contains(character);
        let end = self
            .rest
            .find(|character| !belongs(character))
            .unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word
    }

    fn next(&mut self) -> Option<char> {
        self.skip();
        self.rest.chars().next()
    }

    fn eat(&mut self, text: &str) -> Option<()> {
        self.skip();
        self.rest = self.rest.strip_prefix(text)?;
        Some(())
    }

    fn skip(&mut self) {
        self.rest = self.rest.trim_start();
    }
}

/// The variant in `Colour::Red`.
fn last(word: &str) -> String {
    word.rsplit("::").next().unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(text: &str) -> Shape {
        Shape::Int(text.to_owned())
    }

    #[test]
    fn every_notation_is_understood() {
        let some = Shape::Variant("some".to_owned(), vec![int("-3")]);
        assert_eq!(shape("some(-3)"), some);
        assert_eq!(shape("{}"), Shape::Set(vec![]));
        assert_eq!(
            shape("map {1 => [true], 2 => []}"),
            Shape::Map(vec![
                (int("1"), Shape::Seq(vec![Shape::Bool(true)])),
                (int("2"), Shape::Seq(vec![])),
            ])
        );
        assert_eq!(
            shape("Point { x: 1, of: db[0] }"),
            Shape::Record(vec![
                ("x".to_owned(), int("1")),
                ("of".to_owned(), Shape::Word("db[0]".to_owned())),
            ])
        );
        assert_eq!(
            shape("(Db#1, Colour::Red, Colour::Mixed(1))"),
            Shape::Tuple(vec![
                Shape::Word("Db#1".to_owned()),
                Shape::Variant("Red".to_owned(), vec![]),
                Shape::Variant("Mixed".to_owned(), vec![int("1")]),
            ])
        );
        assert_eq!(shape("bag {1, 1}"), Shape::Bag(vec![int("1"), int("1")]));
    }

    #[test]
    fn what_is_not_understood_stays_text() {
        assert_eq!(shape("some(1"), Shape::Word("some(1".to_owned()));
        assert_eq!(shape("1 2"), Shape::Word("1 2".to_owned()));
    }
}
