//! A call that is planned is judged when it is planned.

use protocol::PlannedCall;

use super::{create::CreateInput, timing};
use crate::hub::Services;

/// The call that a call of `schedule_create` plans, if it plans one.
pub(crate) fn later_call(planned: &PlannedCall) -> Option<PlannedCall> {
    let input = input(planned)?;
    let call = input.call?;
    Some(PlannedCall { tool: call.tool, arguments: serde_json::Value::Object(call.arguments), ..planned.clone() })
}

/// Why the user has to confirm a schedule: the call needs a confirmation, or the turn has read
/// untrusted text, so that the wish may not be the user's.
pub(crate) async fn confirmation(services: &Services, planned: &PlannedCall, is_tainted: bool) -> Option<String> {
    let input = input(planned)?;
    let when = timing::words(&input.timing);
    if let Some(later) = later_call(planned)
        && let Some(entry) = services.tools.get(&later.tool)
        && let Some(reason) = entry.tool.confirm(&later.arguments).await
    {
        return Some(format!("it would be done {when}, without asking again: {reason}"));
    }
    is_tainted.then(|| format!("the turn has read text from outside, and this would begin by itself {when}"))
}

fn input(planned: &PlannedCall) -> Option<CreateInput> {
    (planned.tool == super::CREATE).then(|| serde_json::from_value(planned.arguments.clone()).ok()).flatten()
}
