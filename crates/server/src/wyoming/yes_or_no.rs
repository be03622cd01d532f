//! Recognizes a spoken yes or no to an approval question, in several languages.

/// The answer to an approval question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum YesOrNo {
    /// It may.
    Yes,
    /// It may not.
    No,
}

/// Plain yes by language. Words with other uses ("ok", "sure") do not count.
const YES: [(&str, &[&str]); 26] = [
    (
        "en",
        &[
            "yes",
            "yeah",
            "yep",
            "yes please",
            "please do",
            "yes do it",
            "yes do that",
            "yes go ahead",
            "confirm",
            "i confirm",
            "confirmed",
        ],
    ),
    ("bg", &["да", "потвърждавам"]),
    ("ca", &["sí", "confirmo"]),
    ("cs", &["ano", "potvrzuji"]),
    ("da", &["ja", "bekræft"]),
    (
        "de",
        &[
            "ja",
            "ja bitte",
            "ja gerne",
            "ja mach das",
            "ja mach",
            "bitte ja",
            "jawohl",
            "jep",
            "bestätigt",
            "ich bestätige",
        ],
    ),
    ("el", &["ναι", "επιβεβαιώνω"]),
    ("es", &["sí", "si", "sí por favor", "si por favor", "sí hazlo", "hazlo", "claro que sí", "confirmo"]),
    ("fi", &["kyllä", "vahvistan"]),
    (
        "fr",
        &["oui", "oui s'il te plaît", "oui s'il vous plaît", "oui merci", "oui vas-y", "oui fais-le", "je confirme"],
    ),
    ("hr", &["da", "potvrđujem"]),
    ("hu", &["igen", "megerősítem"]),
    ("it", &["sì", "si", "sì grazie", "sì per favore", "sì fallo", "fallo", "confermo"]),
    ("ja", &["はい", "確認します"]),
    ("nb", &["ja", "bekreft"]),
    ("nl", &["ja", "ja graag", "ja hoor", "ja doe maar", "doe maar", "ik bevestig"]),
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
/// Words that mean yes in one language and something else in another; without a known language they
/// do not count.
const DOUBTFUL: [&str; 2] = ["tak", "da"];
const NO: &[&str] = &[
    "no",
    "no thanks",
    "no thank you",
    "no don't",
    "nope",
    "nah",
    "don't",
    "do not",
    "don't do it",
    "leave it",
    "stop",
    "cancel",
    "never mind",
    "nein",
    "nein danke",
    "nein bitte nicht",
    "nee",
    "bitte nicht",
    "lieber nicht",
    "lass das",
    "lass es",
    "abbrechen",
    "non",
    "non merci",
    "annule",
    "laisse tomber",
    "ne le fais pas",
    "surtout pas",
    "no gracias",
    "mejor no",
    "no lo hagas",
    "cancela",
    "déjalo",
    "no grazie",
    "annulla",
    "lascia stare",
    "lascia perdere",
    "meglio di no",
    "nee bedankt",
    "nee dank je",
    "niet doen",
    "laat maar",
    "annuleer",
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
];

/// The answer, if the text is nothing else. Anything longer is a message, not an answer.
pub(super) fn yes_or_no(text: &str, language: Option<&str>) -> Option<YesOrNo> {
    let plain = text
        .trim()
        .trim_start_matches('¡')
        .trim_end_matches(['.', '!', ',', '。', ' '])
        .replace(',', "")
        .replace('’', "'")
        .to_lowercase();
    if is_yes(&plain, language) {
        Some(YesOrNo::Yes)
    } else if NO.contains(&plain.as_str()) {
        Some(YesOrNo::No)
    } else {
        None
    }
}

fn is_yes(plain: &str, language: Option<&str>) -> bool {
    let spoken = language.and_then(|tag| tag.split(['-', '_']).next()).map(str::to_lowercase);
    YES.iter().any(|(own, words)| {
        let is_spoken = match &spoken {
            // English is accepted in every language, since many homes mix it in.
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
            ("Yes.", Some(YesOrNo::Yes)),
            ("  ja, bitte! ", Some(YesOrNo::Yes)),
            ("I confirm", Some(YesOrNo::Yes)),
            ("No", Some(YesOrNo::No)),
            ("Don’t!", Some(YesOrNo::No)),
            ("¡Sí, por favor!", Some(YesOrNo::Yes)),
            ("Oui, s’il vous plaît.", Some(YesOrNo::Yes)),
            ("Ja, doe maar.", Some(YesOrNo::Yes)),
            ("Nein, danke.", Some(YesOrNo::No)),
            ("Non merci", Some(YesOrNo::No)),
            ("lascia stare", Some(YesOrNo::No)),
            ("Yes?", None),
            ("ok", None),
            ("Sure.", None),
            ("go ahead", None),
            ("yes and also lock the door", None),
            ("", None),
        ] {
            assert_eq!(yes_or_no(text, None), expected, "{text}");
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
            assert_eq!(yes_or_no(text, language) == Some(YesOrNo::Yes), is_yes, "{text} {language:?}");
        }
    }
}
