//! What the simulated home does when it is told, as Home Assistant does it: bad words are refused, what does not fit is
//! passed over, and what takes its time takes it.

mod alarm;
mod catalogue;
mod climate;
mod colours;
mod cover;
mod data;
mod fan;
mod forecast;
mod helpers;
mod light;
mod list;
mod media;
mod robots;

use serde_json::{Map, Value};

use super::{
    deeds::{Deed, Item, Phase},
    furniture::{Act, Face, Kind, Piece, object},
    world::World,
};
use crate::{HouseError, Service, ServiceCall, State};
use data::Data;

pub(super) use catalogue::services;

/// How deep scripts may run scripts.
const DEPTH_MAX: usize = 4;
/// Domains that `homeassistant.turn_on` and its like reach.
const SWITCHED: &[&str] =
    &["light", "switch", "fan", "media_player", "input_boolean", "climate", "script", "automation"];

/// What came of a call.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    /// What was done, by entity.
    pub(super) deeds: Vec<(&'static str, Deed)>,
    /// Lists as they are now.
    pub(super) lists: Vec<(&'static str, Vec<Item>, u64)>,
    /// What the service answers.
    pub(super) response: Option<Value>,
    /// What the system log says of it.
    pub(super) warnings: Vec<String>,
}

/// What an entity does when it is told: phases, or nothing if it makes no difference to it.
type Did = Result<Option<Vec<Phase>>, HouseError>;

/// Does what a call says.
pub(super) fn perform(world: &World<'_>, call: &ServiceCall) -> Result<Outcome, HouseError> {
    let (domain, service) = (call.domain.as_str(), call.service.as_str());
    let offered = catalogue::find(world.furniture, domain, service);
    let Some(offered) = offered else {
        return Err(HouseError::Invalid(format!("Service {domain}.{service} not found.")));
    };
    if call.wants_response && !offered.responds {
        return Err(HouseError::Invalid(format!("{domain}.{service} does not answer, so no answer can be wanted")));
    }
    if let Some(extra) = call.data.keys().find(|key| !offered.fields.contains(key)) {
        let fields = if offered.fields.is_empty() { "nothing".to_owned() } else { offered.fields.join(", ") };
        return Err(HouseError::Invalid(format!(
            "extra keys not allowed: `{extra}`; {domain}.{service} takes {fields}"
        )));
    }
    let mut outcome = Outcome::default();
    let mut doing = Doing { world, outcome: &mut outcome };
    let pieces = doing.pieces(call);
    doing.run(domain, service, &pieces, &call.data, 0)?;
    Ok(outcome)
}

struct Doing<'a> {
    world: &'a World<'a>,
    outcome: &'a mut Outcome,
}

