//! The shapes of what a window shows, as tables. serde knows them too, but not where in a tree something is wrong.

/// What a value looks like.
pub(super) enum Shape {
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
    /// A list of such.
    List(&'static Shape),
    /// An object with these fields.
    Object(&'static str, &'static [Field]),
    /// What can be chosen: a text, or a value with a label.
    Choice,
    /// A component, by its type.
    Component,
    /// Looked at elsewhere.
    Any,
}

/// A field of an object.
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) shape: Shape,
    pub(super) is_needed: bool,
}

/// A kind of content or of component.
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) fields: &'static [Field],
}

const fn needs(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, is_needed: true }
}

const fn has(name: &'static str, shape: Shape) -> Field {
    Field { name, shape, is_needed: false }
}

const CHARTS: &[&str] = &["bar", "line", "area", "pie", "scatter"];
const TONES: &[&str] = &["plain", "info", "success", "warning", "danger"];

const SERIES: Shape =
    Shape::Object("a series", &[needs("name", Shape::Text), needs("values", Shape::List(&Shape::Number))]);
pub(super) const OPTION: Shape =
    Shape::Object("an option", &[needs("value", Shape::Text), needs("label", Shape::Text)]);
const COMPONENT_LIST: Shape = Shape::List(&Shape::Component);

/// What a window can show.
pub(super) static CONTENTS: &[Kind] = &[
    Kind { name: "markdown", fields: &[needs("text", Shape::Text)] },
    Kind { name: "html", fields: &[needs("html", Shape::Text)] },
    Kind { name: "text", fields: &[needs("text", Shape::Text)] },
    Kind {
        name: "table",
        fields: &[needs("columns", Shape::List(&Shape::Text)), needs("rows", Shape::List(&Shape::List(&Shape::Any)))],
    },
    Kind {
        name: "chart",
        fields: &[
            needs("kind", Shape::Word(CHARTS)),
            needs("labels", Shape::List(&Shape::Text)),
            needs("series", Shape::List(&SERIES)),
        ],
    },
    Kind { name: "components", fields: &[has("columns", Shape::Count), needs("components", COMPONENT_LIST)] },
    Kind { name: "app", fields: &[needs("app", Shape::Text), has("params", Shape::Any)] },
];

/// What a layout can be made of.
pub(super) static COMPONENTS: &[Kind] = &[
    Kind { name: "text", fields: &[needs("text", Shape::Text)] },
    Kind {
        name: "button",
        fields: &[
            needs("label", Shape::Text),
            needs("action", Shape::Text),
            has("parallel", Shape::Flag),
            has("tone", Shape::Word(TONES)),
        ],
    },
    Kind {
        name: "input",
        fields: &[
            needs("name", Shape::Text),
            has("label", Shape::Text),
            has("value", Shape::Text),
            has("placeholder", Shape::Text),
            has("multiline", Shape::Flag),
        ],
    },
    Kind {
        name: "select",
        fields: &[
            needs("name", Shape::Text),
            has("label", Shape::Text),
            needs("options", Shape::List(&Shape::Choice)),
            has("value", Shape::Text),
        ],
    },
    Kind {
        name: "checkbox",
        fields: &[needs("name", Shape::Text), needs("label", Shape::Text), has("checked", Shape::Flag)],
    },
    Kind { name: "badge", fields: &[needs("text", Shape::Text), has("tone", Shape::Word(TONES))] },
    Kind { name: "progress", fields: &[has("label", Shape::Text), needs("percent", Shape::Number)] },
    Kind { name: "image", fields: &[needs("source", Shape::Text), has("alt", Shape::Text)] },
    Kind { name: "form", fields: &[needs("name", Shape::Text), needs("components", COMPONENT_LIST)] },
    Kind { name: "columns", fields: &[needs("columns", Shape::List(&COMPONENT_LIST))] },
];
