//! What is said when nothing is recognised or nothing is known: that this needs a language model, and how to get one.

use super::tools;
use crate::Prompt;

/// The words by which such an answer is known.
pub const NEEDS_MODEL: &str = "needs a language model";

const NOTICE: &str = include_str!("needs_model.md");
const NOTHING_KNOWN: &str = include_str!("nothing_known.md");

/// More names of tools than this say nothing more.
const NAMES_MAX: usize = 8;

/// What can be done with the tools at hand, by the tool it takes.
const WITH_TOOLS: &[(&str, &str)] = &[
    (tools::CALCULATOR, "calculate"),
    (tools::CURRENT_TIME, "tell the time and the date"),
    (tools::DATE_MATH, "count days"),
    (tools::PIN, "keep notes (\"remember that …\")"),
    (tools::ARTIFACT_SAVE, "save a text (\"save this as notes.txt: …\")"),
    (tools::ARTIFACT_READ, "list and read what is saved"),
];

/// That this needs a language model, what can be done without, and how to configure one.
pub fn notice(prompt: &Prompt) -> String {
    NOTICE.trim().replace("{can}", &can(prompt))
}

/// That nothing is known about what was asked.
pub fn nothing_known() -> String {
    NOTHING_KNOWN.trim().to_owned()
}

/// That something beside what was answered was not understood.
pub fn rest() -> String {
    format!("The rest of your message {NEEDS_MODEL}.")
}

fn can(prompt: &Prompt) -> String {
    let offered = |name: &str| tools::offered(prompt, name).is_some();
    let mut can: Vec<String> =
        WITH_TOOLS.iter().filter(|(tool, _)| offered(tool)).map(|(_, what)| (*what).to_owned()).collect();
    can.push("answer questions by quoting what you have told me".to_owned());
    let is_other = |name: &&str| {
        let ours = [tools::UNPIN, tools::ARTIFACT_LIST];
        !ours.contains(name) && !WITH_TOOLS.iter().any(|(tool, _)| tool == name)
    };
    let others: Vec<&str> = prompt.tools.iter().map(|tool| tool.name.as_str()).filter(is_other).collect();
    if !others.is_empty() {
        let more = if others.len() > NAMES_MAX { ", …" } else { "" };
        let names = others.iter().take(NAMES_MAX).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        can.push(format!("run a tool that you name, with its arguments ({names}{more})"));
    }
    let last = "extract the central sentences of a text".to_owned();
    format!("{} and {last}", can.join(", "))
}