impl<'a> Doing<'a> {
    /// The pieces that a call names. Like the real one, it passes over what is not there, and says so in its log.
    fn pieces(&mut self, call: &ServiceCall) -> Vec<&'a Piece> {
        let furniture = self.world.furniture;
        let (known, missing): (Vec<_>, Vec<_>) =
            call.entities.iter().partition(|id| furniture.get(id.as_str()).is_some());
        if !missing.is_empty() {
            let names: Vec<&str> = missing.iter().map(|id| id.as_str()).collect();
            let warning = format!("Referenced entities {} are missing or not currently available", names.join(", "));
            self.outcome.warnings.push(warning);
        }
        known.into_iter().filter_map(|id| furniture.get(id.as_str())).collect()
    }

    fn run(
        &mut self,
        domain: &str,
        service: &str,
        pieces: &[&'a Piece],
        data: &Map<String, Value>,
        depth: usize,
    ) -> Result<(), HouseError> {
        if domain == "homeassistant" && service != "update_entity" {
            for piece in pieces.iter().filter(|piece| SWITCHED.contains(&piece.domain())) {
                self.run(piece.domain(), service, &[*piece], data, depth)?;
            }
            return Ok(());
        }
        if domain == "script" && !matches!(service, "turn_on" | "turn_off" | "toggle" | "reload") {
            let named = self.world.furniture.get(&format!("script.{service}"));
            return named.map_or(Ok(()), |piece| self.start(piece, &format!("script.{service}"), depth));
        }
        for piece in pieces.iter().filter(|piece| piece.domain() == domain) {
            self.tell(piece, service, data, depth)?;
        }
        Ok(())
    }

    /// Tells one entity.
    fn tell(
        &mut self,
        piece: &'a Piece,
        service: &str,
        data: &Map<String, Value>,
        depth: usize,
    ) -> Result<(), HouseError> {
        let domain = piece.domain();
        let name = format!("{domain}.{service}");
        if let Kind::Group { members } = &piece.kind {
            let members: Vec<&Piece> = members.iter().filter_map(|id| self.world.furniture.get(id)).collect();
            let toggled = if self.world.face(piece.id, self.world.now).state == "on" { "turn_off" } else { "turn_on" };
            let service = if service == "toggle" { toggled } else { service };
            return self.run(domain, service, &members, data, depth);
        }
        let face = self.world.face(piece.id, self.world.now);
        let data = Data(data);
        let did = match (domain, service) {
            ("script" | "scene", "turn_on") | ("script", "toggle") | ("automation", "trigger") => {
                return self.start(piece, &name, depth);
            }
            ("todo", _) => return list::tell(self, piece, service, data),
            ("weather", _) => return self.forecast(piece, data),
            ("light", _) => light::tell(service, piece, &face, data),
            ("cover" | "valve" | "lock", _) => cover::tell(service, piece, &face, data),
            ("climate", _) => climate::tell(service, piece, &face, data),
            ("fan", _) => fan::tell(service, piece, &face, data),
            ("media_player", _) => media::tell(service, piece, &face, data),
            ("vacuum" | "lawn_mower", _) => robots::tell(service, &face),
            ("alarm_control_panel", _) => alarm::tell(service, &face),
            _ => helpers::tell(service, piece, &face, data),
        }?;
        self.keep(piece, &face, did, name, false);
        Ok(())
    }

    /// Writes down what an entity did, if it can do anything at all.
    fn keep(&mut self, piece: &'a Piece, face: &Face, did: Option<Vec<Phase>>, service: String, is_run: bool) {
        if !piece.reacts && did.is_some() {
            self.outcome.warnings.push(format!("{}: the device did not acknowledge {service}", piece.id));
        }
        let Some(phases) = did.filter(|_| piece.reacts && face.state != State::UNAVAILABLE) else { return };
        let deed = Deed { at: self.world.now, phases, service, is_run };
        self.outcome.deeds.push((piece.id, deed));
    }

    /// Starts a scene, a script or an automation.
    fn start(&mut self, piece: &'a Piece, name: &str, depth: usize) -> Result<(), HouseError> {
        if depth >= DEPTH_MAX {
            return Err(HouseError::Invalid(format!("{} runs itself", piece.id)));
        }
        let now = self.world.now.to_string();
        let mut running = self.world.face(piece.id, self.world.now);
        let phases = if piece.domain() == "scene" {
            vec![at(0, Face::word(now))]
        } else {
            running.attributes.insert("last_triggered".to_owned(), now.into());
            let ended =
                Face { state: if piece.domain() == "script" { "off" } else { "on" }.to_owned(), ..running.clone() };
            let begun = Face { state: "on".to_owned(), ..running };
            vec![at(0, begun), at(800, ended)]
        };
        let face = self.world.face(piece.id, self.world.now);
        self.keep(piece, &face, Some(phases), name.to_owned(), true);
        for Act { service: (domain, service), entities, data } in &piece.acts {
            if catalogue::find(self.world.furniture, domain, service).is_none() {
                let warning = format!("{}: Service {domain}.{service} not found.", piece.name);
                self.outcome.warnings.push(warning);
                // What comes after a step that failed is not done.
                return Ok(());
            }
            let pieces: Vec<&Piece> = entities.iter().filter_map(|id| self.world.furniture.get(id)).collect();
            self.run(domain, service, &pieces, &object(data.clone()), depth + 1)?;
        }
        Ok(())
    }
}

/// A phase.
fn at(after_ms: i64, face: Face) -> Phase {
    Phase { after_ms, face }
}

/// One phase that begins at once.
fn now(face: Face) -> Did {
    Ok(Some(vec![at(0, face)]))
}

/// What something cannot do.
fn unable(piece: &Piece, what: &str) -> HouseError {
    HouseError::Invalid(format!("Entity {} does not support {what}.", piece.id))
}

/// A service as it is offered.
struct Offered {
    fields: Vec<String>,
    responds: bool,
}

impl From<&Service> for Offered {
    fn from(service: &Service) -> Self {
        Self { fields: service.fields.clone(), responds: service.responds }
    }
}
