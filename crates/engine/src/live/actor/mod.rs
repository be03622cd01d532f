//! The task that owns a session.

mod begin;
mod effects;
mod leftover_mail;
mod plans;

use std::{sync::Arc, time::Duration};

use journal::{Lease, OwnerHold};
use protocol::{
    AlertEvent, ApprovalView, LiveProgress, LiveUpdate, OwnerId, Progress, SessionStatus, TurnError, TurnId,
};
use session::{Command, CommandOutcome, State, TurnReport, decide};
use tokio::{
    sync::{broadcast, mpsc},
    task,
    time::{Instant, sleep_until},
};

pub(crate) use begin::spawn;
use leftover_mail::close;

use super::{
    batch::{CommitBatch, PendingWrite},
    desktop,
    forget::ForgetRequest,
    mail::{Mail, Mailbox, Urgency},
    remove::RemoveRequest,
    snapshot::SnapshotSchedule,
    text::{Channel, PendingText},
    triggers,
    workers::Workers,
};
use crate::{
    Error, QuotaExceeded,
    hub::Services,
    observation,
    plans::{occasion, zone_of},
    quota::Reservation,
    subscription::{Delivery, LiveFeed},
    turn::ConversationContext,
};

/// Mail for one commit, at most about twice this, so that the first sender does not wait too long.
const BATCH_MAX: usize = 64;
/// Deliveries that a subscriber may be behind before it reads the journal.
const FEED_MAX: usize = 1024;
/// A duration that stands for "never".
const NEVER: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A live session.
pub(crate) struct Actor {
    services: Arc<Services>,
    lease: Lease,
    /// This node serves the owner. If it does no longer, the state here is no longer valid.
    hold: OwnerHold,
    state: State,
    mailbox: Mailbox,
    /// Exists while there are subscribers.
    feed: Option<broadcast::Sender<Delivery>>,
    pending: PendingText,
    /// Decisions that wait to be written.
    batch: CommitBatch,
    /// The write in progress.
    writing: Option<PendingWrite>,
    snapshots: SnapshotSchedule,
    workers: Workers,
    /// Redactions to carry out once everything is written.
    forget: Vec<ForgetRequest>,
    /// Removals to carry out once everything is written.
    remove: Vec<RemoveRequest>,
    idle_since: Instant,
    /// Reserves the open turns in the owner's quota.
    open_turns: Reservation,
}

/// Why an actor ends.
enum ExitReason {
    /// There is no activity.
    Idle,
    /// The session was temporary, and its turn has ended.
    Removed,
    /// The session was removed already.
    Deleted,
    /// The server stops.
    Stopping,
    /// The journal was redacted; the state in memory still contains the text.
    Rewritten,
    /// A write failed; the state in memory is no longer valid.
    Broken(Error),
}

impl Actor {
    /// Runs until there is a reason to exit; returns the mail that came too late.
    async fn live(mut self, mail: &mut mpsc::Receiver<Mail>) -> (ExitReason, Vec<Mail>) {
        if self.state.is_moving() || self.state.alerts.is_under_way() {
            // Recovering is never refused.
            let _ = self.decide(Command::Recover);
        }
        if self.state.wake_at().is_some() {
            self.wake();
        }
        let mut unread = Vec::new();
        let mut ending = self.attend(mail, &mut unread).await;
        self.workers.stop_all();
        if matches!(ending, ExitReason::Stopping) {
            // What turns have reported has happened; if it were not recorded, it would be in doubt
            // after the restart.
            while let Ok(letter) = mail.try_recv() {
                match letter {
                    report @ Mail::Report { .. } => self.take(report),
                    other => unread.push(other),
                }
            }
            ending = self.write_all().await;
        }
        match ending {
            ExitReason::Idle | ExitReason::Stopping => self.snapshots.unload(&self.services.store, &self.state).await,
            ExitReason::Removed => {
                if let Err(error) = self.services.store.remove(self.lease).await {
                    tracing::warn!(session = %self.state.id, %error, "failed to remove a temporary session");
                }
            }
            ExitReason::Broken(_) | ExitReason::Rewritten | ExitReason::Deleted => {}
        }
        unread.extend(close(mail).await);
        self.services.store.release(self.lease).await;
        (ending, unread)
    }

