//! Answers questions that were read word by word, from the known states. Nothing here acts.

use reflex::{FrameQuestion, QuestionKind};

use super::{answers::AnswerLanguage, frame_targets::Kind};
use crate::{
    index::{EntitySnapshot, HomeIndex, plain},
    port::{EntityState, HomePort},
};

/// The number of sentences that say why an area is cold.
const REASONS_MAX: usize = 5;

/// The answer to a question; `None` if the home does not know.
pub(super) fn answer(home: &dyn HomePort, question: &FrameQuestion, language: AnswerLanguage) -> Option<String> {
    let index = home.index();
    let all = entities(index, question);
    let unit = || home.about().temperature_unit.unwrap_or_else(|| "°C".to_owned());
    match &question.kind {
        QuestionKind::Property(property) => property_of(index, question, property, &unit(), language),
        QuestionKind::Weather => weather(index, &unit(), language),
        QuestionKind::Why(_) => why(index, question, &unit(), language),
        QuestionKind::Who(state) => {
            let people = index.matching(|entity| entity.exposed && entity.id.domain() == "person");
            let so: Vec<&EntitySnapshot> = people.iter().filter(|it| is_so(it, state)).collect();
            (!people.is_empty()).then(|| language.these(&so))
        }
        QuestionKind::Where => {
            let [one] = all.as_slice() else { return None };
            Some(match one.entity.id.domain() {
                "person" | "device_tracker" => language.whereabouts(&one.entity.name, one.word()),
                _ => language.stands(one),
            })
        }
        QuestionKind::State => all.first().filter(|_| all.len() == 1).map(|one| language.stands(one)),
        QuestionKind::Is(state) => {
            let known: Vec<&EntitySnapshot> = all.iter().filter(|it| can_be(it, state)).collect();
            let [one] = known.as_slice() else { return None };
            Some(language.yes_or_no(is_so(one, state), one))
        }
        QuestionKind::Which(state)
        | QuestionKind::HowMany(state)
        | QuestionKind::Any(state)
        | QuestionKind::All(state) => {
            if all.is_empty() {
                return None;
            }
            if let ([one], QuestionKind::Any(_)) = (all.as_slice(), &question.kind) {
                return Some(language.yes_or_no(is_so(one, state), one));
            }
            let (so, not_so): (Vec<&EntitySnapshot>, Vec<&EntitySnapshot>) =
                all.iter().partition(|it| is_so(it, state));
            Some(match &question.kind {
                QuestionKind::Which(_) => language.these(&so),
                QuestionKind::HowMany(_) => language.how_many(&so),
                QuestionKind::All(_) => language.all(&not_so),
                _ => language.any(&so),
            })
        }
    }
}

/// What a question is about.
pub(super) fn entities(index: &HomeIndex, question: &FrameQuestion) -> Vec<EntitySnapshot> {
    let target = &question.target;
    let in_areas = |it: &EntitySnapshot| {
        target.areas.is_empty()
            || it.area.as_ref().is_some_and(|area| target.areas.iter().any(|id| area.id.as_str() == id))
    };
    if !target.named.is_empty() {
        let ids = target.named.iter().flatten().filter_map(|id| id.parse().ok());
        let all: Vec<EntitySnapshot> = ids.filter_map(|id| index.get(&id)).collect();
        return if all.len() > 1 { all.into_iter().filter(in_areas).collect() } else { all };
    }
    let state = match &question.kind {
        QuestionKind::Is(state)
        | QuestionKind::Which(state)
        | QuestionKind::HowMany(state)
        | QuestionKind::Any(state)
        | QuestionKind::All(state) => state.as_str(),
        _ => "",
    };
    // Movement is detected by what detects movement.
    let detector = ["motion".to_owned()];
    let kinds = if state == "detected" && target.kinds.is_empty() { &detector[..] } else { &target.kinds };
    let is_kind = |it: &EntitySnapshot| kinds.iter().all(|name| is_asked_kind(name, state, it));
    let all = index.matching(|entity| entity.exposed && !entity.auxiliary);
    all.into_iter().filter(|it| !kinds.is_empty() && in_areas(it) && is_kind(it)).collect()
}

