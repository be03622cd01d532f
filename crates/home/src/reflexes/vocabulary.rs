//! The vocabulary of a home.

use reflex::{ContextMap, NamedItem, SlotList, Vocabulary};
use serde_json::Value;

use crate::index::HomeIndex;

/// The names of all exposed entities, areas and floors.
pub(super) fn of(index: &HomeIndex) -> Vocabulary {
    let mut named = Vec::new();
    for snapshot in index.matching(|entity| entity.exposed) {
        let entity = &snapshot.entity;
        let mut context = ContextMap::from([("domain".to_owned(), Value::String(entity.id.domain().to_owned()))]);
        if let Some(class) = &entity.class {
            context.insert("device_class".to_owned(), Value::String(class.clone()));
        }
        for name in std::iter::once(&entity.name).chain(&entity.aliases) {
            named.push(NamedItem {
                text: name.clone(),
                value: entity.id.to_string(),
                list: SlotList::Name,
                context: context.clone(),
            });
        }
    }
    for area in index.areas() {
        named.extend(called(SlotList::Area, area.id.as_str(), &area.name, &area.aliases));
    }
    for floor in index.floors() {
        named.extend(called(SlotList::Floor, floor.id.as_str(), &floor.name, &floor.aliases));
    }
    Vocabulary::new(named).with_sensitive(index.sensitive())
}

fn called<'a>(
    list: SlotList,
    id: &'a str,
    name: &'a String,
    aliases: &'a [String],
) -> impl Iterator<Item = NamedItem> + 'a {
    std::iter::once(name).chain(aliases).map(move |text| NamedItem {
        text: text.clone(),
        value: id.to_owned(),
        list: list.clone(),
        context: ContextMap::default(),
    })
}
