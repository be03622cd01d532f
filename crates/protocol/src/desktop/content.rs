//! Content of windows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Layout;
use crate::ShownArtifact;

/// Content of a window.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum WindowContent {
    /// Markdown.
    Markdown {
        /// The text.
        text: String,
    },
    /// HTML without scripts, external styles or other active content.
    Html {
        /// The markup.
        html: String,
    },
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// A table.
    Table {
        /// Headers of the columns.
        columns: Vec<String>,
        /// The rows. Each cell is a text, a number, a boolean or null.
        rows: Vec<Vec<Value>>,
    },
    /// A chart.
    Chart(Chart),
    /// Components such as texts, buttons and fields.
    Components(Layout),
    /// An artifact: a report, a table or an image.
    Artifact(ShownArtifact),
    /// An app in its own frame.
    App {
        /// Name of the app, one of those that the server offers.
        app: String,
        /// Parameters of the app.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        params: Value,
    },
}

impl WindowContent {
    /// Kind on the wire, for example `markdown`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Markdown { .. } => "markdown",
            Self::Html { .. } => "html",
            Self::Text { .. } => "text",
            Self::Table { .. } => "table",
            Self::Chart(_) => "chart",
            Self::Components(_) => "components",
            Self::Artifact(_) => "artifact",
            Self::App { .. } => "app",
        }
    }
}

/// Kind of a chart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChartKind {
    /// Bars.
    Bar,
    /// Lines.
    Line,
    /// Lines with the area below filled.
    Area,
    /// Sectors of a circle.
    Pie,
    /// Dots.
    Scatter,
}

/// A chart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chart {
    /// Kind of the chart.
    pub kind: ChartKind,
    /// Labels of the horizontal axis.
    pub labels: Vec<String>,
    /// The series, each with one number per label.
    pub series: Vec<Series>,
}

/// A series of numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// Name of the series.
    pub name: String,
    /// The numbers.
    pub values: Vec<f64>,
}
