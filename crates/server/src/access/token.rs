//! Tokens: compared in constant time, stored as digests only, and valid as long as their owner is
//! listed. The owners' own tokens may do everything; scoped tokens (`scoped_tokens`) less.

use std::sync::{Arc, Mutex, PoisonError};

use engine::OwnerHold;
use protocol::{OwnerId, Scope, Timestamp, TokenId};
use secrecy::{ExposeSecret, SecretString};
use secret::SecretDigest;
use tokio::sync::watch;

use super::scoped_tokens::{ScopedTokens, ValidToken};

/// An owner and their token.
#[derive(Debug, Clone)]
pub struct Credential {
    /// The owner.
    pub owner: OwnerId,
    /// Their token.
    pub token: SecretString,
}

/// An owner, and the digest of their token.
#[derive(Debug, Clone)]
pub struct OwnerDigest {
    /// The owner.
    pub owner: OwnerId,
    /// The digest of their token.
    pub digest: SecretDigest,
    /// When they were added. Scoped tokens from before that were those of an earlier owner with the
    /// same name, and do not come back.
    pub since: Timestamp,
}

/// A list of owners that can change while the server runs.
pub trait Roster: Send {
    /// The whole list, if it has changed since the last call. It is called before every request, so
    /// it has to be cheap.
    fn changed(&mut self) -> Option<Vec<OwnerDigest>>;
}

/// A token that is valid now.
#[derive(Debug, Clone)]
struct KnownToken {
    owner: OwnerId,
    digest: SecretDigest,
    scope: Scope,
    /// The id of a scoped token.
    id: Option<TokenId>,
}

impl From<&OwnerDigest> for KnownToken {
    fn from(known: &OwnerDigest) -> Self {
        Self { owner: known.owner.clone(), digest: known.digest, scope: Scope::Admin, id: None }
    }
}

impl From<ValidToken> for KnownToken {
    fn from(valid: ValidToken) -> Self {
        let ValidToken { owner, digest, scope, id, .. } = valid;
        Self { owner, digest, scope, id: Some(id) }
    }
}

/// The known tokens: those that are always valid, those of the owners on a list, and the scoped
/// tokens of both.
pub(crate) struct Tokens {
    fixed: Vec<KnownToken>,
    sources: Mutex<TokenSources>,
    scoped: Option<ScopedTokens>,
    listed: watch::Sender<Arc<[KnownToken]>>,
}

/// What the list of tokens that can end is made from.
struct TokenSources {
    roster: Option<Box<dyn Roster>>,
    owners: Vec<OwnerDigest>,
    scoped: Vec<ValidToken>,
}

impl Tokens {
    pub(crate) fn new(credentials: &[Credential], roster: Option<Box<dyn Roster>>) -> Self {
        let known = |credential: &Credential| KnownToken {
            owner: credential.owner.clone(),
            digest: SecretDigest::of(credential.token.expose_secret()),
            scope: Scope::Admin,
            id: None,
        };
        Self {
            fixed: credentials.iter().map(known).collect(),
            sources: Mutex::new(TokenSources { roster, owners: Vec::new(), scoped: Vec::new() }),
            scoped: None,
            listed: watch::Sender::new(Arc::default()),
        }
    }

    /// The same with the scoped tokens of its owners.
    pub(crate) fn with_scoped(self, scoped: ScopedTokens) -> Self {
        Self { scoped: Some(scoped), ..self }
    }

    /// The scoped tokens, if this server has any.
    pub(crate) const fn scoped(&self) -> Option<&ScopedTokens> {
        self.scoped.as_ref()
    }

    /// Whether there is such an owner.
    pub(crate) fn has_owner(&self, owner: &OwnerId) -> bool {
        self.look();
        let listed = self.listed.borrow();
        self.fixed.iter().chain(listed.iter()).any(|known| known.owner == *owner)
    }

    /// Checks whether the lists have changed, and notifies the holders of grants that are no longer
    /// valid.
    pub(crate) fn look(&self) {
        // Held until the list is published, so that an older list never follows a newer one.
        let mut sources = self.sources.lock().unwrap_or_else(PoisonError::into_inner);
        let owners = sources.roster.as_mut().and_then(|roster| roster.changed());
        let scoped = self.scoped.as_ref().and_then(ScopedTokens::changed);
        if owners.is_none() && scoped.is_none() {
            return;
        }
        if let Some(owners) = owners {
            sources.owners = owners;
        }
        if let Some(scoped) = scoped {
            sources.scoped = scoped;
        }
        let TokenSources { owners, scoped, .. } = &*sources;
        // A scoped token ends with its owner.
        let has_owner = |token: &&ValidToken| {
            let is_listed = |known: &OwnerDigest| known.owner == token.owner && known.since <= token.created_at;
            self.fixed.iter().any(|known| known.owner == token.owner) || owners.iter().any(is_listed)
        };
        let of_owners = owners.iter().map(KnownToken::from);
        let of_scoped = scoped.iter().filter(has_owner).cloned().map(KnownToken::from);
        self.listed.send_replace(of_owners.chain(of_scoped).collect());
    }

    /// The grant that this token gives.
    #[cfg(test)]
    pub(crate) fn grant(&self, token: &str) -> Option<AccessGrant> {
        self.grant_of(SecretDigest::of(token))
    }

