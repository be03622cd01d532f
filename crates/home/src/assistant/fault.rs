//! What Home Assistant refuses, in our words.

use super::wire::Fault;
use crate::house::HouseError;

/// Why it was not done, told so that one knows what to do.
pub(super) fn understood(fault: &Fault, acts: bool) -> HouseError {
    let said = said(fault);
    // A service that is refused inside is an error like any other, but for its words.
    let is_refused = acts && fault.code == "home_assistant_error" && matches!(&*said, "Unauthorized" | "UnknownUser");
    match if is_refused { "unauthorized" } else { fault.code.as_str() } {
        "unauthorized" if acts => HouseError::Forbidden(
            "this token may only read, or not touch these entities; to let it act, make a token of a user who may, \
             and put it in the configuration"
                .to_owned(),
        ),
        "unauthorized" => HouseError::Forbidden(
            "only an administrator's token may read that; make one and put it in the configuration, or do without"
                .to_owned(),
        ),
        "not_found" | "invalid_format" | "service_validation_error" | "invalid_info" | "not_allowed" => {
            HouseError::Invalid(said)
        }
        "unknown_command" => HouseError::Unsupported(
            "its version, or what is set up in it, has no such command; it may also still be starting".to_owned(),
        ),
        "not_supported" => HouseError::Unsupported(said),
        _ => HouseError::Failed(said),
    }
}

/// What Home Assistant says itself, in one line of bearable length.
fn said(fault: &Fault) -> String {
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

    fn fault(code: &str, message: &str) -> Fault {
        Fault { code: code.to_owned(), message: message.to_owned() }
    }

    #[test]
    fn refusals_are_told_apart_by_what_can_be_done() {
        let of = |code: &str| understood(&fault(code, "Said."), true);
        assert!(matches!(of("unauthorized"), HouseError::Forbidden(why) if why.contains("only read")));
        let inside = understood(&fault("home_assistant_error", "Unauthorized"), true);
        assert!(matches!(inside, HouseError::Forbidden(_)), "as a service says it");
        assert_eq!(of("not_found"), HouseError::Invalid("Said.".to_owned()));
        assert_eq!(of("invalid_format"), HouseError::Invalid("Said.".to_owned()));
        assert!(matches!(of("unknown_command"), HouseError::Unsupported(_)));
        assert_eq!(of("home_assistant_error"), HouseError::Failed("Said.".to_owned()));
        assert!(
            matches!(understood(&fault("unauthorized", ""), false), HouseError::Forbidden(why) if why.contains("administrator"))
        );
    }

    #[test]
    fn what_is_said_is_one_line_of_bearable_length() {
        assert_eq!(understood(&fault("x", " a\n  b "), true), HouseError::Failed("a b".to_owned()));
        assert_eq!(understood(&fault("", ""), true), HouseError::Failed("it does not say why".to_owned()));
        let HouseError::Failed(long) = understood(&fault("x", &"ä ".repeat(2000)), true) else { panic!() };
        assert_eq!(long.chars().count(), 501);
    }
}
