//! Automations by words, through the program: the simulated home lists, explains and pauses its
//! own, and says what it cannot do.

use serde_json::{Value, json};

use super::{at_home, outcome, say, state, until};

#[tokio::test]
async fn the_simulated_home_lists_explains_and_pauses_and_says_that_it_creates_none() {
    let (_program, server) = at_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    let listed = say(&rest, &session, "list_automations {}").await;
    let list: Value = serde_json::from_str(outcome(&listed).1).unwrap();
    let names: Vec<&str> =
        list["automations"].as_array().unwrap().iter().filter_map(|it| it["name"].as_str()).collect();
    assert!(names.contains(&"Lock up at night"), "{names:?}");
    let one = say(&rest, &session, &format!("list_automations {}", json!({ "automation": "Lock up at night" }))).await;
    let one: Value = serde_json::from_str(outcome(&one).1).unwrap();
    let yaml = one["automations"][0]["yaml"].as_str().unwrap();
    assert!(yaml.contains("acts_on") && yaml.contains("lock."), "{one}");

    let change =
        |change: &str| format!("change_automation {}", json!({ "automation": "Lock up at night", "change": change }));
    assert_eq!(outcome(&say(&rest, &session, &change("pause")).await).0, "ok");
    assert_eq!(state(&rest, "automation.lock_up").await.as_deref(), Some("off"));
    assert_eq!(outcome(&say(&rest, &session, &change("resume")).await).0, "ok");
    until(&rest, "automation.lock_up", "on").await;
    let removed = say(&rest, &session, &change("remove")).await;
    assert!(removed["text"].as_str().unwrap().contains("or pause it"), "{removed}");

    let config = json!({
        "alias": "Lamp at sunset",
        "triggers": [{ "trigger": "sun", "event": "sunset" }],
        "actions": [{ "action": "light.turn_on", "target": { "entity_id": "light.floor_lamp" } }],
    });
    let created = say(&rest, &rest.session().await, &format!("create_automation {config}")).await;
    assert!(outcome(&created).1.contains("built in"), "{created}");
    assert!(created["text"].as_str().unwrap().contains("built in"), "{created}");
}
