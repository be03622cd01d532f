//! The text of an alert, as channels with little space need it.

use protocol::{Alert, AlertKind};

/// How pressing an alert is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Urgency {
    /// Made for this moment, or work stands still until it is answered.
    High,
    /// Something needs a look.
    Normal,
    /// For information.
    Low,
}

impl Urgency {
    pub(crate) const fn of(kind: AlertKind) -> Self {
        match kind {
            AlertKind::Reminder | AlertKind::Timer | AlertKind::ApprovalWaiting => Self::High,
            AlertKind::Answer
            | AlertKind::TurnFailed
            | AlertKind::TurnWaiting
            | AlertKind::ScheduleWaiting
            | AlertKind::ScheduleFailed => Self::Normal,
            AlertKind::TurnEnded | AlertKind::ScheduleFired => Self::Low,
        }
    }
}

/// The title in one line: a line break would end a header.
pub(crate) fn title(alert: &Alert) -> String {
    let line: String = alert.title.chars().map(|char| if char.is_control() { ' ' } else { char }).collect();
    line.trim().to_owned()
}

/// The beginning of a text, of at most so many bytes.
pub(crate) fn shortened(text: &str, bytes_max: usize) -> String {
    const MARK: &str = "…";
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(bytes_max.saturating_sub(MARK.len()));
    format!("{}{MARK}", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_between_characters() {
        assert_eq!(shortened("pizza", 5), "pizza");
        assert_eq!(shortened("äääää", 8), "ää…");
        assert_eq!(shortened("pizza", 3), "…");
        assert!(shortened(&"€".repeat(5000), 3500).len() <= 3500);
    }
}
