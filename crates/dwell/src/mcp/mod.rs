//! `dwell mcp`: the Model Context Protocol over standard input and output, for clients that start their servers themselves.
//!
//! It is a bridge to the server that runs on the data folder. Where none runs it opens the house in this process, so that
//! others, a second client among them, find it in turn. Standard output is the wire: nothing else is written there.

mod bridge;
mod house;
mod listening;
mod message;
mod outlet;
mod session;

use std::sync::Arc;

use house::House;

use crate::{config::Config, failure::Failure, logging};

pub(crate) async fn run(config: Config) -> Result<(), Failure> {
    logging::start(&config.log)?;
    let house = Arc::new(House::new(config)?);
    // What keeps it from opening is told now, not with the first request.
    house.url().await?;
    bridge::run(&house).await;
    house.close().await
}
