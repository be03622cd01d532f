//! Questions, answered from what the home has told. Nothing here acts.

use super::{meaning::Meaning, words::Tongue};
use crate::{
    house::{Connection, House, State},
    index::{Index, Standing, plain},
};

/// The answer to a question; none if it is no question, or none that the home can answer.
pub(super) fn answer(house: &dyn House, meaning: &Meaning, tongue: Tongue) -> Option<String> {
    let index = house.index();
    let words = match meaning.intent.as_str() {
        "HassGetState" => state(index, meaning, tongue)?,
        "HassClimateGetTemperature" => temperature(house, meaning, tongue)?,
        "HassGetWeather" => weather(house, meaning, tongue)?,
        _ => return None,
    };
    Some(match house.about().connection {
        Connection::Connected { .. } => words,
        Connection::Reconnecting { .. } | Connection::Refused { .. } => tongue.out_of_touch(&words),
    })
}

fn state(index: &Index, meaning: &Meaning, tongue: Tongue) -> Option<String> {
    let entities = meaning.entities(index, &[]);
    let wanted = meaning.text("state");
    let response = meaning.response.as_deref().unwrap_or(if meaning.named.is_some() { "one" } else { "which" });
    if meaning.named.is_some() {
        let [standing] = entities.as_slice() else {
            let first = entities.first()?;
            let places = entities.iter().filter_map(|it| it.area.as_ref().map(|area| area.name.clone()));
            return Some(tongue.which_one(&first.entity.name, &places.collect::<Vec<_>>()));
        };
        return Some(match (response, wanted) {
            ("where", _) => tongue.whereabouts(&standing.entity.name, standing.word()),
            (_, Some(wanted)) => tongue.yes_or_no(is_so(standing, wanted), standing),
            _ => tongue.stands(standing),
        });
    }
    if entities.is_empty() {
        return Some(tongue.nothing_there(meaning.domains.first().map_or("entity", String::as_str), None));
    }
    let wanted = wanted?;
    let (so, not_so): (Vec<&Standing>, Vec<&Standing>) = entities.iter().partition(|it| is_so(it, wanted));
    Some(match response {
        "all" => tongue.all(&not_so),
        "how_many" => tongue.how_many(&so),
        "which" => tongue.these(&so),
        _ => tongue.any(&so),
    })
}

/// Whether something stands as it was asked.
fn is_so(standing: &Standing, wanted: &str) -> bool {
    let is = standing.word();
    let is_away = |word: &str| matches!(word, "not_home" | "away");
    // What watches a window is on where the window is open.
    let is = match (standing.entity.id.domain(), is, wanted) {
        ("binary_sensor", "on", "open" | "unlocked") => wanted,
        ("binary_sensor", "off", "closed" | "locked") => wanted,
        _ => is,
    };
    is == wanted || plain(is) == plain(wanted) || is_away(is) && is_away(wanted)
}

/// The unit that the home tells temperatures in.
fn unit(house: &dyn House) -> String {
    house.about().temperature_unit.unwrap_or_else(|| "°C".to_owned())
}

fn temperature(house: &dyn House, meaning: &Meaning, tongue: Tongue) -> Option<String> {
    let index = house.index();
    let mut found = meaning.entities(index, &["climate"]);
    if meaning.named.is_none() {
        if meaning.lacks_place && found.len() > 1 {
            return None;
        }
        found.retain(|it| it.state.as_ref().is_some_and(|state| state.number("current_temperature").is_some()));
        if found.is_empty() {
            // A room without a thermostat may have a thermometer.
            found = meaning.entities(index, &["sensor"]);
            found.retain(|it| it.entity.class.as_deref() == Some("temperature"));
        }
    }
    let standing = found.first()?;
    let state = standing.state.as_ref()?;
    let unit = state.text("unit_of_measurement").map_or_else(|| unit(house), str::to_owned);
    let degrees = match state.number("current_temperature") {
        Some(degrees) => format!("{degrees} {unit}"),
        None if state.is_known() && standing.entity.id.domain() == "sensor" => state.in_words(),
        None => return Some(tongue.stands(standing)),
    };
    Some(tongue.reads(&standing.entity.name, &degrees))
}

fn weather(house: &dyn House, meaning: &Meaning, tongue: Tongue) -> Option<String> {
    let found = meaning.entities(house.index(), &["weather"]);
    let standing = found.first()?;
    let state: &State = standing.state.as_ref()?;
    let unit = state.text("temperature_unit").map_or_else(|| unit(house), str::to_owned);
    let degrees = state.number("temperature").map(|degrees| format!("{degrees} {unit}"));
    Some(tongue.weather(degrees.as_deref(), &state.state.replace(['_', '-'], " ")))
}
