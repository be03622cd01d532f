//! Limits the open WebSockets and event streams, in total and per owner.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use protocol::{Code, OwnerId, Problem};

use crate::Limits;

/// The open WebSockets and event streams.
pub(crate) struct Streams {
    max: usize,
    owner_max: usize,
    open: Mutex<BTreeMap<OwnerId, usize>>,
}

impl Streams {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self { max: limits.streams_max, owner_max: limits.owner_streams_max, open: Mutex::default() }
    }

    /// A permit for one more stream of an owner.
    pub(crate) fn open(self: &Arc<Self>, owner: &OwnerId) -> Result<StreamPermit, Problem> {
        let mut open = self.lock();
        let (all, has): (usize, usize) = (open.values().sum(), open.get(owner).copied().unwrap_or_default());
        let full = if all >= self.max {
            Some(format!("there are {all} WebSockets and event streams (`limits.streams_max`)"))
        } else if has >= self.owner_max {
            Some(format!("there are {has} WebSockets and event streams of this owner (`limits.owner_streams_max`)"))
        } else {
            None
        };
        if let Some(message) = full {
            let hint = "Close one that is not needed, or raise the setting.";
            return Err(Problem::new(Code::TooManyConnections, message, hint));
        }
        open.insert(owner.clone(), has + 1);
        Ok(StreamPermit { streams: self.clone(), owner: owner.clone() })
    }

    /// The number of open streams of each owner.
    pub(crate) fn owners(&self) -> BTreeMap<OwnerId, usize> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<OwnerId, usize>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The permit of a stream; dropping it returns it.
pub(crate) struct StreamPermit {
    streams: Arc<Streams>,
    owner: OwnerId,
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let mut open = self.streams.lock();
        if let Some(has) = open.get_mut(&self.owner) {
            *has -= 1;
            if *has == 0 {
                open.remove(&self.owner);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_owner_takes_no_place_of_another_and_all_together_have_a_number() {
        let limits = Limits { streams_max: 3, owner_streams_max: 2, ..Limits::default() };
        let streams = Arc::new(Streams::new(&limits));
        let [ada, bob, cyd]: [OwnerId; 3] = ["ada", "bob", "cyd"].map(|name| name.parse().unwrap());
        let first = streams.open(&ada).unwrap();
        let _second = streams.open(&ada).unwrap();
        let refused = streams.open(&ada).err().unwrap();
        assert!(refused.message.contains("limits.owner_streams_max"), "{refused}");
        let _other = streams.open(&bob).unwrap();
        let refused = streams.open(&cyd).err().unwrap();
        assert!(refused.message.contains("limits.streams_max"), "{refused}");
        drop(first);
        let third = streams.open(&cyd).unwrap();
        assert_eq!(streams.owners(), BTreeMap::from([(ada, 1), (bob, 1), (cyd, 1)]));
        drop(third);
        assert_eq!(streams.owners().len(), 2);
    }
}
