//! When to ask a clarifying question, and which.

use super::super::{IntentKind, MessageContext, read};
use super::{CONFIDENT, check, first};

const GENERIC: &str = "Could you say in a few more words what you need?";

#[test]
fn unclear_messages_are_asked_about() {
    for (message, question) in [
        ("turn it off", "What should I turn off?"),
        ("Turn it off, please.", "What should I turn off?"),
        ("can you turn that off?", "What should I turn off?"),
        ("switch off those", "What should I switch off?"),
        ("change it to 5", "What should I change to 5?"),
        ("send it to Ada", "What should I send to Ada?"),
        ("make it louder", "What should I make louder?"),
        ("delete that", "What should I delete?"),
        ("turn them all off", "What should I turn off?"),
        ("read it to me", "What should I read to you?"),
        ("turn off the other one", "Which one do you mean?"),
        ("that one", "Which one do you mean?"),
        ("the other", "Which one do you mean?"),
        ("do it", "What would you like me to do?"),
        ("just do it now", "What would you like me to do?"),
        ("again", "What should I do again?"),
        ("try again", "What should I do again?"),
        ("call him", "Who should I call?"),
        ("set the timer for", "Set the timer for how long?"),
        ("please set an alarm for", "Set an alarm for what time?"),
        ("send a message to", "Send a message to whom?"),
        ("remind me to", "Remind you to do what?"),
        ("turn on the", "Turn on what?"),
        ("set the heating to", "Set the heating to what?"),
        ("what is the", "Your message seems to be cut off. How does it go on?"),
        ("hmm", GENERIC),
        ("Hmmmm...", GENERIC),
        ("um", GENERIC),
        ("?", GENERIC),
        ("...", GENERIC),
        ("", GENERIC),
        ("  \n ", GENERIC),
        ("asdfgh", GENERIC),
        ("sdfsdf", GENERIC),
        ("kjsdhf", GENERIC),
        ("xkcdqrtz", GENERIC),
        ("the", GENERIC),
        ("for", GENERIC),
    ] {
        let intent = first(message);
        assert_eq!((intent.kind, intent.question.as_deref()), (IntentKind::Unclear, Some(question)), "{message:?}");
        assert!(intent.confidence < CONFIDENT, "{message:?}");
    }
}

#[test]
fn history_gives_pronouns_a_meaning() {
    let later = MessageContext { has_history: true, answers_question: false, has_images: false };
    for message in ["do it", "turn it off", "that one", "the other", "again", "change it to 5", "call him", "hmm", "?"]
    {
        let intent = read(message, &later);
        assert!(intent.kind != IntentKind::Unclear && intent.confidence >= 0.6, "{message:?}: {intent:?}");
    }
    assert_eq!(read("turn it off", &later).kind, IntentKind::Command);
    assert_eq!(read("set the timer for", &later).kind, IntentKind::Unclear);
    assert_eq!(read("asdfgh", &later).kind, IntentKind::Unclear);
}

#[test]
fn an_answer_is_never_unclear() {
    let answer = MessageContext { has_history: false, answers_question: true, has_images: false };
    for message in ["", "?", "hmm", "it", "the other", "asdfgh", "the", "turn it off", "set the timer for", "5"] {
        let intent = read(message, &answer);
        assert!(intent.kind != IntentKind::Unclear && intent.confidence >= CONFIDENT, "{message:?}: {intent:?}");
    }
}

#[test]
fn an_image_can_be_what_is_meant() {
    let pictured = MessageContext { has_history: false, answers_question: false, has_images: true };
    for message in ["", "?", "this one", "translate it", "explain this"] {
        assert_ne!(read(message, &pictured).kind, IntentKind::Unclear, "{message:?}");
    }
}

#[test]
fn what_names_its_thing_is_not_asked_about() {
    check(
        IntentKind::Command,
        &[
            "turn off that lamp",
            "turn it off, the radio",
            "open this door",
            "send it to ada@example.org: the report",
            "Turn on the lights in the room I am in",
            "find someone to talk to",
            "start the washing machine and turn it off at ten",
        ],
    );
    check(IntentKind::Chat, &["Mach das Licht an", "stop it", "forget it", "let it go", "The oven is hot. It hurts."]);
    check(IntentKind::Question, &["what are you thinking of", "What is that?", "who is it"]);
}
