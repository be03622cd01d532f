//! Tokens: compared in constant time, kept as digests only, and good for as long as their owner is listed.

use std::sync::{Arc, Mutex, PoisonError};

use protocol::OwnerId;
use secrecy::{ExposeSecret, SecretString};
use secret::SecretDigest;
use tokio::sync::watch;

/// An owner and the token that proves it.
#[derive(Debug, Clone)]
pub struct Credential {
    /// Who.
    pub owner: OwnerId,
    /// Their token.
    pub token: SecretString,
}

/// An owner, and the digest of the token that proves it.
#[derive(Debug, Clone)]
pub struct Known {
    /// Who.
    pub owner: OwnerId,
    /// What is kept of their token.
    pub digest: SecretDigest,
}

/// A list of owners that can change while the server runs.
pub trait Roster: Send {
    /// The whole list, if it has changed since this was last asked. It is asked before every request, so it has to be cheap.
    fn changed(&mut self) -> Option<Vec<Known>>;
}

/// The tokens that are known: those that are always good, and those of the owners on a list.
pub(crate) struct Tokens {
    fixed: Vec<Known>,
    roster: Option<Mutex<Box<dyn Roster>>>,
    listed: watch::Sender<Arc<[Known]>>,
}

impl Tokens {
    pub(crate) fn new(credentials: &[Credential], roster: Option<Box<dyn Roster>>) -> Self {
        let known = |credential: &Credential| Known {
            owner: credential.owner.clone(),
            digest: SecretDigest::of(credential.token.expose_secret()),
        };
        Self {
            fixed: credentials.iter().map(known).collect(),
            roster: roster.map(Mutex::new),
            listed: watch::Sender::new(Arc::default()),
        }
    }

    /// Looks whether the list has changed; whoever holds a pass that is no longer good hears of it.
    pub(crate) fn look(&self) {
        let Some(roster) = &self.roster else { return };
        // Held until the list is out, so that an older list never follows a newer one.
        let mut roster = roster.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(list) = roster.changed() {
            self.listed.send_replace(list.into());
        }
    }

    /// What this token is good for.
    #[cfg(test)]
    pub(crate) fn pass(&self, token: &str) -> Option<Pass> {
        self.pass_of(SecretDigest::of(token))
    }

    /// What the token with this digest is good for. Compares it with all of them, so that the time it takes says nothing.
    pub(crate) fn pass_of(&self, digest: SecretDigest) -> Option<Pass> {
        self.look();
        let fixed = find(&self.fixed, &digest).map(|owner| Pass { owner, digest, listed: None });
        let listed = find(&self.listed.borrow(), &digest).map(|owner| Pass {
            owner,
            digest,
            listed: Some(self.listed.subscribe()),
        });
        fixed.or(listed)
    }
}

fn find(known: &[Known], digest: &SecretDigest) -> Option<OwnerId> {
    let mut found = None;
    for known in known {
        if known.digest.matches(digest) {
            found = Some(known.owner.clone());
        }
    }
    found
}

/// The right to come in, as a token gave it; it ends with the token.
#[derive(Debug, Clone)]
pub(crate) struct Pass {
    pub(crate) owner: OwnerId,
    /// By which token.
    digest: SecretDigest,
    /// The list, where the token is on it.
    listed: Option<watch::Receiver<Arc<[Known]>>>,
}

impl Pass {
    /// By which token.
    pub(super) fn digest(&self) -> SecretDigest {
        self.digest
    }

    /// Whether it may end before the server does.
    pub(crate) fn can_end(&self) -> bool {
        self.listed.is_some()
    }

    /// Whether it is still good.
    pub(crate) fn is_good(&self) -> bool {
        self.listed.as_ref().is_none_or(|list| find(&list.borrow(), &self.digest).as_ref() == Some(&self.owner))
    }

    /// Waits until it is no longer good.
    pub(crate) async fn ended(&mut self) {
        let (owner, digest) = (&self.owner, &self.digest);
        match &mut self.listed {
            // Without anybody who could change the list the server is gone, and so are all passes.
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

    struct Lists(VecDeque<Vec<Known>>);

    impl Roster for Lists {
        fn changed(&mut self) -> Option<Vec<Known>> {
            self.0.pop_front()
        }
    }

    fn known(owner: &str, token: &str) -> Known {
        Known { owner: owner.parse().unwrap(), digest: SecretDigest::of(token) }
    }

    fn tokens(lists: impl Into<VecDeque<Vec<Known>>>) -> Tokens {
        let first = Credential { owner: "owner".parse().unwrap(), token: "first".into() };
        Tokens::new(&[first], Some(Box::new(Lists(lists.into()))))
    }

    #[test]
    fn each_token_opens_for_its_own_owner() {
        let tokens = tokens([vec![known("ada", "a"), known("bob", "b")]]);
        let owner = |token| tokens.pass(token).map(|pass| pass.owner.to_string());
        assert_eq!(owner("first").as_deref(), Some("owner"));
        assert_eq!(owner("a").as_deref(), Some("ada"));
        assert_eq!(owner("b").as_deref(), Some("bob"));
        assert_eq!((owner(""), owner("c")), (None, None));
    }

    #[tokio::test]
    async fn a_pass_ends_with_its_token_and_no_other() {
        let tokens = tokens([vec![known("ada", "a"), known("bob", "b")], vec![known("bob", "b")]]);
        tokens.look();
        let mut passes = [tokens.listed.borrow()[0].clone(), tokens.listed.borrow()[1].clone()].map(|known| Pass {
            owner: known.owner,
            digest: known.digest,
            listed: Some(tokens.listed.subscribe()),
        });
        assert!(passes.iter().all(Pass::is_good));
        tokens.look();
        assert!(!passes[0].is_good() && passes[1].is_good());
        passes[0].ended().await;
        assert!(futures::FutureExt::now_or_never(passes[1].ended()).is_none());
        let mut first = tokens.pass("first").unwrap();
        assert!(!first.can_end() && futures::FutureExt::now_or_never(first.ended()).is_none());
    }

    #[test]
    fn a_new_token_of_the_same_owner_ends_the_old_one() {
        let tokens = tokens([vec![known("ada", "a")], vec![known("ada", "new")]]);
        let pass = tokens.pass("a").unwrap();
        assert!(tokens.pass("a").is_none() && !pass.is_good());
        assert!(tokens.pass("new").unwrap().is_good());
    }
}
