//! What a service is told beside its target, read strictly.

use serde_json::{Map, Value};

use crate::HouseError;

/// The data of a call.
#[derive(Clone, Copy)]
pub(super) struct Data<'a>(pub(super) &'a Map<String, Value>);

impl<'a> Data<'a> {
    /// A number within bounds. Numbers written as text are numbers, as everywhere in Home Assistant.
    pub(super) fn number(self, key: &str, least: f64, most: f64) -> Result<Option<f64>, HouseError> {
        let Some(value) = self.0.get(key) else { return Ok(None) };
        let number = value.as_f64().or_else(|| value.as_str()?.trim().parse().ok());
        match number {
            Some(number) if number.is_finite() && least <= number && number <= most => Ok(Some(number)),
            Some(_) => Err(HouseError::Invalid(format!("`{key}` is from {least} to {most}, not {value}"))),
            None => Err(HouseError::Invalid(format!("`{key}` is a number, not {value}"))),
        }
    }

    /// A number that has to be there.
    pub(super) fn needed_number(self, key: &str, least: f64, most: f64) -> Result<f64, HouseError> {
        self.number(key, least, most)?.ok_or_else(|| missing(key))
    }

    /// A text.
    pub(super) fn text(self, key: &str) -> Result<Option<&'a str>, HouseError> {
        match self.0.get(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(HouseError::Invalid(format!("`{key}` is a text, not {other}"))),
        }
    }

    /// A text that has to be there.
    pub(super) fn needed_text(self, key: &str) -> Result<&'a str, HouseError> {
        self.text(key)?.ok_or_else(|| missing(key))
    }

    /// Yes or no, which has to be there.
    pub(super) fn needed_bool(self, key: &str) -> Result<bool, HouseError> {
        match self.0.get(key) {
            Some(Value::Bool(yes)) => Ok(*yes),
            Some(Value::String(text)) if matches!(text.as_str(), "true" | "on" | "yes") => Ok(true),
            Some(Value::String(text)) if matches!(text.as_str(), "false" | "off" | "no") => Ok(false),
            Some(other) => Err(HouseError::Invalid(format!("`{key}` is true or false, not {other}"))),
            None => Err(missing(key)),
        }
    }

    /// Numbers, all within the same bounds.
    pub(super) fn numbers(self, key: &str, count: usize, most: f64) -> Result<Option<Vec<f64>>, HouseError> {
        let Some(value) = self.0.get(key) else { return Ok(None) };
        let numbers: Option<Vec<f64>> = value.as_array().and_then(|list| list.iter().map(Value::as_f64).collect());
        match numbers {
            Some(list) if list.len() == count && list.iter().all(|number| (0.0..=most).contains(number)) => {
                Ok(Some(list))
            }
            _ => Err(HouseError::Invalid(format!("`{key}` is {count} numbers from 0 to {most}, not {value}"))),
        }
    }

    /// Whether it is there.
    pub(super) fn has(self, key: &str) -> bool {
        self.0.contains_key(key)
    }
}

fn missing(key: &str) -> HouseError {
    HouseError::Invalid(format!("required key not provided: `{key}`"))
}
