//! Notes of the session: keeping one, forgetting one, listing them. The text of a note is kept as it was written.

use serde_json::{Value, json};

use super::{
    Scene, Step, dates, recall,
    sentences::quote,
    tools,
    words::{Clause, fits},
};
use crate::{Known, Message, NOTED, Prompt};

/// With a colon or a new line after them, all that follows is the note.
const ANNOUNCE: &[&str] = &[
    "remember|note|pin this|that|down",
    "remember|note|pin the following",
    "remember|note|pin",
    "make|take a? note",
    "note to self",
    "do not forget",
];

/// After these the rest is the note.
const KEEP: &[&str] = &[
    "remember|note|pin that",
    "remember to",
    "do not forget that|to",
    "keep in mind that",
    "make|take a? note that|of|to",
];

/// After these too, unless it goes on as a question does.
const KEEP_WHAT_IS_TOLD: &[&str] = &["remember", "do not forget", "keep in mind"];

/// "Remember when we met" asks; "remember me" asks to be known; neither gives anything to keep.
const ASKED: &[&str] = &[
    "when|how|what|where|who|whom|whose|which|why|if|me|us|him|her|them|it|those|these|anything|everything",
    "that|this time|day|night|evening|summer|one",
    "the time|day|night|evening|summer",
];

const FORGET: &[&str] = &[
    "forget|delete|remove|unpin|drop|erase my|the|that|this? note|pin|reminder about|on|that|of|with|called?",
    "forget about|that?",
    "unpin my|the|that|this?",
];

/// After "forget" these name no note.
const NOT_FORGOTTEN: &str = "it|that|this|me|everything|all|him|her|them|about it|that|this|me?";

const LIST: &[&str] = &[
    "what did i ask|tell you to remember|note|pin|keep",
    "what have i asked|told you to remember|note|pin|keep",
    "what do you remember",
    "what did you note|pin|remember",
    "what have you noted|pinned|remembered",
    "list|show me? all? my|the|your? notes|pins|reminders",
    "what are my|the|your notes|pins|reminders",
    "what notes|pins|reminders do i|you have",
    "what is pinned|noted",
    "my notes|pins",
];

/// The longest key a note is kept under.
const KEY_CHARS_MAX: usize = 48;

/// A call or an answer if the clause is about a note.
pub fn recognise(clause: &Clause<'_>, scene: &Scene<'_>) -> Option<Step> {
    if clause.is_any(LIST) {
        return Some(Step::Say(list(scene)));
    }
    if let Some(said) = noted(scene.prompt).filter(|_| kept(clause).is_some()) {
        return Some(Step::Say(said));
    }
    if let Some(text) = kept(clause) {
        return Some(tools::call(scene.prompt, tools::PIN, json!({ "text": text, "key": key(text) })));
    }
    forgotten(clause).map(|about| forget(about, scene))
}

/// What the message has stated and is kept already.
pub fn noted(prompt: &Prompt) -> Option<String> {
    let noted = prompt.known.iter().filter(|known| known.level == NOTED);
    let lines: Vec<&str> = noted.map(|known| known.text.as_str()).collect();
    (!lines.is_empty()).then(|| format!("Noted: {}.", lines.join("; ").trim_end_matches(['.', ' '])))
}

/// The note that the clause asks to keep.
pub fn kept<'a>(clause: &Clause<'a>) -> Option<&'a str> {
    announced(clause).or_else(|| told(clause))
}

/// The note after a colon; it may have several sentences.
pub fn announced<'a>(clause: &Clause<'a>) -> Option<&'a str> {
    ANNOUNCE.iter().find_map(|rule| {
        let rest = clause.after(clause.begins(rule)?).trim_start_matches([' ', '\t', '\r']);
        rest.strip_prefix([':', '\n']).and_then(note)
    })
}

fn told<'a>(clause: &Clause<'a>) -> Option<&'a str> {
    let asks = |count: usize| ASKED.iter().any(|rule| fits(clause.words_after(count), rule).is_some());
    if clause.is_marked_as_question() || clause.begins("remember").is_some_and(asks) {
        return None;
    }
    let count =
        clause.begins_any(KEEP).or_else(|| clause.begins_any(KEEP_WHAT_IS_TOLD).filter(|count| !asks(*count)))?;
    note(clause.after(count))
}

