//! Requests for a response. Fields that affect the answer are honoured or refused by name; fields
//! that concern OpenAI's own service are ignored, which a header of the answer says.

use protocol::{ClientToolOffer, ModelSettings, Problem, ResponseSchema};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{
    super::{ignored::IgnoredFields, response_format, settings, tools::refused},
    tools::offer,
};

/// A request for a response.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct CreateResponse {
    /// `dwell`, or a configured model.
    pub(super) model: Option<String>,
    /// The message, or the items of the conversation. The last items are messages of the user, or
    /// outputs of the client's functions.
    pub(super) input: Option<ResponseInput>,
    /// The client's instructions for the session.
    pub(super) instructions: Option<String>,
    /// Whether the answer is streamed as events.
    pub(super) stream: Option<bool>,
    /// Whether the request is answered at once, before the response is complete.
    pub(super) background: Option<bool>,
    /// `false` answers in a temporary session, unless the request names a session.
    pub(super) store: Option<bool>,
    /// The response that the input follows.
    pub(super) previous_response_id: Option<String>,
    /// The session, by the id of a conversation or by the client's own name, or an object with it
    /// in `id`.
    pub(super) conversation: Option<Value>,
    /// The user; all messages of one user belong to one session.
    pub(super) user: Option<String>,
    /// Returned with the response. `session` or `session_id` names the session.
    pub(super) metadata: Option<Map<String, Value>>,
    /// The client's functions, which it runs itself, in addition to Dwell's own tools.
    tools: Option<Vec<Map<String, Value>>>,
    /// How the model uses the functions: `auto`, `none`, `required`, a function by its name, or
    /// `allowed_tools`.
    tool_choice: Option<Value>,
    /// Whether several functions may be called at once; true by default.
    parallel_tool_calls: Option<bool>,
    /// The form of the answer in `format`: `text`, `json_object` or `json_schema`.
    text: Option<Map<String, Value>>,
    /// How much the model reasons, in `effort`.
    reasoning: Option<Map<String, Value>>,
    /// Sampling temperature: 0 to 2.
    temperature: Option<f64>,
    /// Nucleus sampling: only the likeliest tokens that together have this probability.
    top_p: Option<f64>,
    /// The maximum number of answer tokens.
    max_output_tokens: Option<u64>,
    /// Refused: templates of prompts.
    prompt: Option<Value>,
    /// Refused: the session's budgets limit the calls of Dwell's own tools.
    max_tool_calls: Option<u64>,
    /// Refused unless 0.
    top_logprobs: Option<u64>,
    /// Refused.
    moderation: Option<Value>,
    /// Other fields, which are ignored.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// The input of a response.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged, expecting = "`input` must be a text or a list of items")]
pub(crate) enum ResponseInput {
    /// A message of the user.
    Text(String),
    /// The items of the conversation.
    Items(Vec<Map<String, Value>>),
}

impl CreateResponse {
    /// The functions that the client offers.
    pub(super) fn offer(&self) -> Result<ClientToolOffer, Problem> {
        offer(self.tools.as_deref().unwrap_or_default(), self.tool_choice.as_ref(), self.parallel_tool_calls)
    }

    /// The model settings.
    pub(super) fn settings(&self) -> Result<ModelSettings, Problem> {
        let effort = match self.reasoning.as_ref().and_then(|reasoning| reasoning.get("effort")) {
            None | Some(Value::Null) => None,
            Some(Value::String(effort)) => Some(effort.as_str()),
            Some(_) => return Err(refused("`reasoning.effort` must be a text".to_owned())),
        };
        let (temperature, top_p, max_output_tokens) = (self.temperature, self.top_p, self.max_output_tokens);
        let settings = ModelSettings { temperature, top_p, max_output_tokens, ..ModelSettings::default() };
        settings::of_response(settings, effort)
    }

    /// The schema of the answer.
    pub(super) fn response_schema(&self) -> Result<Option<ResponseSchema>, Problem> {
        response_format::of_response(self.text.as_ref().and_then(|text| text.get("format")))
    }

    /// Refuses fields that would change the answer but are not supported.
    pub(super) fn check(&self) -> Result<(), Problem> {
        let (is_background, is_stored) = (self.background == Some(true), self.store != Some(false));
        let wrong = [
            (self.prompt.is_some(), "`prompt` is not supported; send the prompt as `instructions` and `input`"),
            (self.max_tool_calls.is_some(), "`max_tool_calls` is not supported; a session's budgets limit calls"),
            (self.top_logprobs.is_some_and(|top| top > 0), "`top_logprobs` are not supported"),
            (self.moderation.is_some(), "`moderation` is not supported"),
            (
                self.previous_response_id.is_some() && self.conversation.is_some(),
                "`previous_response_id` and `conversation` cannot be used together",
            ),
            (is_background && !is_stored, "`background` needs a stored response, so `store` cannot be false"),
        ];
        match wrong.into_iter().find(|(is_wrong, _)| *is_wrong) {
            Some((_, message)) => Err(refused(message.to_owned())),
            None => Ok(()),
        }
    }

    /// The fields that have no effect.
    pub(super) fn ignored(&self) -> IgnoredFields {
        let mut ignored = IgnoredFields::of(&self.rest);
        for (path, object, honoured) in [("text.", &self.text, "format"), ("reasoning.", &self.reasoning, "effort")] {
            let mut rest = object.clone().unwrap_or_default();
            rest.remove(honoured);
            ignored.add_fields(path, &rest);
        }
        ignored
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(body: Value) -> CreateResponse {
        serde_json::from_value(body).unwrap()
    }

    #[test]
    fn what_would_change_the_answer_is_refused_by_name() {
        for (name, body) in [
            ("prompt", json!({ "prompt": { "id": "pmpt_1" } })),
            ("max_tool_calls", json!({ "max_tool_calls": 3 })),
            ("top_logprobs", json!({ "top_logprobs": 2 })),
            ("moderation", json!({ "moderation": { "model": "m" } })),
            ("conversation", json!({ "previous_response_id": "resp_1", "conversation": "c" })),
            ("background", json!({ "background": true, "store": false })),
        ] {
            let problem = read(body).check().unwrap_err();
            assert!(problem.message.contains(&format!("`{name}`")), "{problem}");
        }
        assert!(read(json!({ "input": "hi", "top_logprobs": 0, "prompt": null, "store": true })).check().is_ok());
        assert!(read(json!({ "reasoning": { "effort": 3 } })).settings().is_err());
        assert!(read(json!({ "max_output_tokens": 0 })).settings().unwrap_err().message.contains("max_output_tokens"));
    }

    #[test]
    fn what_concerns_the_service_is_ignored_and_listed() {
        let body = json!({
            "input": "hi", "service_tier": "auto", "include": ["reasoning.encrypted_content"], "truncation": "auto",
            "text": { "format": { "type": "text" }, "verbosity": "low" },
            "reasoning": { "effort": "low", "summary": "auto" }, "temperature": 1.0, "metadata": { "a": "b" },
        });
        let mut expected = IgnoredFields::default();
        ["include", "service_tier", "truncation", "text.verbosity", "reasoning.summary"]
            .into_iter()
            .for_each(|name| expected.add(name));
        let request = read(body);
        assert_eq!(request.ignored(), expected);
        assert_eq!(request.settings().unwrap().temperature, Some(1.0));
    }
}
