//! Media players: a command usually names none and means the one that is playing.

use serde_json::{Map, Value, json};

use super::{
    act::{ReflexPlan, choose_targets, service_call},
    answers::AnswerLanguage,
    resolved_intent::ResolvedIntent,
};
use crate::{
    index::{EntitySnapshot, HomeIndex},
    port::EntityId,
};

/// One step of the volume.
const VOLUME_STEP: f64 = 0.1;

/// The calls for a media player.
pub(super) fn calls(
    index: &HomeIndex,
    resolved: &ResolvedIntent,
    answer_language: AnswerLanguage,
) -> Option<ReflexPlan> {
    let (service, data) = service(resolved)?;
    let players = players(index, resolved);
    let players = match choose_targets(index, resolved, players, &["media_player"], answer_language) {
        Ok(players) => players,
        Err(unclear) => return Some(unclear),
    };
    // What is not named is one player, or the user is asked which.
    if resolved.named.is_none() && resolved.intent == "HassMediaSearchAndPlay" && players.len() > 1 {
        let names: Vec<String> = players.iter().map(|player| player.entity.name.clone()).collect();
        return Some(ReflexPlan::Asked(answer_language.where_to(&names)));
    }
    if service == "step" {
        let step = resolved.value("volume_step")?;
        return Some(ReflexPlan::Calls(players.iter().map(|player| stepped(player, step)).collect()));
    }
    let ids: Vec<EntityId> = players.iter().map(|player| player.entity.id.clone()).collect();
    Some(ReflexPlan::Calls(vec![service_call("media_player", service, data, &ids)]))
}

fn service(resolved: &ResolvedIntent) -> Option<(&'static str, Map<String, Value>)> {
    let data = |value: Value| value.as_object().cloned().unwrap_or_default();
    Some(match resolved.intent.as_str() {
        "HassMediaPause" => ("media_pause", Map::new()),
        "HassMediaUnpause" => ("media_play", Map::new()),
        "HassMediaNext" => ("media_next_track", Map::new()),
        "HassMediaPrevious" => ("media_previous_track", Map::new()),
        "HassMediaPlayerMute" => ("volume_mute", data(json!({ "is_volume_muted": true }))),
        "HassMediaPlayerUnmute" => ("volume_mute", data(json!({ "is_volume_muted": false }))),
        "HassSetVolume" => ("volume_set", data(json!({ "volume_level": resolved.number("volume_level")? / 100.0 }))),
        "HassSetVolumeRelative" => ("step", Map::new()),
        "HassMediaSearchAndPlay" => {
            let query = resolved.text("search_query")?;
            let kind = resolved.text("media_class").unwrap_or("music");
            ("play_media", data(json!({ "media_content_id": query, "media_content_type": kind })))
        }
        _ => return None,
    })
}

/// The target players: those named; else those that are playing, preferably in the speaker's area;
/// else all there.
fn players(index: &HomeIndex, resolved: &ResolvedIntent) -> Vec<EntitySnapshot> {
    let all = resolved.entities(index, &["media_player"]);
    if resolved.named.is_some() {
        return all;
    }
    let wanted: &[&str] = match resolved.intent.as_str() {
        "HassMediaUnpause" => &["paused", "playing"],
        "HassMediaSearchAndPlay" => &[],
        _ => &["playing"],
    };
    let busy: Vec<EntitySnapshot> = all.iter().filter(|player| wanted.contains(&player.word())).cloned().collect();
    let here = |players: &[EntitySnapshot]| -> Vec<EntitySnapshot> {
        let is_here = |player: &&EntitySnapshot| player.area.as_ref().map(|area| &area.id) == resolved.here.as_ref();
        players.iter().filter(is_here).cloned().collect()
    };
    match (busy.len(), resolved.here.is_some()) {
        (0, true) if !here(&all).is_empty() => here(&all),
        (0, _) => all,
        (_, true) if !here(&busy).is_empty() => here(&busy),
        _ => busy,
    }
}

/// Changes the volume of a player by a step.
fn stepped(player: &EntitySnapshot, step: &Value) -> ports::ReflexCall {
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
