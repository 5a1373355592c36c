//! Messages as arrows between lanes, in text.

/// A picture under construction: one lane per process, one row per message.
pub(crate) struct Picture<'n> {
    names: &'n [String],
    full_names: &'n [String],
    rows: Vec<Row>,
}

enum Row {
    Arrow {
        from: usize,
        to: usize,
        label: String,
    },
    Remark {
        at: usize,
        sign: char,
        text: String,
        aside: bool,
    },
}

/// Labels are cut to this length.
const LONGEST: usize = 60;

impl<'n> Picture<'n> {
    /// No rows yet. Where two lanes have the same name, full names are shown.
    pub(crate) fn new(names: &'n [String], full_names: &'n [String]) -> Self {
        Picture {
            names,
            full_names,
            rows: Vec::new(),
        }
    }

    /// A message that was received.
    pub(crate) fn arrow(&mut self, from: usize, to: usize, label: &str) {
        let label = shorten(label);
        self.rows.push(if from == to {
            let text = format!("{label} (to itself)");
            Row::Remark {
                at: to,
                sign: '*',
                text,
                aside: false,
            }
        } else {
            Row::Arrow { from, to, label }
        });
    }

    /// Something that a process did by itself.
    pub(crate) fn remark(&mut self, at: usize, text: &str) {
        let text = shorten(text);
        self.rows.push(Row::Remark {
            at,
            sign: '*',
            text,
            aside: false,
        });
    }

    /// A sign in a lane, with a text to the right of the picture.
    pub(crate) fn mark(&mut self, at: usize, sign: char, text: &str) {
        self.rows.push(Row::Remark {
            at,
            sign,
            text: text.to_owned(),
            aside: true,
        });
    }

    /// The picture as text; empty when there is nothing to see.
    pub(crate) fn render(&self) -> String {
        let lanes = self.lanes();
        if self
            .rows
            .iter()
            .all(|row| matches!(row, Row::Remark { aside: true, .. }))
            && lanes.len() < 2
        {
            return String::new();
        }
        let titles = self.titles(&lanes);
        let columns = self.columns(&lanes, &titles);
        let mut lines = vec![title_line(&titles, &columns)];
        for row in &self.rows {
            lines.push(self.line(row, &lanes, &columns));
        }
        let indented: Vec<String> = lines
            .iter()
            .map(|line| format!("    {}", line.trim_end()))
            .collect();
        indented.join("\n")
    }

    /// The processes that take part, in order.
    fn lanes(&self) -> Vec<usize> {
        let mut lanes: Vec<usize> = self
            .rows
            .iter()
            .flat_map(|row| match *row {
                Row::Arrow { from, to, .. } => [from, to],
                Row::Remark { at, .. } => [at, at],
            })
            .collect();
        lanes.sort_unstable();
        lanes.dedup();
        lanes
    }

    fn titles(&self, lanes: &[usize]) -> Vec<&'n str> {
        let is_unique = |lane: usize| {
            lanes
                .iter()
                .filter(|&&other| self.names[other] == self.names[lane])
                .count()
                == 1
        };
        let title = |&lane: &usize| {
            let names = if is_unique(lane) {
                self.names
            } else {
                self.full_names
            };
            names[lane].as_str()
        };
        lanes.iter().map(title).collect()
    }

    /// Where the lanes are: as close as titles and labels allow.
    fn columns(&self, lanes: &[usize], titles: &[&str]) -> Vec<usize> {
        let width = |text: &str| text.chars().count();
        let mut gaps: Vec<usize> = titles
            .windows(2)
            .map(|pair| (width(pair[0]) + width(pair[1])).div_ceil(2) + 3)
            .collect();
        let mut arrows: Vec<(usize, usize, usize)> = Vec::new();
        for row in &self.rows {
            if let Row::Arrow { from, to, label } = row {
                let (a, b) = (place(lanes, *from), place(lanes, *to));
                arrows.push((a.min(b), a.max(b), width(label) + 8));
            }
        }
        arrows.sort_by_key(|&(a, b, _)| b - a);
        for (a, b, needed) in arrows {
            let there: usize = gaps[a..b].iter().sum();
            let more = needed.saturating_sub(there).div_ceil(b - a);
            gaps[a..b].iter_mut().for_each(|gap| *gap += more);
        }
        let mut at = titles.first().map_or(0, |title| width(title) / 2);
        let mut columns = vec![at];
        for gap in gaps {
            at += gap;
            columns.push(at);
        }
        columns
    }

    fn line(&self, row: &Row, lanes: &[usize], columns: &[usize]) -> String {
        let mut line = Line::with_lanes(columns);
        match row {
            Row::Arrow { from, to, label } => {
                line.arrow(
                    columns[place(lanes, *from)],
                    columns[place(lanes, *to)],
                    label,
                );
            }
            Row::Remark {
                at,
                sign,
                text,
                aside,
            } => {
                let column = columns[place(lanes, *at)];
                line.write(column, &sign.to_string());
                if *aside {
                    let right = columns.last().copied().unwrap_or(column);
                    line.write(right + 4, text);
                } else {
                    line.write(column + 2, text);
                }
            }
        }
        line.0.into_iter().collect()
    }
}

