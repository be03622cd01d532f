//! A conversation as these clients send it: messages with roles, the last of which is to be
//! answered.

mod of_others;

use protocol::{Code, Image, IngestMessage, Problem};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::ignored::IgnoredFields;

/// Most bytes of a client's instructions.
const INSTRUCTIONS_MAX: usize = 64 * 1024;
/// Most bytes of earlier messages that are not in Dwell's journal; of more, the newest are used.
const EARLIER_MAX: usize = 64 * 1024;

/// A message.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct Message {
    /// The author: `system` (or `developer`), `user`, `assistant` or `tool`.
    role: String,
    /// The text.
    #[serde(default)]
    content: Option<Content>,
    /// Ollama's images: bytes in base64.
    #[serde(default)]
    images: Option<Vec<String>>,
    /// The calls that the assistant made.
    #[serde(default)]
    tool_calls: Option<Vec<AssistantCall>>,
    /// For role `tool`: the call that this is the result of.
    #[serde(default)]
    tool_call_id: Option<String>,
    /// For role `tool` without a call id: the tool's name.
    #[serde(default)]
    tool_name: Option<String>,
    /// The same, or the name of the author.
    #[serde(default)]
    name: Option<String>,
    /// Images of other APIs.
    #[serde(skip)]
    pictures: Vec<Image>,
    /// For role `tool`: whether the call failed.
    #[serde(skip)]
    is_error: bool,
    /// Fields that change nothing.
    #[serde(flatten)]
    #[schemars(skip)]
    rest: Map<String, Value>,
}

/// A call that the assistant made.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct AssistantCall {
    /// The function that was called.
    #[serde(default)]
    function: Option<AssistantFunction>,
}

/// The function that was called.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct AssistantFunction {
    /// Its name.
    name: String,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ClientToolResult {
    /// The call's id, if there is one.
    pub(super) name: Option<String>,
    /// The tool's name, if there is one.
    pub(super) tool: Option<String>,
    /// The result.
    pub(super) content: String,
    /// Whether the call failed.
    pub(super) is_error: bool,
}

/// The content of a message.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Content {
    /// Plain text.
    Text(String),
    /// Parts, which may include images.
    Parts(Vec<Part>),
}

/// A part of a message.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// An image.
    ImageUrl {
        /// Its address.
        image_url: Picture,
    },
    /// Other kinds, which are refused.
    #[serde(other)]
    Other,
}

/// The address of an image.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct Picture {
    /// A URL, or a `data:` URL that contains the bytes.
    url: String,
    /// Ignored: models see images as they are.
    #[serde(default)]
    detail: Option<String>,
}

/// A conversation as the client sent it.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct ChatHistory {
    /// The client's instructions.
    pub(super) instructions: Option<String>,
    /// The earlier messages.
    pub(super) earlier: Vec<IngestMessage>,
    /// The message to answer; with results, the text that accompanies them, if any.
    pub(super) message: String,
    /// The results of the calls that the last answer made.
    pub(super) results: Vec<ClientToolResult>,
    /// With results: the message that led to the calls, and the tools that were called.
    pub(super) said: String,
    pub(super) tools: Vec<String>,
    /// The images of the message.
    pub(super) images: Vec<Image>,
}

impl ChatHistory {
    /// Reads a conversation.
    pub(super) fn read(messages: Vec<Message>) -> Result<Self, Problem> {
        let mut history = Self::default();
        let mut instructions: Vec<String> = Vec::new();
        for message in messages {
            let (text, images) = message.parts()?;
            match message.role.as_str() {
                "system" | "developer" => instructions.push(text),
                "function" => return Err(invalid("messages with the role `function` are not supported; use `tool`")),
                "tool" if !images.is_empty() => return Err(invalid("images in a tool's result are not supported")),
                "tool" => history.results.push(ClientToolResult {
                    name: message.tool_call_id.filter(|id| !id.is_empty()),
                    tool: message.tool_name.or(message.name).filter(|name| !name.is_empty()),
                    content: text,
                    is_error: message.is_error,
                }),
                role => {
                    if role != "user" {
                        // Results of earlier calls were handled when they were new.
                        history.results.clear();
                        let calls = message.tool_calls.into_iter().flatten();
                        history.tools = calls.filter_map(|call| Some(call.function?.name)).collect();
                    }
                    history.say(role, text, images);
                }
            }
        }
        history.message = history.take_last(true);
        if history.results.is_empty() {
            history.tools.clear();
            if history.message.trim().is_empty() && history.images.is_empty() {
                return Err(invalid("the last message is not from the user, or it is empty"));
            }
        } else {
            if history.tools.is_empty() {
                return Err(invalid("a `tool` message does not belong to a call of the message before it"));
            }
            history.take_last(false);
            history.said = history.take_last(true);
        }
        let instructions = instructions.join("\n\n");
        if instructions.len() > INSTRUCTIONS_MAX {
            let message = format!("the system message has more than {INSTRUCTIONS_MAX} bytes");
            return Err(Problem::new(Code::TooLarge, message, "Shorten it."));
        }
        history.instructions = Some(instructions.trim().to_owned()).filter(|text| !text.is_empty());
        Ok(history)
    }

