//! Sessions: start, get, list, update, reset, end, fork, export.

use std::collections::BTreeMap;

use journal::{Cursor, SessionFilter};
use protocol::{
    Body, Event, EventPage, Origin, OwnerId, Policy, SessionEnd, SessionFork, SessionId, SessionList, SessionPage,
    SessionRef, SessionStart, SessionStatus, SessionView, Timestamp, TurnId, Update,
};
use session::{Command, State};
use tools::SessionRules;

use super::Hub;
use crate::{Error, live::summarize, plans::ZONE_PREFERENCE};

/// Default and maximum number of sessions on a page.
const LIST_DEFAULT: u32 = 50;
const LIST_MAX: u32 = 200;
/// The longest search query for sessions.
const QUERY_CHARS_MAX: usize = 256;
/// Default and maximum number of events on a page.
pub(super) const EVENTS_DEFAULT: usize = 200;
pub(super) const EVENTS_MAX: usize = 1000;

impl Hub {
    /// Starts a session, or returns the one that was started with the same key.
    pub async fn start(&self, owner: &OwnerId, asked: SessionStart) -> Result<SessionView, Error> {
        self.start_as(owner, asked, Origin::Trusted).await
    }

    /// The same, with the origin of its preferences.
    pub async fn start_as(
        &self,
        owner: &OwnerId,
        mut asked: SessionStart,
        origin: Origin,
    ) -> Result<SessionView, Error> {
        let services = self.services();
        self.redact_all(&mut asked.preferences);
        self.check_name(asked.key.as_ref())?;
        check_policy(asked.policy.as_ref())?;
        self.check_model(asked.model.as_deref(), asked.model_overrides.as_ref()).await?;
        self.check_started_settings(&asked)?;
        let id = SessionId::new(services.world.ulid());
        let mut first = session::start(id, owner.clone(), asked.clone(), services.world.now())?;
        if let Body::SessionStarted(started) = &mut first.body
            && !origin.is_trusted()
        {
            started.settings.imported = started.settings.preferences.keys().cloned().collect();
        }
        let created = match (self.create(vec![first]).await, &asked.key) {
            // An owner at the quota still gets the existing session.
            (Err(Error::Full(exceeded)), Some(key)) => match services.store.named(owner, key).await? {
                Some(existing) => Err(Error::Journal(journal::Error::NameTaken(existing))),
                None => Err(exceeded.into()),
            },
            (created, _) => created,
        };
        match created {
            Err(Error::Journal(journal::Error::NameTaken(existing))) => {
                let view = self.view(owner, existing).await?;
                if is_set_otherwise(&view, &asked) { Err(Error::NameConflict(existing)) } else { Ok(view) }
            }
            created => created,
        }
    }

    pub(super) async fn create(&self, events: Vec<Event>) -> Result<SessionView, Error> {
        let mut rest = events.iter();
        let state = rest.next().and_then(State::begin).map(|state| {
            rest.fold(state, |mut state, event| {
                state.apply(event);
                state
            })
        });
        let Some(state) = state else { return Err(Error::Invalid("a session begins with its start".to_owned())) };
        let view = state.view();
        let _reservation = self.room_for_session(&view.owner, &events).await?;
        let summary = summarize(&state, &events);
        self.services().store.create(events, summary).await?;
        Ok(view)
    }

    /// The current state of a session.
    pub async fn session(&self, owner: &OwnerId, session: &SessionRef) -> Result<SessionView, Error> {
        let id = self.find(owner, session, false).await?;
        self.view(owner, id).await
    }

    /// The current state of a session; an unused name creates one.
    pub async fn session_or_new(&self, owner: &OwnerId, session: &SessionRef) -> Result<SessionView, Error> {
        let id = self.find(owner, session, true).await?;
        self.view(owner, id).await
    }

