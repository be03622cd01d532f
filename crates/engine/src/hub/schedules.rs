//! Schedules: make, list, change, pause, cancel, run and approve them.

use protocol::{
    Body, CatchUp, MessageTrust, Origin, OwnerId, RunCause, RunView, ScheduleCreate, ScheduleDo, ScheduleId,
    ScheduleList, SchedulePage, SchedulePreview, ScheduleSpec, ScheduleStep, ScheduleTimes, ScheduleUpdate,
    ScheduleView, ScheduledAction, SessionId, SessionName, SessionRef, Timestamp, Trigger, When,
};
use schedule::{Schedule, ScheduleCommand, ScheduleRefusal, ScheduleStatus, Schedules, Timetable};
use session::{Command, CommandOutcome, Refusal};
use tools::digest;
use ulid::Ulid;

use super::Hub;
use crate::{
    Error,
    live::Mail,
    plans::{EndedTurn, tell_others},
};

/// The session of schedules that name none.
const SESSION: &str = "schedules";
/// What runs once is still done when it is at most this late.
const LATE_MS: u64 = 60 * 60 * 1000;
/// Upcoming runs of a view.
const UPCOMING_MAX: usize = 5;
/// Default and maximum number of runs of a preview.
const PREVIEW_DEFAULT: u32 = 5;
const PREVIEW_MAX: u32 = 50;

/// Who makes a schedule.
#[derive(Debug, Clone, Default)]
pub struct ScheduleMaker {
    /// Whether its text is trusted.
    pub origin: Origin,
    /// The schedule whose run makes it, if one does.
    pub made_by: Option<ScheduleId>,
    /// The voice satellite that it was ordered from.
    pub satellite: Option<String>,
    /// Whether the owner has approved it before it is made.
    pub is_approved: bool,
}

impl From<&MessageTrust> for ScheduleMaker {
    fn from(way: &MessageTrust) -> Self {
        Self { origin: way.origin, ..Self::default() }
    }
}

impl Hub {
    /// Makes a schedule. A repetition with the same key returns the one that was made.
    pub async fn create_schedule(
        &self,
        owner: &OwnerId,
        asked: ScheduleCreate,
        maker: ScheduleMaker,
    ) -> Result<ScheduleView, Error> {
        self.check_key(asked.idempotency_key.as_deref())?;
        self.check_trigger(owner, &asked.when).await?;
        let session_id = self.find(owner, &session_of(&asked.session)?, true).await?;
        let id = match &asked.idempotency_key {
            Some(key) => ScheduleId::new(Ulid(memory::long_term::digest(&(owner.as_str(), session_id, key)))),
            None => ScheduleId::new(self.services().world.ulid()),
        };
        let catch_up = asked.catch_up.unwrap_or_else(|| default_catch_up(&asked.when, &asked.action));
        let spec = ScheduleSpec {
            name: asked.name.map(|name| self.redact(name)),
            when: asked.when,
            zone: asked.zone,
            action: self.prepared(asked.action)?,
            catch_up,
            runs_max: asked.runs_max,
            limits: asked.limits,
            satellite: maker.satellite,
            origin: maker.origin,
        };
        let (_, owner_zone) = self.schedules_of(owner, session_id).await?;
        let needs_approval = !maker.origin.is_trusted() && !maker.is_approved;
        let made_by = maker.made_by;
        let create = ScheduleCommand::Create { id, spec, owner_zone, made_by, needs_approval };
        match self.plan(owner, session_id, create).await {
            // The same key: it was made before.
            Err(Error::Refused(Refusal::Schedule(ScheduleRefusal::Exists(_)))) => {}
            other => other?,
        }
        self.schedule(owner, id).await
    }

    /// The owner's schedules, or those of one session, the next run first.
    pub async fn schedules(&self, owner: &OwnerId, list: &ScheduleList) -> Result<SchedulePage, Error> {
        let is_all = list.session == SessionRef::default();
        let sessions = if is_all {
            self.services().store.sessions_with_schedules(owner).await?
        } else {
            vec![self.find(owner, &list.session, false).await?]
        };
        let mut data = Vec::new();
        let mut zone = self.services().options.time_zone.clone();
        for session_id in sessions {
            let (schedules, session_zone) = match self.schedules_of(owner, session_id).await {
                Ok(found) => found,
                // A session that is gone or cannot be loaded does not hide the others.
                Err(_) if is_all => continue,
                Err(error) => return Err(error),
            };
            zone = if is_all { zone } else { session_zone };
            let wanted = schedules.all().filter(|schedule| list.ended || schedule.is_open());
            data.extend(wanted.map(|schedule| self.view_of(session_id, schedule)));
        }
        data.sort_by_key(|view| (view.next_at.is_none(), view.next_at, std::cmp::Reverse(view.created_at)));
        Ok(SchedulePage { data, zone })
    }

    /// A schedule.
    pub async fn schedule(&self, owner: &OwnerId, id: ScheduleId) -> Result<ScheduleView, Error> {
        let (session_id, schedules) = self.find_schedule(owner, id).await?;
        schedules.get(id).map(|schedule| self.view_of(session_id, schedule)).ok_or(Error::NoSchedule)
    }

