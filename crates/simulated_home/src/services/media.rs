//! Media players.

use home::HomeError;
use serde_json::{Value, json};

use super::{PhasesResult, climate::one_of, data::CallData, now};
use crate::layout::{SimulatedEntity, SimulatedState, object};

pub(super) fn tell(
    service: &str,
    entity: &SimulatedEntity,
    sim_state: &SimulatedState,
    data: CallData<'_>,
    tracks: &[String],
) -> PhasesResult {
    let is_off = sim_state.state == "off";
    let mut next = sim_state.clone();
    let mut set = |more: Value| next.attributes.extend(object(more));
    let volume = sim_state.number("volume_level").unwrap_or(0.35);
    let rounded = |volume: f64| json!({"volume_level": (volume.clamp(0.0, 1.0) * 100.0).round() / 100.0});
    let state = match service {
        "turn_off" => return now(SimulatedState::word("off")),
        "toggle" if !is_off => return now(SimulatedState::word("off")),
        "turn_on" | "toggle" => {
            set(rounded(volume));
            if is_off { "idle" } else { sim_state.state.as_str() }
        }
        "media_pause" | "media_play_pause" if sim_state.state == "playing" => "paused",
        // Nothing is playing, so there is nothing to pause or stop.
        "media_pause" => return Ok(None),
        "media_stop" if is_off => return Ok(None),
        "media_stop" => "idle",
        "media_play" | "media_play_pause" => {
            set(rounded(volume));
            if sim_state.attributes.get("media_title").is_none() {
                set(json!({"media_title": tracks.first(), "media_content_type": "music"}));
            }
            "playing"
        }
        "media_next_track" | "media_previous_track" if is_off => return Ok(None),
        "media_next_track" => {
            set(json!({"media_title": track(tracks, sim_state, 1)}));
            "playing"
        }
        "media_previous_track" => {
            set(json!({"media_title": track(tracks, sim_state, tracks.len().saturating_sub(1))}));
            "playing"
        }
        "play_media" => {
            let (id, kind) = (data.needed_text("media_content_id")?, data.needed_text("media_content_type")?);
            if id.trim().is_empty() {
                return Err(HomeError::Invalid("`media_content_id` is empty".to_owned()));
            }
            set(rounded(volume));
            set(json!({"media_title": id, "media_content_id": id, "media_content_type": kind}));
            "playing"
        }
        "select_source" => {
            let source = one_of(entity, "source_list", data.needed_text("source")?)?;
            set(json!({"source": source}));
            if is_off { "idle" } else { sim_state.state.as_str() }
        }
        _ => {
            let change = volume_change(service, volume, data)?;
            if is_off {
                return Ok(None);
            }
            set(change);
            sim_state.state.as_str()
        }
    };
    state.clone_into(&mut next.state);
    now(next)
}

fn volume_change(service: &str, volume: f64, data: CallData<'_>) -> Result<Value, HomeError> {
    let level = match service {
        "volume_mute" => return Ok(json!({"is_volume_muted": data.needed_bool("is_volume_muted")?})),
        "volume_up" => volume + 0.1,
        "volume_down" => volume - 0.1,
        _ => data.needed_number("volume_level", 0.0, 1.0)?,
    };
    Ok(json!({"volume_level": (level.clamp(0.0, 1.0) * 100.0).round() / 100.0}))
}

fn track<'a>(tracks: &'a [String], sim_state: &SimulatedState, step: usize) -> &'a str {
    let title = sim_state.attributes.get("media_title").and_then(Value::as_str);
    let number = tracks.iter().position(|track| Some(track.as_str()) == title).map_or(0, |number| number + step);
    tracks.get(number % tracks.len().max(1)).map(String::as_str).unwrap_or_default()
}