    async fn attend(&mut self, mail: &mut mpsc::Receiver<Mail>, unread: &mut Vec<Mail>) -> ExitReason {
        loop {
            self.open_turns.set(self.state.open_turns().count() as u64);
            if !self.forget.is_empty() || !self.remove.is_empty() {
                self.batch.hurry();
            }
            self.write_next();
            // Both depend on the written events and end the actor: all decisions are written first.
            let is_written = self.writing.is_none() && self.batch.is_empty();
            if is_written && self.redact_records().await {
                return ExitReason::Rewritten;
            }
            if is_written && let Some(ending) = self.be_removed().await {
                return ending;
            }
            let idle_at = self.idle_since + self.services.options.idle_unload;
            let never = Instant::now() + NEVER;
            let due = self.pending.due().unwrap_or(never);
            let write_at = self.batch.due().filter(|_| self.writing.is_none()).unwrap_or(never);
            let expiry = self.next_expiry();
            let has_room = self.batch.waiting() < BATCH_MAX && self.remove.is_empty();
            tokio::select! {
                () = self.services.stopping.cancelled() => return ExitReason::Stopping,
                () = self.hold.lost() => return ExitReason::Broken(Error::Unanswered),
                written = PendingWrite::written(&mut self.writing) => {
                    if let Err(error) = self.finish_writing(written) {
                        return ExitReason::Broken(error);
                    }
                    if self.is_discarded() {
                        return ExitReason::Removed;
                    }
                }
                Some(first) = mail.recv(), if has_room => {
                    self.take_all(first, mail, unread);
                    if !unread.is_empty() {
                        return ExitReason::Broken(Error::Unanswered);
                    }
                }
                Some(ended) = self.workers.ended() => match ended {
                    Ok(task) => drop(self.workers.forget(task)),
                    Err(error) => self.end_work(&error),
                },
                () = sleep_until(due) => self.number_text(),
                () = sleep_until(write_at) => {}
                () = sleep_until(expiry) => {
                    // Expiring is never refused.
                    let _ = self.decide(Command::Expire);
                }
                // A subscriber leaves silently, so the actor checks for them when it matters.
                () = sleep_until(idle_at) => {
                    if self.is_idle() {
                        return if self.is_done_with() { ExitReason::Removed } else { ExitReason::Idle };
                    }
                }
            }
            self.idle_since = Instant::now();
        }
    }

    /// Redacts events. Returns whether the state in memory is no longer valid.
    async fn redact_records(&mut self) -> bool {
        let mut is_rewritten = false;
        for forget in std::mem::take(&mut self.forget) {
            self.snapshots.settle().await;
            is_rewritten |= forget.carry_out(&self.services, self.lease, &mut self.state).await;
        }
        is_rewritten
    }

    /// Removes the session if a removal applies. Returns the reason to exit then.
    async fn be_removed(&mut self) -> Option<ExitReason> {
        let mut removed = None;
        for remove in std::mem::take(&mut self.remove) {
            if removed.is_some() {
                // A caller that has gone needs no answer.
                let _ = remove.reply.send(Err(Error::NoSession));
                continue;
            }
            if remove.removal.fits(&self.state) {
                self.workers.stop_all();
                self.snapshots.settle().await;
            }
            removed = remove.carry_out(&self.services, self.lease, &self.state).await.map(|done| match done {
                Ok(()) => {
                    self.services.tool_workers.end_session(&self.state.owner, self.state.id);
                    ExitReason::Deleted
                }
                Err(error) => ExitReason::Broken(error),
            });
        }
        removed
    }

    /// The deadline of the next open question.
    fn next_expiry(&self) -> Instant {
        let wait = self.state.next_expiry().map_or(NEVER, |expires_at| expires_at.since(self.services.world.now()));
        Instant::now() + wait
    }

    /// Whether it is temporary and nothing is left to do in it.
    fn is_done_with(&self) -> bool {
        self.state.temporary && self.state.open_turns().next().is_none()
    }

    /// Whether it is temporary, was ended, and all callers have been answered.
    fn is_discarded(&self) -> bool {
        self.state.temporary && self.state.status == SessionStatus::Ended && self.batch.is_empty()
    }

