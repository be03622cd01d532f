//! Lists of things to do.

use serde_json::{Value, json};

use super::{Doing, at, data::Data};
use crate::{
    HouseError,
    simulated::{
        deeds::{Deed, Item},
        furniture::{Face, Piece},
    },
};

const OPEN: &str = "needs_action";
const DONE: &str = "completed";

pub(super) fn tell<'a>(
    doing: &mut Doing<'a>,
    piece: &'a Piece,
    service: &str,
    data: Data<'_>,
) -> Result<(), HouseError> {
    let deeds = doing.world.deeds;
    let mut items = deeds.lists.get(piece.id).cloned().unwrap_or_default();
    let mut count = deeds.items;
    match service {
        "get_items" => {
            let wanted = statuses(data)?;
            let shown: Vec<&Item> = items.iter().filter(|item| wanted.contains(&item.status.as_str())).collect();
            let answer = json!({ "items": shown });
            let response = doing.outcome.response.get_or_insert_with(|| json!({}));
            if let Some(answers) = response.as_object_mut() {
                answers.insert(piece.id.to_owned(), answer);
            }
            return Ok(());
        }
        "add_item" => {
            let summary = data.needed_text("item")?.trim();
            if summary.is_empty() {
                return Err(HouseError::Invalid("`item` is empty".to_owned()));
            }
            count += 1;
            items.push(Item { uid: count.to_string(), summary: summary.to_owned(), status: OPEN.to_owned() });
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
                return Err(HouseError::Invalid(format!("`status` is {OPEN} or {DONE}, not {other}")));
            }
            if let Some(item) = items.get_mut(number) {
                item.summary = rename.map_or_else(|| item.summary.clone(), str::to_owned);
                item.status = status.map_or_else(|| item.status.clone(), str::to_owned);
            }
        }
    }
    let open = items.iter().filter(|item| item.status == OPEN).count();
    let phases = vec![at(0, Face::word(open.to_string()))];
    let deed = Deed { at: doing.world.now, phases, service: format!("todo.{service}"), is_run: false };
    doing.outcome.deeds.push((piece.id, deed));
    doing.outcome.lists.push((piece.id, items, count));
    Ok(())
}

fn find(items: &[Item], name: &str) -> Result<usize, HouseError> {
    let found = items.iter().position(|item| item.summary == name || item.uid == name);
    let found = found.or_else(|| items.iter().position(|item| item.summary.eq_ignore_ascii_case(name)));
    found.ok_or_else(|| HouseError::Invalid(format!("Unable to find to-do list item: {name}")))
}

fn names(data: Data<'_>) -> Result<Vec<String>, HouseError> {
    match data.0.get("item") {
        Some(Value::Array(names)) => Ok(names.iter().filter_map(Value::as_str).map(str::to_owned).collect()),
        _ => Ok(vec![data.needed_text("item")?.to_owned()]),
    }
}

fn statuses(data: Data<'_>) -> Result<Vec<&str>, HouseError> {
    match data.0.get("status") {
        None => Ok(vec![OPEN]),
        Some(Value::Array(list)) => Ok(list.iter().filter_map(Value::as_str).collect()),
        Some(_) => Ok(vec![data.needed_text("status")?]),
    }
}
