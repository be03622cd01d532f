//! Secrets are in no journal, no stream and no prompt, whatever their source.

use protocol::{ChatSend, PlannerHints, SessionId};

use crate::{
    harness::{Harness, SECRET},
    test_tools::note,
};

/// A secret that is recognized only by its form.
const KEY: &str = "sk-proj-abcDEF1234567890abcDEF";

/// Neither the journal nor the model's next prompt contains a secret.
async fn check_gone(harness: &Harness, session: SessionId) {
    harness.say(session, "What did we speak about?").await;
    let prompt = format!("{:?}", harness.model.call().await.prompt);
    let journal = serde_json::to_string(&harness.journal(session).await).unwrap();
    for text in [prompt, journal] {
        for secret in [SECRET, KEY, "abcDEF1234567890"] {
            assert!(!text.contains(secret), "{secret} is in {text}");
        }
    }
}

#[tokio::test]
async fn typed_by_the_user() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, &format!("The door opens with {SECRET}, the safe with {KEY}, all right?")).await;
    let call = harness.model.call().await;
    assert!(call.asked().starts_with("The door opens with ") && call.asked().ends_with(", all right?"));
    assert!(!call.asked().contains(SECRET) && !call.asked().contains(KEY), "{}", call.asked());
    call.answer("All right.");
    harness.ended(turn).await;
    check_gone(&harness, session).await;
}

#[tokio::test]
async fn said_by_the_model_in_pieces() {
    let harness = Harness::new();
    let session = harness.start().await;
    let mut follower = harness.follow(session).await;
    let turn = harness.say(session, "How does the door open?").await;
    let call = harness.model.call().await;
    call.think(&format!("It opens with {SECRET}, I think."));
    for text in [SECRET, KEY] {
        call.say(" It opens with ");
        for piece in text.as_bytes().chunks(3) {
            call.say(std::str::from_utf8(piece).unwrap());
        }
        call.say(", as you know.");
    }
    call.end();
    // The subscriber assembles the live text, which has to match the journal.
    follower.until_ended(turn).await;
    let told = follower.text(turn);
    assert!(told.contains("It opens with ") && told.ends_with(", as you know."), "{told}");
    assert!(!told.contains(SECRET) && !told.contains(KEY), "{told}");
    check_gone(&harness, session).await;
}

#[tokio::test]
async fn given_to_a_tool_and_returned_by_it() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (turn, second) = harness.call(session, "page", &format!("Use {SECRET} and {KEY}.")).await;
    assert!(!second.lines().join(" ").contains(SECRET), "{:?}", second.lines());
    second.answer("I do.");
    harness.ended(turn).await;
    check_gone(&harness, session).await;
}

#[tokio::test]
async fn in_what_a_tool_says_of_its_failure() {
    let harness = Harness::new();
    let session = harness.start().await;
    let (turn, second) = harness.call(session, "broken", SECRET).await;
    second.answer("It does not work.");
    harness.ended(turn).await;
    check_gone(&harness, session).await;
}

#[tokio::test]
async fn in_what_is_kept_beside_the_conversation() {
    let harness = Harness::new();
    let session = harness.start().await;
    let long = format!("{} {SECRET} {}", "words ".repeat(2_000), "words ".repeat(2_000));
    let turn = harness.say(session, "What is on the page?").await;
    harness.model.call().await.use_tools(&[("c1", "page", note(&long))]);
    harness.model.call().await.answer("Many words.");
    let turn = harness.ended(turn).await;
    let (_, bytes) = harness.hub.artifact(&harness.ada, turn.response.unwrap().artifacts[0]).await.unwrap();
    assert!(!String::from_utf8(bytes).unwrap().contains(SECRET));
    check_gone(&harness, session).await;
}

#[tokio::test]
async fn in_a_message_that_steers() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "How does the door open?").await;
    let first = harness.model.call().await;
    let send = protocol::ChatSend {
        on_busy: protocol::OnBusy::Steer,
        ..protocol::ChatSend::text(format!("I think it is {SECRET}."))
    };
    harness.send(session, send).await.unwrap();
    first.answer("I do not know.");
    harness.model.call().await.answer("Thank you.");
    harness.ended(turn).await;
    check_gone(&harness, session).await;
}

/// A provider's error message may quote the request.
#[tokio::test]
async fn in_what_a_provider_says_of_its_failure() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "How does the door open?").await;
    let message = format!("Incorrect API key provided: {KEY}, or {SECRET}");
    let refusal = model::Error::Refused { provider: "driven".to_owned(), status: 401, message };
    harness.model.call().await.refuse(refusal);
    harness.ended(turn).await;
    check_gone(&harness, session).await;
}

#[tokio::test]
async fn a_tool_that_is_named_like_a_secret_is_not_named() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "Please call it.").await;
    harness.model.call().await.use_tools(&[("c1", KEY, note("x"))]);
    harness.model.call().await.answer("There is no such tool.");
    harness.ended(turn).await;
    check_gone(&harness, session).await;
}

#[tokio::test]
async fn a_question_back_has_no_secret() {
    let harness = Harness::new();
    let session = harness.start().await;
    let turn = harness.say(session, "do it").await;
    harness.model.call().await.answer(&format!(r#"{{"confidence":0.2,"question":"With {SECRET}?"}}"#));
    harness.ended(turn).await;
    check_gone(&harness, session).await;
}

#[tokio::test]
async fn hints_have_none_either() {
    let harness = Harness::new();
    let session = harness.start().await;
    let hints = PlannerHints { focus_areas: vec![format!("the {SECRET} thing")], ..PlannerHints::default() };
    let send = ChatSend { planner_hints: Some(hints), ..ChatSend::text("Tell me about cats.") };
    let turn = harness.send(session, send).await.unwrap();
    let call = harness.model.call().await;
    assert!(!call.prompt.system.contains(SECRET), "{}", call.prompt.system);
    call.answer("They purr.");
    harness.ended(turn).await;
    check_gone(&harness, session).await;
}
