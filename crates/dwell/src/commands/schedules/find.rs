//! A schedule by its id or its name.

use protocol::{ScheduleId, SchedulePage, ScheduleStatus, ScheduleView};

use super::{
    super::local_time::local_time,
    format::{status, what},
};
use crate::{client::Client, command_error::CommandError};

/// How many schedules an error names.
const CANDIDATES_MAX: usize = 10;

/// The schedule with this id or name. Among those of the same name, one that may still run goes
/// before those that have ended.
pub(super) async fn find(client: &Client, text: &str) -> Result<ScheduleView, CommandError> {
    if let Ok(id) = text.parse::<ScheduleId>() {
        return client.get(&format!("/schedules/{id}")).await;
    }
    let page: SchedulePage = client.get("/schedules?ended=true").await?;
    let is_open = |view: &ScheduleView| !matches!(view.status, ScheduleStatus::Cancelled | ScheduleStatus::Ended);
    let named = page.data.into_iter().filter(|view| view.spec.name.as_deref() == Some(text));
    let (open, ended): (Vec<_>, Vec<_>) = named.partition(is_open);
    let mut found = if open.is_empty() { ended } else { open };
    match (found.pop(), found.is_empty()) {
        (Some(only), true) => Ok(only),
        (None, _) => {
            let hint = format!("there is no schedule `{text}`; `dwell schedules --all` shows ids and names");
            Err(CommandError::Failed(anyhow::anyhow!(hint)))
        }
        (Some(last), false) => {
            found.push(last);
            Err(CommandError::Usage(several(text, &found)))
        }
    }
}

fn several(name: &str, found: &[ScheduleView]) -> String {
    let mut lines = vec![format!("{} schedules are called `{name}`; use an id:", found.len())];
    lines.extend(found.iter().take(CANDIDATES_MAX).map(|view| {
        let next = view.next_at.map_or_else(|| status(view.status).to_owned(), local_time);
        format!("  {}  {}  {next}", view.schedule_id, what(&view.spec.action))
    }));
    if found.len() > CANDIDATES_MAX {
        lines.push("  …".to_owned());
    }
    lines.join("\n")
}
