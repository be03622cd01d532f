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
    /// What is to be answered.
    pub(super) message: String,
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
                // Tools of the client's own are not called, so what came of them belongs to somebody else's answer.
                "tool" | "function" => {}
                role => told.say(role, text, images),
            }
        }
        // The last words of the user, whatever number of messages they are.
        let answered = told.earlier.iter().rposition(|said| said.role != "user").map_or(0, |last| last + 1);
        let last: Vec<String> = told.earlier.drain(answered..).map(|said| said.content).collect();
        told.message = last.join("\n\n");
        if told.message.trim().is_empty() && told.images.is_empty() {
            return Err(invalid("the last message is not the user's, or says nothing"));
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
        if !content.trim().is_empty() {
            self.earlier.push(Said { role: role.to_owned(), content, speaker: None, at: None });
        }
    }

    /// As much of what was said before as is taken in, the newest.
    pub(super) fn newest_earlier(&self) -> &[Said] {
        let mut bytes = 0;
        let fits = |said: &&Said| {
            bytes += said.content.len();
            bytes <= EARLIER_MAX
        };
        let count = self.earlier.iter().rev().take_while(fits).count();
        &self.earlier[self.earlier.len() - count..]
    }
}

impl Message {
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
