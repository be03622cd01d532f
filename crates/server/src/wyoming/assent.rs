//! Yes and no, as people say them when they are asked whether something may be done.

/// What was said to a question whether a call may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Assent {
    /// It may.
    Yes,
    /// It may not.
    No,
}

/// A plain yes by language. What is also said for other reasons ("ok", "sure") is none.
const YES: [(&str, &[&str]); 26] = [
    ("en", &["yes", "yes please", "confirm", "i confirm", "confirmed"]),
    ("bg", &["да", "потвърждавам"]),
    ("ca", &["sí", "confirmo"]),
    ("cs", &["ano", "potvrzuji"]),
    ("da", &["ja", "bekræft"]),
    ("de", &["ja", "ja bitte", "jawohl", "bestätigt", "ich bestätige"]),
    ("el", &["ναι", "επιβεβαιώνω"]),
    ("es", &["sí", "si", "sí por favor", "confirmo"]),
    ("fi", &["kyllä", "vahvistan"]),
    ("fr", &["oui", "oui s'il te plaît", "je confirme"]),
    ("hr", &["da", "potvrđujem"]),
    ("hu", &["igen", "megerősítem"]),
    ("it", &["sì", "si", "confermo"]),
    ("ja", &["はい", "確認します"]),
    ("nb", &["ja", "bekreft"]),
    ("nl", &["ja", "ja graag", "ik bevestig"]),
    ("pl", &["tak", "potwierdzam"]),
    ("pt", &["sim", "confirmo"]),
    ("ro", &["da", "confirm"]),
    ("ru", &["да", "подтверждаю"]),
    ("sk", &["áno", "potvrdzujem"]),
    ("sl", &["da", "ja", "potrjujem"]),
    ("sv", &["ja", "bekräfta"]),
    ("tr", &["evet", "onaylıyorum"]),
    ("uk", &["так", "підтверджую"]),
    ("zh", &["是", "是的", "确认", "確認"]),
];
/// These are a yes in one language and thanks, or a place, in another; where nobody says which it is, they are neither.
const DOUBTFUL: [&str; 2] = ["tak", "da"];
const NO: [&str; 25] = [
    "no",
    "no thanks",
    "nope",
    "don't",
    "do not",
    "stop",
    "cancel",
    "never mind",
    "nein",
    "nein danke",
    "lass das",
    "non",
    "nee",
    "nej",
    "nei",
    "não",
    "nie",
    "ne",
    "nu",
    "нет",
    "ні",
    "hayır",
    "いいえ",
    "不",
    "abbrechen",
];

/// What the words say, if they say nothing but that. Anything longer is a message, not an answer.
pub(super) fn assent(text: &str, language: Option<&str>) -> Option<Assent> {
    let plain =
        text.trim().trim_end_matches(['.', '!', ',', '。', ' ']).replace(',', "").replace('’', "'").to_lowercase();
    if is_yes(&plain, language) {
        Some(Assent::Yes)
    } else if NO.contains(&plain.as_str()) {
        Some(Assent::No)
    } else {
        None
    }
}

fn is_yes(plain: &str, language: Option<&str>) -> bool {
    let spoken = language.and_then(|tag| tag.split(['-', '_']).next()).map(str::to_lowercase);
    YES.iter().any(|(own, words)| {
        let is_spoken = match &spoken {
            // Names of things are English in many homes, and so are answers.
            Some(spoken) => own == spoken || *own == "en",
            None => !DOUBTFUL.contains(&plain),
        };
        is_spoken && words.contains(&plain)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_word_is_an_answer() {
        for (text, expected) in [
            ("Yes.", Some(Assent::Yes)),
            ("  ja, bitte! ", Some(Assent::Yes)),
            ("I confirm", Some(Assent::Yes)),
            ("No", Some(Assent::No)),
            ("Don’t!", Some(Assent::No)),
            ("Yes?", None),
            ("ok", None),
            ("Sure.", None),
            ("go ahead", None),
            ("yes and also lock the door", None),
            ("", None),
        ] {
            assert_eq!(assent(text, None), expected, "{text}");
        }
    }

    #[test]
    fn a_yes_is_one_in_the_language_that_is_spoken() {
        for (text, language, is_yes) in [
            ("tak", Some("pl"), true),
            ("Tak", Some("da-DK"), false),
            ("tak", None, false),
            ("da", Some("ro"), true),
            ("da", Some("de"), false),
            ("ja", None, true),
            ("yes", Some("de_AT"), true),
            ("evet", Some("xx"), false),
        ] {
            assert_eq!(assent(text, language) == Some(Assent::Yes), is_yes, "{text} {language:?}");
        }
    }
}
