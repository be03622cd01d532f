//! The built-in apps, opened by name: "open the timer", "set a timer for 5 minutes", "show the
//! notes board".

use serde_json::{Value, json};

use super::{
    PromptContext, ReplyStep,
    arithmetic::number_word,
    tools,
    words::{Clause, Word},
};

const TIMER: &str = "open|show|start|launch me? a|the|my? timer app|window?";
const TIMER_FOR: &str = "set|start|open|show|make a|the|me? timer for|of|to";
const NOTES: &[&str] =
    &["open|show|launch me? a|the|my? notes|note board|app|window", "open|show|launch me? a|the|my? board of notes"];
/// The longest timer.
const SECONDS_MAX: u64 = 7 * 24 * 60 * 60;

/// A call if the clause asks for one of the apps.
pub fn recognise(clause: &Clause<'_>, scene: &PromptContext<'_>) -> Option<ReplyStep> {
    if let Some(count) = clause.begins(TIMER_FOR) {
        let seconds = duration(clause.words_after(count))?;
        return Some(open(scene, "timer", "Timer", json!({ "seconds": seconds })));
    }
    if clause.is(TIMER) {
        return Some(open(scene, "timer", "Timer", Value::Null));
    }
    clause.is_any(NOTES).then(|| open(scene, "notes", "Notes", Value::Null))
}

fn open(scene: &PromptContext<'_>, app: &str, title: &str, params: Value) -> ReplyStep {
    let mut content = json!({ "type": "app", "app": app });
    if !params.is_null() {
        content["params"] = params;
    }
    tools::call(scene.prompt, tools::WINDOW_OPEN, json!({ "title": title, "content": content }))
}

/// "5 minutes", "1 hour and 30 minutes", in seconds. All of the words have to be part of it.
fn duration(words: &[Word]) -> Option<u64> {
    let mut words = words.iter().map(|word| word.text.as_str()).filter(|word| *word != "and");
    let mut seconds = 0;
    while let Some(count) = words.next() {
        let count: u64 = match count {
            "a" | "an" => 1,
            count => count.parse().ok().or_else(|| number_word(count))?,
        };
        let unit = match words.next()? {
            "second" | "seconds" | "sec" | "s" => 1,
            "minute" | "minutes" | "min" | "m" => 60,
            "hour" | "hours" | "h" => 60 * 60,
            _ => return None,
        };
        seconds += count.checked_mul(unit)?;
    }
    (1..=SECONDS_MAX).contains(&seconds).then_some(seconds)
}
