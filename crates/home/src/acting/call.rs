//! `call_service`: tells the home to do something, and looks whether it did.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use protocol::{Effect, Origin, Safety};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tools::{Context, Declaration, Failure, Found, Tool};

use super::{
    CALL_SERVICE,
    dear::{self, is_sensitive},
    expected::Expected,
    meant::meant,
    permission::Permission,
};
use crate::{
    house::{EntityId, House, HouseError, ServiceCall, State, Target},
    index::Standing,
};

/// How long it is waited for an entity to stand as it should.
const PATIENCE: Duration = Duration::from_secs(3);
/// What a call may take: asking what may be told, telling it, and looking.
const TIMEOUT: Duration = Duration::from_secs(90);
/// Entities that one call may touch.
const TOUCHED_MAX: usize = 100;

/// What names entities; in `data` it would get round the rules.
const TARGETS: &[&str] = &["entity_id", "device_id", "area_id", "floor_id", "label_id", "entities", "target"];
/// What nobody should write down.
const CODES: &[&str] = &["code", "pin", "passcode", "password"];

/// Tells the home to do something.
pub struct CallService {
    house: Arc<dyn House>,
    permission: Permission,
}

/// What the home is told.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallInput {
    /// The domain, as `light` or `media_player`.
    domain: String,
    /// The service, as `turn_on`.
    service: String,
    /// What it is done to.
    #[serde(default)]
    target: Target,
    /// What else the service takes, as `{"brightness_pct": 40}`.
    #[serde(default)]
    data: Map<String, Value>,
}

/// What came of it for one entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// It stands as it should, and did not before.
    Done,
    /// It stood so before.
    Already,
    /// It is moving there.
    OnTheWay,
    /// It does not stand as it should.
    Unchanged,
    /// It cannot be reached.
    Unavailable,
    /// There is nothing to see it by; the home took the call.
    Unverified,
}

/// An entity that was touched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Touched {
    /// Which.
    pub entity_id: EntityId,
    /// What it is called.
    pub name: String,
    /// How it stood.
    pub before: String,
    /// How it stands.
    pub after: String,
    /// What came of it.
    pub outcome: Outcome,
}

/// What really happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Called {
    /// As in `light.turn_on`.
    pub service: String,
    /// Whether everything is as it should be, or on its way there.
    pub done: bool,
    /// Whether the home exists only in Dwell.
    #[serde(default)]
    pub simulated: bool,
    /// What was touched, as it was read back from the home.
    pub entities: Vec<Touched>,
    /// What the service answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Value>,
}

impl CallService {
    /// The tool for a home.
    pub fn new(house: Arc<dyn House>, permission: Permission) -> Self {
        Self { house, permission }
    }

    fn meant(&self, input: &CallInput) -> Result<Vec<Standing>, Failure> {
        let (domain, service) = (input.domain.as_str(), input.service.as_str());
        let is_word = |word: &str| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        };
        if !is_word(domain) || !is_word(service) {
            let told = "`domain` and `service` are two words, as `light` and `turn_on`";
            return Err(Failure::Invalid(told.to_owned()));
        }
        if let Some(key) = input.data.keys().find(|key| TARGETS.contains(&key.as_str())) {
            let told = format!("`data.{key}` is no place for what is to be touched: put it into `target`");
            return Err(Failure::Invalid(told));
        }
        if let Some(key) = input.data.keys().find(|key| CODES.contains(&key.as_str())) {
            let told = format!("`data.{key}` is not taken: codes do not belong into a conversation, which is kept");
            return Err(Failure::Invalid(told));
        }
        let meant = meant(self.house.index(), &self.permission, domain, service, &input.target);
        let meant = meant.map_err(Failure::Invalid)?;
        if meant.len() > TOUCHED_MAX {
            let told = format!("that would touch {} entities; name at most {TOUCHED_MAX}", meant.len());
            return Err(Failure::Invalid(told));
        }
        Ok(meant)
    }

    /// Reads back how everything stands, from the home itself; none if it does not say.
    async fn read_back(&self, entities: &[EntityId]) -> Option<Vec<Option<State>>> {
        let states = self.house.read(entities).await.ok()?;
        self.house.index().update(states.iter().cloned());
        let find = |id: &EntityId| states.iter().find(|state| state.entity_id == *id).cloned();
        Some(entities.iter().map(find).collect())
    }

    async fn seen(&self, input: &CallInput, meant: &[Standing], response: Option<Value>) -> Called {
        let ids: Vec<EntityId> = meant.iter().map(|standing| standing.entity.id.clone()).collect();
        let expected: Vec<Expected> = meant
            .iter()
            .map(|it| Expected::of(it.entity.id.domain(), &input.service, &input.data, it.state.as_deref()))
            .collect();
        let index = self.house.index();
        let is_settled = |index: &crate::Index| {
            let mut all = meant.iter().zip(&expected);
            all.all(|(it, expected)| expected.is_settled(it.state.as_deref(), index.state(&it.entity.id).as_deref()))
        };
        index.wait_until(PATIENCE, is_settled).await;
        let read = if ids.is_empty() { Some(Vec::new()) } else { self.read_back(&ids).await };
        let mut entities = Vec::new();
        for (number, (standing, expected)) in meant.iter().zip(expected).enumerate() {
            let before = standing.state.as_deref();
            let now = read.as_ref().map(|read| read.get(number).cloned().flatten());
            entities.push(Touched {
                entity_id: standing.entity.id.clone(),
                name: standing.entity.name.clone(),
                before: before.map_or_else(|| State::UNKNOWN.to_owned(), State::plain_word),
                after: now
                    .as_ref()
                    .and_then(Option::as_ref)
                    .map_or_else(|| State::UNKNOWN.to_owned(), State::plain_word),
                // What nobody could look at is not called done.
                outcome: now.map_or(Outcome::Unverified, |now| expected.outcome(before, now.as_ref())),
            });
        }
        let is_bad = |touched: &Touched| matches!(touched.outcome, Outcome::Unchanged | Outcome::Unavailable);
        Called {
            service: format!("{}.{}", input.domain, input.service),
            done: !entities.iter().any(is_bad),
            simulated: self.house.about().simulated,
            entities,
            response,
        }
    }
}

