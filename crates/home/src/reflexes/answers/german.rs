//! Deutsch.

use super::listed;
use crate::{
    acting::{AffectedEntity, EntityOutcome},
    index::EntitySnapshot,
    port::EntityState,
};

fn names(standings: &[&EntitySnapshot]) -> String {
    let names: Vec<&str> = standings.iter().map(|snapshot| snapshot.entity.name.as_str()).collect();
    listed(&names, "und", "weitere")
}

pub(super) fn simulated(words: &str) -> String {
    format!("{words} (Das ist das simulierte Zuhause.)")
}

pub(super) fn out_of_touch(words: &str) -> String {
    format!("{words} (So war es zuletzt: Das Zuhause ist gerade nicht erreichbar.)")
}

pub(super) fn nothing_there(_kind: &str, place: Option<&str>) -> String {
    match place {
        Some(place) => format!("So etwas kenne ich in {place} nicht, also habe ich nichts getan."),
        None => "So etwas kenne ich nicht, also habe ich nichts getan.".to_owned(),
    }
}

pub(super) fn which_one(name: &str, places: &[String]) -> String {
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    format!("{name} gibt es mehrfach: {}. Welches ist gemeint?", listed(&places, "und", "weitere"))
}

pub(super) fn where_to(places: &[String]) -> String {
    let places: Vec<&str> = places.iter().map(String::as_str).collect();
    format!("Wo? Es gibt {}.", listed(&places, "und", "weitere"))
}

/// A state as text.
fn word(state: &str, unit: Option<&str>) -> String {
    let word = match state {
        "on" => "an",
        "off" => "aus",
        "open" => "offen",
        "closed" => "geschlossen",
        "opening" => "am Öffnen",
        "closing" => "am Schließen",
        "locked" => "abgeschlossen",
        "unlocked" => "nicht abgeschlossen",
        "locking" => "am Abschließen",
        "unlocking" => "am Aufschließen",
        "home" => "zu Hause",
        "not_home" => "unterwegs",
        "playing" => "am Spielen",
        "paused" => "angehalten",
        "idle" => "untätig",
        EntityState::UNAVAILABLE => "nicht erreichbar",
        EntityState::UNKNOWN => "unbekannt",
        other => other,
    };
    unit.map_or_else(|| word.to_owned(), |unit| format!("{} {unit}", word.replace('.', ",")))
}

fn stands_at(snapshot: &EntitySnapshot) -> String {
    let unit =
        snapshot.state.as_ref().filter(|state| state.is_known()).and_then(|state| state.text("unit_of_measurement"));
    let is_opening = matches!(snapshot.entity.class.as_deref(), Some("door" | "window" | "garage_door" | "opening"));
    match (snapshot.word(), snapshot.entity.id.domain()) {
        ("on", "binary_sensor") if is_opening => "offen".to_owned(),
        ("off", "binary_sensor") if is_opening => "geschlossen".to_owned(),
        (state, _) => word(state, unit),
    }
}

pub(super) fn stands(snapshot: &EntitySnapshot) -> String {
    format!("{} ist {}.", snapshot.entity.name, stands_at(snapshot))
}

pub(super) fn whereabouts(name: &str, at: &str) -> String {
    match at {
        "home" => format!("{name} ist zu Hause."),
        "not_home" | "away" => format!("{name} ist unterwegs."),
        EntityState::UNAVAILABLE | EntityState::UNKNOWN => format!("Wo {name} ist, weiß ich nicht."),
        zone => format!("{name} ist hier: {zone}."),
    }
}

pub(super) fn yes_or_no(is_so: bool, snapshot: &EntitySnapshot) -> String {
    let is_known = snapshot.state.as_ref().is_some_and(|state| state.is_known());
    let opening = match (is_so, is_known) {
        (true, _) => "Ja,",
        (false, true) => "Nein,",
        (false, false) => "Das kann ich nicht sagen:",
    };
    format!("{opening} {} ist {}.", snapshot.entity.name, stands_at(snapshot))
}