/// Whether a question means an entity by a kind: a window by its sensor, a door also by its lock.
fn is_asked_kind(name: &str, state: &str, snapshot: &EntitySnapshot) -> bool {
    let (domain, class) = (snapshot.entity.id.domain(), snapshot.entity.class.as_deref());
    match name {
        "window" => class == Some("window"),
        "door" if matches!(state, "locked" | "unlocked") => domain == "lock",
        "door" => matches!(class, Some("door" | "garage_door" | "garage" | "opening")),
        "everything" if matches!(state, "locked" | "unlocked") => domain == "lock",
        "everything" if matches!(state, "open" | "closed") => {
            matches!(class, Some("door" | "garage_door" | "garage" | "opening" | "window"))
        }
        "everything" => matches!(domain, "light" | "switch" | "fan" | "media_player"),
        "motion" => matches!(class, Some("motion" | "occupancy" | "presence")),
        "person" => domain == "person",
        other => Kind::of(other).is_some_and(|kind| kind.has(snapshot)),
    }
}

/// Whether an entity can have a state at all: a temperature is never locked.
fn can_be(snapshot: &EntitySnapshot, state: &str) -> bool {
    let domain = snapshot.entity.id.domain();
    match state {
        "home" | "not_home" => matches!(domain, "person" | "device_tracker" | "vacuum" | "lawn_mower"),
        "locked" | "unlocked" => matches!(domain, "lock" | "binary_sensor"),
        "armed" | "disarmed" => domain == "alarm_control_panel",
        "playing" | "paused" => domain == "media_player",
        _ => !matches!(domain, "sensor" | "person" | "weather" | "todo"),
    }
}

/// Whether an entity has the state in question.
pub(super) fn is_so(snapshot: &EntitySnapshot, wanted: &str) -> bool {
    let is = snapshot.word();
    let is_gone = matches!(is, EntityState::UNAVAILABLE | EntityState::UNKNOWN);
    let domain = snapshot.entity.id.domain();
    match (domain, wanted) {
        _ if is_gone => false,
        ("binary_sensor", "open" | "unlocked" | "detected" | "on") => is == "on",
        ("binary_sensor", "closed" | "locked" | "off") => is == "off",
        ("media_player" | "climate" | "vacuum", "on") => !matches!(is, "off" | "standby" | "docked" | "idle"),
        ("valve", "on") => is == "open",
        ("valve", "off") => is == "closed",
        ("alarm_control_panel", "armed" | "on") => is.starts_with("armed"),
        ("alarm_control_panel", "disarmed" | "off") => is == "disarmed",
        ("cover", "open") => matches!(is, "open" | "opening"),
        (_, "not_home") => matches!(is, "not_home" | "away"),
        ("lock", "closed") => is == "locked",
        ("lock", "open") => matches!(is, "unlocked" | "open"),
        ("vacuum", "home") => is == "docked",
        _ => is == wanted || plain(is) == plain(wanted),
    }
}

/// A measured value with its unit.
fn reading(snapshot: &EntitySnapshot, property: &str, unit: &str) -> Option<String> {
    let state = snapshot.state.as_ref().filter(|state| state.is_known())?;
    let number = |name: &str| state.number(name);
    let domain = snapshot.entity.id.domain();
    if domain == "sensor" && snapshot.entity.class.as_deref() == Some(property) {
        return Some(state.in_words());
    }
    Some(match property {
        "temperature" => format!("{} {unit}", number("current_temperature")?),
        "setpoint" => format!("{} {unit}", number("temperature").filter(|_| domain == "climate")?),
        "humidity" => format!("{} %", number("current_humidity")?),
        "battery" => format!("{} %", number("battery_level")?),
        "brightness" => format!("{} %", (number("brightness")? / 2.55).round()),
        "volume" => format!("{} %", (number("volume_level")? * 100.0).round()),
        "position" => format!("{} %", number("current_position")?),
        "title" => state.text("media_title")?.to_owned(),
        _ => return None,
    })
}

