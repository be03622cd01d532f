//! The store that the settings choose: embedded in the data folder, or PostgreSQL.

use std::{fs, path::Path, sync::Arc};

use anyhow::Context;
use journal::{
    Store,
    postgres::{Postgres, PostgresOptions, SharedFiles},
    sqlite::{FolderLock, Sqlite, check_migrated},
};
use observe::Meter;
use secret::Secret;
use server::ClusterSettings;
use tokio::net::TcpListener;

use crate::{
    backup,
    config::Config,
    private_file::write_private,
    shared_files::{self, DatabaseFiles, FolderFiles, move_in},
};

/// The file with the id of this node.
const NODE_FILE: &str = "node-id";
/// Characters of a node's id that are drawn.
const DRAWN_CHARS: usize = 8;

/// An open store.
pub(super) enum OpenStore {
    Embedded(Arc<Sqlite>),
    Postgres(Arc<Postgres>, FolderLock, ClusterSettings),
}

impl OpenStore {
    /// Opens the store, unless a restore into the data folder was interrupted.
    pub(super) async fn open(config: &Config, accept_loss: bool) -> anyhow::Result<Self> {
        let folder = config.data_dir();
        backup::check_finished(folder)?;
        let Some(url) = config.store.database().map_err(anyhow::Error::msg)? else {
            check_migrated(folder).context("failed to open the journal")?;
            let opened = if accept_loss { Sqlite::open_accepting_loss(folder) } else { Sqlite::open(folder) };
            return Ok(Self::Embedded(Arc::new(opened.context("failed to open the journal")?)));
        };
        // The folder has this node's id, which no other process may use at the same time.
        let lock = FolderLock::take(folder).context("failed to open the data folder")?;
        let node = node_id(folder)?;
        let listener = node_listener(config).await?;
        let address = listener.as_ref().map(|(_, at)| config.cluster.address(at));
        let lease = config.cluster.lease().map_err(anyhow::Error::msg)?;
        let options =
            PostgresOptions { url, node, address, lease, connections_max: config.store.connections_max.get() };
        let store = Postgres::open(&options).await.context("failed to open the journal in PostgreSQL (`store.url`)")?;
        if accept_loss {
            store.accept_loss().await.context("failed to accept what the database has lost")?;
        }
        if folder.join(journal::sqlite::FILE).exists() {
            tracing::warn!("the data folder has a journal of its own, which is not used: `store.url` names a database");
        }
        let cluster = ClusterSettings { listener: listener.map(|(listener, _)| listener), home: None };
        Ok(Self::Postgres(Arc::new(store), lock, cluster))
    }

    /// Whether the last process was interrupted, so that the journal was recovered.
    pub(super) fn was_cut_off(&self) -> bool {
        match self {
            Self::Embedded(store) => store.was_cut_off(),
            Self::Postgres(..) => false,
        }
    }

    /// The files that all nodes share, if the store is one for several nodes.
    pub(super) fn shared_files(&self) -> Option<SharedFiles> {
        match self {
            Self::Embedded(_) => None,
            Self::Postgres(store, ..) => Some(store.shared_files()),
        }
    }

    /// Measures commits and leases from now on.
    pub(super) fn measure_with(&self, meter: Arc<dyn Meter>) {
        match self {
            Self::Embedded(store) => store.measure_with(meter),
            Self::Postgres(store, ..) => store.measure_with(meter),
        }
    }

    /// The store, the lock of the data folder if the store does not have it, and the part in a
    /// cluster if the store can be shared.
    pub(super) fn into_parts(self) -> (Arc<dyn Store>, Option<FolderLock>, Option<ClusterSettings>) {
        match self {
            Self::Embedded(store) => (store, None, None),
            Self::Postgres(store, lock, cluster) => (store, Some(lock), Some(cluster)),
        }
    }
}

/// The socket for the requests of other nodes, and its address.
async fn node_listener(config: &Config) -> anyhow::Result<Option<(TcpListener, String)>> {
    let listen = &config.cluster.listen;
    if listen.is_empty() {
        return Ok(None);
    }
    let failed = || format!("failed to listen on {listen} (`cluster.listen`)");
    let listener = TcpListener::bind(listen).await.with_context(failed)?;
    let at = listener.local_addr().with_context(failed)?;
    anyhow::ensure!(
        !at.ip().is_unspecified() || !config.cluster.address("").is_empty(),
        "`cluster.listen` is {at}, all addresses of this machine: set `cluster.address` to the one that other nodes reach"
    );
    Ok(Some((listener, at.to_string())))
}

/// The shared files that the settings choose. Nothing is written for that.
pub(crate) async fn shared_files(config: &Config) -> anyhow::Result<Arc<dyn shared_files::SharedFiles>> {
    Ok(match config.store.database().map_err(anyhow::Error::msg)? {
        None => Arc::new(FolderFiles::new(config.data_dir())),
        Some(url) => Arc::new(DatabaseFiles::open(&url).await?),
    })
}

/// The same for a command that changes them: what is still in the data folder is moved first.
pub(crate) async fn shared_files_for_change(config: &Config) -> anyhow::Result<Arc<dyn shared_files::SharedFiles>> {
    let Some(url) = config.store.database().map_err(anyhow::Error::msg)? else { return shared_files(config).await };
    let files = DatabaseFiles::open(&url).await?;
    files.prepare().await?;
    move_in(config.data_dir(), &files).await?;
    Ok(Arc::new(files))
}

/// The id of this node, which is made once: a restart has the same, and goes on with its sessions
/// at once.
fn node_id(folder: &Path) -> anyhow::Result<String> {
    let path = folder.join(NODE_FILE);
    match fs::read_to_string(&path) {
        Ok(text) if !text.trim().is_empty() => return Ok(text.trim().to_owned()),
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error).with_context(|| format!("failed to read {}", path.display())),
    }
    let drawn = Secret::generate().context("failed to make an id for this node")?.text();
    let drawn: String = secrecy::ExposeSecret::expose_secret(&drawn).chars().take(DRAWN_CHARS).collect();
    let id = format!("{}-{drawn}", machine());
    write_private(&path, &id)?;
    Ok(id)
}

/// The name of this machine, which helps to tell nodes apart.
fn machine() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "node".to_owned() } else { name.trim().to_owned() }
}
