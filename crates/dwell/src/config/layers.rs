//! Layers of settings, each over the one before, with the source of every value.

use std::{
    collections::BTreeMap,
    fmt,
    path::{Path, PathBuf},
};

use serde::de::DeserializeOwned;
use toml::{Table, Value};

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ValueSource {
    /// Built in.
    Default,
    /// The configuration file.
    File(PathBuf),
    /// A variable of the environment.
    Environment(String),
    /// The command line.
    Flag(&'static str),
}

impl fmt::Display for ValueSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::Flag(name) => write!(f, "flag {name}"),
        }
    }
}

/// Settings by dotted key.
pub(super) struct ConfigLayers {
    values: BTreeMap<String, (Value, ValueSource)>,
}

/// Settings that only the file may hold: they name programs that are run, or are lists of tables.
const FILE_ONLY: [&str; 2] = ["mcp.servers", "alerts.channels"];

pub(super) fn is_file_only(key: &str) -> bool {
    FILE_ONLY.contains(&key)
}

impl ConfigLayers {
    /// The first layer, which names every key there is.
    pub(super) fn new(defaults: &str) -> Result<Self, String> {
        let table: Table = defaults.parse().map_err(|error| format!("the built-in defaults are wrong: {error}"))?;
        let values = flatten(table).into_iter().map(|(key, value)| (key, (value, ValueSource::Default))).collect();
        Ok(Self { values })
    }

    pub(super) fn keys(&self) -> Vec<String> {
        self.values.keys().cloned().collect()
    }

    /// Adds the settings of a file. A missing file is an error only if it was named explicitly.
    pub(super) fn add_file(&mut self, path: &Path, is_named: bool) -> Result<(), String> {
        let wrong = |what: String| format!("the configuration file {}: {what}", path.display());
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound && !is_named => return Ok(()),
            Err(error) => return Err(wrong(error.to_string())),
        };
        let table: Table = text.parse().map_err(|error: toml::de::Error| wrong(error.to_string()))?;
        for (key, value) in flatten(table) {
            self.set(&key, value, ValueSource::File(path.to_owned())).map_err(wrong)?;
        }
        Ok(())
    }

    /// Adds the settings of a file, each only where no other layer has set it. The file may be
    /// missing.
    pub(super) fn add_below(&mut self, path: &Path) -> Result<(), String> {
        let mut below = Self { values: self.values.clone() };
        below.add_file(path, false)?;
        for (key, (value, source)) in below.values {
            let slot = self.values.get_mut(&key).filter(|slot| slot.1 == ValueSource::Default);
            if let Some(slot) = slot.filter(|_| source == ValueSource::File(path.to_owned())) {
                *slot = (value, source);
            }
        }
        Ok(())
    }

    /// Sets a value that was given as text.
    pub(super) fn set_text(&mut self, key: &str, text: &str, source: ValueSource) -> Result<(), String> {
        if is_file_only(key) {
            return Err(format!("{source}: `{key}` can only be set in the configuration file"));
        }
        let value = match self.values.get(key).map(|(value, _)| value) {
            Some(Value::Integer(_)) => text.trim().parse().map(Value::Integer).ok(),
            Some(Value::Float(_)) => text.trim().parse().map(Value::Float).ok(),
            Some(Value::Boolean(_)) => text.trim().parse().map(Value::Boolean).ok(),
            Some(Value::Array(_)) => {
                let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
                Some(Value::Array(parts.map(|part| Value::String(part.to_owned())).collect()))
            }
            Some(Value::Table(_)) => table(text).map(Value::Table),
            _ => Some(Value::String(text.to_owned())),
        };
        let value = value.ok_or_else(|| format!("{source}: `{text}` is not a value for {key}"))?;
        self.set(key, value, source.clone()).map_err(|what| format!("{source}: {what}"))
    }

    fn set(&mut self, key: &str, value: Value, source: ValueSource) -> Result<(), String> {
        let Some(slot) = self.values.get_mut(key) else {
            return Err(format!("there is no setting `{key}`; `dwell config` lists all"));
        };
        if !slot.0.same_type(&value) {
            return Err(format!("`{key}` is a {}, not a {}", slot.0.type_str(), value.type_str()));
        }
        *slot = (value, source);
        Ok(())
    }

    /// A setting that is a text.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.values.get(key).and_then(|(value, _)| value.as_str())
    }

    pub(super) fn is_blank(&self, key: &str) -> bool {
        self.values.get(key).is_none_or(|(value, _)| value.as_str() == Some(""))
    }

    pub(super) fn values(self) -> BTreeMap<String, (Value, ValueSource)> {
        self.values
    }

    /// The settings as a typed tree.
    pub(super) fn read<T: DeserializeOwned>(&self) -> Result<T, String> {
        let mut table = Table::new();
        for (key, (value, _)) in &self.values {
            if let Some((section, name)) = key.split_once('.')
                && let Value::Table(section) = table.entry(section).or_insert_with(|| Value::Table(Table::new()))
            {
                section.insert(name.to_owned(), value.clone());
            }
        }
        table.try_into().map_err(|error: toml::de::Error| format!("the configuration is wrong: {error}"))
    }
}

