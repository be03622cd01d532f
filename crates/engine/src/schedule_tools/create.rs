//! `schedule_create`: plans a reminder, a message to the agent itself, or a call.

use async_trait::async_trait;
use ports::ToolFailure;
use protocol::{Effect, Origin, OwnerId, Policy, Safety, ScheduleCreate, ScheduleView, ScheduledAction, SessionRef};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use session::Refusal;
use tools::{CallContext, Declaration, Tool};

use super::{SchedulePort, ScheduleText, failed, timing::Timing};
use crate::{Error, Hub, hub::ScheduleMaker};

/// The name of the tool.
pub(crate) const NAME: &str = "schedule_create";

pub(super) struct ScheduleCreateTool(pub(super) SchedulePort);

/// A call that is made later.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LaterCall {
    /// The tool.
    pub(crate) tool: String,
    /// Exactly these arguments.
    #[serde(default)]
    pub(crate) arguments: Map<String, Value>,
}

/// What is planned, and when.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct CreateInput {
    /// Reminds the user of this text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) remind: Option<String>,
    /// Counts down as a timer of this name; the name may be empty.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) timer: Option<String>,
    /// Sends you this message then, in this conversation, so that you do what it says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    /// Calls a tool then, with exactly these arguments, without asking you.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) call: Option<LaterCall>,
    /// A short name for lists.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) name: Option<String>,
    /// The end of what recurs: after this many runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) runs_max: Option<u32>,
    /// When.
    #[serde(flatten)]
    pub(crate) timing: Timing,
}

impl CreateInput {
    fn action(&self) -> Result<ScheduledAction, ToolFailure> {
        match (&self.remind, &self.timer, &self.message, &self.call) {
            (Some(text), None, None, None) => Ok(ScheduledAction::Remind { text: text.clone(), timer: false }),
            (None, Some(text), None, None) => Ok(ScheduledAction::Remind { text: text.clone(), timer: true }),
            (None, None, Some(message), None) => Ok(ScheduledAction::Turn { message: message.clone() }),
            (None, None, None, Some(call)) => Ok(ScheduledAction::Call {
                tool: call.tool.clone(),
                arguments: Value::Object(call.arguments.clone()),
                digest: String::new(),
            }),
            _ => Err(ToolFailure::Invalid("give one of `remind`, `timer`, `message` and `call`".to_owned())),
        }
    }
}

impl ScheduleCreateTool {
    /// Makes it in its session. A temporary one will be gone when it runs: the owner's session of
    /// schedules takes it then, unless rules of the temporary one would be lost.
    async fn make(
        hub: &Hub,
        owner: &OwnerId,
        asked: ScheduleCreate,
        maker: ScheduleMaker,
    ) -> Result<ScheduleView, Error> {
        let refused = match hub.create_schedule(owner, asked.clone(), maker.clone()).await {
            Err(refused @ Error::Refused(Refusal::TemporarySchedule)) => refused,
            made => return made,
        };
        if hub.session(owner, &asked.session).await?.settings.policy != Policy::default() {
            return Err(refused);
        }
        hub.create_schedule(owner, ScheduleCreate { session: SessionRef::default(), ..asked }, maker).await
    }
}

#[async_trait]
impl Tool for ScheduleCreateTool {
    type Input = CreateInput;
    type Output = ScheduleText;

    fn declaration(&self) -> Declaration {
        let description = "Plans something for later: reminds the user, counts down, sends you a message, or calls a \
                           tool, once or again and again. Give what to do (`remind`, `timer`, `message` or `call`) and when \
                           (`after_seconds`, `at`, `cron` or `rrule`). Use it for every request with a later time.";
        let declaration = Declaration::new(NAME, description).about(&[
            "remind", "reminder", "timer", "alarm", "later", "tomorrow", "every", "schedule", "minutes", "hours",
            "weekday", "daily", "weekly",
        ]);
        Declaration {
            effect: Effect::Idempotent,
            safety: Safety::Keeps,
            origin: Origin::Trusted,
            needs_session: true,
            calls_per_minute_max: Some(30),
            ..declaration
        }
    }

    async fn call(&self, input: CreateInput, context: &CallContext) -> Result<ScheduleText, ToolFailure> {
        let (hub, action) = (self.0.hub()?, input.action()?);
        let zone = hub.zone(&context.owner, context.session_id).await.map_err(failed)?;
        let when = input.timing.when(&zone, context.now).map_err(ToolFailure::Invalid)?;
        let asked = ScheduleCreate {
            session: SessionRef::from(context.session_id),
            name: input.name,
            when,
            zone: input.timing.zone,
            action,
            catch_up: None,
            runs_max: input.runs_max,
            limits: None,
            // The same each time the call runs.
            idempotency_key: Some(context.key.clone()),
        };
        let maker = ScheduleMaker {
            origin: context.origin,
            made_by: context.schedule_id,
            satellite: context.satellite.clone(),
            // What needs an approval was approved before this call was made.
            is_approved: true,
        };
        let made = Self::make(&hub, &context.owner, asked, maker).await.map_err(failed)?;
        Ok(ScheduleText::from(&made))
    }
}
