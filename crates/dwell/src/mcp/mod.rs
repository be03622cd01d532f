//! `dwell mcp`: the Model Context Protocol on standard input and output, for clients that start
//! their own servers.
//!
//! It is a bridge to the server that runs on the data folder. If none runs, it starts one in this
//! process, which other commands and clients find as usual. Only protocol messages are written to
//! standard output.

mod bridge;
mod message;
mod notifications;
mod server_handle;
mod session;
mod stdout;

use std::sync::Arc;

use server_handle::ServerHandle;

use crate::{command_error::CommandError, config::Config, logging};

pub(crate) async fn run(config: Config) -> Result<(), CommandError> {
    logging::start(&config.log)?;
    let server_handle = Arc::new(ServerHandle::new(config)?);
    // A server that cannot start is reported now, not with the first request.
    server_handle.url().await?;
    bridge::run(&server_handle).await;
    server_handle.close().await
}