    fn is_idle(&self) -> bool {
        let is_followed = self.feed.as_ref().is_some_and(|feed| feed.receiver_count() > 0);
        // An ended turn may still have its last report in the mailbox: then `is_moving` is true.
        let is_quiet = !self.state.is_moving() && self.workers.is_empty();
        is_quiet && !is_followed && self.writing.is_none() && self.batch.is_empty()
    }

    /// Takes a piece of mail and everything else in the mailbox, so that one commit serves them
    /// all.
    fn take_all(&mut self, first: Mail, mail: &mut mpsc::Receiver<Mail>, unread: &mut Vec<Mail>) {
        let mut next = Some(first);
        for _ in 0..BATCH_MAX {
            let Some(letter) = next else { break };
            // It may be sent by one who knows that this node serves the owner again, and what
            // another node has written meanwhile is not known here.
            if self.hold.is_lost() {
                return unread.push(letter);
            }
            self.take(letter);
            next = mail.try_recv().ok();
        }
        self.tell_text();
    }

    /// Takes a piece of mail. It is answered when all decisions up to now are written: no answer,
    /// and no refusal, may depend on a write that can still fail.
    fn take(&mut self, mail: Mail) {
        match mail {
            Mail::Wake => self.wake(),
            Mail::HomeChanged(change) => self.trigger(triggers::of_home(&self.state, &change)),
            Mail::HomeEvent(event) => self.trigger(triggers::of_home_event(&self.state, &event)),
            Mail::TurnEnded(ended) => self.trigger(triggers::of_turn(&self.state, &ended)),
            Mail::Report { turn_id, reports, urgency } => self.take_reports(turn_id, reports, urgency),
            Mail::Progress { turn_id, progress } => self.tell_progress(turn_id, progress),
            Mail::Command { owner, command, full, reply } => {
                let outcome = self.check_owner(&owner).and_then(|()| {
                    self.number_text();
                    self.decide_unless(*command, full)
                });
                self.batch.answer_later(reply, outcome);
            }
            Mail::View { owner, reply } => {
                let view = self.check_owner(&owner).map(|()| self.state.view());
                self.batch.answer_later(reply, view);
            }
            Mail::Conversation { owner, agent_id, reply } => {
                let conversation = self.check_owner(&owner).map(|()| ConversationContext::of(&self.state, &agent_id));
                self.batch.answer_later(reply, conversation);
            }
            Mail::Desktop { owner, reply } => {
                let desktop = self.check_owner(&owner).map(|()| desktop::view(&self.state));
                self.batch.answer_later(reply, desktop);
            }
            Mail::Windows { owner, reply } => {
                let windows = self.check_owner(&owner).map(|()| self.state.desktop.clone());
                self.batch.answer_later(reply, windows);
            }
            Mail::Approvals { owner, reply } => {
                let open = self.check_owner(&owner).map(|()| self.approvals());
                self.batch.answer_later(reply, open);
            }
            Mail::Schedules { owner, reply } => {
                let zone = zone_of(&self.state.settings, &self.services.options);
                let schedules = self.check_owner(&owner).map(|()| (self.state.schedules.clone(), zone));
                self.batch.answer_later(reply, schedules);
            }
            Mail::Alerts { owner, reply } => {
                let alerts = self.check_owner(&owner).map(|()| self.state.alerts.clone());
                self.batch.answer_later(reply, alerts);
            }
            Mail::Forget { owner, forgetting, within, reply } => match self.check_owner(&owner) {
                Ok(()) => self.forget.push(ForgetRequest { redaction: forgetting, within, reply }),
                Err(error) => self.batch.answer_later(reply, Err(error)),
            },
            Mail::Remove { owner, removal, reply } => match self.check_owner(&owner) {
                Ok(()) => self.remove.push(RemoveRequest { removal, reply }),
                Err(error) => self.batch.answer_later(reply, Err(error)),
            },
            Mail::Join { owner, reply } => {
                let joined = self.check_owner(&owner).map(|()| self.join());
                self.batch.answer_later(reply, joined);
            }
        }
    }

    fn approvals(&self) -> Vec<ApprovalView> {
        let open = self.state.approvals();
        open.map(|request| ApprovalView { session_id: self.state.id, request: request.clone() }).collect()
    }

