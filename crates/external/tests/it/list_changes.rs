//! Tool lists that change.

use serde_json::json;
use testkit::TestMcpServer;

use crate::harness::Harness;

#[tokio::test]
async fn a_tool_that_comes_later_is_let_in_on_either_wire() {
    for switches in ["", "--old"] {
        let harness = Harness::with_shop(switches, "").await;
        let mut changes = harness.registry.changes();
        changes.mark_unchanged();
        harness.call("shop_grow", json!({})).await.unwrap();
        harness.until("it has come", |harness| harness.registry.get("shop_grown_0").is_some()).await;
        assert!(changes.has_changed().unwrap(), "waiting clients are notified");
        assert!(harness.server("shop").tools.contains(&"shop_grown_0".to_owned()));
        let done = harness.call("shop_grown_0", json!({})).await.unwrap();
        assert_eq!(done.value, json!("grown_0 is done"));
        harness.call("shop_grow", json!({})).await.unwrap();
        harness.until("and one more", |harness| harness.registry.get("shop_grown_1").is_some()).await;
    }
}

#[tokio::test]
async fn what_comes_later_is_let_in_by_name_only_too() {
    let harness = Harness::open("[shop]\ncommand = \"TEST_SERVER\"\nallow = [\"grow\", \"grown_1\"]");
    harness.until("it is there", |harness| harness.server("shop").away_because.is_none()).await;
    harness.call("shop_grow", json!({})).await.unwrap();
    harness.call("shop_grow", json!({})).await.unwrap();
    harness.until("it has come", |harness| harness.registry.get("shop_grown_1").is_some()).await;
    assert!(harness.registry.get("shop_grown_0").is_none());
}

#[tokio::test]
async fn a_server_at_an_address_tells_of_changes_on_either_wire() {
    for old in [false, true] {
        let test_server = TestMcpServer { old, ..TestMcpServer::default() }.at_an_address().await;
        let url = test_server.url();
        let harness = Harness::open(&format!("[shop]\nurl = \"{url}\"\nallow_private = true\nallow = [\"*\"]"));
        harness.until("it is there", |harness| harness.server("shop").away_because.is_none()).await;
        harness.call("shop_grow", json!({})).await.unwrap();
        harness.until("it has come", |harness| harness.registry.get("shop_grown_0").is_some()).await;
        harness.external.stop().await;
    }
}
