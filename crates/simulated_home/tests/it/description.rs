//! What the simulated home consists of, as one snapshot: places, devices, entities with their
//! states, services, and what is wrong with it. Documentation and tests rely on all of it.

use std::{fmt::Write as _, sync::Arc};

use home::{EntityId, HomePort, Period};
use protocol::Timestamp;
use serde_json::{Value, json};
use simulated_home::SimulatedHome;

const NOW: &str = "2026-05-12T10:00:00Z";
const DAY: i64 = 86_400_000;

/// With the fields in one order, whichever order a build keeps them in.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<(String, Value)> =
                fields.into_iter().map(|(key, value)| (key, sorted(value))).collect();
            fields.sort_by(|one, two| one.0.cmp(&two.0));
            Value::Object(fields.into_iter().collect())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(sorted).collect()),
        other => other,
    }
}

async fn describe(home: &dyn HomePort, now: Timestamp) -> String {
    let mut text = String::new();
    let mut add = |kind: &str, value: Value| writeln!(text, "{kind} {}", sorted(value)).unwrap();
    let index = home.index();
    index.floors().iter().for_each(|floor| add("floor", json!(**floor)));
    index.areas().iter().for_each(|area| add("area", json!(**area)));
    let ids: Vec<EntityId> = index.all().iter().map(|snapshot| snapshot.entity.id.clone()).collect();
    let period = Period { from: Timestamp::from_millis(now.as_millis() - 10 * DAY), until: now };
    let past = home.history(&ids, period).await.unwrap();
    let mut devices: Vec<_> = index.all().iter().filter_map(|snapshot| snapshot.entity.device.clone()).collect();
    devices.sort();
    devices.dedup();
    devices.iter().for_each(|id| add("device", json!(*index.device(id).unwrap())));
    for (snapshot, series) in index.all().iter().zip(&past) {
        let id = &snapshot.entity.id;
        add("entity", json!(*snapshot.entity));
        add("  is", json!(*index.state(id).unwrap()));
        add("  had", json!({ "samples": series.samples.len(), "first": series.samples.first() }));
        add("  relates", json!(home.related(id).await.unwrap()));
        for trace in home.traces(id).await.unwrap() {
            add("  ran", json!(trace));
        }
    }
    for service in home.services().await.unwrap() {
        let name = format!("{}.{}", service.domain, service.name);
        add("service", json!([name, service.fields, service.responds]));
    }
    for entry in home.errors().await.unwrap() {
        add("error", json!(entry));
    }
    text
}

#[tokio::test]
async fn the_simulated_home_is_described_by_its_data() {
    let (folder, now) = (tempfile::tempdir().unwrap(), NOW.parse().unwrap());
    let home = SimulatedHome::open(folder.path(), Arc::new(move || now), "Europe/Berlin").unwrap();
    insta::assert_snapshot!(describe(&*home, now).await);
}
