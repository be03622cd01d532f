//! The file format of a language.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// A file: one set of sentences, or two under separate keys.
#[derive(Debug, Deserialize)]
pub(crate) struct GrammarFile {
    #[serde(default)]
    flat: Option<GrammarSection>,
    #[serde(default)]
    combo: Option<GrammarSection>,
    #[serde(flatten)]
    whole: BTreeMap<String, Value>,
}

impl GrammarFile {
    pub(crate) fn parts(self) -> Result<Vec<GrammarSection>, serde_json::Error> {
        let mut parts: Vec<GrammarSection> = [self.flat, self.combo].into_iter().flatten().collect();
        if parts.is_empty() || self.whole.contains_key("intents") {
            parts.push(serde_json::from_value(self.whole.into_iter().collect())?);
        }
        Ok(parts)
    }
}

/// Intents with the lists and rules that their sentences use.
#[derive(Debug, Deserialize)]
pub(crate) struct GrammarSection {
    pub language: String,
    #[serde(default)]
    pub intents: BTreeMap<String, IntentSource>,
    #[serde(default)]
    pub lists: BTreeMap<String, ListSource>,
    #[serde(default)]
    pub expansion_rules: BTreeMap<String, String>,
    #[serde(default)]
    pub skip_words: Vec<String>,
    #[serde(default)]
    pub settings: GrammarSettings,
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct GrammarSettings {
    #[serde(default)]
    pub ignore_whitespace: bool,
}

#[derive(Debug, Deserialize)]
pub(crate) struct IntentSource {
    #[serde(default)]
    pub data: Vec<IntentData>,
}

/// Sentences with the same meaning.
#[derive(Debug, Deserialize)]
pub(crate) struct IntentData {
    #[serde(default)]
    pub sentences: Vec<String>,
    #[serde(default)]
    pub slots: BTreeMap<String, Value>,
    #[serde(default)]
    pub response: Option<String>,
    #[serde(default)]
    pub requires_context: Option<BTreeMap<String, Value>>,
    #[serde(default)]
    pub excludes_context: Option<BTreeMap<String, Value>>,
    #[serde(default)]
    pub expansion_rules: Option<BTreeMap<String, String>>,
    #[serde(default)]
    pub lists: Option<BTreeMap<String, ListSource>>,
    #[serde(default)]
    pub metadata: Option<BTreeMap<String, Value>>,
    #[serde(default)]
    pub required_keywords: Option<Vec<String>>,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ListSource {
    #[serde(default)]
    pub values: Option<Vec<ListValueSource>>,
    #[serde(default)]
    pub range: Option<RangeSource>,
    #[serde(default)]
    pub wildcard: bool,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum ListValueSource {
    Text(String),
    Full {
        #[serde(rename = "in")]
        text: Scalar,
        #[serde(default)]
        out: Option<Value>,
        #[serde(default)]
        context: Option<BTreeMap<String, Value>>,
        #[serde(default)]
        metadata: Option<Value>,
    },
    Scalar(Scalar),
}

/// A text that may be written as a number or a boolean.
#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Scalar {
    Text(String),
    Number(serde_json::Number),
    Bool(bool),
}

impl Scalar {
    pub(crate) fn into_text(self) -> String {
        match self {
            Self::Text(text) => text,
            Self::Number(number) => number.to_string(),
            Self::Bool(value) => value.to_string(),
        }
    }
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct RangeSource {
    pub from: f64,
    pub to: f64,
    #[serde(default)]
    pub step: Option<f64>,
    #[serde(default)]
    pub fractions: Option<Fractions>,
    #[serde(default)]
    pub multiplier: Option<f64>,
    #[serde(default = "yes")]
    pub digits: bool,
    #[serde(default = "yes")]
    pub words: bool,
    #[serde(default)]
    pub words_language: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Fractions {
    Halves,
    Tenths,
}

const fn yes() -> bool {
    true
}
