//! What people want when something happens at home, said in words, without a model.

use serde_json::{Value, json};
use testkit::RestClient;

use super::{alert, all};
use crate::{harness::told, program_with_home};

async fn said(rest: &RestClient, session: &str, message: &str) -> String {
    let turn = told(rest, session, json!({ "message": message })).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    turn["text"].as_str().unwrap().to_owned()
}

/// The schedule that waits for this entity.
fn waiting<'a>(found: &'a [Value], entity: &str) -> &'a Value {
    let waits = |it: &&Value| it["when"]["trigger"]["entity_id"] == entity;
    found.iter().find(waits).unwrap_or_else(|| panic!("nothing waits for {entity}: {found:?}"))
}

#[tokio::test]
async fn a_person_asks_to_be_told_when_something_happens() {
    let server = program_with_home().start().await;
    let rest = server.rest();
    let session = rest.session().await;
    let words = |message: &'static str| said(&rest, &session, message);

    words("turn off the floor lamp").await;
    assert_eq!(words("Tell me when the floor lamp turns on").await, "I will tell you when the floor lamp turns on.");
    let mail = words("remind me to fetch the mail when the garage door opens").await;
    assert_eq!(mail, "I will remind you when the garage door opens: fetch the mail");
    let hall = words("whenever Marta comes home, turn on the counter lights").await;
    assert!(hall.contains("whenever Marta comes home") && hall.contains("turn on the counter lights"), "{hall}");
    assert_eq!(
        words("Sag mir Bescheid, wenn das Television aus ist").await,
        "Ich sage dir Bescheid, wenn das Television aus ist."
    );

    let found = all(&rest).await;
    assert_eq!(found.len(), 4, "{found:?}");
    assert_eq!(waiting(&found, "light.floor_lamp")["when"]["trigger"]["to"], "on");
    assert_eq!(waiting(&found, "light.floor_lamp")["runs_max"], 1, "it is said once");
    assert_eq!(waiting(&found, "cover.garage_door")["when"]["trigger"]["to"], "open");
    assert_eq!(waiting(&found, "person.marta")["when"]["trigger"]["to"], "home");
    assert_eq!(waiting(&found, "person.marta")["runs_max"], Value::Null, "it is meant each time");
    let list = words("what is planned?").await;
    assert!(list.contains("fetch the mail") && list.contains("cover.garage_door"), "{list}");

    words("turn on the floor lamp").await;
    alert(&rest, |alert| alert["title"] == "the floor lamp turns on").await;
    assert!(words("cancel the fetch the mail reminder").await.starts_with("Cancelled"));
}

#[tokio::test]
async fn what_the_home_does_not_know_is_not_waited_for() {
    let server = program_with_home().start().await;
    let rest = server.rest();
    let session = rest.session().await;
    for message in [
        "tell me when the moon turns green",
        // Several doors, and none is meant more than the others.
        "tell me when a light turns on",
        "remind me to call when it is done",
        "turn on the disco ball when the garage door opens",
        "tell me when the garage door opens or the floor lamp turns on",
        "tell me when the garage door and the floor lamp turn on",
        "tell me when the garage door is not open",
        "tell me if the garage door opens or not",
        "turn on the floor lamp when the garage door opens and the back door is locked",
        "do not tell me when the garage door opens",
    ] {
        said(&rest, &session, message).await;
        let found = all(&rest).await;
        assert_eq!(found, [] as [Value; 0], "{message}");
    }
}
