//! A response as an object, and its items.

use protocol::{Citation, ResponseSchema, StopReason, TurnView, Usage};
use serde_json::{Map, Value, json};

use super::{
    super::{DEFAULT_MODEL, calls::OutgoingCall, error::ChatError},
    ids::{ItemId, ResponseId, conversation_id},
    tools,
};

/// What a response says of its request, in all of its states.
#[derive(Debug, Clone)]
pub(super) struct ResponseHead {
    pub(super) id: ResponseId,
    fields: Map<String, Value>,
}

/// The content of a response that has ended.
#[derive(Debug, Default)]
pub(super) struct ResponseContent {
    pub(super) text: String,
    /// The calls that the client has to run.
    pub(super) calls: Vec<OutgoingCall>,
    pub(super) stop: StopReason,
    pub(super) citations: Vec<Citation>,
    pub(super) usage: Usage,
}

impl ResponseHead {
    /// The head of a response, from its turn.
    pub(super) fn of(turn: &TurnView, id: ResponseId) -> Self {
        let request = &turn.request;
        let settings = &request.model_settings;
        let (tools, tool_choice) = tools::shown(&request.offer);
        let fields = json!({
            "id": id.to_string(),
            "object": "response",
            "created_at": turn.created_at.as_millis() / 1000,
            "status": "in_progress",
            "background": null,
            "conversation": { "id": conversation_id(turn.session_id) },
            "error": null,
            "incomplete_details": null,
            "instructions": null,
            "max_output_tokens": settings.max_output_tokens,
            "metadata": {},
            "model": request.model.as_deref().unwrap_or(DEFAULT_MODEL),
            "output": [],
            "parallel_tool_calls": !request.offer.is_one_at_a_time(),
            "previous_response_id": null,
            "reasoning": { "effort": settings.reasoning_effort, "summary": null },
            "service_tier": "default",
            "store": true,
            "temperature": settings.temperature,
            "text": { "format": format(request.offer.response_schema.as_ref()) },
            "tool_choice": tool_choice,
            "tools": tools,
            "top_p": settings.top_p,
            "truncation": "auto",
            "usage": null,
            "user": null,
        });
        let fields = match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        Self { id, fields }
    }

    /// Sets a field that the turn does not know.
    pub(super) fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.fields.insert(name.to_owned(), value.into());
    }

    /// The object of a response that has not ended.
    pub(super) fn open(&self, status: &str) -> Value {
        self.object(status, Vec::new(), None)
    }

    /// The object of a response that has an answer or calls.
    pub(super) fn ended(&self, content: &ResponseContent) -> Value {
        let incomplete = incomplete_reason(content.stop);
        let status = if incomplete.is_some() { "incomplete" } else { "completed" };
        let mut object = self.object(status, content.items(self.id), Some(content.usage));
        object["incomplete_details"] = json!(incomplete.map(|reason| json!({ "reason": reason })));
        object
    }

    /// The object of a response without an answer; `text` is what it had said by then.
    pub(super) fn failed(&self, error: &ChatError, text: &str, usage: Usage) -> Value {
        let output = if text.is_empty() {
            Vec::new()
        } else {
            vec![message_item(self.id, "incomplete", vec![output_text(text, &[])])]
        };
        let is_cancelled = error.code == "cancelled";
        let mut object = self.object(if is_cancelled { "cancelled" } else { "failed" }, output, Some(usage));
        if !is_cancelled {
            object["error"] = error_object(error);
        }
        object
    }

    /// The object of a response that waits for a decision elsewhere, which `text` says.
    pub(super) fn waiting(&self, text: &str) -> Value {
        self.object("in_progress", vec![message_item(self.id, "in_progress", vec![output_text(text, &[])])], None)
    }

    fn object(&self, status: &str, output: Vec<Value>, usage: Option<Usage>) -> Value {
        let mut object = self.fields.clone();
        object.insert("status".to_owned(), json!(status));
        object.insert("output".to_owned(), Value::Array(output));
        object.insert("usage".to_owned(), json!(usage.map(usage_object)));
        Value::Object(object)
    }
}

impl ResponseContent {
    /// Whether the response has a text. A response without calls has one, even if it is empty.
    pub(super) const fn has_message(&self) -> bool {
        !self.text.is_empty() || self.calls.is_empty()
    }

