//! What a run asks, as it travels: the song, and the arguments that make a difference to the answer.
//!
//! Arguments are written as the command reads them, each with its name and in the order of the flags' declarations, so the same
//! question is the same text whoever asks it and from wherever.

use crate::arguments::Arguments;
use clap::parser::ValueSource;
use clap::{ArgMatches, Command, CommandFactory as _};
use plainsong_driver::Source;
use plainsong_swarm::{Asked, digest};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Arguments that say who works, for how long, and how the answer is told.
const OF_THE_MOMENT: &[&str] = &[
    "swarm",
    "run",
    "jobs",
    "out",
    "timeout",
    "memory",
    "json",
    "junit",
    "sarif",
    "page",
    "quiet",
    "verbose",
    "color",
    "require",
    "no_cache",
    "fail_fast",
    "keep_going",
    "help",
];

/// What a run asks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Question {
    /// The command, the verb and its arguments, as the command reads them.
    pub(crate) arguments: Vec<String>,
    /// The name of the song's file, without folders.
    pub(crate) file: String,
    /// The song.
    pub(crate) song: String,
    /// The seed, where one is wanted and nobody chose it.
    pub(crate) seed: u64,
}

impl Question {
    /// What these arguments, which were read before, ask of this song. A run with a name has its seed from the name: who joins it
    /// draws the same executions.
    pub(crate) fn new(arguments: &[String], source: &Source, run: Option<&str>) -> Self {
        let file = Path::new(&source.name).file_name();
        let file = file.map_or_else(
            || source.name.clone(),
            |name| name.to_string_lossy().into_owned(),
        );
        let chance = match run {
            Some(name) => name.to_owned(),
            None => format!("{:?}", std::time::SystemTime::now()),
        };
        let seed = u64::from_str_radix(&digest(&["seed", &chance])[..5], 16).unwrap_or(1);
        Question {
            arguments: canonical(arguments, &file),
            file,
            song: source.text.clone(),
            seed,
        }
    }

    /// In one line.
    pub(crate) fn title(&self) -> String {
        let mut title = self.arguments[1..].join(" ");
        if self.draws_by_chance() {
            title += &format!(" --seed {}", self.seed);
        }
        title
    }

    fn draws_by_chance(&self) -> bool {
        let is_sim = self.arguments.get(1).is_some_and(|verb| verb == "sim");
        is_sim && !self.arguments.iter().any(|one| one.starts_with("--seed"))
    }

    /// As workers read it.
    pub(crate) fn text(&self) -> String {
        let seed = if self.draws_by_chance() { self.seed } else { 0 };
        let question = Question {
            seed,
            ..self.clone()
        };
        serde_json::to_string(&question).expect("texts can be written")
    }

    pub(crate) fn read(text: &str) -> Option<Question> {
        serde_json::from_str(text).ok()
    }

    /// What a run is called that nobody gave a name.
    pub(crate) fn name(&self, asked: &Asked) -> String {
        let verb = self.arguments.get(1).map_or("run", String::as_str);
        let stem = Path::new(&self.file).file_stem().unwrap_or_default();
        let stem = stem.to_string_lossy();
        let fine = |letter: &char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
        let stem: String = stem.chars().filter(fine).take(32).collect();
        let hash = digest(&[&asked.build, &asked.body]);
        format!("{verb}-{stem}-{}", &hash[..8])
    }
}

/// The arguments that make a difference, each with its name.
fn canonical(arguments: &[String], file: &str) -> Vec<String> {
    let command = Arguments::command();
    let Ok(matches) = command.clone().try_get_matches_from(arguments) else {
        return arguments.to_vec();
    };
    let Some((verb, matches)) = matches.subcommand() else {
        return arguments.to_vec();
    };
    let mut said = vec!["plainsong".to_owned(), verb.to_owned()];
    if let Some(command) = command.find_subcommand(verb) {
        said.extend(named(command, matches));
    }
    said.push(file.to_owned());
    said
}

fn named(command: &Command, matches: &ArgMatches) -> Vec<String> {
    let mut said = Vec::new();
    for argument in command.get_arguments() {
        let id = argument.get_id().as_str();
        let is_said = matches.value_source(id) == Some(ValueSource::CommandLine);
        let Some(long) = argument
            .get_long()
            .filter(|_| is_said && !OF_THE_MOMENT.contains(&id))
        else {
            continue;
        };
        if !argument.get_action().takes_values() {
            said.push(format!("--{long}"));
            continue;
        }
        for value in matches.get_raw(id).into_iter().flatten() {
            said.push(format!("--{long}={}", value.to_string_lossy()));
        }
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_question_is_the_same_text_however_it_is_asked() {
        let source = |name: &str| Source {
            name: name.to_owned(),
            text: "song".to_owned(),
            path: None,
        };
        let asked = |line: &str, name: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            Question::new(&words, &source(name), Some("night")).text()
        };
        let one = asked(
            "plainsong sim a.song --runs 9 --size A=2,B=3 --swarm nats://x:1 --run night",
            "a.song",
        );
        let other = asked(
            "/bin/p sim --swarm nats://y:2 --size=A=2 --json --size B=3 --runs=9 b/a.song --timeout 3",
            "b/a.song",
        );
        assert_eq!(one, other);
        let different = asked("plainsong sim a.song --runs 8 --size A=2,B=3", "a.song");
        assert_ne!(one, different);
    }
}
