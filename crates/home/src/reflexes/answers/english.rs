//! English.

use super::listed;
use crate::{
    acting::{AffectedEntity, EntityOutcome},
    index::EntitySnapshot,
    port::EntityState,
};

fn names(standings: &[&EntitySnapshot]) -> String {
    let names: Vec<&str> = standings.iter().map(|snapshot| snapshot.entity.name.as_str()).collect();
    listed(&names, "and", "more")
}

pub(super) fn simulated(words: &str) -> String {
    format!("{words} (This is the simulated home.)")
}

pub(super) fn out_of_touch(words: &str) -> String {
    format!("{words} (That is what I knew last: the home cannot be reached right now.)")
}

pub(super) fn nothing_there(kind: &str, place: Option<&str>) -> String {
    let kind = kind.replace('_', " ");
    match place {
        Some(place) => format!("I know of no {kind} in {place}, so nothing was done."),
        None => format!("I know of no such {kind}, so nothing was done."),
    }
}

pub(super) fn which_one(name: &str, places: &[String]) -> String {
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    format!("There are several called {name}: {}. Which one?", listed(&places, "and", "more"))
}

pub(super) fn where_to(places: &[String]) -> String {
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    format!("Where? There is {}.", listed(&places, "and", "more"))
}

/// A state as text.
pub(super) fn word(snapshot: &EntitySnapshot) -> String {
    let class = snapshot.entity.class.as_deref();
    let Some(state) = &snapshot.state else { return "unknown".to_owned() };
    let is_binary = snapshot.entity.id.domain() == "binary_sensor";
    let word = match (state.state.as_str(), class) {
        (EntityState::UNAVAILABLE, _) => "not reachable".to_owned(),
        ("on", Some("door" | "window" | "garage_door" | "opening")) if is_binary => "open".to_owned(),
        ("off", Some("door" | "window" | "garage_door" | "opening")) if is_binary => "closed".to_owned(),
        ("on", Some("lock")) if is_binary => "unlocked".to_owned(),
        ("off", Some("lock")) if is_binary => "locked".to_owned(),
        ("on", Some("battery")) if is_binary => "low".to_owned(),
        ("off", Some("battery")) if is_binary => "fine".to_owned(),
        ("on", Some(_)) if is_binary => "detecting something".to_owned(),
        ("off", Some(_)) if is_binary => "clear".to_owned(),
        ("not_home", _) => "away".to_owned(),
        _ => state.in_words().replace('_', " "),
    };
    match state.number("brightness") {
        Some(brightness) if state.state == "on" => format!("{word} at {} %", (brightness / 2.55).round()),
        _ => word,
    }
}

pub(super) fn stands(snapshot: &EntitySnapshot) -> String {
    format!("{} is {}.", snapshot.entity.name, word(snapshot))
}

pub(super) fn whereabouts(name: &str, word: &str) -> String {
    match word {
        "home" => format!("{name} is at home."),
        "not_home" | "away" => format!("{name} is away."),
        EntityState::UNAVAILABLE | EntityState::UNKNOWN => format!("I do not know where {name} is."),
        zone => format!("{name} is at {zone}."),
    }
}

pub(super) fn yes_or_no(is_so: bool, snapshot: &EntitySnapshot) -> String {
    let is_known = snapshot.state.as_ref().is_some_and(|state| state.is_known());
    match (is_so, is_known) {
        (true, _) => format!("Yes, {} is {}.", snapshot.entity.name, word(snapshot)),
        (false, true) => format!("No, {} is {}.", snapshot.entity.name, word(snapshot)),
        (false, false) => format!("I cannot tell: {} is {}.", snapshot.entity.name, word(snapshot)),
    }
}

pub(super) fn any(so: &[&EntitySnapshot]) -> String {
    if so.is_empty() { "No, none.".to_owned() } else { format!("Yes: {}.", names(so)) }
}

pub(super) fn all(not_so: &[&EntitySnapshot]) -> String {
    if not_so.is_empty() { "Yes, all of them.".to_owned() } else { format!("No, not {}.", names(not_so)) }
}

pub(super) fn these(so: &[&EntitySnapshot]) -> String {
    if so.is_empty() { "None.".to_owned() } else { format!("{}.", names(so)) }
}