fn note(rest: &str) -> Option<&str> {
    let text = rest.trim_start_matches([':', ',', '-', '–', ' ', '\n', '\t', '\r']).trim_end();
    text.chars().any(char::is_alphanumeric).then_some(text)
}

fn forgotten<'a>(clause: &Clause<'a>) -> Option<&'a str> {
    let is_about_none = clause.is(&format!("forget {NOT_FORGOTTEN}"));
    if is_about_none || clause.is_marked_as_question() {
        return None;
    }
    FORGET.iter().find_map(|rule| {
        let about = clause.after(clause.begins(rule)?).trim_matches([':', ',', '.', '!', '"', '“', '”', ' ', '\'']);
        about.chars().any(char::is_alphanumeric).then_some(about)
    })
}

fn pins<'a>(scene: &Scene<'a>) -> Vec<&'a Known> {
    scene.prompt.known.iter().filter(|known| known.level == "pin").collect()
}

fn list(scene: &Scene<'_>) -> String {
    let pins = pins(scene);
    let lasting = |known: &&Known| matches!(known.level.as_str(), "profile" | "fact") && known.until.is_none();
    let facts: Vec<&Known> = scene.prompt.known.iter().filter(lasting).collect();
    if pins.is_empty() && facts.is_empty() {
        return "You have not asked me to remember anything in this session.".to_owned();
    }
    let line = |known: &&Known| format!("\n- \"{}\" ({})", quote(&known.text), dates::spoken(known.at));
    let mut answer = String::new();
    if !pins.is_empty() {
        answer.push_str(&format!("You asked me to remember:{}", pins.iter().map(line).collect::<String>()));
    }
    if !facts.is_empty() {
        let gap = if answer.is_empty() { "" } else { "\n" };
        answer.push_str(&format!("{gap}What I know about you:{}", facts.iter().map(line).collect::<String>()));
    }
    answer
}

fn forget(about: &str, scene: &Scene<'_>) -> Step {
    let pins = pins(scene);
    let texts: Vec<&str> = pins.iter().map(|pin| pin.text.as_str()).collect();
    match recall::closest(about, &texts)[..] {
        [] => Step::Say(format!("No note of this session is about \"{}\".", quote(about))),
        [one] => {
            let key = pins.get(one).map(|pin| pin.key.clone().unwrap_or_else(|| key_of(&pin.text, scene)));
            tools::call(scene.prompt, tools::UNPIN, json!({ "key": key }))
        }
        [..] => {
            let quoted: Vec<String> = texts.iter().map(|text| format!("\n- \"{}\"", quote(text))).collect();
            Step::Say(format!("Several notes may be meant. Which of these shall I forget?{}", quoted.concat()))
        }
    }
}

/// The key under which a note is kept: the one its pin was answered with, if that is still in the conversation, else
/// the one this model would have given it.
fn key_of(text: &str, scene: &Scene<'_>) -> String {
    let calls = scene.before.iter().rev().filter_map(|message| match message {
        Message::Assistant { calls, .. } => Some(calls),
        _ => None,
    });
    let call = calls.flatten().find(|call| call.tool == tools::PIN && call.arguments.get("text") == Some(&json!(text)));
    let answered = call.and_then(|call| {
        scene.before.iter().rev().find_map(|message| match message {
            Message::Result { call_id, text, .. } if *call_id == call.id => {
                let answer: Value = serde_json::from_str(text).ok()?;
                answer.get("key")?.as_str().map(str::to_owned)
            }
            _ => None,
        })
    });
    answered.unwrap_or_else(|| key(text))
}

/// A key made of the note's own words, so that it is found again by nothing but the note.
pub fn key(text: &str) -> String {
    let mut key = String::new();
    let mut is_cut = false;
    for char in text.chars().flat_map(char::to_lowercase) {
        if key.chars().count() >= KEY_CHARS_MAX {
            is_cut = true;
            break;
        }
        if char.is_alphanumeric() {
            key.push(char);
        } else if !key.is_empty() && !key.ends_with('-') {
            key.push('-');
        }
    }
    let key = key.trim_end_matches('-').to_owned();
    // Notes that begin alike must not replace each other.
    if is_cut { format!("{key}-{:08x}", digest(text)) } else { key }
}

/// FNV-1a: the same everywhere and always, unlike the standard library's hash.
fn digest(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |digest, byte| (digest ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
