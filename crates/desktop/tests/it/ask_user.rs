//! Questions to the user.

use std::{sync::Arc, time::Duration};

use desktop::WAIT_MAX;
use ports::UserQuestion;
use protocol::{Component, DialogAnswer, DialogChoice, DialogForm, Origin};
use serde_json::json;

use crate::recording_desktop::{DesktopCall, RecordingDesktop, id, registry};

fn desktop(answer: DialogAnswer) -> Arc<RecordingDesktop> {
    let desktop = Arc::new(RecordingDesktop::new(Vec::new()));
    desktop.answers.lock().unwrap().push_back(answer);
    desktop
}

fn asked(desktop: &RecordingDesktop) -> UserQuestion {
    match desktop.done.lock().unwrap().as_slice() {
        [DesktopCall::Asked(key, question)] if key == "call-1" => question.clone(),
        other => panic!("expected one question: {other:?}"),
    }
}

#[tokio::test]
async fn one_of_several_is_chosen() {
    let desktop = desktop(DialogAnswer::Chosen("Green".to_owned()));
    let arguments =
        json!({"title": "Which?", "text": "For the wall.", "choices": ["Red", " Green "], "window_id": "wall"});
    let output = desktop.call("ask_user", arguments).await.unwrap();
    assert_eq!(output.value, json!({"answered": true, "chosen": "Green"}));
    assert_eq!(output.origin, Origin::Trusted, "the user's own words");
    let choice = |label: &str| DialogChoice { value: label.to_owned(), label: label.to_owned() };
    let expected = UserQuestion {
        window_id: Some(id("wall")),
        title: "Which?".to_owned(),
        text: "For the wall.".to_owned(),
        form: DialogForm::Choices(vec![choice("Red"), choice("Green")]),
        timeout: Duration::from_secs(300),
    };
    assert_eq!(asked(&desktop), expected);
}

#[tokio::test]
async fn fields_are_filled_in() {
    let desktop = desktop(DialogAnswer::Filled([("name".to_owned(), "Ada".to_owned())].into()));
    let arguments = json!({
        "title": "Who?", "fields": [{"type": "input", "name": "name"}, {"type": "select", "name": "s", "options": ["a"]}],
        "choices": [], "wait_s": 3600,
    });
    let answer = desktop.value("ask_user", arguments).await;
    assert_eq!(answer, json!({"answered": true, "filled": {"name": "Ada"}}));
    let question = asked(&desktop);
    assert_eq!(question.timeout, WAIT_MAX);
    assert!(matches!(question.form, DialogForm::Fields(fields) if matches!(fields[0], Component::Input { .. })));
}

#[tokio::test]
async fn silence_is_told_as_such() {
    for (answer, why) in [
        (DialogAnswer::Dismissed, "the user dismissed the question"),
        (DialogAnswer::Unanswered, "the user did not answer in time"),
    ] {
        let answer = desktop(answer).value("ask_user", json!({"title": "Which?", "choices": ["a"]})).await;
        assert_eq!(answer, json!({"answered": false, "why": why}));
    }
}

#[tokio::test]
async fn what_cannot_be_asked_is_refused_by_name() {
    let desktop = Arc::new(RecordingDesktop::new(Vec::new()));
    let input = json!({"type": "input", "name": "a"});
    for (arguments, why) in [
        (json!({"title": "?"}), "give `choices` to choose from, or `fields`"),
        (json!({"title": "?", "choices": ["a"], "fields": [input]}), "give `choices` or `fields`, not both"),
        (json!({"title": "", "choices": ["a"]}), "`title`"),
        (json!({"title": "?", "text": "x".repeat(2_001), "choices": ["a"]}), "`text` has 2001 characters"),
        (json!({"title": "?", "choices": vec!["a"; 13]}), "`choices`: there are 13"),
        (json!({"title": "?", "choices": ["a", "b", "a"]}), "`choices[2]`: `a` is listed twice"),
        (json!({"title": "?", "choices": ["a", " "]}), "`choices[1]` has 1 to 120 characters"),
        (json!({"title": "?", "fields": vec![input.clone(); 21]}), "`fields`: there are 21"),
        (json!({"title": "?", "fields": [input, input]}), "fields[1].name: there are two fields named `a`"),
        (json!({"title": "?", "fields": [{"type": "input"}]}), "fields[0]: an input needs `name`"),
        (json!({"title": "?", "fields": [{"type": "badge", "text": "x"}]}), "fields[0]: a question is answered in"),
        (json!({"title": "?", "fields": [{"type": "text", "text": "x"}]}), "fields: there is nothing to fill in"),
        (json!({"title": "?", "choices": ["a"], "wait_s": 3601}), "`wait_s` is 1 to 3600"),
        (json!({"title": "?", "choices": ["a"], "window_id": "A"}), "`window_id`"),
    ] {
        let refusal = desktop.refusal("ask_user", arguments).await;
        assert!(refusal.contains(why), "{refusal}");
    }
    assert!(desktop.done.lock().unwrap().is_empty());
}

#[test]
fn the_call_outlasts_the_longest_wait() {
    assert!(registry().get("ask_user").unwrap().declaration.timeout > WAIT_MAX);
}