    /// The owner's sessions, all or those that match, newest activity first.
    pub async fn sessions(&self, owner: &OwnerId, list: &SessionList) -> Result<SessionPage, Error> {
        let cursor = list.cursor.as_deref().map(read_cursor).transpose()?;
        let limit = list.limit.unwrap_or(LIST_DEFAULT).clamp(1, LIST_MAX);
        let query = list.query.as_deref().unwrap_or_default();
        if query.chars().count() > QUERY_CHARS_MAX {
            return Err(Error::Invalid(format!("the query has more than {QUERY_CHARS_MAX} characters")));
        }
        let wanted = SessionFilter::new(query, list.status);
        let page = self.services().store.list(owner, &wanted, cursor, limit as usize).await?;
        let next_cursor = page.next.map(|next| format!("{}.{}", next.updated_at.as_millis(), next.session_id));
        Ok(SessionPage { data: page.sessions, next_cursor })
    }

    /// Changes a session's settings.
    pub async fn update(
        &self,
        owner: &OwnerId,
        session: &SessionRef,
        mut change: Update,
    ) -> Result<SessionView, Error> {
        self.redact_all(&mut change.preferences);
        check_policy(change.policy.as_ref())?;
        self.check_model(change.model.as_deref(), change.model_overrides.as_ref()).await?;
        self.check_changed_settings(owner, session, &change).await?;
        let sets_zone = change.preferences.contains_key(ZONE_PREFERENCE);
        let view = self.change(owner, session, Command::Update(change)).await?;
        if sets_zone {
            self.rezone(owner, view.session_id).await?;
        }
        Ok(view)
    }

    /// Redacts preferences.
    fn redact_all(&self, preferences: &mut BTreeMap<String, serde_json::Value>) {
        // As one object: the name of a setting may show that its value is a secret.
        let all = std::mem::take(preferences).into_iter().collect();
        if let serde_json::Value::Object(redacted) =
            self.services().redactor.redact_json(serde_json::Value::Object(all))
        {
            *preferences = redacted.into_iter().collect();
        }
    }

    /// Starts the conversation over.
    pub async fn reset(&self, owner: &OwnerId, asked: SessionEnd) -> Result<SessionView, Error> {
        self.change(
            owner,
            &asked.session,
            Command::Reset { reason: asked.reason.map(|reason| self.redact(reason)), version: asked.version },
        )
        .await
    }

    /// Ends a session. A temporary one is removed by that; only its last view is left.
    pub async fn end(&self, owner: &OwnerId, asked: SessionEnd) -> Result<SessionView, Error> {
        let id = self.find(owner, &asked.session, false).await?;
        let before = self.view(owner, id).await?;
        let reason = asked.reason.map(|reason| self.redact(reason));
        self.command(owner, id, Command::End { reason, version: asked.version }).await?;
        match self.view(owner, id).await {
            Err(Error::NoSession) => Ok(SessionView { status: SessionStatus::Ended, ..before }),
            view => view,
        }
    }

    async fn change(&self, owner: &OwnerId, session: &SessionRef, command: Command) -> Result<SessionView, Error> {
        let id = self.find(owner, session, false).await?;
        self.command(owner, id, command).await?;
        self.view(owner, id).await
    }

    /// A new session with the history of another up to a turn.
    pub async fn fork(&self, owner: &OwnerId, asked: SessionFork) -> Result<SessionView, Error> {
        self.check_name(asked.key.as_ref())?;
        let origin = self.session(owner, &asked.session).await?;
        let events = self.export(owner, &origin.session_id.into()).await?;
        let world = &self.services().world;
        let (new_id, now) = (SessionId::new(world.ulid()), world.now());
        let copy = session::fork(&events, asked.turn_id, new_id, asked.key, now, || TurnId::new(world.ulid()));
        let copy =
            copy.ok_or_else(|| Error::Invalid(format!("turn {} is not an ended turn of this session", asked.turn_id)))?;
        match self.create(copy).await {
            Err(Error::Journal(journal::Error::NameTaken(existing))) => Err(Error::NameConflict(existing)),
            created => created,
        }
    }

