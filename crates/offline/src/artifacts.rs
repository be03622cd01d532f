//! Artifacts: saves a text under a name, lists and reads artifacts, shows them in a window.

use model::Message;
use serde_json::json;

use super::{PromptContext, ReplyStep, tools, words::Clause};

const LIST: &[&str] = &[
    "list|show me? all? of? my|the|our? saved? artifacts|files",
    "what|which artifacts|files do i|we|you have",
    "what|which artifacts|files are there|saved",
    "what|which artifacts|files have i|we|you saved",
    "my artifacts|files",
];

const READ: &[&str] = &["read|open|show|display|print|cat me? my|the|this?", "what is in|inside my|the|this?"];

/// Openings that ask to see an artifact rather than to read it.
const SHOW: &[&str] = &["open|show|display me? my|the|this?"];

/// Phrases that name a window or the desktop.
const IN_WINDOW: &[&str] = &["in|as a|its|another new? own? window", "on|at the|my desktop|screen"];

/// Those with "a file" come first: an "a" alone may be the name.
const SAVE: &[&str] = &[
    "save|store|keep|write this|that|it? text? as|to|in|into|under a|the? file|artifact called|named?",
    "save|store|keep|write the following text? as|to|in|into|under a|the? file|artifact called|named?",
    "save|store|keep|write this|that|it text? as|to|in|into|under",
    "save|store|keep|write the following text? as|to|in|into|under",
    "save|store as|to|under",
    "create|make|write a|an|the? new? file|artifact called|named?",
];

/// Phrases between the name and the content.
const CONTENT: &[&str] = &["with the? content|contents|text of?", "containing|saying|with"];

/// A call if the clause saves, lists or reads artifacts.
pub fn recognise(clause: &Clause<'_>, scene: &PromptContext<'_>) -> Option<ReplyStep> {
    if clause.is_any(LIST) {
        return Some(tools::call(scene.prompt, tools::ARTIFACT_LIST, json!({})));
    }
    save(clause, scene).or_else(|| show(clause, scene)).or_else(|| read(clause, scene))
}

/// A call that saves the text in the message or the last answer.
pub fn save(clause: &Clause<'_>, scene: &PromptContext<'_>) -> Option<ReplyStep> {
    let (name, content) = named(clause).or_else(|| quoted(clause))?;
    let content = content.or_else(|| last_answer(scene));
    Some(match content {
        Some(content) => tools::call(scene.prompt, tools::ARTIFACT_SAVE, json!({ "name": name, "content": content })),
        None => ReplyStep::Say(format!("What shall I save? Write it after the name: save this as {name}: …")),
    })
}

/// "Save this as notes.txt: …": the name, and what follows it.
fn named<'a>(clause: &Clause<'a>) -> Option<(&'a str, Option<&'a str>)> {
    let rest = clause.after(clause.begins_any(SAVE)?).trim_start_matches([' ', ':']);
    let (name, after) = name(rest)?;
    let after = after.trim_start_matches([' ', '\t', '\r']);
    let content = match after.strip_prefix([':', '\n']) {
        Some(content) => content,
        None => {
            let follows = Clause::new(after);
            follows.begins_any(CONTENT).map_or("", |count| follows.after(count))
        }
    };
    let content = content.trim_start_matches([' ', ':', '\n', '\r']);
    let is_over = after.is_empty() || !content.is_empty() || after.trim_matches(['.', '!', ' ', ':', '\n']).is_empty();
    is_over.then_some((name, Some(unquoted(content)).filter(|content| !content.is_empty())))
}

/// `Save "hello" as greeting.txt`.
fn quoted<'a>(clause: &Clause<'a>) -> Option<(&'a str, Option<&'a str>)> {
    let rest = clause.after(clause.begins("save|store|write the? text?")?).trim_start();
    let inner = rest.strip_prefix(['"', '“'])?;
    let end = inner.find(['"', '”'])?;
    let after = Clause::new(inner[end..].trim_start_matches(['"', '”']));
    let count = after.begins("as|to|in|into")?;
    let (name, after) = name(after.after(count).trim_start())?;
    after.trim_matches(['.', '!', ' ', '\n']).is_empty().then(|| (name, Some(&inner[..end])))
}

