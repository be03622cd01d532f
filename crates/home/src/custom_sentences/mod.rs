//! The user's own sentences: a folder in the format of Home Assistant's `custom_sentences`, with a
//! folder per language. Faults are named with file and line; the other sentences stay usable.

mod reload;

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
    time::SystemTime,
};

use reflex::Grammar;
pub use reload::ReloadedReflexes;
use serde_json::{Map, Value, json};

/// The number of files that are read, and the bytes of one.
const FILES_MAX: usize = 200;
const FILE_BYTES_MAX: u64 = 1 << 20;
/// The intents that sentences can be given for.
const INTENTS: &[&str] = &[
    "HassTurnOn",
    "HassTurnOff",
    "HassToggle",
    "HassOpenCover",
    "HassCloseCover",
    "HassLightSet",
    "HassSetPosition",
    "HassClimateSetTemperature",
    "HassClimateGetTemperature",
    "HassFanSetSpeed",
    "HassGetState",
    "HassGetWeather",
    "HassListAddItem",
    "HassListCompleteItem",
    "HassListRemoveItem",
    "HassShoppingListAddItem",
    "HassShoppingListCompleteItem",
    "HassVacuumStart",
    "HassVacuumCleanArea",
    "HassVacuumReturnToBase",
    "HassLawnMowerStartMowing",
    "HassLawnMowerDock",
    "HassMediaPause",
    "HassMediaUnpause",
    "HassMediaNext",
    "HassMediaPrevious",
    "HassMediaPlayerMute",
    "HassMediaPlayerUnmute",
    "HassMediaSearchAndPlay",
    "HassSetVolume",
    "HassSetVolumeRelative",
];

/// A fault in a file of sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentenceFault {
    /// The file, or the folder.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: Option<usize>,
    /// What is wrong, and what to do.
    pub what: String,
}

impl fmt::Display for SentenceFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.file.display(), self.what),
            None => write!(f, "{}: {}", self.file.display(), self.what),
        }
    }
}

/// A file of sentences, parsed.
#[derive(Debug, Clone)]
struct SentenceFile {
    path: PathBuf,
    text: String,
    section: Value,
}

/// The sentences of all languages in a folder.
#[derive(Debug, Clone, Default)]
pub struct CustomSentences {
    languages: BTreeMap<String, Vec<SentenceFile>>,
    faults: Vec<SentenceFault>,
}

impl CustomSentences {
    /// Reads a folder. One that does not exist has no sentences.
    pub fn read(folder: &Path) -> Self {
        let mut read = Self::default();
        for (count, (language, path)) in files(folder).into_iter().enumerate() {
            if count >= FILES_MAX {
                let what = format!("only the first {FILES_MAX} files are read");
                read.faults.push(SentenceFault { file: folder.to_owned(), line: None, what });
                break;
            }
            match parse(&language, &path) {
                Ok((file, faults)) => {
                    read.languages.entry(language).or_default().push(file);
                    read.faults.extend(faults);
                }
                Err(fault) => read.faults.push(fault),
            }
        }
        read
    }

    /// The grammar of a language with these sentences, on top of a file of Home Assistant's
    /// sentences or of the built-in ones.
    pub fn grammar(&mut self, language: &str, base: Option<&str>) -> Result<Grammar, reflex::GrammarError> {
        let own = self.languages.remove(language).unwrap_or_default();
        let sections = own.iter().map(|file| file.section.clone()).collect();
        let grammar = Grammar::load_with(base, language, sections)?;
        for warning in grammar.warnings() {
            let file = own.iter().find(|file| !warning.template.is_empty() && file.text.contains(&warning.template));
            if let Some(file) = file {
                let line = line_of(&file.text, |line| line.contains(&warning.template));
                self.faults.push(SentenceFault { file: file.path.clone(), line, what: warning.to_string() });
            }
        }
        Ok(grammar)
    }

    /// What is wrong, after the grammars were made: languages without one are named, too.
    pub fn into_faults(mut self) -> Vec<SentenceFault> {
        for (language, files) in std::mem::take(&mut self.languages) {
            let Some(file) = files.into_iter().next() else { continue };
            let what = format!("`{language}` is not one of the languages of `home.languages`: add it there");
            self.faults.push(SentenceFault { file: file.path, line: None, what });
        }
        self.faults
    }
}

