//! `call_service`: calls a service of the home and verifies the result.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Effect, Origin, Safety};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tools::{CallContext, CallLookup, Declaration, QuestionContext, Tool};

use super::{
    CALL_SERVICE, expectation::Expectation, media_search, permission::Permission, question::question,
    resolve_target::resolve_target, sensitive,
};
use crate::{
    index::EntitySnapshot,
    port::{EntityId, EntityState, HomeError, HomePort, ServiceCall, ServiceTarget},
    reachable::check_known,
};

/// How long to wait for an entity to reach the expected state.
const PATIENCE: Duration = Duration::from_secs(3);
/// The timeout of a call, with its checks and the verification.
const TIMEOUT: Duration = Duration::from_secs(90);
/// The number of entities that one call may affect.
const TOUCHED_MAX: usize = 100;

/// Keys that name entities; in `data` they would bypass the rules.
const TARGETS: &[&str] = &["entity_id", "device_id", "area_id", "floor_id", "label_id", "entities", "target"];
/// Keys of secret codes, which must not be recorded.
const CODES: &[&str] = &["code", "pin", "passcode", "password"];

/// The tool `call_service`.
pub struct CallService {
    home: Arc<dyn HomePort>,
    permission: Permission,
}

/// A service call. It is read by `written_call`, which takes the forms of Home Assistant.
#[derive(Debug, Clone, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CallInput {
    /// The domain, as `light` or `media_player`.
    pub(super) domain: String,
    /// The service, as `turn_on`.
    pub(super) service: String,
    /// The target.
    #[serde(default)]
    pub(super) target: ServiceTarget,
    /// Further fields, as `{"brightness_pct": 40}`.
    #[serde(default)]
    pub(super) data: Map<String, Value>,
}

/// The outcome for one entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EntityOutcome {
    /// It has the expected state, and did not before.
    Done,
    /// It had that state before.
    Already,
    /// It is moving there.
    OnTheWay,
    /// It does not have the expected state.
    Unchanged,
    /// It cannot be reached.
    Unavailable,
    /// Nothing to verify it by; the home accepted the call.
    Unverified,
}

/// An affected entity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AffectedEntity {
    /// Which.
    pub entity_id: EntityId,
    /// Its name.
    pub name: String,
    /// The state before.
    pub before: String,
    /// The state after.
    pub after: String,
    /// The outcome.
    pub outcome: EntityOutcome,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ServiceCallResult {
    /// As in `light.turn_on`.
    pub service: String,
    /// Whether everything is as it should be, or on its way there.
    pub done: bool,
    /// Whether the home exists only in Dwell.
    #[serde(default)]
    pub simulated: bool,
    /// What was affected, as read back from the home.
    pub entities: Vec<AffectedEntity>,
    /// The service's response.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<Value>,
}

impl CallService {
    /// The tool for a home.
    pub fn new(home: Arc<dyn HomePort>, permission: Permission) -> Self {
        Self { home, permission }
    }

    fn resolve(&self, input: &CallInput) -> Result<Vec<EntitySnapshot>, ToolFailure> {
        check_known(self.home.as_ref())?;
        let (domain, service) = (input.domain.as_str(), input.service.as_str());
        let is_word = |word: &str| {
            !word.is_empty() && word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        };
        if !is_word(domain) || !is_word(service) {
            let told = "`domain` and `service` are two words, as `light` and `turn_on`";
            return Err(ToolFailure::Invalid(told.to_owned()));
        }
        if let Some(key) = input.data.keys().find(|key| TARGETS.contains(&key.as_str())) {
            let told = format!("`data.{key}` must not name entities: put them into `target`");
            return Err(ToolFailure::Invalid(told));
        }
        if let Some(key) = input.data.keys().find(|key| CODES.contains(&key.as_str())) {
            let told =
                format!("`data.{key}` is not accepted: codes must not be part of a conversation, which is stored");
            return Err(ToolFailure::Invalid(told));
        }
        let meant = resolve_target(self.home.index(), &self.permission, domain, service, &input.target);
        let meant = meant.map_err(ToolFailure::Invalid)?;
        if meant.len() > TOUCHED_MAX {
            let told = format!("that would affect {} entities; name at most {TOUCHED_MAX}", meant.len());
            return Err(ToolFailure::Invalid(told));
        }
        Ok(meant)
    }

