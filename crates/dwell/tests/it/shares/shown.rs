//! Usage is shown to the owner it belongs to.

use serde_json::json;

use super::{TwoOwners, works};

#[tokio::test]
async fn an_owner_sees_what_they_use_and_the_operator_what_everyone_does() {
    let two = TwoOwners::with(&[("QUOTA_SESSIONS_MAX", "7"), ("QUOTA_TURNS_MAX", "0")]).await;
    works(&two.ada).await;
    let adas = two.ada.get("/api/v1/stats").await.ok()["usage"].clone();
    assert_eq!(adas["own"]["owner"], "ada");
    assert_eq!(adas["own"]["sessions"], json!({ "used": 1, "max": 7 }));
    assert_eq!(adas["own"]["open_turns"], json!({ "used": 0 }), "no limit is none");
    assert!(adas["own"]["journal_bytes"]["used"].as_u64().unwrap() > 500, "{adas}");
    assert!(adas["owners"].is_null() && adas["library"].is_null(), "other owners' usage is not shown: {adas}");

    let all = two.server.rest().get("/api/v1/stats").await.ok()["usage"].clone();
    let owners: Vec<_> = all["owners"].as_array().unwrap().iter().map(|one| one["owner"].as_str().unwrap()).collect();
    assert_eq!(owners, ["ada"], "only owners with usage are listed");
    assert_eq!(all["library"]["documents"]["used"], 0);
    let shown = two.program.run(&["stats"]).await;
    assert_eq!(shown.code(), 0, "{}", shown.stderr);
    for line in ["owner ada", "sessions        1 of 7", "open turns      0 (no limit)"] {
        assert!(shown.stdout.contains(line), "{line}: {}", shown.stdout);
    }
}
