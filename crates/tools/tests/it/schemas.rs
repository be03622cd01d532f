//! The declarations of the built-in tools.

use protocol::{Effect, Origin, Safety};

use crate::harness::Harness;

#[tokio::test]
async fn the_built_in_tools_are_careful_and_complete() {
    let harness = Harness::new().await;
    let told: Vec<_> = harness
        .registry
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
            ("artifact_list", pure, observes, untrusted),
            ("artifact_read", pure, observes, untrusted),
            ("artifact_save", idempotent, keeps, untrusted),
            ("calculator", pure, observes, trusted),
            ("current_time", pure, observes, trusted),
            ("date_math", pure, observes, trusted),
            ("pin", idempotent, keeps, trusted),
            ("plot_draw", idempotent, keeps, untrusted),
            ("report_save", idempotent, keeps, untrusted),
            ("table_save", idempotent, keeps, untrusted),
            ("unpin", idempotent, keeps, trusted),
        ]
        .map(|(name, effect, safety, origin)| (name.to_owned(), effect, safety, origin))
    );
}

#[tokio::test]
async fn every_argument_is_explained_and_no_other_is_taken() {
    for entry in Harness::new().await.registry.entries() {
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
