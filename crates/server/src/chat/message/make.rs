//! Messages that are made from the items of other APIs.

use protocol::Problem;

use super::{AssistantCall, AssistantFunction, ChatHistory, Content, Message, Part, Picture};

impl ChatHistory {
    /// A conversation without a message to answer.
    pub(in crate::chat) fn of_earlier(messages: Vec<Message>) -> Result<Self, Problem> {
        // With a message that is taken away again, it is read like any other.
        let last = [Message::calling(Vec::new()), Message::with_images("user", ".".to_owned(), Vec::new())];
        let history = Self::read(messages.into_iter().chain(last).collect())?;
        Ok(Self { message: String::new(), ..history })
    }
}

impl Message {
    /// A message with text and the URLs of its images.
    pub(in crate::chat) fn with_images(role: &str, text: String, urls: Vec<String>) -> Self {
        let images = urls.into_iter().map(|url| Part::ImageUrl { image_url: Picture { url } });
        let parts = [Part::Text { text }].into_iter().chain(images).collect();
        Self { content: Some(Content::Parts(parts)), ..Self::empty(role) }
    }

    /// A message of the assistant that calls these tools.
    pub(in crate::chat) fn calling(tools: Vec<String>) -> Self {
        let call = |name: String| AssistantCall { function: Some(AssistantFunction { name }) };
        Self { tool_calls: Some(tools.into_iter().map(call).collect()), ..Self::empty("assistant") }
    }

    /// The result of a call.
    pub(in crate::chat) fn result(call_id: String, text: String) -> Self {
        Self { content: Some(Content::Text(text)), tool_call_id: Some(call_id), ..Self::empty("tool") }
    }

    fn empty(role: &str) -> Self {
        Self {
            role: role.to_owned(),
            content: None,
            images: None,
            tool_calls: None,
            tool_call_id: None,
            tool_name: None,
            name: None,
        }
    }
}
