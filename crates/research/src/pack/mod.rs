//! Tools for agents: research in all sources, a search in the library only, and a page by its URL.

mod lookup;
mod page_read;

use std::sync::Arc;

use memory::embedding::Embedder;
use tools::{Error, Registry};

use crate::{
    researcher::{ResearchOptions, Researcher},
    source::Source,
};
use lookup::{LookupScope, LookupTool};

/// The available sources.
pub struct Sources {
    /// The documents on this machine.
    pub library: Arc<dyn Source>,
    /// Web searches, in the order in which they are queried.
    pub searches: Vec<Arc<dyn Source>>,
    /// Pages by URL.
    pub pages: Arc<dyn Source>,
}

/// Registers the tools.
pub fn add_research(
    registry: &mut Registry,
    sources: Sources,
    embedder: Option<Arc<dyn Embedder>>,
    options: ResearchOptions,
) -> Result<(), Error> {
    let Sources { library, searches, pages } = sources;
    let alone = Researcher::new(vec![library.clone()], embedder.clone(), options);
    let mut all = vec![library];
    all.extend(searches);
    all.push(pages.clone());
    registry.add(LookupTool { scope: LookupScope::Everywhere, researcher: Researcher::new(all, embedder, options) })?;
    registry.add(LookupTool { scope: LookupScope::Library, researcher: alone })?;
    registry.add(page_read::PageRead(pages))
}
