//! Converts errors of Home Assistant.

use super::wire::WireError;
use crate::port::HomeError;

/// The error with a text that says what to do.
pub(super) fn to_home_error(fault: &WireError, acts: bool) -> HomeError {
    let said = said(fault);
    // A service that is refused internally returns a general error, recognizable only by its
    // message.
    let is_refused = acts && fault.code == "home_assistant_error" && matches!(&*said, "Unauthorized" | "UnknownUser");
    match if is_refused { "unauthorized" } else { fault.code.as_str() } {
        "unauthorized" if acts => HomeError::Forbidden(
            "this token may only read, or may not control these entities; create a token of a user who \
             may, and put it in the configuration"
                .to_owned(),
        ),
        "unauthorized" => HomeError::Forbidden(
            "only an administrator's token may read that; make one and put it in the configuration, or do without"
                .to_owned(),
        ),
        "not_found" | "invalid_format" | "service_validation_error" | "invalid_info" | "not_allowed" => {
            HomeError::Invalid(said)
        }
        "unknown_command" => HomeError::Unsupported(
            "its version, or what is set up in it, has no such command; it may also still be starting".to_owned(),
        ),
        "not_supported" => HomeError::Unsupported(said),
        _ => HomeError::Failed(said),
    }
}

/// The message of Home Assistant, on one line and truncated.
fn said(fault: &WireError) -> String {
    let text = if fault.message.trim().is_empty() { &fault.code } else { &fault.message };
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(500) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None if line.is_empty() => "it does not say why".to_owned(),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(code: &str, message: &str) -> WireError {
        WireError { code: code.to_owned(), message: message.to_owned() }
    }

    #[test]
    fn refusals_are_told_apart_by_what_can_be_done() {
        let of = |code: &str| to_home_error(&fault(code, "Said."), true);
        assert!(matches!(of("unauthorized"), HomeError::Forbidden(why) if why.contains("only read")));
        let inside = to_home_error(&fault("home_assistant_error", "Unauthorized"), true);
        assert!(matches!(inside, HomeError::Forbidden(_)), "as a service says it");
        assert_eq!(of("not_found"), HomeError::Invalid("Said.".to_owned()));
        assert_eq!(of("invalid_format"), HomeError::Invalid("Said.".to_owned()));
        assert!(matches!(of("unknown_command"), HomeError::Unsupported(_)));
        assert_eq!(of("home_assistant_error"), HomeError::Failed("Said.".to_owned()));
        assert!(
            matches!(to_home_error(&fault("unauthorized", ""), false), HomeError::Forbidden(why) if why.contains("administrator"))
        );
    }

    #[test]
    fn what_is_said_is_one_line_of_bearable_length() {
        assert_eq!(to_home_error(&fault("x", " a\n  b "), true), HomeError::Failed("a b".to_owned()));
        assert_eq!(to_home_error(&fault("", ""), true), HomeError::Failed("it does not say why".to_owned()));
        let HomeError::Failed(long) = to_home_error(&fault("x", &"ä ".repeat(2000)), true) else { panic!() };
        assert_eq!(long.chars().count(), 501);
    }
}
