//! What the model is told: the instructions, the last messages, and what is asked now.

use model::{Message, Prompt, Role};
use session::{OpenTurn, State};

const SYSTEM: &str = include_str!("../../prompts/system.md");

pub(super) fn assemble(state: &State, turn: &OpenTurn) -> Prompt {
    let mut messages: Vec<Message> = state
        .recent()
        .map(|message| Message {
            role: match message.role {
                session::Role::User => Role::User,
                session::Role::Assistant => Role::Assistant,
            },
            text: message.text.clone(),
        })
        .collect();
    messages.push(Message { role: Role::User, text: turn.request.message.clone() });
    Prompt {
        model: turn.request.model.clone().or_else(|| state.settings.model.clone()),
        system: SYSTEM.trim().to_owned(),
        messages,
    }
}