pub(super) fn any(so: &[&EntitySnapshot]) -> String {
    if so.is_empty() { "Nein.".to_owned() } else { format!("Ja: {}.", names(so)) }
}

pub(super) fn all(not_so: &[&EntitySnapshot]) -> String {
    if not_so.is_empty() { "Ja, alle.".to_owned() } else { format!("Nein, {} nicht.", names(not_so)) }
}

pub(super) fn these(so: &[&EntitySnapshot]) -> String {
    if so.is_empty() { "Keine.".to_owned() } else { format!("{}.", names(so)) }
}

pub(super) fn how_many(so: &[&EntitySnapshot]) -> String {
    if so.is_empty() { "Keine.".to_owned() } else { format!("{}: {}.", so.len(), names(so)) }
}

pub(super) fn reads(name: &str, value: &str) -> String {
    format!("{name}: {}.", value.replace('.', ","))
}

pub(super) fn weather(degrees: Option<&str>, condition: &str) -> String {
    let condition = match condition {
        "sunny" | "clear night" => "klar",
        "cloudy" => "bewölkt",
        "partlycloudy" => "teils bewölkt",
        "rainy" | "pouring" => "regnerisch",
        "snowy" => "verschneit",
        "fog" => "neblig",
        "windy" => "windig",
        other => other,
    };
    match degrees {
        Some(degrees) => format!("{} und {condition}.", degrees.replace('.', ",")),
        None => format!("Es ist {condition}."),
    }
}

/// The past participle for a service.
fn verb(service: &str) -> &'static str {
    let (domain, name) = service.split_once('.').unwrap_or(("", service));
    match name {
        "turn_on" if matches!(domain, "scene" | "script") => "Gestartet",
        "turn_on" => "Eingeschaltet",
        "turn_off" => "Ausgeschaltet",
        "toggle" => "Umgeschaltet",
        "open_cover" | "open_valve" => "Geöffnet",
        "close_cover" | "close_valve" => "Geschlossen",
        "lock" => "Abgeschlossen",
        "unlock" => "Aufgeschlossen",
        "media_pause" => "Angehalten",
        "media_play" | "start" | "start_mowing" | "play_media" => "Gestartet",
        "return_to_base" | "dock" => "Zurückgeschickt",
        "add_item" => "Hinzugefügt zu",
        "update_item" => "Abgehakt auf",
        "remove_item" => "Entfernt von",
        _ => "Eingestellt",
    }
}

pub(super) fn outcome(
    service: &str,
    outcome: EntityOutcome,
    touched: &[&AffectedEntity],
    to_value: Option<&str>,
) -> String {
    let all: Vec<&str> = touched.iter().map(|touched| touched.name.as_str()).collect();
    let names = listed(&all, "und", "weitere");
    let after = word(touched.first().map_or("", |touched| touched.after.as_str()), None);
    let (is, has) = if all.len() == 1 { ("ist", "hat") } else { ("sind", "haben") };
    match outcome {
        EntityOutcome::Done | EntityOutcome::Unverified => match to_value {
            Some(value) => format!("{names} auf {} gestellt.", value.replace('.', ",")),
            None => format!("{}: {names}.", verb(service)),
        },
        EntityOutcome::Already => format!("{names} {is} schon {after}."),
        EntityOutcome::OnTheWay => format!("{names} {is} {after}."),
        EntityOutcome::Unchanged => format!("{names} {has} nicht reagiert und {is} weiterhin {after}."),
        EntityOutcome::Unavailable => format!("{names} {is} nicht erreichbar; es ist nichts geschehen."),
    }
}

pub(super) fn taken(service: &str) -> String {
    format!("{service} wurde aufgerufen; die Wirkung lässt sich nicht prüfen.")
}

pub(super) fn refused(why: &str) -> String {
    if why.contains("did not allow") {
        return "Das habe ich nicht getan. Du hast es nicht erlaubt.".to_owned();
    }
    format!("Das habe ich nicht getan. {why}")
}

pub(super) fn failed(why: &str) -> String {
    format!("Das ging nicht: {why}.").replace("..", ".")
}
