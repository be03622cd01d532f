//! Greetings, thanks, requests for help and the like.

use super::{PromptContext, ReplyStep, fallback, words::Clause};

/// The answer to a greeting that is only a part of a message.
pub const HELLO: &str = "Hello.";

const GREETINGS: &[&str] = &[
    "hi|hello|hey|hiya|howdy|yo|greetings|hallo|hola|bonjour|ciao|salut|moin|servus there|dwell|again|everyone|you?",
    "hi|hello|hey hi|hello|hey|there dwell|again?",
    "good morning|afternoon|evening|day to? dwell|everyone|you?",
    "nice|pleased to meet you dwell?",
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
    "help me? out|here?",
    "i need|want some|your? help here?",
    "can|could|would|will you help me? out|here?",
    "how|what can|could|do|would you help me? with?",
    "what else? can|could you do for|here? me?",
    "show|tell? me? what you can do for|here? me?",
    "what are you able to do for? me?",
    "what are you capable of|good for|at?",
    "what are your|the capabilities|features|skills|abilities|functions|commands",
    "what do you do",
    "who|what are you",
    "what is this|dwell",
    "what can|could|should i ask|say|try to? you? here|first?",
    "what can i do here|now|first",
    "what can i do with you|this|it|dwell",
    "how do|can|should i use you|this|it|dwell",
    "how do|does you|this|it|dwell work",
    "how|where do|can|should i start|begin here|now?",
    "how do|can|should i get started here|now?",
    "get|getting started",
    "show|list? me? the|your|some|all? commands|examples|features",
];

const SET_UP: &[&str] = &[
    "how do|can i configure|set|add|get|use|connect|install up? a|an|the|my|another? language? model",
    "how do|can i set a|an|the|my? language? model up",
    "which|what model are|is you|this|it",
];

/// An answer if the clause is nothing but a courtesy or a request for help.
pub fn recognise(clause: &Clause<'_>, scene: &PromptContext<'_>) -> Option<ReplyStep> {
    let line = if clause.is_any(GREETINGS) {
        HELLO
    } else if clause.is_any(THANKS) {
        "You are welcome."
    } else if clause.is_any(FAREWELLS) {
        if scene.prompt.is_temporary { "Goodbye." } else { "Goodbye. This conversation is saved." }
    } else if clause.is_any(HEALTH) {
        "Fine, thanks. I work offline, without a language model; say \"help\" to see what I can do."
    } else if clause.is_any(HELP) {
        return Some(ReplyStep::Say(fallback::help(scene.prompt)));
    } else if clause.is_any(SET_UP) {
        return Some(ReplyStep::Say(format!("I work offline, without a language model. {}", fallback::SET_UP)));
    } else {
        return None;
    };
    Some(ReplyStep::Say(line.to_owned()))
}
