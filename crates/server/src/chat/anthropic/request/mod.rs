//! Requests of Anthropic's Messages API. Fields that affect the answer are honoured or refused by
//! name; the others are ignored, and the answer names them.

use engine::CountedPrompt;
use protocol::{ClientTool, ClientToolOffer, ModelSettings, Problem, ReasoningEffort, ResponseSchema, ToolChoice};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    super::{ignored::IgnoredFields, message::Message, tools::refused},
    block::Content,
    conversation::{AnthropicMessage, convert},
};

/// From this many tokens of reasoning on, its effort is medium, and high.
const MEDIUM_BUDGET_MIN: u64 = 4_096;
const HIGH_BUDGET_MIN: u64 = 16_384;
/// Fields that would change the answer if they were honoured.
const REFUSED: [&str; 2] = ["mcp_servers", "container"];

/// A request for a message, or for its number of tokens.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct MessagesRequest {
    /// `dwell`, or a configured model.
    #[serde(default)]
    pub(super) model: String,
    /// The conversation; its last message is from the user, or contains results of the client's
    /// tools.
    messages: Vec<AnthropicMessage>,
    /// Instructions: a text, or blocks of text.
    #[serde(default)]
    system: Option<Content>,
    /// The maximum number of answer tokens.
    #[serde(default)]
    max_tokens: Option<u64>,
    /// Sampling temperature.
    #[serde(default)]
    temperature: Option<f64>,
    /// Nucleus sampling: only the likeliest tokens that together have this probability.
    #[serde(default)]
    top_p: Option<f64>,
    /// The answer ends before one of these texts.
    #[serde(default)]
    stop_sequences: Option<Vec<String>>,
    /// Whether the answer is streamed as server-sent events.
    #[serde(default)]
    pub(super) stream: Option<bool>,
    /// Tools that the client runs itself, in addition to Dwell's own.
    #[serde(default)]
    tools: Option<Vec<AnthropicTool>>,
    /// How the model uses the tools.
    #[serde(default)]
    tool_choice: Option<AnthropicToolChoice>,
    /// Whether the model reasons before it answers, and whether the answer contains that.
    #[serde(default)]
    thinking: Option<ThinkingConfig>,
    /// `user_id`: all messages of one user belong to one session.
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
    /// The form of the answer, and its effort.
    #[serde(default)]
    output_config: Option<OutputConfig>,
    /// The form of the answer: the old place.
    #[serde(default)]
    output_format: Option<OutputFormat>,
    /// All other fields.
    #[serde(flatten)]
    others: Map<String, Value>,
}

/// A tool that the client runs itself.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct AnthropicTool {
    /// `custom`, the default.
    #[serde(rename = "type", default)]
    kind: Option<String>,
    /// Its name.
    #[serde(default)]
    name: String,
    /// What it does.
    #[serde(default)]
    description: Option<String>,
    /// JSON Schema of its arguments.
    #[serde(default)]
    input_schema: Option<Value>,
}

/// How the model uses the tools.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct AnthropicToolChoice {
    /// `auto`, `any`, `tool` or `none`.
    #[serde(rename = "type")]
    kind: String,
    /// For `tool`: its name.
    #[serde(default)]
    name: Option<String>,
    /// Whether only one tool may be called at once.
    #[serde(default)]
    disable_parallel_tool_use: Option<bool>,
}

/// Whether the model reasons before it answers.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct ThinkingConfig {
    /// `enabled`, `adaptive`, `between_tools` or `disabled`.
    #[serde(rename = "type")]
    kind: String,
    /// For `enabled`: the most tokens; becomes an effort.
    #[serde(default)]
    budget_tokens: Option<u64>,
    /// `omitted` leaves the reasoning out of the answer.
    #[serde(default)]
    display: Option<String>,
}

/// The form of the answer, and its effort.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct OutputConfig {
    /// The form.
    #[serde(default)]
    format: Option<OutputFormat>,
    /// With `thinking`: how much the model reasons.
    #[serde(default)]
    effort: Option<String>,
}

/// The form of the answer.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
struct OutputFormat {
    /// `json_schema`.
    #[serde(rename = "type")]
    kind: String,
    /// The JSON Schema.
    #[serde(default)]
    schema: Option<Map<String, Value>>,
}

impl MessagesRequest {
    /// Refuses fields that would change the answer.
    pub(super) fn check(&self) -> Result<(), Problem> {
        let is_set = |name: &&&str| self.others.get(**name).is_some_and(|value| !is_empty(value));
        match REFUSED.iter().find(is_set) {
            Some(name) => Err(refused(format!("`{name}` is not supported"))),
            None => Ok(()),
        }
    }

    /// The names of the fields that have no effect.
    pub(super) fn ignored(&self) -> IgnoredFields {
        IgnoredFields::of(&self.others)
    }

    /// The conversation.
    pub(super) fn take_messages(&mut self) -> Result<Vec<Message>, Problem> {
        convert(self.system.take(), std::mem::take(&mut self.messages))
    }

    /// The tools that the client offers.
    pub(super) fn take_offer(&mut self) -> Result<ClientToolOffer, Problem> {
        let tools = self.tools.take().unwrap_or_default();
        let tools: Vec<ClientTool> = tools.into_iter().map(AnthropicTool::read).collect::<Result<_, _>>()?;
        let choice = self.tool_choice.as_ref();
        let tool_choice = choice.map_or(Ok(ToolChoice::Auto), AnthropicToolChoice::read)?;
        if tools.is_empty() && !tool_choice.is_forced() {
            return Ok(ClientToolOffer::default());
        }
        let is_single = choice.and_then(|choice| choice.disable_parallel_tool_use);
        let parallel_tool_calls = is_single.map(|is_single| !is_single);
        Ok(ClientToolOffer { tools, tool_choice, parallel_tool_calls, ..ClientToolOffer::default() })
    }

