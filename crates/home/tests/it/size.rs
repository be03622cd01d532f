//! How long it takes to read a large home. Run by hand with optimization: it prints times and
//! asserts none.

use std::time::Instant;

use home::{HomeAssistantClient, HomePort};
use serde_json::{Value, json};

use crate::fake_home_assistant::{FakeClient as _, FakeHomeAssistant, FakeReply, LONG};

const ENTITIES: usize = 3000;

fn furnish(fake: &FakeHomeAssistant) -> usize {
    let id = |number: usize| format!("{}.thing_{number}", ["light", "sensor", "switch", "binary_sensor"][number % 4]);
    let areas: Vec<Value> =
        (0..40).map(|n| json!({"area_id": format!("a{n}"), "name": format!("Room {n}"), "aliases": []})).collect();
    let devices: Vec<Value> = (0..ENTITIES / 4)
        .map(|n| json!({"id": format!("d{n}"), "name": format!("Device {n}"), "area_id": format!("a{}", n % 40),
            "manufacturer": "Maker", "model": "Model", "identifiers": [["x", format!("{n}")]], "config_entries": ["e1"]}))
        .collect();
    let mut details = serde_json::Map::new();
    let mut entries = Vec::new();
    // A third of a home's entities are not registered.
    for n in (0..ENTITIES).filter(|n| n % 3 != 0) {
        let entry = json!({"entity_id": id(n), "device_id": format!("d{}", n / 4), "has_entity_name": true,
            "original_name": format!("Part {n}"), "name": null, "platform": "demo", "unique_id": format!("u{n}"),
            "options": {"conversation": {"should_expose": n % 2 == 0}}, "labels": [], "icon": null,
            "config_entry_id": "e1", "id": format!("{n:032x}"), "translation_key": null});
        let mut detail = entry.clone();
        detail["aliases"] = json!([format!("Alias {n}")]);
        detail["capabilities"] = json!({"supported_color_modes": ["color_temp", "hs"], "min_mireds": 153});
        detail["original_device_class"] = json!(if n % 4 == 1 { Some("temperature") } else { None });
        details.insert(id(n), detail);
        entries.push(entry);
    }
    for n in 0..ENTITIES {
        let state = json!({"s": "on", "c": "01M7FXY5198FEZ8PFP3HAV1APX", "lc": 1_794_756_580.25, "a": {
            "friendly_name": format!("Device {} Part {n}", n / 4), "supported_features": 44, "brightness": 180,
            "color_mode": "hs", "hs_color": [345, 75], "rgb_color": [255, 63, 111], "xy_color": [0.59, 0.274],
            "supported_color_modes": ["color_temp", "hs"], "unit_of_measurement": "°C"}});
        fake.script.lock().unwrap().states.insert(id(n), state);
    }
    let bytes = json!([entries, details, devices]).to_string().len();
    let states = json!(fake.script.lock().unwrap().states).to_string().len();
    fake.reply("config/area_registry/list", FakeReply::Result(json!(areas)));
    fake.reply("config/device_registry/list", FakeReply::Result(json!(devices)));
    fake.reply("config/entity_registry/list", FakeReply::Result(json!(entries)));
    fake.reply("config/entity_registry/get_entries", FakeReply::Result(json!(details)));
    bytes + states
}

#[tokio::test]
#[ignore = "a measurement: run it with --release and --nocapture"]
#[allow(clippy::print_stdout, reason = "a measurement prints what it measures")]
async fn start_of_a_home_of_3000_entities() {
    let fake = FakeHomeAssistant::start().await;
    let bytes = furnish(&fake);
    let mut times = Vec::new();
    for _ in 0..7 {
        let begun = Instant::now();
        let home = HomeAssistantClient::connect(fake.settings()).unwrap();
        home.ready(LONG).await.unwrap();
        times.push(begun.elapsed());
        assert!(home.index().len() >= ENTITIES);
        home.close();
    }
    times.sort();
    println!("{ENTITIES} entities, {} kB: median {:?} of {times:?}", bytes / 1000, times[times.len() / 2]);
}
