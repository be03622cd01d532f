//! Checks layouts of components: buttons and form fields.

use std::collections::BTreeSet;

use protocol::{Component, Layout, SelectOption};

use super::{LABEL_CHARS_MAX, fits, picture};

/// Columns of a whole layout.
const LAYOUT_COLUMNS_MAX: u8 = 4;
/// Columns side by side within a component.
const COLUMNS_MAX: usize = 6;
/// The total number of components.
const COMPONENTS_MAX: usize = 200;
/// The nesting depth of components.
const DEPTH_MAX: usize = 4;
/// Options of a select field.
const OPTIONS_MAX: usize = 200;
/// The longest name of a field or a button action.
const NAME_CHARS_MAX: usize = 64;
/// The longest text.
const TEXT_CHARS_MAX: usize = 4_000;

/// Checks a layout.
pub(super) fn check(layout: &Layout) -> Result<(), String> {
    if !(1..=LAYOUT_COLUMNS_MAX).contains(&layout.columns) {
        return Err(format!("content.columns: is {}, and a layout has 1 to {LAYOUT_COLUMNS_MAX}", layout.columns));
    }
    LayoutCheck::new("content.components").all("content.components", &layout.components, Nesting::default())
}

/// Checks the fields of a question: no buttons, no forms.
pub(crate) fn fields(fields: &[Component]) -> Result<(), String> {
    for (n, field) in fields.iter().enumerate() {
        let is_plain = matches!(
            field,
            Component::Text { .. } | Component::Input { .. } | Component::Select { .. } | Component::Checkbox { .. }
        );
        if !is_plain {
            return Err(format!("fields[{n}]: a question is answered in `input`, `select`, `checkbox`, beside `text`"));
        }
    }
    if fields.iter().all(|field| matches!(field, Component::Text { .. })) {
        return Err("fields: there is nothing to fill in".to_owned());
    }
    LayoutCheck::new("fields").all("fields", fields, Nesting::default())
}

/// The enclosing components of a component.
#[derive(Clone, Copy, Default)]
struct Nesting {
    depth: usize,
    form: bool,
}

/// The state of a check.
struct LayoutCheck {
    whole: &'static str,
    count: usize,
    names: BTreeSet<String>,
    forms: BTreeSet<String>,
}

impl LayoutCheck {
    fn new(whole: &'static str) -> Self {
        Self { whole, count: 0, names: BTreeSet::new(), forms: BTreeSet::new() }
    }

    fn all(&mut self, path: &str, components: &[Component], within: Nesting) -> Result<(), String> {
        let within = Nesting { depth: within.depth + 1, ..within };
        if within.depth > DEPTH_MAX && !components.is_empty() {
            return Err(format!("{path}: components can be nested at most {DEPTH_MAX} deep"));
        }
        components
            .iter()
            .enumerate()
            .try_for_each(|(n, component)| self.one(&format!("{path}[{n}]"), component, within))
    }

    fn one(&mut self, path: &str, component: &Component, within: Nesting) -> Result<(), String> {
        self.count += 1;
        if self.count > COMPONENTS_MAX {
            return Err(format!("{}: there are more than {COMPONENTS_MAX}", self.whole));
        }
        let label = |label: &str| fits(&format!("{path}.label"), label, LABEL_CHARS_MAX);
        match component {
            Component::Text { text } => fits(&format!("{path}.text"), text, TEXT_CHARS_MAX),
            Component::Badge { text, .. } => fits(&format!("{path}.text"), text, LABEL_CHARS_MAX),
            Component::Button { label: text, action, .. } => {
                label(text)?;
                named(&format!("{path}.action"), action)
            }
            Component::Input { name, label: text, value, placeholder, .. } => {
                label(text)?;
                fits(&format!("{path}.value"), value, TEXT_CHARS_MAX)?;
                fits(&format!("{path}.placeholder"), placeholder, LABEL_CHARS_MAX)?;
                self.field(path, name)
            }
            Component::Select { name, label: text, options, value } => {
                label(text)?;
                choice(path, options, value.as_deref())?;
                self.field(path, name)
            }
            Component::Checkbox { name, label: text, .. } => {
                label(text)?;
                self.field(path, name)
            }
            Component::Progress { label: text, percent } => {
                label(text)?;
                let is_percent = (0.0..=100.0).contains(percent);
                is_percent.then_some(()).ok_or_else(|| format!("{path}.percent: is a number from 0 to 100"))
            }
            Component::Image { source, alt } => {
                fits(&format!("{path}.alt"), alt, LABEL_CHARS_MAX)?;
                picture::refusal(source).map_or(Ok(()), |why| Err(format!("{path}.source: {why}")))
            }
            Component::Form { name, components } => self.form(path, name, components, within),
            Component::Columns { columns } => {
                if !(1..=COLUMNS_MAX).contains(&columns.len()) {
                    return Err(format!("{path}.columns: there are {}, and 1 to {COLUMNS_MAX} fit", columns.len()));
                }
                let mut columns = columns.iter().enumerate();
                columns.try_for_each(|(n, column)| self.all(&format!("{path}.columns[{n}]"), column, within))
            }
        }
    }

    fn form(&mut self, path: &str, name: &str, components: &[Component], within: Nesting) -> Result<(), String> {
        if within.form {
            return Err(format!("{path}: a form cannot contain a form"));
        }
        named(&format!("{path}.name"), name)?;
        if !self.forms.insert(name.to_owned()) {
            return Err(format!("{path}.name: there are two forms named `{name}`"));
        }
        self.all(&format!("{path}.components"), components, Nesting { form: true, ..within })
    }

    /// Values are sent by field name, so names must be unique.
    fn field(&mut self, path: &str, name: &str) -> Result<(), String> {
        named(&format!("{path}.name"), name)?;
        if !self.names.insert(name.to_owned()) {
            return Err(format!("{path}.name: there are two fields named `{name}`"));
        }
        Ok(())
    }
}

fn choice(path: &str, options: &[SelectOption], value: Option<&str>) -> Result<(), String> {
    if !(1..=OPTIONS_MAX).contains(&options.len()) {
        return Err(format!("{path}.options: there are {}, and there have to be 1 to {OPTIONS_MAX}", options.len()));
    }
    let mut values = BTreeSet::new();
    for (n, option) in options.iter().enumerate() {
        fits(&format!("{path}.options[{n}].label"), &option.label, LABEL_CHARS_MAX)?;
        fits(&format!("{path}.options[{n}].value"), &option.value, LABEL_CHARS_MAX)?;
        if !values.insert(option.value.as_str()) {
            return Err(format!("{path}.options[{n}].value: `{}` is listed twice", option.value));
        }
    }
    match value {
        Some(value) if !values.contains(value) => Err(format!("{path}.value: `{value}` is not one of the options")),
        _ => Ok(()),
    }
}

fn named(path: &str, name: &str) -> Result<(), String> {
    if name.trim().is_empty() || name.chars().count() > NAME_CHARS_MAX || name.chars().any(char::is_control) {
        return Err(format!("{path}: has 1 to {NAME_CHARS_MAX} characters and no control characters"));
    }
    Ok(())
}
