//! An alert as a sentence that is spoken.

use protocol::{Alert, AlertKind};

/// The title of a timer without a name.
const UNNAMED: &str = "Timer";

/// The sentences of a language, with `{}` for what was ordered.
struct SpokenWords {
    language: &'static str,
    reminder: &'static str,
    timer: &'static str,
    named_timer: &'static str,
}

const WORDS: [SpokenWords; 6] = [
    SpokenWords {
        language: "en",
        reminder: "Reminder: {}.",
        timer: "Your timer has ended.",
        named_timer: "The timer {} has ended.",
    },
    SpokenWords {
        language: "de",
        reminder: "Erinnerung: {}.",
        timer: "Dein Timer ist abgelaufen.",
        named_timer: "Der Timer {} ist abgelaufen.",
    },
    SpokenWords {
        language: "es",
        reminder: "Recordatorio: {}.",
        timer: "Tu temporizador ha terminado.",
        named_timer: "El temporizador {} ha terminado.",
    },
    SpokenWords {
        language: "fr",
        reminder: "Rappel : {}.",
        timer: "Ton minuteur est terminé.",
        named_timer: "Le minuteur {} est terminé.",
    },
    SpokenWords {
        language: "it",
        reminder: "Promemoria: {}.",
        timer: "Il tuo timer è scaduto.",
        named_timer: "Il timer {} è scaduto.",
    },
    SpokenWords {
        language: "nl",
        reminder: "Herinnering: {}.",
        timer: "Je timer is afgelopen.",
        named_timer: "De timer {} is afgelopen.",
    },
];

/// The sentence for an alert, in its language. In a language without sentences it is only what was
/// ordered.
pub fn spoken(alert: &Alert, language: Option<&str>) -> String {
    let code = language.unwrap_or("en").split(['-', '_']).next().unwrap_or_default().to_lowercase();
    let words = WORDS.iter().find(|words| words.language == code);
    let ordered = alert.title.trim().trim_end_matches('.');
    match (alert.kind, words) {
        (AlertKind::Reminder, Some(words)) => words.reminder.replace("{}", ordered),
        (AlertKind::Timer, Some(words)) if ordered == UNNAMED => words.timer.to_owned(),
        (AlertKind::Timer, Some(words)) => words.named_timer.replace("{}", ordered),
        (AlertKind::Reminder | AlertKind::Timer, None) => ordered.to_owned(),
        _ if alert.text.trim().is_empty() => alert.title.clone(),
        _ => alert.text.clone(),
    }
}

#[cfg(test)]
mod tests {
    use protocol::{AlertId, SessionId, Timestamp};

    use super::*;

    fn said(kind: AlertKind, title: &str, text: &str, language: Option<&str>) -> String {
        let alert = Alert {
            alert_id: AlertId::from_bytes([1; 16]),
            session_id: SessionId::from_bytes([1; 16]),
            at: Timestamp::from_millis(0),
            kind,
            title: title.to_owned(),
            text: text.to_owned(),
            turn_id: None,
            approval_id: None,
            schedule_id: None,
            satellite: None,
            language: None,
        };
        spoken(&alert, language)
    }

    #[test]
    fn reminders_timers_and_answers_are_sentences_of_their_language() {
        use AlertKind::{Answer, Reminder, Timer};
        for (kind, title, text, language, sentence) in [
            (Reminder, "take the pizza out", "", None, "Reminder: take the pizza out."),
            (Reminder, "Brot holen.", "", Some("de-CH"), "Erinnerung: Brot holen."),
            (Timer, "Timer", "", Some("fr"), "Ton minuteur est terminé."),
            (Timer, "té", "", Some("es"), "El temporizador té ha terminado."),
            (Timer, "čaj", "", Some("cs"), "čaj"),
            (Answer, "weather", "It rains.", Some("en"), "It rains."),
            (Answer, "weather", "", Some("en"), "weather"),
        ] {
            assert_eq!(said(kind, title, text, language), sentence);
        }
    }
}
