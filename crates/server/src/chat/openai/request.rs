//! Requests of OpenAI's API. Fields that affect the answer or the model settings are either
//! honoured or refused by name. Fields that concern OpenAI's own service (`store`, `service_tier`,
//! penalties) are ignored, which a header of the answer says.

use protocol::{ClientToolOffer, ModelSettings, Problem, ResponseSchema};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::{
    ignored::IgnoredFields,
    message::{Message, add_ignored},
    response_format,
    settings::OpenAiSettings,
    tools::{Tool, offer, refused},
};

/// The keys of `metadata` that name a session.
pub(super) const SESSION_KEYS: [&str; 2] = ["session_id", "session"];

/// A chat completion request.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Completion {
    /// `dwell`, or a configured model.
    #[serde(default)]
    pub(super) model: String,
    /// The conversation; its last message is from the user, or contains results of the client's
    /// tools.
    pub(super) messages: Vec<Message>,
    /// Whether the answer is streamed.
    #[serde(default)]
    pub(super) stream: Option<bool>,
    /// Options of the stream.
    #[serde(default)]
    pub(super) stream_options: Option<StreamOptions>,
    /// The user; all messages of one user belong to one session.
    #[serde(default)]
    pub(super) user: Option<String>,
    /// `session` or `session_id` names the session, by its id or the client's own name.
    #[serde(default)]
    pub(super) metadata: Option<Map<String, Value>>,
    /// Tools that the client runs itself, in addition to Dwell's own.
    #[serde(default)]
    tools: Option<Vec<Tool>>,
    /// How the model uses the tools: `auto`, `none`, `required`, or a function by its name.
    #[serde(default)]
    tool_choice: Option<Value>,
    /// Whether several tools may be called at once; true by default.
    #[serde(default)]
    parallel_tool_calls: Option<bool>,
    /// The model settings.
    #[serde(flatten)]
    tuning: OpenAiSettings,
    /// Refused: the old form of `tools`.
    #[serde(default)]
    functions: Option<Value>,
    /// Refused: the old form of `tool_choice`.
    #[serde(default)]
    function_call: Option<Value>,
    /// The number of answers; only 1 is supported.
    #[serde(default)]
    n: Option<u64>,
    /// Refused unless false.
    #[serde(default)]
    logprobs: Option<bool>,
    /// Refused unless 0.
    #[serde(default)]
    top_logprobs: Option<u64>,
    /// Refused unless empty.
    #[serde(default)]
    logit_bias: Option<Map<String, Value>>,
    /// The form of the answer: `text`, `json_object` or `json_schema`.
    #[serde(default)]
    response_format: Option<Value>,
    /// Refused unless it is `text` alone.
    #[serde(default)]
    modalities: Option<Vec<String>>,
    /// Other fields, which are ignored.
    #[serde(flatten)]
    #[schemars(skip)]
    pub(super) rest: Map<String, Value>,
}

/// Options of the stream.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct StreamOptions {
    /// Whether the last chunk contains the usage.
    #[serde(default)]
    pub(super) include_usage: bool,
    /// Fields that change nothing.
    #[serde(flatten)]
    #[schemars(skip)]
    rest: Map<String, Value>,
}

impl Completion {
    /// The tools that the client offers; refuses fields that are not supported.
    pub(super) fn take_offer(&mut self) -> Result<ClientToolOffer, Problem> {
        self.check()?;
        offer(self.tools.take(), self.tool_choice.as_ref(), self.parallel_tool_calls)
    }

    /// The model settings.
    pub(super) fn settings(&self) -> Result<ModelSettings, Problem> {
        self.tuning.read()
    }

    /// The schema of the answer.
    pub(super) fn response_schema(&self) -> Result<Option<ResponseSchema>, Problem> {
        response_format::of_completion(self.response_format.as_ref())
    }

    /// The fields that change nothing.
    pub(super) fn ignored(&self) -> IgnoredFields {
        let mut ignored = IgnoredFields::of(&self.rest);
        if let Some(options) = &self.stream_options {
            ignored.add_fields("stream_options.", &options.rest);
        }
        if self.tools.iter().flatten().any(Tool::is_strict) {
            ignored.add("tools.function.strict");
        }
        let others = self.metadata.iter().flatten().filter(|(name, _)| !SESSION_KEYS.contains(&name.as_str()));
        others.for_each(|(name, _)| ignored.add(&format!("metadata.{name}")));
        add_ignored(&self.messages, &mut ignored);
        ignored
    }

    fn check(&self) -> Result<(), Problem> {
        let wrong = [
            (self.functions.is_some(), "`functions` is not supported; use `tools`"),
            (self.function_call.is_some(), "`function_call` is not supported; use `tool_choice`"),
            (self.n.is_some_and(|n| n != 1), "only one answer is supported, so `n` must be 1"),
            (self.logprobs == Some(true), "`logprobs` are not supported"),
            (self.top_logprobs.is_some_and(|top| top > 0), "`top_logprobs` are not supported"),
            (self.logit_bias.as_ref().is_some_and(|bias| !bias.is_empty()), "`logit_bias` is not supported"),
            (
                self.modalities.iter().flatten().any(|kind| kind != "text"),
                "the only supported value of `modalities` is `text`",
            ),
        ];
        match wrong.into_iter().find(|(is_wrong, _)| *is_wrong) {
            Some((_, message)) => Err(refused(message.to_owned())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(more: Value) -> Result<ClientToolOffer, Problem> {
        let mut body = json!({ "messages": [] });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        serde_json::from_value::<Completion>(body).unwrap().take_offer()
    }

    #[test]
    fn what_would_change_the_answer_is_refused_by_name() {
        for (name, value) in [
            ("functions", json!([])),
            ("function_call", json!("auto")),
            ("n", json!(2)),
            ("logprobs", json!(true)),
            ("top_logprobs", json!(5)),
            ("logit_bias", json!({ "50256": -100 })),
            ("modalities", json!(["text", "audio"])),
        ] {
            let problem = read(json!({ name: value })).unwrap_err();
            assert!(problem.message.contains(&format!("`{name}`")), "{problem}");
        }
    }

    #[test]
    fn what_only_concerns_the_service_is_passed_over() {
        let harmless = json!({
            "n": 1, "presence_penalty": 0, "frequency_penalty": 0, "logprobs": false,
            "response_format": { "type": "text" }, "store": false, "functions": null, "stop": null, "logit_bias": {},
        });
        assert_eq!(read(harmless).unwrap(), ClientToolOffer::default());
    }

    #[test]
    fn settings_are_read_beside_the_rest() {
        let body = json!({ "messages": [], "temperature": 0.2, "max_tokens": 5, "seed": 7, "user": "ada" });
        let settings = serde_json::from_value::<Completion>(body).unwrap().settings().unwrap();
        assert_eq!((settings.temperature, settings.max_output_tokens, settings.seed), (Some(0.2), Some(5), Some(7)));
    }
}