#[async_trait]
impl Tool for CallService {
    type Input = CallInput;
    type Output = Called;

    fn declaration(&self) -> Declaration {
        // What exists only in Dwell is not the world outside.
        let (safety, words) = if self.house.about().simulated {
            (Safety::Keeps, "Tells the simulated home to do something")
        } else {
            (Safety::Acts, "Tells the home to do something")
        };
        Declaration {
            effect: Effect::Verifiable,
            safety,
            origin: if self.house.about().simulated { Origin::Trusted } else { Origin::Untrusted },
            calls_per_minute_max: Some(120),
            timeout: TIMEOUT,
            is_core: true,
            keywords: &[
                "turn",
                "switch",
                "light",
                "lights",
                "lamp",
                "dim",
                "bright",
                "heat",
                "heating",
                "thermostat",
                "temperature",
                "lock",
                "unlock",
                "blind",
                "blinds",
                "curtain",
                "shutter",
                "fan",
                "music",
                "volume",
                "play",
                "scene",
                "alarm",
                "vacuum",
                "garage",
            ],
            ..Declaration::new(
                CALL_SERVICE,
                format!(
                    "{words} by a service with a target, reads the states back and says what really happened. Say that \
                     something is done only where `outcome` is `done` or `already`."
                ),
            )
        }
    }

    async fn call(&self, input: CallInput, context: &Context) -> Result<Called, Failure> {
        let meant = self.meant(&input)?;
        let entities: Vec<EntityId> = meant.iter().map(|standing| standing.entity.id.clone()).collect();
        let services = self.house.services().await.unwrap_or_default();
        let known = services.iter().find(|known| known.domain == input.domain && known.name == input.service);
        if known.is_none() && !services.is_empty() {
            let own: Vec<&str> =
                services.iter().filter(|known| known.domain == input.domain).map(|known| known.name.as_str()).collect();
            let there = if own.is_empty() { "that domain has none".to_owned() } else { own.join(", ") };
            let told = format!("there is no service `{}.{}`; there is: {there}", input.domain, input.service);
            return Err(Failure::Invalid(told));
        }
        context.say(format!("{}.{} on {} of the home's entities", input.domain, input.service, entities.len()));
        let call = ServiceCall {
            domain: input.domain.clone(),
            service: input.service.clone(),
            entities,
            data: input.data.clone(),
            wants_response: known.is_some_and(|known| known.responds),
        };
        let response = self.house.call(&call).await.map_err(failure)?;
        Ok(self.seen(&input, &meant, response).await)
    }

    async fn look_up(&self, input: CallInput, _context: &Context) -> Result<Found<Called>, Failure> {
        let meant = self.meant(&input)?;
        // How it stood before the call is no longer known, so only what stands by itself tells.
        let expected = meant.iter().map(|it| Expected::of(it.entity.id.domain(), &input.service, &input.data, None));
        let expected: Vec<Expected> = expected.collect();
        if meant.is_empty() || input.service == "toggle" || !expected.iter().all(Expected::tells_all) {
            return Ok(Found::Unknown);
        }
        let called = self.seen(&input, &meant, None).await;
        let is_seen = called.entities.iter().all(|touched| touched.outcome != Outcome::Unverified);
        Ok(match (is_seen, called.done) {
            (false, _) => Found::Unknown,
            (true, true) => Found::Happened(called),
            (true, false) => Found::DidNotHappen,
        })
    }

    fn scope(&self, input: &CallInput) -> Option<String> {
        Some(format!("{}.{}", input.domain, input.service))
    }

    async fn confirm(&self, input: &CallInput) -> Option<String> {
        let what = format!("{}.{}", input.domain, input.service);
        let names = match self.meant(input) {
            Ok(meant) if meant.is_empty() => {
                if let Some(reason) = Permission::sweeps(&input.domain, &input.service) {
                    return Some(reason);
                }
                Vec::new()
            }
            Ok(meant) => dear::touched(self.house.as_ref(), &meant).await,
            // What is not known now may be known when the call runs.
            Err(_) => {
                let ids = input
                    .target
                    .entity_id
                    .iter()
                    .filter(|id| is_sensitive(id.domain(), None) || id.domain() == "cover");
                ids.map(EntityId::to_string).collect()
            }
        };
        if names.is_empty() && !is_sensitive(&input.domain, None) {
            return None;
        }
        let names = if names.is_empty() { "the home".to_owned() } else { names.join(", ") };
        Some(format!("locks, alarms, garage doors and valves are confirmed each time: {what} on {names}"))
    }

    fn origin(&self, output: &Called) -> Option<Origin> {
        // Names and states are the owner's own; what a service answers may be anybody's.
        let is_own = output.simulated || output.response.is_none();
        Some(if is_own { Origin::Trusted } else { Origin::Untrusted })
    }
}

fn failure(error: HouseError) -> Failure {
    match error {
        HouseError::Lost(_) => Failure::Unknown(error.to_string()),
        _ => Failure::Failed(error.to_string()),
    }
}
