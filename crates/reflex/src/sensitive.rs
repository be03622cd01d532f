//! The sensitive things of a home, where a wrong action is costly: locks, alarms, valves, garage
//! doors. This is the only table of them. The matcher never guesses at them, and the home's tools
//! ask for confirmation each time.

/// Domains that are always sensitive.
const DOMAINS: &[&str] = &["lock", "alarm_control_panel", "valve", "siren"];
/// Device classes of covers, and of sensors on doors and valves.
const DEVICE_CLASSES: &[&str] = &["garage", "garage_door", "gate", "door", "lock", "water", "gas"];
/// Domains whose device class decides.
const CLASSED_DOMAINS: &[&str] = &["cover", "binary_sensor"];
/// Domains whose name decides: a switch called "Garage Door" opens one.
const NAMED_DOMAINS: &[&str] =
    &["cover", "switch", "script", "scene", "button", "input_button", "input_boolean", "automation", "remote", "group"];

/// Words in the name of such an entity that make it sensitive. The matcher has more of them for
/// each language, since it may refuse more than a confirmation should ask about.
const NAME_WORDS: &[&str] = &["garage", "gate", "garagentor", "garagentür", "tor", "haustür"];

/// Whether all entities of a domain are sensitive.
pub fn is_sensitive_domain(domain: &str) -> bool {
    DOMAINS.contains(&domain)
}

/// Whether a device class is sensitive.
pub fn is_sensitive_class(class: &str) -> bool {
    DEVICE_CLASSES.contains(&class)
}

/// Whether an entity of this domain and device class is sensitive.
pub fn is_sensitive(domain: &str, class: Option<&str>) -> bool {
    is_sensitive_domain(domain) || CLASSED_DOMAINS.contains(&domain) && class.is_some_and(is_sensitive_class)
}

/// Whether the name of an entity of this domain may make it sensitive.
pub fn is_sensitive_by_name(domain: &str) -> bool {
    NAMED_DOMAINS.contains(&domain)
}

/// Whether a word of a name, in lower case, makes an entity sensitive.
pub fn is_sensitive_word(word: &str) -> bool {
    NAME_WORDS.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kind_and_class_decide() {
        for (domain, class, expected) in [
            ("lock", None, true),
            ("alarm_control_panel", None, true),
            ("cover", Some("garage"), true),
            ("cover", Some("blind"), false),
            ("cover", None, false),
            ("binary_sensor", Some("garage_door"), true),
            ("switch", Some("gate"), false),
            ("light", None, false),
        ] {
            assert_eq!(is_sensitive(domain, class), expected, "{domain} {class:?}");
        }
    }

    #[test]
    fn a_name_decides_where_entities_do_what_they_are_called() {
        assert!(is_sensitive_by_name("switch") && is_sensitive_by_name("script") && !is_sensitive_by_name("light"));
        assert!(is_sensitive_word("garage") && is_sensitive_word("tor") && !is_sensitive_word("lamp"));
    }
}
