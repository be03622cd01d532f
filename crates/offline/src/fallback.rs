//! The answers when no rule matches or nothing is known, and the answer to a request for help.

use model::Prompt;

use super::{home, tools};

/// The text by which a refusal is recognised.
pub const NEEDS_MODEL: &str = "needs a language model";

/// How to set up a language model.
pub const SET_UP: &str = "To set one up, open Settings, then Models in the page, or run `dwell setup`; or set \
    OPENAI_API_KEY, ANTHROPIC_API_KEY, GEMINI_API_KEY, OLLAMA_HOST or OPENAI_BASE_URL and restart the server.";

/// The number of suggestions in an answer.
const SUGGESTIONS: usize = 3;

/// Messages that rules answer, each with the tools that it needs.
const EXAMPLES: &[(&[&str], &str)] = &[
    (&[home::SEARCH, home::LOGBOOK], "What happened at home last night?"),
    (&[tools::CALCULATOR], "What is 17% of 240?"),
    (&[tools::PIN], "Remember that my locker is 12"),
    (&[tools::CURRENT_TIME], "What time is it in Tokyo?"),
    (&[tools::DATE_MATH], "How many days until Christmas?"),
    (&[], "\"My cat is called Momo\", and then \"What is my cat called?\""),
    (&[], "\"Summarize this:\", followed by a text"),
];

/// The refusal: this needs a language model, and how to set one up.
pub fn notice() -> String {
    format!("This {NEEDS_MODEL}, and none is available. Say \"help\" to see what works without one.\n{SET_UP}")
}

/// The answer to a question about which nothing is known.
pub fn nothing_known() -> String {
    format!("I find nothing about this in what you told me, and anything else {NEEDS_MODEL}.\n{SET_UP}")
}

/// The remark that a part of the message was not understood.
pub fn rest() -> String {
    format!("The rest of your message {NEEDS_MODEL}.")
}

/// The answer to a request for help: what works, and how to set up a language model.
pub fn help(prompt: &Prompt) -> String {
    format!("{}\nAnything else {NEEDS_MODEL}. {SET_UP}", suggestions(prompt))
}

/// What to try, of what works with the tools of this prompt. A note does not outlive a temporary
/// session, so none is suggested there.
pub fn suggestions(prompt: &Prompt) -> String {
    let is_offered = |needed: &[&str]| needed.iter().all(|tool| tools::offered(prompt, tool).is_some());
    let works =
        |(needed, _): &&(&[&str], &str)| is_offered(needed) && !(prompt.is_temporary && needed.contains(&tools::PIN));
    let lines = EXAMPLES.iter().filter(works).take(SUGGESTIONS).map(|(_, text)| format!("\n- {text}"));
    format!("I work offline, by rules and without a language model. Try one of these:{}", lines.collect::<String>())
}
