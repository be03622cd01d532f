//! The prompts of Dwell's memory agent, for other agents that keep their memory here.

use engine::prompts::{CONTEXT, ENTRY_CAPTURE, SUMMARY};
use rmcp::{
    ErrorData,
    model::{GetPromptResult, Prompt, PromptMessage, Role},
};

/// A prompt: its name, what it is for, and the text.
struct PromptDefinition {
    name: &'static str,
    description: &'static str,
    text: &'static str,
}

const ALL: [PromptDefinition; 3] = [
    PromptDefinition {
        name: "entry_capture",
        description: "How to write messages into a memory, with the tool `add_entry`.",
        text: ENTRY_CAPTURE,
    },
    PromptDefinition {
        name: "summary",
        description: "How to summarize messages, for the summary of an entry or a conversation.",
        text: SUMMARY,
    },
    PromptDefinition {
        name: "context",
        description: "How to keep a memory's context document, with the tool `put_context`.",
        text: CONTEXT,
    },
];

/// The declarations of all prompts.
pub(super) fn declared() -> Vec<Prompt> {
    ALL.iter().map(|served| Prompt::new(served.name, Some(served.description), None)).collect()
}

/// One prompt, by its name.
pub(super) fn get(name: &str) -> Result<GetPromptResult, ErrorData> {
    let names = || ALL.map(|served| served.name).join(", ");
    let served = ALL
        .iter()
        .find(|served| served.name == name)
        .ok_or_else(|| ErrorData::invalid_params(format!("there is no prompt {name}; available: {}", names()), None))?;
    let message = PromptMessage::new_text(Role::User, served.text.trim());
    Ok(GetPromptResult::new(vec![message]).with_description(served.description))
}
