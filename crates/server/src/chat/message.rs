//! A conversation as such clients tell it: messages with roles, the last of which is to be answered.

use protocol::{Code, Image, Problem, Said};
use schemars::JsonSchema;
use serde::Deserialize;

/// Bytes of what a client asks of every answer.
const INSTRUCTIONS_MAX: usize = 64 * 1024;
/// Bytes of what was said before that Dwell has not heard itself; of more, the newest is taken in.
const EARLIER_MAX: usize = 64 * 1024;

/// A message.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(crate) struct Message {
    /// Who says it: `system` (or `developer`), `user`, `assistant` or `tool`.
    role: String,
    /// The words.
    #[serde(default)]
    content: Option<Content>,
    /// Ollama's pictures: bytes in base64.
    #[serde(default)]
    images: Option<Vec<String>>,
    /// The calls that the assistant asked for.
    #[serde(default)]
    tool_calls: Option<Vec<ToldCall>>,
    /// Of a `tool`: the call that this came of.
    #[serde(default)]
    tool_call_id: Option<String>,
    /// Of a `tool`, where calls have no ids: its name.
    #[serde(default)]
    tool_name: Option<String>,
    /// The same, or the name of whoever says it.
    #[serde(default)]
    name: Option<String>,
}

/// A call that the assistant asked for.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct ToldCall {
    /// What was called.
    #[serde(default)]
    function: Option<ToldFunction>,
}

/// What was called.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct ToldFunction {
    /// Its name.
    name: String,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ToldResult {
    /// The call's name, where calls have names.
    pub(super) name: Option<String>,
    /// The tool's name, where it is told.
    pub(super) tool: Option<String>,
    /// What came of it.
    pub(super) content: String,
}

/// The words of a message.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
enum Content {
    /// Plain.
    Text(String),
    /// In parts, pictures among them.
    Parts(Vec<Part>),
}

/// A part of a message.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Part {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// A picture.
    ImageUrl {
        /// Where it is.
        image_url: Picture,
    },
    /// What nobody here can take in.
    #[serde(other)]
    Other,
}

/// Where a picture is.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct Picture {
    /// An address, or `data:` with the bytes themselves.
    url: String,
}

/// A conversation as it was told.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Told {
    /// What the client asks of every answer.
    pub(super) instructions: Option<String>,
    /// What was said and answered before.
    pub(super) earlier: Vec<Said>,
    /// What is to be answered; with results, what is said beside them, if anything is.
    pub(super) message: String,
    /// What came of the calls that the last answer asked for.
    pub(super) results: Vec<ToldResult>,
    /// With results: what was asked when the calls were made, and the tools that were called.
    pub(super) said: String,
    pub(super) tools: Vec<String>,
    /// The pictures that go with it.
    pub(super) images: Vec<Image>,
}

impl Told {
    /// Reads what was told.
    pub(super) fn read(messages: Vec<Message>) -> Result<Self, Problem> {
        let mut told = Self::default();
        let mut instructions: Vec<String> = Vec::new();
        for message in messages {
            let (text, images) = message.parts()?;
            match message.role.as_str() {
                "system" | "developer" => instructions.push(text),
                "function" => return Err(invalid("messages of the role `function` are not read; use `tool`")),
                "tool" if !images.is_empty() => return Err(invalid("pictures in a tool's result are not read")),
                "tool" => told.results.push(ToldResult {
                    name: message.tool_call_id.filter(|id| !id.is_empty()),
                    tool: message.tool_name.or(message.name).filter(|name| !name.is_empty()),
                    content: text,
                }),
                role => {
                    if role != "user" {
                        // Results of earlier calls were told when they were new.
                        told.results.clear();
                        let calls = message.tool_calls.into_iter().flatten();
                        told.tools = calls.filter_map(|call| Some(call.function?.name)).collect();
                    }
                    told.say(role, text, images);
                }
            }
        }
        told.message = told.take_last(true);
        if told.results.is_empty() {
            told.tools.clear();
            if told.message.trim().is_empty() && told.images.is_empty() {
                return Err(invalid("the last message is not the user's, or says nothing"));
            }
        } else {
            if told.tools.is_empty() {
                return Err(invalid("a `tool` message answers no call of the message before it"));
            }
            told.take_last(false);
            told.said = told.take_last(true);
        }
        let instructions = instructions.join("\n\n");
        if instructions.len() > INSTRUCTIONS_MAX {
            let message = format!("the system message has more than {INSTRUCTIONS_MAX} bytes");
            return Err(Problem::new(Code::TooLarge, message, "Ask for less at once."));
        }
        told.instructions = Some(instructions.trim().to_owned()).filter(|text| !text.is_empty());
        Ok(told)
    }

    fn say(&mut self, role: &str, content: String, images: Vec<Image>) {
        // Pictures of earlier messages were seen when they were new.
        self.images = if role == "user" { images } else { Vec::new() };
        // An answer that only calls tools stands between what was said before and after it.
        let is_break = role != "user" && self.earlier.last().is_some_and(|said| said.role == "user");
        if !content.trim().is_empty() || is_break {
            self.earlier.push(Said { role: role.to_owned(), content, speaker: None, at: None });
        }
    }

    /// Takes the last words of the user, or of anybody else, whatever number of messages they are.
    fn take_last(&mut self, of_user: bool) -> String {
        let is_other = |said: &Said| (said.role == "user") != of_user;
        let from = self.earlier.iter().rposition(is_other).map_or(0, |last| last + 1);
        let last: Vec<String> = self.earlier.drain(from..).map(|said| said.content).collect();
        last.join("\n\n")
    }

    /// As much of what was said before as is taken in, the newest.
    pub(super) fn newest_earlier(&self) -> Vec<&Said> {
        let mut bytes = 0;
        let fits = |said: &&Said| {
            bytes += said.content.len();
            bytes <= EARLIER_MAX
        };
        let mut newest: Vec<&Said> = self.earlier.iter().rev().take_while(fits).collect();
        newest.retain(|said| !said.content.is_empty());
        newest.reverse();
        newest
    }
}

impl Message {
    /// Words of somebody, with pictures in base64.
    pub(super) fn of(role: &str, text: String, images: Vec<String>) -> Self {
        Self {
            role: role.to_owned(),
            content: Some(Content::Text(text)),
            images: Some(images),
            tool_calls: None,
            tool_call_id: None,
            tool_name: None,
            name: None,
        }
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
                        Part::Other => return Err(invalid("only parts of the types `text` and `image_url` are read")),
                    }
                }
            }
        }
        images.extend(self.images.iter().flatten().map(|data| inline(kind(data), data)));
        Ok((texts.join("\n"), images))
    }
}

fn picture(url: &str) -> Result<Image, Problem> {
    let Some(data) = url.strip_prefix("data:") else { return Ok(Image::Url { url: url.to_owned() }) };
    let (media_type, data) = data.split_once(";base64,").ok_or_else(|| invalid("a `data:` picture is not base64"))?;
    Ok(inline(media_type, data))
}

fn inline(media_type: &str, data: &str) -> Image {
    Image::Inline { media_type: media_type.to_owned(), data: data.to_owned() }
}

/// What a picture is, by how its bytes begin.
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