/// The files of a folder, with their languages, in the order of their names.
fn files(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = |folder: &Path| -> Vec<PathBuf> {
        let read = std::fs::read_dir(folder).map(|entries| entries.flatten().map(|entry| entry.path()));
        let mut paths: Vec<PathBuf> = read.map(Iterator::collect).unwrap_or_default();
        paths.sort();
        paths
    };
    let is_yaml = |path: &PathBuf| path.extension().is_some_and(|end| end == "yaml" || end == "yml");
    let mut files = Vec::new();
    for language in entries(folder).into_iter().filter(|path| path.is_dir()) {
        let Some(name) = language.file_name().and_then(|name| name.to_str()).map(str::to_owned) else { continue };
        files.extend(entries(&language).into_iter().filter(is_yaml).map(|path| (name.clone(), path)));
    }
    files
}

/// What changes when a file does: the names, the times and the sizes.
type Signature = Vec<(PathBuf, Option<SystemTime>, u64)>;

fn signature(folder: &Path) -> Signature {
    let seen = files(folder).into_iter().map(|(_, path)| {
        let known = std::fs::metadata(&path).ok();
        let at = known.as_ref().and_then(|known| known.modified().ok());
        (path, at, known.map_or(0, |known| known.len()))
    });
    seen.collect()
}

/// Parses a file; what cannot be used is left out and named.
fn parse(language: &str, path: &Path) -> Result<(SentenceFile, Vec<SentenceFault>), SentenceFault> {
    let fault = |line: Option<usize>, what: String| SentenceFault { file: path.to_owned(), line, what };
    if std::fs::metadata(path).is_ok_and(|known| known.len() > FILE_BYTES_MAX) {
        return Err(fault(None, format!("it is larger than {FILE_BYTES_MAX} bytes: split it")));
    }
    let text = std::fs::read_to_string(path).map_err(|error| fault(None, format!("it cannot be read: {error}")))?;
    let value: Value = serde_yaml_ng::from_str(&text)
        .map_err(|error| fault(error.location().map(|at| at.line()), format!("this is not valid YAML: {error}")))?;
    let Value::Object(mut fields) = value else {
        return Err(fault(Some(1), "it has to be a mapping with `language` and `intents`".to_owned()));
    };
    let mut faults = Vec::new();
    if let Some(named) = fields.get("language").and_then(Value::as_str)
        && named != language
    {
        let line = line_of(&text, |line| is_key(line, "language"));
        let what = format!("`language: {named}` does not fit the folder `{language}`: move the file or change it");
        return Err(fault(line, what));
    }
    let mut section = Map::from_iter([("language".to_owned(), json!(language))]);
    if let Some(words) = fields.remove("skip_words") {
        section.insert("skip_words".to_owned(), words);
    }
    for part in ["intents", "lists", "expansion_rules"] {
        let entries = match fields.remove(part) {
            Some(Value::Object(entries)) => entries,
            None | Some(Value::Null) => continue,
            Some(_) => {
                let line = line_of(&text, |line| is_key(line, part));
                faults.push(fault(line, format!("`{part}` has to be a mapping of names")));
                continue;
            }
        };
        let mut usable = Map::new();
        for (name, entry) in entries {
            let alone = json!({ "language": language, part: { name.as_str(): entry.clone() } });
            let wrong = match Grammar::check_section(&alone) {
                Err(error) => Some(format!("`{name}` cannot be read: {error}")),
                Ok(()) if part == "intents" && !INTENTS.contains(&name.as_str()) => Some(format!(
                    "the intent `{name}` is not known here, so its sentences are not used; known are {}",
                    INTENTS.join(", ")
                )),
                Ok(()) => None,
            };
            match wrong {
                Some(what) => faults.push(fault(line_of(&text, |line| is_key(line, &name)), what)),
                None => {
                    usable.insert(name, entry);
                }
            }
        }
        section.insert(part.to_owned(), Value::Object(usable));
    }
    let section = Value::Object(section);
    Grammar::check_section(&section).map_err(|error| fault(None, error.to_string()))?;
    Ok((SentenceFile { path: path.to_owned(), text, section }, faults))
}

fn line_of(text: &str, is_it: impl Fn(&str) -> bool) -> Option<usize> {
    text.lines().position(is_it).map(|at| at + 1)
}

/// Whether a line of YAML begins with this key.
fn is_key(line: &str, key: &str) -> bool {
    let line = line.trim_start().trim_start_matches(['"', '\'']);
    line.strip_prefix(key).is_some_and(|rest| rest.trim_start_matches(['"', '\'']).trim_start().starts_with(':'))
}
