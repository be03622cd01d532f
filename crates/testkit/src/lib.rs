//! Shared helpers for Dwell's tests.
//!
//! [`ModelServer`] serves the OpenAI chat-completions API from a script: a test decides what the
//! model answers, how fast, and how it fails. It also checks that conversations are in order.
//! [`ProviderServer`] does the same for the wire formats of other providers. [`ToolServer`]
//! provides tools and keeps a ledger of their effects. [`Site`] serves pages and logs its visits.
//! [`Program`] starts the real program, kills it and starts it again. [`RestClient`], [`Socket`],
//! [`Frames`], [`McpClient`] and [`WyomingClient`] show a test exactly what any client sees.
//! [`SpeechService`] recognizes and speaks by a script, and [`ScriptedSatellite`] is a microphone
//! with a loudspeaker. [`WebhookReceiver`] records webhooks, [`SpanCollector`] traces.
//! [`ClockShift`] steps a program's clock. [`Supervisor`] is what an add-on of Home Assistant talks to.
//! [`ExtractionRequest`] reads what memory asks a model. [`HomeAssistant`] is a real Home Assistant,
//! where it is installed, [`FakeHomeAssistant`] a scripted one. [`UPDATE_PAIRS`] are facts that
//! people state and later change. [`MetricsText`] reads metrics strictly. [`PostgresCluster`] is a
//! PostgreSQL, [`FaultProxy`] a network that fails between two programs.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test library reports a broken set-up by panicking")]

mod notes;

mod model_server;

mod providers;

mod tool_server;
mod update_pairs;

mod clock_shift;
mod fake_home_assistant;
#[cfg(unix)]
mod fault_proxy;
mod home_assistant;
mod mcp;
mod memory_model;
mod open_metrics;
mod pdf;
#[cfg(unix)]
mod postgres;
mod program;
mod site;
mod test_mcp_server;

mod rest;
mod socket;
mod span_collector;
mod speech;
mod sse;
mod supervisor;
mod test_store;
mod webhook_receiver;
mod wyoming;

use notes::without_notes;

pub use clock_shift::ClockShift;
pub use fake_home_assistant::{FakeHomeAssistant, FakeReply, FakeScript, HOME_TOKEN};
#[cfg(unix)]
pub use fault_proxy::{Direction, Fault, FaultProxy, Upstream};
pub use home_assistant::{HomeAssistant, HomeLink, Release};
pub use mcp::{ConnectionClosed, McpAnswer, McpClient, McpWire, PendingRequest};
pub use memory_model::{ExtractionRequest, operation, operations};
pub use model_server::{ModelServer, Reply, Request, ToolCall};
pub use open_metrics::{MetricFamily, MetricSample, MetricsText};
pub use pdf::pdf;
#[cfg(unix)]
pub use postgres::{DiskFlushes, PostgresCluster};
pub use program::{CommandOutput, Program, RunningServer, TOKEN};
pub use providers::{CatalogModel, ModelCatalog, ProviderReply, ProviderRequest, ProviderServer, ProviderWire};
pub use rest::{RestClient, RestResponse};
pub use site::{Site, SitePage};
pub use socket::Socket;
pub use span_collector::{ReceivedSpan, SpanCollector, SpanRequest};
pub use speech::{ScriptedSatellite, SpeechReply, SpeechService, silence, speech};
pub use sse::{Frame, Frames};
pub use supervisor::Supervisor;
pub use test_mcp_server::{HttpTestMcpServer, TestMcpServer, test_mcp_program};
pub use test_store::{TEST_STORE, is_on_postgres, skips_without_journal_file};
pub use tool_server::{LedgerEntry, ToolServer, ToolServerTool};
pub use update_pairs::{OTHER_UPDATE_PAIRS, UPDATE_PAIRS, UpdatePair, pair};
pub use webhook_receiver::{ReceivedWebhook, WebhookReceiver};
pub use wyoming::WyomingClient;
