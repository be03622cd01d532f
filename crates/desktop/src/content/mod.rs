//! Window content: parsed from a model's JSON, validated and sanitized.

mod data;
mod html;
mod layout;
mod markdown;
mod picture;
mod read;
mod shape;

use protocol::WindowContent;
use serde_json::Value;

pub(crate) use layout::fields;
pub(crate) use picture::is_link;
pub(crate) use read::fields as read_fields;

pub use read::read;

use crate::apps;

/// The longest text of a window in bytes, plain or Markdown.
pub const TEXT_BYTES_MAX: usize = 60 * 1024;
/// The largest window content in bytes of its JSON.
pub const CONTENT_BYTES_MAX: usize = 64 * 1024;
/// The largest parameters of an app in bytes of their JSON.
const PARAMS_BYTES_MAX: usize = 16 * 1024;
/// The longest name, label or header.
const LABEL_CHARS_MAX: usize = 200;

/// Validates and sanitizes the content of a window. The error names the path of what is wrong and
/// what would be right. Checking checked content does not change it.
pub fn check(content: WindowContent) -> Result<WindowContent, String> {
    let content = match content {
        WindowContent::Markdown { text } => {
            let text = markdown::harmless(&short("content.text", text)?);
            // Escaping makes the text longer, so its length is checked afterwards.
            WindowContent::Markdown { text: short("content.text", text)? }
        }
        WindowContent::Html { html } => WindowContent::Html { html: html::harmless(&html)? },
        WindowContent::Text { text } => WindowContent::Text { text: short("content.text", text)? },
        WindowContent::Table { columns, rows } => {
            data::table(&columns, &rows)?;
            WindowContent::Table { columns, rows }
        }
        WindowContent::Chart(chart) => {
            data::chart(&chart)?;
            WindowContent::Chart(chart)
        }
        WindowContent::Components(layout) => {
            layout::check(&layout)?;
            WindowContent::Components(layout)
        }
        WindowContent::Artifact(shown) => {
            short("content.name", shown.name.clone())?;
            WindowContent::Artifact(shown)
        }
        WindowContent::App { app, params } => begun_app(app, params)?,
    };
    let bytes = serde_json::to_string(&content).map_err(|error| format!("content: {error}"))?.len();
    if bytes > CONTENT_BYTES_MAX {
        return Err(format!("content: has {bytes} bytes, and a window shows at most {CONTENT_BYTES_MAX}: show less"));
    }
    Ok(content)
}

fn begun_app(app: String, params: Value) -> Result<WindowContent, String> {
    if apps().iter().all(|known| known.name != app) {
        let names: Vec<&str> = apps().iter().map(|app| app.name).collect();
        return Err(format!("content.app: there is no app `{app}`; there are {}", names.join(", ")));
    }
    if !matches!(params, Value::Null | Value::Object(_)) {
        return Err("content.params: has to be an object".to_owned());
    }
    let bytes = params.to_string().len();
    if bytes > PARAMS_BYTES_MAX {
        return Err(format!("content.params: has {bytes} bytes, and an app takes at most {PARAMS_BYTES_MAX}"));
    }
    Ok(WindowContent::App { app, params })
}

/// Checks the length of a window's text in bytes.
fn short(path: &str, text: String) -> Result<String, String> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(format!(
            "{path}: has {} bytes, and a window's text at most {TEXT_BYTES_MAX}: shorten it",
            text.len()
        ));
    }
    Ok(text)
}

/// Checks the length of a text in characters.
fn fits(path: &str, text: &str, chars_max: usize) -> Result<(), String> {
    let chars = text.chars().count();
    if chars > chars_max {
        return Err(format!("{path}: has {chars} characters, and at most {chars_max} fit"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
