//! The cache of discovery, in RAM and in a file of the data folder, so that a restart need not wait
//! for providers.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::{self, Write},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use protocol::Timestamp;
use serde::{Deserialize, Serialize};

use super::DiscoveredProvider;

/// How long the answer of a hosted provider is valid.
const AGE_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// A local server is asked more often: it may be restarted with another model at any time.
const AGE_MAX_LOCAL: Duration = Duration::from_secs(10 * 60);
/// The first and the longest pause after a provider could not be reached.
const RETRY_MIN: Duration = Duration::from_secs(15);
const RETRY_MAX: Duration = Duration::from_secs(60 * 60);
/// A larger file was not written by Dwell.
const FILE_BYTES_MAX: u64 = 32 * 1024 * 1024;

/// The contents of the file.
#[derive(Default, Serialize, Deserialize)]
struct CacheFile {
    version: u32,
    providers: BTreeMap<String, Arc<DiscoveredProvider>>,
}

const VERSION: u32 = 1;

/// The state of discovery at a provider.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProviderStatus {
    /// The newest answer.
    pub(crate) asked: Option<Arc<DiscoveredProvider>>,
    /// Why the last request failed.
    pub(crate) error: Option<String>,
    /// Whether it was asked since the start, successfully or not.
    pub(crate) is_tried: bool,
    failures: u32,
    tries: u64,
    tried_at: Option<Timestamp>,
}

impl ProviderStatus {
    /// How often it was asked since the start.
    pub(crate) const fn tries(&self) -> u64 {
        self.tries
    }
}

/// The answers of all providers.
#[derive(Default)]
pub(crate) struct DiscoveryCache {
    providers: Mutex<BTreeMap<String, ProviderStatus>>,
    /// Models that refuse tools, by full name.
    refuse_tools: Mutex<BTreeSet<String>>,
    path: Option<PathBuf>,
}

impl DiscoveryCache {
    /// Reads the cache of an earlier run. An unreadable file counts as none.
    pub(crate) fn read(path: PathBuf, addresses: &BTreeMap<String, String>) -> Self {
        let file = read_file(&path).unwrap_or_default();
        let same = |name: &String, asked: &Arc<DiscoveredProvider>| addresses.get(name) == Some(&asked.address);
        let kept = file.providers.into_iter().filter(|(name, asked)| file.version == VERSION && same(name, asked));
        let providers =
            kept.map(|(name, asked)| (name, ProviderStatus { asked: Some(asked), ..ProviderStatus::default() }));
        Self { providers: Mutex::new(providers.collect()), path: Some(path), ..Self::default() }
    }

    /// The state of discovery at a provider.
    pub(crate) fn of(&self, provider: &str) -> ProviderStatus {
        self.lock().get(provider).cloned().unwrap_or_default()
    }

    /// Forgets what a provider said: it has another address or key.
    pub(crate) fn forget(&self, provider: &str) {
        self.lock().remove(provider);
    }

    /// Whether a provider is due to be asked.
    pub(crate) fn is_due(&self, provider: &str, is_local: bool, now: Timestamp) -> bool {
        let standing = self.of(provider);
        if standing.failures > 0 {
            let wait = RETRY_MIN.saturating_mul(1 << (standing.failures - 1).min(12)).min(RETRY_MAX);
            return standing.tried_at.is_none_or(|tried| now.since(tried) >= wait || now < tried);
        }
        let Some(asked) = &standing.asked else { return true };
        let is_local = is_local || asked.server.is_local();
        // A local server's answer from before this start may be outdated.
        let age_max = if is_local { AGE_MAX_LOCAL } else { AGE_MAX };
        (is_local && !standing.is_tried) || now.since(asked.asked_at) >= age_max || now < asked.asked_at
    }

    /// Stores an answer, or why there is none.
    pub(crate) fn keep(&self, provider: &str, answer: Result<DiscoveredProvider, String>, now: Timestamp) {
        {
            let mut providers = self.lock();
            let standing = providers.entry(provider.to_owned()).or_default();
            standing.is_tried = true;
            standing.tries += 1;
            standing.tried_at = Some(now);
            match answer {
                Ok(asked) => {
                    standing.asked = Some(Arc::new(asked));
                    standing.error = None;
                    standing.failures = 0;
                }
                // The previous answer stays in use.
                Err(error) => {
                    standing.error = Some(error);
                    standing.failures = standing.failures.saturating_add(1);
                }
            }
        }
    }

