//! A client's model settings, in the format of each of the two APIs.

use protocol::{ModelSettings, Problem, ReasoningEffort};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};

use super::tools::refused;

/// The settings of OpenAI's API.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(super) struct OpenAiSettings {
    /// Sampling temperature: 0 to 2.
    #[serde(default)]
    temperature: Option<f64>,
    /// Nucleus sampling: only the likeliest tokens that together have this probability.
    #[serde(default)]
    top_p: Option<f64>,
    /// The maximum number of answer tokens: the old name.
    #[serde(default)]
    max_tokens: Option<u64>,
    /// The maximum number of answer tokens.
    #[serde(default)]
    max_completion_tokens: Option<u64>,
    /// The answer ends before this text, or before one of several.
    #[serde(default)]
    stop: Option<Value>,
    /// The same seed and request give the same answer, as far as the provider supports it.
    #[serde(default)]
    seed: Option<i64>,
    /// How much the model reasons before it answers: `none`, `minimal`, `low`, `medium` or `high`.
    #[serde(default)]
    reasoning_effort: Option<String>,
}

impl OpenAiSettings {
    /// Converts them to the settings of a turn.
    pub(super) fn read(&self) -> Result<ModelSettings, Problem> {
        let settings = ModelSettings {
            temperature: self.temperature,
            top_p: self.top_p,
            max_output_tokens: self.max_completion_tokens.or(self.max_tokens),
            stop: self.stop.as_ref().map_or(Ok(None), stops)?,
            seed: self.seed,
            reasoning_effort: self.reasoning_effort.as_deref().map(effort).transpose()?,
            parallel_tool_calls: None,
        };
        checked(settings, "max_completion_tokens")
    }
}

/// The settings of a response of OpenAI's API, and how much the model reasons.
pub(super) fn of_response(settings: ModelSettings, reasoning: Option<&str>) -> Result<ModelSettings, Problem> {
    let reasoning_effort = reasoning.map(effort).transpose()?;
    checked(ModelSettings { reasoning_effort, ..settings }, "max_output_tokens")
}

/// The settings of Ollama's API: `options`, and whether the model thinks.
pub(super) fn of_ollama(options: Option<&Map<String, Value>>, think: Option<&Value>) -> Result<ModelSettings, Problem> {
    let option = |name: &str| options.and_then(|options| options.get(name)).filter(|value| !value.is_null());
    let number = |name: &str| {
        let value = option(name);
        let read = |value: &Value| value.as_f64().ok_or_else(|| refused(format!("`{name}` must be a number")));
        value.map(read).transpose()
    };
    let whole = |name: &str| {
        let value = option(name);
        let read = |value: &Value| value.as_i64().ok_or_else(|| refused(format!("`{name}` must be a whole number")));
        value.map(read).transpose()
    };
    let settings = ModelSettings {
        temperature: number("temperature")?,
        top_p: number("top_p")?,
        // Negative values mean no limit, or as much as fits.
        max_output_tokens: whole("num_predict")?.and_then(|tokens| u64::try_from(tokens).ok()),
        stop: option("stop").map_or(Ok(None), stops)?,
        seed: whole("seed")?,
        reasoning_effort: think.map_or(Ok(None), thinking)?,
        parallel_tool_calls: None,
    };
    checked(settings, "num_predict")
}

/// One or several non-empty texts.
fn stops(value: &Value) -> Result<Option<Vec<String>>, Problem> {
    let wrong = || refused("`stop` must be a text or a list of texts".to_owned());
    let stops: Vec<String> = match value {
        Value::Null => Vec::new(),
        Value::String(text) => vec![text.clone()],
        Value::Array(items) => {
            items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<_>>().ok_or_else(wrong)?
        }
        _ => return Err(wrong()),
    };
    let stops: Vec<String> = stops.into_iter().filter(|stop| !stop.is_empty()).collect();
    Ok(Some(stops).filter(|stops| !stops.is_empty()))
}

fn effort(name: &str) -> Result<ReasoningEffort, Problem> {
    Ok(match name {
        "none" => ReasoningEffort::None,
        "minimal" => ReasoningEffort::Minimal,
        "low" => ReasoningEffort::Low,
        "medium" => ReasoningEffort::Medium,
        "high" | "xhigh" | "max" => ReasoningEffort::High,
        _ => {
            let known = "`none`, `minimal`, `low`, `medium` and `high`";
            return Err(refused(format!("`reasoning_effort` `{name}` is not known; use one of {known}")));
        }
    })
}

fn thinking(think: &Value) -> Result<Option<ReasoningEffort>, Problem> {
    match think {
        Value::Null => Ok(None),
        Value::Bool(false) => Ok(Some(ReasoningEffort::None)),
        Value::Bool(true) => Ok(Some(ReasoningEffort::Medium)),
        Value::String(level) if matches!(level.as_str(), "low" | "medium" | "high") => effort(level).map(Some),
        _ => Err(refused("`think` must be true, false, `low`, `medium` or `high`".to_owned())),
    }
}

/// The settings, if their values are valid. Errors name the limit as this API does.
fn checked(settings: ModelSettings, limit: &str) -> Result<ModelSettings, Problem> {
    settings.check().map_err(|problem| refused(problem.replace("max_output_tokens", limit)))?;
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn openai(tuning: Value) -> Result<ModelSettings, Problem> {
        serde_json::from_value::<OpenAiSettings>(tuning).unwrap().read()
    }

    fn ollama(options: Value, think: Value) -> Result<ModelSettings, Problem> {
        of_ollama(options.as_object(), Some(&think))
    }

    #[test]
    fn both_wires_say_the_same_in_their_own_words() {
        let expected = ModelSettings {
            temperature: Some(0.2),
            top_p: Some(0.9),
            max_output_tokens: Some(64),
            stop: Some(vec!["END".to_owned()]),
            seed: Some(7),
            reasoning_effort: Some(ReasoningEffort::Low),
            parallel_tool_calls: None,
        };
        let told = json!({
            "temperature": 0.2, "top_p": 0.9, "max_tokens": 64, "stop": "END", "seed": 7, "reasoning_effort": "low",
        });
        assert_eq!(openai(told).unwrap(), expected);
        let options = json!({
            "temperature": 0.2, "top_p": 0.9, "num_predict": 64, "stop": ["END"], "seed": 7, "num_ctx": 4096, "top_k": 40,
        });
        assert_eq!(ollama(options, json!("low")).unwrap(), expected);
    }

    #[test]
    fn what_says_nothing_sets_nothing() {
        assert!(openai(json!({ "stop": [], "seed": null })).unwrap().is_empty());
        assert!(openai(json!({ "stop": "" })).unwrap().is_empty());
        assert!(ollama(json!({ "num_predict": -1, "stop": [""] }), Value::Null).unwrap().is_empty());
        assert!(of_ollama(None, None).unwrap().is_empty());
    }

    #[test]
    fn what_makes_no_sense_is_refused_by_name() {
        for (name, told) in [
            ("temperature", json!({ "temperature": 3 })),
            ("top_p", json!({ "top_p": 0 })),
            ("max_completion_tokens", json!({ "max_tokens": 0 })),
            ("stop", json!({ "stop": 7 })),
            ("reasoning_effort", json!({ "reasoning_effort": "enormous" })),
        ] {
            let problem = openai(told).unwrap_err();
            assert!(problem.message.contains(&format!("`{name}`")), "{problem}");
        }
        assert!(ollama(json!({ "seed": "x" }), Value::Null).unwrap_err().message.contains("`seed`"));
        assert!(ollama(json!({}), json!("a lot")).unwrap_err().message.contains("`think`"));
    }
}
