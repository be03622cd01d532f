//! What agents are offered: research in all sources, a look into the library alone, a page by its address.

mod look;
mod page_read;

use std::sync::Arc;

use memory::embedding::Embedder;
use tools::{Error, Registry};

use crate::{
    source::Source,
    work::{Options, Researcher},
};
use look::{Look, Where};

/// The sources there are.
pub struct Sources {
    /// The documents on this machine.
    pub library: Arc<dyn Source>,
    /// Searches of the web, in the order they are asked.
    pub searches: Vec<Arc<dyn Source>>,
    /// Pages by their addresses.
    pub pages: Arc<dyn Source>,
}

/// Adds the tools.
pub fn add_research(
    registry: &mut Registry,
    sources: Sources,
    embedder: Option<Arc<dyn Embedder>>,
    options: Options,
) -> Result<(), Error> {
    let Sources { library, searches, pages } = sources;
    let alone = Researcher::new(vec![library.clone()], embedder.clone(), options);
    let mut all = vec![library];
    all.extend(searches);
    all.push(pages.clone());
    registry.add(Look { whereabouts: Where::Everywhere, researcher: Researcher::new(all, embedder, options) })?;
    registry.add(Look { whereabouts: Where::Library, researcher: alone })?;
    registry.add(page_read::PageRead(pages))
}
