//! The declarations of the desktop tools, and their cost in tokens.

use desktop::apps;
use protocol::{Effect, Origin, Safety};

use crate::recording_desktop::registry;

/// The tokens that all of them may cost in every turn.
const TOKENS_MAX: usize = 3_000;

#[test]
fn the_tools_are_careful_and_complete() {
    let registry = registry();
    let told: Vec<_> = registry
        .entries()
        .map(|entry| {
            let declaration = &entry.declaration;
            (declaration.name.clone(), declaration.effect, declaration.safety, declaration.origin)
        })
        .collect();
    let (pure, idempotent) = (Effect::Pure, Effect::Idempotent);
    let (observes, keeps) = (Safety::Observes, Safety::Keeps);
    let (trusted, untrusted) = (Origin::Trusted, Origin::Untrusted);
    assert_eq!(
        told,
        [
            ("app_command", idempotent, keeps, untrusted),
            ("app_query", idempotent, observes, untrusted),
            ("ask_user", idempotent, keeps, trusted),
            ("desktop_look", pure, observes, untrusted),
            ("desktop_replay", idempotent, keeps, trusted),
            ("notify", idempotent, keeps, trusted),
            ("window_change", idempotent, keeps, trusted),
            ("window_close", idempotent, keeps, trusted),
            ("window_open", idempotent, keeps, trusted),
        ]
        .map(|(name, effect, safety, origin)| (name.to_owned(), effect, safety, origin))
    );
}

#[test]
fn every_argument_is_explained_and_no_other_is_taken() {
    for entry in registry().entries() {
        let (name, schema) = (&entry.declaration.name, &entry.input_schema);
        assert_eq!(schema["type"], "object", "{name}");
        assert_eq!(schema["additionalProperties"], false, "{name}");
        for (field, property) in schema.get("properties").and_then(|fields| fields.as_object()).into_iter().flatten() {
            assert!(property.get("description").is_some(), "{name}.{field}");
        }
        assert!(!schema.to_string().contains("$ref"), "{name}: not every provider follows references");
        assert!(entry.output_schema.is_some(), "{name}");
    }
}

#[test]
fn all_of_them_together_are_told_in_few_tokens() {
    let tokens: usize = registry()
        .entries()
        .map(|entry| {
            let declaration = &entry.declaration;
            let told = format!("{}\n{}\n{}", declaration.name, declaration.description, entry.input_schema);
            tokens::count(&told)
        })
        .sum();
    assert!(tokens < TOKENS_MAX, "{tokens} tokens");
}

#[test]
fn a_model_is_told_of_every_kind_of_content_and_every_app() {
    let registry = registry();
    let entry = registry.get("window_open").unwrap();
    let schema = &entry.input_schema;
    let told = schema["properties"]["content"]["description"].as_str().unwrap();
    for kind in ["markdown", "html", "text", "table", "chart", "components", "app"] {
        assert!(told.contains(&format!("type:\"{kind}\"")), "{kind}");
    }
    for component in ["text", "button", "input", "select", "checkbox", "badge", "progress", "image", "form", "columns"]
    {
        assert!(told.contains(&format!("type:\"{component}\"")), "{component}");
    }
    for app in apps() {
        assert!(told.contains(&format!("`{}`", app.name)), "{}", app.name);
    }
}
