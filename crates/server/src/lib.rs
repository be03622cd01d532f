//! The doors: WebSocket, SSE and REST, with who may come in and how much, and those by which other assistants come in.
//!
//! [`app`] builds the whole router from one table of routes (`routes`), which is also what OpenAPI and the manual are
//! made from. In front of every route stand the checks of `access` (host, origin, token) and the limits. A door
//! translates between its wire and the hub; it decides nothing about sessions. Only this room knows HTTP, and the wire of
//! `wyoming`.

mod access;
mod app;
mod limits;
mod listener;
mod page;
mod problem;
mod rate;
mod routes;
mod seal;
mod streams;
mod upload;

mod openapi;
mod reference;

mod rest;
mod sse;
mod ws;

mod outcome;
mod question;
mod telling;

mod chat;
mod mcp;
mod wyoming;

pub use access::{Credential, Known, Roster};
pub use app::{AppFile, Apps, Operator, Settings, app, app_with, serve};
pub use limits::Limits;
pub use mcp::Mcp;
pub use openapi::openapi;
pub use page::{Page, PageFile};
pub use reference::wire_reference;
pub use seal::SealKey;
pub use wyoming::{Areas, BadArea, BadPeer, Peers, Wyoming};
