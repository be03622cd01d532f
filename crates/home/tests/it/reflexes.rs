//! Reflexes from the message to the calls and the answer.

use std::{path::Path, sync::Arc};

use home::{HomePort, HomeReflexes, Permission, add_call_service, grammars};
use ports::{Reflex, ReflexCallResult, ReflexInput, Reflexes};
use protocol::CallStatus;
use serde_json::{Value, json};
use tools::Registry;

use crate::{
    context,
    fake_home::{FakeBehaviour, FakeHome},
};

struct ReflexConversation {
    home: Arc<FakeHome>,
    reflexes: HomeReflexes,
    registry: Registry,
    before: Vec<ReflexCallResult>,
    area: Option<&'static str>,
    unclear: Option<String>,
}

impl ReflexConversation {
    fn new() -> Self {
        Self::with(FakeHome::new())
    }

    fn with(home: Arc<FakeHome>) -> Self {
        let (grammars, notes) = grammars(Path::new("nowhere"), Path::new("nowhere"), &["en".to_owned()]);
        assert!(notes.is_empty(), "{notes:?}");
        let mut registry = Registry::default();
        add_call_service(&mut registry, home.clone(), Permission::default()).unwrap();
        let reflexes = HomeReflexes::new(home.clone(), grammars);
        Self { home, reflexes, registry, before: Vec::new(), area: None, unclear: None }
    }

    fn read(&self, message: &str) -> Option<Reflex> {
        let (area, before, unclear) = (self.area, self.before.as_slice(), self.unclear.as_deref());
        self.reflexes.read(&ReflexInput { message, language: None, area, before, previous: None, unclear })
    }

    /// Sends a message, runs its calls, and returns the answer.
    async fn say(&mut self, message: &str) -> String {
        let reflex = self.read(message).unwrap_or_else(|| panic!("not understood: {message}"));
        self.unclear = reflex.asks_back.then(|| message.to_owned());
        let mut settled = Vec::new();
        for call in &reflex.calls {
            let tool = &self.registry.get(&call.tool).unwrap().tool;
            let (status, content) = match tool.call(call.arguments.clone(), &context()).await {
                Ok(output) => (CallStatus::Ok, output.value.to_string()),
                Err(failure) => (CallStatus::Error, failure.to_string()),
            };
            settled.push(ReflexCallResult { call: call.clone(), status, content });
        }
        let said = ReflexInput { message, language: None, area: None, before: &[], previous: None, unclear: None };
        let answer = match &reflex.answer {
            Some(words) if settled.is_empty() => words.clone(),
            _ => self.reflexes.answer(&said, Some(&reflex), &settled),
        };
        self.before = settled;
        answer
    }

    fn arguments(&self, message: &str) -> Vec<Value> {
        self.read(message)
            .map(|reflex| reflex.calls.into_iter().map(|call| call.arguments).collect())
            .unwrap_or_default()
    }
}

#[tokio::test]
async fn what_is_said_is_done_and_what_was_done_is_said() {
    let mut talk = ReflexConversation::new();
    assert_eq!(talk.say("Turn on the kitchen light").await, "Turned on Kitchen light.");
    assert_eq!(talk.home.word("light.kitchen"), "on");
    assert_eq!(talk.say("turn on the kitchen light").await, "Kitchen light is on already.");
    assert_eq!(talk.say("set the bedroom light to 40 percent").await, "Set Bedroom light to 40 %.");
    assert_eq!(talk.say("turn off the lights in the kitchen").await, "Turned off Counter light and Kitchen light.");
}

#[tokio::test(start_paused = true)]
async fn nothing_is_called_done_that_is_not() {
    let mut talk = ReflexConversation::new();
    talk.home.is(FakeBehaviour::Deaf);
    let told = talk.say("turn on the kitchen light").await;
    assert_eq!(told, "I told Kitchen light to turn on, but it did not: still off.");
    talk.home.is(FakeBehaviour::Forbidden);
    let told = talk.say("turn on the kitchen light").await;
    assert!(told.starts_with("That did not work") && told.contains("may only read"), "{told}");
}

#[tokio::test]
async fn the_next_sentence_leans_on_the_one_before() {
    let mut talk = ReflexConversation::new();
    talk.say("turn on the kitchen light").await;
    assert_eq!(talk.say("and now off again").await, "Turned off Kitchen light.");
    assert_eq!(talk.say("undo that").await, "Turned on Kitchen light.");
    assert_eq!(talk.say("set it to 30 percent").await, "Set Kitchen light to 30 %.");
    assert_eq!(talk.say("a bit brighter").await, "Set Kitchen light to 50 %.");
    assert_eq!(talk.say("and the bedroom too").await, "Set Bedroom light to 50 %.");
    assert_eq!(talk.home.word("light.bedroom"), "on");
}

#[tokio::test]
async fn with_nothing_before_there_is_nothing_to_lean_on() {
    let talk = ReflexConversation::new();
    for message in ["and now off again", "undo that", "a bit brighter", "and the bedroom too"] {
        assert!(talk.arguments(message).is_empty(), "{message}");
    }
}