    /// A session of another owner is reported as missing.
    fn check_owner(&self, owner: &OwnerId) -> Result<(), Error> {
        if self.state.owner == *owner { Ok(()) } else { Err(Error::NoSession) }
    }

    fn join(&mut self) -> LiveFeed {
        self.tell_text();
        let feed = self.feed.get_or_insert_with(|| broadcast::channel(FEED_MAX).0).subscribe();
        let background = self.workers.background().clone();
        LiveFeed {
            head: self.state.head,
            live: self.pending.told(&self.state, self.services.world.now()),
            feed,
            background,
        }
    }

    fn take_reports(&mut self, turn_id: TurnId, reports: Vec<TurnReport>, urgency: Urgency) {
        let mut last = Ok(CommandOutcome::Done);
        for report in reports {
            match report {
                TurnReport::Text(delta) => self.take_words(turn_id, Channel::Text, &delta),
                TurnReport::Thinking(delta) => self.take_words(turn_id, Channel::Thinking, &delta),
                report => {
                    self.number_text();
                    // Most reports are never refused: at worst they are too late.
                    last = self.decide(Command::Report { turn_id, report });
                }
            }
        }
        match urgency {
            Urgency::CanWait => {}
            Urgency::Now => self.batch.hurry(),
            Urgency::Awaited(reply) => self.batch.answer_later(reply, last),
        }
    }

    fn take_words(&mut self, turn_id: TurnId, channel: Channel, delta: &str) {
        let Some(turn) = self.state.running_turn(turn_id) else { return };
        let is_first = channel == Channel::Text && turn.first_word_at.is_none();
        // The client waits for exactly this text, and learns whether it was late.
        let is_awaited = is_first && turn.request.early_wait_ms.is_some();
        if self.pending.has_other(turn_id, channel) {
            self.number_text();
        }
        self.pending.push(turn_id, channel, delta, is_first);
        if self.batch.holds_text(turn_id) {
            self.batch.hurry();
        }
        if is_awaited || self.pending.is_full(turn_id) {
            self.number_text();
        }
        if is_awaited {
            self.batch.hurry();
        }
    }

    /// Publishes new text to subscribers, once they have received everything before it.
    fn tell_text(&mut self) {
        let is_held = |turn_id: TurnId| {
            self.batch.holds_text(turn_id) || self.writing.as_ref().is_some_and(|writing| writing.holds_text(turn_id))
        };
        for live in self.pending.tell(&self.state, self.services.world.now(), is_held) {
            self.publish(Delivery::Live(live));
        }
    }

    fn tell_progress(&mut self, turn_id: TurnId, data: Progress) {
        let Some(turn) = self.state.running_turn(turn_id) else { return };
        let (session_id, agent_id, at) = (self.state.id, turn.agent_id.clone(), self.services.world.now());
        let live = LiveProgress { session_id, turn_id, agent_id, at, data };
        self.publish(Delivery::Live(LiveUpdate::Progress(Arc::new(live))));
    }

    /// Numbers the pending text, so that whatever comes next comes after it.
    fn number_text(&mut self) {
        // Text is published before it is numbered; numbered text is published as an event.
        self.tell_text();
        for turn_id in self.pending.turns() {
            if let Some((report, is_published)) = self.pending.take(turn_id) {
                // Text of a turn that has ended meanwhile is too late; that is no refusal.
                let _ = self.decide(Command::Report { turn_id, report });
                if !is_published {
                    // Subscribers see this text only with its event: later text has to wait for it.
                    self.batch.hold_text(turn_id);
                }
            }
        }
    }

    /// Fails the turn whose task panicked; a turn that was stopped has ended already.
    fn end_work(&mut self, error: &task::JoinError) {
        let Some(turn_id) = self.workers.forget(error.id()).filter(|_| error.is_panic()) else { return };
        tracing::error!(session = %self.state.id, turn = %turn_id, "a turn panicked");
        let error = TurnError {
            code: "internal".to_owned(),
            message: "a fault in the server ended the turn".to_owned(),
            recoverable: true,
            details: None,
        };
        self.take_reports(turn_id, vec![TurnReport::Failed { error, usage: None }], Urgency::Now);
    }

