//! Anthropic's messages as the conversation that all APIs have in common.

use protocol::{Image, Problem};
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    super::{message::Message, tools::refused},
    block::{Block, Content},
};

/// A message.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct AnthropicMessage {
    /// The author: `user` or `assistant`.
    pub(super) role: String,
    /// A text, or a list of blocks.
    pub(super) content: Content,
}

/// Converts instructions and messages. The last message is from the user, with results of calls or
/// without.
pub(super) fn convert(system: Option<Content>, messages: Vec<AnthropicMessage>) -> Result<Vec<Message>, Problem> {
    if messages.last().is_some_and(|message| message.role == "assistant") {
        let message = "the last of `messages` is from the assistant: continuing a given beginning of an answer is not \
                       supported";
        return Err(refused(message.to_owned()));
    }
    let mut converted = Vec::with_capacity(messages.len() + 1);
    if let Some(system) = system {
        converted.push(instructions(system)?);
    }
    let mut has_calls = false;
    for AnthropicMessage { role, content } in messages {
        match role.as_str() {
            "user" => of_user(content, has_calls, &mut converted)?,
            "assistant" => {
                let (message, calls) = of_assistant(content)?;
                has_calls = calls > 0;
                converted.push(message);
            }
            "system" => converted.push(instructions(content)?),
            other => {
                let message = format!("`messages` has the role `{other}`; use `user` or `assistant`");
                return Err(refused(message));
            }
        }
    }
    Ok(converted)
}

fn instructions(content: Content) -> Result<Message, Problem> {
    Ok(Message::of("system", content.into_text("`system`")?, Vec::new()))
}

/// Results of calls are messages of their own, before the text that accompanies them.
fn of_user(content: Content, has_calls: bool, converted: &mut Vec<Message>) -> Result<(), Problem> {
    let (mut texts, mut images, mut has_results): (Vec<String>, Vec<Image>, bool) = (Vec::new(), Vec::new(), false);
    for block in content.into_blocks().into_iter().filter(|block| !block.is_thought()) {
        match block.kind.as_str() {
            "image" => images.push(block.into_image()?),
            "tool_result" => {
                if !has_calls {
                    let message = "a `tool_result` has no `tool_use` in the message before it";
                    return Err(refused(message.to_owned()));
                }
                has_results = true;
                converted.push(result(block)?);
            }
            _ => texts.push(block.into_text("a message of the user")?),
        }
    }
    if !has_results || !texts.is_empty() || !images.is_empty() {
        converted.push(Message::of_user(texts.join("\n"), images));
    }
    Ok(())
}

fn result(mut block: Block) -> Result<Message, Problem> {
    let call = block.tool_use_id.take().filter(|id| !id.is_empty());
    let call = call.ok_or_else(|| refused("a `tool_result` has no `tool_use_id`".to_owned()))?;
    let is_error = block.is_error.unwrap_or(false);
    Ok(Message::of_result(call, block.into_result()?, is_error))
}

/// An answer, and the number of its calls. Its texts are joined as they were divided: without
/// anything between them.
fn of_assistant(content: Content) -> Result<(Message, usize), Problem> {
    let (mut text, mut tools): (String, Vec<String>) = (String::new(), Vec::new());
    for block in content.into_blocks().into_iter().filter(|block| !block.is_thought()) {
        if block.kind == "tool_use" {
            tools.push(block.name.ok_or_else(|| refused("a `tool_use` has no `name`".to_owned()))?);
        } else {
            text.push_str(&block.into_text("a message of the assistant")?);
        }
    }
    let calls = tools.len();
    Ok((Message::of_assistant(text, tools), calls))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{super::super::message::ChatHistory, *};

    fn read(system: Value, messages: Value) -> Result<ChatHistory, Problem> {
        let system = serde_json::from_value(system).unwrap();
        ChatHistory::read(convert(system, serde_json::from_value(messages).unwrap())?)
    }

    #[test]
    fn results_and_the_text_beside_them_are_found() {
        let history = read(
            json!([{ "type": "text", "text": "Be brief.", "cache_control": { "type": "ephemeral" } }]),
            json!([
                { "role": "user", "content": "Which weather?" },
                { "role": "assistant", "content": [
                    { "type": "thinking", "thinking": "hm", "signature": "" },
                    { "type": "text", "text": "Let me" }, { "type": "text", "text": " see." },
                    { "type": "tool_use", "id": "toolu_1", "name": "weather", "input": {} },
                    { "type": "tool_use", "id": "toolu_2", "name": "time", "input": {} },
                ] },
                { "role": "user", "content": [
                    { "type": "tool_result", "tool_use_id": "toolu_1", "content": [{ "type": "text", "text": "snow" }] },
                    { "type": "tool_result", "tool_use_id": "toolu_2", "content": "no clock", "is_error": true },
                    { "type": "text", "text": "In one word." },
                ] },
            ]),
        )
        .unwrap();
        assert_eq!(history.instructions.as_deref(), Some("Be brief."));
        assert_eq!((history.said.as_str(), history.message.as_str()), ("Which weather?", "In one word."));
        assert_eq!(history.tools, ["weather", "time"]);
        let results: Vec<_> =
            history.results.iter().map(|one| (one.name.as_deref(), one.content.as_str(), one.is_error)).collect();
        assert_eq!(results, [(Some("toolu_1"), "snow", false), (Some("toolu_2"), "no clock", true)]);
    }

    #[test]
    fn images_and_plain_documents_are_taken() {
        let document = json!({
            "type": "document", "title": "A note", "source": { "type": "text", "media_type": "text/plain", "data": "Hi." },
        });
        let image = json!({ "type": "image", "source": { "type": "url", "url": "https://example.org/a.png" } });
        let text = json!({ "type": "text", "text": "What is it?" });
        let asked = json!([{ "role": "user", "content": [document, image, text] }]);
        let history = read(Value::Null, asked).unwrap();
        assert_eq!(history.message, "A note\n\nHi.\nWhat is it?");
        assert_eq!(history.images, [Image::Url { url: "https://example.org/a.png".to_owned() }]);
    }

    #[test]
    fn what_is_not_supported_is_named() {
        let user = |block: Value| json!([{ "role": "user", "content": [block] }]);
        for (name, messages) in [
            ("`base64`", user(json!({ "type": "document", "source": { "type": "base64", "data": "JVBE" } }))),
            ("`file`", user(json!({ "type": "image", "source": { "type": "file", "file_id": "x" } }))),
            ("`search_result`", user(json!({ "type": "search_result", "title": "x" }))),
            ("`tool_result`", user(json!({ "type": "tool_result", "tool_use_id": "x" }))),
            ("`robot`", json!([{ "role": "robot", "content": "x" }])),
            ("assistant", json!([{ "role": "user", "content": "x" }, { "role": "assistant", "content": "The" }])),
        ] {
            let problem = read(Value::Null, messages.clone()).unwrap_err();
            assert!(problem.message.contains(name), "{messages}: {problem}");
        }
    }
}
