//! Servers that die, never start, or come back.

use ports::ToolFailure;
use protocol::ToolServerView;
use serde_json::json;

use crate::harness::Harness;

/// A server that can only start while the file `alive` exists.
fn mortal(switches: &str) -> String {
    format!(
        "[shop]\ncommand = \"sh\"\n\
         args = [\"-c\", \"test -e FOLDER/alive && exec TEST_SERVER --ledger FOLDER/ledger {switches}\"]\nallow = [\"*\"]\n"
    )
}

fn is_away(view: &ToolServerView, because: &str) -> bool {
    view.away_because.as_ref().is_some_and(|told| told.contains(because))
}

#[tokio::test]
async fn a_call_that_a_death_cuts_off_may_have_happened_and_is_not_sent_again() {
    for switches in ["", "--old"] {
        let harness = Harness::with_shop(switches, "").await;
        let Err(ToolFailure::Unknown(told)) = harness.call("shop_die", json!({})).await else { panic!("it dies") };
        assert!(told.contains("the connection was lost") && told.contains("look before trying again"), "{told}");
        harness.until("it is back", |harness| harness.tool("shop_echo").tool.away().is_none()).await;
        assert_eq!(harness.ledger(), ["die"], "it was sent once");
        assert_eq!(harness.call("shop_echo", json!({ "text": "again" })).await.unwrap().value, json!("again"));
    }
}

#[tokio::test]
async fn while_it_is_away_its_tools_stay_and_calls_fail_at_once() {
    let harness = Harness::open(&mortal(""));
    let alive = harness.folder.path().join("alive");
    harness.until("it has failed", |harness| is_away(&harness.server("shop"), "tried again")).await;
    assert_eq!(harness.registry.entries().len(), 0, "its tools are not known");

    std::fs::write(&alive, "").unwrap();
    harness.until("it is there", |harness| harness.server("shop").away_because.is_none()).await;
    let known = harness.registry.entries().len();
    let mut changes = harness.registry.changes();
    changes.mark_unchanged();

    std::fs::remove_file(&alive).unwrap();
    assert!(matches!(harness.call("shop_die", json!({})).await, Err(ToolFailure::Unknown(_))));
    harness.until("it has failed", |harness| is_away(&harness.server("shop"), "tried again")).await;
    assert_eq!(harness.registry.entries().len(), known, "they stay");
    match harness.call("shop_note", json!({ "text": "x" })).await {
        Err(ToolFailure::Failed(told)) => {
            assert!(told.contains("unavailable") && told.contains("nothing was sent"), "{told}")
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(harness.server("shop").tools.len(), known);

    std::fs::write(&alive, "").unwrap();
    harness.until("it is back", |harness| harness.server("shop").away_because.is_none()).await;
    harness.call("shop_note", json!({ "text": "y" })).await.unwrap();
    assert_eq!(harness.ledger(), ["die", "note y"]);
    assert!(!changes.has_changed().unwrap(), "it came back with what it had");
}

#[tokio::test]
async fn a_server_that_cannot_start_says_why_and_delays_no_caller() {
    for (configuration, because) in [
        ("[shop]\ncommand = \"/nowhere/at/all\"", "`/nowhere/at/all` cannot be started"),
        ("[shop]\ncommand = \"TEST_SERVER\"\nargs = [\"--exit\"]", "exited or closed the connection"),
        (
            "[shop]\ncommand = \"TEST_SERVER\"\nargs = [\"--deaf\"]\nstart_timeout_ms = 200",
            "did not start within 0.2 s",
        ),
        ("[shop]\ncommand = \"sh\"\nargs = [\"-c\", \"echo nonsense; cat\"]\nstart_timeout_ms = 300", "did not start"),
    ] {
        let harness = Harness::open(configuration);
        harness.until(because, |harness| is_away(&harness.server("shop"), because)).await;
        harness.external.stop().await;
    }
}