    /// The status of the text's item.
    pub(super) fn status(&self) -> &'static str {
        if incomplete_reason(self.stop).is_some() { "incomplete" } else { "completed" }
    }

    /// The text as a part of its item.
    pub(super) fn text_part(&self) -> Value {
        output_text(&self.text, &annotations(&self.text, &self.citations))
    }

    /// The parts of the text's item. A refusal is also a text, for clients that know no refusals.
    pub(super) fn message_parts(&self) -> Vec<Value> {
        let refusal = (self.stop == StopReason::Refusal).then(|| json!({ "type": "refusal", "refusal": self.text }));
        [self.text_part()].into_iter().chain(refusal).collect()
    }

    fn items(&self, id: ResponseId) -> Vec<Value> {
        let message = self.has_message().then(|| message_item(id, self.status(), self.message_parts()));
        message.into_iter().chain(self.calls.iter().map(|call| call_item(call, "completed"))).collect()
    }
}

/// The item of a response's text.
pub(super) fn message_item(id: ResponseId, status: &str, content: Vec<Value>) -> Value {
    json!({
        "type": "message", "id": ItemId::Message(id).to_string(), "status": status, "role": "assistant",
        "content": content,
    })
}

/// The item of a call.
pub(super) fn call_item(call: &OutgoingCall, status: &str) -> Value {
    json!({
        "type": "function_call", "id": ItemId::of_call(&call.name), "status": status, "call_id": call.name,
        "name": call.tool, "arguments": call.arguments_as_text(),
    })
}

/// A part with text.
pub(super) fn output_text(text: &str, annotations: &[Value]) -> Value {
    json!({ "type": "output_text", "text": text, "annotations": annotations, "logprobs": [] })
}

/// The cited web pages, with the places of their marks in the text, in characters.
pub(super) fn annotations(text: &str, citations: &[Citation]) -> Vec<Value> {
    let pages = citations.iter().filter(|citation| citation.source.starts_with("http"));
    let places = pages.flat_map(|citation| {
        let mark = format!("[{}]", citation.mark());
        let starts: Vec<usize> = text.match_indices(&mark).map(|(at, _)| text[..at].chars().count()).collect();
        starts.into_iter().map(move |start| {
            json!({
                "type": "url_citation", "url": citation.source, "title": citation.title, "start_index": start,
                "end_index": start + mark.chars().count(),
            })
        })
    });
    places.collect()
}

/// An error in the terms of this API; `type` is the more exact code.
fn error_object(error: &ChatError) -> Value {
    let code = match error.status.as_u16() {
        429 => "rate_limit_exceeded",
        400 => "invalid_prompt",
        _ => "server_error",
    };
    json!({ "code": code, "message": error.message, "type": error.code, "param": null })
}

/// Why a response is incomplete, if it is.
const fn incomplete_reason(stop: StopReason) -> Option<&'static str> {
    match stop {
        StopReason::Length | StopReason::Budget => Some("max_output_tokens"),
        StopReason::ContentFilter => Some("content_filter"),
        StopReason::Complete | StopReason::Refusal | StopReason::Empty => None,
    }
}

fn format(schema: Option<&ResponseSchema>) -> Value {
    match schema {
        None => json!({ "type": "text" }),
        Some(schema) => {
            json!({ "type": "json_schema", "name": "response", "schema": schema.to_value(), "strict": true })
        }
    }
}

fn usage_object(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input_tokens,
        "input_tokens_details": {
            "cached_tokens": usage.cached_tokens, "cache_write_tokens": usage.cache_write_tokens,
        },
        "output_tokens": usage.output_tokens,
        // Providers count them among the output tokens; Dwell does not count them apart.
        "output_tokens_details": { "reasoning_tokens": 0 },
        "total_tokens": usage.tokens(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cited_pages_are_annotated_where_their_marks_are() {
        let page = Citation { mark: Some("1".to_owned()), ..Citation::of("A", "https://a.example") };
        let file = Citation { mark: Some("2".to_owned()), ..Citation::of("B", "notes.md") };
        let annotations = annotations("Größe [1], Höhe [2], [1].", &[page, file]);
        let places: Vec<(u64, u64)> = annotations
            .iter()
            .map(|one| (one["start_index"].as_u64().unwrap(), one["end_index"].as_u64().unwrap()))
            .collect();
        assert_eq!(places, [(6, 9), (21, 24)]);
        assert_eq!(annotations[0]["url"], "https://a.example");
    }

    #[test]
    fn a_refusal_is_also_a_text_and_calls_need_none() {
        let refusal =
            ResponseContent { text: "No.".to_owned(), stop: StopReason::Refusal, ..ResponseContent::default() };
        let kinds: Vec<Value> = refusal.message_parts().iter().map(|part| part["type"].clone()).collect();
        assert_eq!(kinds, ["output_text", "refusal"]);
        let call = OutgoingCall { name: "call_1".to_owned(), tool: "a".to_owned(), arguments: json!({}) };
        let calls = ResponseContent { calls: vec![call], ..ResponseContent::default() };
        assert!(!calls.has_message() && ResponseContent::default().has_message());
    }
}
