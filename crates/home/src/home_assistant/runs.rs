//! Runs of automations and scripts.

use super::{
    command_sender::CommandSender,
    inventory::if_offered,
    wire::{HassCommand, RunRow, UniqueIdEntry, each},
};
use crate::{
    index::HomeIndex,
    port::{EntityId, HomeError, Trace},
};

/// The number of runs whose steps are searched for an error that the list does not contain.
const LOOKED_INTO: usize = 5;

/// The last runs, newest first.
pub(super) async fn traces(
    link: &CommandSender,
    index: &HomeIndex,
    entity_id: &EntityId,
) -> Result<Vec<Trace>, HomeError> {
    let domain = entity_id.domain();
    if !matches!(domain, "automation" | "script") {
        return Err(HomeError::Invalid(format!("only automations and scripts have runs, and {entity_id} is neither")));
    }
    let Some(item_id) = item_id(link, index, entity_id).await? else { return Ok(Vec::new()) };
    let asked = HassCommand::Traces { domain: domain.to_owned(), item_id: item_id.clone() };
    let Some(answer) = link.ask(asked).await? else { return Ok(Vec::new()) };
    let mut rows: Vec<RunRow> = each(&answer);
    rows.sort_by(|one, two| two.timestamp.start.cmp(&one.timestamp.start));
    let mut traces = Vec::with_capacity(rows.len());
    for (place, mut row) in rows.into_iter().enumerate() {
        if row.error.is_none() && row.script_execution.as_deref() == Some("error") && place < LOOKED_INTO {
            let (domain, item_id) = (domain.to_owned(), item_id.clone());
            let asked = HassCommand::Trace { domain, item_id, run_id: row.run_id.clone() };
            // A run that was deleted meanwhile is returned without its error.
            row.error = link.ask_for::<RunRow>(asked).await.ok().and_then(|run| error_of(&run));
        }
        traces.extend(trace(entity_id, row));
    }
    Ok(traces)
}

/// The key of the runs: an id that stays when the entity is renamed. `None` if there is no such id
/// and therefore no runs.
async fn item_id(link: &CommandSender, index: &HomeIndex, entity_id: &EntityId) -> Result<Option<String>, HomeError> {
    let registered = match link.ask_for::<UniqueIdEntry>(HassCommand::Entity { entity_id: entity_id.clone() }).await {
        Ok(registered) => registered.unique_id,
        Err(HomeError::Invalid(_)) => None,
        Err(error) => if_offered::<String>(Err(error))?,
    };
    let from_state = || index.state(entity_id)?.text("id").map(str::to_owned);
    let from_name = || (entity_id.domain() == "script").then(|| entity_id.object().to_owned());
    Ok(registered.or_else(from_state).or_else(from_name))
}

fn error_of(run: &RunRow) -> Option<String> {
    let in_steps = || run.trace.values().flatten().find_map(|step| step.error.clone());
    run.error.clone().or_else(in_steps)
}

fn trace(entity_id: &EntityId, row: RunRow) -> Option<Trace> {
    let error = error_of(&row);
    let outcome = if row.state == "running" { Some(row.state) } else { row.script_execution };
    Some(Trace {
        entity_id: Some(entity_id.clone()),
        run_id: row.run_id,
        at: row.timestamp.start.parse().ok()?,
        ended_at: row.timestamp.finish.and_then(|finish| finish.parse().ok()),
        trigger: row.trigger,
        outcome: outcome.unwrap_or_else(|| "unknown".to_owned()),
        error,
    })
}
