//! What the tests of Dwell stand on.
//!
//! A model server that speaks the OpenAI chat-completions wire from a script, so that a test says what the model answers,
//! how fast, and how it fails, and which minds that conversations are in order; servers of other providers' wires; a
//! [`World`] with a ledger of what tools do to it; a [`Site`] with a log of its visitors; a harness that starts the real program, kills it and starts it again;
//! clients of its wires that show a test exactly what any client sees; a real [`HomeAssistant`], where it can be had; and [`UPDATE_PAIRS`], things people say and
//! later change.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test library reports a broken set-up by panicking")]

mod notes;

mod model_server;

mod providers;

mod update_pairs;
mod world;

mod home_assistant;
mod mcp;
mod pdf;
mod program;
mod site;
mod stranger;

mod rest;
mod socket;
mod sse;
mod wyoming;

use notes::without_notes;

pub use home_assistant::{HomeAssistant, HomeLink, Release};
pub use mcp::{Gone, Mcp, McpAnswer, McpWire, Pending};
pub use model_server::{ModelServer, Reply, Request, ToolCall};
pub use pdf::pdf;
pub use program::{Finished, Program, Running};
pub use providers::{Offered, OfferedModel, ProviderReply, ProviderRequest, ProviderServer, Wire};
pub use rest::{Answer, Rest};
pub use site::{Site, SitePage};
pub use socket::Socket;
pub use sse::{Frame, Frames};
pub use stranger::{HttpStranger, Stranger, stranger_program};
pub use update_pairs::{OTHER_UPDATE_PAIRS, UPDATE_PAIRS, UpdatePair, pair};
pub use world::{Entry, World, WorldTool};
pub use wyoming::Wyoming;