    /// Reads the states of the entities back from the home; `None` if that fails.
    async fn read_back(&self, entities: &[EntityId]) -> Option<Vec<Option<EntityState>>> {
        let states = self.home.read(entities).await.ok()?;
        self.home.index().update(states.iter().cloned());
        let find = |id: &EntityId| states.iter().find(|state| state.entity_id == *id).cloned();
        Some(entities.iter().map(find).collect())
    }

    async fn seen(&self, input: &CallInput, meant: &[EntitySnapshot], response: Option<Value>) -> ServiceCallResult {
        let ids: Vec<EntityId> = meant.iter().map(|snapshot| snapshot.entity.id.clone()).collect();
        let expected: Vec<Expectation> = meant
            .iter()
            .map(|it| Expectation::of(it.entity.id.domain(), &input.service, &input.data, it.state.as_deref()))
            .collect();
        let index = self.home.index();
        let is_settled = |index: &crate::HomeIndex| {
            let mut all = meant.iter().zip(&expected);
            all.all(|(it, expected)| expected.is_settled(it.state.as_deref(), index.state(&it.entity.id).as_deref()))
        };
        index.wait_until(PATIENCE, is_settled).await;
        let read = if ids.is_empty() { Some(Vec::new()) } else { self.read_back(&ids).await };
        let mut entities = Vec::new();
        for (number, (snapshot, expected)) in meant.iter().zip(expected).enumerate() {
            let before = snapshot.state.as_deref();
            let now = read.as_ref().map(|read| read.get(number).cloned().flatten());
            entities.push(AffectedEntity {
                entity_id: snapshot.entity.id.clone(),
                name: snapshot.entity.name.clone(),
                before: before.map_or_else(|| EntityState::UNKNOWN.to_owned(), EntityState::plain_word),
                after: now
                    .as_ref()
                    .and_then(Option::as_ref)
                    .map_or_else(|| EntityState::UNKNOWN.to_owned(), EntityState::plain_word),
                // Without a read-back the call is not reported as done.
                outcome: now.map_or(EntityOutcome::Unverified, |now| expected.outcome(before, now.as_ref())),
            });
        }
        let is_bad =
            |touched: &AffectedEntity| matches!(touched.outcome, EntityOutcome::Unchanged | EntityOutcome::Unavailable);
        ServiceCallResult {
            service: format!("{}.{}", input.domain, input.service),
            done: !entities.iter().any(is_bad),
            simulated: self.home.about().simulated,
            entities,
            response,
        }
    }
}

#[async_trait]
impl Tool for CallService {
    type Input = CallInput;
    type Output = ServiceCallResult;

