//! Usage and quotas of owners.

use std::collections::BTreeMap;

use journal::OwnerTotals;
use protocol::{Event, LibraryUsage, OnBusy, OwnerId, OwnerUsage, QuotaUsage, ServerStats, ServerUsage};
use session::Command;

use super::Hub;
use crate::{
    Error,
    quota::{QuotaExceeded, QuotaKind, Reservation},
};

/// Reservations that are held for a request until it is done.
pub(super) struct QuotaHold {
    _turn: Option<Reservation>,
    _bytes: Option<Reservation>,
}

impl Hub {
    /// Reserves quota for what a command will write. The second value says which limit is exceeded:
    /// the command is then refused, unless it writes nothing, for example because it was accepted
    /// before.
    pub(super) async fn admit(
        &self,
        owner: &OwnerId,
        command: &Command,
    ) -> Result<(QuotaHold, Option<QuotaExceeded>), Error> {
        let (opens_turn, bytes) = match command {
            Command::Send { send, .. } => (send.on_busy != OnBusy::Steer, Some(send.message.len())),
            Command::Retry { request, .. } => (true, Some(request.message.len())),
            Command::SendToWindow { .. } => (true, Some(0)),
            Command::Interact(_) | Command::Update(_) | Command::RegisterApp { .. } | Command::AddMonitor(_) => {
                (false, Some(0))
            }
            // Commands that end something or continue a turn are never refused because of a quota.
            _ => (false, None),
        };
        let services = self.services();
        let (quota, held) = (services.options.quota, &services.reservations);
        let turn = opens_turn.then(|| held.hold(owner, QuotaKind::Turns, 1));
        let bytes = bytes.filter(|_| quota.journal_bytes_max.is_some()).map(|bytes| bytes.max(1) as u64);
        let bytes = bytes.map(|bytes| held.hold(owner, QuotaKind::JournalBytes, bytes));
        // All open turns are reservations; the store counts none.
        let mut full = turn.as_ref().and_then(|turn| turn.check(0, quota.turns_max).err());
        if let Some(bytes) = &bytes
            && full.is_none()
        {
            let used = services.store.totals(owner).await?.journal_bytes;
            full = bytes.check(used, quota.journal_bytes_max).err();
        }
        Ok((QuotaHold { _turn: turn, _bytes: bytes }, full))
    }

    /// Reserves quota for a session that starts with these events, or fails.
    pub(super) async fn room_for_session(&self, owner: &OwnerId, events: &[Event]) -> Result<[Reservation; 2], Error> {
        let services = self.services();
        let (quota, held) = (services.options.quota, &services.reservations);
        let session = held.hold(owner, QuotaKind::Sessions, 1);
        let size = |event: &Event| serde_json::to_string(&event.body).map_or(0, |text| text.len() as u64);
        let bytes = match quota.journal_bytes_max {
            Some(_) => events.iter().map(size).sum(),
            None => 0,
        };
        let bytes = held.hold(owner, QuotaKind::JournalBytes, bytes);
        if quota.sessions_max.is_some() || quota.journal_bytes_max.is_some() {
            let totals = services.store.totals(owner).await?;
            session.check(totals.sessions, quota.sessions_max)?;
            bytes.check(totals.journal_bytes, quota.journal_bytes_max)?;
        }
        Ok([session, bytes])
    }

    /// Reserves quota for imported artifacts, or fails.
    pub(super) async fn room_for_artifacts(&self, owner: &OwnerId, bytes: u64) -> Result<Reservation, Error> {
        let services = self.services();
        let held = services.reservations.hold(owner, QuotaKind::ArtifactBytes, bytes);
        if bytes > 0 {
            let used = services.store.owner_artifact_bytes(owner).await?;
            held.check(used, Some(services.options.owner_artifact_bytes_max))?;
        }
        Ok(held)
    }

    /// The server's statistics since its start, with an owner's usage; an operator gets the usage
    /// of all owners.
    pub async fn stats_for(&self, owner: &OwnerId, is_operator: bool) -> Result<ServerStats, Error> {
        let own = self.usage(owner, self.services().store.totals(owner).await?);
        let (mut owners, mut library) = (Vec::new(), None);
        if is_operator {
            let mut totals: BTreeMap<OwnerId, OwnerTotals> =
                self.services().store.all_totals().await?.into_iter().collect();
            // Including owners that only have running turns.
            let open = self.services().reservations.all(QuotaKind::Turns);
            for (other, _) in open.into_iter().chain(own_turns(self)) {
                totals.entry(other).or_default();
            }
            owners = totals.into_iter().map(|(owner, totals)| self.usage(&owner, totals)).collect();
            library = self.library_usage().await;
        }
        Ok(ServerStats { usage: Some(ServerUsage { own, owners, library }), ..self.stats() })
    }

    fn usage(&self, owner: &OwnerId, totals: OwnerTotals) -> OwnerUsage {
        let services = self.services();
        let (options, memory) = (&services.options, services.long_term.options());
        let share = |used: u64, max: Option<u64>| QuotaUsage { used, max };
        OwnerUsage {
            owner: owner.clone(),
            running_turns: share(services.agents.working_of(owner) as u64, Some(options.agents_owner_max as u64)),
            open_turns: share(services.reservations.held(owner, QuotaKind::Turns), options.quota.turns_max),
            sessions: share(totals.sessions, options.quota.sessions_max),
            journal_bytes: share(totals.journal_bytes, options.quota.journal_bytes_max),
            memory_records: share(totals.records, memory.records_max),
            memory_bytes: share(totals.record_bytes, memory.bytes_max),
            artifact_bytes: share(totals.artifact_bytes, Some(options.owner_artifact_bytes_max)),
            value_bytes: share(totals.value_bytes, options.quota.value_bytes_max),
        }
    }

    async fn library_usage(&self) -> Option<LibraryUsage> {
        // An unreachable library is reported where it is used.
        self.services().library.as_ref()?.usage().await.ok()
    }
}

/// The owners with running agents.
fn own_turns(hub: &Hub) -> Vec<(OwnerId, u64)> {
    hub.services().agents.owners().into_iter().map(|(owner, working)| (owner, working as u64)).collect()
}
