//! The tokens and keys of a server: of its data folder, or of the database that all nodes share.

use std::sync::Arc;

use alert::{FileSubscriptions, PushSubscriptions};
use secrecy::SecretString;
use server::{Roster, TokenFile};
use tokio_util::sync::CancellationToken;

use super::{
    owners::{DatabaseRoster, FolderRoster},
    store::OpenStore,
    token::{self, OwnerToken},
    tokens,
};
use crate::{
    config::Config,
    shared_files::{
        DatabaseFiles, FolderFiles, SUBSCRIPTIONS, SharedFiles, SharedSubscriptions, WatchedFiles, move_in,
    },
};

/// The tokens and keys of a server.
pub(super) struct Credentials {
    /// The token of the first owner.
    pub(super) token: OwnerToken,
    pub(super) ollama_key: SecretString,
    pub(super) seal: SecretString,
    /// The other owners.
    pub(super) roster: Box<dyn Roster>,
    /// The scoped tokens.
    pub(super) tokens: Box<dyn TokenFile>,
    /// The browsers that owners have subscribed to Web Push.
    pub(super) subscriptions: Arc<dyn PushSubscriptions>,
}

impl Credentials {
    /// Reads them, makes those that are missing, and follows their changes until the server stops.
    pub(super) async fn open(config: &Config, store: &OpenStore, stopping: &CancellationToken) -> anyhow::Result<Self> {
        let folder = config.data_dir();
        let Some(shared) = store.shared_files() else {
            let files = FolderFiles::new(folder);
            let roster = Box::new(FolderRoster::new(folder));
            let subscriptions = Arc::new(FileSubscriptions::new(folder.join(SUBSCRIPTIONS)));
            return Self::with(config, &files, roster, tokens::in_folder(folder)?, subscriptions).await;
        };
        let files = Arc::new(DatabaseFiles::new(shared.clone()));
        move_in(folder, &*files).await?;
        let watched = WatchedFiles::start(shared, stopping.clone()).await?;
        let (roster, tokens) = (Box::new(DatabaseRoster::new(watched.clone())), tokens::in_database(watched)?);
        let subscriptions = Arc::new(SharedSubscriptions::new(files.clone()));
        Self::with(config, &*files, roster, tokens, subscriptions).await
    }

    async fn with(
        config: &Config,
        files: &dyn SharedFiles,
        roster: Box<dyn Roster>,
        tokens: Box<dyn TokenFile>,
        subscriptions: Arc<dyn PushSubscriptions>,
    ) -> anyhow::Result<Self> {
        let token = OwnerToken::load_or_create(config, files).await?;
        let (ollama_key, seal) = (token::ollama_key(files).await?, token::seal_key(files).await?);
        Ok(Self { token, ollama_key, seal, roster, tokens, subscriptions })
    }
}
