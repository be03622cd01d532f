//! Things to press and to fill in.

use std::collections::BTreeSet;

use protocol::{Component, Layout, SelectOption};

use super::{LABEL_CHARS_MAX, fits, picture};

/// Columns of a whole layout.
const LAYOUT_COLUMNS_MAX: u8 = 4;
/// Columns side by side within one.
const COLUMNS_MAX: usize = 6;
/// Components, all together.
const COMPONENTS_MAX: usize = 200;
/// Components within components.
const DEPTH_MAX: usize = 4;
/// What can be chosen from.
const OPTIONS_MAX: usize = 200;
/// The longest name of something to fill in or to press.
const NAME_CHARS_MAX: usize = 64;
/// The longest text.
const TEXT_CHARS_MAX: usize = 4_000;

/// Whether a layout can be shown.
pub(super) fn check(layout: &Layout) -> Result<(), String> {
    if !(1..=LAYOUT_COLUMNS_MAX).contains(&layout.columns) {
        return Err(format!("content.columns: is {}, and a layout has 1 to {LAYOUT_COLUMNS_MAX}", layout.columns));
    }
    Walk::new("content.components").all("content.components", &layout.components, Within::default())
}

/// Whether fields of a question can be filled in: no buttons, no forms, nothing else that asks on its own.
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
    Walk::new("fields").all("fields", fields, Within::default())
}

/// What a component stands in.
#[derive(Clone, Copy, Default)]
struct Within {
    depth: usize,
    form: bool,
}

/// What was met so far.
struct Walk {
    whole: &'static str,
    count: usize,
    names: BTreeSet<String>,
    forms: BTreeSet<String>,
}

impl Walk {
    fn new(whole: &'static str) -> Self {
        Self { whole, count: 0, names: BTreeSet::new(), forms: BTreeSet::new() }
    }

    fn all(&mut self, path: &str, components: &[Component], within: Within) -> Result<(), String> {
        let within = Within { depth: within.depth + 1, ..within };
        if within.depth > DEPTH_MAX && !components.is_empty() {
            return Err(format!("{path}: components stand at most {DEPTH_MAX} deep in each other"));
        }
        components
            .iter()
            .enumerate()
            .try_for_each(|(n, component)| self.one(&format!("{path}[{n}]"), component, within))
    }

    fn one(&mut self, path: &str, component: &Component, within: Within) -> Result<(), String> {
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

    fn form(&mut self, path: &str, name: &str, components: &[Component], within: Within) -> Result<(), String> {
        if within.form {
            return Err(format!("{path}: a form cannot stand in a form"));
        }
        named(&format!("{path}.name"), name)?;
        if !self.forms.insert(name.to_owned()) {
            return Err(format!("{path}.name: there are two forms named `{name}`"));
        }
        self.all(&format!("{path}.components"), components, Within { form: true, ..within })
    }

    /// What is filled in is told by name, so no two may have the same.
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
            return Err(format!("{path}.options[{n}].value: `{}` stands there twice", option.value));
        }
    }
    match value {
        Some(value) if !values.contains(value) => Err(format!("{path}.value: `{value}` is none of the options")),
        _ => Ok(()),
    }
}

fn named(path: &str, name: &str) -> Result<(), String> {
    if name.trim().is_empty() || name.chars().count() > NAME_CHARS_MAX || name.chars().any(char::is_control) {
        return Err(format!("{path}: has 1 to {NAME_CHARS_MAX} characters and no control characters"));
    }
    Ok(())
}
