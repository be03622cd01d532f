//! Tools of other programs: MCP servers that the operator has named.
//!
//! What can be said of a server is [`Declared`]; [`load`] checks it, and [`open`] takes up the servers, each kept by a task of its
//! own: started, asked for its tools, started again when it dies. What it offers goes into the registry as one group. A
//! server is a stranger: its tools are let in by name only, what it says of them is not believed, its words are bounded,
//! and what comes of a call is untrusted. Nothing here can be changed while the server runs but by the servers
//! themselves, and they can change nothing but their own lists.

mod declared;
mod settings;

mod name;
mod schema;
mod words;

mod link;
mod tool;

mod answer;
mod call;

mod ears;
mod offer;

mod http;
mod process;

mod backoff;
mod connection;
mod keeper;

pub use declared::{Declared, DeclaredTool};
pub use keeper::{External, open};
pub use settings::{Error, Loaded, Server, load};
