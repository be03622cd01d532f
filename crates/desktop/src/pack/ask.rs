//! `ask_user`: asks the user and waits for the answer.

use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

use async_trait::async_trait;
use ports::{ToolFailure, UserQuestion};
use protocol::{DialogAnswer, DialogChoice, DialogForm};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tools::{CallContext, Declaration, Tool};

use super::{acts, title, window_id};
use crate::content::{fields, read_fields};

/// The default timeout of a question.
const WAIT: Duration = Duration::from_secs(300);
/// The longest timeout of a question.
pub const WAIT_MAX: Duration = Duration::from_secs(3_600);
/// The time that the call may take beyond the timeout.
const GRACE: Duration = Duration::from_secs(60);
/// The number of choices.
const CHOICES_MAX: usize = 12;
/// The number of fields.
const FIELDS_MAX: usize = 20;
/// The longest choice.
const LABEL_CHARS_MAX: usize = 120;
/// The longest question.
const TEXT_CHARS_MAX: usize = 2_000;

/// The tool `ask_user`.
pub(super) struct AskUser;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AskInput {
    /// The question, short.
    title: String,
    /// More about it.
    #[serde(default)]
    text: Option<String>,
    /// What to choose from, up to 12. Give this or `fields`.
    #[serde(default)]
    choices: Option<Vec<String>>,
    /// What to fill in: `input`, `select` and `checkbox` components as in `window_open`.
    #[serde(default)]
    #[schemars(with = "Option<Vec<Map<String, Value>>>")]
    fields: Option<Vec<Value>>,
    /// The window it is about.
    #[serde(default)]
    window_id: Option<String>,
    /// How many seconds to wait: 300 if absent, at most 3600.
    #[serde(default)]
    wait_s: Option<f64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct AskOutput {
    /// Whether there is an answer.
    answered: bool,
    /// What was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen: Option<String>,
    /// What was filled in, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    filled: Option<BTreeMap<String, String>>,
    /// Why there is no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
}

#[async_trait]
impl Tool for AskUser {
    type Input = AskInput;
    type Output = AskOutput;

    fn declaration(&self) -> Declaration {
        Declaration {
            timeout: WAIT_MAX + GRACE,
            ..acts(
                "ask_user",
                "Asks the user on the desktop and waits for the answer: one of `choices`, or `fields` to fill in. Use it when you \
                 cannot go on without knowing.",
            )
            .about(&["question", "choose", "choice", "form"])
        }
    }

    async fn call(&self, input: AskInput, context: &CallContext) -> Result<AskOutput, ToolFailure> {
        let question = UserQuestion {
            window_id: input.window_id.as_deref().map(|name| window_id("window_id", name)).transpose()?,
            title: title(&input.title)?,
            text: text(input.text.as_deref().unwrap_or_default())?,
            form: form(input.choices, input.fields)?,
            timeout: patience(input.wait_s)?,
        };
        context.say("waiting for the user");
        Ok(answered(context.desktop.ask(&context.key, question).await?))
    }
}

fn answered(answer: DialogAnswer) -> AskOutput {
    let nothing = AskOutput { answered: true, chosen: None, filled: None, why: None };
    match answer {
        DialogAnswer::Chosen(chosen) => AskOutput { chosen: Some(chosen), ..nothing },
        DialogAnswer::Filled(filled) => AskOutput { filled: Some(filled), ..nothing },
        DialogAnswer::Dismissed => {
            AskOutput { answered: false, why: Some("the user dismissed the question"), ..nothing }
        }
        DialogAnswer::Unanswered => {
            AskOutput { answered: false, why: Some("the user did not answer in time"), ..nothing }
        }
    }
}

fn form(choices: Option<Vec<String>>, fields_: Option<Vec<Value>>) -> Result<DialogForm, ToolFailure> {
    // Models that fill in every argument leave the other list empty.
    match (choices.filter(|list| !list.is_empty()), fields_.filter(|list| !list.is_empty())) {
        (Some(labels), None) => self::choices(&labels).map(DialogForm::Choices),
        (None, Some(list)) if list.len() > FIELDS_MAX => {
            Err(ToolFailure::Invalid(format!("`fields`: there are {}, and at most {FIELDS_MAX} fit", list.len())))
        }
        (None, Some(list)) => {
            let list = read_fields(list).map_err(ToolFailure::Invalid)?;
            fields(&list).map_err(ToolFailure::Invalid)?;
            Ok(DialogForm::Fields(list))
        }
        (Some(_), Some(_)) => Err(ToolFailure::Invalid("give `choices` or `fields`, not both".to_owned())),
        (None, None) => Err(ToolFailure::Invalid("give `choices` to choose from, or `fields` to fill in".to_owned())),
    }
}

fn choices(labels: &[String]) -> Result<Vec<DialogChoice>, ToolFailure> {
    if labels.len() > CHOICES_MAX {
        return Err(ToolFailure::Invalid(format!(
            "`choices`: there are {}, and at most {CHOICES_MAX} fit",
            labels.len()
        )));
    }
    let mut seen = BTreeSet::new();
    let mut choices = Vec::with_capacity(labels.len());
    for (n, label) in labels.iter().enumerate() {
        let label = label.trim();
        if label.is_empty() || label.chars().count() > LABEL_CHARS_MAX {
            return Err(ToolFailure::Invalid(format!("`choices[{n}]` has 1 to {LABEL_CHARS_MAX} characters")));
        }
        if !seen.insert(label) {
            return Err(ToolFailure::Invalid(format!("`choices[{n}]`: `{label}` is listed twice")));
        }
        choices.push(DialogChoice { value: label.to_owned(), label: label.to_owned() });
    }
    Ok(choices)
}

fn text(text: &str) -> Result<String, ToolFailure> {
    let text = text.trim();
    let chars = text.chars().count();
    if chars > TEXT_CHARS_MAX {
        return Err(ToolFailure::Invalid(format!("`text` has {chars} characters, and at most {TEXT_CHARS_MAX} fit")));
    }
    Ok(text.to_owned())
}

fn patience(wait_s: Option<f64>) -> Result<Duration, ToolFailure> {
    let Some(seconds) = wait_s else { return Ok(WAIT) };
    if !(1.0..=WAIT_MAX.as_secs_f64()).contains(&seconds) {
        return Err(ToolFailure::Invalid(format!("`wait_s` is 1 to {}", WAIT_MAX.as_secs())));
    }
    Ok(Duration::from_secs_f64(seconds))
}