    /// Writes the file. A failure is ignored: providers are asked again after the next start.
    pub(crate) fn write(&self) {
        let Some(path) = &self.path else { return };
        let asked = |(name, standing): (&String, &ProviderStatus)| Some((name.clone(), standing.asked.clone()?));
        let file = CacheFile { version: VERSION, providers: self.lock().iter().filter_map(asked).collect() };
        let written = serde_json::to_vec(&file).map_err(io::Error::other).and_then(|bytes| write_file(path, &bytes));
        if let Err(error) = written {
            tracing::warn!(%error, path = %path.display(), "failed to write the cache of models");
        }
    }

    /// Whether a model refuses tools.
    pub(crate) fn refuses_tools(&self, model: &str) -> bool {
        self.refuse_tools.lock().unwrap_or_else(PoisonError::into_inner).contains(model)
    }

    /// Records whether a model refuses tools.
    pub(crate) fn set_refuses_tools(&self, model: &str, refuses: bool) {
        let mut all = self.refuse_tools.lock().unwrap_or_else(PoisonError::into_inner);
        if refuses {
            all.insert(model.to_owned());
        } else {
            all.remove(model);
        }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, ProviderStatus>> {
        self.providers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn read_file(path: &Path) -> Option<CacheFile> {
    let is_small = fs::metadata(path).ok()?.len() <= FILE_BYTES_MAX;
    let bytes = is_small.then(|| fs::read(path).ok())??;
    serde_json::from_slice(&bytes).ok()
}

/// Replaces the file atomically, so that a kill leaves the old one or the new one.
fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let new = path.with_extension("json.new");
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(&new)?;
    file.write_all(bytes)?;
    drop(file);
    fs::rename(new, path)
}

#[cfg(test)]
mod tests {
    use protocol::ModelServerKind;

    use super::*;

    const DAY_MS: i64 = 24 * 60 * 60 * 1000;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn answer(server: ModelServerKind) -> DiscoveredProvider {
        DiscoveredProvider { address: "http://a/".to_owned(), server, asked_at: at(0), ..DiscoveredProvider::default() }
    }

    #[test]
    fn answers_hold_for_a_day_and_local_ones_for_minutes() {
        let kept = DiscoveryCache::default();
        assert!(kept.is_due("p", false, at(0)), "never asked");
        kept.keep("p", Ok(answer(ModelServerKind::Anthropic)), at(0));
        assert!(!kept.is_due("p", false, at(DAY_MS - 1)) && kept.is_due("p", false, at(DAY_MS)));
        kept.keep("p", Ok(answer(ModelServerKind::Vllm)), at(0));
        assert!(!kept.is_due("p", false, at(1_000)) && kept.is_due("p", false, at(600_000)));
    }

    #[test]
    fn who_does_not_answer_is_left_alone_for_longer_and_longer() {
        let kept = DiscoveryCache::default();
        kept.keep("p", Ok(answer(ModelServerKind::Anthropic)), at(0));
        for wait_ms in [15_000, 30_000, 60_000] {
            kept.keep("p", Err("away".to_owned()), at(0));
            assert!(!kept.is_due("p", false, at(wait_ms - 1)) && kept.is_due("p", false, at(wait_ms)));
        }
        let standing = kept.of("p");
        assert!(standing.asked.is_some() && standing.error.is_some(), "what it said before is not forgotten");
    }

    #[test]
    fn a_file_keeps_what_was_said_at_the_same_address() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("models.json");
        let addresses = |address: &str| [("p".to_owned(), address.to_owned())].into();
        let kept = DiscoveryCache::read(path.clone(), &addresses("http://a/"));
        kept.keep("p", Ok(answer(ModelServerKind::Vllm)), at(0));
        kept.write();
        let again = DiscoveryCache::read(path.clone(), &addresses("http://a/"));
        assert_eq!(again.of("p").asked.as_deref(), Some(&answer(ModelServerKind::Vllm)));
        assert!(again.is_due("p", false, at(1)), "a local server is asked after every start");
        assert!(DiscoveryCache::read(path.clone(), &addresses("http://b/")).of("p").asked.is_none());
        #[cfg(unix)]
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions()) & 0o777, 0o600);
        fs::write(&path, "no JSON").unwrap();
        assert!(DiscoveryCache::read(path, &addresses("http://a/")).of("p").asked.is_none());
    }
}