fn property_of(
    index: &HomeIndex,
    question: &FrameQuestion,
    property: &str,
    unit: &str,
    language: AnswerLanguage,
) -> Option<String> {
    let target = &question.target;
    let in_areas =
        |it: &EntitySnapshot| it.area.as_ref().is_some_and(|area| target.areas.iter().any(|id| area.id.as_str() == id));
    let all = match (target.named.is_empty(), target.areas.is_empty()) {
        (false, _) => entities(index, question),
        (true, false) => index.matching(|entity| entity.exposed).into_iter().filter(in_areas).collect(),
        // Without an area, the weather knows how warm it is.
        (true, true) if property == "temperature" => return weather(index, unit, language),
        // What is playing: the one player that plays something.
        (true, true) if property == "title" => {
            index.matching(|entity| entity.exposed && entity.id.domain() == "media_player")
        }
        (true, true) => entities(index, question),
    };
    let mut found: Vec<(&EntitySnapshot, String)> =
        all.iter().filter_map(|it| reading(it, property, unit).map(|value| (it, value))).collect();
    // The heating of an area before its sensors, as long as there is one.
    found.sort_by_key(|(it, _)| it.entity.id.domain() != "climate");
    if found.is_empty() {
        let [one] = all.as_slice() else { return None };
        let Some((sensor, value)) = measured_by(index, one, property, unit) else { return Some(language.stands(one)) };
        return Some(language.reads(&sensor.entity.name, &value));
    }
    let (snapshot, value) = found.first().filter(|_| found.len() == 1 || !target.areas.is_empty())?;
    Some(language.reads(&snapshot.entity.name, value))
}

/// The one sensor that measures something of an entity, by its name: "Front Door Battery".
fn measured_by(index: &HomeIndex, of: &EntitySnapshot, property: &str, unit: &str) -> Option<(EntitySnapshot, String)> {
    let name = plain(&of.entity.name);
    let words: Vec<&str> = name.split(' ').collect();
    let has_name = |it: &EntitySnapshot| {
        let own = plain(&it.entity.name);
        words.iter().all(|word| own.split(' ').any(|part| part == *word))
    };
    let mut sensors = index.matching(|entity| entity.exposed && entity.id.domain() == "sensor");
    sensors.retain(|it| it.entity.class.as_deref() == Some(property) && has_name(it));
    let [sensor] = sensors.as_slice() else { return None };
    reading(sensor, property, unit).map(|value| (sensor.clone(), value))
}

fn weather(index: &HomeIndex, unit: &str, language: AnswerLanguage) -> Option<String> {
    let all = index.matching(|entity| entity.exposed && entity.id.domain() == "weather");
    let state = all.first()?.state.as_ref()?;
    let unit = state.text("temperature_unit").unwrap_or(unit);
    let degrees = state.number("temperature").map(|degrees| format!("{degrees} {unit}"));
    Some(language.weather(degrees.as_deref(), &state.state.replace(['_', '-'], " ")))
}

/// Why an area is cold: how warm it is there, whether it is heated, and what is open.
fn why(index: &HomeIndex, question: &FrameQuestion, unit: &str, language: AnswerLanguage) -> Option<String> {
    let target = &question.target;
    let there =
        |it: &EntitySnapshot| it.area.as_ref().is_some_and(|area| target.areas.iter().any(|id| area.id.as_str() == id));
    let all: Vec<EntitySnapshot> =
        index.matching(|entity| entity.exposed && !entity.auxiliary).into_iter().filter(there).collect();
    let mut told = Vec::new();
    if let Some((it, value)) = all.iter().find_map(|it| reading(it, "temperature", unit).map(|value| (it, value))) {
        told.push(language.reads(&it.entity.name, &value));
    }
    told.extend(all.iter().filter(|it| it.entity.id.domain() == "climate").map(|it| language.stands(it)));
    let is_opening = |it: &&EntitySnapshot| {
        matches!(it.entity.class.as_deref(), Some("window" | "door" | "opening")) && is_so(it, "open")
    };
    told.extend(all.iter().filter(is_opening).map(|it| language.stands(it)));
    told.truncate(REASONS_MAX);
    (!told.is_empty()).then(|| told.join(" "))
}
