//! Switches and helper entities.

use serde_json::Value;

use super::{PhasesResult, climate::one_of, data::CallData, now};
use crate::layout::{SimulatedEntity, SimulatedState};

pub(super) fn tell(
    service: &str,
    entity: &SimulatedEntity,
    sim_state: &SimulatedState,
    data: CallData<'_>,
) -> PhasesResult {
    let stands = |state: &str| now(SimulatedState { state: state.to_owned(), ..sim_state.clone() });
    match (entity.domain(), service) {
        ("input_number", _) => number(service, entity, sim_state, data),
        ("input_select", "select_option") => stands(&one_of(entity, "options", data.needed_text("option")?)?),
        ("input_select", _) => stands(&neighbour(entity, sim_state, service == "select_next")),
        (_, "turn_on") => stands("on"),
        (_, "turn_off") => stands("off"),
        (_, "toggle") => stands(if sim_state.state == "on" { "off" } else { "on" }),
        _ => Ok(None),
    }
}

fn number(service: &str, entity: &SimulatedEntity, sim_state: &SimulatedState, data: CallData<'_>) -> PhasesResult {
    let limit = |key: &str, other: f64| entity.attributes.get(key).and_then(Value::as_f64).unwrap_or(other);
    let (least, most, step) = (limit("min", 0.0), limit("max", 100.0), limit("step", 1.0));
    let value: f64 = sim_state.state.parse().unwrap_or(least);
    let next = match service {
        "increment" => (value + step).min(most),
        "decrement" => (value - step).max(least),
        _ => data.needed_number("value", least, most)?,
    };
    now(SimulatedState { state: format!("{next:.1}"), ..sim_state.clone() })
}

fn neighbour(entity: &SimulatedEntity, sim_state: &SimulatedState, forward: bool) -> String {
    let options = entity.attributes.get("options").and_then(Value::as_array);
    let options: Vec<&str> = options.into_iter().flatten().filter_map(Value::as_str).collect();
    let here = options.iter().position(|option| *option == sim_state.state).unwrap_or(0);
    let step = if forward { 1 } else { options.len().saturating_sub(1) };
    options
        .get((here + step) % options.len().max(1))
        .map_or_else(|| sim_state.state.clone(), |option| (*option).to_owned())
}
