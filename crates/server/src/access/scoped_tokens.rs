//! The scoped tokens that owners make: their list, when each was last used, and how they are
//! stored. Only digests are stored. Several servers may share one list: a change is made to what is
//! stored, not to what this server last knew of it.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use protocol::{Code, IssuedToken, OwnerId, Problem, Scope, Timestamp, TokenId, TokenView};
use secrecy::ExposeSecret;
use secret::{Secret, SecretDigest};
use serde::{Deserialize, Serialize};

use super::ticket::no_entropy;

/// Most scoped tokens of one owner.
const OWNER_TOKENS_MAX: usize = 200;
/// The uses of a token within this time are one use, so that not every request changes the list.
const USE_STEP: Duration = Duration::from_secs(60);

/// A scoped token as it is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct TokenRecord {
    /// What clients see of it.
    #[serde(flatten)]
    pub view: TokenView,
    /// The digest of the token.
    pub token_sha256: String,
}

/// A change of the list of scoped tokens. It may be made several times, each time to another list.
pub type TokenChange<'a> = dyn FnMut(&mut Vec<TokenRecord>) -> Result<(), Problem> + 'a;

/// Where the list of scoped tokens is stored.
pub trait TokenFile: Send + Sync {
    /// The stored list.
    fn load(&self) -> std::io::Result<Vec<TokenRecord>>;

    /// The stored list, if another server has changed it since the last call. It is called before
    /// every request, so it has to be cheap.
    fn changed(&self) -> Option<Vec<TokenRecord>>;

    /// Changes the stored list, and returns it once it is stored. If another server was faster, the
    /// change is made again to its list. The inner error is that of the change, after which nothing
    /// is stored.
    fn change(&self, change: &mut TokenChange<'_>) -> std::io::Result<Result<Vec<TokenRecord>, Problem>>;
}

/// The scoped tokens.
pub(crate) struct ScopedTokens {
    file: Option<Box<dyn TokenFile>>,
    clock: Box<dyn Fn() -> Timestamp + Send + Sync>,
    state: Mutex<TokenList>,
    /// Held while the list is stored, so that an older list never replaces a newer one. Requests
    /// need only `state`, and do not wait for the disk.
    storing: Mutex<()>,
}

struct TokenList {
    records: Vec<TokenRecord>,
    /// Whether the valid tokens have changed since they were last read.
    is_changed: bool,
    /// When the next token ends by itself.
    next_end: Option<Timestamp>,
    /// The uses that were noted since the list was stored.
    uses: HashMap<TokenId, Timestamp>,
}

impl TokenList {
    fn new(records: Vec<TokenRecord>) -> Self {
        Self { records, is_changed: true, next_end: None, uses: HashMap::new() }
    }

