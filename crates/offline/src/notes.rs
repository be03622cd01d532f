//! Notes of the session: pins one, unpins one, lists them. The text of a note is kept as it was
//! written.

use model::{KnownItem, Message, NOTED, Prompt};
use serde_json::{Value, json};

use super::{
    PromptContext, ReplyStep, dates, recall,
    sentences::quote,
    tools,
    words::{Clause, fits},
};

/// With a colon or a new line after them, everything that follows is the note.
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

/// After these too, unless the rest is a question.
const KEEP_WHAT_IS_TOLD: &[&str] = &["remember", "do not forget", "keep in mind"];

/// "Remember when we met" and "remember me" are questions; neither contains a note.
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

/// The longest key of a note.
const KEY_CHARS_MAX: usize = 48;

/// A call or an answer if the clause is about a note.
pub fn recognise(clause: &Clause<'_>, scene: &PromptContext<'_>) -> Option<ReplyStep> {
    if clause.is_any(LIST) {
        return Some(ReplyStep::Say(list(scene)));
    }
    if let Some(said) = noted(scene.prompt).filter(|_| kept(clause).is_some()) {
        return Some(ReplyStep::Say(said));
    }
    if let Some(text) = kept(clause) {
        return Some(tools::call(scene.prompt, tools::PIN, json!({ "text": text, "key": key(text) })));
    }
    forgotten(clause).map(|about| forget(about, scene))
}

/// The facts that memory has stored from this message.
pub fn noted(prompt: &Prompt) -> Option<String> {
    let noted = prompt.known.iter().filter(|known| known.level == NOTED);
    let lines: Vec<&str> = noted.map(|known| known.text.as_str()).collect();
    (!lines.is_empty()).then(|| format!("Noted: {}.", lines.join("; ").trim_end_matches(['.', ' '])))
}

/// The note that the clause asks to remember.
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

fn pins<'a>(scene: &PromptContext<'a>) -> Vec<&'a KnownItem> {
    scene.prompt.known.iter().filter(|known| known.level == "pin").collect()
}

fn list(scene: &PromptContext<'_>) -> String {
    let pins = pins(scene);
    let lasting = |known: &&KnownItem| matches!(known.level.as_str(), "profile" | "fact") && known.until.is_none();
    let facts: Vec<&KnownItem> = scene.prompt.known.iter().filter(lasting).collect();
    if pins.is_empty() && facts.is_empty() {
        return "You have not asked me to remember anything in this session.".to_owned();
    }
    let line = |known: &&KnownItem| format!("\n- \"{}\" ({})", quote(&known.text), dates::spoken(known.at));
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

fn forget(about: &str, scene: &PromptContext<'_>) -> ReplyStep {
    let pins = pins(scene);
    let texts: Vec<&str> = pins.iter().map(|pin| pin.text.as_str()).collect();
    match recall::closest(about, &texts)[..] {
        [] => ReplyStep::Say(format!("No note of this session is about \"{}\".", quote(about))),
        [one] => {
            let key = pins.get(one).map(|pin| pin.key.clone().unwrap_or_else(|| key_of(&pin.text, scene)));
            tools::call(scene.prompt, tools::UNPIN, json!({ "key": key }))
        }
        [..] => {
            let quoted: Vec<String> = texts.iter().map(|text| format!("\n- \"{}\"", quote(text))).collect();
            ReplyStep::Say(format!("Several notes may be meant. Which of these shall I forget?{}", quoted.concat()))
        }
    }
}

/// The key of a note: the one in the result of its pin, if that is still in the conversation, else
/// the one this model would have given it.
fn key_of(text: &str, scene: &PromptContext<'_>) -> String {
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

/// A key made of the note's own words, so that each note has its own.
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

/// FNV-1a: the same on every machine and in every version, unlike the standard library's hash.
fn digest(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |digest, byte| (digest ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}
