//! What things in the home are called.

use reflex::{Context, List, Named, Vocabulary};
use serde_json::Value;

use crate::index::Index;

/// The names of all that is exposed, and of the areas and floors.
pub(super) fn of(index: &Index) -> Vocabulary {
    let mut named = Vec::new();
    for standing in index.matching(|entity| entity.exposed) {
        let entity = &standing.entity;
        let mut context = Context::from([("domain".to_owned(), Value::String(entity.id.domain().to_owned()))]);
        if let Some(class) = &entity.class {
            context.insert("device_class".to_owned(), Value::String(class.clone()));
        }
        for name in std::iter::once(&entity.name).chain(&entity.aliases) {
            named.push(Named {
                text: name.clone(),
                value: entity.id.to_string(),
                list: List::Name,
                context: context.clone(),
            });
        }
    }
    for area in index.areas() {
        named.extend(called(List::Area, area.id.as_str(), &area.name, &area.aliases));
    }
    for floor in index.floors() {
        named.extend(called(List::Floor, floor.id.as_str(), &floor.name, &floor.aliases));
    }
    Vocabulary::new(named)
}

fn called<'a>(list: List, id: &'a str, name: &'a String, aliases: &'a [String]) -> impl Iterator<Item = Named> + 'a {
    std::iter::once(name).chain(aliases).map(move |text| Named {
        text: text.clone(),
        value: id.to_owned(),
        list: list.clone(),
        context: Context::default(),
    })
}
