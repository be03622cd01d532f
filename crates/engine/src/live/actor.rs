//! The task that owns a session.

use std::{sync::Arc, time::Duration};

use journal::{Append, Lease, Summary};
use protocol::{OwnerId, SessionId, TurnError, TurnId};
use session::{Command, Effect, State, decide};
use tokio::{
    sync::{broadcast, mpsc},
    task::{AbortHandle, JoinSet},
    time::{Instant, sleep_until},
};

use super::{
    batch::Batch,
    load::{Loaded, load},
    mail::{MAIL_MAX, Mail, Mailbox, Report, Reporter},
    snapshot::Snapshots,
    text::Pending,
};
use crate::{
    Error,
    hub::{Directory, House},
    subscription::{Delivery, Joined},
    turn,
};

/// Mail taken before a commit at most, so that the first sender need not wait for ever.
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
    snapshots: Snapshots,
    work: JoinSet<()>,
    at_work: Option<(TurnId, AbortHandle)>,
    idle_since: Instant,
}

/// Why an actor ends.
enum Ending {
    /// Nothing happens here.
    Idle,
    /// The server stops.
    Stopping,
    /// The journal refused; the state in memory is worth nothing any more.
    Broken,
}

/// Starts the task for a session. It answers all mail it gets, also when the session cannot be loaded.
pub(crate) fn spawn(directory: Arc<Directory>, session_id: SessionId) -> Mailbox {
    let (mailbox, mut mail) = mpsc::channel(MAIL_MAX);
    let own = mailbox.clone();
    let house = directory.house.clone();
    house.tasks.clone().spawn(async move {
        match Actor::load(house, session_id, own.clone()).await {
            Ok(actor) => {
                let leftover = actor.live(&mut mail).await;
                directory.remove(session_id, &own);
                directory.post_again(session_id, leftover).await;
            }
            Err(error) => {
                directory.remove(session_id, &own);
                for unanswered in close(&mut mail).await {
                    refuse(unanswered, &error);
                }
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

fn refuse(mail: Mail, error: &Error) {
    // A caller that has gone needs no answer.
    match mail {
        Mail::Command { reply, .. } => drop(reply.send(Err(error.clone()))),
        Mail::View { reply, .. } => drop(reply.send(Err(error.clone()))),
        Mail::Join { reply, .. } => drop(reply.send(Err(error.clone()))),
        Mail::Wake | Mail::Report { .. } => {}
    }
}

impl Actor {
    async fn load(house: Arc<House>, session_id: SessionId, mailbox: Mailbox) -> Result<Self, Error> {
        let lease = house.store.acquire(session_id).await?;
        let Loaded { state, events_since_snapshot } = load(house.store.as_ref(), session_id).await?;
        Ok(Self {
            house,
            lease,
            state,
            mailbox,
            feed: None,
            pending: Pending::default(),
            snapshots: Snapshots::after_loading(events_since_snapshot),
            work: JoinSet::new(),
            at_work: None,
            idle_since: Instant::now(),
        })
    }

    /// Lives until there is a reason to end; gives back the mail that came too late.
    async fn live(mut self, mail: &mut mpsc::Receiver<Mail>) -> Vec<Mail> {
        let ending = match self.recover().await {
            Ok(()) => self.attend(mail).await,
            Err(ending) => ending,
        };
        self.work.abort_all();
        if matches!(ending, Ending::Stopping) {
            // Words that are out should not be lost for want of a number.
            let mut batch = Batch::default();
            self.number_text(&mut batch);
            let _ = self.commit(batch).await;
        }
        if matches!(ending, Ending::Idle | Ending::Stopping) {
            self.snapshots.unload(&self.house.store, &self.state).await;
        }
        let leftover = close(mail).await;
        self.house.store.release(self.lease).await;
        leftover
    }

    async fn recover(&mut self) -> Result<(), Ending> {
        let mut batch = Batch::default();
        if self.state.is_moving() {
            // Recovering is never refused.
            let _ = self.decide(Command::Recover, &mut batch);
        }
        self.commit(batch).await
    }

    async fn attend(&mut self, mail: &mut mpsc::Receiver<Mail>) -> Ending {
        loop {
            let idle_at = self.idle_since + if self.is_idle() { self.house.options.idle_unload } else { NEVER };
            let due = self.pending.due().unwrap_or_else(|| Instant::now() + NEVER);
            let mut batch = Batch::default();
            let taken = tokio::select! {
                () = self.house.stopping.cancelled() => return Ending::Stopping,
                Some(first) = mail.recv() => self.take_all(first, mail, &mut batch).await,
                Some(ended) = self.work.join_next() => {
                    if ended.is_err_and(|error| error.is_panic()) {
                        self.fail_at_work(&mut batch);
                    }
                    Ok(())
                }
                () = sleep_until(due) => {
                    self.number_text(&mut batch);
                    Ok(())
                }
                () = sleep_until(idle_at) => return Ending::Idle,
            };
            let committed = match taken {
                Ok(()) => self.commit(batch).await,
                Err(ending) => Err(ending),
            };
            if let Err(ending) = committed {
                return ending;
            }
            self.idle_since = Instant::now();
        }
    }

    fn is_idle(&self) -> bool {
        let is_followed = self.feed.as_ref().is_some_and(|feed| feed.receiver_count() > 0);
        // A turn that has ended may still have its last report in the mail: then the state says that it moves.
        !is_followed && !self.state.is_moving() && self.work.is_empty()
    }

    /// Takes a piece of mail and what else has come in, so that one commit serves them all.
    async fn take_all(
        &mut self,
        first: Mail,
        mail: &mut mpsc::Receiver<Mail>,
        batch: &mut Batch,
    ) -> Result<(), Ending> {
        self.take(first, batch).await?;
        for _ in 1..BATCH_MAX {
            let Ok(next) = mail.try_recv() else { break };
            self.take(next, batch).await?;
        }
        self.tell_text();
        Ok(())
    }

    async fn take(&mut self, mail: Mail, batch: &mut Batch) -> Result<(), Ending> {
        match mail {
            Mail::Wake => {}
            Mail::Report { turn_id, report } => self.take_report(turn_id, report, batch),
            Mail::Command { owner, command, reply } => {
                if let Err(error) = self.check_owner(&owner) {
                    let _ = reply.send(Err(error));
                    return Ok(());
                }
                self.number_text(batch);
                match self.decide(command, batch) {
                    Ok(outcome) => batch.answer_later(reply, outcome),
                    Err(error) => drop(reply.send(Err(error))),
                }
            }
            Mail::View { owner, reply } => {
                // What is seen must be committed.
                self.commit(std::mem::take(batch)).await?;
                let _ = reply.send(self.check_owner(&owner).map(|()| self.state.view()));
            }
            Mail::Join { owner, reply } => {
                self.commit(std::mem::take(batch)).await?;
                self.tell_text();
                let _ = reply.send(self.check_owner(&owner).map(|()| self.join()));
            }
        }
        Ok(())
    }

    /// Somebody else's session is no session at all.
    fn check_owner(&self, owner: &OwnerId) -> Result<(), Error> {
        if self.state.owner == *owner { Ok(()) } else { Err(Error::NoSession) }
    }

    fn join(&mut self) -> Joined {
        let feed = self.feed.get_or_insert_with(|| broadcast::channel(FEED_MAX).0).subscribe();
        Joined { head: self.state.head, live: self.pending.all(&self.state, self.house.world.now()), feed }
    }

    fn take_report(&mut self, turn_id: TurnId, report: Report, batch: &mut Batch) {
        let command = match report {
            Report::Text(delta) => {
                if self.state.running().is_some_and(|turn| turn.id == turn_id) {
                    self.pending.push(turn_id, &delta);
                }
                if self.pending.is_full() {
                    self.tell_text();
                    self.number_text(batch);
                }
                return;
            }
            Report::Stage(stage) => Command::Enter { turn_id, stage },
            Report::Step(step) => Command::Step { turn_id, step },
            Report::Done(response) => Command::Finish { turn_id, response },
            Report::Failed(error) => Command::Fail { turn_id, error },
            Report::Expired(reason) => Command::Expire { turn_id, reason },
        };
        self.number_text(batch);
        // Reports are never refused: at worst they come too late.
        let _ = self.decide(command, batch);
    }

    /// Tells followers the text that has come in since they were last told.
    fn tell_text(&mut self) {
        if let Some(live) = self.pending.tell(&self.state, self.house.world.now()) {
            self.publish(Delivery::Live(Arc::new(live)));
        }
    }

    /// Numbers the text that waits, so that whatever comes next comes after it.
    fn number_text(&mut self, batch: &mut Batch) {
        self.tell_text();
        if let Some((turn_id, delta)) = self.pending.take() {
            // Text of a turn that has ended meanwhile comes too late; that is no refusal.
            let _ = self.decide(Command::Text { turn_id, delta }, batch);
        }
    }

    fn fail_at_work(&mut self, batch: &mut Batch) {
        let Some((turn_id, _)) = self.at_work.take() else { return };
        tracing::error!(session = %self.state.id, turn = %turn_id, "a turn panicked");
        let error = TurnError {
            code: "internal".to_owned(),
            message: "a fault in the server ended the turn".to_owned(),
            recoverable: true,
            details: None,
        };
        self.take_report(turn_id, Report::Failed(error), batch);
    }

    /// Decides and takes the events in. They are not yet written: if that fails, this actor ends and its state with it.
    fn decide(&mut self, command: Command, batch: &mut Batch) -> Result<session::Outcome, Error> {
        let now = self.house.world.now();
        let decision = decide(&self.state, command, now)?;
        for draft in decision.events {
            let event = draft.number(self.state.id, self.state.head + 1, now);
            self.state.apply(&event);
            batch.events.push(event);
        }
        batch.effects.extend(decision.effects);
        Ok(decision.outcome)
    }

    /// Writes the batch; then, and only then, everybody hears of it and its effects begin.
    async fn commit(&mut self, mut batch: Batch) -> Result<(), Ending> {
        if batch.events.is_empty() {
            batch.answer(&Ok(()));
            return Ok(());
        }
        let count = batch.events.len() as u64;
        let summary = batch
            .changes_catalog()
            .then(|| Box::new(Summary { view: self.state.view(), is_moving: self.state.is_moving() }));
        let events = if self.feed.is_some() { batch.events.clone() } else { Vec::new() };
        let append =
            Append { expected_head: self.state.head - count, events: std::mem::take(&mut batch.events), summary };
        let written = self.house.store.append(self.lease, append).await.map_err(Error::from);
        batch.answer(&written);
        if let Err(error) = written {
            tracing::error!(session = %self.state.id, %error, "failed to append; the session is loaded anew");
            return Err(Ending::Broken);
        }
        for event in events {
            self.publish(Delivery::Event(Arc::new(event)));
        }
        self.snapshots.count(&self.house.store, &self.state, count);
        for effect in batch.effects {
            self.run(effect);
        }
        Ok(())
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
            Effect::Stop(turn_id) => {
                if let Some((_, task)) = self.at_work.take_if(|(at_work, _)| *at_work == turn_id) {
                    task.abort();
                }
            }
            Effect::Run(turn_id) => {
                let Some(turn) = self.state.open_turn(turn_id) else { return };
                let job = turn::Job::new(&self.state, turn);
                let reporter = Reporter { turn_id, mailbox: self.mailbox.clone() };
                let task = self.work.spawn(turn::run(self.house.clone(), job, reporter));
                self.at_work = Some((turn_id, task));
            }
        }
    }
}
