//! What may be touched at all, by domain, area and entity, and what a person has to confirm each time.

use std::{fmt, str::FromStr};

use super::members::with_members;
use crate::{
    house::EntityId,
    index::{Index, Standing, plain},
};

/// What a rule is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// All of a domain, as `light`.
    Domain(String),
    /// All in an area, by its id or its name, as `area:kitchen`.
    Area(String),
    /// One entity, as `light.kitchen`.
    Entity(EntityId),
}

/// Why a text is no rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no rule for the home: write a domain as `light`, an entity as `light.kitchen`, or an area as `area:kitchen`"
)]
pub struct BadRule(String);

impl FromStr for Rule {
    type Err = BadRule;

    fn from_str(text: &str) -> Result<Self, BadRule> {
        let bad = || BadRule(text.chars().take(100).collect());
        let is_word = |word: &str| {
            !word.is_empty()
                && word.chars().all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || char == '_')
        };
        match text.trim().split_once(':') {
            Some(("area", area)) if !plain(area).is_empty() => Ok(Self::Area(plain(area))),
            Some(_) => Err(bad()),
            None if text.contains('.') => text.trim().parse().map(Self::Entity).map_err(|_| bad()),
            None if is_word(text.trim()) => Ok(Self::Domain(text.trim().to_owned())),
            None => Err(bad()),
        }
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Domain(domain) => f.write_str(domain),
            Self::Area(area) => write!(f, "area:{area}"),
            Self::Entity(id) => id.fmt(f),
        }
    }
}

impl Rule {
    fn covers(&self, standing: &Standing) -> bool {
        match self {
            Self::Domain(domain) => standing.entity.id.domain() == domain,
            Self::Entity(id) => standing.entity.id == *id,
            Self::Area(wanted) => standing
                .area
                .as_ref()
                .is_some_and(|area| plain(area.id.as_str()) == *wanted || plain(&area.name) == *wanted),
        }
    }
}

/// Services that touch nothing in particular and much at once.
const SWEEPING: &[&str] =
    &["command_line", "hassio", "homeassistant", "mqtt", "python_script", "rest_command", "shell_command"];

/// What may be touched. Whatever is denied may not, whatever else allows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Permission {
    /// The only things that may be touched; none means all.
    pub allow: Vec<Rule>,
    /// What may not be touched.
    pub deny: Vec<Rule>,
}

impl Permission {
    /// Why a service that names no entity may not be called, if it may not.
    pub(super) fn objection_to_service(&self, domain: &str) -> Option<String> {
        let is_own = |rule: &&Rule| matches!(rule, Rule::Domain(own) if own == domain);
        if let Some(rule) = self.deny.iter().find(is_own) {
            return Some(format!("services of `{domain}` may not be called: `home.deny` has `{rule}`"));
        }
        let is_allowed = self.allow.is_empty() || self.allow.iter().any(|rule| is_own(&rule));
        (!is_allowed).then(|| format!("services of `{domain}` are not among what `home.allow` lets be called"))
    }

    /// Why a service that names no entity is confirmed each time, if it is.
    pub(super) fn sweeps(domain: &str, service: &str) -> Option<String> {
        let is_sweeping = SWEEPING.contains(&domain);
        is_sweeping.then(|| format!("`{domain}.{service}` can touch anything, so it is confirmed each time"))
    }

    /// Why an entity may not be touched, if it may not.
    pub(super) fn objection(&self, index: &Index, standing: &Standing) -> Option<String> {
        let id = &standing.entity.id;
        if !standing.entity.exposed {
            return Some(format!(
                "`{id}` is not exposed to assistants, so it is left alone; expose it in the home's own settings first"
            ));
        }
        // A group is no way around a denial. It is one around exposure, as in the home itself: there one shows the group and
        // hides its members.
        for moved in with_members(index, standing) {
            if let Some(rule) = self.deny.iter().find(|rule| rule.covers(&moved)) {
                let own = &moved.entity.id;
                let member = if own == id { String::new() } else { format!(" with its member `{own}`") };
                return Some(format!("`{id}`{member} may not be touched: `home.deny` has `{rule}`"));
            }
        }
        let is_allowed = self.allow.is_empty() || self.allow.iter().any(|rule| rule.covers(standing));
        (!is_allowed).then(|| format!("`{id}` is not among what `home.allow` lets be touched"))
    }
}
