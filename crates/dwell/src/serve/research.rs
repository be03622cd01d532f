//! Research, made from the settings: the library, the searches of the web that are configured, and pages.

use std::{sync::Arc, time::Duration};

use anyhow::Context;
use engine::World;
use memory::{embedding::Embedder, room};
use protocol::Timestamp;
use research::{
    LibrarySource, Source,
    library::{Library, Parts, Reader},
    pack::{Sources, add_research},
    read::{
        self, Kind, Text, Unreadable,
        pdf::{Child, PdfReader},
    },
    source::{brave::Brave, pages::Pages, searxng::Searxng},
    web::{self, Web},
    work::{Options, SOURCES_MAX},
};
use tokio::runtime::Handle;
use tools::{Registry, net::Fetcher};

use crate::config::Config;

/// What research shares with the rest of the house.
pub(super) struct Shared {
    pub(super) world: Arc<dyn World>,
    /// Memory and the library go by one model of meaning.
    pub(super) embedder: Result<Arc<dyn Embedder>, String>,
    pub(super) fetcher: Fetcher,
}

/// Opens the library and adds the tools of research. The error says which setting is wrong.
pub(super) fn open(config: &Config, shared: Shared, registry: &mut Registry) -> anyhow::Result<Library> {
    let Shared { world, embedder, fetcher } = shared;
    let settings = &config.research;
    let sources_max = settings.sources_max.get();
    anyhow::ensure!(sources_max <= SOURCES_MAX, "`research.sources_max` is 1 to {SOURCES_MAX}, and not {sources_max}");
    let program = std::env::current_exe().context("failed to find this very program, which reads PDFs apart")?;
    let pdf: Arc<dyn PdfReader> = Arc::new(Child::new(program));
    let options = web::Options {
        robots: settings.robots,
        bytes_max: settings.page_bytes_max,
        timeout: Duration::from_millis(settings.page_ms),
        ..web::Options::default()
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
    let library = Library::open(Parts {
        data: config.data_dir().to_owned(),
        embedder: embedder.clone(),
        reader: Arc::new(Apart { pdf, runtime: Handle::current() }),
        world: Arc::new(OwnWorld(world)),
        poll: config.library_poll(),
        limits: config.library_limits(),
    });
    let library = library.context("failed to open the library")?;
    let options = Options { sources_max, time: Duration::from_millis(settings.time_ms), ..Options::default() };
    let sources =
        Sources { library: Arc::new(LibrarySource::new(library.clone())), searches, pages: Arc::new(Pages::new(web)) };
    add_research(registry, sources, embedder.ok(), options).context("failed to add the tools of research")?;
    Ok(library)
}

/// Reads files here, and PDFs in a process of their own.
struct Apart {
    pdf: Arc<dyn PdfReader>,
    runtime: Handle,
}

impl Reader for Apart {
    fn read(&self, kind: Kind, bytes: &[u8]) -> Result<Text, Unreadable> {
        match kind {
            Kind::Pdf => self.runtime.block_on(self.pdf.read(bytes.to_vec())),
            Kind::Html | Kind::Markdown | Kind::Plain => read::read(kind, bytes, None),
        }
    }
}

/// Time and ids as the library knows them.
struct OwnWorld(Arc<dyn World>);

impl room::World for OwnWorld {
    fn now(&self) -> Timestamp {
        self.0.now()
    }

    fn ulid(&self) -> ulid::Ulid {
        self.0.ulid()
    }
}