    /// Decides a command and applies its events. They are not written yet: if writing fails, this
    /// actor exits and its state is dropped.
    fn decide(&mut self, command: Command) -> Result<CommandOutcome, Error> {
        self.decide_unless(command, None)
    }

    /// The same, unless there is something to write and the quota is used up.
    fn decide_unless(&mut self, command: Command, full: Option<QuotaExceeded>) -> Result<CommandOutcome, Error> {
        let now = self.services.world.now();
        // An idempotency key must not expire because the clock has jumped: the message would be
        // accepted twice.
        let decided_at = if command.is_keyed() { self.services.clock.cautious(&*self.services.world) } else { now };
        let decision = decide(&self.state, command, decided_at)?;
        if let Some(exceeded) = full.filter(|_| !decision.events.is_empty()) {
            return Err(exceeded.into());
        }
        // Times in a journal never decrease, whatever the clock does. In a fork the start has the
        // latest time of all copied events.
        let at = now.max(self.state.updated_at).max(self.state.created_at);
        let (mut alerts, mut causes) = (Vec::new(), Vec::new());
        for draft in decision.events {
            let event = draft.number(self.state.id, self.state.head + 1, at);
            observation::count(&self.services, &self.state, &event);
            alerts.extend(occasion(&self.services, &self.state, &event));
            let ended = triggers::ended(&self.state, &event);
            causes.extend(ended.iter().flat_map(|ended| triggers::of_turn(&self.state, ended)));
            self.batch.tell_ended(ended);
            self.state.apply(&event);
            self.batch.push(event);
        }
        self.batch.then(decision.effects);
        for alert in alerts {
            // In the same commit as what raises it. Raising is never refused.
            let _ = self.decide(Command::Alert(AlertEvent::Raised { alert }));
        }
        self.trigger(causes);
        Ok(decision.outcome)
    }

    /// Starts the next write if one is due and none is in progress. Mail is taken meanwhile.
    fn write_next(&mut self) {
        if self.writing.is_none() && self.batch.is_due() {
            self.write_batch();
        }
    }

    fn write_batch(&mut self) {
        if !self.batch.is_empty() {
            let batch = std::mem::take(&mut self.batch);
            let writing = batch.write(&self.services.store, self.lease, &self.state, self.feed.is_some());
            self.writing = Some(writing);
        }
    }

    /// The batch is written: only now are its events published and its effects run.
    fn finish_writing(&mut self, written: Result<(), Error>) -> Result<(), Error> {
        let Some(mut writing) = self.writing.take() else { return Ok(()) };
        writing.batch.answer(&written);
        if let Err(error) = &written {
            tracing::error!(session = %self.state.id, %error, "failed to append; reloading the session");
            self.batch.answer(&written);
            return written;
        }
        for (turn_id, how) in writing.endings() {
            self.services.tool_workers.end_turn(&self.state.owner, turn_id, how);
        }
        if writing.changes_plans() {
            self.tell_plans();
            writing.events().iter().for_each(|event| self.services.timers.tell(&self.state, event));
        }
        for event in writing.take_published().iter() {
            self.publish(Delivery::Event(event.clone()));
        }
        // A snapshot must not contain more than what is written.
        self.snapshots.count(writing.count);
        if self.batch.has_no_events() {
            self.snapshots.take_if_due(&self.services.store, &self.state);
        }
        for effect in writing.batch.take_effects() {
            self.run(effect);
        }
        self.tell_ended(writing.batch.take_ended());
        self.tell_text();
        Ok(())
    }

    /// Writes everything that is left, so that published text is not lost for lack of a number.
    async fn write_all(&mut self) -> ExitReason {
        self.number_text();
        loop {
            if self.writing.is_none() {
                self.write_batch();
            }
            if self.writing.is_none() {
                return ExitReason::Stopping;
            }
            let written = PendingWrite::written(&mut self.writing).await;
            if let Err(error) = self.finish_writing(written) {
                return ExitReason::Broken(error);
            }
            self.workers.stop_all();
        }
    }

    fn publish(&mut self, delivery: Delivery) {
        if let Some(feed) = &self.feed
            && feed.send(delivery).is_err()
        {
            // The last subscriber has gone.
            self.feed = None;
        }
    }
}
