//! Requests to Home Assistant and their results.

use std::time::Duration;

use home::{ConnectionStatus, EntityId, HomeAssistantClient, HomeError, HomePort, ServiceCall};
use serde_json::{Map, Value, json};

use crate::fake_home_assistant::{FakeClient as _, FakeHomeAssistant, FakeReply, LONG, until};

fn call(domain: &str, service: &str) -> ServiceCall {
    ServiceCall {
        domain: domain.to_owned(),
        service: service.to_owned(),
        entities: vec!["light.lamp".parse().unwrap()],
        data: Map::new(),
        wants_response: false,
    }
}

#[tokio::test]
async fn a_call_whose_answer_is_lost_is_lost_and_never_sent_again() {
    let fake = FakeHomeAssistant::start().await;
    let home = fake.client().await;
    fake.reply("call_service", FakeReply::BreakOnce(json!({})));
    let error = home.call(&call("light", "turn_on")).await.unwrap_err();
    assert!(matches!(error, HomeError::Lost(_)), "{error}");
    until("connected", || matches!(home.about().connection, ConnectionStatus::Connected { .. })).await;
    tokio::time::sleep(Duration::from_millis(200)).await;
    assert_eq!(fake.count("call_service"), 1);
}

#[tokio::test]
async fn a_call_that_is_not_answered_in_time_is_lost() {
    let fake = FakeHomeAssistant::start().await;
    let mut settings = fake.settings();
    settings.patience.call = Duration::from_millis(100);
    let home = HomeAssistantClient::connect(settings).unwrap();
    home.ready(LONG).await.unwrap();
    fake.reply("call_service", FakeReply::Silence);
    let error = home.call(&call("light", "turn_on")).await.unwrap_err();
    assert!(matches!(error, HomeError::Lost(_)), "{error}");
}

#[tokio::test]
async fn a_question_whose_answer_is_lost_is_asked_again() {
    let fake = FakeHomeAssistant::start().await;
    let home = fake.client().await;
    fake.reply(
        "system_log/list",
        FakeReply::BreakOnce(json!([{"name": "x", "level": "ERROR", "message": ["old", "new"],
        "timestamp": 5.0, "first_occurred": 1.0, "count": 3, "exception": ""}])),
    );
    let errors = home.errors().await.unwrap();
    assert_eq!((errors[0].messages.as_slice(), errors[0].count), (["new".to_owned(), "old".to_owned()].as_slice(), 3));
    assert_eq!(fake.count("system_log/list"), 2);
}

#[tokio::test]
async fn what_was_not_sent_is_unreachable() {
    let fake = FakeHomeAssistant::start().await;
    let mut settings = fake.settings();
    settings.patience.first_pause = LONG;
    settings.patience.longest_pause = LONG;
    let home = HomeAssistantClient::connect(settings).unwrap();
    home.ready(LONG).await.unwrap();
    fake.break_connections();
    until("lost", || matches!(home.about().connection, ConnectionStatus::Reconnecting { .. })).await;
    let error = home.call(&call("light", "turn_on")).await.unwrap_err();
    assert!(matches!(error, HomeError::Unreachable(_)), "{error}");
    let error = home.errors().await.unwrap_err();
    assert!(matches!(error, HomeError::Unreachable(_)), "{error}");
    assert_eq!(fake.count("call_service"), 0);
}

#[tokio::test]
async fn a_missing_server_is_unreachable_and_says_why() {
    let fake = FakeHomeAssistant::start().await;
    let mut settings = fake.settings();
    settings.url = "http://127.0.0.1:1".to_owned();
    let home = HomeAssistantClient::connect(settings).unwrap();
    let error = home.call(&call("light", "turn_on")).await.unwrap_err();
    assert!(matches!(&error, HomeError::Unreachable(why) if !why.is_empty()), "{error}");
    assert!(matches!(home.ready(Duration::from_millis(10)).await, Err(HomeError::Unreachable(_))));
    assert!(matches!(home.about().connection, ConnectionStatus::Reconnecting { since: None, .. }));
}

