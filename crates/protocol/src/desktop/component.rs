//! Components of a layout: texts, buttons, fields and others.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Components in columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Layout {
    /// Number of columns, 1 to 4. Default: 1.
    #[serde(default = "one")]
    pub columns: u8,
    /// The components, in order.
    pub components: Vec<Component>,
}

const fn one() -> u8 {
    1
}

/// Tone of a component or message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Tone {
    /// Neutral.
    #[default]
    Plain,
    /// Information.
    Info,
    /// Success.
    Success,
    /// Warning.
    Warning,
    /// An error, or an action that cannot be undone.
    Danger,
}

/// A component of a layout.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
pub enum Component {
    /// A text.
    Text {
        /// The text.
        text: String,
    },
    /// A button.
    Button {
        /// Label of the button.
        label: String,
        /// Name of the action.
        action: String,
        /// Whether the action can run beside the running turn of the window's agent. Default:
        /// false.
        #[serde(default, skip_serializing_if = "crate::turn::is_no")]
        parallel: bool,
        /// Tone of the button. Default: `plain`.
        #[serde(default)]
        tone: Tone,
    },
    /// A text field.
    Input {
        /// Name of the field.
        name: String,
        /// Label of the field.
        #[serde(default)]
        label: String,
        /// Current value.
        #[serde(default)]
        value: String,
        /// Text that is shown while the field is empty.
        #[serde(default)]
        placeholder: String,
        /// Whether the field has several lines. Default: false.
        #[serde(default, skip_serializing_if = "crate::turn::is_no")]
        multiline: bool,
    },
    /// A choice of one option.
    Select {
        /// Name of the field.
        name: String,
        /// Label of the field.
        #[serde(default)]
        label: String,
        /// The options.
        options: Vec<SelectOption>,
        /// Value of the selected option.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        value: Option<String>,
    },
    /// A checkbox.
    Checkbox {
        /// Name of the field.
        name: String,
        /// Label of the checkbox.
        label: String,
        /// Whether it is checked. Default: false.
        #[serde(default)]
        checked: bool,
    },
    /// A badge: a short highlighted text.
    Badge {
        /// The text.
        text: String,
        /// Tone of the badge. Default: `plain`.
        #[serde(default)]
        tone: Tone,
    },
    /// A progress bar.
    Progress {
        /// Label of the bar.
        #[serde(default)]
        label: String,
        /// Progress in percent.
        percent: f64,
    },
    /// An image.
    Image {
        /// An artifact of the session as `artifact:ID`, or a `data:` URL.
        source: String,
        /// Description of the image.
        #[serde(default)]
        alt: String,
    },
    /// A form: components whose values are sent together when one of its buttons is pressed.
    Form {
        /// Name of the form.
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

/// An option of a choice.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SelectOption {
    /// Value of the option.
    pub value: String,
    /// Label of the option.
    pub label: String,
}
