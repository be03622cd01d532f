//! Artifacts: listed, removed, limited, and deleted after a while.

use std::time::Duration;

use engine::{Error, Options};
use journal::{Artifact, Artifacts};
use protocol::{ArtifactId, ArtifactView, Origin, OwnerId, PageRequest, SessionId, SweepResult, WindowContent};
use serde_json::{Value, json};

use crate::{
    harness::{Harness, options, owner, within_patience},
    steps::results,
};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Makes the model make one call in a turn of its own. Returns the result that the model reads.
async fn call(harness: &Harness, session: SessionId, tool: &str, arguments: Value) -> String {
    let turn = harness.say(session, "Please do what we spoke of.").await;
    harness.model.call().await.use_tools(&[("c1", tool, arguments)]);
    harness.model.call().await.answer("Done.");
    results(&harness.ended(turn).await)[0].content.clone()
}

async fn save(harness: &Harness, session: SessionId, name: &str, content: &str) -> ArtifactId {
    let told = call(harness, session, "artifact_save", json!({ "name": name, "content": content })).await;
    let told: Value = serde_json::from_str(&told).unwrap();
    told["artifact_id"].as_str().unwrap().parse().unwrap()
}

/// An artifact of one byte, made now.
fn stored(harness: &Harness, session_id: SessionId, n: u8) -> Artifact {
    let view = ArtifactView {
        artifact_id: ArtifactId::from_bytes([n; 16]),
        session_id,
        turn_id: None,
        name: format!("{n}.txt"),
        media_type: "text/plain".to_owned(),
        bytes: 1,
        origin: Origin::Trusted,
        created_at: harness.hub.now(),
    };
    Artifact { view, owner: harness.ada.clone(), bytes: vec![n] }
}

async fn all(harness: &Harness, who: &OwnerId) -> Vec<String> {
    let page = harness.hub.all_artifacts(who, &PageRequest::default()).await.unwrap();
    page.data.into_iter().map(|view| view.name).collect()
}

#[tokio::test]
async fn the_sweeper_collects_what_was_kept_long_enough() {
    let harness = Harness::with(Options { artifact_days: Some(30), ..options() });
    let (first, second) = (harness.start().await, harness.start().await);
    save(&harness, first, "old.txt", "twelve bytes").await;
    harness.world.pass(29 * DAY);
    save(&harness, second, "young.txt", "young").await;
    assert_eq!(harness.hub.sweep_now().await.unwrap(), SweepResult::default(), "nothing is old enough yet");
    assert_eq!(all(&harness, &harness.ada).await, ["young.txt", "old.txt"], "newest first, of all sessions");

    harness.world.pass(2 * DAY);
    assert_eq!(
        harness.hub.sweep_now().await.unwrap(),
        SweepResult { artifacts: 1, bytes: 12, memories: 0, ..SweepResult::default() }
    );
    assert_eq!(all(&harness, &harness.ada).await, ["young.txt"]);
    assert_eq!(harness.hub.sweep_now().await.unwrap(), SweepResult::default());
}

#[tokio::test]
async fn more_than_a_batch_is_collected_at_once_and_again_at_the_start() {
    let harness = Harness::with(Options { artifact_days: Some(1), ..options() });
    let session = harness.start().await;
    for n in 0..45 {
        harness.store.put(stored(&harness, session, n)).await.unwrap();
    }
    harness.world.pass(2 * DAY);
    assert_eq!(
        harness.hub.sweep_now().await.unwrap(),
        SweepResult { artifacts: 45, bytes: 45, memories: 0, ..SweepResult::default() }
    );

    save(&harness, session, "one.txt", "x").await;
    harness.world.pass(2 * DAY);
    let harness = harness.restart().await;
    let swept = async {
        while !all(&harness, &harness.ada).await.is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    within_patience("what is old is collected at the start", swept).await;
}

#[tokio::test]
async fn without_days_artifacts_stay_as_long_as_their_session() {
    let harness = Harness::with(Options { artifact_days: None, ..options() });
    let session = harness.start().await;
    save(&harness, session, "old.txt", "x").await;
    harness.world.pass(1_000 * DAY);
    assert_eq!(harness.hub.sweep_now().await.unwrap(), SweepResult::default());
    assert_eq!(all(&harness, &harness.ada).await, ["old.txt"]);
}

#[tokio::test]
async fn an_artifact_is_removed_by_its_owner_alone() {
    let harness = Harness::new();
    let session = harness.start().await;
    let id = save(&harness, session, "mine.txt", "x").await;
    let bob = owner("bob");
    assert_eq!(all(&harness, &bob).await, Vec::<String>::new());
    assert!(matches!(harness.hub.remove_artifact(&bob, id).await, Err(Error::NoArtifact)));
    harness.hub.remove_artifact(&harness.ada, id).await.unwrap();
    assert!(matches!(harness.hub.remove_artifact(&harness.ada, id).await, Err(Error::NoArtifact)));
    assert!(matches!(harness.hub.artifact(&harness.ada, id).await, Err(Error::NoArtifact)));
}

#[tokio::test]
async fn an_artifact_is_shown_in_a_window() {
    let harness = Harness::new();
    let session = harness.start().await;
    let id = save(&harness, session, "plan.md", "# Plan").await;
    for (n, arguments) in
        [json!({ "artifact_id": id }), json!({ "name": "plan.md", "title": "The plan" })].into_iter().enumerate()
    {
        let told: Value = serde_json::from_str(&call(&harness, session, "artifact_show", arguments).await).unwrap();
        assert_eq!(told["artifact_id"], id.to_string());
        let desktop = harness.hub.desktop(&harness.ada, &session.into()).await.unwrap();
        let window = &desktop.windows[n];
        assert_eq!(told["window_id"], window.window_id.to_string());
        assert_eq!(window.title, ["plan.md", "The plan"][n]);
        let WindowContent::Artifact(shown) = &window.content else { panic!("{window:?}") };
        assert_eq!((shown.artifact_id, shown.name.as_str(), shown.media_type.as_str()), (id, "plan.md", "text/plain"));
    }
    for arguments in [json!({}), json!({ "name": "other.md" }), json!({ "artifact_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV" })]
    {
        let told = call(&harness, session, "artifact_show", arguments).await;
        assert!(told.contains("artifact"), "{told}");
    }
    assert_eq!(harness.hub.desktop(&harness.ada, &session.into()).await.unwrap().windows.len(), 2);
}

#[tokio::test]
async fn a_large_result_is_not_kept_where_the_owner_has_no_room_left() {
    let harness = Harness::with(Options { owner_artifact_bytes_max: 1_000, ..options() });
    let session = harness.start().await;
    let (turn, next) = harness.call(session, "page", &"long ".repeat(10_000)).await;
    next.answer("That was long.");
    let turn = harness.ended(turn).await;
    let result = &results(&turn)[0];
    assert_eq!(result.artifact_id, None);
    assert!(result.content.len() < 10_000, "its ends are told all the same");
    assert_eq!(all(&harness, &harness.ada).await, Vec::<String>::new());
}