pub(super) fn how_many(so: &[&EntitySnapshot]) -> String {
    if so.is_empty() { "None.".to_owned() } else { format!("{}: {}.", so.len(), names(so)) }
}

pub(super) fn reads(name: &str, value: &str) -> String {
    format!("{name} says {value}.")
}

pub(super) fn weather(degrees: Option<&str>, condition: &str) -> String {
    match degrees {
        Some(degrees) => format!("{degrees} and {condition}."),
        None => format!("It is {condition}."),
    }
}

/// The infinitive and the past participle for a service.
fn verb(service: &str) -> (String, String) {
    let (domain, name) = service.split_once('.').unwrap_or(("", service));
    let (to, done) = match name {
        "turn_on" if domain == "scene" => ("be set", "Called for"),
        "turn_on" if domain == "script" => ("run", "Started"),
        "turn_on" => ("turn on", "Turned on"),
        "turn_off" => ("turn off", "Turned off"),
        "toggle" => ("change over", "Changed over"),
        "open_cover" | "open_valve" => ("open", "Opened"),
        "close_cover" | "close_valve" => ("close", "Closed"),
        "set_cover_position" | "set_valve_position" => ("move", "Moved"),
        "lock" => ("lock", "Locked"),
        "unlock" => ("unlock", "Unlocked"),
        "set_temperature" | "set_percentage" | "volume_set" | "volume_mute" | "set_value" => ("change", "Set"),
        "media_pause" => ("pause", "Paused"),
        "media_play" => ("play", "Resumed"),
        "media_next_track" | "media_previous_track" => ("skip", "Skipped on"),
        "play_media" => ("play that", "Asked for it on"),
        "start" | "start_mowing" => ("start", "Started"),
        "return_to_base" | "dock" => ("go back", "Sent back"),
        "add_item" => ("take the item", "Added it to"),
        "update_item" => ("change the item", "Ticked it off on"),
        "remove_item" => ("drop the item", "Removed it from"),
        other => return (other.replace('_', " "), format!("Called {}.{other} on", domain)),
    };
    (to.to_owned(), done.to_owned())
}

/// Scenes, scripts, buttons and lists have no state to verify.
fn has_own_words(service: &str) -> bool {
    let domain = service.split('.').next().unwrap_or_default();
    matches!(domain, "scene" | "script" | "button" | "input_button" | "todo" | "automation")
}

pub(super) fn outcome(
    service: &str,
    outcome: EntityOutcome,
    touched: &[&AffectedEntity],
    to_value: Option<&str>,
) -> String {
    let all: Vec<&str> = touched.iter().map(|touched| touched.name.as_str()).collect();
    let names = listed(&all, "and", "more");
    let (to, done) = verb(service);
    let (is, it) = if all.len() == 1 { ("is", "it") } else { ("are", "they") };
    let after = touched.first().map_or("", |touched| touched.after.as_str()).replace('_', " ");
    match outcome {
        EntityOutcome::Done => match to_value {
            Some(value) => format!("Set {names} to {value}."),
            None => format!("{done} {names}."),
        },
        EntityOutcome::Unverified if has_own_words(service) => format!("{done} {names}."),
        EntityOutcome::Unverified => format!("I told {names} to {to}; whether it did all of that cannot be verified."),
        EntityOutcome::Already => {
            let value = to_value.map(|value| format!("set to {value}"));
            let word = match service.rsplit('.').next().unwrap_or_default() {
                _ if value.is_some() => value.as_deref().unwrap_or_default(),
                "turn_on" => "on",
                "turn_off" => "off",
                _ => &after,
            };
            format!("{names} {is} {word} already.")
        }
        EntityOutcome::OnTheWay => format!("{names} {is} {after}."),
        EntityOutcome::Unchanged => format!("I told {names} to {to}, but {it} did not: still {after}."),
        EntityOutcome::Unavailable => format!("{names} cannot be reached, so {it} did not {to}."),
    }
}

pub(super) fn taken(service: &str) -> String {
    format!("{service} was called; its effect cannot be verified.")
}

pub(super) fn refused(why: &str) -> String {
    // The reason is written for the model; the user gets another text.
    if why.contains("did not allow") {
        return "I did not do that. You did not allow it.".to_owned();
    }
    format!("I did not do that. {why}")
}

pub(super) fn failed(why: &str) -> String {
    format!("That did not work: {why}.").replace("..", ".")
}