    /// Changes a schedule.
    pub async fn update_schedule(
        &self,
        owner: &OwnerId,
        asked: ScheduleUpdate,
        maker: &ScheduleMaker,
    ) -> Result<ScheduleView, Error> {
        let ScheduleUpdate { schedule_id: id, change } = asked;
        let (session_id, schedules) = self.find_schedule(owner, id).await?;
        let before = schedules.get(id).ok_or(Error::NoSchedule)?.spec.clone();
        if let Some(when) = &change.when {
            self.check_trigger(owner, when).await?;
        }
        let action = change.action.map(|action| self.prepared(action)).transpose()?;
        let spec = ScheduleSpec {
            name: change.name.map(|name| self.redact(name)).or(before.name),
            when: change.when.unwrap_or(before.when),
            zone: change.zone.or(before.zone),
            action: action.unwrap_or(before.action),
            catch_up: change.catch_up.unwrap_or(before.catch_up),
            runs_max: change.runs_max.or(before.runs_max),
            limits: change.limits.or(before.limits),
            satellite: before.satellite,
            origin: before.origin.and(maker.origin),
        };
        let needs_approval = !maker.origin.is_trusted() && !maker.is_approved;
        self.plan(owner, session_id, ScheduleCommand::Change { id, spec, needs_approval }).await?;
        self.schedule(owner, id).await
    }

    /// Pauses, resumes, cancels, runs, approves or snoozes a schedule.
    pub async fn step_schedule(&self, owner: &OwnerId, asked: ScheduleDo) -> Result<ScheduleView, Error> {
        let ScheduleDo { schedule_id: id, step } = asked;
        let (session_id, _) = self.find_schedule(owner, id).await?;
        let new_id = ScheduleId::new(self.services().world.ulid());
        let (command, shown) = match step {
            ScheduleStep::Pause => (ScheduleCommand::Pause { id }, id),
            ScheduleStep::Resume => (ScheduleCommand::Resume { id }, id),
            ScheduleStep::Cancel => (ScheduleCommand::Cancel { id }, id),
            ScheduleStep::Run => (ScheduleCommand::RunNow { id }, id),
            ScheduleStep::Approve { digest } => (ScheduleCommand::Approve { id, digest }, id),
            ScheduleStep::Snooze { after_ms } => (ScheduleCommand::Snooze { id, new_id, after_ms }, new_id),
        };
        self.plan(owner, session_id, command).await?;
        self.schedule(owner, shown).await
    }

    /// What a schedule waits for has happened, as a signed message says. Returns whether a run was
    /// started.
    pub async fn trigger_schedule(&self, id: ScheduleId, cause: RunCause) -> Result<bool, Error> {
        let session_id = self.services().store.schedule_session(id).await?.ok_or(Error::NoSchedule)?;
        let first = self.page(session_id, 0, 1).await?;
        let Some(Body::SessionStarted(started)) = first.first().map(|event| &event.body) else {
            return Err(Error::NoSchedule);
        };
        let owner = started.owner.clone();
        let (_, schedules) = self.find_schedule(&owner, id).await?;
        let waits = schedules.get(id).and_then(|schedule| schedule.spec.when.trigger()) == Some(&Trigger::Hook);
        if !waits {
            return Err(Error::NoSchedule);
        }
        let cause = RunCause { text: self.redact(cause.text), ..cause };
        let command = Command::Schedule(ScheduleCommand::Trigger { id, cause });
        Ok(self.command(&owner, session_id, command).await? == CommandOutcome::Done)
    }

    /// Turns have ended: other sessions may wait for them.
    pub(crate) async fn tell_ended(&self, ended: Vec<EndedTurn>) {
        for ended in ended {
            tell_others(&self.directory, ended).await;
        }
    }

    /// When a schedule would run.
    pub fn preview_schedule(&self, asked: &SchedulePreview) -> Result<ScheduleTimes, Error> {
        if asked.when.trigger().is_some() {
            return Err(Error::Invalid("what waits for something has no times".to_owned()));
        }
        let services = self.services();
        let zone = asked.zone.clone().unwrap_or_else(|| services.options.time_zone.clone());
        let now = services.world.now();
        let timetable = Timetable::new(&asked.when, &zone, now).map_err(ScheduleRefusal::from).map_err(refused)?;
        let runs = asked.runs.unwrap_or(PREVIEW_DEFAULT).clamp(1, PREVIEW_MAX);
        Ok(ScheduleTimes { zone, runs: timetable.preview(now, runs as usize) })
    }

    /// Plans the schedules of a session anew that follow its time zone.
    pub(super) async fn rezone(&self, owner: &OwnerId, session_id: SessionId) -> Result<(), Error> {
        let (schedules, owner_zone) = self.schedules_of(owner, session_id).await?;
        if schedules.open().next().is_some() {
            self.plan(owner, session_id, ScheduleCommand::Rezone { owner_zone }).await?;
        }
        Ok(())
    }

    /// The time zone of a session.
    pub(crate) async fn zone(&self, owner: &OwnerId, session_id: SessionId) -> Result<String, Error> {
        Ok(self.schedules_of(owner, session_id).await?.1)
    }

