//! The shapes of window content as tables. serde knows them too, but does not report the path of an
//! error.

/// The shape of a JSON value.
pub(super) enum ValueShape {
    /// A text.
    Text,
    /// A yes or no.
    Flag,
    /// A number.
    Number,
    /// A small whole number.
    Count,
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of values of this shape.
    List(&'static ValueShape),
    /// An object with these fields.
    Object(&'static str, &'static [FieldShape]),
    /// An option: a string, or a value with a label.
    Choice,
    /// A component, by its type.
    Component,
    /// Any value; it is checked elsewhere.
    Any,
}

/// A field of an object.
pub(super) struct FieldShape {
    pub(super) name: &'static str,
    pub(super) shape: ValueShape,
    pub(super) is_needed: bool,
}

/// A type of content or of component.
pub(super) struct ObjectKind {
    pub(super) name: &'static str,
    pub(super) fields: &'static [FieldShape],
}

const fn needs(name: &'static str, shape: ValueShape) -> FieldShape {
    FieldShape { name, shape, is_needed: true }
}

const fn has(name: &'static str, shape: ValueShape) -> FieldShape {
    FieldShape { name, shape, is_needed: false }
}

const CHARTS: &[&str] = &["bar", "line", "area", "pie", "scatter"];
const TONES: &[&str] = &["plain", "info", "success", "warning", "danger"];

const SERIES: ValueShape = ValueShape::Object(
    "a series",
    &[needs("name", ValueShape::Text), needs("values", ValueShape::List(&ValueShape::Number))],
);
pub(super) const OPTION: ValueShape =
    ValueShape::Object("an option", &[needs("value", ValueShape::Text), needs("label", ValueShape::Text)]);
const COMPONENT_LIST: ValueShape = ValueShape::List(&ValueShape::Component);

/// The types of content.
pub(super) static CONTENTS: &[ObjectKind] = &[
    ObjectKind { name: "markdown", fields: &[needs("text", ValueShape::Text)] },
    ObjectKind { name: "html", fields: &[needs("html", ValueShape::Text)] },
    ObjectKind { name: "text", fields: &[needs("text", ValueShape::Text)] },
    ObjectKind {
        name: "table",
        fields: &[
            needs("columns", ValueShape::List(&ValueShape::Text)),
            needs("rows", ValueShape::List(&ValueShape::List(&ValueShape::Any))),
        ],
    },
    ObjectKind {
        name: "chart",
        fields: &[
            needs("kind", ValueShape::Word(CHARTS)),
            needs("labels", ValueShape::List(&ValueShape::Text)),
            needs("series", ValueShape::List(&SERIES)),
        ],
    },
    ObjectKind {
        name: "components",
        fields: &[has("columns", ValueShape::Count), needs("components", COMPONENT_LIST)],
    },
    ObjectKind { name: "app", fields: &[needs("app", ValueShape::Text), has("params", ValueShape::Any)] },
];

/// The types of components.
pub(super) static COMPONENTS: &[ObjectKind] = &[
    ObjectKind { name: "text", fields: &[needs("text", ValueShape::Text)] },
    ObjectKind {
        name: "button",
        fields: &[
            needs("label", ValueShape::Text),
            needs("action", ValueShape::Text),
            has("parallel", ValueShape::Flag),
            has("tone", ValueShape::Word(TONES)),
        ],
    },
    ObjectKind {
        name: "input",
        fields: &[
            needs("name", ValueShape::Text),
            has("label", ValueShape::Text),
            has("value", ValueShape::Text),
            has("placeholder", ValueShape::Text),
            has("multiline", ValueShape::Flag),
        ],
    },
    ObjectKind {
        name: "select",
        fields: &[
            needs("name", ValueShape::Text),
            has("label", ValueShape::Text),
            needs("options", ValueShape::List(&ValueShape::Choice)),
            has("value", ValueShape::Text),
        ],
    },
    ObjectKind {
        name: "checkbox",
        fields: &[needs("name", ValueShape::Text), needs("label", ValueShape::Text), has("checked", ValueShape::Flag)],
    },
    ObjectKind { name: "badge", fields: &[needs("text", ValueShape::Text), has("tone", ValueShape::Word(TONES))] },
    ObjectKind { name: "progress", fields: &[has("label", ValueShape::Text), needs("percent", ValueShape::Number)] },
    ObjectKind { name: "image", fields: &[needs("source", ValueShape::Text), has("alt", ValueShape::Text)] },
    ObjectKind { name: "form", fields: &[needs("name", ValueShape::Text), needs("components", COMPONENT_LIST)] },
    ObjectKind { name: "columns", fields: &[needs("columns", ValueShape::List(&COMPONENT_LIST))] },
];