    /// Takes over a list that is stored. Uses that are not stored yet stay.
    fn replace(&mut self, mut records: Vec<TokenRecord>) {
        note_uses(&mut records, &self.uses);
        (self.records, self.is_changed, self.next_end) = (records, true, None);
    }
}

/// Enters uses, as far as they are newer than those in the list.
fn note_uses(records: &mut [TokenRecord], uses: &HashMap<TokenId, Timestamp>) {
    for TokenRecord { view, .. } in records {
        view.last_used_at = view.last_used_at.max(uses.get(&view.token_id).copied());
    }
}

/// A valid scoped token.
#[derive(Debug, Clone)]
pub(super) struct ValidToken {
    pub(super) owner: OwnerId,
    pub(super) digest: SecretDigest,
    pub(super) scope: Scope,
    pub(super) id: TokenId,
    pub(super) created_at: Timestamp,
}

impl ScopedTokens {
    /// The tokens of a file. Without a file there are none.
    pub(crate) fn open(
        file: Option<Box<dyn TokenFile>>,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> std::io::Result<Self> {
        let records = file.as_ref().map_or_else(|| Ok(Vec::new()), |file| file.load())?;
        let state = Mutex::new(TokenList::new(records));
        Ok(Self { file, clock: Box::new(clock), state, storing: Mutex::default() })
    }

    /// The tokens that are valid now, if they have changed since the last call: one was made or
    /// revoked, or its time is over.
    pub(super) fn changed(&self) -> Option<Vec<ValidToken>> {
        let by_others = self.file.as_ref().and_then(|file| file.changed());
        let mut state = self.lock();
        if let Some(records) = by_others {
            state.replace(records);
        }
        if !state.is_changed && state.next_end.is_none() {
            return None;
        }
        let now = (self.clock)();
        if !state.is_changed && state.next_end.is_some_and(|end| end > now) {
            return None;
        }
        let is_valid = |record: &&TokenRecord| record.view.expires_at.is_none_or(|end| end > now);
        let valid: Vec<&TokenRecord> = state.records.iter().filter(is_valid).collect();
        let next_end = valid.iter().filter_map(|record| record.view.expires_at).min();
        let list = valid.iter().filter_map(|record| {
            let TokenView { owner, scope, token_id, created_at, .. } = &record.view;
            let digest = record.token_sha256.parse().ok()?;
            Some(ValidToken { owner: owner.clone(), digest, scope: *scope, id: *token_id, created_at: *created_at })
        });
        let list = list.collect();
        (state.is_changed, state.next_end) = (false, next_end);
        Some(list)
    }

    /// The tokens of an owner, or of all, oldest first. Expired ones are listed until they are
    /// revoked.
    pub(crate) fn list(&self, owner: Option<&OwnerId>) -> Vec<TokenView> {
        let state = self.lock();
        let of_owner = |view: &&TokenView| owner.is_none_or(|owner| view.owner == *owner);
        state.records.iter().map(|record| &record.view).filter(of_owner).cloned().collect()
    }

    /// Makes a token, and stores it before it is shown.
    pub(crate) fn create(
        &self,
        id: TokenId,
        owner: OwnerId,
        name: String,
        scope: Scope,
        lifetime: Option<Duration>,
    ) -> Result<IssuedToken, Problem> {
        let secret = Secret::generate().map_err(no_entropy)?;
        let created_at = (self.clock)();
        let expires_at = lifetime.map(|lifetime| created_at.plus(lifetime));
        let view = TokenView { token_id: id, name, owner, scope, created_at, expires_at, last_used_at: None };
        let record = TokenRecord { view: view.clone(), token_sha256: secret.digest().to_string() };
        self.change(|records| {
            if records.iter().filter(|other| other.view.owner == view.owner).count() >= OWNER_TOKENS_MAX {
                let message = format!("there are {OWNER_TOKENS_MAX} tokens of this owner");
                return Err(Problem::new(Code::QuotaExceeded, message, "Revoke those that are not needed."));
            }
            records.push(record.clone());
            Ok(())
        })?;
        Ok(IssuedToken { token: secret.text().expose_secret().to_owned(), view })
    }

    /// Revokes a token of an owner, or of any owner. It is stored before this returns.
    pub(crate) fn revoke(&self, id: TokenId, owner: Option<&OwnerId>) -> Result<TokenView, Problem> {
        self.change(|records| {
            let is_it = |record: &TokenRecord| {
                record.view.token_id == id && owner.is_none_or(|owner| record.view.owner == *owner)
            };
            let at = records.iter().position(is_it).ok_or_else(|| {
                Problem::new(Code::NotFound, "there is no such token", "`GET /api/v1/tokens` lists them.")
            })?;
            Ok(records.remove(at).view)
        })
    }

    /// Notes that a token was used.
    pub(super) fn used(&self, id: TokenId) {
        let now = (self.clock)();
        let mut state = self.lock();
        let Some(record) = state.records.iter_mut().find(|record| record.view.token_id == id) else { return };
        if record.view.last_used_at.is_none_or(|last| now.since(last) >= USE_STEP) {
            record.view.last_used_at = Some(now);
            state.uses.insert(id, now);
        }
    }

    /// Stores the uses that were noted. They are not worth an error: the next change stores them.
    pub(crate) fn store_uses(&self) {
        let _storing = self.storing.lock().unwrap_or_else(PoisonError::into_inner);
        if self.lock().uses.is_empty() {
            return;
        }
        if let Err(error) = self.store(&mut |_| Ok(())) {
            tracing::warn!(%error, "failed to store when tokens were last used");
        }
    }

    /// Changes the list, which counts only once it is stored.
    fn change<T>(&self, mut change: impl FnMut(&mut Vec<TokenRecord>) -> Result<T, Problem>) -> Result<T, Problem> {
        let _storing = self.storing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut outcome = None;
        let stored = self.store(&mut |records| {
            outcome = Some(change(records)?);
            Ok(())
        });
        let unavailable = |error: std::io::Error| {
            tracing::error!(%error, "failed to store the list of tokens");
            Problem::new(Code::Unavailable, "the list of tokens cannot be stored", "The server's log says why.")
        };
        stored.map_err(unavailable)??;
        outcome.ok_or_else(|| unavailable(std::io::Error::other("the list was not changed")))
    }

    /// Makes a change to the stored list, together with the uses that were noted.
    fn store(&self, change: &mut TokenChange<'_>) -> std::io::Result<Result<(), Problem>> {
        let file = self.file.as_ref().ok_or_else(|| std::io::Error::other("this server has no file for tokens"))?;
        let uses = self.lock().uses.clone();
        let stored = file.change(&mut |records| {
            note_uses(records, &uses);
            change(records)
        })?;
        Ok(stored.map(|records| {
            let mut state = self.lock();
            state.uses.retain(|id, at| uses.get(id) != Some(at));
            state.replace(records);
        }))
    }

    fn lock(&self) -> MutexGuard<'_, TokenList> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, Ordering},
    };

