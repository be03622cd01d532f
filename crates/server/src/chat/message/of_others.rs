//! Messages of APIs that write them in another form.

use protocol::{Image, Problem};

use super::{AssistantCall, AssistantFunction, ChatHistory, Content, Message, Part, Picture};

impl ChatHistory {
    /// A conversation without a message to answer.
    pub(in super::super) fn of_earlier(messages: Vec<Message>) -> Result<Self, Problem> {
        // With a message that is taken away again, it is read like any other.
        let last = [Message::of_assistant(String::new(), Vec::new()), Message::of_user(".".to_owned(), Vec::new())];
        let history = Self::read(messages.into_iter().chain(last).collect())?;
        Ok(Self { message: String::new(), ..history })
    }
}

impl Message {
    /// A message with images in base64.
    pub(in super::super) fn of(role: &str, text: String, images: Vec<String>) -> Self {
        Self { images: Some(images), ..Self::with(role, text) }
    }

    /// A message with the URLs of its images.
    pub(in super::super) fn with_urls(role: &str, text: String, urls: Vec<String>) -> Self {
        let images = urls.into_iter().map(|url| Part::ImageUrl { image_url: Picture { url, detail: None } });
        let parts = [Part::Text { text }].into_iter().chain(images).collect();
        Self { content: Some(Content::Parts(parts)), ..Self::with(role, String::new()) }
    }

    /// A message of the user with images.
    pub(in super::super) fn of_user(text: String, pictures: Vec<Image>) -> Self {
        Self { pictures, ..Self::with("user", text) }
    }

    /// An answer that has called these tools.
    pub(in super::super) fn of_assistant(text: String, tools: Vec<String>) -> Self {
        let call = |name| AssistantCall { function: Some(AssistantFunction { name }) };
        Self { tool_calls: Some(tools.into_iter().map(call).collect()), ..Self::with("assistant", text) }
    }

    /// The result of a call.
    pub(in super::super) fn of_result(call: String, text: String, is_error: bool) -> Self {
        Self { tool_call_id: Some(call), is_error, ..Self::with("tool", text) }
    }

    fn with(role: &str, text: String) -> Self {
        Self {
            role: role.to_owned(),
            content: Some(Content::Text(text)),
            images: None,
            tool_calls: None,
            tool_call_id: None,
            tool_name: None,
            name: None,
            pictures: Vec::new(),
            is_error: false,
            rest: serde_json::Map::new(),
        }
    }
}
