//! The prompts by which Dwell's memory agent works, for other agents that keep a memory here.

use engine::prompts::{CONTEXT, ENTRY_CAPTURE, SUMMARY};
use rmcp::{
    ErrorData,
    model::{GetPromptResult, Prompt, PromptMessage, Role},
};

/// A prompt: its name, what it is for, and the text.
struct Served {
    name: &'static str,
    description: &'static str,
    text: &'static str,
}

const ALL: [Served; 3] = [
    Served {
        name: "entry_capture",
        description: "How to write what was said into a memory, with the tool `add_entry`.",
        text: ENTRY_CAPTURE,
    },
    Served {
        name: "summary",
        description: "How to sum up what was said, for the summary of an entry or of a conversation.",
        text: SUMMARY,
    },
    Served {
        name: "context",
        description: "How to keep a memory's context document, with the tool `put_context`.",
        text: CONTEXT,
    },
];

/// How they are declared.
pub(super) fn declared() -> Vec<Prompt> {
    ALL.iter().map(|served| Prompt::new(served.name, Some(served.description), None)).collect()
}

/// One of them.
pub(super) fn get(name: &str) -> Result<GetPromptResult, ErrorData> {
    let names = || ALL.map(|served| served.name).join(", ");
    let served = ALL
        .iter()
        .find(|served| served.name == name)
        .ok_or_else(|| ErrorData::invalid_params(format!("there is no prompt {name}; there are {}", names()), None))?;
    let message = PromptMessage::new_text(Role::User, served.text.trim());
    Ok(GetPromptResult::new(vec![message]).with_description(served.description))
}
