//! One librarian per owner: writes are decided one after the other on what is there, stored, and only then seen.
//!
//! A write is a function from the shelf to changes, so that two writers can never both find "no such title" or both end
//! the same fact. A caller that goes away changes nothing about that: the librarian finishes what it began.

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use journal::{Change, Filter, Memories, Place, Record};
use model::workers;
use protocol::OwnerId;
use tokio::sync::{mpsc, oneshot};

use super::{
    error::Error,
    meaning::Meaning,
    quota::{Growth, Quota},
    shelf::Shelf,
};

/// Writes that may wait; beyond them, writers wait.
const WRITES_MAX: usize = 256;
/// Records read at once.
const PAGE: usize = 2_000;
/// About how much text a record has to be found by.
const RECORD_BYTES: usize = 100;
/// How long a store that failed is left alone.
const PAUSE: Duration = Duration::from_secs(1);

/// What is told to whoever asked for a write, once it is known.
type Told = Box<dyn FnOnce(Result<(), Error>) + Send>;
/// A write: what to change, decided when its turn comes.
type Write = Box<dyn FnOnce(&Shelf) -> Option<(Vec<Change>, Told)> + Send>;

/// Whether a write may be refused because memory is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admission {
    /// Only where there is room for it.
    Checked,
    /// In any case: what memory itself makes of what is there, which is little beside it.
    Granted,
}

/// An owner's librarian, as others reach it.
#[derive(Clone)]
pub(super) struct Librarian {
    shelf: Arc<RwLock<Shelf>>,
    writes: mpsc::Sender<(Admission, Write)>,
}

impl Librarian {
    /// Reads what the owner has, and takes up work.
    pub(super) async fn open(
        store: Arc<dyn Memories>,
        meaning: Meaning,
        owner: OwnerId,
        quota: Quota,
    ) -> Result<Self, Error> {
        let shelf = Arc::new(RwLock::new(load(store.as_ref(), &owner).await?));
        meaning.take_over(&owner, &shelf, store.as_ref()).await?;
        let (writes, mut mail) = mpsc::channel::<(Admission, Write)>(WRITES_MAX);
        let own = shelf.clone();
        tokio::spawn(async move {
            while let Some((admission, write)) = mail.recv().await {
                let Some((changes, told)) = write(&read(&own)) else { continue };
                let bytes = changes.iter().map(bytes_of).sum();
                let growth =
                    if admission == Admission::Checked { Growth::of(&changes, &read(&own)) } else { Growth::default() };
                if quota.may_refuse(growth) {
                    // Writes of an owner go one after the other, so nothing comes in between.
                    let totals = store.totals(&owner).await.map_err(Error::from);
                    if let Err(error) = totals.and_then(|totals| quota.check(totals, growth)) {
                        told(Err(error));
                        continue;
                    }
                }
                let stored = if changes.is_empty() { Ok(()) } else { store.change(&owner, changes.clone()).await };
                match &stored {
                    Ok(()) => {
                        let apply = || {
                            let mut shelf = own.write().unwrap_or_else(PoisonError::into_inner);
                            changes.into_iter().for_each(|change| shelf.apply(change));
                        };
                        workers::apart(bytes, apply).await;
                    }
                    // Whether it was written is not known, so what is decided next is decided on what is there.
                    Err(journal::Error::Storage { .. }) => {
                        while !mail.is_closed() && !read_anew(store.as_ref(), &meaning, &owner, &own).await {
                            tokio::time::sleep(PAUSE).await;
                        }
                    }
                    Err(_) => {}
                }
                told(stored.map_err(Error::from));
                meaning.look(&owner, &own);
            }
        });
        Ok(Self { shelf, writes })
    }

    /// Looks at what is there.
    pub(super) fn read<T>(&self, look: impl FnOnce(&Shelf) -> T) -> T {
        look(&read(&self.shelf))
    }

    /// Decides a write on what is there when its turn comes, and answers once it is on the disk and can be found.
    pub(super) async fn write<T: Send + 'static>(
        &self,
        decide: impl FnOnce(&Shelf) -> Result<(Vec<Change>, T), Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.write_in(Admission::Checked, decide).await
    }

    /// The same, with room for it or without.
    pub(super) async fn write_in<T: Send + 'static>(
        &self,
        admission: Admission,
        decide: impl FnOnce(&Shelf) -> Result<(Vec<Change>, T), Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        let write: Write = Box::new(move |shelf| match decide(shelf) {
            Ok((changes, value)) => {
                // Whoever has gone needs no answer, here and below.
                let told: Told = Box::new(move |stored| drop(reply.send(stored.map(|()| value))));
                Some((changes, told))
            }
            Err(error) => {
                let _ = reply.send(Err(error));
                None
            }
        });
        self.writes.send((admission, write)).await.map_err(|_| Error::Closed)?;
        answer.await.unwrap_or(Err(Error::Closed))
    }
}

/// About how much text a change has to be found by.
fn bytes_of(change: &Change) -> usize {
    match change {
        Change::Put(Record::Entry(entry)) => entry.raw_entry.len(),
        Change::Put(Record::Context(context)) => context.content.len(),
        Change::Put(Record::Fact(fact)) => fact.text.len(),
        _ => 0,
    }
}

fn read(shelf: &RwLock<Shelf>) -> std::sync::RwLockReadGuard<'_, Shelf> {
    shelf.read().unwrap_or_else(PoisonError::into_inner)
}

/// Reads all of it again; whether that went well.
async fn read_anew(store: &dyn Memories, meaning: &Meaning, owner: &OwnerId, shelf: &Arc<RwLock<Shelf>>) -> bool {
    let read = async {
        let fresh = load(store, owner).await?;
        *shelf.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        meaning.take_over(owner, shelf, store).await
    };
    let read = read.await;
    if let Err(error) = &read {
        tracing::warn!(%owner, %error, "failed to read memory anew; trying again");
    }
    read.is_ok()
}

async fn load(store: &dyn Memories, owner: &OwnerId) -> Result<Shelf, Error> {
    let mut shelf = Shelf::empty();
    let mut after = None;
    loop {
        let page = store.vaults(owner, after, PAGE).await?;
        after = page.last().map(|it| Place { at: it.created_at, id: it.vault_id.to_bytes() });
        let is_last = page.len() < PAGE;
        page.into_iter().for_each(|vault| shelf.apply(Change::Vault(vault)));
        if is_last {
            break;
        }
    }
    after = None;
    loop {
        let page = store.memories(owner, None, after, PAGE).await?;
        after = page.last().map(|it| Place { at: it.created_at, id: it.memory_id.to_bytes() });
        let is_last = page.len() < PAGE;
        page.into_iter().for_each(|memory| shelf.apply(Change::Memory(memory)));
        if is_last {
            break;
        }
    }
    after = None;
    loop {
        let filter = Filter { oldest_first: true, ..Filter::default() };
        let page: Vec<Record> = store.records(owner, filter, after, PAGE).await?;
        after = page.last().map(|it| Place { at: it.at(), id: it.id().to_bytes() });
        let is_last = page.len() < PAGE;
        // An owner's memory is read once, and may be large.
        workers::apart(page.len() * RECORD_BYTES, || {
            page.into_iter().for_each(|record| shelf.apply(Change::Put(record)));
        })
        .await;
        if is_last {
            return Ok(shelf);
        }
    }
}
