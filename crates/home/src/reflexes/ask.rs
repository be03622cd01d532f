//! Answers questions from the known states. Nothing here acts.

use super::{answers::AnswerLanguage, resolved_intent::ResolvedIntent};
use crate::{
    index::{EntitySnapshot, HomeIndex, plain},
    port::{ConnectionStatus, EntityState, HomePort},
};

/// The answer to a question; `None` if it is not a question, or not one that the home can answer.
pub(super) fn answer(
    home: &dyn HomePort,
    resolved: &ResolvedIntent,
    answer_language: AnswerLanguage,
) -> Option<String> {
    let index = home.index();
    let words = match resolved.intent.as_str() {
        "HassGetState" => state(index, resolved, answer_language)?,
        "HassClimateGetTemperature" => temperature(home, resolved, answer_language)?,
        "HassGetWeather" => weather(home, resolved, answer_language)?,
        _ => return None,
    };
    Some(match home.about().connection {
        ConnectionStatus::Connected { .. } => words,
        ConnectionStatus::Reconnecting { .. } | ConnectionStatus::Refused { .. } => {
            answer_language.out_of_touch(&words)
        }
    })
}

fn state(index: &HomeIndex, resolved: &ResolvedIntent, answer_language: AnswerLanguage) -> Option<String> {
    let entities = resolved.entities(index, &[]);
    let wanted = resolved.text("state");
    let response = resolved.response.as_deref().unwrap_or(if resolved.named.is_some() { "one" } else { "which" });
    if resolved.named.is_some() {
        let [snapshot] = entities.as_slice() else {
            let first = entities.first()?;
            let places = entities.iter().filter_map(|it| it.area.as_ref().map(|area| area.name.clone()));
            return Some(answer_language.which_one(&first.entity.name, &places.collect::<Vec<_>>()));
        };
        return Some(match (response, wanted) {
            ("where", _) => answer_language.whereabouts(&snapshot.entity.name, snapshot.word()),
            (_, Some(wanted)) => answer_language.yes_or_no(is_so(snapshot, wanted), snapshot),
            _ => answer_language.stands(snapshot),
        });
    }
    if entities.is_empty() {
        return Some(answer_language.nothing_there(resolved.domains.first().map_or("entity", String::as_str), None));
    }
    let wanted = wanted?;
    let (so, not_so): (Vec<&EntitySnapshot>, Vec<&EntitySnapshot>) = entities.iter().partition(|it| is_so(it, wanted));
    Some(match response {
        "all" => answer_language.all(&not_so),
        "how_many" => answer_language.how_many(&so),
        "which" => answer_language.these(&so),
        _ => answer_language.any(&so),
    })
}

/// Whether an entity has the state in question.
fn is_so(snapshot: &EntitySnapshot, wanted: &str) -> bool {
    let is = snapshot.word();
    let is_away = |word: &str| matches!(word, "not_home" | "away");
    // The sensor of an open window is on.
    let is = match (snapshot.entity.id.domain(), is, wanted) {
        ("binary_sensor", "on", "open" | "unlocked") => wanted,
        ("binary_sensor", "off", "closed" | "locked") => wanted,
        _ => is,
    };
    is == wanted || plain(is) == plain(wanted) || is_away(is) && is_away(wanted)
}

/// The temperature unit of the home.
fn unit(home: &dyn HomePort) -> String {
    home.about().temperature_unit.unwrap_or_else(|| "°C".to_owned())
}

fn temperature(home: &dyn HomePort, resolved: &ResolvedIntent, answer_language: AnswerLanguage) -> Option<String> {
    let index = home.index();
    let mut found = resolved.entities(index, &["climate"]);
    if resolved.named.is_none() {
        if resolved.lacks_place && found.len() > 1 {
            return None;
        }
        found.retain(|it| it.state.as_ref().is_some_and(|state| state.number("current_temperature").is_some()));
        if found.is_empty() {
            // An area without a thermostat may have a temperature sensor.
            found = resolved.entities(index, &["sensor"]);
            found.retain(|it| it.entity.class.as_deref() == Some("temperature"));
        }
    }
    let snapshot = found.first()?;
    let state = snapshot.state.as_ref()?;
    let unit = state.text("unit_of_measurement").map_or_else(|| unit(home), str::to_owned);
    let degrees = match state.number("current_temperature") {
        Some(degrees) => format!("{degrees} {unit}"),
        None if state.is_known() && snapshot.entity.id.domain() == "sensor" => state.in_words(),
        None => return Some(answer_language.stands(snapshot)),
    };
    Some(answer_language.reads(&snapshot.entity.name, &degrees))
}

fn weather(home: &dyn HomePort, resolved: &ResolvedIntent, answer_language: AnswerLanguage) -> Option<String> {
    let found = resolved.entities(home.index(), &["weather"]);
    let snapshot = found.first()?;
    let state: &EntityState = snapshot.state.as_ref()?;
    let unit = state.text("temperature_unit").map_or_else(|| unit(home), str::to_owned);
    let degrees = state.number("temperature").map(|degrees| format!("{degrees} {unit}"));
    Some(answer_language.weather(degrees.as_deref(), &state.state.replace(['_', '-'], " ")))
}
