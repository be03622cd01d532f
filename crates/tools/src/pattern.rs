//! Patterns by which policy names calls: `tool` or `tool:scope`, each with `*` for any run of
//! characters.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// Longer patterns are rejected.
const CHARS_MAX: usize = 200;

/// Why a text is not a valid pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is not a valid tool pattern: {why}; write `tool` or `tool:scope`, as in `home_call:light.*`")]
pub struct PatternError {
    /// The text, shortened.
    pattern: String,
    why: &'static str,
}

/// The calls that a policy rule applies to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pattern {
    tool: String,
    scope: Option<String>,
}

impl Pattern {
    /// Whether it covers a call of this tool with this scope.
    pub fn covers(&self, tool: &str, scope: Option<&str>) -> bool {
        self.names(tool) && self.scope.as_deref().is_none_or(|pattern| fits(pattern, scope.unwrap_or_default()))
    }

    /// Whether it may cover a call of this tool with this scope. A call without a scope may affect
    /// anything.
    pub fn may_cover(&self, tool: &str, scope: Option<&str>) -> bool {
        self.covers(tool, scope) || (scope.is_none() && self.names(tool))
    }

    /// Whether it covers some call of this tool.
    pub(crate) fn names(&self, tool: &str) -> bool {
        fits(&self.tool, tool)
    }

    /// Whether it covers every call of this tool, whatever its scope.
    pub(crate) fn covers_all_of(&self, tool: &str) -> bool {
        let any_scope = |scope: &str| scope.chars().all(|char| char == '*');
        self.names(tool) && self.scope.as_deref().is_none_or(any_scope)
    }
}

impl FromStr for Pattern {
    type Err = PatternError;

    fn from_str(text: &str) -> Result<Self, PatternError> {
        let bad = |why| PatternError { pattern: text.chars().take(64).collect(), why };
        let (tool, scope) = match text.split_once(':') {
            Some((tool, scope)) => (tool, Some(scope)),
            None => (text, None),
        };
        if tool.is_empty() {
            return Err(bad("the tool is missing"));
        }
        if scope == Some("") {
            return Err(bad("nothing follows the colon"));
        }
        if text.chars().count() > CHARS_MAX {
            return Err(bad("it is longer than 200 characters"));
        }
        if !tool.chars().all(|char| char.is_ascii_lowercase() || char.is_ascii_digit() || matches!(char, '_' | '*')) {
            return Err(bad("tool names have lower-case letters, digits and `_`"));
        }
        if text.chars().any(|char| char.is_whitespace() || char.is_control()) {
            return Err(bad("it contains spaces"));
        }
        Ok(Self { tool: tool.to_owned(), scope: scope.map(str::to_owned) })
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.scope {
            Some(scope) => write!(f, "{}:{scope}", self.tool),
            None => f.write_str(&self.tool),
        }
    }
}

impl TryFrom<String> for Pattern {
    type Error = PatternError;

    fn try_from(text: String) -> Result<Self, PatternError> {
        text.parse()
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.to_string()
    }
}

/// Whether a text matches a pattern with stars. After a mismatch, only the last star is tried again
/// with one character more: the stars before it matched as little as they can.
pub fn fits(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    let (mut at, mut from) = (0, 0);
    let mut star = None;
    while from < text.len() {
        if pattern.get(at) == Some(&'*') {
            star = Some((at, from));
            at += 1;
        } else if pattern.get(at) == Some(&text[from]) {
            (at, from) = (at + 1, from + 1);
        } else if let Some((star_at, taken)) = star {
            (at, from) = (star_at + 1, taken + 1);
            star = Some((star_at, from));
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(|char| *char == '*')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn stars_stand_for_any_run_of_characters() {
        for (pattern, text, expected) in [
            ("light", "light", true),
            ("light", "lights", false),
            ("*", "", true),
            ("*", "anything", true),
            ("light.*", "light.turn_on", true),
            ("light.*", "lock.turn_on", false),
            ("*.turn_on", "light.turn_on", true),
            ("*.turn_on", "light.turn_on.now", false),
            ("l*t.*_on", "light.turn_on", true),
            ("a*b*c", "abbbcbc", true),
            ("a*b*c", "abbbcb", false),
            ("**", "x", true),
            ("", "x", false),
        ] {
            assert_eq!(fits(pattern, text), expected, "{pattern} {text}");
        }
    }

    #[test]
    fn a_pattern_is_about_a_tool_and_what_it_touches() {
        for (pattern, tool, scope, expected) in [
            ("home_call", "home_call", Some("light.turn_on"), true),
            ("home_call", "home_call", None, true),
            ("home_*", "home_call", None, true),
            ("home_call:light.*", "home_call", Some("light.turn_on"), true),
            ("home_call:light.*", "home_call", Some("lock.open"), false),
            ("home_call:light.*", "home_call", None, false),
            ("home_call:*", "home_call", None, true),
            ("*:lock.*", "home_call", Some("lock.open"), true),
            ("fetch:host:8443", "fetch", Some("host:8443"), true),
        ] {
            assert_eq!(pattern.parse::<Pattern>().unwrap().covers(tool, scope), expected, "{pattern} {tool} {scope:?}");
        }
    }

    #[test]
    fn what_is_no_pattern_is_refused_with_the_reason() {
        for (text, why) in [
            ("", "the tool is missing"),
            (":light", "the tool is missing"),
            ("home:", "nothing follows the colon"),
            ("Home", "lower-case letters"),
            ("home call", "lower-case letters"),
            ("home:light on", "spaces"),
            (&"x".repeat(201), "longer than"),
        ] {
            let error = text.parse::<Pattern>().unwrap_err().to_string();
            assert!(error.contains(why) && error.contains("home_call:light.*"), "{error}");
        }
    }

    proptest! {
        #[test]
        fn a_pattern_without_stars_fits_only_itself(pattern in "[a-c]{0,4}", text in "[a-c]{0,4}") {
            prop_assert_eq!(fits(&pattern, &text), pattern == text);
        }

        #[test]
        fn whatever_a_star_is_replaced_by_still_fits(parts in prop::collection::vec("[ab]{0,3}", 1..4), fill in "[ab]{0,3}") {
            prop_assert!(fits(&parts.join("*"), &parts.join(&fill)));
        }

        #[test]
        fn patterns_read_what_they_write(text in "[a-z*_]{1,5}(:[a-z.*]{1,5})?") {
            prop_assert_eq!(text.parse::<Pattern>().unwrap().to_string(), text);
        }
    }
}
