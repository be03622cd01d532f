//! What answers when no model is configured: it says so, and how to change that.

use async_trait::async_trait;
use futures::{StreamExt, stream};

use crate::{Chunk, Chunks, Error, Model, Prompt};

const NOTICE: &str = include_str!("unconfigured.md");

/// Stands in where no model is configured. It does not pretend to be one.
#[derive(Debug, Clone, Copy, Default)]
pub struct Unconfigured;

#[async_trait]
impl Model for Unconfigured {
    fn name(&self, _asked: Option<&str>) -> String {
        "none".to_owned()
    }

    async fn stream(&self, _prompt: Prompt) -> Result<Chunks, Error> {
        let chunks = [Ok(Chunk::Text(NOTICE.trim().to_owned())), Ok(Chunk::End { usage: None })];
        Ok(stream::iter(chunks).boxed())
    }
}