/// A name at the beginning of the text: in quotes, or up to the next space or colon.
fn name(text: &str) -> Option<(&str, &str)> {
    let (name, after) = match text.strip_prefix(['"', '“', '`', '\'']) {
        Some(inner) => {
            let end = inner.find(['"', '”', '`', '\'', '\n'])?;
            (&inner[..end], inner[end..].trim_start_matches(['"', '”', '`', '\'']))
        }
        None => text
            .split_at(text.find(|char: char| char.is_whitespace() || matches!(char, ':' | ',')).unwrap_or(text.len())),
    };
    let name = name.trim_end_matches(['.', '!', '?', ' ']);
    (name.chars().any(char::is_alphanumeric) && name.len() <= 200).then_some((name, after))
}

fn unquoted(text: &str) -> &str {
    let inner = text.trim_end().strip_prefix('"').and_then(|text| text.strip_suffix('"'));
    inner.filter(|inner| !inner.contains('"')).unwrap_or(text)
}

/// The last answer, which "this" refers to when no text is given.
fn last_answer<'a>(scene: &PromptContext<'a>) -> Option<&'a str> {
    scene.before.iter().rev().find_map(|message| match message {
        Message::Assistant { text, .. } if !text.trim().is_empty() => Some(text.as_str()),
        _ => None,
    })
}

/// "Open notes.md in a window", "show me artifact ID": where windows can be opened, for messages
/// that name a window or an id.
fn show(clause: &Clause<'_>, scene: &PromptContext<'_>) -> Option<ReplyStep> {
    tools::offered(scene.prompt, tools::ARTIFACT_SHOW)?;
    let (name, after, has_kind) = wanted(clause, SHOW)?;
    let says_where = Clause::new(after.trim_end_matches("please").trim_end()).is_any(IN_WINDOW);
    let is_certain = if says_where {
        has_kind || looks_like_file(name) || is_id(name)
    } else {
        has_kind && is_id(name) && ["", "please"].contains(&after)
    };
    let field = if is_id(name) { "artifact_id" } else { "name" };
    is_certain.then(|| tools::call(scene.prompt, tools::ARTIFACT_SHOW, json!({ field: name })))
}

/// The artifact after such an opening: its name, the text after it, and whether it was called an
/// artifact or a file.
fn wanted<'a>(clause: &Clause<'a>, words: &[&str]) -> Option<(&'a str, &'a str, bool)> {
    let count = clause.begins_any(words)?;
    let kind = clause.words_after(count).first().filter(|word| ["artifact", "file"].contains(&word.text.as_str()));
    let has_kind = kind.is_some();
    let rest = clause.after(count + usize::from(has_kind)).trim_start_matches([' ', ':']);
    let (name, after) = name(rest)?;
    Some((name, after.trim_matches(['.', '!', '?', ' ', '\n']), has_kind))
}

fn read(clause: &Clause<'_>, scene: &PromptContext<'_>) -> Option<ReplyStep> {
    let (name, after, has_kind) = wanted(clause, READ)?;
    let is_artifact = has_kind || ["file", "artifact"].contains(&after) || looks_like_file(name) || is_id(name);
    if !is_artifact || !["", "file", "artifact", "please"].contains(&after) {
        return None;
    }
    // A tool that takes only ids reports the wrong name itself.
    let by_name = tools::offered(scene.prompt, tools::ARTIFACT_READ)
        .is_none_or(|tool| tools::takes(tool, "name") || !tools::takes(tool, "artifact_id"));
    let field = if is_id(name) || !by_name { "artifact_id" } else { "name" };
    Some(tools::call(scene.prompt, tools::ARTIFACT_READ, json!({ field: name })))
}

fn is_id(name: &str) -> bool {
    name.len() == 26 && name.parse::<protocol::ArtifactId>().is_ok()
}

/// A name with an ending, as in `notes.txt`; "www.example.com" has more than one point.
fn looks_like_file(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, ending)| {
        let is_ending = (1..=5).contains(&ending.len()) && ending.chars().all(|char| char.is_ascii_alphanumeric());
        is_ending
            && !stem.is_empty()
            && !stem.contains("://")
            && !stem.starts_with("www.")
            && stem.chars().any(char::is_alphabetic)
    })
}