    fn say(&mut self, role: &str, content: String, images: Vec<Image>) {
        // Images of earlier messages were handled when they were new.
        self.images = if role == "user" { images } else { Vec::new() };
        // An answer that only calls tools separates the messages before and after it.
        let is_break = role != "user" && self.earlier.last().is_some_and(|said| said.role == "user");
        if !content.trim().is_empty() || is_break {
            self.earlier.push(IngestMessage { role: role.to_owned(), content, speaker: None, at: None });
        }
    }

    /// Takes the last messages of the user, or of any other author, joined into one text.
    fn take_last(&mut self, of_user: bool) -> String {
        let is_other = |said: &IngestMessage| (said.role == "user") != of_user;
        let from = self.earlier.iter().rposition(is_other).map_or(0, |last| last + 1);
        let last: Vec<String> = self.earlier.drain(from..).map(|said| said.content).collect();
        last.join("\n\n")
    }

    /// The newest earlier messages that fit the limit.
    pub(super) fn newest_earlier(&self) -> Vec<&IngestMessage> {
        let mut bytes = 0;
        let fits = |said: &&IngestMessage| {
            bytes += said.content.len();
            bytes <= EARLIER_MAX
        };
        let mut newest: Vec<&IngestMessage> = self.earlier.iter().rev().take_while(fits).collect();
        newest.retain(|said| !said.content.is_empty());
        newest.reverse();
        newest
    }
}

/// Adds the fields of messages that change nothing, each once.
pub(super) fn add_ignored(messages: &[Message], ignored: &mut IgnoredFields) {
    let mut rest = Map::new();
    for message in messages {
        rest.extend(message.rest.clone());
        if let Some(name) = message.name.as_ref().filter(|_| message.role != "tool") {
            rest.insert("name".to_owned(), Value::from(name.as_str()));
        }
    }
    ignored.add_fields("messages.", &rest);
    if messages.iter().any(Message::has_detail) {
        ignored.add("messages.content.image_url.detail");
    }
}

impl Message {
    /// Whether it says how closely an image is looked at.
    fn has_detail(&self) -> bool {
        let Some(Content::Parts(parts)) = &self.content else { return false };
        parts.iter().any(|part| matches!(part, Part::ImageUrl { image_url } if image_url.detail.is_some()))
    }

    fn parts(&self) -> Result<(String, Vec<Image>), Problem> {
        let mut texts: Vec<&str> = Vec::new();
        let mut images = Vec::new();
        match &self.content {
            None => {}
            Some(Content::Text(text)) => texts.push(text),
            Some(Content::Parts(parts)) => {
                for part in parts {
                    match part {
                        Part::Text { text } => texts.push(text),
                        Part::ImageUrl { image_url } => images.push(picture(&image_url.url)?),
                        Part::Other => {
                            return Err(invalid("only parts of the types `text` and `image_url` are supported"));
                        }
                    }
                }
            }
        }
        images.extend(self.images.iter().flatten().map(|data| inline(kind(data), data)));
        images.extend(self.pictures.iter().cloned());
        Ok((texts.join("\n"), images))
    }
}

fn picture(url: &str) -> Result<Image, Problem> {
    let Some(data) = url.strip_prefix("data:") else { return Ok(Image::Url { url: url.to_owned() }) };
    let (media_type, data) = data.split_once(";base64,").ok_or_else(|| invalid("a `data:` image is not base64"))?;
    Ok(inline(media_type, data))
}

fn inline(media_type: &str, data: &str) -> Image {
    Image::Inline { media_type: media_type.to_owned(), data: data.to_owned() }
}

/// The media type of an image, by its first bytes.
fn kind(base64: &str) -> &'static str {
    match base64 {
        data if data.starts_with("/9j/") => "image/jpeg",
        data if data.starts_with("R0lG") => "image/gif",
        data if data.starts_with("UklG") => "image/webp",
        _ => "image/png",
    }
}

fn invalid(message: &str) -> Problem {
    Problem::new(Code::InvalidRequest, message, "Correct the request and send it again.")
}

#[cfg(test)]
mod tests;
