//! The sensitive things of a home, where a wrong action is costly: locks, alarms, valves, garage
//! doors. `sensitive.toml` is the only table of them, and an operator may change it. The matcher
//! never guesses at them, and the home's tools ask for confirmation each time.

use std::sync::{Arc, LazyLock};

use serde::Deserialize;

/// The table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SensitiveTable {
    domains: Vec<String>,
    device_classes: Vec<String>,
    classed_domains: Vec<String>,
    named_domains: Vec<String>,
    name_words: Vec<String>,
    exact_words: Vec<String>,
    /// Device classes that are sensitive in every domain.
    #[serde(skip)]
    further_classes: Vec<String>,
    /// Services, as `climate.set_temperature`.
    #[serde(skip)]
    services: Vec<String>,
    /// Entities that are sensitive, and those that are not, whatever they are.
    #[serde(skip)]
    entities: Vec<String>,
    #[serde(skip)]
    plain_entities: Vec<String>,
}

/// A change of the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SensitiveRule {
    /// All entities of a domain, as `climate`.
    Domain(String),
    /// All entities of a device class, as `window`.
    Class(String),
    /// A service, as `climate.set_temperature`.
    Service(String),
    /// One entity, as `switch.pool_pump`.
    Entity(String),
}

// A test parses it: a mistake in it is found before it is built in.
static BUILT_IN: LazyLock<Arc<SensitiveTable>> =
    LazyLock::new(|| Arc::new(toml::from_str(include_str!("sensitive.toml")).unwrap_or_default()));

/// The domains that stay sensitive whatever an operator says.
pub const ALWAYS_SENSITIVE: &[&str] = &["lock", "alarm_control_panel"];

fn has(list: &[String], text: &str) -> bool {
    list.iter().any(|known| known == text)
}

impl SensitiveTable {
    /// The built-in table.
    pub fn built_in() -> Arc<Self> {
        BUILT_IN.clone()
    }

    /// Adds what a rule names.
    pub fn add(&mut self, rule: &SensitiveRule) {
        match rule {
            SensitiveRule::Domain(domain) => self.domains.push(domain.clone()),
            SensitiveRule::Class(class) => self.further_classes.push(class.clone()),
            SensitiveRule::Service(service) => self.services.push(service.clone()),
            SensitiveRule::Entity(id) => self.entities.push(id.clone()),
        }
    }

    /// Removes what a rule names, unless it is always sensitive.
    pub fn remove(&mut self, rule: &SensitiveRule) {
        let is_fixed = |domain: &str| ALWAYS_SENSITIVE.contains(&domain);
        match rule {
            SensitiveRule::Domain(domain) if !is_fixed(domain) => self.domains.retain(|known| known != domain),
            SensitiveRule::Class(class) => self.device_classes.retain(|known| known != class),
            SensitiveRule::Entity(id) if !id.split('.').next().is_some_and(is_fixed) => {
                self.plain_entities.push(id.clone());
            }
            SensitiveRule::Domain(_) | SensitiveRule::Service(_) | SensitiveRule::Entity(_) => {}
        }
    }

    /// Whether all entities of a domain are sensitive.
    pub fn is_domain(&self, domain: &str) -> bool {
        has(&self.domains, domain)
    }

    /// Whether a device class is sensitive.
    pub fn is_class(&self, class: &str) -> bool {
        has(&self.device_classes, class) || has(&self.further_classes, class)
    }

    /// Whether entities of this domain and device class are sensitive.
    pub fn is_kind(&self, domain: &str, class: Option<&str>) -> bool {
        let is_classed = |class: &str| {
            has(&self.further_classes, class) || has(&self.classed_domains, domain) && has(&self.device_classes, class)
        };
        self.is_domain(domain) || class.is_some_and(is_classed)
    }

    /// Whether an entity is sensitive by its id and its kind.
    pub fn is_entity(&self, id: &str, class: Option<&str>) -> bool {
        let domain = id.split('.').next().unwrap_or_default();
        self.decides(id).unwrap_or_else(|| self.is_kind(domain, class))
    }

    /// What an operator has decided about an entity.
    pub fn decides(&self, id: &str) -> Option<bool> {
        if has(&self.entities, id) {
            return Some(true);
        }
        has(&self.plain_entities, id).then_some(false)
    }

    /// Whether a service is sensitive, whatever it acts on.
    pub fn is_service(&self, domain: &str, service: &str) -> bool {
        let is_it = |known: &String| known.split_once('.') == Some((domain, service));
        self.services.iter().any(is_it)
    }

    /// Whether the name of an entity of this domain may make it sensitive.
    pub fn is_by_name(&self, domain: &str) -> bool {
        has(&self.named_domains, domain)
    }

    /// Whether a word of a name, in lower case, makes an entity sensitive.
    pub fn is_word(&self, word: &str) -> bool {
        has(&self.name_words, word)
    }

    /// Whether nothing is guessed about an entity whose name has this word, in lower case.
    pub fn is_exact_word(&self, word: &str) -> bool {
        self.is_word(word) || has(&self.exact_words, word)
    }
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
        let table = SensitiveTable::built_in();
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
            assert_eq!(table.is_kind(domain, class), expected, "{domain} {class:?}");
        }
    }

    #[test]
    fn a_name_decides_where_entities_do_what_they_are_called() {
        let table = SensitiveTable::built_in();
        assert!(table.is_by_name("switch") && table.is_by_name("script") && !table.is_by_name("light"));
        assert!(table.is_word("garage") && table.is_word("tor") && !table.is_word("lamp"));
        assert!(table.is_exact_word("door") && table.is_exact_word("garage") && !table.is_word("door"));
    }

    #[test]
    fn an_operator_adds_and_removes() {
        let mut table = SensitiveTable::clone(&SensitiveTable::built_in());
        table.add(&SensitiveRule::Domain("climate".to_owned()));
        table.add(&SensitiveRule::Class("awning".to_owned()));
        table.add(&SensitiveRule::Entity("switch.pump".to_owned()));
        table.add(&SensitiveRule::Service("light.turn_off".to_owned()));
        table.remove(&SensitiveRule::Class("gate".to_owned()));
        table.remove(&SensitiveRule::Entity("valve.garden".to_owned()));
        assert!(table.is_entity("climate.hall", None) && table.is_entity("cover.a", Some("awning")));
        assert!(table.is_entity("switch.pump", None) && !table.is_entity("switch.kettle", None));
        assert!(table.is_service("light", "turn_off") && !table.is_service("light", "turn_on"));
        assert!(!table.is_entity("cover.gate", Some("gate")) && table.is_entity("cover.garage", Some("garage")));
        assert!(!table.is_entity("valve.garden", None) && table.is_entity("valve.main", None));
    }

    #[test]
    fn locks_and_alarms_stay_sensitive() {
        let mut table = SensitiveTable::clone(&SensitiveTable::built_in());
        table.remove(&SensitiveRule::Domain("lock".to_owned()));
        table.remove(&SensitiveRule::Entity("lock.front".to_owned()));
        assert!(table.is_domain("lock") && table.is_entity("lock.front", None));
    }
}
