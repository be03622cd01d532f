//! `desktop_look`, `app_query` and `app_command`.

use std::sync::Arc;

use ports::ToolFailure;
use protocol::{AppCommand, AppOutcome, AppRequest, LockHolder, MonitorId, Origin, Window, WindowContent};
use serde_json::{Value, json};

use crate::recording_desktop::{DesktopCall, RecordingDesktop, app_window, id, window};

fn desktop(windows: Vec<Window>) -> Arc<RecordingDesktop> {
    Arc::new(RecordingDesktop::new(windows))
}

#[tokio::test]
async fn the_windows_of_the_agents_monitor_are_listed() {
    let elsewhere = Window { monitor_id: "work".parse::<MonitorId>().unwrap(), ..window("elsewhere") };
    let locked = Window { locked_by: Some(LockHolder::User), ..window("locked") };
    let desktop = desktop(vec![locked, elsewhere, app_window("tea")]);
    let bounds = json!({"x": 10, "y": 20, "width": 1000, "height": 800});
    let expected = json!({
        "monitor_id": "main",
        "focused": "tea",
        "windows": [
            {"window_id": "locked", "title": "LOCKED", "kind": "text", "bounds": bounds, "show": "normal",
             "locked_by": "user", "opened_by": "main"},
            {"window_id": "tea", "title": "TEA", "kind": "app", "bounds": bounds, "show": "normal", "opened_by": "main",
             "app": {"name": "timer", "ready": true, "commands": ["set", "start"], "state": ["label", "running"]}},
        ],
    });
    assert_eq!(desktop.value("desktop_look", json!({})).await, expected);
    assert!(desktop.done.lock().unwrap().is_empty(), "looking changes nothing");
}

#[tokio::test]
async fn one_window_is_looked_at_closely() {
    let desktop = desktop(vec![window("notes"), app_window("tea")]);
    let looked = desktop.value("desktop_look", json!({"window_id": "notes"})).await;
    assert_eq!(looked["windows"].as_array().unwrap().len(), 1);
    assert_eq!(looked["windows"][0]["content"], json!({"type": "text", "text": "hello"}));
    let looked = desktop.value("desktop_look", json!({"window_id": "tea"})).await;
    let app = &looked["windows"][0]["app"];
    assert_eq!(app["commands"][0], json!({"name": "set", "description": "", "input": {"type": "object"}}));
    assert_eq!(app["state"][0], json!({"key": "label", "description": "What it is for."}));
    assert!(!looked.to_string().contains("secret"), "a window's token is not the model's business");
    let refusal = desktop.refusal("desktop_look", json!({"window_id": "gone"})).await;
    assert!(refusal.contains("no window `gone` on this monitor; open are notes, tea"), "{refusal}");
}

#[tokio::test]
async fn strangers_words_in_a_window_are_strangers_words_when_looked_at() {
    let strange = Window { origin: Origin::Untrusted, ..window("strange") };
    let elsewhere = Window { monitor_id: "work".parse().unwrap(), ..strange.clone() };
    for (windows, arguments, expected) in [
        (vec![], json!({}), Origin::Trusted),
        (vec![window("own")], json!({}), Origin::Trusted),
        (vec![window("own"), elsewhere], json!({}), Origin::Trusted),
        (vec![window("own"), strange.clone()], json!({}), Origin::Untrusted),
        (vec![window("own"), strange.clone()], json!({"window_id": "own"}), Origin::Trusted),
        (vec![window("own"), strange], json!({"window_id": "strange"}), Origin::Untrusted),
    ] {
        let output = desktop(windows).call("desktop_look", arguments.clone()).await.unwrap();
        assert_eq!(output.origin, expected, "{arguments}");
    }
}

