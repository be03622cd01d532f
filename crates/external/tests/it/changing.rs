//! Lists that change.

use serde_json::json;
use testkit::Stranger;

use crate::house::House;

#[tokio::test]
async fn a_tool_that_comes_later_is_let_in_on_either_wire() {
    for switches in ["", "--old"] {
        let house = House::with_shop(switches, "").await;
        let mut changes = house.registry.changes();
        changes.mark_unchanged();
        house.call("shop_grow", json!({})).await.unwrap();
        house.until("it has come", |house| house.registry.get("shop_grown_0").is_some()).await;
        assert!(changes.has_changed().unwrap(), "whoever waits for changes is told");
        assert!(house.server("shop").tools.contains(&"shop_grown_0".to_owned()));
        let done = house.call("shop_grown_0", json!({})).await.unwrap();
        assert_eq!(done.value, json!("grown_0 is done"));
        house.call("shop_grow", json!({})).await.unwrap();
        house.until("and one more", |house| house.registry.get("shop_grown_1").is_some()).await;
    }
}

#[tokio::test]
async fn what_comes_later_is_let_in_by_name_only_too() {
    let house = House::open("[shop]\ncommand = \"STRANGER\"\nallow = [\"grow\", \"grown_1\"]");
    house.until("it is there", |house| house.server("shop").away_because.is_none()).await;
    house.call("shop_grow", json!({})).await.unwrap();
    house.call("shop_grow", json!({})).await.unwrap();
    house.until("it has come", |house| house.registry.get("shop_grown_1").is_some()).await;
    assert!(house.registry.get("shop_grown_0").is_none());
}

#[tokio::test]
async fn a_server_at_an_address_tells_of_changes_on_either_wire() {
    for old in [false, true] {
        let stranger = Stranger { old, ..Stranger::default() }.at_an_address().await;
        let url = stranger.url();
        let house = House::open(&format!("[shop]\nurl = \"{url}\"\nallow_private = true\nallow = [\"*\"]"));
        house.until("it is there", |house| house.server("shop").away_because.is_none()).await;
        house.call("shop_grow", json!({})).await.unwrap();
        house.until("it has come", |house| house.registry.get("shop_grown_0").is_some()).await;
        house.external.stop().await;
    }
}