    /// A page of a session's events.
    pub async fn events(
        &self,
        owner: &OwnerId,
        session: &SessionRef,
        after: u64,
        limit: Option<usize>,
    ) -> Result<EventPage, Error> {
        let view = self.session(owner, session).await?;
        let limit = limit.unwrap_or(EVENTS_DEFAULT).clamp(1, EVENTS_MAX);
        let data = self.page(view.session_id, after, limit).await?;
        let last = data.last().map_or(after, |event| event.seq);
        let last_seq = view.last_seq.max(last);
        let next_cursor = (last < last_seq && !data.is_empty()).then(|| last.to_string());
        Ok(EventPage { data, last_seq, next_cursor })
    }

    /// The events of a session up to the first damaged one; all of them if there is none. Reads
    /// only the journal, since a damaged session cannot be loaded.
    pub async fn export_sound(&self, owner: &OwnerId, session_id: SessionId) -> Result<Vec<Event>, Error> {
        let mut events: Vec<Event> = Vec::new();
        let mut limit = EVENTS_MAX;
        loop {
            let after = events.last().map_or(0, |event| event.seq);
            let page = match self.page(session_id, after, limit).await {
                Err(Error::Journal(journal::Error::DamagedSession { seq, .. })) if limit > 0 && seq > after + 1 => {
                    limit = usize::try_from(seq - 1 - after).unwrap_or(usize::MAX);
                    continue;
                }
                // The owner is in the first event; if that is damaged, the session has no known
                // owner.
                Err(error) if events.is_empty() => return Err(error),
                Err(Error::Journal(journal::Error::DamagedSession { .. })) => return Ok(events),
                page => page?,
            };
            let is_last = page.is_empty();
            events.extend(page);
            let is_theirs = matches!(events.first().map(|event| &event.body),
                Some(Body::SessionStarted(started)) if started.owner == *owner);
            if !is_theirs {
                return Err(Error::NoSession);
            }
            if is_last {
                return Ok(events);
            }
        }
    }

    /// All events of a session.
    pub async fn export(&self, owner: &OwnerId, session: &SessionRef) -> Result<Vec<Event>, Error> {
        let view = self.session(owner, session).await?;
        let mut events: Vec<Event> = Vec::new();
        loop {
            let after = events.last().map_or(0, |event| event.seq);
            let page = self.page(view.session_id, after, EVENTS_MAX).await?;
            let is_last = page.len() < EVENTS_MAX;
            events.extend(page);
            if is_last {
                return Ok(events);
            }
        }
    }
}

/// Whether the request asks for other settings than those of the existing session.
fn is_set_otherwise(existing: &SessionView, asked: &SessionStart) -> bool {
    let settings = &existing.settings;
    asked.model.is_some() && asked.model != settings.model
        || asked.budgets.as_ref().is_some_and(|budgets| *budgets != settings.budgets)
        || asked.policy.as_ref().is_some_and(|policy| *policy != settings.policy)
        || asked.preferences.iter().any(|(key, value)| settings.preferences.get(key) != Some(value))
}

fn read_cursor(text: &str) -> Result<Cursor, Error> {
    let parsed = text.split_once('.').and_then(|(millis, id)| {
        Some(Cursor { updated_at: Timestamp::from_millis(millis.parse().ok()?), session_id: id.parse().ok()? })
    });
    parsed.ok_or_else(|| Error::Invalid("the cursor is invalid".to_owned()))
}

/// Refuses a policy with invalid patterns.
fn check_policy(policy: Option<&Policy>) -> Result<(), Error> {
    match policy.map(SessionRules::try_from) {
        Some(Err(error)) => Err(Error::Invalid(format!("policy: {error}"))),
        _ => Ok(()),
    }
}
