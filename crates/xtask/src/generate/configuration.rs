//! docs/reference/configuration.md: every setting with its type, default, environment variables and
//! meaning. The meaning is the comment above the setting in defaults.toml.

use anyhow::{Context, Result, ensure};
use serde_json::Value;
use toml::Table;

use super::markdown;

const INTRODUCTION: &str = "A setting comes from the built-in default, the configuration file, an environment variable or a \
flag; a later one in this list wins. The configuration file is the one that `--config` or `DWELL_CONFIG` names, or else \
`config.toml` in the platform's folder for configuration. It has one table for each section below and names only what \
differs from the default. `dwell config` shows every setting with its value and where the value comes from.";

const VARIABLES: &str = "In an environment variable, a list is written with commas between its items, and a table as TOML writes \
it on one line, or as JSON. A variable that is set to an empty text counts as not set.";

/// A section of defaults.toml.
#[derive(Debug, Default, PartialEq)]
struct ConfigSection {
    name: String,
    introduction: SettingComment,
    settings: Vec<ConfigSetting>,
}

#[derive(Debug, PartialEq)]
struct ConfigSetting {
    name: String,
    default: toml::Value,
    meaning: SettingComment,
}

/// A comment: prose, and an example if there is one.
#[derive(Debug, Default, Clone, PartialEq)]
struct SettingComment {
    prose: String,
    example: String,
}

/// `defaults` is the text of defaults.toml, `shown` what `dwell config --json` prints.
pub fn page(defaults: &str, shown: &Value) -> Result<String> {
    let mut text = markdown::head("Configuration", "`crates/dwell/src/config/defaults.toml`");
    text.push_str(&format!("\n{}\n\n{}\n", markdown::wrap(INTRODUCTION), markdown::wrap(VARIABLES)));
    for section in read(defaults)? {
        text.push_str(&format!("\n## `[{}]`\n", section.name));
        section.introduction.push_to(&mut text);
        for setting in &section.settings {
            let key = format!("{}.{}", section.name, setting.name);
            text.push_str(&format!("\n### `{key}`\n\n{}\n", facts(setting, &variables(shown, &key)?)));
            setting.meaning.push_to(&mut text);
        }
    }
    Ok(text)
}

/// Type, default and variables on one line.
fn facts(setting: &ConfigSetting, variables: &[&str]) -> String {
    let variables = match variables {
        [] => "no variable".to_owned(),
        names => names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    };
    format!("{} · default `{}` · {variables}", kind(&setting.default), setting.default)
}

fn kind(value: &toml::Value) -> &'static str {
    match value {
        toml::Value::Array(_) => "list of strings",
        toml::Value::Boolean(_) => "boolean",
        toml::Value::Float(_) => "number",
        toml::Value::Integer(_) => "integer",
        toml::Value::Table(_) => "table",
        toml::Value::String(_) | toml::Value::Datetime(_) => "string",
    }
}

fn variables<'a>(shown: &'a Value, key: &str) -> Result<Vec<&'a str>> {
    let names = shown["settings"][key]["variables"].as_array();
    let names = names.with_context(|| format!("`dwell config --json` names no variables of `{key}`"))?;
    Ok(names.iter().filter_map(Value::as_str).collect())
}

/// The sections in order. A setting without a comment of its own is an error.
fn read(defaults: &str) -> Result<Vec<ConfigSection>> {
    let mut sections: Vec<ConfigSection> = Vec::new();
    let mut comment = SettingComment::default();
    for (index, line) in defaults.lines().enumerate() {
        let wrong = || format!("{}:{}", super::DEFAULTS, index.saturating_add(1));
        if let Some(text) = line.strip_prefix('#') {
            comment.push(text);
        } else if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            sections.push(ConfigSection { name: name.to_owned(), ..ConfigSection::default() });
            comment = SettingComment::default();
        } else if line.is_empty() {
            // What stands alone below the section's name is about the whole section.
            let comment = std::mem::take(&mut comment);
            if let Some(section) = sections.last_mut().filter(|section| section.settings.is_empty()) {
                section.introduction = comment;
            }
        } else {
            let setting = setting(line, std::mem::take(&mut comment)).with_context(wrong)?;
            sections.last_mut().with_context(wrong)?.settings.push(setting);
        }
    }
    Ok(sections)
}

fn setting(line: &str, meaning: SettingComment) -> Result<ConfigSetting> {
    let (name, default) = line
        .parse::<Table>()?
        .into_iter()
        .next()
        .context("is neither a comment nor a section nor a setting on one line")?;
    ensure!(!meaning.prose.is_empty(), "`{name}` has no comment above it that says what it is");
    Ok(ConfigSetting { name, default, meaning })
}

impl SettingComment {
    /// Takes a line in, without its `#`. What is indented is an example.
    fn push(&mut self, line: &str) {
        if let Some(line) = line.strip_prefix("   ") {
            self.example.push_str(line);
            self.example.push('\n');
        } else {
            self.prose.push_str(line);
        }
    }

    fn push_to(&self, text: &mut String) {
        if !self.prose.is_empty() {
            text.push_str(&format!("\n{}\n", markdown::wrap(&self.prose)));
        }
        if !self.example.is_empty() {
            text.push_str(&format!("\n```toml\n{}```\n", self.example));
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const DEFAULTS: &str = "# All settings.\n\n[model]\n# Models answer.\n\n# The model.\n# Empty: the first.\nname = \"\"\n\
                            # What you know:\n#   [model.known]\n#   a = 1\nknown = {}\n\n[log]\n# What is logged.\nlines = 7\n";

    #[test]
    fn a_setting_has_all_its_facts() {
        let shown = json!({ "settings": {
            "model.name": { "variables": ["DWELL_MODEL_NAME", "DWELL_MODEL"] },
            "model.known": { "variables": [] },
            "log.lines": { "variables": ["DWELL_LOG_LINES"] },
        } });
        let page = page(DEFAULTS, &shown).unwrap();
        for expected in [
            "## `[model]`\n\nModels answer.\n\n### `model.name`\n",
            "string · default `\"\"` · `DWELL_MODEL_NAME`, `DWELL_MODEL`\n\nThe model. Empty: the first.\n",
            "table · default `{}` · no variable\n\nWhat you know:\n\n```toml\n[model.known]\na = 1\n```\n",
            "### `log.lines`\n\ninteger · default `7` · `DWELL_LOG_LINES`\n\nWhat is logged.\n",
        ] {
            assert!(page.contains(expected), "{expected}\n\n{page}");
        }
    }

    #[test]
    fn a_setting_without_a_comment_or_a_name_is_refused() {
        let error = |defaults: &str| format!("{:#}", read(defaults).unwrap_err());
        let missing = error("[log]\n# What.\nlines = 7\nlevel = 1\n");
        assert!(missing.contains("defaults.toml:4") && missing.contains("`level` has no comment"), "{missing}");
        assert!(error("lines = 7\n").contains("defaults.toml:1"));
        assert!(page("[log]\n# What.\nlines = 7\n", &json!({})).is_err());
    }
}