    fn declaration(&self) -> Declaration {
        // The simulated home is not the outside world.
        let (safety, words) = if self.home.about().simulated {
            (Safety::Keeps, "Controls the simulated home")
        } else {
            (Safety::Acts, "Controls the home")
        };
        Declaration {
            effect: Effect::Verifiable,
            safety,
            origin: if self.home.about().simulated { Origin::Trusted } else { Origin::Untrusted },
            is_simulated: self.home.about().simulated,
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
                    "{words} by a service with a target, reads the states back and reports what really happened. Say \
                     that something is done only where `outcome` is `done` or `already`."
                ),
            )
        }
    }

    async fn call(&self, mut input: CallInput, context: &CallContext) -> Result<ServiceCallResult, ToolFailure> {
        let meant = self.resolve(&input)?;
        let entities: Vec<EntityId> = meant.iter().map(|snapshot| snapshot.entity.id.clone()).collect();
        let services = self.home.services().await.unwrap_or_default();
        let known = services.iter().find(|known| known.domain == input.domain && known.name == input.service);
        if known.is_none() && !services.is_empty() {
            let own: Vec<&str> =
                services.iter().filter(|known| known.domain == input.domain).map(|known| known.name.as_str()).collect();
            let there = if own.is_empty() { "that domain has none".to_owned() } else { own.join(", ") };
            let told = format!("there is no service `{}.{}`; there is: {there}", input.domain, input.service);
            return Err(ToolFailure::Invalid(told));
        }
        context.say(format!("{}.{} on {} of the home's entities", input.domain, input.service, entities.len()));
        let found = media_search::found(self.home.as_ref(), &services, &input, &meant).await.map_err(failure)?;
        match found {
            Some(Ok(data)) => input.data = data,
            Some(Err(told)) => return Err(ToolFailure::Failed(told)),
            None => {}
        }
        let call = ServiceCall {
            domain: input.domain.clone(),
            service: input.service.clone(),
            entities,
            data: input.data.clone(),
            wants_response: known.is_some_and(|known| known.responds),
        };
        let response = self.home.call(&call).await.map_err(failure)?;
        Ok(self.seen(&input, &meant, response).await)
    }

    async fn look_up(
        &self,
        input: CallInput,
        _context: &CallContext,
    ) -> Result<CallLookup<ServiceCallResult>, ToolFailure> {
        let meant = self.resolve(&input)?;
        // The state before the call is no longer known, so only the final state counts.
        let expected = meant.iter().map(|it| Expectation::of(it.entity.id.domain(), &input.service, &input.data, None));
        let expected: Vec<Expectation> = expected.collect();
        if meant.is_empty() || input.service == "toggle" || !expected.iter().all(Expectation::tells_all) {
            return Ok(CallLookup::Unknown);
        }
        let called = self.seen(&input, &meant, None).await;
        let is_seen = called.entities.iter().all(|touched| touched.outcome != EntityOutcome::Unverified);
        Ok(match (is_seen, called.done) {
            (false, _) => CallLookup::Unknown,
            (true, true) => CallLookup::Happened(called),
            (true, false) => CallLookup::DidNotHappen,
        })
    }

    fn scope(&self, input: &CallInput) -> Option<String> {
        Some(format!("{}.{}", input.domain, input.service))
    }

    async fn confirm(&self, input: &CallInput) -> Option<String> {
        if self.permission.locks_freely(&input.domain, &input.service) {
            return None;
        }
        let table = self.home.index().sensitive();
        let what = format!("{}.{}", input.domain, input.service);
        let names = match self.resolve(input) {
            Ok(meant) if meant.is_empty() => {
                if let Some(reason) = Permission::sweeps(&input.domain, &input.service) {
                    return Some(reason);
                }
                Vec::new()
            }
            Ok(meant) => sensitive::sensitive_names(self.home.as_ref(), &meant).await,
            // A target that is unknown now may be known when the call runs.
            Err(_) => {
                let ids = input
                    .target
                    .entity_id
                    .iter()
                    .filter(|id| table.is_entity(id.as_str(), None) || id.domain() == "cover");
                ids.map(EntityId::to_string).collect()
            }
        };
        if names.is_empty() && table.is_service(&input.domain, &input.service) {
            return Some(format!("`home.sensitive` has `{what}`, so it is confirmed each time"));
        }
        // Without a known target, a service of a sensitive domain may be about all of it.
        let is_whole = table.is_domain(&input.domain) && !self.resolve(input).is_ok_and(|meant| !meant.is_empty());
        if names.is_empty() && !is_whole {
            return None;
        }
        let names = if names.is_empty() { "the home".to_owned() } else { names.join(", ") };
        let more = if *table == *reflex::SensitiveTable::built_in() { "" } else { ", or what `home.sensitive` names," };
        Some(format!("locks, alarms, garage doors and valves{more} are confirmed each time: {what} on {names}"))
    }

    async fn question(&self, input: &CallInput, context: &QuestionContext<'_>) -> Option<String> {
        let meant = self.resolve(input).ok()?;
        question(input, &meant, context.message, context.language)
    }

    fn origin(&self, output: &ServiceCallResult) -> Option<Origin> {
        // Names and states are the owner's own; the response of a service may contain untrusted
        // text.
        let is_own = output.simulated || output.response.is_none();
        Some(if is_own { Origin::Trusted } else { Origin::Untrusted })
    }
}

fn failure(error: HomeError) -> ToolFailure {
    match error {
        HomeError::Lost(_) => ToolFailure::Unknown(error.to_string()),
        _ => ToolFailure::Failed(error.to_string()),
    }
}
