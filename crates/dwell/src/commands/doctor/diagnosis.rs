//! One line of the report.

use serde::Serialize;

use crate::output::Colour;

/// What a check found, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct Diagnosis {
    /// What was checked.
    pub(super) area: &'static str,
    pub(super) state: DiagnosisState,
    pub(super) found: String,
    /// What to do, unless all is well.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) advice: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum DiagnosisState {
    Ok,
    /// It works, but not as well or as safely as it could.
    Warning,
    /// Something does not work.
    Problem,
}

impl Diagnosis {
    pub(super) fn ok(area: &'static str, found: impl Into<String>) -> Self {
        Self { area, state: DiagnosisState::Ok, found: found.into(), advice: None }
    }

    pub(super) fn warning(area: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { area, state: DiagnosisState::Warning, found: found.into(), advice: Some(advice.into()) }
    }

    pub(super) fn problem(area: &'static str, found: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { area, state: DiagnosisState::Problem, found: found.into(), advice: Some(advice.into()) }
    }

    pub(super) fn in_words(&self, is_coloured: bool) -> String {
        let (word, colour) = match self.state {
            DiagnosisState::Ok => ("ok", Colour::Green),
            DiagnosisState::Warning => ("warning", Colour::Yellow),
            DiagnosisState::Problem => ("problem", Colour::Red),
        };
        let state = colour.paint(&format!("{word:7}"), is_coloured);
        let advice = self.advice.as_ref().map(|advice| format!("\n         {:15}→ {advice}", "")).unwrap_or_default();
        format!("{state}  {:15}{}{advice}", self.area, self.found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_was_found_and_what_to_do() {
        let ok = Diagnosis::ok("page", "built in");
        assert_eq!(ok.in_words(false), "ok       page           built in");
        let bad = Diagnosis::problem("disk", "full", "remove something");
        assert_eq!(bad.in_words(false), "problem  disk           full\n                        → remove something");
        assert!(bad.in_words(true).starts_with("\x1b[31mproblem\x1b[0m"));
    }
}
