//! Things to press and to fill in.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Components in columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Layout {
    /// In how many columns they stand, 1 to 4.
    #[serde(default = "one")]
    pub columns: u8,
    /// The components, in order.
    pub components: Vec<Component>,
}

const fn one() -> u8 {
    1
}

/// How something is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// As such.
    #[default]
    Plain,
    /// To be noticed.
    Info,
    /// All is well.
    Success,
    /// Take care.
    Warning,
    /// Something is wrong, or cannot be undone.
    Danger,
}

/// One of the things a layout is made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Component {
    /// Words.
    Text {
        /// The words.
        text: String,
    },
    /// Something to press.
    Button {
        /// What stands on it.
        label: String,
        /// What pressing it is called.
        action: String,
        /// Whether it may be pressed while the window's agent is at work.
        #[serde(default, skip_serializing_if = "crate::turn::is_no")]
        parallel: bool,
        /// How it is meant.
        #[serde(default)]
        tone: Tone,
    },
    /// A line, or several, to write in.
    Input {
        /// The name under which it is sent along.
        name: String,
        /// What stands before it.
        #[serde(default)]
        label: String,
        /// What is in it.
        #[serde(default)]
        value: String,
        /// What stands in it as long as it is empty.
        #[serde(default)]
        placeholder: String,
        /// Whether it has several lines.
        #[serde(default, skip_serializing_if = "crate::turn::is_no")]
        multiline: bool,
    },
    /// A choice of one.
    Select {
        /// The name under which it is sent along.
        name: String,
        /// What stands before it.
        #[serde(default)]
        label: String,
        /// What can be chosen.
        options: Vec<SelectOption>,
        /// What is chosen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
    },
    /// A yes or no.
    Checkbox {
        /// The name under which it is sent along.
        name: String,
        /// What stands beside it.
        label: String,
        /// Whether it is a yes.
        #[serde(default)]
        checked: bool,
    },
    /// A word that catches the eye.
    Badge {
        /// The word.
        text: String,
        /// How it is meant.
        #[serde(default)]
        tone: Tone,
    },
    /// How far something is.
    Progress {
        /// What.
        #[serde(default)]
        label: String,
        /// In percent.
        percent: f64,
    },
    /// A picture that is here already.
    Image {
        /// An artifact of the session, as `artifact:ID`, or the picture itself as a `data:` address.
        source: String,
        /// What it shows, in words.
        #[serde(default)]
        alt: String,
    },
    /// Components whose values are sent along together when a button among them is pressed.
    Form {
        /// What it is called.
        name: String,
        /// The components, in order.
        components: Vec<Component>,
    },
    /// Columns side by side.
    Columns {
        /// The columns, from left to right.
        columns: Vec<Vec<Component>>,
    },
}

/// Something that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SelectOption {
    /// What is sent along.
    pub value: String,
    /// What stands there.
    pub label: String,
}
