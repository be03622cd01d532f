//! Alerts by services of the home.

use std::time::Duration;

use home::{HomeAlerts, HomeAssistantClient};
use ports::{AlertChannel, DeliveryFailure};
use protocol::{Alert, AlertId, AlertKind, SessionId, Timestamp};
use serde_json::{Value, json};

use crate::{
    fake_home::{FakeBehaviour, FakeHome},
    fake_home_assistant::{FakeClient as _, FakeHomeAssistant, FakeReply, LONG},
};

fn alert() -> Alert {
    Alert {
        alert_id: AlertId::from_bytes([7; 16]),
        session_id: SessionId::from_bytes([1; 16]),
        at: Timestamp::from_millis(0),
        kind: AlertKind::Timer,
        title: "The timer has ended".to_owned(),
        text: "Pizza".to_owned(),
        turn_id: None,
        approval_id: None,
        schedule_id: None,
        satellite: None,
        language: None,
    }
}

async fn deliver(channel: &HomeAlerts) -> Result<(), DeliveryFailure> {
    channel.deliver(&"ada".parse().unwrap(), &alert()).await
}

#[tokio::test]
async fn home_assistant_is_called_with_title_text_and_what_recognises_a_repetition() {
    let fake = FakeHomeAssistant::start().await;
    let home = fake.client().await;
    let id = alert().alert_id.to_string();
    let heard = || -> Value { fake.script.lock().unwrap().heard.last().unwrap().1.clone() };
    let (entity, satellite) = (["notify.kitchen".to_owned()], ["assist_satellite.kitchen".to_owned()]);
    for (service, entities, is_idempotent, more) in [
        (None, &[][..], true, json!({ "notification_id": format!("dwell_{}", id.to_lowercase()) })),
        (Some("notify.mobile_app_phone"), &[], true, json!({ "data": { "tag": format!("dwell_{id}") } })),
        (Some("notify.telegram"), &[], false, json!({})),
        (Some("notify.send_message"), &entity, false, json!({})),
        (Some("assist_satellite.announce"), &satellite, false, json!({})),
    ] {
        let channel = HomeAlerts::new(home.clone(), service, entities).unwrap();
        deliver(&channel).await.unwrap();
        let call = heard();
        let name = format!("{}.{}", call["domain"].as_str().unwrap(), call["service"].as_str().unwrap());
        assert_eq!(name, service.unwrap_or("persistent_notification.create"));
        let mut expected = json!({ "title": "The timer has ended", "message": "Pizza" });
        if service == Some("assist_satellite.announce") {
            expected = json!({ "message": "Pizza" });
        }
        expected.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        assert_eq!(call["service_data"], expected, "{name}");
        let targets = call["target"]["entity_id"].as_array().map_or(0, Vec::len);
        assert_eq!(targets, entities.len(), "{call}");
        assert_eq!(channel.is_idempotent(), is_idempotent, "{name}");
    }
    fake.reply("call_service", FakeReply::Error("not_found", "Service notify.gone not found."));
    let gone = HomeAlerts::new(home, Some("notify.gone"), &[]).unwrap();
    let failure = deliver(&gone).await.unwrap_err();
    assert!(matches!(failure, DeliveryFailure::Later { .. }), "it may be starting: {failure:?}");
    assert!(failure.to_string().contains("notify.gone"), "{failure}");
}

#[tokio::test]
async fn a_call_whose_answer_is_lost_is_repeated_only_where_that_is_recognised() {
    let fake = FakeHomeAssistant::start().await;
    let mut settings = fake.settings();
    settings.patience.call = Duration::from_millis(100);
    let home = HomeAssistantClient::connect(settings).unwrap();
    home.ready(LONG).await.unwrap();
    fake.reply("call_service", FakeReply::Silence);
    let lost = deliver(&HomeAlerts::new(home.clone(), None, &[]).unwrap()).await.unwrap_err();
    assert!(matches!(lost, DeliveryFailure::Later { .. }), "{lost:?}");
    let lost = deliver(&HomeAlerts::new(home, Some("notify.telegram"), &[]).unwrap()).await.unwrap_err();
    assert!(matches!(lost, DeliveryFailure::Unknown { .. }), "{lost:?}");

    let home = FakeHome::new();
    let channel = HomeAlerts::new(home.clone(), Some("notify.telegram"), &[]).unwrap();
    home.is(FakeBehaviour::Gone);
    assert!(matches!(deliver(&channel).await, Err(DeliveryFailure::Later { .. })));
    home.is(FakeBehaviour::Forbidden);
    assert!(matches!(deliver(&channel).await, Err(DeliveryFailure::Refused { .. })));
}

#[test]
fn only_services_that_notify_are_accepted() {
    let home = FakeHome::new();
    let check = |service: Option<&str>, entities: &[&str], field: &str| {
        let entities: Vec<String> = entities.iter().map(|entity| (*entity).to_owned()).collect();
        let error = HomeAlerts::new(home.clone(), service, &entities).err().unwrap();
        assert_eq!(error.0, field, "{service:?}: {}", error.1);
    };
    for service in ["lock.unlock", "notify", "notify.", "notify.Phone", "persistent_notification.dismiss", "script.x"] {
        check(Some(service), &[], "service");
    }
    check(Some("notify.send_message"), &[], "entities");
    check(Some("notify.send_message"), &["light.kitchen"], "entities");
    check(Some("notify.phone"), &["notify.kitchen"], "entities");
    check(None, &["notify.kitchen"], "entities");
    check(Some("assist_satellite.announce"), &[], "entities");
    check(Some("assist_satellite.announce"), &["notify.kitchen"], "entities");
    check(Some("assist_satellite.start_conversation"), &["assist_satellite.kitchen"], "service");
}
