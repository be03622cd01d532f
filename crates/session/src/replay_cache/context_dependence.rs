//! Requests whose meaning depends on the conversation or on the time.
//!
//! "Open it again" is the same text every time and another request after every conversation. The
//! words that refer back are listed for a few languages; a text in any other script counts as
//! dependent. A request that is wrongly taken as dependent costs one model call; one that is
//! wrongly taken as independent replays the wrong actions.

use super::request::ReplayRequest;

/// Words that refer to something said before, answer a question, or are relative to the current
/// time.
const POINTING: [&[&str]; 7] = [ENGLISH, GERMAN, FRENCH, SPANISH, ITALIAN, PORTUGUESE, DUTCH];

#[rustfmt::skip]
const ENGLISH: &[&str] = &[
    "it", "its", "itself", "this", "that", "these", "those", "them", "they", "their", "theirs", "he", "him", "his",
    "she", "her", "hers", "again", "another", "more", "less", "same", "previous", "last", "next", "above", "below",
    "former", "latter", "earlier", "before", "other", "others", "else", "instead", "too", "also", "still", "back",
    "here", "there", "then", "one", "ones", "both", "either", "neither", "such", "so", "yes", "no", "ok", "okay",
    "sure", "continue", "proceed", "retry", "repeat", "undo", "redo", "now", "today", "tonight", "tomorrow",
    "yesterday", "current", "currently", "latest", "newest", "recent", "recently", "ago",
];

#[rustfmt::skip]
const GERMAN: &[&str] = &[
    "es", "er", "sie", "ihn", "ihm", "ihr", "ihre", "ihnen", "das", "dies", "diese", "diesen", "diesem", "dieser",
    "dieses", "jene", "jenen", "jener", "jenes", "dasselbe", "dieselbe", "denselben", "gleiche", "gleichen", "nochmal",
    "nochmals", "noch", "erneut", "wieder", "weiter", "weitere", "weiteren", "weiteres", "mehr", "andere", "anderen",
    "anderes", "vorige", "vorigen", "vorherige", "vorherigen", "letzte", "letzten", "letztes", "nächste", "nächsten",
    "nächstes", "oben", "unten", "damit", "davon", "dazu", "daran", "darin", "dort", "da", "auch", "ja", "nein",
    "jetzt", "heute", "morgen", "gestern", "aktuell", "aktuelle", "aktuellen",
];

#[rustfmt::skip]
const FRENCH: &[&str] = &[
    "ça", "cela", "ceci", "ce", "cet", "cette", "ces", "celui", "celle", "ceux", "celles", "il", "ils", "elle", "elles",
    "lui", "leur", "encore", "autre", "autres", "même", "mêmes", "précédent", "précédente", "dernier", "dernière",
    "prochain", "prochaine", "suivant", "suivante", "plus", "aussi", "là", "ici", "oui", "non", "maintenant",
    "aujourd", "demain", "hier", "nouveau",
];

#[rustfmt::skip]
const SPANISH: &[&str] = &[
    "eso", "esto", "ese", "esa", "este", "esta", "esos", "esas", "estos", "estas", "lo", "ello", "él", "ella", "ellos",
    "ellas", "otro", "otra", "otros", "otras", "mismo", "misma", "anterior", "último", "última", "próximo", "próxima",
    "siguiente", "más", "también", "sí", "ahora", "hoy", "mañana", "ayer", "allí", "nuevo",
];

#[rustfmt::skip]
const ITALIAN: &[&str] = &[
    "questo", "questa", "questi", "queste", "quello", "quella", "quelli", "quelle", "ciò", "lui", "lei", "loro",
    "ancora", "altro", "altra", "altri", "altre", "stesso", "stessa", "precedente", "ultimo", "ultima", "prossimo",
    "prossima", "seguente", "più", "anche", "sì", "ora", "adesso", "oggi", "domani", "ieri", "lì", "nuovo",
];

#[rustfmt::skip]
const PORTUGUESE: &[&str] = &[
    "isso", "isto", "aquilo", "esse", "essa", "esses", "essas", "aquele", "aquela", "ele", "ela", "eles", "elas",
    "outro", "outra", "outros", "outras", "mesmo", "mesma", "novamente", "seguinte", "mais", "também", "sim", "não",
    "agora", "hoje", "amanhã", "ontem", "novo",
];

#[rustfmt::skip]
const DUTCH: &[&str] = &[
    "het", "dit", "dat", "deze", "hem", "haar", "hen", "hun", "hij", "zij", "ze", "nogmaals", "opnieuw", "weer", "nog",
    "meer", "ander", "andere", "zelfde", "hetzelfde", "dezelfde", "vorige", "laatste", "volgende", "ook", "nee", "nu",
    "vandaag", "gisteren", "daar", "hier",
];

/// Whether the request has another meaning after another conversation, as far as its words show.
pub(super) fn depends_on_context(asked: &ReplayRequest) -> bool {
    let pressed = asked.act.iter().flat_map(|act| act.form_data.values().chain([&act.action]));
    pressed.chain([&asked.message]).any(|text| refers_back(text))
}

fn refers_back(text: &str) -> bool {
    if !text.chars().all(is_judged) {
        return true;
    }
    let mut words = text.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    words.any(|word| {
        let word = word.to_lowercase();
        POINTING.iter().any(|language| language.contains(&word.as_str()))
    })
}

/// Whether a character belongs to the alphabets of the languages above. Combining marks are
/// excluded, since they would hide a word from the lists.
fn is_judged(letter: char) -> bool {
    let is_latin = matches!(letter, '\0'..='\u{24f}' | '\u{1e00}'..='\u{1eff}');
    is_latin || !(letter.is_alphabetic() || matches!(letter, '\u{300}'..='\u{36f}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_point_back_are_found_whole_and_in_any_case() {
        let leaning = [
            "open it",
            "Open IT again",
            "it's late",
            "close that.",
            "what about him?",
            "the same",
            "load_more",
            "yes",
            "mach das nochmal",
            "et maintenant ?",
            "otra vez",
            "ancora",
            "o próximo",
            "weather today",
            "NÄCHSTE Seite",
        ];
        for text in leaning {
            assert!(refers_back(text), "{text}");
        }
        for text in ["open the kitchen timer", "an italic hero", "Zeige die Uhr", "delete A", "42", "", "edit 🙂"] {
            assert!(!refers_back(text), "{text}");
        }
    }

    #[test]
    fn unknown_scripts_count_as_dependent() {
        for text in ["それを開いて", "открой снова", "再来一次", "a\u{300} propos", "ｉｔ"] {
            assert!(refers_back(text), "{text}");
        }
    }
}
