//! Secrets are in no journal, no stream and no prompt, whoever says them.

use protocol::{ChatSend, PlannerHints, SessionId};

use crate::{
    house::{House, SECRET},
    test_tools::note,
};

/// A secret that is known by its form only.
const KEY: &str = "sk-proj-abcDEF1234567890abcDEF";

/// Nobody who reads the session, nor the model in the next turn, sees a secret.
async fn check_gone(house: &House, session: SessionId) {
    house.say(session, "What did we speak about?").await;
    let prompt = format!("{:?}", house.model.call().await.prompt);
    let journal = serde_json::to_string(&house.journal(session).await).unwrap();
    for text in [prompt, journal] {
        for secret in [SECRET, KEY, "abcDEF1234567890"] {
            assert!(!text.contains(secret), "{secret} is in {text}");
        }
    }
}

#[tokio::test]
async fn typed_by_the_user() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, &format!("The door opens with {SECRET}, the safe with {KEY}, all right?")).await;
    let call = house.model.call().await;
    assert!(call.asked().starts_with("The door opens with ") && call.asked().ends_with(", all right?"));
    assert!(!call.asked().contains(SECRET) && !call.asked().contains(KEY), "{}", call.asked());
    call.answer("All right.");
    house.ended(turn).await;
    check_gone(&house, session).await;
}

#[tokio::test]
async fn said_by_the_model_in_pieces() {
    let house = House::new();
    let session = house.start().await;
    let mut follower = house.follow(session).await;
    let turn = house.say(session, "How does the door open?").await;
    let call = house.model.call().await;
    call.think(&format!("It opens with {SECRET}, I think."));
    for text in [SECRET, KEY] {
        call.say(" It opens with ");
        for piece in text.as_bytes().chunks(3) {
            call.say(std::str::from_utf8(piece).unwrap());
        }
        call.say(", as you know.");
    }
    call.end();
    // The follower puts the live text together, and it has to be that of the journal.
    follower.until_ended(turn).await;
    let told = follower.text(turn);
    assert!(told.contains("It opens with ") && told.ends_with(", as you know."), "{told}");
    assert!(!told.contains(SECRET) && !told.contains(KEY), "{told}");
    check_gone(&house, session).await;
}

#[tokio::test]
async fn given_to_a_tool_and_returned_by_it() {
    let house = House::new();
    let session = house.start().await;
    let (turn, second) = house.call(session, "page", &format!("Use {SECRET} and {KEY}.")).await;
    assert!(!second.lines().join(" ").contains(SECRET), "{:?}", second.lines());
    second.answer("I do.");
    house.ended(turn).await;
    check_gone(&house, session).await;
}

#[tokio::test]
async fn in_what_a_tool_says_of_its_failure() {
    let house = House::new();
    let session = house.start().await;
    let (turn, second) = house.call(session, "broken", SECRET).await;
    second.answer("It does not work.");
    house.ended(turn).await;
    check_gone(&house, session).await;
}

#[tokio::test]
async fn in_what_is_kept_beside_the_conversation() {
    let house = House::new();
    let session = house.start().await;
    let long = format!("{} {SECRET} {}", "words ".repeat(2_000), "words ".repeat(2_000));
    let turn = house.say(session, "What is on the page?").await;
    house.model.call().await.use_tools(&[("c1", "page", note(&long))]);
    house.model.call().await.answer("Many words.");
    let turn = house.ended(turn).await;
    let (_, bytes) = house.hub.artifact(&house.ada, turn.response.unwrap().artifacts[0]).await.unwrap();
    assert!(!String::from_utf8(bytes).unwrap().contains(SECRET));
    check_gone(&house, session).await;
}

#[tokio::test]
async fn in_a_message_that_steers() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, "How does the door open?").await;
    let first = house.model.call().await;
    let send = protocol::ChatSend {
        on_busy: protocol::OnBusy::Steer,
        ..protocol::ChatSend::text(format!("I think it is {SECRET}."))
    };
    house.send(session, send).await.unwrap();
    first.answer("I do not know.");
    house.model.call().await.answer("Thank you.");
    house.ended(turn).await;
    check_gone(&house, session).await;
}

/// What the provider says of a failure may quote what it was sent.
#[tokio::test]
async fn in_what_a_provider_says_of_its_failure() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, "How does the door open?").await;
    let message = format!("Incorrect API key provided: {KEY}, or {SECRET}");
    let refusal = model::Error::Refused { provider: "driven".to_owned(), status: 401, message };
    house.model.call().await.refuse(refusal);
    house.ended(turn).await;
    check_gone(&house, session).await;
}

#[tokio::test]
async fn a_tool_that_is_named_like_a_secret_is_not_named() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, "Please call it.").await;
    house.model.call().await.use_tools(&[("c1", KEY, note("x"))]);
    house.model.call().await.answer("There is no such tool.");
    house.ended(turn).await;
    check_gone(&house, session).await;
}

#[tokio::test]
async fn a_question_back_has_no_secret() {
    let house = House::new();
    let session = house.start().await;
    let turn = house.say(session, "do it").await;
    house.model.call().await.answer(&format!(r#"{{"confidence":0.2,"question":"With {SECRET}?"}}"#));
    house.ended(turn).await;
    check_gone(&house, session).await;
}

#[tokio::test]
async fn hints_have_none_either() {
    let house = House::new();
    let session = house.start().await;
    let hints = PlannerHints { focus_areas: vec![format!("the {SECRET} thing")], ..PlannerHints::default() };
    let send = ChatSend { planner_hints: Some(hints), ..ChatSend::text("Tell me about cats.") };
    let turn = house.send(session, send).await.unwrap();
    let call = house.model.call().await;
    assert!(!call.prompt.system.contains(SECRET), "{}", call.prompt.system);
    call.answer("They purr.");
    house.ended(turn).await;
    check_gone(&house, session).await;
}
