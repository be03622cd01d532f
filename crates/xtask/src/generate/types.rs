//! docs/reference/types.md: the named types of the other pages, by name.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{markdown, schema};

const INTRODUCTION: &str = "The types that the pages about REST and events refer to. A field with `?` may be left out.";

pub fn page(openapi: &Value) -> String {
    let mut text = markdown::head("Types", "the schemas of `dwell openapi`");
    text.push_str(&format!("\n{}\n", markdown::wrap(INTRODUCTION)));
    let schemas: BTreeMap<&String, &Value> =
        openapi["components"]["schemas"].as_object().into_iter().flatten().collect();
    for (name, schema) in schemas {
        text.push_str(&format!("\n## `{name}`\n\n"));
        match schema::description(schema) {
            "" => {}
            description => text.push_str(&format!("{}\n\n", markdown::wrap(description))),
        }
        // The kinds of events have a page of their own.
        if name == "Event" {
            text.push_str("The fields and kinds are listed on the page [Events](events.md).\n");
        } else {
            text.push_str(&schema::details(schema));
        }
    }
    text
}
