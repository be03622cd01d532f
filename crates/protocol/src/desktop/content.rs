//! What a window shows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Layout;
use crate::ShownArtifact;

/// What a window shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Content {
    /// Markdown.
    Markdown {
        /// The text.
        text: String,
    },
    /// HTML without scripts, styles from elsewhere or anything else that acts.
    Html {
        /// The markup.
        html: String,
    },
    /// Plain text.
    Text {
        /// The text.
        text: String,
    },
    /// Rows and columns.
    Table {
        /// The heads of the columns.
        columns: Vec<String>,
        /// The rows: a text, a number, a yes or no, or nothing for each column.
        rows: Vec<Vec<Value>>,
    },
    /// Numbers as a picture.
    Chart(Chart),
    /// Things to press and to fill in.
    Components(Layout),
    /// Something that is kept beside the conversation: a report, a table, a picture.
    Artifact(ShownArtifact),
    /// An app in a frame of its own.
    App {
        /// One of the apps that the server offers, by name.
        app: String,
        /// What the app is begun with.
        #[serde(default, skip_serializing_if = "Value::is_null")]
        params: Value,
    },
}

impl Content {
    /// Its kind, as in `markdown`.
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

/// How numbers are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChartKind {
    /// A bar for each.
    Bar,
    /// A line through them.
    Line,
    /// The same, filled.
    Area,
    /// Shares of a whole.
    Pie,
    /// A dot for each.
    Scatter,
}

/// Numbers as a picture.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Chart {
    /// How they are drawn.
    pub kind: ChartKind,
    /// What stands below each place.
    pub labels: Vec<String>,
    /// The rows of numbers, one number for each label.
    pub series: Vec<Series>,
}

/// A row of numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Series {
    /// What it is called.
    pub name: String,
    /// The numbers.
    pub values: Vec<f64>,
}
