//! Greetings, thanks and the like: one honest line each.

use super::{Scene, Step, fallback, words::Clause};

const GREETINGS: &[&str] = &[
    "hi|hello|hey|hiya|howdy|greetings|hallo|hola|bonjour|ciao|salut|moin|servus there|dwell|again|everyone?",
    "good morning|afternoon|evening|day dwell?",
    "guten morgen|tag|abend",
    "buenos días|dias",
];

const THANKS: &[&str] = &[
    "many? thanks|thx|merci|danke|gracias|grazie a? lot|much|again|dwell?",
    "thank you so|very? much|dwell?",
    "thank you",
    "thanks|thank you? for your? the? help",
];

const FAREWELLS: &[&str] =
    &["good? bye|goodbye|farewell|tschüss|adieu dwell? now?", "see you later|soon|tomorrow?", "good night dwell?"];

const HEALTH: &[&str] = &["how are|is you|it|things going|doing? today?", "what is up"];

const HELP: &[&str] = &[
    "help me?",
    "what can you do for? me?",
    "what are you able to do",
    "what do you do",
    "who|what are you",
    "how do|can i configure|set|add|get up? a|an|the? language? model",
];

/// An answer if the clause is nothing but a courtesy.
pub fn recognise(clause: &Clause<'_>, scene: &Scene<'_>) -> Option<Step> {
    let line = if clause.is_any(GREETINGS) {
        "Hello. I am working offline, without a language model; ask me what I can do."
    } else if clause.is_any(THANKS) {
        "You are welcome."
    } else if clause.is_any(FAREWELLS) {
        "Goodbye. This conversation is kept."
    } else if clause.is_any(HEALTH) {
        "I am running, offline and without a language model."
    } else if clause.is_any(HELP) {
        return Some(Step::Say(fallback::notice(scene.prompt)));
    } else {
        return None;
    };
    Some(Step::Say(line.to_owned()))
}
