//! Services of the simulated home. They behave as in Home Assistant: invalid data is refused,
//! unsupported fields are ignored, and slow actions take their time.

mod alarm;
mod climate;
mod cover;
mod data;
mod fan;
mod forecast;
mod helpers;
mod light;
mod list;
mod media;
mod robots;

use home::{EntityState, HomeError, ServiceCall, ServiceDescription};
use serde_json::{Map, Value};

use super::{
    actions::{ActionRecord, StatePhase, TodoItem},
    layout::{Behaviour, HomeLayout, SimulatedEntity, SimulatedState},
    simulation::Simulation,
};
use data::CallData;

/// The nesting depth of scripts.
const DEPTH_MAX: usize = 4;
/// Domains that `homeassistant.turn_on` and the like affect.
const SWITCHED: &[&str] =
    &["light", "switch", "fan", "media_player", "input_boolean", "climate", "script", "automation"];

/// The outcome of a call.
#[derive(Debug, Default)]
pub(super) struct ServiceOutcome {
    /// The actions, by entity.
    pub(super) actions: Vec<(&'static str, ActionRecord)>,
    /// The changed lists.
    pub(super) lists: Vec<(&'static str, Vec<TodoItem>, u64)>,
    /// The response of the service.
    pub(super) response: Option<Value>,
    /// Warnings for the system log.
    pub(super) warnings: Vec<String>,
}

/// The phases of an entity after a command; `None` if nothing changes.
type PhasesResult = Result<Option<Vec<StatePhase>>, HomeError>;

/// Performs a call.
pub(super) fn perform(simulation: &Simulation<'_>, call: &ServiceCall) -> Result<ServiceOutcome, HomeError> {
    let (domain, service) = (call.domain.as_str(), call.service.as_str());
    let offered = find(simulation.layout, domain, service);
    let Some(offered) = offered else {
        return Err(HomeError::Invalid(format!("Service {domain}.{service} not found.")));
    };
    if call.wants_response && !offered.responds {
        return Err(HomeError::Invalid(format!("{domain}.{service} does not answer, so no answer can be wanted")));
    }
    if let Some(extra) = call.data.keys().find(|key| !offered.fields.contains(key)) {
        let fields = if offered.fields.is_empty() { "nothing".to_owned() } else { offered.fields.join(", ") };
        return Err(HomeError::Invalid(format!(
            "extra keys not allowed: `{extra}`; {domain}.{service} takes {fields}"
        )));
    }
    let mut outcome = ServiceOutcome::default();
    let mut doing = ServiceRun { simulation, outcome: &mut outcome };
    let entities = doing.entities(call);
    doing.run(domain, service, &entities, &call.data, 0)?;
    Ok(outcome)
}

struct ServiceRun<'a> {
    simulation: &'a Simulation<'a>,
    outcome: &'a mut ServiceOutcome,
}

impl ServiceRun<'_> {
    /// The entities of a call. As in Home Assistant, unknown ones are skipped and logged.
    fn entities(&mut self, call: &ServiceCall) -> Vec<&'static SimulatedEntity> {
        let layout = self.simulation.layout;
        let (known, missing): (Vec<_>, Vec<_>) = call.entities.iter().partition(|id| layout.get(id.as_str()).is_some());
        if !missing.is_empty() {
            let names: Vec<&str> = missing.iter().map(|id| id.as_str()).collect();
            let warning = format!("Referenced entities {} are missing or not currently available", names.join(", "));
            self.outcome.warnings.push(warning);
        }
        known.into_iter().filter_map(|id| layout.get(id.as_str())).collect()
    }

    fn run(
        &mut self,
        domain: &str,
        service: &str,
        entities: &[&'static SimulatedEntity],
        data: &Map<String, Value>,
        depth: usize,
    ) -> Result<(), HomeError> {
        if domain == "homeassistant" && service != "update_entity" {
            for entity in entities.iter().filter(|entity| SWITCHED.contains(&entity.domain())) {
                self.run(entity.domain(), service, &[*entity], data, depth)?;
            }
            return Ok(());
        }
        if domain == "script" && !matches!(service, "turn_on" | "turn_off" | "toggle" | "reload") {
            let named = self.simulation.layout.get(&format!("script.{service}"));
            return named.map_or(Ok(()), |entity| self.start(entity, &format!("script.{service}"), depth));
        }
        for entity in entities.iter().filter(|entity| entity.domain() == domain) {
            self.tell(entity, service, data, depth)?;
        }
        Ok(())
    }

    /// Sends a command to one entity.
    fn tell(
        &mut self,
        entity: &'static SimulatedEntity,
        service: &str,
        data: &Map<String, Value>,
        depth: usize,
    ) -> Result<(), HomeError> {
        let domain = entity.domain();
        let name = format!("{domain}.{service}");
        if let Behaviour::Group(members) = &entity.behaviour {
            let members: Vec<&'static SimulatedEntity> =
                members.iter().filter_map(|id| self.simulation.layout.get(id)).collect();
            let toggled = if self.simulation.sim_state(entity.id.as_str(), self.simulation.now).state == "on" {
                "turn_off"
            } else {
                "turn_on"
            };
            let service = if service == "toggle" { toggled } else { service };
            return self.run(domain, service, &members, data, depth);
        }
        let sim_state = self.simulation.sim_state(entity.id.as_str(), self.simulation.now);
        let (data, layout) = (CallData(data), self.simulation.layout);
        let did = match (domain, service) {
            ("script" | "scene", "turn_on") | ("script", "toggle") | ("automation", "trigger") => {
                return self.start(entity, &name, depth);
            }
            ("todo", _) => return list::tell(self, entity, service, data),
            ("weather", _) => return self.forecast(entity, data),
            ("light", _) => light::tell(service, entity, &sim_state, data, &layout.colours),
            ("cover" | "valve" | "lock", _) => cover::tell(service, entity, &sim_state, data),
            ("climate", _) => climate::tell(service, entity, &sim_state, data),
            ("fan", _) => fan::tell(service, entity, &sim_state, data),
            ("media_player", _) => media::tell(service, entity, &sim_state, data, &layout.tracks),
            ("vacuum" | "lawn_mower", _) => robots::tell(service, &sim_state),
            ("alarm_control_panel", _) => alarm::tell(service, &sim_state),
            _ => helpers::tell(service, entity, &sim_state, data),
        }?;
        self.keep(entity, &sim_state, did, name, false);
        Ok(())
    }

    /// Records the action of an entity, if it reacts at all.
    fn keep(
        &mut self,
        entity: &'static SimulatedEntity,
        sim_state: &SimulatedState,
        did: Option<Vec<StatePhase>>,
        service: String,
        is_run: bool,
    ) {
        if !entity.reacts && did.is_some() {
            self.outcome.warnings.push(format!("{}: the device did not acknowledge {service}", entity.id));
        }
        let Some(phases) = did.filter(|_| entity.reacts && sim_state.state != EntityState::UNAVAILABLE) else { return };
        let action = ActionRecord { at: self.simulation.now, phases, service, is_run };
        self.outcome.actions.push((entity.id.as_str(), action));
    }

    /// Starts a scene, a script or an automation.
    fn start(&mut self, entity: &'static SimulatedEntity, name: &str, depth: usize) -> Result<(), HomeError> {
        if depth >= DEPTH_MAX {
            return Err(HomeError::Invalid(format!("{} runs itself", entity.id)));
        }
        let now = self.simulation.now.to_string();
        let mut running = self.simulation.sim_state(entity.id.as_str(), self.simulation.now);
        let phases = if entity.domain() == "scene" {
            vec![at(0, SimulatedState::word(now))]
        } else {
            running.attributes.insert("last_triggered".to_owned(), now.into());
            let ended = SimulatedState {
                state: if entity.domain() == "script" { "off" } else { "on" }.to_owned(),
                ..running.clone()
            };
            let begun = SimulatedState { state: "on".to_owned(), ..running };
            vec![at(0, begun), at(800, ended)]
        };
        let sim_state = self.simulation.sim_state(entity.id.as_str(), self.simulation.now);
        self.keep(entity, &sim_state, Some(phases), name.to_owned(), true);
        for act in &entity.acts {
            let (domain, service) = act.service();
            if find(self.simulation.layout, domain, service).is_none() {
                let warning = format!("{}: Service {domain}.{service} not found.", entity.name);
                self.outcome.warnings.push(warning);
                // The steps after a failed one are not run.
                return Ok(());
            }
            let entities: Vec<&'static SimulatedEntity> =
                act.entities.iter().filter_map(|id| self.simulation.layout.get(id)).collect();
            self.run(domain, service, &entities, &act.data, depth + 1)?;
        }
        Ok(())
    }
}

/// A phase.
fn at(after_ms: i64, sim_state: SimulatedState) -> StatePhase {
    StatePhase { after_ms, sim_state }
}

/// One phase that begins at once.
fn now(sim_state: SimulatedState) -> PhasesResult {
    Ok(Some(vec![at(0, sim_state)]))
}

/// The error for an unsupported action.
fn unable(entity: &SimulatedEntity, what: &str) -> HomeError {
    HomeError::Invalid(format!("Entity {} does not support {what}.", entity.id))
}

/// A service, if it is offered.
fn find(layout: &'static HomeLayout, domain: &str, name: &str) -> Option<&'static ServiceDescription> {
    layout.services.iter().find(|known| known.domain == domain && known.name == name)
}
