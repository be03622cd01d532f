//! The sensitive things of a home, where a wrong action is costly: locks, alarms, valves, garage
//! doors. `sensitive.toml` is the only table of them. The matcher never guesses at them, and the
//! home's tools ask for confirmation each time.

use std::sync::LazyLock;

use serde::Deserialize;

/// The table.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct SensitiveTable {
    domains: Vec<String>,
    device_classes: Vec<String>,
    classed_domains: Vec<String>,
    named_domains: Vec<String>,
    name_words: Vec<String>,
    exact_words: Vec<String>,
}

// A test parses it: a mistake in it is found before it is built in.
static TABLE: LazyLock<SensitiveTable> =
    LazyLock::new(|| toml::from_str(include_str!("sensitive.toml")).unwrap_or_default());

fn has(list: &[String], text: &str) -> bool {
    list.iter().any(|known| known == text)
}

/// Whether all entities of a domain are sensitive.
pub fn is_sensitive_domain(domain: &str) -> bool {
    has(&TABLE.domains, domain)
}

/// Whether a device class is sensitive.
pub fn is_sensitive_class(class: &str) -> bool {
    has(&TABLE.device_classes, class)
}

/// Whether an entity of this domain and device class is sensitive.
pub fn is_sensitive(domain: &str, class: Option<&str>) -> bool {
    is_sensitive_domain(domain) || has(&TABLE.classed_domains, domain) && class.is_some_and(is_sensitive_class)
}

/// Whether the name of an entity of this domain may make it sensitive.
pub fn is_sensitive_by_name(domain: &str) -> bool {
    has(&TABLE.named_domains, domain)
}

/// Whether a word of a name, in lower case, makes an entity sensitive.
pub fn is_sensitive_word(word: &str) -> bool {
    has(&TABLE.name_words, word)
}

/// Whether nothing is guessed about an entity whose name has this word, in lower case.
pub fn is_exact_word(word: &str) -> bool {
    is_sensitive_word(word) || has(&TABLE.exact_words, word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_whole() {
        let parsed: Result<SensitiveTable, _> = toml::from_str(include_str!("sensitive.toml"));
        assert!(parsed.is_ok(), "{parsed:?}");
    }

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
        assert!(is_exact_word("door") && is_exact_word("garage") && !is_sensitive_word("door"));
    }
}
