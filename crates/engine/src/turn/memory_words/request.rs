//! What a message asks of memory itself: to forget, to correct, to tell what is known and why, to
//! set the profile. Only messages that ask for nothing else are recognized; everything else is left
//! to the model. The phrases are data, by language.

use memory::language::{
    pattern::{body, trimmed},
    requests::{RequestWords, is_all, subject},
    words::{TokenizedText, Word},
};

/// Bytes of a message that are read. Longer ones are never such a request.
const MESSAGE_BYTES_MAX: usize = 400;
/// The longest value of a correction, in characters.
const VALUE_CHARS_MAX: usize = 200;

/// A request about memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum MemoryRequest {
    /// Forget what is known about something, named by these words.
    Forget(Vec<String>),
    /// What was told last is wrong, and this is right.
    Correct(String),
    /// Tell what is known about the user.
    AboutMe,
    /// Tell where the last answer comes from.
    Why,
    /// Set a line of the profile.
    SetProfile(String, String),
}

/// What a message asks of memory, if it asks for nothing else, and the language in which it does.
pub(super) fn read(message: &str) -> Option<(MemoryRequest, &'static RequestWords)> {
    if message.len() > MESSAGE_BYTES_MAX {
        return None;
    }
    let text = TokenizedText::read(message, MESSAGE_BYTES_MAX);
    RequestWords::all().find_map(|language| Some((read_in(language, message, &text)?, language)))
}

