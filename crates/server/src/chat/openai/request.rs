//! What is asked over OpenAI's wire. What changes the meaning of an answer, or how the model is asked, is honoured or refused
//! by name; what concerns OpenAI's own service (`store`, `service_tier`, penalties) is passed over.

use protocol::{ModelSettings, Offer, Problem};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::{
    message::Message,
    settings::Tuning,
    tools::{Tool, offer, refused},
};

/// What is asked. What is not named here is passed over.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Completion {
    /// `dwell`, or a model that is configured.
    #[serde(default)]
    pub(super) model: String,
    /// The conversation; its last message is the user's, or what came of the client's tools.
    pub(super) messages: Vec<Message>,
    /// Whether the answer comes in pieces.
    #[serde(default)]
    pub(super) stream: Option<bool>,
    /// How the pieces come.
    #[serde(default)]
    pub(super) stream_options: Option<StreamOptions>,
    /// Whose conversation it is: all that one user says is one session.
    #[serde(default)]
    pub(super) user: Option<String>,
    /// `session` or `session_id` names the session, by its id or a name of the client's own.
    #[serde(default)]
    pub(super) metadata: Option<Map<String, Value>>,
    /// Tools that the client runs itself; the model is shown them beside Dwell's own.
    #[serde(default)]
    tools: Option<Vec<Tool>>,
    /// What the model is to do with them: `auto`, `none`, `required`, or a function by its name.
    #[serde(default)]
    tool_choice: Option<Value>,
    /// Whether several may be called at once; true unless told.
    #[serde(default)]
    parallel_tool_calls: Option<bool>,
    /// How the model is asked.
    #[serde(flatten)]
    tuning: Tuning,
    /// Refused: the old form of `tools`.
    #[serde(default)]
    functions: Option<Value>,
    /// Refused: the old form of `tool_choice`.
    #[serde(default)]
    function_call: Option<Value>,
    /// How many answers: one.
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
    /// Refused unless its type is `text`.
    #[serde(default)]
    response_format: Option<Value>,
    /// Refused unless it is `text` alone.
    #[serde(default)]
    modalities: Option<Vec<String>>,
}

/// How the pieces come.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct StreamOptions {
    /// Whether the last piece says what it took.
    #[serde(default)]
    pub(super) include_usage: bool,
}

impl Completion {
    /// The tools it brings along; refuses what cannot be honoured.
    pub(super) fn take_offer(&mut self) -> Result<Offer, Problem> {
        self.check()?;
        offer(self.tools.take(), self.tool_choice.as_ref(), self.parallel_tool_calls)
    }

    /// How the model is to be asked.
    pub(super) fn settings(&self) -> Result<ModelSettings, Problem> {
        self.tuning.read()
    }

    fn check(&self) -> Result<(), Problem> {
        let is_plain = |format: &Value| format["type"].as_str() == Some("text");
        let wrong = [
            (self.functions.is_some(), "`functions` is the old form of `tools`, which is the one that is read"),
            (
                self.function_call.is_some(),
                "`function_call` is the old form of `tool_choice`, which is the one that is read",
            ),
            (self.n.is_some_and(|n| n != 1), "there is one answer to a message, so `n` is 1"),
            (
                self.logprobs == Some(true) || self.top_logprobs.is_some_and(|top| top > 0),
                "`logprobs` are not known here",
            ),
            (self.logit_bias.as_ref().is_some_and(|bias| !bias.is_empty()), "`logit_bias` cannot be passed on"),
            (!self.response_format.as_ref().is_none_or(is_plain), "the only `response_format` is `text`"),
            (self.modalities.iter().flatten().any(|kind| kind != "text"), "the only one of the `modalities` is `text`"),
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

    fn read(more: Value) -> Result<Offer, Problem> {
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
            ("logprobs", json!(true)),
            ("logit_bias", json!({ "50256": -100 })),
            ("response_format", json!({ "type": "json_object" })),
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
        assert_eq!(read(harmless).unwrap(), Offer::default());
    }

    #[test]
    fn settings_are_read_beside_the_rest() {
        let body = json!({ "messages": [], "temperature": 0.2, "max_tokens": 5, "seed": 7, "user": "ada" });
        let settings = serde_json::from_value::<Completion>(body).unwrap().settings().unwrap();
        assert_eq!((settings.temperature, settings.max_output_tokens, settings.seed), (Some(0.2), Some(5), Some(7)));
    }
}
