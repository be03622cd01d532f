//! The text description of a plot for screen readers, and the width of text.

use protocol::{ChartKind, Series, beginning};

use super::{Input, number::short};

/// The number of series and slices described.
const TOLD_MAX: usize = 10;
/// The number of characters of a label in the description.
const LABEL_CHARS_MAX: usize = 60;

/// What the picture shows.
pub(super) fn description(input: &Input) -> String {
    let Input { kind, labels, series, .. } = input;
    let kind_word = match kind {
        ChartKind::Line => "Line chart",
        ChartKind::Bar => "Bar chart",
        ChartKind::Area => "Area chart",
        ChartKind::Scatter => "Scatter chart",
        ChartKind::Pie => "Pie chart",
    };
    let told: Vec<String> = match (kind, series.as_slice()) {
        (ChartKind::Pie, [shares]) => {
            let slices = labels.iter().zip(&shares.values).take(TOLD_MAX);
            slices.map(|(label, value)| format!("{} {}", beginning(label, LABEL_CHARS_MAX), short(*value))).collect()
        }
        (_, rows) => rows.iter().map(row).collect(),
    };
    let from_to = match (labels.first(), labels.last()) {
        (Some(first), Some(last)) if *kind != ChartKind::Pie && labels.len() > 1 => {
            format!(" from {} to {}", beginning(first, LABEL_CHARS_MAX), beginning(last, LABEL_CHARS_MAX))
        }
        _ => String::new(),
    };
    format!("{kind_word} of {} values{from_to}. {}.", labels.len(), told.join("; "))
}

fn row(row: &Series) -> String {
    let low = row.values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = row.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    format!("{}: {} to {}", beginning(&row.name, LABEL_CHARS_MAX), short(low), short(high))
}

/// The approximate width of a text: non-Latin scripts have wider letters.
pub(super) fn width(text: &str) -> f64 {
    text.chars().map(|char| if char.is_ascii() { 6.6 } else { 11.0 }).sum()
}
