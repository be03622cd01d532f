//! Tools of MCP servers that the operator has configured.
//!
//! [`ServerDeclaration`] is the configuration of a server. [`load`] checks it, and [`open`] starts
//! the servers, each supervised by its own task: started, listed, restarted when it dies. Its tools
//! go into the registry as one group. A server is untrusted: its tools are accepted by name only,
//! its annotations are ignored unless the operator trusts them, its texts are bounded, and its
//! results are untrusted. At run time only the servers themselves can change anything here, and
//! only their own tool lists.

mod declaration;
mod settings;

mod name;
mod sanitize;
mod schema;

mod link;
mod tool;

mod answer;
mod call;

mod client_handler;
mod tool_list;

mod http;
mod process;

mod backoff;
mod connection;
mod supervisor;

pub use declaration::{ServerDeclaration, ToolOverride};
pub use settings::{Error, ExternalServer, LoadedServers, load};
pub use supervisor::{ExternalServers, open};
