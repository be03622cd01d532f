//! To-do lists.

use home::HomeError;
use serde_json::{Value, json};

use super::{ServiceRun, at, data::CallData};
use crate::{
    actions::{ActionRecord, TodoItem},
    layout::{SimulatedEntity, SimulatedState},
};

const OPEN: &str = "needs_action";
const DONE: &str = "completed";

pub(super) fn tell(
    doing: &mut ServiceRun<'_>,
    entity: &'static SimulatedEntity,
    service: &str,
    data: CallData<'_>,
) -> Result<(), HomeError> {
    let actions = doing.simulation.actions;
    let mut items = actions.lists.get(entity.id.as_str()).cloned().unwrap_or_default();
    let mut count = actions.items;
    match service {
        "get_items" => {
            let wanted = statuses(data)?;
            let shown: Vec<&TodoItem> = items.iter().filter(|item| wanted.contains(&item.status.as_str())).collect();
            let answer = json!({ "items": shown });
            let response = doing.outcome.response.get_or_insert_with(|| json!({}));
            if let Some(answers) = response.as_object_mut() {
                answers.insert(entity.id.to_string(), answer);
            }
            return Ok(());
        }
        "add_item" => {
            let summary = data.needed_text("item")?.trim();
            if summary.is_empty() {
                return Err(HomeError::Invalid("`item` is empty".to_owned()));
            }
            count += 1;
            items.push(TodoItem { uid: count.to_string(), summary: summary.to_owned(), status: OPEN.to_owned() });
        }
        "remove_item" => {
            for name in names(data)? {
                let number = find(&items, &name)?;
                items.remove(number);
            }
        }
        "remove_completed_items" => items.retain(|item| item.status != DONE),
        _ => {
            let number = find(&items, data.needed_text("item")?)?;
            let (rename, status) = (data.text("rename")?, data.text("status")?);
            if let Some(other) = status.filter(|status| ![OPEN, DONE].contains(status)) {
                return Err(HomeError::Invalid(format!("`status` is {OPEN} or {DONE}, not {other}")));
            }
            if let Some(item) = items.get_mut(number) {
                item.summary = rename.map_or_else(|| item.summary.clone(), str::to_owned);
                item.status = status.map_or_else(|| item.status.clone(), str::to_owned);
            }
        }
    }
    let open = items.iter().filter(|item| item.status == OPEN).count();
    let phases = vec![at(0, SimulatedState::word(open.to_string()))];
    let action = ActionRecord { at: doing.simulation.now, phases, service: format!("todo.{service}"), is_run: false };
    doing.outcome.actions.push((entity.id.as_str(), action));
    doing.outcome.lists.push((entity.id.as_str(), items, count));
    Ok(())
}

fn find(items: &[TodoItem], name: &str) -> Result<usize, HomeError> {
    let found = items.iter().position(|item| item.summary == name || item.uid == name);
    let found = found.or_else(|| items.iter().position(|item| item.summary.eq_ignore_ascii_case(name)));
    found.ok_or_else(|| HomeError::Invalid(format!("Unable to find to-do list item: {name}")))
}

fn names(data: CallData<'_>) -> Result<Vec<String>, HomeError> {
    match data.0.get("item") {
        Some(Value::Array(names)) => Ok(names.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        _ => Ok(vec![data.needed_text("item")?.to_owned()]),
    }
}

fn statuses(data: CallData<'_>) -> Result<Vec<&str>, HomeError> {
    match data.0.get("status") {
        None => Ok(vec![OPEN]),
        Some(Value::Array(list)) => Ok(list.iter().filter_map(Value::as_str).collect()),
        Some(_) => Ok(vec![data.needed_text("status")?]),
    }
}