fn place(lanes: &[usize], lane: usize) -> usize {
    lanes.partition_point(|&other| other < lane)
}

fn title_line(titles: &[&str], columns: &[usize]) -> String {
    let mut line = Line(Vec::new());
    for (title, &column) in titles.iter().zip(columns) {
        line.write(column - (title.chars().count() / 2).min(column), title);
    }
    line.0.into_iter().collect()
}

/// A line of characters.
struct Line(Vec<char>);

impl Line {
    fn with_lanes(columns: &[usize]) -> Self {
        let mut line = Line(Vec::new());
        for &column in columns {
            line.write(column, "|");
        }
        line
    }

    fn write(&mut self, at: usize, text: &str) {
        let end = at + text.chars().count();
        if self.0.len() < end {
            self.0.resize(end, ' ');
        }
        for (place, c) in self.0[at..end].iter_mut().zip(text.chars()) {
            *place = c;
        }
    }

    fn arrow(&mut self, from: usize, to: usize, label: &str) {
        let (left, right) = (from.min(to), from.max(to));
        self.write(left + 1, &"-".repeat(right - left - 1));
        let label = format!(" {label} ");
        let width = label.chars().count();
        self.write(left + 1 + (right - left - 1 - width) / 2, &label);
        if from < to {
            self.write(right - 1, ">");
        } else {
            self.write(left + 1, "<");
        }
    }
}

/// A label with a remark that is not cut off.
pub(crate) fn with_remark(label: &str, remark: &str) -> String {
    let room = LONGEST.saturating_sub(remark.chars().count() + 3);
    format!("{} ({remark})", shorten_to(label, room.max(1)))
}

fn shorten(text: &str) -> String {
    shorten_to(text, LONGEST)
}

fn shorten_to(text: &str, longest: usize) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= longest {
        return line;
    }
    let mut short: String = line.chars().take(longest - 1).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests {
    use super::Picture;

    fn names(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.to_owned()).collect()
    }

    #[test]
    fn arrows_point_from_sender_to_receiver() {
        let names = names(&["main", "server", "client"]);
        let mut picture = Picture::new(&names, &names);
        picture.arrow(2, 1, "Get");
        picture.arrow(1, 2, "Value(1)");
        picture.remark(2, "chose true");
        picture.mark(2, 'X', "<- here");
        let expected = "    \
server          client
       |<---- Get -----|
       |-- Value(1) -->|
       |               * chose true
       |               X   <- here";
        assert_eq!(picture.render(), expected, "\n{}", picture.render());
    }

    #[test]
    fn long_arrows_cross_lanes() {
        let names = names(&["a", "b", "c"]);
        let mut picture = Picture::new(&names, &names);
        picture.arrow(0, 1, "x");
        picture.arrow(2, 0, "y");
        let text = picture.render();
        assert!(
            text.lines().nth(2).is_some_and(|line| line.contains("|<-")),
            "\n{text}"
        );
        let crossing = text.lines().nth(2).unwrap_or_default();
        assert_eq!(crossing.matches('|').count(), 2, "\n{text}");
    }

    #[test]
    fn lanes_of_one_name_show_their_full_names() {
        let short = names(&["main", "worker", "worker"]);
        let full = names(&["main", "a/worker", "b/worker"]);
        let mut picture = Picture::new(&short, &full);
        picture.arrow(1, 2, "x");
        assert!(
            picture.render().starts_with("    a/worker"),
            "{}",
            picture.render()
        );
    }

    #[test]
    fn nothing_to_see_is_empty() {
        let names = names(&["main"]);
        let mut picture = Picture::new(&names, &names);
        picture.mark(0, 'X', "<- here");
        assert_eq!(picture.render(), "");
    }
}
