//! The task that owns a session.

use std::{sync::Arc, time::Duration};

use journal::Lease;
use protocol::{ApprovalView, Live, LiveProgress, OwnerId, Progress, SessionId, SessionStatus, TurnError, TurnId};
use session::{Command, Effect, Outcome, Report, State, decide};
use tokio::{
    sync::{broadcast, mpsc},
    task,
    time::{Instant, sleep_until},
};

use super::{
    batch::{Batch, Writing},
    desktop,
    forget::Forget,
    load::{Loaded, load},
    mail::{MAIL_MAX, Mail, Mailbox, Urgency},
    remove::Remove,
    snapshot::Snapshots,
    text::{Channel, Pending},
    workers::Workers,
};
use crate::{
    Error, Exceeded, Limit,
    hub::{Directory, House},
    pool::Background,
    quota::Reserved,
    subscription::{Delivery, Joined},
    turn::Conversation,
};

/// Mail taken for one commit, at most about twice this, so that the first sender need not wait for ever.
const BATCH_MAX: usize = 64;
/// Deliveries a follower may be behind before it reads the journal instead.
const FEED_MAX: usize = 1024;
/// How far away "never" is.
const NEVER: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// A live session.
pub(crate) struct Actor {
    house: Arc<House>,
    lease: Lease,
    state: State,
    mailbox: Mailbox,
    /// Exists while somebody follows.
    feed: Option<broadcast::Sender<Delivery>>,
    pending: Pending,
    /// What is decided and waits to be written.
    batch: Batch,
    /// What is being written.
    writing: Option<Writing>,
    snapshots: Snapshots,
    workers: Workers,
    /// What is to be struck out once everything is written.
    forget: Vec<Forget>,
    /// By whom the session is to be removed once everything is written.
    remove: Vec<Remove>,
    idle_since: Instant,
    /// Counts the open turns with those of the owner's other sessions.
    open_turns: Reserved,
}

/// Why an actor ends.
enum Ending {
    /// Nothing happens here.
    Idle,
    /// It was temporary, and its work is done.
    Removed,
    /// It was removed already.
    Deleted,
    /// The server stops.
    Stopping,
    /// Words were struck out of the journal; the state in memory still has them.
    Rewritten,
    /// The journal refused; the state in memory is worth nothing any more.
    Broken(Error),
}

/// Starts the task for a session. It answers all mail it gets, also when the session cannot be loaded.
pub(crate) fn spawn(directory: Arc<Directory>, session_id: SessionId) -> Mailbox {
    let (mailbox, mut mail) = mpsc::channel(MAIL_MAX);
    let own = mailbox.clone();
    let house = directory.house.clone();
    house.tasks.clone().spawn(async move {
        match Actor::load(house, session_id, own.clone()).await {
            Ok(actor) => {
                let (ending, leftover) = actor.live(&mut mail).await;
                directory.remove(session_id, &own);
                match ending {
                    Ending::Broken(error) => refuse(leftover, &error),
                    Ending::Idle | Ending::Removed | Ending::Deleted | Ending::Rewritten | Ending::Stopping => {
                        directory.post_again(session_id, leftover).await;
                    }
                }
            }
            Err(error) => {
                directory.remove(session_id, &own);
                refuse(close(&mut mail).await, &error);
            }
        }
    });
    mailbox
}

/// Takes no more mail, and gives what is there.
async fn close(mail: &mut mpsc::Receiver<Mail>) -> Vec<Mail> {
    mail.close();
    let mut rest = Vec::new();
    while let Some(mail) = mail.recv().await {
        rest.push(mail);
    }
    rest
}

/// Tells all senders why nothing came of it: passing their mail on to the next actor would let a failing store be tried
/// over and over.
fn refuse(mail: Vec<Mail>, error: &Error) {
    for mail in mail {
        // A caller that has gone needs no answer.
        match mail {
            Mail::Command { reply, .. } => drop(reply.send(Err(error.clone()))),
            Mail::View { reply, .. } => drop(reply.send(Err(error.clone()))),
            Mail::Join { reply, .. } => drop(reply.send(Err(error.clone()))),
            Mail::Conversation { reply, .. } => drop(reply.send(Err(error.clone()))),
            Mail::Desktop { reply, .. } => drop(reply.send(Err(error.clone()))),
            Mail::Windows { reply, .. } => drop(reply.send(Err(error.clone()))),
            Mail::Approvals { reply, .. } => drop(reply.send(Err(error.clone()))),
            Mail::Forget { reply, .. } => drop(reply.send(Err(error.clone()))),
            Mail::Remove { reply, .. } => drop(reply.send(Err(error.clone()))),
            Mail::Wake | Mail::Report { .. } | Mail::Progress { .. } => {}
        }
    }
}

