//! Content of messages in Anthropic's format: text, or a list of blocks of different types.

use engine::CountedMessage;
use protocol::{Image, Problem};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::super::tools::refused;

/// The content of a message, of instructions or of a tool's result.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "the content is a text or a list of blocks")]
pub(super) enum Content {
    /// Plain text.
    Text(String),
    /// Blocks.
    Blocks(Vec<Block>),
}

/// A block of content. Which fields it has depends on its type.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
pub(super) struct Block {
    /// `text`, `image`, `document` (text only), `tool_use` or `tool_result`; `thinking` and
    /// `redacted_thinking` are ignored.
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// For `text`: the text.
    #[serde(default)]
    text: Option<String>,
    /// For `image` and `document`: where it is.
    #[serde(default)]
    source: Option<Source>,
    /// For `document`: its title.
    #[serde(default)]
    title: Option<String>,
    /// For `document`: what it is.
    #[serde(default)]
    context: Option<String>,
    /// For `tool_use`: the name of the tool.
    #[serde(default)]
    pub(super) name: Option<String>,
    /// For `tool_use`: the arguments.
    #[serde(default)]
    input: Option<Value>,
    /// For `tool_result`: the call that it is the result of.
    #[serde(default)]
    pub(super) tool_use_id: Option<String>,
    /// For `tool_result`: the result.
    #[serde(default)]
    content: Option<Content>,
    /// For `tool_result`: whether the call failed.
    #[serde(default)]
    pub(super) is_error: Option<bool>,
}

/// The source of an image or a document.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct Source {
    /// `base64` or `url` for images, `text` or `content` for documents.
    #[serde(rename = "type")]
    kind: String,
    /// For `base64`: the media type.
    #[serde(default)]
    media_type: Option<String>,
    /// For `base64` and `text`: the data.
    #[serde(default)]
    data: Option<String>,
    /// For `url`: the URL.
    #[serde(default)]
    url: Option<String>,
    /// For `content`: the content.
    #[serde(default)]
    content: Option<Content>,
}

impl Content {
    /// The blocks; plain text is one block.
    pub(super) fn into_blocks(self) -> Vec<Block> {
        match self {
            Self::Text(text) => vec![Block::of_text(text)],
            Self::Blocks(blocks) => blocks,
        }
    }

    /// The text of blocks that may be nothing but text; `place` says where they are.
    pub(super) fn into_text(self, place: &str) -> Result<String, Problem> {
        let texts: Result<Vec<String>, Problem> =
            self.into_blocks().into_iter().map(|block| block.into_text(place)).collect();
        Ok(texts?.join("\n"))
    }

    /// The text and the number of images, for counting.
    pub(super) fn counted(&self) -> CountedMessage {
        let mut counted = CountedMessage::default();
        self.count(&mut counted);
        counted
    }

    fn count(&self, counted: &mut CountedMessage) {
        match self {
            Self::Text(text) => add(&mut counted.text, text),
            Self::Blocks(blocks) => blocks.iter().for_each(|block| block.count(counted)),
        }
    }
}

impl Block {
    fn of_text(text: String) -> Self {
        Self {
            kind: "text".to_owned(),
            text: Some(text),
            source: None,
            title: None,
            context: None,
            name: None,
            input: None,
            tool_use_id: None,
            content: None,
            is_error: None,
        }
    }

    /// Whether it is reasoning, which Dwell does not need again.
    pub(super) fn is_thought(&self) -> bool {
        matches!(self.kind.as_str(), "thinking" | "redacted_thinking")
    }

    /// The text of a block; images and other blocks without text are refused by name.
    pub(super) fn into_text(self, place: &str) -> Result<String, Problem> {
        match self.kind.as_str() {
            "text" => self.text.ok_or_else(|| refused("a `text` block has no `text`".to_owned())),
            "document" => self.into_document(),
            "image" => Err(refused(format!("an `image` in {place} is not supported"))),
            other => Err(refused(format!("a block of the type `{other}` in {place} is not supported"))),
        }
    }

    /// The image of an `image` block.
    pub(super) fn into_image(self) -> Result<Image, Problem> {
        let source = self.source.ok_or_else(|| refused("an `image` has no `source`".to_owned()))?;
        match (source.kind.as_str(), source.media_type, source.data, source.url) {
            ("base64", Some(media_type), Some(data), _) => Ok(Image::Inline { media_type, data }),
            ("url", _, _, Some(url)) => Ok(Image::Url { url }),
            ("base64", ..) => Err(refused("an `image` of the type `base64` needs `media_type` and `data`".to_owned())),
            ("url", ..) => Err(refused("an `image` of the type `url` needs a `url`".to_owned())),
            (other, ..) => Err(refused(format!(
                "the source `{other}` of an `image` is not supported; send it as `base64` or `url`"
            ))),
        }
    }

    /// The result of a `tool_result` block as text.
    pub(super) fn into_result(self) -> Result<String, Problem> {
        self.content.map_or_else(|| Ok(String::new()), |content| content.into_text("a `tool_result`"))
    }

    fn into_document(self) -> Result<String, Problem> {
        let source = self.source.ok_or_else(|| refused("a `document` has no `source`".to_owned()))?;
        let text = match (source.kind.as_str(), source.data, source.content) {
            ("text", Some(data), _) => data,
            ("content", _, Some(content)) => content.into_text("a `document`")?,
            (other, ..) => {
                let message = format!("a `document` of the type `{other}` is not supported; send its text instead");
                return Err(refused(message));
            }
        };
        let parts = [self.title, self.context, Some(text)];
        Ok(parts.into_iter().flatten().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n"))
    }

    fn count(&self, counted: &mut CountedMessage) {
        if self.is_thought() {
            return;
        }
        let source = self.source.as_ref();
        match self.kind.as_str() {
            "image" => counted.images += 1,
            "document" => {
                let text = source.and_then(|source| source.data.as_deref());
                [self.title.as_deref(), self.context.as_deref(), text]
                    .into_iter()
                    .flatten()
                    .for_each(|part| add(&mut counted.text, part));
            }
            _ => {}
        }
        let input = self.input.as_ref().map(Value::to_string);
        [self.text.as_deref(), self.name.as_deref(), input.as_deref(), self.tool_use_id.as_deref()]
            .into_iter()
            .flatten()
            .for_each(|part| add(&mut counted.text, part));
        for content in self.content.iter().chain(source.and_then(|source| source.content.as_ref())) {
            content.count(counted);
        }
    }
}

fn add(text: &mut String, part: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(part);
}
