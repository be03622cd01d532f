//! The task that owns a session.

use std::{sync::Arc, time::Duration};

use journal::Lease;
use protocol::{OwnerId, SessionId, TurnError, TurnId};
use session::{Command, Effect, Outcome, State, decide};
use tokio::{
    sync::{broadcast, mpsc},
    task::{self, AbortHandle, JoinSet},
    time::{Instant, sleep_until},
};

use super::{
    batch::{Batch, Writing},
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
                    Ending::Idle | Ending::Stopping => directory.post_again(session_id, leftover).await,
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
            Mail::Wake | Mail::Report { .. } => {}
        }
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
            batch: Batch::default(),
            writing: None,
            snapshots: Snapshots::after_loading(events_since_snapshot),
            work: JoinSet::new(),
            at_work: None,
            idle_since: Instant::now(),
        })
    }

    /// Lives until there is a reason to end; gives back the mail that came too late.
    async fn live(mut self, mail: &mut mpsc::Receiver<Mail>) -> (Ending, Vec<Mail>) {
        if self.state.is_moving() {
            // Recovering is never refused.
            let _ = self.decide(Command::Recover);
        }
        let mut ending = self.attend(mail).await;
        self.work.abort_all();
        if matches!(ending, Ending::Stopping) {
            ending = self.write_all().await;
        }
        if matches!(ending, Ending::Idle | Ending::Stopping) {
            self.snapshots.unload(&self.house.store, &self.state).await;
        }
        let leftover = close(mail).await;
        self.house.store.release(self.lease).await;
        (ending, leftover)
    }

    async fn attend(&mut self, mail: &mut mpsc::Receiver<Mail>) -> Ending {
        loop {
            self.write_next();
            let idle_at = self.idle_since + self.house.options.idle_unload;
            let due = self.pending.due().unwrap_or_else(|| Instant::now() + NEVER);
            let has_room = self.batch.waiting() < BATCH_MAX;
            tokio::select! {
                () = self.house.stopping.cancelled() => return Ending::Stopping,
                written = Writing::written(&mut self.writing) => {
                    if let Err(error) = self.finish_writing(written) {
                        return Ending::Broken(error);
                    }
                }
                Some(first) = mail.recv(), if has_room => self.take_all(first, mail),
                Some(ended) = self.work.join_next() => {
                    if let Err(error) = ended
                        && error.is_panic()
                    {
                        self.fail_at_work(error.id());
                    }
                }
                () = sleep_until(due) => self.number_text(),
                // A follower that leaves says nothing, so whether anybody is there is looked at when it matters.
                () = sleep_until(idle_at) => {
                    if self.is_idle() {
                        return Ending::Idle;
                    }
                }
            }
            self.idle_since = Instant::now();
        }
    }

    fn is_idle(&self) -> bool {
        let is_followed = self.feed.as_ref().is_some_and(|feed| feed.receiver_count() > 0);
        // A turn that has ended may still have its last report in the mail: then the state says that it moves.
        let is_quiet = !self.state.is_moving() && self.work.is_empty();
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
            Mail::Report { turn_id, report } => self.take_report(turn_id, report),
            Mail::Command { owner, command, reply } => {
                let outcome = self.check_owner(&owner).and_then(|()| {
                    self.number_text();
                    self.decide(command)
                });
                self.batch.answer_later(reply, outcome);
            }
            Mail::View { owner, reply } => {
                let view = self.check_owner(&owner).map(|()| self.state.view());
                self.batch.answer_later(reply, view);
            }
            Mail::Join { owner, reply } => {
                let joined = self.check_owner(&owner).map(|()| self.join());
                self.batch.answer_later(reply, joined);
            }
        }
    }

    /// Somebody else's session is no session at all.
    fn check_owner(&self, owner: &OwnerId) -> Result<(), Error> {
        if self.state.owner == *owner { Ok(()) } else { Err(Error::NoSession) }
    }

    fn join(&mut self) -> Joined {
        self.tell_text();
        let feed = self.feed.get_or_insert_with(|| broadcast::channel(FEED_MAX).0).subscribe();
        Joined { head: self.state.head, live: self.pending.all(&self.state, self.house.world.now()), feed }
    }

    fn take_report(&mut self, turn_id: TurnId, report: Report) {
        let command = match report {
            Report::Text(delta) => {
                if self.state.running().is_some_and(|turn| turn.id == turn_id) {
                    self.pending.push(turn_id, &delta);
                }
                if self.pending.is_full() {
                    self.number_text();
                }
                return;
            }
            Report::Stage(stage) => Command::Enter { turn_id, stage },
            Report::Step(step) => Command::Step { turn_id, step },
            Report::Done(response) => Command::Finish { turn_id, response },
            Report::Failed(error) => Command::Fail { turn_id, error },
            Report::Expired(reason) => Command::Expire { turn_id, reason },
        };
        self.number_text();
        // Reports are never refused: at worst they come too late.
        let _ = self.decide(command);
    }

    /// Tells followers the text that has come in since they were last told.
    fn tell_text(&mut self) {
        if let Some(live) = self.pending.tell(&self.state, self.house.world.now()) {
            self.publish(Delivery::Live(Arc::new(live)));
        }
    }

    /// Numbers the text that waits, so that whatever comes next comes after it.
    fn number_text(&mut self) {
        self.tell_text();
        if let Some((turn_id, delta)) = self.pending.take() {
            // Text of a turn that has ended meanwhile comes too late; that is no refusal.
            let _ = self.decide(Command::Text { turn_id, delta });
        }
    }

    /// Fails the turn whose task panicked; one that was stopped before has ended already, and the next is not to blame.
    fn fail_at_work(&mut self, task_id: task::Id) {
        let Some((turn_id, _)) = self.at_work.take_if(|(_, task)| task.id() == task_id) else { return };
        tracing::error!(session = %self.state.id, turn = %turn_id, "a turn panicked");
        let error = TurnError {
            code: "internal".to_owned(),
            message: "a fault in the server ended the turn".to_owned(),
            recoverable: true,
            details: None,
        };
        self.take_report(turn_id, Report::Failed(error));
    }

    /// Decides and takes the events in. They are not yet written: if that fails, this actor ends and its state with it.
    fn decide(&mut self, command: Command) -> Result<Outcome, Error> {
        let now = self.house.world.now();
        let decision = decide(&self.state, command, now)?;
        for draft in decision.events {
            let event = draft.number(self.state.id, self.state.head + 1, now);
            self.state.apply(&event);
            self.batch.events.push(event);
        }
        self.batch.effects.extend(decision.effects);
        Ok(decision.outcome)
    }

    /// Starts to write what was decided, unless something is being written. Mail is taken meanwhile, and text told.
    fn write_next(&mut self) {
        if self.writing.is_none() && !self.batch.is_empty() {
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
        for event in writing.published {
            self.publish(Delivery::Event(Arc::new(event)));
        }
        // A snapshot must not hold more than what is written.
        self.snapshots.count(writing.count);
        if self.batch.events.is_empty() {
            self.snapshots.take_if_due(&self.house.store, &self.state);
        }
        for effect in writing.batch.effects {
            self.run(effect);
        }
        Ok(())
    }

    /// Writes everything that is left, so that words that are out are not lost for want of a number.
    async fn write_all(&mut self) -> Ending {
        self.number_text();
        loop {
            self.write_next();
            if self.writing.is_none() {
                return Ending::Stopping;
            }
            let written = Writing::written(&mut self.writing).await;
            if let Err(error) = self.finish_writing(written) {
                return Ending::Broken(error);
            }
            self.work.abort_all();
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