#[tokio::test]
async fn an_app_is_asked_and_told() {
    let desktop = desktop(vec![app_window("tea")]);
    *desktop.outcomes.lock().unwrap() = [json!("green tea"), Value::Null].map(AppOutcome::Ok).into();
    let label = desktop.value("app_query", json!({"window_id": "tea", "key": "label"})).await;
    assert_eq!(label, json!({"value": "green tea"}));
    let told = json!({"window_id": "tea", "command": "set", "arguments": {"seconds": 60}});
    assert_eq!(desktop.value("app_command", told).await, json!({"value": null}));
    let command = AppCommand { name: "set".to_owned(), arguments: json!({"seconds": 60}) };
    let expected = [
        DesktopCall::AskedApp("call-1".to_owned(), id("tea"), AppRequest::Query { key: "label".to_owned() }),
        DesktopCall::AskedApp("call-1".to_owned(), id("tea"), AppRequest::Command(command)),
    ];
    assert_eq!(*desktop.done.lock().unwrap(), expected);
}

#[tokio::test]
async fn what_an_app_says_is_as_trusted_as_its_window() {
    for origin in [Origin::Trusted, Origin::Untrusted] {
        let desktop = desktop(vec![Window { origin, ..app_window("tea") }]);
        for (tool, arguments) in [
            ("app_query", json!({"window_id": "tea", "key": "label"})),
            ("app_command", json!({"window_id": "tea", "command": "start"})),
        ] {
            desktop.outcomes.lock().unwrap().push_back(AppOutcome::Ok(json!(1)));
            assert_eq!(desktop.call(tool, arguments).await.unwrap().origin, origin);
        }
    }
}

#[tokio::test]
async fn an_app_that_says_no_or_nothing_is_told() {
    for (outcome, why) in [
        (AppOutcome::Error("`seconds` is 1 to 359999".to_owned()), "refused: `seconds` is 1 to 359999"),
        (AppOutcome::TimedOut, "did not answer within 5 s; perhaps no client has it open; it may have done it"),
        (AppOutcome::Gone, "`tea` was closed before its app answered"),
    ] {
        let desktop = desktop(vec![app_window("tea")]);
        desktop.outcomes.lock().unwrap().push_back(outcome);
        match desktop.call("app_command", json!({"window_id": "tea", "command": "start"})).await {
            Err(ToolFailure::Failed(told)) => assert!(told.contains(why), "{told}"),
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test]
async fn what_an_app_cannot_be_asked_is_refused_by_name() {
    let desktop = desktop(vec![app_window("tea"), window("notes")]);
    for (tool, arguments, why) in [
        (
            "app_query",
            json!({"window_id": "tea", "key": "colour"}),
            "`key`: the app has no `colour`; it has label, running",
        ),
        (
            "app_command",
            json!({"window_id": "tea", "command": "fly"}),
            "`command`: the app has no `fly`; it has set, start",
        ),
        (
            "app_command",
            json!({"window_id": "tea", "command": "set", "arguments": [1]}),
            "`arguments` has to be an object",
        ),
        (
            "app_query",
            json!({"window_id": "notes", "key": "x"}),
            "`window_id`: there is no app in `notes`, it shows text",
        ),
        ("app_query", json!({"window_id": "T", "key": "x"}), "`window_id`: a window's name"),
    ] {
        let refusal = desktop.refusal(tool, arguments).await;
        assert!(refusal.contains(why), "{refusal}");
    }
    assert!(desktop.done.lock().unwrap().is_empty());
}

#[tokio::test]
async fn an_app_that_is_not_ready_or_gone_is_asked_all_the_same() {
    let loading = Window { app: None, ..app_window("loading") };
    assert!(matches!(loading.content, WindowContent::App { .. }));
    let desktop = desktop(vec![loading]);
    *desktop.outcomes.lock().unwrap() = [AppOutcome::Ok(json!(1)), AppOutcome::Ok(json!(2))].into();
    assert_eq!(desktop.value("app_query", json!({"window_id": "loading", "key": "x"})).await, json!({"value": 1}));
    let output = desktop.call("app_query", json!({"window_id": "gone", "key": "x"})).await.unwrap();
    assert_eq!((output.value, output.origin), (json!({"value": 2}), Origin::Untrusted), "the origin is not known");
}