impl Actor {
    async fn load(house: Arc<House>, session_id: SessionId, mailbox: Mailbox) -> Result<Self, Error> {
        let lease = house.store.acquire(session_id).await?;
        let Loaded { state, events_since_snapshot } = load(house.store.as_ref(), session_id).await?;
        let background = Background::new(&house.options);
        let open_turns = house.reservations.hold(&state.owner, Limit::Turns, state.open_turns().count() as u64);
        Ok(Self {
            house,
            lease,
            state,
            mailbox,
            feed: None,
            pending: Pending::default(),
            batch: Batch::default(),
            writing: None,
            snapshots: Snapshots::after_loading(events_since_snapshot),
            workers: Workers::new(background),
            forget: Vec::new(),
            remove: Vec::new(),
            idle_since: Instant::now(),
            open_turns,
        })
    }

    /// Lives until there is a reason to end; gives back the mail that came too late.
    async fn live(mut self, mail: &mut mpsc::Receiver<Mail>) -> (Ending, Vec<Mail>) {
        if self.state.is_moving() {
            // Recovering is never refused.
            let _ = self.decide(Command::Recover);
        }
        let mut ending = self.attend(mail).await;
        self.workers.stop_all();
        let mut unread = Vec::new();
        if matches!(ending, Ending::Stopping) {
            // What turns have reported is done; if it were not written down, it would be in doubt after the restart.
            while let Ok(letter) = mail.try_recv() {
                match letter {
                    report @ Mail::Report { .. } => self.take(report),
                    other => unread.push(other),
                }
            }
            ending = self.write_all().await;
        }
        match ending {
            Ending::Idle | Ending::Stopping => self.snapshots.unload(&self.house.store, &self.state).await,
            Ending::Removed => {
                if let Err(error) = self.house.store.remove(self.lease).await {
                    tracing::warn!(session = %self.state.id, %error, "failed to remove a temporary session");
                }
            }
            Ending::Broken(_) | Ending::Rewritten | Ending::Deleted => {}
        }
        unread.extend(close(mail).await);
        self.house.store.release(self.lease).await;
        (ending, unread)
    }

    async fn attend(&mut self, mail: &mut mpsc::Receiver<Mail>) -> Ending {
        loop {
            self.open_turns.set(self.state.open_turns().count() as u64);
            if !self.forget.is_empty() || !self.remove.is_empty() {
                self.batch.hurry();
            }
            self.write_next();
            // Both rest on what is written, and end the actor: everything that is decided comes first.
            let is_written = self.writing.is_none() && self.batch.is_empty();
            if is_written && self.strike_out().await {
                return Ending::Rewritten;
            }
            if is_written && let Some(ending) = self.be_removed().await {
                return ending;
            }
            let idle_at = self.idle_since + self.house.options.idle_unload;
            let never = Instant::now() + NEVER;
            let due = self.pending.due().unwrap_or(never);
            let write_at = self.batch.due().filter(|_| self.writing.is_none()).unwrap_or(never);
            let expiry = self.next_expiry();
            let has_room = self.batch.waiting() < BATCH_MAX && self.remove.is_empty();
            tokio::select! {
                () = self.house.stopping.cancelled() => return Ending::Stopping,
                written = Writing::written(&mut self.writing) => {
                    if let Err(error) = self.finish_writing(written) {
                        return Ending::Broken(error);
                    }
                    if self.is_discarded() {
                        return Ending::Removed;
                    }
                }
                Some(first) = mail.recv(), if has_room => self.take_all(first, mail),
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
                // A follower that leaves says nothing, so whether anybody is there is looked at when it matters.
                () = sleep_until(idle_at) => {
                    if self.is_idle() {
                        return if self.is_done_with() { Ending::Removed } else { Ending::Idle };
                    }
                }
            }
            self.idle_since = Instant::now();
        }
    }

    /// Strikes out what is to be forgotten; whether the state in memory is worth nothing any more.
    async fn strike_out(&mut self) -> bool {
        let mut is_rewritten = false;
        for forget in std::mem::take(&mut self.forget) {
            self.snapshots.settle().await;
            is_rewritten |= forget.carry_out(&self.house, self.lease, &self.state).await;
        }
        is_rewritten
    }