#[tokio::test]
async fn refusals_are_told_apart() {
    let fake = FakeHomeAssistant::start().await;
    let home = fake.client().await;
    let mut refused = Vec::new();
    for code in ["unauthorized", "not_found", "invalid_format", "home_assistant_error"] {
        fake.reply("call_service", FakeReply::Error(code, "No."));
        refused.push(home.call(&call("light", "turn_on")).await.unwrap_err());
    }
    assert!(
        matches!(refused.as_slice(),
            [HomeError::Forbidden(why), HomeError::Invalid(_), HomeError::Invalid(_), HomeError::Failed(_)]
            if why.contains("may only read")),
        "{refused:?}"
    );
    let unknown = home.traces(&"automation.x".parse().unwrap()).await;
    assert_eq!(unknown, Ok(Vec::new()), "an automation without an id has no runs");
    assert!(matches!(home.errors().await, Err(HomeError::Unsupported(_))));
}

#[tokio::test]
async fn an_answer_is_wanted_where_there_is_one_and_only_there() {
    let fake = FakeHomeAssistant::start().await;
    let home = fake.client().await;
    home.services().await.unwrap();
    fake.reply("call_service", FakeReply::Result(json!({"context": {}, "response": {"rain": true}})));
    assert_eq!(home.call(&call("weather", "get_forecasts")).await, Ok(Some(json!({"rain": true}))));
    home.call(&ServiceCall { wants_response: true, ..call("light", "turn_on") }).await.unwrap();
    let script = fake.script.lock().unwrap();
    let calls: Vec<&Value> =
        script.heard.iter().map(|(_, command)| command).filter(|command| command["type"] == "call_service").collect();
    assert_eq!((&calls[0]["return_response"], &calls[1]["return_response"]), (&json!(true), &Value::Null));
}

#[tokio::test]
async fn services_are_known_without_asking_and_kept_current() {
    let fake = FakeHomeAssistant::start().await;
    let home = fake.client().await;
    let names = async || -> Vec<String> {
        home.services().await.unwrap().iter().map(|one| format!("{}.{}", one.domain, one.name)).collect()
    };
    until("read by itself", || fake.count("get_services") > 0).await;
    assert_eq!(names().await, ["light.turn_on", "weather.get_forecasts"]);
    let asked = fake.count("get_services");
    for _ in 0..10 {
        names().await;
    }
    assert_eq!(fake.count("get_services"), asked);
    fake.reply("get_services", FakeReply::Result(json!({"lock": {"lock": {"fields": {}}}})));
    fake.tell("service_registered", json!({}));
    until("read again", || fake.count("get_services") > asked).await;
    while names().await != ["lock.lock"] {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn how_an_entity_stands_is_asked_of_the_home_itself() {
    let fake = FakeHomeAssistant::start().await;
    let home = fake.client().await;
    fake.stand("light.lamp", "on");
    let ids: Vec<EntityId> = ["light.lamp", "light.nobody"].map(|id| id.parse().unwrap()).into();
    let states = home.read(&ids).await.unwrap();
    assert_eq!(states.len(), 1);
    assert_eq!((states[0].entity_id.as_str(), states[0].state.as_str()), ("light.lamp", "on"));
    until("given up again", || fake.count("unsubscribe_events") == 1).await;
    assert_eq!(home.read(&[]).await, Ok(Vec::new()));
}

#[tokio::test]
async fn many_ask_at_once_and_each_gets_its_own_answer() {
    let fake = FakeHomeAssistant::start().await;
    let home = fake.client().await;
    for number in 0..100 {
        fake.stand(&format!("sensor.s{number}"), &number.to_string());
    }
    let asked = (0..100).map(|number| {
        let home = home.clone();
        async move {
            let states = home.read(&[format!("sensor.s{number}").parse().unwrap()]).await.unwrap();
            assert_eq!(states[0].state, number.to_string());
        }
    });
    futures::future::join_all(asked).await;
}

#[tokio::test]
async fn a_message_of_many_megabytes_is_taken_and_a_larger_one_than_allowed_is_an_error() {
    let fake = FakeHomeAssistant::start().await;
    let huge = "x".repeat(20 << 20);
    fake.reply("system_log/list", FakeReply::Result(json!([{"name": huge, "timestamp": 1.0}])));
    let home = fake.client().await;
    assert_eq!(home.errors().await.unwrap()[0].logger.len(), 20 << 20);
    let mut settings = fake.settings();
    settings.message_limit = 1 << 20;
    let careful = HomeAssistantClient::connect(settings).unwrap();
    careful.ready(LONG).await.unwrap();
    let error = careful.errors().await.unwrap_err();
    assert!(matches!(&error, HomeError::Unreachable(why) if why.contains("too large")), "{error}");
    until("connected", || matches!(careful.about().connection, ConnectionStatus::Connected { .. })).await;
}
