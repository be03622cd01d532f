use std::collections::BTreeMap;

use secrecy::SecretString;
use serde_json::json;
use tools::redaction::Redactor;

use super::*;
use crate::{ServerDeclaration, load};

fn sifted(toml: &str, listed: Value) -> AcceptedTools {
    let declared: BTreeMap<String, ServerDeclaration> = toml::from_str(toml).unwrap();
    let loaded = load(declared, &|_| None).unwrap();
    let link = ServerLink::new("shop", Redactor::new([SecretString::from("the-secret-itself")]));
    accept(&loaded.servers[0], &link, serde_json::from_value(listed).unwrap())
}

fn tool(name: &str, description: &str) -> Value {
    json!({ "name": name, "description": description, "inputSchema": { "type": "object" } })
}

#[test]
fn what_is_let_in_does_not_depend_on_the_order() {
    let many: Vec<Value> = (0..300).map(|n| tool(&format!("t{n:03}"), "x")).collect();
    let turned: Vec<Value> = many.iter().rev().cloned().collect();
    let everything = "[shop]\ncommand = \"x\"\nallow = [\"*\"]";
    let (one, other) = (sifted(everything, json!(many)), sifted(everything, json!(turned)));
    assert_eq!(one.names.len(), TOOLS_MAX);
    assert_eq!(one.names, other.names);
    assert_eq!(one.left_out, other.left_out);
}

#[test]
fn words_are_bounded_and_hold_no_secrets() {
    let listed = json!([tool("say", &format!("Use the-secret-itself. {}", "y".repeat(9_000))), tool("mum", "")]);
    let offer = sifted("[shop]\ncommand = \"x\"\nallow = [\"*\"]", listed);
    let said: Vec<String> = offer.tools.iter().map(|tool| tool.declaration().description).collect();
    assert_eq!(said[0], "A tool of the external server `shop`. It does not describe `mum`.");
    assert!(!said[1].contains("the-secret-itself") && said[1].chars().count() < DESCRIPTION_CHARS_MAX + 100);
}

#[test]
fn schemas_of_something_else_than_objects_are_left_out() {
    let listed = json!([
        { "name": "list", "inputSchema": { "type": "array" } },
        { "name": "none", "inputSchema": {} },
        { "name": "odd", "inputSchema": { "type": "object" }, "outputSchema": { "type": "x" } },
    ]);
    let offer = sifted("[shop]\ncommand = \"x\"\nallow = [\"*\"]", listed);
    assert_eq!(offer.names, ["shop_none"]);
    assert_eq!(offer.tools[0].input_schema()["type"], "object");
    let because: Vec<&str> = offer.left_out.iter().map(|out| out.because.as_str()).collect();
    assert!(
        because[0].contains("not that of an object") && because[1].contains("schema of its answers"),
        "{because:?}"
    );
}

#[test]
fn hints_come_to_as_little_as_they_say() {
    for (hints, expected) in [
        (json!({ "readOnlyHint": true, "openWorldHint": false }), (Effect::Pure, Safety::Observes)),
        (json!({ "readOnlyHint": true }), (Effect::Pure, Safety::Sends)),
        (json!({ "idempotentHint": true }), (Effect::Idempotent, Safety::Acts)),
        (json!({ "destructiveHint": false }), (Effect::AtMostOnce, Safety::Acts)),
        (json!({}), (Effect::AtMostOnce, Safety::Acts)),
    ] {
        let hints: ToolAnnotations = serde_json::from_value(hints).unwrap();
        assert_eq!(believed(&hints), expected, "{hints:?}");
    }
}
