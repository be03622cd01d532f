//! Research, made from the settings: the library, the configured web searches, and web pages.

use std::{sync::Arc, time::Duration};

use anyhow::Context;
use engine::World;
use memory::{embedding::Embedder, long_term};
use protocol::Timestamp;
use research::{
    LibrarySource, Source,
    library::{FileReader, Library, LibraryParts},
    pack::{Sources, add_research},
    read::{
        self, ExtractedText, MediaKind, ReadError,
        pdf::{PdfReader, SubprocessPdfReader},
    },
    researcher::{ResearchOptions, SOURCES_MAX},
    source::{brave::Brave, pages::Pages, searxng::Searxng},
    web::{self, Web},
};
use tokio::runtime::Handle;
use tools::{Registry, net::Fetcher};

use crate::config::Config;

/// What research shares with the rest of the server.
pub(super) struct ResearchParts {
    pub(super) world: Arc<dyn World>,
    /// Memory and the library share one embedding model.
    pub(super) embedder: Result<Arc<dyn Embedder>, String>,
    pub(super) fetcher: Fetcher,
}

/// Opens the library and adds the research tools. The error says which setting is wrong.
pub(super) fn open(config: &Config, shared: ResearchParts, registry: &mut Registry) -> anyhow::Result<Library> {
    let ResearchParts { world, embedder, fetcher } = shared;
    let settings = &config.research;
    let sources_max = settings.sources_max.get();
    anyhow::ensure!(sources_max <= SOURCES_MAX, "`research.sources_max` must be 1 to {SOURCES_MAX}, not {sources_max}");
    let program = std::env::current_exe()
        .context("failed to find this program's own path, which is needed to read PDFs in a subprocess")?;
    let pdf: Arc<dyn PdfReader> = Arc::new(SubprocessPdfReader::new(program));
    let options = web::WebOptions {
        robots: settings.robots,
        bytes_max: settings.page_bytes_max,
        timeout: Duration::from_millis(settings.page_ms),
        ..web::WebOptions::default()
    };
    let web = Arc::new(Web::new(fetcher, pdf.clone(), options));
    let mut searches: Vec<Arc<dyn Source>> = Vec::new();
    if !settings.searxng_url.trim().is_empty() {
        let searxng = Searxng::new(&settings.searxng_url, web.clone()).context("`research.searxng_url`")?;
        searches.push(Arc::new(searxng));
    }
    if settings.brave_api_key.is_set() {
        let brave = Brave::new(&settings.brave_url, settings.brave_api_key.secret(), web.clone());
        searches.push(Arc::new(brave.context("`research.brave_url` and `research.brave_api_key`")?));
    }
    let library = Library::open(LibraryParts {
        data: config.data_dir().to_owned(),
        embedder: embedder.clone(),
        reader: Arc::new(LibraryReader { pdf, runtime: Handle::current() }),
        world: Arc::new(LibraryWorld(world)),
        poll: config.library_poll(),
        limits: config.library_limits(),
    });
    let library = library.context("failed to open the library")?;
    let options =
        ResearchOptions { sources_max, time: Duration::from_millis(settings.time_ms), ..ResearchOptions::default() };
    let sources =
        Sources { library: Arc::new(LibrarySource::new(library.clone())), searches, pages: Arc::new(Pages::new(web)) };
    add_research(registry, sources, embedder.ok(), options).context("failed to add the tools of research")?;
    Ok(library)
}

/// Reads files in this process, and PDFs in a subprocess.
struct LibraryReader {
    pdf: Arc<dyn PdfReader>,
    runtime: Handle,
}

impl FileReader for LibraryReader {
    fn read(&self, kind: MediaKind, bytes: &[u8]) -> Result<ExtractedText, ReadError> {
        match kind {
            MediaKind::Pdf => self.runtime.block_on(self.pdf.read(bytes.to_vec())),
            MediaKind::Html | MediaKind::Markdown | MediaKind::Plain => read::read(kind, bytes, None),
        }
    }
}

/// Time and ids as the library knows them.
struct LibraryWorld(Arc<dyn World>);

impl long_term::World for LibraryWorld {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn ulid(&self) -> ulid::Ulid {
        self.0.ulid()
    }
}
