//! Memory by words, in a chat: forgetting after a confirmation, corrections, what is known and why.
//! No model is asked for any of it.

use serde_json::{Value, json};
use testkit::{ModelServer, Program, RestClient, RunningServer};

use super::{exchange, search, settled, texts};
use crate::{program, started};

/// The text of the answer to a message.
async fn said(rest: &RestClient, session: &str, message: &str) -> String {
    let turn = exchange(rest, session, message).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    turn["text"].as_str().unwrap().to_owned()
}

/// With a model that would repeat everything, and with none.
async fn both() -> [(Option<ModelServer>, Program, RunningServer); 2] {
    let (model, with_model, server) = started().await;
    let alone = program();
    let offline = alone.start().await;
    [(Some(model), with_model, server), (None, alone, offline)]
}

#[tokio::test]
async fn what_goes_is_shown_and_a_yes_forgets_it_also_after_a_restart() {
    for (model, program, server) in both().await {
        let rest = server.rest();
        let (session, other) = (rest.session().await, rest.session().await);
        said(&rest, &session, "My locker code is 4711xq.").await;
        said(&rest, &session, "I live in Leiden.").await;
        let asked = model.as_ref().map(|model| model.requests().len());
        let question = said(&rest, &other, "Forget my locker code").await;
        assert!(question.contains("locker code: 4711xq") && question.contains("\"Yes\""), "{question}");
        assert!(!question.contains("Leiden"), "{question}");
        assert_eq!(model.as_ref().map(|model| model.requests().len()), asked, "no model is asked");

        server.kill().await;
        let server = program.start().await;
        let rest = server.rest();
        let done = said(&rest, &other, "Yes.").await;
        assert!(done.starts_with("Forgotten: locker code") && !done.contains("4711"), "{done}");
        settled(&rest).await;
        let found = search(&rest, json!({ "query": "locker code 4711xq" })).await;
        assert!(!found.to_string().contains("4711xq"), "{found}");
        for id in [&session, &other] {
            let log = rest.log(id).await;
            assert!(!Value::from(log.clone()).to_string().contains("4711xq"), "{log:?}");
        }
        assert!(rest.get("/api/v1/memories/export").await.ok().to_string().contains("Leiden"), "the rest stays");
        assert!(!rest.text("/api/v1/memories/export").await.contains("4711xq"));
        // The conversation goes on.
        let turn = exchange(&rest, &other, "What do you know about me?").await;
        assert!(turn["text"].as_str().unwrap().contains("Leiden"), "{turn}");
        drop(model);
    }
}

#[tokio::test]
async fn anything_but_a_yes_leaves_it_and_so_does_a_change_meanwhile() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    said(&rest, &session, "My locker code is 4711xq.").await;
    for answer in ["No.", "Maybe later.", "yes and also tell me a joke"] {
        assert!(said(&rest, &session, "Please forget my locker code.").await.contains("4711xq"));
        said(&rest, &session, answer).await;
        // Only the very next message answers the question.
        let late = said(&rest, &session, "Yes").await;
        assert_eq!(late, "You said: Yes", "{answer}");
        settled(&rest).await;
        let found = search(&rest, json!({ "query": "locker code", "levels": ["fact", "profile"] })).await;
        assert!(found.to_string().contains("4711xq"), "{answer}: {found}");
    }
    assert!(said(&rest, &session, "Forget my locker code").await.contains("4711xq"));
    let elsewhere = rest.session().await;
    said(&rest, &elsewhere, "My locker code is 9922zz now.").await;
    let again = said(&rest, &session, "yes").await;
    assert!(again.contains("9922zz") && again.contains("Yes"), "what would go has changed: {again}");
    assert!(said(&rest, &session, "yes").await.starts_with("Forgotten"));
    settled(&rest).await;
    let found = search(&rest, json!({ "query": "locker code" })).await;
    assert!(!found.to_string().contains("9922zz") && !found.to_string().contains("4711xq"), "{found}");

    // Other sentences with these words go to the model.
    let before = model.requests().len();
    for message in ["Forget it.", "Forget my parachute", "Forget what I told you about Zanzibar"] {
        said(&rest, &session, message).await;
    }
    assert_eq!(model.requests().len(), before + 3, "nothing is known about these");
}

#[tokio::test]
async fn everything_about_a_subject_goes_with_the_messages_about_it() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    said(&rest, &session, "My sister Ada plays the cello.").await;
    said(&rest, &session, "Yesterday Ada broke the blue vase of our aunt.").await;
    said(&rest, &session, "My brother Tom plays the drums.").await;
    let question = said(&rest, &session, "forget what I told you about Ada").await;
    assert!(question.contains("blue vase") && !question.contains("Tom"), "{question}");
    let done = said(&rest, &session, "yes please").await;
    assert!(done.starts_with("Forgotten"), "{done}");
    settled(&rest).await;
    let archive = rest.text("/api/v1/memories/export").await;
    assert!(!archive.contains("blue vase") && !archive.contains("cello") && archive.contains("drums"), "{archive}");
}

#[tokio::test]
async fn what_was_told_is_explained_and_corrected() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let diary = rest.post("/api/v1/sessions", json!({ "key": "diary" })).await.ok();
    let diary = diary["session_id"].as_str().unwrap();
    said(&rest, diary, "My locker code is 4712.").await;
    settled(&rest).await;
    let session = rest.session().await;
    let known = said(&rest, &session, "What do you know about me?").await;
    assert!(known.contains("locker code: 4712"), "{known}");
    let why = said(&rest, &session, "Why do you think that?").await;
    assert!(why.contains("My locker code is 4712.") && why.contains("the session diary"), "{why}");
    let today = rest.get("/api/v1/memories?level=entry&limit=1").await.ok()["items"][0]["at"].clone();
    assert!(why.contains(&today.as_str().unwrap()[..10]), "{why}");

    let right = said(&rest, &session, "That's wrong, it is 4711").await;
    assert!(right.contains("locker code: 4711") && right.contains("4712"), "{right}");
    let facts = search(&rest, json!({ "query": "locker code", "levels": ["fact", "profile"] })).await;
    assert_eq!(facts["items"][0]["value"], "4711", "{facts}");
    let known = said(&rest, &session, "what do you know about me").await;
    assert!(known.contains("4711") && !known.contains("4712"), "{known}");
    let why = said(&rest, &session, "How do you know that?").await;
    assert!(why.contains("You corrected it"), "{why}");

    let set = said(&rest, &session, "Set my profile: diet = vegan").await;
    assert_eq!(set, "Your profile says now: diet: vegan.");
    let profile = rest.get("/api/v1/profile").await.ok();
    assert!(profile.to_string().contains("vegan"), "{profile}");
    assert_eq!(profile["data"].as_array().unwrap().iter().filter(|line| line["origin"] != "trusted").count(), 0);
    // A forgotten correction leaves no trace in the messages that made it.
    assert!(said(&rest, &session, "Forget my locker code").await.contains("4711"));
    said(&rest, &session, "yes").await;
    settled(&rest).await;
    let log = Value::from(rest.log(&session).await).to_string();
    assert!(!log.contains("4711") && !log.contains("4712"), "{log}");
    assert_eq!(texts(&search(&rest, json!({ "query": "4711 4712" })).await), [""; 0]);
}
