//! The server's APIs: REST, WebSocket and SSE, MCP, the OpenAI- and Ollama-compatible APIs, and
//! Wyoming, with authentication and limits.
//!
//! [`app`] builds the whole router from one table of routes (`routes`), from which OpenAPI and
//! `docs/reference/rest.md` are made too. Every request first passes the checks of `access` (host,
//! origin, token) and the limits. An API translates between its protocol and the hub; it decides
//! nothing about sessions. Only this crate knows HTTP and the Wyoming protocol.

mod access;
mod app;
mod cluster;
mod hooks;
mod limits;
mod listener;
mod log_feed;
mod metrics;
mod model_setup;
mod page;
mod problem;
mod push;
mod rate;
mod routes;
mod seal;
mod streams;
mod trace;
mod upload;

mod error_codes;
mod openapi;
mod reference;

mod rest;
mod sse;
mod ws;

mod outcome;
mod question;
mod turn_stream;

mod chat;
mod mcp;
mod wyoming;

pub use access::{AllowedOrigins, BadOrigin, Credential, OwnerDigest, Roster, TokenChange, TokenFile, TokenRecord};
pub use app::{AppFile, Apps, Operator, ServerSettings, app, app_with, serve};
pub use cluster::{ClusterSettings, HomeRelay, HomeRelayAccess, HomeRelayLink};
pub use error_codes::{ErrorDescription, error_codes};
pub use limits::Limits;
pub use listener::{TlsCertificate, TlsError};
pub use log_feed::LogFeed;
pub use mcp::McpHandler;
pub use metrics::{MetricsPage, MetricsSettings};
pub use model_setup::ModelSetup;
pub use openapi::openapi;
pub use page::{Page, PageFile};
pub use push::PushDevices;
pub use reference::wire_reference;
pub use seal::SealKey;
pub use wyoming::{
    AllowedPeers, Areas, BadArea, BadPeer, BadServiceAddress, Satellite, SatelliteSpeakers, ServiceAddress, SpeakError,
    VoiceSettings, WyomingServer,
};
