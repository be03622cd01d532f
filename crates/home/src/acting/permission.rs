//! Permissions: which entities may be controlled, by domain, area and id, and which need a
//! confirmation.

use std::{fmt, str::FromStr};

use super::members::with_members;
use crate::{
    index::{EntitySnapshot, HomeIndex, plain},
    port::EntityId,
};

/// A permission rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionRule {
    /// All entities of a domain, as `light`.
    Domain(String),
    /// All entities in an area, by its id or its name, as `area:kitchen`.
    Area(String),
    /// One entity, as `light.kitchen`.
    Entity(EntityId),
}

/// Why a text is not a rule.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a valid rule: write a domain as `light`, an entity as `light.kitchen`, or an area as `area:kitchen`"
)]
pub struct PermissionRuleError(String);

impl FromStr for PermissionRule {
    type Err = PermissionRuleError;

    fn from_str(text: &str) -> Result<Self, PermissionRuleError> {
        let bad = || PermissionRuleError(text.chars().take(100).collect());
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

impl fmt::Display for PermissionRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Domain(domain) => f.write_str(domain),
            Self::Area(area) => write!(f, "area:{area}"),
            Self::Entity(id) => id.fmt(f),
        }
    }
}

impl PermissionRule {
    fn covers(&self, snapshot: &EntitySnapshot) -> bool {
        match self {
            Self::Domain(domain) => snapshot.entity.id.domain() == domain,
            Self::Entity(id) => snapshot.entity.id == *id,
            Self::Area(wanted) => snapshot
                .area
                .as_ref()
                .is_some_and(|area| plain(area.id.as_str()) == *wanted || plain(&area.name) == *wanted),
        }
    }
}

/// Services without a target that affect much at once.
const SWEEPING: &[&str] =
    &["command_line", "hassio", "homeassistant", "mqtt", "python_script", "rest_command", "shell_command"];

/// The entities that may be controlled. A denial always wins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Permission {
    /// The only entities that may be controlled; empty means all.
    pub allow: Vec<PermissionRule>,
    /// Entities that may not be controlled.
    pub deny: Vec<PermissionRule>,
    /// Whether locking a lock is confirmed, too. Unlocking always is.
    pub confirm_locking: bool,
}

impl Permission {
    /// Why a service without a target may not be called; `None` if it may.
    pub(super) fn objection_to_service(&self, domain: &str) -> Option<String> {
        let is_own = |rule: &&PermissionRule| matches!(rule, PermissionRule::Domain(own) if own == domain);
        if let Some(rule) = self.deny.iter().find(is_own) {
            return Some(format!("services of `{domain}` may not be called: `home.deny` has `{rule}`"));
        }
        let is_allowed = self.allow.is_empty() || self.allow.iter().any(|rule| is_own(&rule));
        (!is_allowed).then(|| format!("services of `{domain}` are not allowed by `home.allow`"))
    }

    /// Why a service without a target needs a confirmation; `None` if it does not.
    pub(super) fn sweeps(domain: &str, service: &str) -> Option<String> {
        let is_sweeping = SWEEPING.contains(&domain);
        is_sweeping.then(|| format!("`{domain}.{service}` can affect anything, so it is confirmed each time"))
    }

    /// Whether a call only locks locks, which needs no confirmation: nothing is opened by it.
    pub(super) fn locks_freely(&self, domain: &str, service: &str) -> bool {
        !self.confirm_locking && domain == "lock" && service == "lock"
    }

    /// Why an entity is denied by a rule, whether it is exposed or not; `None` if it is not.
    pub(crate) fn denial(&self, index: &HomeIndex, snapshot: &EntitySnapshot) -> Option<String> {
        let id = &snapshot.entity.id;
        let moved = with_members(index, snapshot);
        let denied = self.deny.iter().find(|rule| moved.iter().any(|it| rule.covers(it)));
        if let Some(rule) = denied {
            return Some(format!("`{id}` may not be controlled: `home.deny` has `{rule}`"));
        }
        let is_allowed = self.allow.is_empty() || self.allow.iter().any(|rule| rule.covers(snapshot));
        (!is_allowed).then(|| format!("`{id}` is not allowed by `home.allow`"))
    }

    /// Why an entity may not be controlled; `None` if it may.
    pub(crate) fn objection(&self, index: &HomeIndex, snapshot: &EntitySnapshot) -> Option<String> {
        let id = &snapshot.entity.id;
        if !snapshot.entity.exposed {
            return Some(format!(
                "`{id}` is not exposed to assistants, so it cannot be controlled; expose it in the home's own \
                 settings first"
            ));
        }
        // A group does not bypass a denial. It does bypass exposure, as in Home Assistant, where
        // users expose a group and hide its members.
        for moved in with_members(index, snapshot) {
            if let Some(rule) = self.deny.iter().find(|rule| rule.covers(&moved)) {
                let own = &moved.entity.id;
                let member = if own == id { String::new() } else { format!(" with its member `{own}`") };
                return Some(format!("`{id}`{member} may not be controlled: `home.deny` has `{rule}`"));
            }
        }
        let is_allowed = self.allow.is_empty() || self.allow.iter().any(|rule| rule.covers(snapshot));
        (!is_allowed).then(|| format!("`{id}` is not allowed by `home.allow`"))
    }
}