    /// The model settings.
    pub(super) fn settings(&self) -> Result<ModelSettings, Problem> {
        let stops = self.stop_sequences.iter().flatten().filter(|stop| !stop.is_empty());
        let stops: Vec<String> = stops.cloned().collect();
        let settings = ModelSettings {
            temperature: self.temperature,
            top_p: self.top_p,
            max_output_tokens: self.max_tokens,
            stop: Some(stops).filter(|stops| !stops.is_empty()),
            seed: None,
            reasoning_effort: self.effort()?,
            parallel_tool_calls: None,
        };
        settings.check().map_err(|problem| refused(super::error::in_own_words(&problem)))?;
        Ok(settings)
    }

    /// How much the model reasons. Without `thinking` the model's own default holds.
    fn effort(&self) -> Result<Option<ReasoningEffort>, Problem> {
        let Some(thinking) = &self.thinking else { return Ok(None) };
        let effort = self.output_config.as_ref().and_then(|config| config.effort.as_deref());
        match (thinking.kind.as_str(), effort) {
            ("disabled", _) => Ok(Some(ReasoningEffort::None)),
            ("enabled" | "adaptive" | "between_tools", Some(effort)) => match effort {
                "low" => Ok(Some(ReasoningEffort::Low)),
                "medium" => Ok(Some(ReasoningEffort::Medium)),
                "high" | "xhigh" | "max" => Ok(Some(ReasoningEffort::High)),
                _ => Err(refused(format!("`output_config.effort` `{effort}` is not known; use `low` to `max`"))),
            },
            ("enabled", None) => Ok(Some(match thinking.budget_tokens.unwrap_or(0) {
                HIGH_BUDGET_MIN.. => ReasoningEffort::High,
                MEDIUM_BUDGET_MIN.. => ReasoningEffort::Medium,
                _ => ReasoningEffort::Low,
            })),
            ("adaptive" | "between_tools", None) => Ok(None),
            (other, _) => {
                let known = "`enabled`, `adaptive` or `disabled`";
                Err(refused(format!("the type `{other}` of `thinking` is not known; use {known}")))
            }
        }
    }

    /// Whether the answer contains the model's reasoning.
    pub(super) fn wants_thoughts(&self) -> bool {
        let is_wanted =
            |thinking: &ThinkingConfig| thinking.kind != "disabled" && thinking.display.as_deref() != Some("omitted");
        self.thinking.as_ref().is_some_and(is_wanted)
    }

    /// The schema of the answer.
    pub(super) fn response_schema(&self) -> Result<Option<ResponseSchema>, Problem> {
        let format = self.output_config.as_ref().and_then(|config| config.format.as_ref());
        let (format, field) = match (format, &self.output_format) {
            (Some(format), _) => (format, "output_config.format"),
            (None, Some(format)) => (format, "output_format"),
            (None, None) => return Ok(None),
        };
        match (format.kind.as_str(), &format.schema) {
            ("json_schema", Some(schema)) => Ok(Some(ResponseSchema::new(schema.clone()))),
            ("json_schema", None) => Err(refused(format!("`{field}` has no `schema`"))),
            (other, _) => Err(refused(format!("the type `{other}` of `{field}` is not known; use `json_schema`"))),
        }
    }

    /// The user, whose messages belong to one session.
    pub(super) fn user(&self) -> Option<&str> {
        let user = self.metadata.as_ref()?.get("user_id")?.as_str()?;
        Some(user).filter(|user| !user.is_empty())
    }

    /// The parts whose tokens are counted.
    pub(super) fn counted(mut self) -> Result<CountedPrompt, Problem> {
        // What a message would refuse is refused here too, so that a count is worth something.
        self.check()?;
        self.settings()?;
        self.response_schema()?;
        let tools = self.take_offer()?.tools;
        let messages = self.messages.iter().map(|message| message.content.counted()).collect();
        let system = self.system.map(|system| system.counted().text).unwrap_or_default();
        Ok(CountedPrompt { system, messages, tools })
    }
}

impl AnthropicTool {
    fn read(self) -> Result<ClientTool, Problem> {
        let Self { kind, name, description, input_schema } = self;
        if let Some(kind) = kind.filter(|kind| kind != "custom") {
            let message = format!(
                "`tools` of the type `{kind}` are not supported; offer a tool of your own with `name` and `input_schema`"
            );
            return Err(refused(message));
        }
        if name.is_empty() {
            return Err(refused("one of the `tools` has no `name`".to_owned()));
        }
        let input_schema = match input_schema {
            None | Some(Value::Null) => json!({ "type": "object", "properties": {} }),
            Some(schema) => schema,
        };
        Ok(ClientTool { name, description: description.unwrap_or_default(), input_schema })
    }
}

impl AnthropicToolChoice {
    fn read(&self) -> Result<ToolChoice, Problem> {
        match (self.kind.as_str(), &self.name) {
            ("auto", _) => Ok(ToolChoice::Auto),
            ("any", _) => Ok(ToolChoice::Required),
            ("none", _) => Ok(ToolChoice::None),
            ("tool", Some(name)) => Ok(ToolChoice::Tool(name.clone())),
            ("tool", None) => Err(refused("`tool_choice` names no tool".to_owned())),
            (other, _) => {
                let known = "`auto`, `any`, `tool` or `none`";
                Err(refused(format!("the type `{other}` of `tool_choice` is not known; use {known}")))
            }
        }
    }
}

/// Whether a value says nothing.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests;
