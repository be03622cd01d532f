//! What a window may show: read from what a model writes, validated, and made harmless.

mod data;
mod html;
mod layout;
mod markdown;
mod picture;
mod read;
mod shape;

use protocol::Content;
use serde_json::Value;

pub(crate) use layout::fields;
pub(crate) use picture::is_link;
pub(crate) use read::fields as read_fields;

pub use read::read;

use crate::apps;

/// The longest text of a window, in bytes: plain or Markdown.
pub const TEXT_BYTES_MAX: usize = 60 * 1024;
/// The largest content of a window, in bytes of its JSON.
pub const CONTENT_BYTES_MAX: usize = 64 * 1024;
/// What an app may be begun with, in bytes of its JSON.
const PARAMS_BYTES_MAX: usize = 16 * 1024;
/// The longest name, label or head.
const LABEL_CHARS_MAX: usize = 200;

/// Validates what a window is to show, and makes it harmless. The error names the place of what is wrong, and what
/// would be right. Checking what was checked changes nothing.
pub fn check(content: Content) -> Result<Content, String> {
    let content = match content {
        Content::Markdown { text } => {
            let text = markdown::harmless(&short("content.text", text)?);
            // Words that are kept from acting are longer than those that act.
            Content::Markdown { text: short("content.text", text)? }
        }
        Content::Html { html } => Content::Html { html: html::harmless(&html)? },
        Content::Text { text } => Content::Text { text: short("content.text", text)? },
        Content::Table { columns, rows } => {
            data::table(&columns, &rows)?;
            Content::Table { columns, rows }
        }
        Content::Chart(chart) => {
            data::chart(&chart)?;
            Content::Chart(chart)
        }
        Content::Components(layout) => {
            layout::check(&layout)?;
            Content::Components(layout)
        }
        Content::Artifact(shown) => {
            short("content.name", shown.name.clone())?;
            Content::Artifact(shown)
        }
        Content::App { app, params } => begun_app(app, params)?,
    };
    let bytes = serde_json::to_string(&content).map_err(|error| format!("content: {error}"))?.len();
    if bytes > CONTENT_BYTES_MAX {
        return Err(format!("content: has {bytes} bytes, and a window shows at most {CONTENT_BYTES_MAX}: show less"));
    }
    Ok(content)
}

fn begun_app(app: String, params: Value) -> Result<Content, String> {
    if apps().iter().all(|known| known.name != app) {
        let names: Vec<&str> = apps().iter().map(|app| app.name).collect();
        return Err(format!("content.app: there is no app `{app}`; there are {}", names.join(", ")));
    }
    if !matches!(params, Value::Null | Value::Object(_)) {
        return Err("content.params: has to be an object".to_owned());
    }
    let bytes = params.to_string().len();
    if bytes > PARAMS_BYTES_MAX {
        return Err(format!("content.params: has {bytes} bytes, and an app is begun with at most {PARAMS_BYTES_MAX}"));
    }
    Ok(Content::App { app, params })
}

/// A text that is not too long for a window.
fn short(path: &str, text: String) -> Result<String, String> {
    if text.len() > TEXT_BYTES_MAX {
        return Err(format!(
            "{path}: has {} bytes, and a window's text at most {TEXT_BYTES_MAX}: shorten it",
            text.len()
        ));
    }
    Ok(text)
}

/// Refuses a text with more characters than there is room for.
fn fits(path: &str, text: &str, chars_max: usize) -> Result<(), String> {
    let chars = text.chars().count();
    if chars > chars_max {
        return Err(format!("{path}: has {chars} characters, and at most {chars_max} fit"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
