//! What a window shows, as plain text.

use protocol::{Chart, ChartKind, Component, Layout, WindowContent, beginning};
use serde_json::Value;

use super::{cut, html};

/// The number of characters of one label, cell or value.
const PART_CHARS_MAX: usize = 200;

/// The content of a window as plain text of at most this many characters.
pub fn content_as_text(content: &WindowContent, chars_max: usize) -> String {
    let text = match content {
        WindowContent::Markdown { text } | WindowContent::Text { text } => text.clone(),
        WindowContent::Html { html } => html::html_as_text(html),
        WindowContent::Table { columns, rows } => table(columns, rows, chars_max),
        WindowContent::Chart(chart) => in_numbers(chart),
        WindowContent::Components(layout) => layout_in_words(layout),
        WindowContent::Artifact(shown) => {
            format!("artifact {}: {} ({})", shown.artifact_id, shown.name, shown.media_type)
        }
        WindowContent::App { app, params: Value::Null } => format!("app {app}"),
        WindowContent::App { app, params } => format!("app {app}, opened with {params}"),
    };
    cut(text.trim_end(), chars_max)
}

/// A line for each row, as long as they fit; then the number of remaining rows.
fn table(columns: &[String], rows: &[Vec<Value>], chars_max: usize) -> String {
    let mut text = columns.iter().map(|head| part(head)).collect::<Vec<_>>().join(" | ");
    let mut chars = text.chars().count();
    for (n, row) in rows.iter().enumerate() {
        let told = row.iter().map(cell).collect::<Vec<_>>().join(" | ");
        let left = format!("\n… {} more rows", rows.len() - n);
        chars += 1 + told.chars().count();
        let is_last = n + 1 == rows.len();
        if chars + if is_last { 0 } else { left.chars().count() } > chars_max {
            return text + &left;
        }
        text.push('\n');
        text.push_str(&told);
    }
    text
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::String(text) => part(text),
        other => part(&other.to_string()),
    }
}

fn in_numbers(chart: &Chart) -> String {
    let kind = match chart.kind {
        ChartKind::Bar => "bar",
        ChartKind::Line => "line",
        ChartKind::Area => "area",
        ChartKind::Pie => "pie",
        ChartKind::Scatter => "scatter",
    };
    let mut lines = vec![format!("{kind} chart")];
    for (n, label) in chart.labels.iter().enumerate() {
        let values = chart.series.iter().filter_map(|row| Some(format!("{} {}", part(&row.name), row.values.get(n)?)));
        lines.push(format!("{}: {}", part(label), values.collect::<Vec<_>>().join(", ")));
    }
    lines.join("\n")
}

fn layout_in_words(layout: &Layout) -> String {
    let mut lines = Vec::new();
    components(&layout.components, 0, &mut lines);
    lines.join("\n")
}

fn components(list: &[Component], depth: usize, lines: &mut Vec<String>) {
    for component in list {
        let told = match component {
            Component::Text { text } => text.clone(),
            Component::Button { label, action, .. } => format!("button \"{}\" ({})", part(label), part(action)),
            Component::Input { name, label, value, .. } => filled("input", name, label, &part(value)),
            Component::Select { name, label, options, value } => {
                let known = options.iter().map(|option| part(&option.value)).collect::<Vec<_>>().join(", ");
                format!("{} (of {known})", filled("select", name, label, value.as_deref().unwrap_or("")))
            }
            Component::Checkbox { name, label, checked } => {
                filled("checkbox", name, label, if *checked { "yes" } else { "no" })
            }
            Component::Badge { text, .. } => format!("[{}]", part(text)),
            Component::Progress { label, percent } => format!("progress {}: {percent} %", part(label)),
            Component::Image { alt, .. } => format!("picture: {}", part(alt)),
            Component::Form { name, .. } => format!("form {}:", part(name)),
            Component::Columns { columns } => format!("{} columns:", columns.len()),
        };
        lines.extend(told.lines().map(|line| format!("{}{line}", "  ".repeat(depth))));
        match component {
            Component::Form { components: inner, .. } => components(inner, depth + 1, lines),
            Component::Columns { columns } => columns.iter().for_each(|column| components(column, depth + 1, lines)),
            _ => {}
        }
    }
}

fn filled(kind: &str, name: &str, label: &str, value: &str) -> String {
    let label = if label.is_empty() { String::new() } else { format!(" \"{}\"", part(label)) };
    format!("{kind} {}{label}: {value}", part(name))
}

fn part(text: &str) -> String {
    beginning(text, PART_CHARS_MAX)
}
