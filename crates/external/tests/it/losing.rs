//! Servers that die, never start, or come back.

use protocol::ToolServerView;
use serde_json::json;
use tools::Failure;

use crate::house::House;

/// A server that can only start while the file `alive` is there.
fn mortal(switches: &str) -> String {
    format!(
        "[shop]\ncommand = \"sh\"\n\
         args = [\"-c\", \"test -e FOLDER/alive && exec STRANGER --ledger FOLDER/ledger {switches}\"]\nallow = [\"*\"]\n"
    )
}

fn is_away(view: &ToolServerView, because: &str) -> bool {
    view.away_because.as_ref().is_some_and(|told| told.contains(because))
}

#[tokio::test]
async fn a_call_that_a_death_cuts_off_may_have_happened_and_is_not_sent_again() {
    for switches in ["", "--old"] {
        let house = House::with_shop(switches, "").await;
        let Err(Failure::Unknown(told)) = house.call("shop_die", json!({})).await else { panic!("it dies") };
        assert!(told.contains("the connection was lost") && told.contains("look before trying again"), "{told}");
        house.until("it is back", |house| house.tool("shop_echo").tool.away().is_none()).await;
        assert_eq!(house.ledger(), ["die"], "it was sent once");
        assert_eq!(house.call("shop_echo", json!({ "text": "again" })).await.unwrap().value, json!("again"));
    }
}

#[tokio::test]
async fn while_it_is_away_its_tools_stay_and_calls_fail_at_once() {
    let house = House::open(&mortal(""));
    let alive = house.folder.path().join("alive");
    house.until("it has failed", |house| is_away(&house.server("shop"), "tried again")).await;
    assert_eq!(house.registry.entries().len(), 0, "nobody knows what it would offer");

    std::fs::write(&alive, "").unwrap();
    house.until("it is there", |house| house.server("shop").away_because.is_none()).await;
    let known = house.registry.entries().len();
    let mut changes = house.registry.changes();
    changes.mark_unchanged();

    std::fs::remove_file(&alive).unwrap();
    assert!(matches!(house.call("shop_die", json!({})).await, Err(Failure::Unknown(_))));
    house.until("it has failed", |house| is_away(&house.server("shop"), "tried again")).await;
    assert_eq!(house.registry.entries().len(), known, "they stay");
    match house.call("shop_note", json!({ "text": "x" })).await {
        Err(Failure::Failed(told)) => assert!(told.contains("away") && told.contains("nothing was sent"), "{told}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(house.server("shop").tools.len(), known);

    std::fs::write(&alive, "").unwrap();
    house.until("it is back", |house| house.server("shop").away_because.is_none()).await;
    house.call("shop_note", json!({ "text": "y" })).await.unwrap();
    assert_eq!(house.ledger(), ["die", "note y"]);
    assert!(!changes.has_changed().unwrap(), "it came back with what it had");
}

#[tokio::test]
async fn a_server_that_cannot_start_says_why_and_keeps_nobody_waiting() {
    for (configuration, because) in [
        ("[shop]\ncommand = \"/nowhere/at/all\"", "`/nowhere/at/all` cannot be started"),
        ("[shop]\ncommand = \"STRANGER\"\nargs = [\"--exit\"]", "ended or hung up"),
        ("[shop]\ncommand = \"STRANGER\"\nargs = [\"--deaf\"]\nstart_timeout_ms = 200", "did not start within 0.2 s"),
        ("[shop]\ncommand = \"sh\"\nargs = [\"-c\", \"echo nonsense; cat\"]\nstart_timeout_ms = 300", "did not start"),
    ] {
        let house = House::open(configuration);
        house.until(because, |house| is_away(&house.server("shop"), because)).await;
        house.external.stop().await;
    }
}
