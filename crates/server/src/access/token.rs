//! Tokens: compared in constant time, stored as digests only, and valid as long as their owner is
//! listed.

use std::sync::{Arc, Mutex, PoisonError};

use protocol::OwnerId;
use secrecy::{ExposeSecret, SecretString};
use secret::SecretDigest;
use tokio::sync::watch;

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
}

/// A list of owners that can change while the server runs.
pub trait Roster: Send {
    /// The whole list, if it has changed since the last call. It is called before every request, so
    /// it has to be cheap.
    fn changed(&mut self) -> Option<Vec<OwnerDigest>>;
}

/// The known tokens: those that are always valid, and those of the owners on a list.
pub(crate) struct Tokens {
    fixed: Vec<OwnerDigest>,
    roster: Option<Mutex<Box<dyn Roster>>>,
    listed: watch::Sender<Arc<[OwnerDigest]>>,
}

impl Tokens {
    pub(crate) fn new(credentials: &[Credential], roster: Option<Box<dyn Roster>>) -> Self {
        let known = |credential: &Credential| OwnerDigest {
            owner: credential.owner.clone(),
            digest: SecretDigest::of(credential.token.expose_secret()),
        };
        Self {
            fixed: credentials.iter().map(known).collect(),
            roster: roster.map(Mutex::new),
            listed: watch::Sender::new(Arc::default()),
        }
    }

    /// Checks whether the list has changed, and notifies the holders of grants that are no longer
    /// valid.
    pub(crate) fn look(&self) {
        let Some(roster) = &self.roster else { return };
        // Held until the list is published, so that an older list never follows a newer one.
        let mut roster = roster.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(list) = roster.changed() {
            self.listed.send_replace(list.into());
        }
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
        let fixed = find(&self.fixed, &digest).map(|owner| AccessGrant { owner, digest, listed: None });
        let listed = find(&self.listed.borrow(), &digest).map(|owner| AccessGrant {
            owner,
            digest,
            listed: Some(self.listed.subscribe()),
        });
        fixed.or(listed)
    }
}

fn find(known: &[OwnerDigest], digest: &SecretDigest) -> Option<OwnerId> {
    let mut found = None;
    for known in known {
        if known.digest.matches(digest) {
            found = Some(known.owner.clone());
        }
    }
    found
}

/// The access that a token grants; it ends with the token.
#[derive(Debug, Clone)]
pub(crate) struct AccessGrant {
    pub(crate) owner: OwnerId,
    /// The digest of the token.
    digest: SecretDigest,
    /// The list, if the token is on it.
    listed: Option<watch::Receiver<Arc<[OwnerDigest]>>>,
}

impl AccessGrant {
    /// The digest of the token.
    pub(super) fn digest(&self) -> SecretDigest {
        self.digest
    }

    /// Whether it can end while the server runs.
    pub(crate) fn can_end(&self) -> bool {
        self.listed.is_some()
    }

    /// Whether it is still valid.
    pub(crate) fn is_good(&self) -> bool {
        self.listed.as_ref().is_none_or(|list| find(&list.borrow(), &self.digest).as_ref() == Some(&self.owner))
    }

    /// Waits until it is no longer valid.
    pub(crate) async fn ended(&mut self) {
        let (owner, digest) = (&self.owner, &self.digest);
        match &mut self.listed {
            // The sender of the list is dropped only when the server stops, which ends all grants.
            Some(list) => {
                drop(list.wait_for(|list| find(list, digest).as_ref() != Some(owner)).await);
            }
            None => std::future::pending().await,
        }
    }
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
        OwnerDigest { owner: owner.parse().unwrap(), digest: SecretDigest::of(token) }
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
        let mut passes = [tokens.listed.borrow()[0].clone(), tokens.listed.borrow()[1].clone()].map(|known| {
            AccessGrant { owner: known.owner, digest: known.digest, listed: Some(tokens.listed.subscribe()) }
        });
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