    async fn plan(&self, owner: &OwnerId, session_id: SessionId, command: ScheduleCommand) -> Result<(), Error> {
        self.command(owner, session_id, Command::Schedule(command)).await.map(drop)
    }

    /// A session whose turns are waited for has to be one of the owner's.
    async fn check_trigger(&self, owner: &OwnerId, when: &When) -> Result<(), Error> {
        let Some(Trigger::TurnEnded { session_id: Some(id), .. }) = when.trigger() else { return Ok(()) };
        self.schedules_of(owner, *id).await.map(drop)
    }

    async fn find_schedule(&self, owner: &OwnerId, id: ScheduleId) -> Result<(SessionId, Schedules), Error> {
        let session_id = self.services().store.schedule_session(id).await?.ok_or(Error::NoSchedule)?;
        // A schedule of another owner is reported as missing.
        match self.schedules_of(owner, session_id).await {
            Ok((schedules, _)) if schedules.get(id).is_some() => Ok((session_id, schedules)),
            Ok(_) | Err(Error::NoSession) => Err(Error::NoSchedule),
            Err(error) => Err(error),
        }
    }

    async fn schedules_of(&self, owner: &OwnerId, session_id: SessionId) -> Result<(Schedules, String), Error> {
        self.ask(session_id, |reply| Mail::Schedules { owner: owner.clone(), reply }).await
    }

    /// The action without secrets, with the digest of its call, which has to be possible.
    fn prepared(&self, action: ScheduledAction) -> Result<ScheduledAction, Error> {
        Ok(match action {
            ScheduledAction::Remind { text, timer } => ScheduledAction::Remind { text: self.redact(text), timer },
            ScheduledAction::Turn { message } => ScheduledAction::Turn { message: self.redact(message) },
            ScheduledAction::Call { tool, arguments, .. } => {
                let arguments = self.services().redactor.redact_json(arguments);
                self.services().tools.check(&tool, &arguments).map_err(Error::Invalid)?;
                let digest = digest(&tool, &arguments);
                ScheduledAction::Call { tool, arguments, digest }
            }
        })
    }

    fn view_of(&self, session_id: SessionId, schedule: &Schedule) -> ScheduleView {
        let status = match schedule.status {
            ScheduleStatus::Active => protocol::ScheduleStatus::Active,
            ScheduleStatus::Waiting => protocol::ScheduleStatus::Waiting,
            ScheduleStatus::Paused { .. } => protocol::ScheduleStatus::Paused,
            ScheduleStatus::Cancelled => protocol::ScheduleStatus::Cancelled,
            ScheduleStatus::Ended => protocol::ScheduleStatus::Ended,
        };
        let next_at = schedule.next_at.filter(|_| !matches!(schedule.status, ScheduleStatus::Paused { .. }));
        let left_ms = match schedule.status {
            ScheduleStatus::Paused { left_ms } => left_ms,
            _ => None,
        };
        ScheduleView {
            schedule_id: schedule.id,
            session_id,
            spec: schedule.spec.clone(),
            planned_in: schedule.zone().to_owned(),
            status,
            next_at,
            left_ms,
            upcoming: next_at.map_or_else(Vec::new, |next| upcoming(schedule, next)),
            created_at: schedule.created_at,
            runs: schedule.runs,
            missed: schedule.missed,
            last_run: schedule
                .last_run
                .as_ref()
                .map(|(key, outcome)| RunView { planned_at: key.planned_at, outcome: outcome.clone() }),
        }
    }
}

/// The next runs, from the first on.
fn upcoming(schedule: &Schedule, next: Timestamp) -> Vec<Timestamp> {
    let mut runs = vec![next];
    if schedule.spec.when.recurs()
        && let Ok(timetable) = Timetable::new(&schedule.spec.when, schedule.zone(), schedule.created_at)
    {
        runs.extend(timetable.preview(next, UPCOMING_MAX - 1));
    }
    let left = schedule.spec.runs_max.map_or(usize::MAX, |max| max.saturating_sub(schedule.runs) as usize);
    runs.truncate(left);
    runs
}

fn session_of(asked: &SessionRef) -> Result<SessionRef, Error> {
    if *asked != SessionRef::default() {
        return Ok(asked.clone());
    }
    let name: SessionName = SESSION.parse().map_err(|_| Error::Invalid("give a session".to_owned()))?;
    Ok(SessionRef { session_id: None, conversation_id: Some(name) })
}

/// What runs once is still wanted a little later. Of what recurs, one reminder or turn stands for
/// all that were missed, and a call on the world that is late is not made.
const fn default_catch_up(when: &When, action: &ScheduledAction) -> CatchUp {
    match (when.recurs(), action) {
        (false, _) => CatchUp::RunLate { window_ms: LATE_MS },
        (true, ScheduledAction::Call { .. }) => CatchUp::Skip,
        (true, ScheduledAction::Remind { .. } | ScheduledAction::Turn { .. }) => CatchUp::Once,
    }
}

fn refused(refusal: ScheduleRefusal) -> Error {
    Error::Refused(Refusal::Schedule(refusal))
}