    /// The grant that the token with this digest gives. It is compared with all tokens, so that the
    /// time taken reveals nothing.
    pub(crate) fn grant_of(&self, digest: SecretDigest) -> Option<AccessGrant> {
        self.look();
        let fixed = find(&self.fixed, &digest).map(|known| AccessGrant::of(known, None));
        let listed =
            find(&self.listed.borrow(), &digest).map(|known| AccessGrant::of(known, Some(self.listed.subscribe())));
        let grant = fixed.or(listed)?;
        if let (Some(id), Some(scoped)) = (grant.token_id, &self.scoped) {
            scoped.used(id);
        }
        Some(grant)
    }
}

fn find(known: &[KnownToken], digest: &SecretDigest) -> Option<KnownToken> {
    let mut found = None;
    for known in known {
        if known.digest.matches(digest) {
            found = Some(known);
        }
    }
    found.cloned()
}

/// The access that a token grants; it ends with the token.
#[derive(Debug, Clone)]
pub(crate) struct AccessGrant {
    pub(crate) owner: OwnerId,
    /// What the token may do.
    pub(crate) scope: Scope,
    /// The digest of the token.
    digest: SecretDigest,
    /// The id of a scoped token.
    token_id: Option<TokenId>,
    /// The list, if the token is on it.
    listed: Option<watch::Receiver<Arc<[KnownToken]>>>,
    /// This node serves the owner.
    hold: OwnerHold,
}

impl AccessGrant {
    fn of(known: KnownToken, listed: Option<watch::Receiver<Arc<[KnownToken]>>>) -> Self {
        let KnownToken { owner, digest, scope, id } = known;
        Self { owner, scope, digest, token_id: id, listed, hold: OwnerHold::default() }
    }

    /// The same grant, which also ends when this node no longer serves the owner.
    pub(super) fn served_by(self, hold: OwnerHold) -> Self {
        Self { hold, ..self }
    }

    /// Whether another node serves the owner now.
    pub(crate) fn is_moved(&self) -> bool {
        self.hold.is_lost()
    }

    /// The digest of the token.
    pub(super) fn digest(&self) -> SecretDigest {
        self.digest
    }

    /// Whether the turns of its messages may only use tools that read.
    pub(crate) fn reads_only(&self) -> bool {
        self.scope < Scope::Act
    }

    /// Whether it can end while the server runs.
    pub(crate) fn can_end(&self) -> bool {
        self.listed.is_some() || self.hold.can_be_lost()
    }

    /// Whether it is still valid.
    pub(crate) fn is_good(&self) -> bool {
        !self.is_moved() && self.listed.as_ref().is_none_or(|list| is_listed(&list.borrow(), &self.owner, &self.digest))
    }

    /// Waits until it is no longer valid.
    pub(crate) async fn ended(&mut self) {
        let (owner, digest, listed) = (&self.owner, &self.digest, &mut self.listed);
        let revoked = async {
            match listed {
                // The sender of the list is dropped only when the server stops, which ends all
                // grants.
                Some(list) => drop(list.wait_for(|list| !is_listed(list, owner, digest)).await),
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = revoked => {}
            () = self.hold.lost() => {}
        }
    }
}

fn is_listed(list: &[KnownToken], owner: &OwnerId, digest: &SecretDigest) -> bool {
    find(list, digest).is_some_and(|known| known.owner == *owner)
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    struct Lists(VecDeque<Vec<OwnerDigest>>);

    impl Roster for Lists {
        fn changed(&mut self) -> Option<Vec<OwnerDigest>> {
            self.0.pop_front()
        }
    }

    fn known(owner: &str, token: &str) -> OwnerDigest {
        let since = Timestamp::from_millis(0);
        OwnerDigest { owner: owner.parse().unwrap(), digest: SecretDigest::of(token), since }
    }

    fn tokens(lists: impl Into<VecDeque<Vec<OwnerDigest>>>) -> Tokens {
        let first = Credential { owner: "owner".parse().unwrap(), token: "first".into() };
        Tokens::new(&[first], Some(Box::new(Lists(lists.into()))))
    }

    #[test]
    fn each_token_opens_for_its_own_owner() {
        let tokens = tokens([vec![known("ada", "a"), known("bob", "b")]]);
        let owner = |token| tokens.grant(token).map(|grant| grant.owner.to_string());
        assert_eq!(owner("first").as_deref(), Some("owner"));
        assert_eq!(owner("a").as_deref(), Some("ada"));
        assert_eq!(owner("b").as_deref(), Some("bob"));
        assert_eq!((owner(""), owner("c")), (None, None));
    }

    #[tokio::test]
    async fn a_pass_ends_with_its_token_and_no_other() {
        let tokens = tokens([vec![known("ada", "a"), known("bob", "b")], vec![known("bob", "b")]]);
        tokens.look();
        let mut passes = [tokens.listed.borrow()[0].clone(), tokens.listed.borrow()[1].clone()]
            .map(|known| AccessGrant::of(known, Some(tokens.listed.subscribe())));
        assert!(passes.iter().all(AccessGrant::is_good));
        tokens.look();
        assert!(!passes[0].is_good() && passes[1].is_good());
        passes[0].ended().await;
        assert!(futures::FutureExt::now_or_never(passes[1].ended()).is_none());
        let mut first = tokens.grant("first").unwrap();
        assert!(!first.can_end() && futures::FutureExt::now_or_never(first.ended()).is_none());
    }

    #[test]
    fn a_new_token_of_the_same_owner_ends_the_old_one() {
        let tokens = tokens([vec![known("ada", "a")], vec![known("ada", "new")]]);
        let grant = tokens.grant("a").unwrap();
        assert!(tokens.grant("a").is_none() && !grant.is_good());
        assert!(tokens.grant("new").unwrap().is_good());
    }
}
