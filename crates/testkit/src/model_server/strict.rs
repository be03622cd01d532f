//! Checks that a strict provider applies to a conversation.

use std::collections::BTreeSet;

use serde_json::Value;

use super::request::said_in;

/// The first fault in the messages, in the words of a provider.
pub(super) fn violation(messages: &[Value]) -> Option<String> {
    let mut reader = ConversationChecker::default();
    for (index, message) in messages.iter().enumerate() {
        if let Err(problem) = reader.read(message) {
            return Some(format!("Invalid 'messages[{index}]': {problem}"));
        }
    }
    if !reader.open.is_empty() {
        return Some(format!("Invalid 'messages': {}", reader.unanswered()));
    }
    (!reader.has_begun).then(|| "Invalid 'messages': there is no message of the user".to_owned())
}

#[derive(Default)]
struct ConversationChecker<'a> {
    /// Calls that have no result yet.
    open: BTreeSet<&'a str>,
    /// Calls that have one.
    answered: BTreeSet<&'a str>,
    /// Whether a message other than the system's has been read.
    has_begun: bool,
    /// The text of the previous message, if it was the user's.
    last_user: Option<String>,
}

impl<'a> ConversationChecker<'a> {
    fn read(&mut self, message: &'a Value) -> Result<(), String> {
        let role = message["role"].as_str().unwrap_or_default();
        if role != "tool" && !self.open.is_empty() {
            return Err(self.unanswered());
        }
        let last_user = self.last_user.take();
        match role {
            "system" | "developer" => return Ok(()),
            "user" => {
                let said = said_in(&message["content"]);
                if last_user.as_ref() == Some(&said) {
                    return Err("it repeats the user's message before it".to_owned());
                }
                self.last_user = Some(said);
            }
            "assistant" | "tool" if !self.has_begun => {
                return Err(format!("the first message after the system's is of the role '{role}', not 'user'"));
            }
            "assistant" => self.calls(message)?,
            "tool" => self.result(message)?,
            _ => return Err(format!("there is no role '{role}'")),
        }
        self.has_begun = true;
        Ok(())
    }

    fn calls(&mut self, message: &'a Value) -> Result<(), String> {
        let Some(calls) = message.get("tool_calls").filter(|calls| !calls.is_null()) else { return Ok(()) };
        let Some(calls) = calls.as_array().filter(|calls| !calls.is_empty()) else {
            return Err("'tool_calls' must be a list of at least one".to_owned());
        };
        self.answered.clear();
        for call in calls {
            let function = &call["function"];
            if function["name"].as_str().is_none_or(str::is_empty) || !function["arguments"].is_string() {
                return Err("a tool call must have a name, and its arguments as a string".to_owned());
            }
            let id = call["id"].as_str().filter(|id| !id.is_empty()).ok_or("a tool call must have an id")?;
            if !self.open.insert(id) {
                return Err(format!("two tool calls have the id '{id}'"));
            }
        }
        Ok(())
    }

    fn result(&mut self, message: &'a Value) -> Result<(), String> {
        let id = message["tool_call_id"].as_str().ok_or("a message of the role 'tool' must have a 'tool_call_id'")?;
        if self.open.remove(id) {
            self.answered.insert(id);
            return Ok(());
        }
        let problem = if self.answered.contains(id) { "is answered already" } else { "does not come before it" };
        Err(format!("messages with role 'tool' must answer a tool call, and '{id}' {problem}"))
    }

    fn unanswered(&self) -> String {
        let ids: Vec<&str> = self.open.iter().copied().collect();
        format!("tool calls must be followed by tool messages; these have no answer: {}", ids.join(", "))
    }
}
