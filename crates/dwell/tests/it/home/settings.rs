//! The settings of the home: what they restrict, and the errors for wrong values.

use testkit::{ModelServer, Program, RestClient};

use super::{reflex, say};
use crate::{harness::shown, program_with_home, started_with_home};

const TOOLS: [&str; 11] = [
    "analyze_errors",
    "call_service",
    "change_automation",
    "create_automation",
    "diagnose_entity",
    "get_errors",
    "get_history",
    "get_logbook",
    "get_state",
    "list_automations",
    "search_entities",
];

/// The listed tools of the home.
async fn listed(rest: &RestClient) -> Vec<String> {
    let tools = rest.get("/api/v1/tools").await.ok();
    let names = tools["data"].as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned());
    names.filter(|name| TOOLS.contains(&name.as_str())).collect()
}

async fn set(model: &ModelServer, name: &str, value: &str) -> (Program, testkit::RunningServer) {
    let program = program_with_home().with_model(model).with(name, value);
    let server = program.start().await;
    (program, server)
}

#[tokio::test]
async fn there_is_a_home_unless_the_settings_say_otherwise() {
    let (model, program, server) = started_with_home().await;
    let rest = server.rest();
    assert_eq!(listed(&rest).await, TOOLS);
    let turn = say(&rest, &rest.session().await, "turn on the floor lamp").await;
    assert!(reflex(&turn).contains("Floor lamp"), "{turn}");
    assert!(model.requests().is_empty(), "no model is asked even where there is one");
    let config = program.run(&["config"]).await.stdout;
    assert!(config.contains("home.enabled") || config.contains("[home]"), "{config}");
}

#[tokio::test]
async fn without_a_home_there_are_neither_tools_nor_reflexes() {
    let model = ModelServer::start().await;
    let (program, server) = set(&model, "DWELL_HOME_ENABLED", "false").await;
    let rest = server.rest();
    assert!(listed(&rest).await.is_empty());
    let turn = say(&rest, &rest.session().await, "turn on the floor lamp").await;
    assert_eq!(turn["text"], "You said: turn on the floor lamp");
    let request = model.requests().pop().unwrap();
    assert!(!shown(&request).iter().any(|name| TOOLS.contains(&name.as_str())), "{request:?}");
    assert!(!request.raw().to_string().contains("simulated home"), "{request:?}");
    assert!(!program.folder().join("simulated-home.json").exists());
}

#[tokio::test]
async fn without_reflexes_the_model_is_asked_and_has_the_tools() {
    let model = ModelServer::start().await;
    let (_program, server) = set(&model, "DWELL_HOME_REFLEXES", "false").await;
    let rest = server.rest();
    assert_eq!(listed(&rest).await, TOOLS);
    let turn = say(&rest, &rest.session().await, "turn on the floor lamp").await;
    assert_eq!(turn["text"], "You said: turn on the floor lamp");
    let shown = shown(&model.requests()[0]);
    for name in ["call_service", "get_state", "search_entities", "find_tools"] {
        assert!(shown.iter().any(|shown| shown == name), "{name}: {shown:?}");
    }
    assert_eq!(rest.get("/api/v1/stats").await.ok()["ways"].get("reflex"), None);
}

/// An environment variable and its value.
type EnvVar = (&'static str, &'static str);

#[tokio::test]
async fn wrong_settings_are_named_and_nothing_starts() {
    let cases: &[(&[EnvVar], &[&str])] = &[
        (&[("HOME_ASSISTANT_URL", "http://127.0.0.1:9")], &["home.token", "HOME_ASSISTANT_TOKEN", "token"]),
        (&[("HOME_ASSISTANT_TOKEN", "secret-of-a-home")], &["home.url", "HOME_ASSISTANT_URL"]),
        (
            &[("HOME_ASSISTANT_URL", "somewhere"), ("HOME_ASSISTANT_TOKEN", "secret-of-a-home")],
            &["home.url", "`somewhere`"],
        ),
        (&[("DWELL_HOME_ALLOW", "light,The Lamp")], &["home.allow", "`The Lamp`", "area:kitchen"]),
        (&[("DWELL_HOME_DENY", "room:kitchen")], &["home.deny", "`room:kitchen`", "area:kitchen"]),
        (&[("DWELL_HOME_ENABLED", "perhaps")], &["home.enabled"]),
        (&[("DWELL_HOME_SENSITIVE", "climate,ligth")], &["home.sensitive", "`ligth`", "light"]),
        (&[("DWELL_HOME_NOT_SENSITIVE", "lock.front_door")], &["home.not_sensitive", "`lock.front_door`", "always"]),
    ];
    for (environment, parts) in cases {
        let program = environment.iter().fold(program_with_home(), |program, (name, value)| program.with(name, value));
        let finished = program.run(&["serve", "--listen", "127.0.0.1:0"]).await;
        assert_ne!(finished.code(), 0, "{environment:?}");
        assert!(!finished.stdout.contains("listening"), "{environment:?}");
        for part in *parts {
            assert!(finished.stderr.contains(part), "{environment:?} lacks {part}: {}", finished.stderr);
        }
        assert!(!finished.stderr.contains("secret-of-a-home"), "{}", finished.stderr);
    }
}

#[tokio::test]
async fn a_language_without_sentences_is_remarked_and_the_others_work() {
    let program = program_with_home().with("DWELL_HOME_LANGUAGES", "xx,en").with_log();
    let server = program.start().await;
    let rest = server.rest();
    assert!(reflex(&say(&rest, &rest.session().await, "turn on the floor lamp").await).contains("Floor lamp"));
    let log = std::fs::read_to_string(program.folder().join("log")).unwrap();
    assert!(log.contains("`xx`") && log.contains("dwell setup --sentences"), "{log}");
}

#[tokio::test]
async fn a_home_that_cannot_be_reached_does_not_prevent_the_start() {
    let home = program_with_home()
        .with("HOME_ASSISTANT_URL", "http://127.0.0.1:9")
        .with("HOME_ASSISTANT_TOKEN", "secret-of-a-home");
    let server = home.start().await;
    let rest = server.rest();
    assert_eq!(listed(&rest).await, TOOLS);
    let asked = r#"get_state {"entity_ids": ["light.kitchen"]}"#;
    let turn = say(&rest, &rest.session().await, asked).await;
    let told = turn["text"].as_str().unwrap();
    assert!(told.contains("cannot be reached") && !told.contains("simulated"), "{told}");
    let command = say(&rest, &rest.session().await, "turn on the kitchen lights").await;
    assert!(!command["text"].as_str().unwrap().contains("Turned on"), "{command}");
    assert!(!home.folder().join("simulated-home.json").exists());
}
