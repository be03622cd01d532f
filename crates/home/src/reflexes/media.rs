//! Players: what is wanted most often names none, and means the one that plays.

use serde_json::{Map, Value, json};

use super::{
    act::{Done, service_call, settle},
    meaning::Meaning,
    words::Tongue,
};
use crate::{
    house::EntityId,
    index::{Index, Standing},
};

/// How far one step of the volume goes.
const VOLUME_STEP: f64 = 0.1;

/// The calls for a player.
pub(super) fn calls(index: &Index, meaning: &Meaning, tongue: Tongue) -> Option<Done> {
    let (service, data) = service(meaning)?;
    let players = players(index, meaning);
    let players = match settle(index, meaning, players, &["media_player"], tongue) {
        Ok(players) => players,
        Err(unclear) => return Some(unclear),
    };
    if service == "step" {
        let step = meaning.value("volume_step")?;
        return Some(Done::Calls(players.iter().map(|player| stepped(player, step)).collect()));
    }
    let ids: Vec<EntityId> = players.iter().map(|player| player.entity.id.clone()).collect();
    Some(Done::Calls(vec![service_call("media_player", service, data, &ids)]))
}

fn service(meaning: &Meaning) -> Option<(&'static str, Map<String, Value>)> {
    let data = |value: Value| value.as_object().cloned().unwrap_or_default();
    Some(match meaning.intent.as_str() {
        "HassMediaPause" => ("media_pause", Map::new()),
        "HassMediaUnpause" => ("media_play", Map::new()),
        "HassMediaNext" => ("media_next_track", Map::new()),
        "HassMediaPrevious" => ("media_previous_track", Map::new()),
        "HassMediaPlayerMute" => ("volume_mute", data(json!({ "is_volume_muted": true }))),
        "HassMediaPlayerUnmute" => ("volume_mute", data(json!({ "is_volume_muted": false }))),
        "HassSetVolume" => ("volume_set", data(json!({ "volume_level": meaning.number("volume_level")? / 100.0 }))),
        "HassSetVolumeRelative" => ("step", Map::new()),
        "HassMediaSearchAndPlay" => {
            let query = meaning.text("search_query")?;
            let kind = meaning.text("media_class").unwrap_or("music");
            ("play_media", data(json!({ "media_content_id": query, "media_content_type": kind })))
        }
        _ => return None,
    })
}

/// The players that are meant: those named; else those that play, where the speaker is if one plays there; else all there.
fn players(index: &Index, meaning: &Meaning) -> Vec<Standing> {
    let all = meaning.entities(index, &["media_player"]);
    if meaning.named.is_some() {
        return all;
    }
    let wanted: &[&str] = match meaning.intent.as_str() {
        "HassMediaUnpause" => &["paused", "playing"],
        "HassMediaSearchAndPlay" => &[],
        _ => &["playing"],
    };
    let busy: Vec<Standing> = all.iter().filter(|player| wanted.contains(&player.word())).cloned().collect();
    let here = |players: &[Standing]| -> Vec<Standing> {
        let is_here = |player: &&Standing| player.area.as_ref().map(|area| &area.id) == meaning.here.as_ref();
        players.iter().filter(is_here).cloned().collect()
    };
    match (busy.len(), meaning.here.is_some()) {
        (0, true) if !here(&all).is_empty() => here(&all),
        (0, _) => all,
        (_, true) if !here(&busy).is_empty() => here(&busy),
        _ => busy,
    }
}

/// A player a step louder or softer, from where it is.
fn stepped(player: &Standing, step: &Value) -> tools::ReflexCall {
    let now = player.state.as_ref().and_then(|state| state.number("volume_level"));
    let by = match (step.as_str(), step.as_f64()) {
        (Some("up"), _) => VOLUME_STEP,
        (Some("down"), _) => -VOLUME_STEP,
        (_, Some(percent)) => percent / 100.0,
        _ => 0.0,
    };
    let ids = std::slice::from_ref(&player.entity.id);
    match now {
        Some(now) => {
            let level = ((now + by).clamp(0.0, 1.0) * 100.0).round() / 100.0;
            let data = json!({ "volume_level": level }).as_object().cloned().unwrap_or_default();
            service_call("media_player", "volume_set", data, ids)
        }
        None => service_call("media_player", if by < 0.0 { "volume_down" } else { "volume_up" }, Map::new(), ids),
    }
}