/// A table as TOML writes it in one line, `{ "a/b" = { c = 1 } }`, or as JSON does.
fn table(text: &str) -> Option<Table> {
    let as_toml = format!("value = {}", text.trim()).parse::<Table>().ok().and_then(|mut table| table.remove("value"));
    let value = as_toml.or_else(|| serde_json::from_str::<Value>(text).ok())?;
    value.as_table().cloned()
}

/// Sections and their settings as dotted keys.
fn flatten(table: Table) -> Vec<(String, Value)> {
    let mut flat = Vec::new();
    for (section, value) in table {
        match value {
            Value::Table(settings) => {
                flat.extend(settings.into_iter().map(|(name, value)| (format!("{section}.{name}"), value)));
            }
            other => flat.push((section, other)),
        }
    }
    flat
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layers() -> ConfigLayers {
        ConfigLayers::new("[a]\nnumber = 1\nname = \"x\"\nlist = []").unwrap()
    }

    #[test]
    fn what_comes_later_counts_and_says_where_from() {
        let mut layers = layers();
        layers.set_text("a.number", "7", ValueSource::Environment("N".to_owned())).unwrap();
        layers.set_text("a.list", "p, q", ValueSource::Flag("--list")).unwrap();
        let values = layers.values();
        assert_eq!(values["a.number"], (Value::Integer(7), ValueSource::Environment("N".to_owned())));
        assert_eq!(values["a.list"].0.as_array().unwrap().len(), 2);
        assert_eq!(values["a.name"].1, ValueSource::Default);
    }

    #[test]
    fn mistakes_are_named() {
        let mut layers = layers();
        let unknown = layers.set_text("a.nmae", "y", ValueSource::Flag("--name")).unwrap_err();
        assert!(unknown.contains("no setting `a.nmae`"), "{unknown}");
        let wrong = layers.set_text("a.number", "many", ValueSource::Environment("N".to_owned())).unwrap_err();
        assert!(wrong.contains("environment N") && wrong.contains("`many`"), "{wrong}");
    }

    #[test]
    fn a_table_may_be_written_in_one_line() {
        let mut layers = ConfigLayers::new("[a]\nset = {}").unwrap();
        for text in [r#"{ "x/y" = { n = 1 } }"#, r#"{"x/y": {"n": 1}}"#] {
            layers.set_text("a.set", text, ValueSource::Environment("N".to_owned())).unwrap();
            assert_eq!(layers.values["a.set"].0["x/y"]["n"].as_integer(), Some(1));
        }
        assert!(layers.set_text("a.set", "many", ValueSource::Environment("N".to_owned())).is_err());
    }
}
