//! A tiny question to a provider, to see whether it works.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use engine::{SystemWorld, World};
use futures::StreamExt;
use model::{Chunk, Error, Message, Models, Prompt, Provider, ToolRequirement};
use offline::OfflineModel;
use protocol::ModelSettings;

/// How long an answer may take. A local server may have to load the model first.
const PATIENCE: Duration = Duration::from_secs(60);
/// Enough for one word, and for a model that thinks before it.
const OUTPUT_TOKENS_MAX: u64 = 64;

/// An answer of a provider.
pub(crate) struct ProbeAnswer {
    /// The full name of the model that answered.
    pub(crate) model: String,
    pub(crate) took: Duration,
}

/// The names of the models that a provider lists, its default first; none if it lists none.
pub(crate) async fn list(provider: Provider) -> Result<Vec<String>, Error> {
    let prefix = format!("{}/", provider.name);
    let models = Models::new(vec![provider], None, Vec::new(), Arc::new(OfflineModel))?;
    models.refresh(SystemWorld::default().now()).await;
    let page = models.page();
    let has_list = page.providers.first().is_some_and(|provider| provider.models.is_some());
    let names = page.data.iter().filter_map(|name| name.strip_prefix(&prefix)).map(str::to_owned);
    Ok(if has_list { names.collect() } else { Vec::new() })
}

/// Asks a provider's model one word, or its default model.
pub(crate) async fn probe(provider: Provider, model: Option<&str>) -> Result<ProbeAnswer, Error> {
    let name = match model {
        Some(model) => format!("{}/{model}", provider.name),
        None => provider.name.clone(),
    };
    let unreachable = |message: String| Error::Unreachable { provider: name.clone(), message };
    let models = Models::new(vec![provider], None, Vec::new(), Arc::new(OfflineModel))?;
    let now = SystemWorld::default().now();
    models.ready(Some(&name), now).await;
    let found = models.find(Some(&name))?;
    let model = found.first().ok_or_else(|| unreachable("there is no such model".to_owned()))?;
    let began = Instant::now();
    let asking = async {
        let mut chunks = model.stream(prompt(now)).await?;
        while let Some(chunk) = chunks.next().await {
            if let Chunk::End { .. } = chunk? {
                return Ok(());
            }
        }
        Err(Error::Cut { provider: name.clone() })
    };
    match tokio::time::timeout(PATIENCE, asking).await {
        Ok(answered) => answered?,
        Err(_) => return Err(unreachable(format!("it did not answer within {} s", PATIENCE.as_secs()))),
    }
    Ok(ProbeAnswer { model: model.name().to_owned(), took: began.elapsed() })
}

fn prompt(now: protocol::Timestamp) -> Prompt {
    Prompt {
        system: String::new(),
        messages: vec![Message::user("Reply with the single word OK.")],
        tools: Vec::new(),
        choice: ToolRequirement::Free,
        known: Vec::new(),
        now,
        output_tokens_max: Some(OUTPUT_TOKENS_MAX),
        settings: ModelSettings::default(),
        response_schema: None,
        is_temporary: true,
    }
}