    use super::*;

    #[derive(Default)]
    struct Memory(Mutex<Vec<TokenRecord>>, AtomicBool);

    impl TokenFile for Arc<Memory> {
        fn load(&self) -> std::io::Result<Vec<TokenRecord>> {
            Ok(self.0.lock().unwrap().clone())
        }

        fn changed(&self) -> Option<Vec<TokenRecord>> {
            self.1.swap(false, Ordering::Relaxed).then(|| self.0.lock().unwrap().clone())
        }

        fn change(&self, change: &mut TokenChange<'_>) -> std::io::Result<Result<Vec<TokenRecord>, Problem>> {
            let mut list = self.0.lock().unwrap();
            let mut changed = list.clone();
            Ok(change(&mut changed).map(|()| {
                *list = changed.clone();
                changed
            }))
        }
    }

    fn open(now: &Arc<AtomicI64>, file: &Arc<Memory>) -> ScopedTokens {
        let now = now.clone();
        let clock = move || Timestamp::from_millis(now.load(Ordering::Relaxed));
        ScopedTokens::open(Some(Box::new(file.clone())), clock).unwrap()
    }

    /// The valid tokens, if they have changed.
    fn changed(tokens: &ScopedTokens) -> Option<Vec<TokenId>> {
        tokens.changed().map(|valid| valid.iter().map(|token| token.id).collect())
    }

    fn make(tokens: &ScopedTokens, number: u64, lifetime: Option<Duration>) -> IssuedToken {
        let id = TokenId::from_bytes(u128::from(number).to_be_bytes());
        tokens.create(id, "ada".parse().unwrap(), format!("token {number}"), Scope::Talk, lifetime).unwrap()
    }

