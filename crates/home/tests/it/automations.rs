//! Automations: checked by the home, approved as they are, stored, listed, paused and removed.

use std::sync::Arc;

use home::{HomePort, Permission, add_automations};
use ports::ToolFailure;
use serde_json::{Value, json};
use tools::Registry;

use crate::{
    context,
    fake_home::FakeHome,
    fake_home_assistant::{FakeClient as _, FakeHomeAssistant, FakeReply},
};

fn registry(home: Arc<dyn HomePort>, permission: Permission) -> Registry {
    let mut registry = Registry::default();
    add_automations(&mut registry, home, permission).unwrap();
    registry
}

async fn call(registry: &Registry, tool: &str, arguments: Value) -> Result<Value, ToolFailure> {
    registry.get(tool).unwrap().tool.call(arguments, &context()).await.map(|output| output.value)
}

fn porch() -> Value {
    json!({
        "alias": "Lamp at sunset",
        "triggers": [{ "trigger": "sun", "event": "sunset" }],
        "actions": [{ "action": "light.turn_on", "target": { "entity_id": "light.lamp" } }],
    })
}

#[tokio::test]
async fn an_automation_is_checked_shown_stored_and_removed() {
    let fake = FakeHomeAssistant::start().await;
    let valid = json!({ "valid": true, "error": null });
    fake.reply("validate_config", FakeReply::Result(json!({ "trigger": valid, "condition": valid, "action": valid })));
    let config = json!({ "config": { "alias": "Lamp at sunset", "trigger": [{ "platform": "sun" }] } });
    fake.reply("automation/config", FakeReply::Result(config));
    let stored = json!({ "s": "on", "lc": 1000.0, "a": { "friendly_name": "Lamp at sunset", "id": "dwell_k" } });
    fake.script.lock().unwrap().states.insert("automation.lamp_at_sunset".to_owned(), stored);
    let by_file = json!({ "s": "on", "lc": 1000.0, "a": { "friendly_name": "By file" } });
    fake.script.lock().unwrap().states.insert("automation.by_file".to_owned(), by_file);
    let client = fake.client().await;
    let registry = registry(client.clone(), Permission::default());

    let tool = &registry.get("create_automation").unwrap().tool;
    let asked = tool.confirm(&porch()).await.unwrap();
    for part in ["Lamp at sunset", "platform: sun", "event: sunset", "service: light.turn_on", "light.lamp"] {
        assert!(asked.contains(part), "{part} is shown: {asked}");
    }
    assert!(fake.script.lock().unwrap().requests.is_empty(), "nothing is stored before the answer");
    let created = call(&registry, "create_automation", porch()).await.unwrap();
    assert_eq!((&created["id"], &created["entity_id"]), (&json!("dwell_k"), &json!("automation.lamp_at_sunset")));
    let (line, body) = fake.script.lock().unwrap().requests.pop().unwrap();
    assert_eq!(line, "POST /api/config/automation/config/dwell_k");
    assert_eq!(body["trigger"], json!([{ "platform": "sun", "event": "sunset" }]));
    assert_eq!(body["action"][0]["service"], "light.turn_on");

    let listed = call(&registry, "list_automations", json!({})).await.unwrap();
    assert_eq!(listed["automations"].as_array().unwrap().len(), 2, "{listed}");
    let one = call(&registry, "list_automations", json!({ "automation": "Lamp at sunset" })).await.unwrap();
    assert!(one["automations"][0]["yaml"].as_str().unwrap().contains("platform: sun"), "{one}");

    let change = |name: &str, change: &str| json!({ "automation": name, "change": change });
    let tool = &registry.get("change_automation").unwrap().tool;
    assert_eq!(tool.confirm(&change("lamp_at_sunset", "pause")).await, None);
    call(&registry, "change_automation", change("Lamp at sunset", "pause")).await.unwrap();
    assert_eq!(fake.count("call_service"), 1);
    assert!(tool.confirm(&change("lamp_at_sunset", "remove")).await.unwrap().contains("Lamp at sunset"));
    call(&registry, "change_automation", change("automation.lamp_at_sunset", "remove")).await.unwrap();
    let (line, _) = fake.script.lock().unwrap().requests.pop().unwrap();
    assert_eq!(line, "DELETE /api/config/automation/config/dwell_k");
    let refused = call(&registry, "change_automation", change("By file", "remove")).await.unwrap_err();
    assert!(refused.to_string().contains("file of the home"), "{refused}");
    let unknown = call(&registry, "change_automation", change("Nothing", "pause")).await.unwrap_err();
    assert!(unknown.to_string().contains("automation.by_file"), "{unknown}");
}

#[tokio::test]
async fn what_the_home_or_the_rules_do_not_take_is_not_even_asked_about() {
    let fake = FakeHomeAssistant::start().await;
    let valid = json!({ "valid": true, "error": null });
    let wrong = json!({ "valid": false, "error": "Invalid platform 'moonrise' specified" });
    fake.reply(
        "validate_config",
        FakeReply::Result(json!({ "triggers": wrong, "conditions": valid, "actions": valid })),
    );
    let client = fake.client().await;
    let open = registry(client.clone(), Permission::default());
    assert_eq!(open.get("create_automation").unwrap().tool.confirm(&porch()).await, None);
    let why = call(&open, "create_automation", porch()).await.unwrap_err().to_string();
    assert!(why.contains("triggers: Invalid platform 'moonrise'"), "{why}");

    let deny = Permission { deny: vec!["light".parse().unwrap()], ..Permission::default() };
    let why = call(&registry(client.clone(), deny), "create_automation", porch()).await.unwrap_err().to_string();
    assert!(why.contains("`home.deny` has `light`"), "{why}");
    let mut other = porch();
    other["actions"][0]["target"]["entity_id"] = json!("light.nowhere");
    let why = call(&open, "create_automation", other).await.unwrap_err().to_string();
    assert!(why.contains("no entity `light.nowhere`"), "{why}");
    let deny = Permission { deny: vec!["lock".parse().unwrap()], ..Permission::default() };
    let mut wide = porch();
    wide["actions"][0]["target"] = json!({ "area_id": "hall" });
    let why = call(&registry(client, deny), "create_automation", wide).await.unwrap_err().to_string();
    assert!(why.contains("`area_id` cannot be checked"), "{why}");
    assert!(fake.script.lock().unwrap().requests.is_empty());
}

#[tokio::test]
async fn an_automation_that_the_home_does_not_load_is_not_called_running() {
    let fake = FakeHomeAssistant::start().await;
    let valid = json!({ "valid": true, "error": null });
    fake.reply("validate_config", FakeReply::Result(json!({ "trigger": valid, "condition": valid, "action": valid })));
    let registry = registry(fake.client().await, Permission::default());
    let created = call(&registry, "create_automation", porch()).await.unwrap();
    assert!(created["note"].as_str().unwrap().contains("!include automations.yaml"), "{created}");
    assert_eq!(created["entity_id"], Value::Null);
}

#[tokio::test]
async fn a_home_without_stored_automations_says_so() {
    let registry = registry(FakeHome::new(), Permission::default());
    let mut lamp = porch();
    lamp["actions"][0]["target"]["entity_id"] = json!("light.kitchen");
    let why = call(&registry, "create_automation", lamp).await.unwrap_err().to_string();
    assert!(why.contains("built in") && why.contains("connect Home Assistant"), "{why}");
}
