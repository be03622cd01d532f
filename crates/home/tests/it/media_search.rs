//! "Play … on …" with players that can search, and with those that cannot.

use std::{path::Path, sync::Arc};

use home::{HomeAssistantClient, HomeReflexes, Permission, add_call_service, grammars};
use ports::{Reflex, ReflexInput, Reflexes};
use serde_json::{Value, json};
use tools::Registry;

use crate::{
    context,
    fake_home_assistant::{FakeClient as _, FakeHomeAssistant, FakeReply},
};

/// A home with a player that can search, in the kitchen, and one that cannot, in the den.
async fn home_with_players(hits: Value) -> (FakeHomeAssistant, Arc<HomeAssistantClient>) {
    let fake = FakeHomeAssistant::start().await;
    let entity = |id: &str, device: &str| json!({"entity_id": id, "device_id": device, "has_entity_name": true});
    let entities = json!([entity("media_player.kitchen", "k"), entity("media_player.den", "d")]);
    fake.reply("config/entity_registry/list", FakeReply::Result(entities));
    fake.reply("config/entity_registry/get_entries", FakeReply::Result(json!({})));
    let devices = json!([{"id": "k", "name": "Kitchen speaker", "area_id": "kitchen"},
        {"id": "d", "name": "Old receiver", "area_id": "den"}]);
    fake.reply("config/device_registry/list", FakeReply::Result(devices));
    let areas = json!([{"area_id": "kitchen", "name": "Kitchen", "aliases": []},
        {"area_id": "den", "name": "Den", "aliases": []}]);
    fake.reply("config/area_registry/list", FakeReply::Result(areas));
    let exposed = json!({"media_player.kitchen": {"conversation": true}, "media_player.den": {"conversation": true}});
    fake.reply("homeassistant/expose_entity/list", FakeReply::Result(json!({"exposed_entities": exposed})));
    let services = json!({"media_player": {"play_media": {"fields": {"media_content_id": {}}},
        "search_media": {"fields": {"search_query": {}}, "response": {"optional": false}}}});
    fake.reply("get_services", FakeReply::Result(services));
    let response = json!({"media_player.kitchen": {"result": hits}});
    fake.reply("call_service", FakeReply::Result(json!({"context": {"id": "c"}, "response": response})));
    {
        let mut script = fake.script.lock().unwrap();
        script.states.clear();
        for (id, name, features) in
            [("media_player.kitchen", "Kitchen speaker", 4_194_304 + 512), ("media_player.den", "Old receiver", 512)]
        {
            let attributes = json!({"friendly_name": name, "supported_features": features});
            script.states.insert(id.to_owned(), json!({"s": "playing", "a": attributes, "lc": 1000.0}));
        }
    }
    let client = fake.client().await;
    (fake, client)
}

fn read(reflexes: &HomeReflexes, message: &str, unclear: Option<&str>) -> Option<Reflex> {
    reflexes.read(&ReflexInput { message, language: None, area: None, before: &[], previous: None, unclear })
}

/// Carries out a command; returns the services that the home was asked for, with their data.
async fn done(fake: &FakeHomeAssistant, client: &Arc<HomeAssistantClient>, reflex: Reflex) -> Vec<(String, Value)> {
    let mut registry = Registry::default();
    add_call_service(&mut registry, client.clone(), Permission::default()).unwrap();
    fake.script.lock().unwrap().heard.clear();
    for call in reflex.calls {
        let tool = &registry.get(&call.tool).unwrap().tool;
        let _ = tool.call(call.arguments, &context()).await;
    }
    let heard = fake.script.lock().unwrap().heard.clone();
    let calls = heard.into_iter().map(|(_, command)| command).filter(|command| command["type"] == "call_service");
    calls.map(|call| (call["service"].as_str().unwrap().to_owned(), call["service_data"].clone())).collect()
}

#[tokio::test]
async fn what_is_to_be_played_is_searched_for_where_the_player_can() {
    let hits = json!([
        {"title": "Kind of Blue, live", "media_content_id": "lib:7", "media_content_type": "track", "can_play": true},
        {"title": "Kind of Blue", "media_content_id": "lib:3", "media_content_type": "album", "can_play": true},
    ]);
    let (fake, client) = home_with_players(hits).await;
    let (built_in, _) = grammars(Path::new("nowhere"), Path::new("nowhere"), &["en".to_owned()]);
    let reflexes = HomeReflexes::new(client.clone(), built_in);

    let reflex = read(&reflexes, "play Kind of Blue on the kitchen speaker", None).unwrap();
    let calls = done(&fake, &client, reflex).await;
    let services: Vec<&str> = calls.iter().map(|(service, _)| service.as_str()).collect();
    assert_eq!(services, ["search_media", "play_media"], "{calls:?}");
    assert_eq!(calls[0].1["search_query"], "Kind of Blue");
    assert_eq!(
        (&calls[1].1["media_content_id"], &calls[1].1["media_content_type"]),
        (&json!("lib:3"), &json!("album"))
    );

    // A player that cannot search is given the words.
    let reflex = read(&reflexes, "play Kind of Blue on the old receiver", None).unwrap();
    let calls = done(&fake, &client, reflex).await;
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert_eq!((calls[0].0.as_str(), &calls[0].1["media_content_id"]), ("play_media", &json!("Kind of Blue")));

    // Without a player, the user is asked which, and says it.
    let asked = read(&reflexes, "play Kind of Blue", None).unwrap();
    assert!(asked.asks_back && asked.calls.is_empty(), "{asked:?}");
    let question = asked.answer.unwrap();
    assert!(question.contains("Kitchen") && question.contains("Den"), "{question}");
    for answer in ["the kitchen speaker", "in the kitchen, please"] {
        let answered = read(&reflexes, answer, Some("play Kind of Blue")).unwrap();
        let calls = done(&fake, &client, answered).await;
        assert_eq!(calls.last().unwrap().1["media_content_id"], "lib:3", "{answer}: {calls:?}");
    }
}

#[tokio::test]
async fn nothing_is_played_if_nothing_is_found() {
    let (fake, client) = home_with_players(json!([])).await;
    let (built_in, _) = grammars(Path::new("nowhere"), Path::new("nowhere"), &["en".to_owned()]);
    let reflexes = HomeReflexes::new(client.clone(), built_in);
    let reflex = read(&reflexes, "play Kind of Blue on the kitchen speaker", None).unwrap();
    let arguments = reflex.calls[0].arguments.clone();
    assert_eq!(done(&fake, &client, reflex).await.len(), 1, "it is searched for, and not played");
    let mut registry = Registry::default();
    add_call_service(&mut registry, client.clone(), Permission::default()).unwrap();
    let failure = registry.get("call_service").unwrap().tool.call(arguments, &context()).await.unwrap_err();
    assert!(failure.to_string().contains("Kitchen speaker finds nothing to play"), "{failure}");
    // An id is played as it is.
    let arguments = json!({"domain": "media_player", "service": "play_media",
        "target": {"entity_id": ["media_player.kitchen"]},
        "data": {"media_content_id": "lib:9", "media_content_type": "album"}});
    fake.script.lock().unwrap().heard.clear();
    registry.get("call_service").unwrap().tool.call(arguments, &context()).await.unwrap();
    assert_eq!(fake.count("call_service"), 1);
}
