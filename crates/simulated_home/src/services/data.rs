//! Strict parsing of the data of a service call.

use home::HomeError;
use serde_json::{Map, Value};

/// The data of a call.
#[derive(Clone, Copy)]
pub(super) struct CallData<'a>(pub(super) &'a Map<String, Value>);

impl<'a> CallData<'a> {
    /// A number within bounds. Numbers may be strings, as in Home Assistant.
    pub(super) fn number(self, key: &str, least: f64, most: f64) -> Result<Option<f64>, HomeError> {
        let Some(value) = self.0.get(key) else { return Ok(None) };
        let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
        match number {
            Some(number) if number.is_finite() && least <= number && number <= most => Ok(Some(number)),
            Some(_) => Err(HomeError::Invalid(format!("`{key}` is from {least} to {most}, not {value}"))),
            None => Err(HomeError::Invalid(format!("`{key}` is a number, not {value}"))),
        }
    }

    /// A required number.
    pub(super) fn needed_number(self, key: &str, least: f64, most: f64) -> Result<f64, HomeError> {
        self.number(key, least, most)?.ok_or_else(|| missing(key))
    }

    /// A text.
    pub(super) fn text(self, key: &str) -> Result<Option<&'a str>, HomeError> {
        match self.0.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(HomeError::Invalid(format!("`{key}` is a text, not {other}"))),
        }
    }

    /// A required text.
    pub(super) fn needed_text(self, key: &str) -> Result<&'a str, HomeError> {
        self.text(key)?.ok_or_else(|| missing(key))
    }

    /// A required boolean.
    pub(super) fn needed_bool(self, key: &str) -> Result<bool, HomeError> {
        match self.0.get(key) {
            Some(Value::Bool(yes)) => Ok(*yes),
            Some(Value::String(text)) if matches!(text.as_str(), "true" | "on" | "yes") => Ok(true),
            Some(Value::String(text)) if matches!(text.as_str(), "false" | "off" | "no") => Ok(false),
            Some(other) => Err(HomeError::Invalid(format!("`{key}` is true or false, not {other}"))),
            None => Err(missing(key)),
        }
    }

    /// A list of numbers, all within the same bounds.
    pub(super) fn numbers(self, key: &str, count: usize, most: f64) -> Result<Option<Vec<f64>>, HomeError> {
        let Some(value) = self.0.get(key) else { return Ok(None) };
        let numbers: Option<Vec<f64>> = value.as_array().and_then(|list| list.iter().map(Value::as_f64).collect());
        match numbers {
            Some(list) if list.len() == count && list.iter().all(|number| (0.0..=most).contains(number)) => {
                Ok(Some(list))
            }
            _ => Err(HomeError::Invalid(format!("`{key}` is {count} numbers from 0 to {most}, not {value}"))),
        }
    }

    /// Whether the field is present.
    pub(super) fn has(self, key: &str) -> bool {
        self.0.contains_key(key)
    }
}

fn missing(key: &str) -> HomeError {
    HomeError::Invalid(format!("required key not provided: `{key}`"))
}