fn read_in(language: &RequestWords, message: &str, text: &TokenizedText<'_>) -> Option<MemoryRequest> {
    if let Some(request) = profile_line(language, message) {
        return Some(request);
    }
    if let Some(value) = subject(&text.words, &language.wrong).filter(|value| !value.is_empty() && !text.asks) {
        let value = text.slice(value).trim().trim_end_matches(['.', '!', ' ']).to_owned();
        let fits = !value.is_empty() && value.chars().count() <= VALUE_CHARS_MAX && !value.contains('\n');
        return fits.then_some(MemoryRequest::Correct(value));
    }
    let sentences: Vec<&[Word<'_>]> = text.sentences().collect();
    let [only] = sentences.as_slice() else { return None };
    let words = language.without_politeness(trimmed(body(only)));
    if is_all(words, &language.about_me) {
        return Some(MemoryRequest::AboutMe);
    }
    if is_all(words, &language.why) {
        return Some(MemoryRequest::Why);
    }
    (!text.asks).then(|| forget(language, words)).flatten()
}

fn forget(language: &RequestWords, words: &[Word<'_>]) -> Option<MemoryRequest> {
    let end = (0..words.len()).find(|at| is_all(&words[*at..], &language.from_memory));
    let is_in_memory = end.is_some();
    let words = &words[..end.unwrap_or(words.len())];
    let named = subject(words, &language.all_about)
        .or_else(|| subject(words, &language.own))
        .or_else(|| subject(words, &language.in_memory).filter(|_| is_in_memory))?;
    // "Forget my question, tell me a joke" is about the conversation.
    if named.iter().rev().skip(1).any(Word::ends_clause) {
        return None;
    }
    if named.iter().any(|word| language.notes.contains(&word.lower)) {
        return None;
    }
    let names = named.iter().map(|word| plain(&word.lower)).filter(|word| !language.empty.contains(word));
    let names: Vec<String> = names.collect();
    let is_pronoun = named.first().is_some_and(|word| language.pronouns.contains(&word.lower));
    (!names.is_empty() && !is_pronoun).then_some(MemoryRequest::Forget(names))
}

/// "Set my profile: diet = vegan".
fn profile_line(language: &RequestWords, message: &str) -> Option<MemoryRequest> {
    let message = message.trim().trim_end_matches(['.', '!']);
    let lower = message.to_lowercase();
    let opening = language.set_profile.iter().find(|opening| lower.starts_with(opening.as_str()))?;
    // In these languages a letter in lower case has the length of the capital.
    let rest = message.get(opening.len()..)?.trim_start_matches([':', ',', ' ', '-']);
    let (key, value) = language.signs.iter().find_map(|sign| rest.split_once(sign.as_str()))?;
    let (key, value) = (key.trim(), value.trim());
    let key = language.before_key.iter().find_map(|own| key.strip_prefix(own.as_str())).unwrap_or(key);
    (!key.is_empty() && !value.is_empty()).then(|| MemoryRequest::SetProfile(key.to_owned(), value.to_owned()))
}

/// French articles before an apostrophe.
const ELIDED: &[&str] = &["l", "d", "qu", "s", "m", "t", "n", "j", "c"];

/// A word without the ending of a plural or a possessive and without a French article, so that
/// "codes" names "code" and "d'Ada" names "Ada".
pub(super) fn plain(word: &str) -> String {
    let elided = word.split_once(['\'', '’']).filter(|(left, right)| ELIDED.contains(left) && right.len() > 1);
    let word = elided.map_or(word, |(_, right)| right);
    let word = word.trim_end_matches("'s").trim_end_matches("’s");
    let stem = word.strip_suffix('s').filter(|stem| stem.chars().count() > 2 && !stem.ends_with('s'));
    stem.unwrap_or(word).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forgets(words: &[&str]) -> Option<MemoryRequest> {
        Some(MemoryRequest::Forget(words.iter().map(|word| (*word).to_owned()).collect()))
    }

    #[test]
    fn what_is_asked_of_memory_is_recognized() {
        for (message, expected) in [
            ("Forget my locker code", forgets(&["locker", "code"])),
            ("Please forget my locker codes.", forgets(&["locker", "code"])),
            ("forget what I told you about Ada", forgets(&["ada"])),
            ("Delete everything about my old flat!", forgets(&["old", "flat"])),
            ("Erase my address from your memory.", forgets(&["address"])),
            ("Forget everything you know about Ada's school", forgets(&["ada", "school"])),
            ("What do you know about me?", Some(MemoryRequest::AboutMe)),
            ("why do you think that?", Some(MemoryRequest::Why)),
            ("How do you know that?", Some(MemoryRequest::Why)),
            ("That's wrong, it is 4711", Some(MemoryRequest::Correct("4711".to_owned()))),
            ("No, it's 4711.", Some(MemoryRequest::Correct("4711".to_owned()))),
            ("That is not right. It is Bruges!", Some(MemoryRequest::Correct("Bruges".to_owned()))),
            ("Set my profile: diet = vegan", Some(MemoryRequest::SetProfile("diet".to_owned(), "vegan".to_owned()))),
            ("set my profile: diet: vegan.", Some(MemoryRequest::SetProfile("diet".to_owned(), "vegan".to_owned()))),
        ] {
            assert_eq!(read(message).map(|(request, _)| request), expected, "{message}");
        }
    }

    #[test]
    fn everything_else_is_left_to_the_model() {
        for message in [
            "Forget it.",
            "Forget about that, let's go on.",
            "Forget my question, tell me a joke.",
            "Delete my calendar entry for Monday.",
            "Remove the first line.",
            "Don't forget my birthday.",
            "Did you forget my locker code?",
            "Forget the note about milk.",
            "Why do you think that cats purr?",
            "What do you know about Mexico?",
            "It is 4711.",
            "Forget everything about me.",
            "That's wrong.",
            "",
        ] {
            assert_eq!(read(message).map(|(request, _)| request), None, "{message}");
        }
    }

    #[test]
    fn other_languages_have_their_own_phrases() {
        let correct = |value: &str| Some(MemoryRequest::Correct(value.to_owned()));
        for (message, code, expected) in [
            ("Vergiss bitte meinen Spindcode.", "de", forgets(&["spindcode"])),
            ("Vergiss, was ich dir über Ada erzählt habe", "de", forgets(&["ada"])),
            ("Lösche alles, was du über meine alte Wohnung weißt!", "de", forgets(&["alte", "wohnung"])),
            ("Lösche meine Adresse aus deinem Gedächtnis", "de", forgets(&["adresse"])),
            ("Was weißt du über mich?", "de", Some(MemoryRequest::AboutMe)),
            ("Woher weißt du das?", "de", Some(MemoryRequest::Why)),
            ("Warum denkst du das?", "de", Some(MemoryRequest::Why)),
            ("Das stimmt nicht, er lautet 4711.", "de", correct("4711")),
            ("Nein, es ist 4711", "de", correct("4711")),
            ("Das ist falsch, richtig ist Brügge", "de", correct("Brügge")),
            ("Olvida mi código de la taquilla, por favor", "es", forgets(&["código", "taquilla"])),
            ("Olvida todo lo que sabes de Ada", "es", forgets(&["ada"])),
            ("Borra mi dirección de tu memoria", "es", forgets(&["dirección"])),
            ("¿Qué sabes de mí?", "es", Some(MemoryRequest::AboutMe)),
            ("¿Por qué piensas eso?", "es", Some(MemoryRequest::Why)),
            ("¿Cómo lo sabes?", "es", Some(MemoryRequest::Why)),
            ("Eso no es correcto, es 4711.", "es", correct("4711")),
            ("No, es 4711", "es", correct("4711")),
            ("Oublie mon code de casier s'il te plaît", "fr", forgets(&["code", "casier"])),
            ("Oublie tout ce que je t'ai dit sur Ada", "fr", forgets(&["ada"])),
            ("Efface tout à propos d'Ada", "fr", forgets(&["ada"])),
            ("Supprime mon adresse de ta mémoire", "fr", forgets(&["adresse"])),
            ("Que sais-tu de moi ?", "fr", Some(MemoryRequest::AboutMe)),
            ("Qu'est-ce que tu sais sur moi ?", "fr", Some(MemoryRequest::AboutMe)),
            ("Pourquoi penses-tu ça ?", "fr", Some(MemoryRequest::Why)),
            ("C'est faux, c'est 4711.", "fr", correct("4711")),
            ("Non, c'est 4711", "fr", correct("4711")),
        ] {
            let request = read(message);
            assert_eq!(
                request.as_ref().map(|(_, language)| language.code),
                expected.as_ref().map(|_| code),
                "{message}"
            );
            assert_eq!(request.map(|(request, _)| request), expected, "{message}");
        }
        for message in [
            "Vergiss es.",
            "Vergiss meine Frage, erzähl mir einen Witz.",
            "Vergiss nicht, die Blumen zu gießen.",
            "Lösche meinen Termin am Montag.",
            "Was weißt du über Mexiko?",
            "Das ist falsch.",
            "No es 4711.",
            "Olvida eso.",
            "Olvida mi pregunta, cuéntame un chiste.",
            "¿Qué sabes de México?",
            "Oublie ça.",
            "N'oublie pas mon anniversaire.",
            "Oublie ma question, raconte une blague.",
            "Que sais-tu de Paris ?",
        ] {
            assert_eq!(read(message).map(|(request, _)| request), None, "{message}");
        }
    }
}
