//! What owners use, and whether there is room for more.

use std::collections::BTreeMap;

use journal::OwnerTotals;
use protocol::{Event, LibraryUsage, OnBusy, OwnerId, OwnerUsage, ServerStats, ServerUsage, Share};
use session::Command;

use super::Hub;
use crate::{
    Error,
    quota::{Exceeded, Limit, Reserved},
};

/// What is held for a request until it is done.
pub(super) struct Held {
    _turn: Option<Reserved>,
    _bytes: Option<Reserved>,
}

impl Hub {
    /// Holds room for what a command will write. What is full refuses it, unless it turns out to write nothing, as when
    /// the same was accepted before.
    pub(super) async fn admit(&self, owner: &OwnerId, command: &Command) -> Result<(Held, Option<Exceeded>), Error> {
        let (opens_turn, bytes) = match command {
            Command::Send { send, .. } => (send.on_busy != OnBusy::Steer, Some(send.message.len())),
            Command::Retry { request, .. } => (true, Some(request.message.len())),
            Command::SendToWindow { .. } => (true, Some(0)),
            Command::Interact(_) | Command::Update(_) | Command::RegisterApp { .. } | Command::AddMonitor(_) => {
                (false, Some(0))
            }
            // What ends something, or lets a turn go on, is never refused for want of room.
            _ => (false, None),
        };
        let house = self.house();
        let (quota, held) = (house.options.quota, &house.reservations);
        let turn = opens_turn.then(|| held.hold(owner, Limit::Turns, 1));
        let bytes = bytes.filter(|_| quota.journal_bytes_max.is_some()).map(|bytes| bytes.max(1) as u64);
        let bytes = bytes.map(|bytes| held.hold(owner, Limit::JournalBytes, bytes));
        // Open turns are all held; the store counts none.
        let mut full = turn.as_ref().and_then(|turn| turn.check(0, quota.turns_max).err());
        if let Some(bytes) = &bytes
            && full.is_none()
        {
            let used = house.store.totals(owner).await?.journal_bytes;
            full = bytes.check(used, quota.journal_bytes_max).err();
        }
        Ok((Held { _turn: turn, _bytes: bytes }, full))
    }

    /// Holds room for a session that begins with these events, or says why there is none.
    pub(super) async fn room_for_session(&self, owner: &OwnerId, events: &[Event]) -> Result<[Reserved; 2], Error> {
        let house = self.house();
        let (quota, held) = (house.options.quota, &house.reservations);
        let session = held.hold(owner, Limit::Sessions, 1);
        let size = |event: &Event| serde_json::to_string(&event.body).map_or(0, |text| text.len() as u64);
        let bytes = match quota.journal_bytes_max {
            Some(_) => events.iter().map(size).sum(),
            None => 0,
        };
        let bytes = held.hold(owner, Limit::JournalBytes, bytes);
        if quota.sessions_max.is_some() || quota.journal_bytes_max.is_some() {
            let totals = house.store.totals(owner).await?;
            session.check(totals.sessions, quota.sessions_max)?;
            bytes.check(totals.journal_bytes, quota.journal_bytes_max)?;
        }
        Ok([session, bytes])
    }

    /// Holds room for artifacts that are brought along, or says why there is none.
    pub(super) async fn room_for_artifacts(&self, owner: &OwnerId, bytes: u64) -> Result<Reserved, Error> {
        let house = self.house();
        let held = house.reservations.hold(owner, Limit::ArtifactBytes, bytes);
        if bytes > 0 {
            let used = house.store.owner_artifact_bytes(owner).await?;
            held.check(used, Some(house.options.owner_artifact_bytes_max))?;
        }
        Ok(held)
    }

    /// What the server has done since it started, and what an owner uses of it; the operator is told that of all.
    pub async fn stats_for(&self, owner: &OwnerId, is_operator: bool) -> Result<ServerStats, Error> {
        let own = self.usage(owner, self.house().store.totals(owner).await?);
        let (mut owners, mut library) = (Vec::new(), None);
        if is_operator {
            let mut totals: BTreeMap<OwnerId, OwnerTotals> =
                self.house().store.all_totals().await?.into_iter().collect();
            // Also those who only have turns at work.
            let open = self.house().reservations.all(Limit::Turns);
            for (other, _) in open.into_iter().chain(own_turns(self)) {
                totals.entry(other).or_default();
            }
            owners = totals.into_iter().map(|(owner, totals)| self.usage(&owner, totals)).collect();
            library = self.library_usage().await;
        }
        Ok(ServerStats { usage: Some(ServerUsage { own, owners, library }), ..self.stats() })
    }

    fn usage(&self, owner: &OwnerId, totals: OwnerTotals) -> OwnerUsage {
        let house = self.house();
        let (options, memory) = (&house.options, house.room.options());
        let share = |used: u64, max: Option<u64>| Share { used, max };
        OwnerUsage {
            owner: owner.clone(),
            running_turns: share(house.agents.working_of(owner) as u64, Some(options.agents_owner_max as u64)),
            open_turns: share(house.reservations.held(owner, Limit::Turns), options.quota.turns_max),
            sessions: share(totals.sessions, options.quota.sessions_max),
            journal_bytes: share(totals.journal_bytes, options.quota.journal_bytes_max),
            memory_records: share(totals.records, memory.records_max),
            memory_bytes: share(totals.record_bytes, memory.bytes_max),
            artifact_bytes: share(totals.artifact_bytes, Some(options.owner_artifact_bytes_max)),
        }
    }

    async fn library_usage(&self) -> Option<LibraryUsage> {
        // A library that cannot be reached says so where it is looked at.
        self.house().library.as_ref()?.usage().await.ok()
    }
}

/// The owners of whom agents work.
fn own_turns(hub: &Hub) -> Vec<(OwnerId, u64)> {
    hub.house().agents.owners().into_iter().map(|(owner, working)| (owner, working as u64)).collect()
}
