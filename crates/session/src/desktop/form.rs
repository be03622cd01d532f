//! Forms of dialogs: which can be asked, and whether an answer fits.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{Component, DialogAnswer, DialogForm, SelectOption};

use super::{DesktopFault, json_bytes};
use crate::limits::{ANSWER_BYTES_MAX, CHOICES_MAX};

/// Why an answer does not fit its question.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerFault {
    /// The choice does not exist.
    #[error("that cannot be chosen; choose one of `{}`", choices.join("`, `"))]
    NotAChoice {
        /// The choices.
        choices: Vec<String>,
    },
    /// Some fields are missing, or there are no such fields.
    #[error("the fields are `{}`; missing: {}; unknown: {}", fields.join("`, `"), or_none(missing), or_none(unknown))]
    Fields {
        /// All fields.
        fields: Vec<String>,
        /// Fields that are not filled in.
        missing: Vec<String>,
        /// Fields that the question does not have.
        unknown: Vec<String>,
    },
    /// A field does not accept the value.
    #[error("the field `{field}` takes one of `{}`", values.join("`, `"))]
    NotAValue {
        /// The field.
        field: String,
        /// The values it accepts.
        values: Vec<String>,
    },
    /// The answer is too large.
    #[error("the answer has {bytes} bytes; at most {ANSWER_BYTES_MAX} are allowed")]
    TooLarge {
        /// Size of the answer.
        bytes: usize,
    },
    /// The question expects another kind of answer.
    #[error("the question is answered by {how}, or dismissed")]
    OtherWay {
        /// How it is answered.
        how: &'static str,
    },
}

fn or_none(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { format!("`{}`", names.join("`, `")) }
}

/// A field that can be filled in.
enum FormField<'a> {
    Text,
    Choice(&'a [SelectOption]),
    YesOrNo,
}

/// Whether a question with this form can be answered.
pub(super) fn check_form(form: &DialogForm) -> Result<(), DesktopFault> {
    match form {
        DialogForm::Choices(choices) => {
            let values: BTreeSet<&str> = choices.iter().map(|choice| choice.value.as_str()).collect();
            let is_named = choices.iter().all(|choice| !choice.value.is_empty() && !choice.label.trim().is_empty());
            let is_usable = (1..=CHOICES_MAX).contains(&choices.len()) && is_named && values.len() == choices.len();
            if is_usable { Ok(()) } else { Err(DesktopFault::BadChoices) }
        }
        DialogForm::Fields(components) => {
            let fields = fields_of(components);
            let names: BTreeSet<&str> = fields.iter().map(|(name, _)| *name).collect();
            let is_usable = !names.is_empty() && !names.contains("") && names.len() == fields.len();
            if is_usable { Ok(()) } else { Err(DesktopFault::BadFields) }
        }
    }
}

/// Whether an answer fits its question. Dismissing it always does.
pub(crate) fn check_answer(form: &DialogForm, answer: &DialogAnswer) -> Result<(), AnswerFault> {
    match (form, answer) {
        (_, DialogAnswer::Dismissed) => Ok(()),
        (DialogForm::Choices(choices), DialogAnswer::Chosen(value)) => {
            if choices.iter().any(|choice| choice.value == *value) {
                return Ok(());
            }
            Err(AnswerFault::NotAChoice { choices: choices.iter().map(|choice| choice.value.clone()).collect() })
        }
        (DialogForm::Fields(components), DialogAnswer::Filled(filled)) => check_filled(&fields_of(components), filled),
        (DialogForm::Choices(_), _) => Err(AnswerFault::OtherWay { how: "choosing" }),
        (DialogForm::Fields(_), _) => Err(AnswerFault::OtherWay { how: "filling in its fields" }),
    }
}

fn check_filled(fields: &[(&str, FormField<'_>)], filled: &BTreeMap<String, String>) -> Result<(), AnswerFault> {
    let bytes = json_bytes(filled);
    if bytes > ANSWER_BYTES_MAX {
        return Err(AnswerFault::TooLarge { bytes });
    }
    let names: BTreeSet<&str> = fields.iter().map(|(name, _)| *name).collect();
    let missing: Vec<String> =
        names.iter().filter(|name| !filled.contains_key(**name)).map(|name| (*name).to_owned()).collect();
    let unknown: Vec<String> = filled.keys().filter(|name| !names.contains(name.as_str())).cloned().collect();
    if !missing.is_empty() || !unknown.is_empty() {
        let fields = names.into_iter().map(str::to_owned).collect();
        return Err(AnswerFault::Fields { fields, missing, unknown });
    }
    for (name, field) in fields {
        let value = filled.get(*name).map_or("", String::as_str);
        let values: Vec<&str> = match field {
            FormField::Text => continue,
            FormField::Choice(options) => options.iter().map(|option| option.value.as_str()).collect(),
            FormField::YesOrNo => vec!["true", "false"],
        };
        // A choice may be left empty.
        let is_open = matches!(field, FormField::Choice(_)) && value.is_empty();
        if !is_open && !values.contains(&value) {
            let values = values.into_iter().map(str::to_owned).collect();
            return Err(AnswerFault::NotAValue { field: (*name).to_owned(), values });
        }
    }
    Ok(())
}

/// All fields by name, at any depth.
fn fields_of(components: &[Component]) -> Vec<(&str, FormField<'_>)> {
    let mut fields = Vec::new();
    for component in components {
        match component {
            Component::Input { name, .. } => fields.push((name.as_str(), FormField::Text)),
            Component::Select { name, options, .. } => fields.push((name.as_str(), FormField::Choice(options))),
            Component::Checkbox { name, .. } => fields.push((name.as_str(), FormField::YesOrNo)),
            Component::Form { components, .. } => fields.extend(fields_of(components)),
            Component::Columns { columns } => fields.extend(columns.iter().flat_map(|column| fields_of(column))),
            Component::Text { .. }
            | Component::Button { .. }
            | Component::Badge { .. }
            | Component::Progress { .. }
            | Component::Image { .. } => {}
        }
    }
    fields
}
