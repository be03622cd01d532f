//! The tools by which agents use a home.
//!
//! [`HomePort`] is the interface to a home: Home Assistant, or a simulated home, which is a crate of
//! its own. Every home keeps a [`HomeIndex`] of its entities and their states, updated by the
//! home's events, so that most questions need no request. The tools use only these two; none of
//! them knows which home it is.

mod acting;
mod alerts;
mod announcements;
mod automations;
mod context;
mod custom_sentences;
mod feed;
mod home_assistant;
mod index;
mod pack;
mod port;
mod reachable;
mod reflexes;
mod sentences;

pub use acting::{
    AffectedEntity, CALL_SERVICE, CallService, EntityOutcome, Permission, PermissionRule, PermissionRuleError,
    SensitiveRuleError, ServiceCallResult, add_call_service, sensitive_table,
};
pub use alerts::HomeAlerts;
pub use announcements::{AnnounceError, HomeSpeakers};
pub use automations::{AutomationCheck, AutomationConfig, add_automations};
pub use context::LiveHomeContext;
pub use custom_sentences::{CustomSentences, ReloadedReflexes, SentenceFault};
pub use feed::LiveHomeFeed;
pub use home_assistant::{
    ActPermit, HomeAssistantClient, HomeAssistantSettings, HomeRoute, RelayAddress, RelayLink, SettingsError,
    TimeSource, Timeouts,
};
pub use index::{EntityHit, EntityQuery, EntitySnapshot, HomeIndex, HomeRegistry, UnlistedExposure, plain};
pub use pack::add_home_queries;
pub use port::{
    Area, AreaId, ConnectionStatus, Dependent, DependentKind, Device, DeviceId, Entity, EntityId, EntityRelations,
    EntityState, Floor, FloorId, HomeError, HomeInfo, HomePort, InvalidId, LogEntry, LogLevel, LogbookEntry, Period,
    ServiceCall, ServiceDescription, ServiceTarget, StateSample, StateSeries, Trace,
};
pub use reflexes::{HomeReflexes, ResolvedIntent};
pub use sentences::{grammars, load_grammar};