#[test]
fn questions_never_act() {
    let talk = ReflexConversation::new();
    let questions = [
        "is the kitchen light on?",
        "kitchen light on?",
        "are any windows open?",
        "which lights are on?",
        "how many lights are on",
        "is the front door locked?",
        "why is the kitchen light on?",
        "should I turn on the kitchen light?",
        "did you turn on the kitchen light?",
        "what happens if I open the garage door?",
    ];
    for question in questions {
        assert!(talk.arguments(question).is_empty(), "{question}: {:?}", talk.arguments(question));
    }
}

#[test]
fn no_and_if_and_later_are_not_yes_and_now() {
    let talk = ReflexConversation::new();
    let sentences = [
        "don't turn on the kitchen light",
        "never open the garage door",
        "do not unlock the front door",
        "turn on the kitchen light if it rains",
        "turn on the kitchen light when I come home",
        "turn off the kitchen light in ten minutes",
        "turn on the kitchen light tomorrow at 5",
        "I did not say turn on the kitchen light",
        "unlock the front door when Anna comes",
    ];
    for sentence in sentences {
        assert!(talk.arguments(sentence).is_empty(), "{sentence}: {:?}", talk.arguments(sentence));
    }
}

#[tokio::test]
async fn a_question_is_answered_from_what_the_home_told() {
    let mut talk = ReflexConversation::new();
    assert_eq!(talk.say("is the counter light on?").await, "Yes, Counter light is on.");
    assert_eq!(talk.say("is the kitchen light on?").await, "No, Kitchen light is off.");
    assert_eq!(talk.say("which lights are on?").await, "Counter light.");
    assert_eq!(talk.say("how many lights are on?").await, "1: Counter light.");
    assert_eq!(talk.say("is the front door locked?").await, "Yes, Front door is locked.");
}

#[tokio::test]
async fn a_place_that_is_missing_is_asked_for_and_the_answer_taken() {
    let mut talk = ReflexConversation::new();
    assert_eq!(talk.say("turn on the lights").await, "Where? There is Bedroom and Kitchen.");
    assert_eq!(talk.say("in the bedroom, please").await, "Turned on Bedroom light.");
    talk.area = Some("kitchen");
    talk.unclear = None;
    assert_eq!(talk.say("turn off the lights").await, "Turned off Counter light. Kitchen light is off already.");
}

#[test]
fn a_lock_is_one_call_for_the_lock_alone() {
    let talk = ReflexConversation::new();
    let expected = json!({ "domain": "lock", "service": "unlock", "target": { "entity_id": ["lock.front"] } });
    assert_eq!(talk.arguments("unlock the front door"), [expected]);
    // A typo is not corrected here.
    assert!(talk.arguments("unlokc the front door").is_empty());
    assert!(talk.arguments("unlock the frnot door").is_empty());
    assert!(talk.arguments("open the graage door").is_empty());
}

#[test]
fn what_is_not_exposed_has_no_name() {
    let talk = ReflexConversation::new();
    assert!(talk.arguments("turn on the secret switch").is_empty());
}

#[tokio::test]
async fn a_rename_is_understood_at_once() {
    let talk = ReflexConversation::new();
    assert!(talk.arguments("turn on the reading lamp").is_empty());
    let mut renamed = crate::fake_home::registry();
    let lamp = renamed.entities.iter_mut().find(|entity| entity.id.as_str() == "light.bedroom").unwrap();
    lamp.aliases.push("Reading lamp".to_owned());
    talk.home.index().furnish(renamed);
    assert_eq!(talk.arguments("turn on the reading lamp")[0]["target"]["entity_id"], json!(["light.bedroom"]));
}

#[tokio::test]
async fn undoing_leaves_alone_what_was_not_changed() {
    let mut talk = ReflexConversation::new();
    assert_eq!(
        talk.say("turn off the lights in the kitchen").await,
        "Turned off Counter light. Kitchen light is off already."
    );
    assert_eq!(talk.say("undo that").await, "Turned on Counter light.");
    assert_eq!(talk.home.word("light.kitchen"), "off");
}

#[tokio::test]
async fn what_is_off_is_not_made_darker() {
    let mut talk = ReflexConversation::new();
    talk.say("turn off the counter light").await;
    assert!(talk.arguments("darker").is_empty());
}

#[tokio::test]
async fn a_thing_that_is_not_where_it_was_said_to_be_is_left_alone() {
    let mut talk = ReflexConversation::new();
    let told = talk.say("turn on the ceiling fan in the bedroom").await;
    assert!(told.contains("Bedroom") && told.contains("nothing was done"), "{told}");
    assert_eq!(talk.home.word("fan.ceiling"), "off");
    assert_eq!(talk.say("turn on the ceiling fan in the kitchen").await, "Turned on Ceiling fan.");
}

#[test]
fn a_script_is_not_started_by_a_guess() {
    let talk = ReflexConversation::new();
    assert!(talk.arguments("um trun on good nihgt").is_empty());
}