    /// Removes the session, if that is wanted and holds; why this actor ends then.
    async fn be_removed(&mut self) -> Option<Ending> {
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
            removed = remove.carry_out(&self.house, self.lease, &self.state).await.map(|done| match done {
                Ok(()) => Ending::Deleted,
                Err(error) => Ending::Broken(error),
            });
        }
        removed
    }

    /// When the next open question becomes a no.
    fn next_expiry(&self) -> Instant {
        let wait = self.state.next_expiry().map_or(NEVER, |expires_at| expires_at.since(self.house.world.now()));
        Instant::now() + wait
    }

    /// Whether it is temporary and nothing is left to do in it.
    fn is_done_with(&self) -> bool {
        self.state.temporary && self.state.open_turns().next().is_none()
    }

    /// Whether it is temporary and was ended, and everybody has been told.
    fn is_discarded(&self) -> bool {
        self.state.temporary && self.state.status == SessionStatus::Ended && self.batch.is_empty()
    }

    fn is_idle(&self) -> bool {
        let is_followed = self.feed.as_ref().is_some_and(|feed| feed.receiver_count() > 0);
        // A turn that has ended may still have its last report in the mail: then the state says that it moves.
        let is_quiet = !self.state.is_moving() && self.workers.is_empty();
        is_quiet && !is_followed && self.writing.is_none() && self.batch.is_empty()
    }

    /// Takes a piece of mail and what else has come in, so that one commit serves them all.
    fn take_all(&mut self, first: Mail, mail: &mut mpsc::Receiver<Mail>) {
        self.take(first);
        for _ in 1..BATCH_MAX {
            let Ok(next) = mail.try_recv() else { break };
            self.take(next);
        }
        self.tell_text();
    }

    /// Takes a piece of mail. It is answered when everything that was decided up to now is written: what is seen, and
    /// what is refused, must not rest on something that may yet fail.
    fn take(&mut self, mail: Mail) {
        match mail {
            Mail::Wake => {}
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
                let conversation = self.check_owner(&owner).map(|()| Conversation::of(&self.state, &agent_id));
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
            Mail::Forget { owner, forgetting, reply } => match self.check_owner(&owner) {
                Ok(()) => self.forget.push(Forget { forgetting, reply }),
                Err(error) => self.batch.answer_later(reply, Err(error)),
            },
            Mail::Remove { owner, removal, reply } => match self.check_owner(&owner) {
                Ok(()) => self.remove.push(Remove { removal, reply }),
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

    /// Somebody else's session is no session at all.
    fn check_owner(&self, owner: &OwnerId) -> Result<(), Error> {
        if self.state.owner == *owner { Ok(()) } else { Err(Error::NoSession) }
    }

    fn join(&mut self) -> Joined {
        self.tell_text();
        let feed = self.feed.get_or_insert_with(|| broadcast::channel(FEED_MAX).0).subscribe();
        let background = self.workers.background().clone();
        Joined { head: self.state.head, live: self.pending.told(&self.state, self.house.world.now()), feed, background }
    }

    fn take_reports(&mut self, turn_id: TurnId, reports: Vec<Report>, urgency: Urgency) {
        let mut last = Ok(Outcome::Done);
        for report in reports {
            match report {
                Report::Text(delta) => self.take_words(turn_id, Channel::Text, &delta),
                Report::Thinking(delta) => self.take_words(turn_id, Channel::Thinking, &delta),
                report => {
                    self.number_text();
                    // Most reports are never refused: at worst they come too late.
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
        // Somebody waits for exactly these words, and is told whether they were late.
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

    /// Tells followers the words that have come in since they were last told, once they were told all that came before.
    fn tell_text(&mut self) {
        let is_held = |turn_id: TurnId| {
            self.batch.holds_text(turn_id) || self.writing.as_ref().is_some_and(|writing| writing.holds_text(turn_id))
        };
        for live in self.pending.tell(&self.state, self.house.world.now(), is_held) {
            self.publish(Delivery::Live(live));
        }
    }

    fn tell_progress(&mut self, turn_id: TurnId, data: Progress) {
        let Some(turn) = self.state.running_turn(turn_id) else { return };
        let (session_id, agent_id, at) = (self.state.id, turn.agent_id.clone(), self.house.world.now());
        let live = LiveProgress { session_id, turn_id, agent_id, at, data };
        self.publish(Delivery::Live(Live::Progress(Arc::new(live))));
    }

    /// Numbers the words that wait, so that whatever comes next comes after them.
    fn number_text(&mut self) {
        // Words are told before they are numbered, and what has a number is told by it.
        self.tell_text();
        for turn_id in self.pending.turns() {
            if let Some(report) = self.pending.take(turn_id) {
                // Words of a turn that has ended meanwhile come too late; that is no refusal.
                let _ = self.decide(Command::Report { turn_id, report });
            }
        }
    }

    /// Fails the turn whose task panicked; one that was stopped before has ended already.
    fn end_work(&mut self, error: &task::JoinError) {
        let Some(turn_id) = self.workers.forget(error.id()).filter(|_| error.is_panic()) else { return };
        tracing::error!(session = %self.state.id, turn = %turn_id, "a turn panicked");
        let error = TurnError {
            code: "internal".to_owned(),
            message: "a fault in the server ended the turn".to_owned(),
            recoverable: true,
            details: None,
        };
        self.take_reports(turn_id, vec![Report::Failed { error, usage: None }], Urgency::Now);
    }

    /// Decides and takes the events in. They are not yet written: if that fails, this actor ends and its state with it.
    fn decide(&mut self, command: Command) -> Result<Outcome, Error> {
        self.decide_unless(command, None)
    }

    /// The same, unless there is something to write and no room for it.
    fn decide_unless(&mut self, command: Command, full: Option<Exceeded>) -> Result<Outcome, Error> {
        let now = self.house.world.now();
        // A key must not be forgotten because the clock has jumped: the message would be taken twice.
        let decided_at = if command.is_keyed() { self.house.clock.cautious(&*self.house.world) } else { now };
        let decision = decide(&self.state, command, decided_at)?;
        if let Some(exceeded) = full.filter(|_| !decision.events.is_empty()) {
            return Err(exceeded.into());
        }
        // Times in a journal never go backwards, whatever the clock does. In a fork the start is the latest of what was copied.
        let at = now.max(self.state.updated_at).max(self.state.created_at);
        for draft in decision.events {
            let event = draft.number(self.state.id, self.state.head + 1, at);
            self.house.counters.count(&self.state, &event);
            self.state.apply(&event);
            self.batch.push(event);
        }
        self.batch.then(decision.effects);
        Ok(decision.outcome)
    }

    /// Starts to write what was decided and is due, unless something is being written. Mail is taken meanwhile.
    fn write_next(&mut self) {
        if self.writing.is_none() && self.batch.is_due() {
            self.write_batch();
        }
    }

    fn write_batch(&mut self) {
        if !self.batch.is_empty() {
            let batch = std::mem::take(&mut self.batch);
            let writing = batch.write(&self.house.store, self.lease, &self.state, self.feed.is_some());
            self.writing = Some(writing);
        }
    }

    /// It is written: then, and only then, everybody hears of it and its effects begin.
    fn finish_writing(&mut self, written: Result<(), Error>) -> Result<(), Error> {
        let Some(mut writing) = self.writing.take() else { return Ok(()) };
        writing.batch.answer(&written);
        if let Err(error) = &written {
            tracing::error!(session = %self.state.id, %error, "failed to append; the session is loaded anew");
            self.batch.answer(&written);
            return written;
        }
        for event in writing.take_published().iter() {
            self.publish(Delivery::Event(event.clone()));
        }
        // A snapshot must not hold more than what is written.
        self.snapshots.count(writing.count);
        if self.batch.has_no_events() {
            self.snapshots.take_if_due(&self.house.store, &self.state);
        }
        for effect in writing.batch.take_effects() {
            self.run(effect);
        }
        self.tell_text();
        Ok(())
    }

    /// Writes everything that is left, so that words that are out are not lost for want of a number.
    async fn write_all(&mut self) -> Ending {
        self.number_text();
        loop {
            if self.writing.is_none() {
                self.write_batch();
            }
            if self.writing.is_none() {
                return Ending::Stopping;
            }
            let written = Writing::written(&mut self.writing).await;
            if let Err(error) = self.finish_writing(written) {
                return Ending::Broken(error);
            }
            self.workers.stop_all();
        }
    }

    fn publish(&mut self, delivery: Delivery) {
        if let Some(feed) = &self.feed
            && feed.send(delivery).is_err()
        {
            // The last follower has gone.
            self.feed = None;
        }
    }

    fn run(&mut self, effect: Effect) {
        match effect {
            Effect::Stop(turn_id) => self.workers.stop(turn_id),
            Effect::Nudge(turn_id) => self.workers.nudge(&self.state, turn_id),
            Effect::Run(turn_id) => self.workers.start(&self.house, &self.state, turn_id, self.mailbox.clone()),
        }
    }
}
