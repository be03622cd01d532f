//! What is kept beside the conversation: shown, removed, bounded, and gone after a while.

use std::time::Duration;

use engine::{Error, Options};
use journal::{Artifact, Artifacts};
use protocol::{ArtifactId, ArtifactView, Content, List, Origin, OwnerId, SessionId, Swept};
use serde_json::{Value, json};

use crate::{
    house::{House, options, owner, within_patience},
    steps::results,
};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Lets the model make one call in a turn of its own; gives what it is told of it.
async fn call(house: &House, session: SessionId, tool: &str, arguments: Value) -> String {
    let turn = house.say(session, "Please do what we spoke of.").await;
    house.model.call().await.use_tools(&[("c1", tool, arguments)]);
    house.model.call().await.answer("Done.");
    results(&house.ended(turn).await)[0].content.clone()
}

async fn save(house: &House, session: SessionId, name: &str, content: &str) -> ArtifactId {
    let told = call(house, session, "artifact_save", json!({ "name": name, "content": content })).await;
    let told: Value = serde_json::from_str(&told).unwrap();
    told["artifact_id"].as_str().unwrap().parse().unwrap()
}

/// An artifact of one byte, made now.
fn stored(house: &House, session_id: SessionId, n: u8) -> Artifact {
    let view = ArtifactView {
        artifact_id: ArtifactId::from_bytes([n; 16]),
        session_id,
        turn_id: None,
        name: format!("{n}.txt"),
        media_type: "text/plain".to_owned(),
        bytes: 1,
        origin: Origin::Trusted,
        created_at: house.hub.now(),
    };
    Artifact { view, owner: house.ada.clone(), bytes: vec![n] }
}

async fn all(house: &House, who: &OwnerId) -> Vec<String> {
    let page = house.hub.all_artifacts(who, &List::default()).await.unwrap();
    page.data.into_iter().map(|view| view.name).collect()
}

#[tokio::test]
async fn the_sweeper_collects_what_was_kept_long_enough() {
    let house = House::with(Options { artifact_days: Some(30), ..options() });
    let (first, second) = (house.start().await, house.start().await);
    save(&house, first, "old.txt", "twelve bytes").await;
    house.world.pass(29 * DAY);
    save(&house, second, "young.txt", "young").await;
    assert_eq!(house.hub.sweep_now().await.unwrap(), Swept::default(), "nothing is old enough yet");
    assert_eq!(all(&house, &house.ada).await, ["young.txt", "old.txt"], "newest first, of all sessions");

    house.world.pass(2 * DAY);
    assert_eq!(
        house.hub.sweep_now().await.unwrap(),
        Swept { artifacts: 1, bytes: 12, memories: 0, ..Swept::default() }
    );
    assert_eq!(all(&house, &house.ada).await, ["young.txt"]);
    assert_eq!(house.hub.sweep_now().await.unwrap(), Swept::default());
}

#[tokio::test]
async fn more_than_a_batch_is_collected_at_once_and_again_at_the_start() {
    let house = House::with(Options { artifact_days: Some(1), ..options() });
    let session = house.start().await;
    for n in 0..45 {
        house.store.put(stored(&house, session, n)).await.unwrap();
    }
    house.world.pass(2 * DAY);
    assert_eq!(
        house.hub.sweep_now().await.unwrap(),
        Swept { artifacts: 45, bytes: 45, memories: 0, ..Swept::default() }
    );

    save(&house, session, "one.txt", "x").await;
    house.world.pass(2 * DAY);
    let house = house.restart().await;
    let swept = async {
        while !all(&house, &house.ada).await.is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    within_patience("what is old is collected at the start", swept).await;
}

#[tokio::test]
async fn without_days_artifacts_stay_as_long_as_their_session() {
    let house = House::with(Options { artifact_days: None, ..options() });
    let session = house.start().await;
    save(&house, session, "old.txt", "x").await;
    house.world.pass(1_000 * DAY);
    assert_eq!(house.hub.sweep_now().await.unwrap(), Swept::default());
    assert_eq!(all(&house, &house.ada).await, ["old.txt"]);
}

#[tokio::test]
async fn an_artifact_is_removed_by_its_owner_alone() {
    let house = House::new();
    let session = house.start().await;
    let id = save(&house, session, "mine.txt", "x").await;
    let bob = owner("bob");
    assert_eq!(all(&house, &bob).await, Vec::<String>::new());
    assert!(matches!(house.hub.remove_artifact(&bob, id).await, Err(Error::NoArtifact)));
    house.hub.remove_artifact(&house.ada, id).await.unwrap();
    assert!(matches!(house.hub.remove_artifact(&house.ada, id).await, Err(Error::NoArtifact)));
    assert!(matches!(house.hub.artifact(&house.ada, id).await, Err(Error::NoArtifact)));
}

#[tokio::test]
async fn an_artifact_is_shown_in_a_window() {
    let house = House::new();
    let session = house.start().await;
    let id = save(&house, session, "plan.md", "# Plan").await;
    for (n, arguments) in
        [json!({ "artifact_id": id }), json!({ "name": "plan.md", "title": "The plan" })].into_iter().enumerate()
    {
        let told: Value = serde_json::from_str(&call(&house, session, "artifact_show", arguments).await).unwrap();
        assert_eq!(told["artifact_id"], id.to_string());
        let desktop = house.hub.desktop(&house.ada, &session.into()).await.unwrap();
        let window = &desktop.windows[n];
        assert_eq!(told["window_id"], window.window_id.to_string());
        assert_eq!(window.title, ["plan.md", "The plan"][n]);
        let Content::Artifact(shown) = &window.content else { panic!("{window:?}") };
        assert_eq!((shown.artifact_id, shown.name.as_str(), shown.media_type.as_str()), (id, "plan.md", "text/plain"));
    }
    for arguments in [json!({}), json!({ "name": "other.md" }), json!({ "artifact_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV" })]
    {
        let told = call(&house, session, "artifact_show", arguments).await;
        assert!(told.contains("artifact"), "{told}");
    }
    assert_eq!(house.hub.desktop(&house.ada, &session.into()).await.unwrap().windows.len(), 2);
}

#[tokio::test]
async fn a_large_result_is_not_kept_where_the_owner_has_no_room_left() {
    let house = House::with(Options { owner_artifact_bytes_max: 1_000, ..options() });
    let session = house.start().await;
    let (turn, next) = house.call(session, "page", &"long ".repeat(10_000)).await;
    next.answer("That was long.");
    let turn = house.ended(turn).await;
    let result = &results(&turn)[0];
    assert_eq!(result.artifact_id, None);
    assert!(result.content.len() < 10_000, "its ends are told all the same");
    assert_eq!(all(&house, &house.ada).await, Vec::<String>::new());
}
