//! What an operator changes in the table of sensitive things: `home.sensitive` adds to it,
//! `home.not_sensitive` takes out of it.

use reflex::{ALWAYS_SENSITIVE, SensitiveRule, SensitiveTable};

use crate::port::EntityId;

/// The domains whose entities can be controlled.
const DOMAINS: &[&str] = &[
    "alarm_control_panel",
    "automation",
    "button",
    "camera",
    "climate",
    "cover",
    "date",
    "datetime",
    "fan",
    "group",
    "humidifier",
    "input_boolean",
    "input_button",
    "input_datetime",
    "input_number",
    "input_select",
    "input_text",
    "lawn_mower",
    "light",
    "lock",
    "media_player",
    "notify",
    "number",
    "remote",
    "scene",
    "script",
    "select",
    "siren",
    "switch",
    "text",
    "time",
    "timer",
    "todo",
    "update",
    "vacuum",
    "valve",
    "water_heater",
];

/// The device classes of what can be controlled, and of sensors on doors and valves.
const CLASSES: &[&str] = &[
    "awning",
    "blind",
    "curtain",
    "damper",
    "dehumidifier",
    "door",
    "garage",
    "garage_door",
    "gas",
    "gate",
    "humidifier",
    "lock",
    "opening",
    "outlet",
    "projector",
    "receiver",
    "restart",
    "shade",
    "shutter",
    "speaker",
    "switch",
    "tv",
    "update",
    "water",
    "window",
];

/// Why a rule cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SensitiveRuleError {
    /// It does not have the form of a rule.
    #[error(
        "`{0}` is not a valid rule: write a domain as `climate`, a device class as `class:window`, a service as \
         `service:climate.set_temperature`, or an entity as `switch.pool_pump`"
    )]
    Form(String),
    /// There is no such domain.
    #[error("`{0}` is not a domain that can be controlled; there is: {list}", list = DOMAINS.join(", "))]
    Domain(String),
    /// There is no such device class.
    #[error("`{0}` is not a device class of what can be controlled; there is: {list}", list = CLASSES.join(", "))]
    Class(String),
    /// It may not be taken out.
    #[error(
        "`{0}` cannot be taken out: unlocking, alarms and what else belongs to `lock` and `alarm_control_panel` is \
         always confirmed (locking alone only with `home.confirm_locking`)"
    )]
    Fixed(String),
    /// Services are not in the built-in table.
    #[error("`{0}` cannot be taken out: no service is sensitive unless `home.sensitive` names it")]
    Service(String),
}

/// The built-in table with these rules added and taken out. An entity counts before its device
/// class, and that before its domain. The error names the setting that is wrong.
pub fn sensitive_table(
    added: &[String],
    removed: &[String],
) -> Result<SensitiveTable, (&'static str, SensitiveRuleError)> {
    let mut table = SensitiveTable::clone(&SensitiveTable::built_in());
    for text in removed {
        let removed = rule(text).and_then(|rule| loosened(rule, text));
        table.remove(&removed.map_err(|error| ("not_sensitive", error))?);
    }
    for text in added {
        table.add(&rule(text).map_err(|error| ("sensitive", error))?);
    }
    Ok(table)
}

/// A rule that may be taken out.
fn loosened(rule: SensitiveRule, text: &str) -> Result<SensitiveRule, SensitiveRuleError> {
    let is_fixed = |domain: &str| ALWAYS_SENSITIVE.contains(&domain);
    match &rule {
        SensitiveRule::Domain(domain) if is_fixed(domain) => Err(SensitiveRuleError::Fixed(text.to_owned())),
        SensitiveRule::Entity(id) if id.split('.').next().is_some_and(is_fixed) => {
            Err(SensitiveRuleError::Fixed(text.to_owned()))
        }
        SensitiveRule::Service(_) => Err(SensitiveRuleError::Service(text.to_owned())),
        _ => Ok(rule),
    }
}

fn rule(text: &str) -> Result<SensitiveRule, SensitiveRuleError> {
    let text = text.trim();
    let shown = || text.chars().take(100).collect::<String>();
    let is_word = |word: &str| {
        !word.is_empty() && word.chars().all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_')
    };
    let known = |domain: &str| {
        let is_known = DOMAINS.contains(&domain);
        if is_known { Ok(()) } else { Err(SensitiveRuleError::Domain(domain.chars().take(100).collect())) }
    };
    match text.split_once(':') {
        Some(("class", class)) if CLASSES.contains(&class) => Ok(SensitiveRule::Class(class.to_owned())),
        Some(("class", class)) if is_word(class) => Err(SensitiveRuleError::Class(class.chars().take(100).collect())),
        Some(("service", service)) => {
            let (domain, name) = service.split_once('.').ok_or_else(|| SensitiveRuleError::Form(shown()))?;
            if !is_word(domain) || !is_word(name) {
                return Err(SensitiveRuleError::Form(shown()));
            }
            Ok(SensitiveRule::Service(service.to_owned()))
        }
        Some(_) => Err(SensitiveRuleError::Form(shown())),
        None if text.contains('.') => {
            let id: EntityId = text.parse().map_err(|_| SensitiveRuleError::Form(shown()))?;
            known(id.domain())?;
            Ok(SensitiveRule::Entity(id.to_string()))
        }
        None if is_word(text) => known(text).map(|()| SensitiveRule::Domain(text.to_owned())),
        None => Err(SensitiveRuleError::Form(shown())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(added: &[&str], removed: &[&str]) -> String {
        let owned = |rules: &[&str]| rules.iter().map(|rule| (*rule).to_owned()).collect::<Vec<_>>();
        match sensitive_table(&owned(added), &owned(removed)) {
            Ok(_) => String::new(),
            Err((setting, error)) => format!("{setting}: {error}"),
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (added, removed, expected) in [
            (
                &["climate", "class:window", "service:light.turn_off", "switch.pump"][..],
                &["class:gate", "valve"][..],
                "",
            ),
            (&["ligth"], &[], "sensitive: `ligth` is not a domain"),
            (&["class:windwo"], &[], "sensitive: `windwo` is not a device class"),
            (&["light.Kitchen Lamp"], &[], "sensitive: `light.Kitchen Lamp` is not a valid rule"),
            (&["area:kitchen"], &[], "sensitive: `area:kitchen` is not a valid rule"),
            (&[], &["lock"], "not_sensitive: `lock` cannot be taken out"),
            (&[], &["lock.shed"], "not_sensitive: `lock.shed` cannot be taken out"),
            (&[], &["service:lock.unlock"], "not_sensitive: `service:lock.unlock` cannot be taken out"),
        ] {
            let fault = fault(added, removed);
            assert!(fault.starts_with(expected) && fault.is_empty() == expected.is_empty(), "{fault}");
        }
    }
}