    #[test]
    fn a_token_is_valid_until_it_ends_or_is_revoked_and_survives_a_restart() {
        let (now, file) = (Arc::new(AtomicI64::new(0)), Arc::new(Memory::default()));
        let tokens = open(&now, &file);
        assert_eq!(changed(&tokens), Some(Vec::new()));
        assert_eq!(changed(&tokens), None, "nothing has changed");
        let (short, long) = (make(&tokens, 1, Some(Duration::from_secs(10))), make(&tokens, 2, None));
        let valid = tokens.changed().unwrap();
        assert_eq!(valid.iter().map(|token| token.id).collect::<Vec<_>>(), [short.view.token_id, long.view.token_id]);
        assert!(valid[0].digest.matches(&SecretDigest::of(&short.token)));
        assert_eq!(changed(&tokens), None);
        now.store(10_000, Ordering::Relaxed);
        assert_eq!(changed(&tokens), Some(vec![long.view.token_id]), "its time is over");
        let again = open(&now, &file);
        assert_eq!(again.list(None).len(), 2, "an expired one is still listed");
        assert_eq!(changed(&again), Some(vec![long.view.token_id]));
        let bob: OwnerId = "bob".parse().unwrap();
        assert!(again.revoke(long.view.token_id, Some(&bob)).is_err(), "it is another owner's");
        again.revoke(long.view.token_id, None).unwrap();
        assert_eq!(changed(&again), Some(Vec::new()));
        assert!(again.revoke(long.view.token_id, None).is_err());
    }

    #[test]
    fn the_stored_list_has_digests_and_the_last_use_and_no_token() {
        let (now, file) = (Arc::new(AtomicI64::new(5_000)), Arc::new(Memory::default()));
        let tokens = open(&now, &file);
        let made = make(&tokens, 1, None);
        tokens.used(made.view.token_id);
        tokens.store_uses();
        let stored = serde_json::to_string(&*file.0.lock().unwrap()).unwrap();
        assert!(!stored.contains(&made.token) && stored.contains("token_sha256"));
        assert_eq!(open(&now, &file).list(None)[0].last_used_at, Some(Timestamp::from_millis(5_000)));
        let read: Vec<TokenRecord> = serde_json::from_str(&stored).unwrap();
        assert_eq!(read[0].view.token_id, made.view.token_id);
    }

    #[test]
    fn two_servers_keep_the_tokens_and_uses_of_each_other() {
        let (now, file) = (Arc::new(AtomicI64::new(5_000)), Arc::new(Memory::default()));
        let (one, other) = (open(&now, &file), open(&now, &file));
        let (first, second) = (make(&one, 1, None), make(&other, 2, None));
        one.used(first.view.token_id);
        one.store_uses();
        assert_eq!(file.0.lock().unwrap().len(), 2, "a use removes no token of another server");
        assert_eq!(other.list(None).iter().filter(|view| view.last_used_at.is_some()).count(), 0);
        file.1.store(true, Ordering::Relaxed);
        assert_eq!(changed(&other), Some(vec![first.view.token_id, second.view.token_id]));
        assert_eq!(other.list(None)[0].last_used_at, Some(Timestamp::from_millis(5_000)));
        other.revoke(first.view.token_id, None).unwrap();
        assert!(one.revoke(first.view.token_id, None).is_err(), "it is revoked already");
        file.1.store(true, Ordering::Relaxed);
        assert_eq!(changed(&one), Some(vec![second.view.token_id]));
    }

    #[test]
    fn an_owner_has_a_bounded_number_of_tokens() {
        let (now, file) = (Arc::new(AtomicI64::new(0)), Arc::new(Memory::default()));
        let tokens = open(&now, &file);
        for number in 0..OWNER_TOKENS_MAX as u64 {
            make(&tokens, number, None);
        }
        let id = TokenId::from_bytes([9; 16]);
        let more = |owner: &str| tokens.create(id, owner.parse().unwrap(), "x".to_owned(), Scope::Read, None);
        assert_eq!(more("ada").unwrap_err().code, Code::QuotaExceeded);
        assert!(more("bob").is_ok());
    }
}
