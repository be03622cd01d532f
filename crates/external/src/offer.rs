//! What of a server's list is let in, and under which declaration.

use std::{collections::HashSet, sync::Arc};

use protocol::{Effect, LeftOutTool, Origin, Safety};
use rmcp::{
    Peer, RoleClient, ServiceError,
    model::{PaginatedRequestParams, Tool, ToolAnnotations},
};
use serde_json::Value;
use tools::{AnyTool, Declaration, fits};

use crate::{
    declared::DeclaredTool,
    link::Link,
    name,
    schema::Schema,
    settings::Server,
    tool::Foreign,
    words::{DESCRIPTION_CHARS_MAX, shown_schema},
};

/// Pages of a list that are read, and tools of it that are looked at.
const PAGES_MAX: usize = 50;
const LISTED_MAX: usize = 1_000;
/// Tools that are let in.
const TOOLS_MAX: usize = 128;
/// Tools that are named among those left out.
const LEFT_OUT_MAX: usize = 100;

/// What a server's list came to.
pub(crate) struct Offer {
    pub(crate) tools: Vec<Arc<dyn AnyTool>>,
    pub(crate) names: Vec<String>,
    pub(crate) left_out: Vec<LeftOutTool>,
}

/// Reads the list, page by page, as far as it goes or is bearable.
pub(crate) async fn list(peer: &Peer<RoleClient>) -> Result<Vec<Tool>, ServiceError> {
    if peer.peer_info().is_some_and(|info| info.capabilities.tools.is_none()) {
        return Ok(Vec::new());
    }
    let (mut tools, mut cursor, mut seen) = (Vec::new(), None, HashSet::new());
    for _ in 0..PAGES_MAX {
        let page = peer.list_tools(Some(PaginatedRequestParams::default().with_cursor(cursor.clone()))).await?;
        tools.extend(page.tools);
        cursor = page.next_cursor;
        // A page that leads back to one that was read leads nowhere.
        let goes_on = cursor.as_ref().is_some_and(|next| seen.insert(next.clone()));
        if !goes_on || tools.len() > LISTED_MAX {
            break;
        }
    }
    Ok(tools)
}

/// Sifts a list. It is looked at by name, so that what is let in does not depend on its order.
pub(crate) fn sift(server: &Server, link: &Arc<Link>, mut listed: Vec<Tool>) -> Offer {
    let mut offer = Offer { tools: Vec::new(), names: Vec::new(), left_out: Vec::new() };
    let mut left_out: Vec<(String, String)> = Vec::new();
    if listed.len() > LISTED_MAX {
        left_out.push(("…".to_owned(), format!("only the first {LISTED_MAX} of its tools are looked at")));
        listed.truncate(LISTED_MAX);
    }
    listed.sort_by(|one, other| one.name.cmp(&other.name));
    let allowed = |tool: &Tool| server.allow.iter().any(|pattern| fits(pattern, &tool.name));
    let (wanted, unwanted): (Vec<Tool>, Vec<Tool>) = listed.into_iter().partition(allowed);
    left_out.extend(unwanted.into_iter().map(|tool| (tool.name.into_owned(), "it is not in `allow`".to_owned())));
    let theirs: Vec<String> = wanted.iter().map(|tool| tool.name.to_string()).collect();
    let theirs: Vec<&str> = theirs.iter().map(String::as_str).collect();
    let (known, shared) = name::locals(&server.name, &theirs);
    for tool in wanted {
        let theirs = tool.name.to_string();
        let Some(name) = known.get(theirs.as_str()) else {
            let name = shared.get(theirs.as_str()).map_or("", String::as_str);
            left_out.push((theirs, format!("another of its tools would be `{name}` here as well")));
            continue;
        };
        if offer.tools.len() >= TOOLS_MAX {
            left_out.push((theirs, format!("there are more than {TOOLS_MAX} already; narrow `allow` down")));
            continue;
        }
        match foreign(server, link, name, tool) {
            Ok(tool) => {
                offer.names.push(name.clone());
                offer.tools.push(Arc::new(tool));
            }
            Err(because) => left_out.push((theirs, because)),
        }
    }
    for tool in server.tools.keys().filter(|tool| !theirs.contains(&tool.as_str())) {
        tracing::warn!(
            server = server.name,
            tool,
            "the configuration knows a tool that the server does not offer or `allow` leaves out"
        );
    }
    let more = left_out.len().saturating_sub(LEFT_OUT_MAX);
    let named = left_out.into_iter().take(LEFT_OUT_MAX);
    offer.left_out = named.map(|(tool, because)| LeftOutTool { tool: link.remark(&tool), because }).collect();
    if more > 0 {
        offer.left_out.push(LeftOutTool { tool: "…".to_owned(), because: format!("and {more} more") });
    }
    offer
}

/// A tool as it is let in. The error says why it is not.
fn foreign(server: &Server, link: &Arc<Link>, name: &str, tool: Tool) -> Result<Foreign, String> {
    let told = server.tools.get(tool.name.as_ref()).cloned().unwrap_or_default();
    let (input, shown_input) = input_schema(link, &tool)?;
    let (output, shown_output) = match &tool.output_schema {
        None => (None, None),
        Some(schema) => {
            let schema = Value::Object(schema.as_ref().clone());
            let compiled = Schema::new(&schema).map_err(|why| format!("the schema of its answers {why}"))?;
            (Some(compiled), Some(link.document(shown_schema(&schema))))
        }
    };
    let declaration = declaration(server, link, name, &tool, &told);
    Ok(Foreign {
        declaration,
        theirs: tool.name.into_owned(),
        input,
        shown_input,
        output,
        shown_output,
        link: link.clone(),
    })
}

fn input_schema(link: &Link, tool: &Tool) -> Result<(Schema, Value), String> {
    let mut schema = tool.input_schema.as_ref().clone();
    match schema.get("type") {
        Some(Value::String(kind)) if kind == "object" => {}
        None => {
            schema.insert("type".to_owned(), "object".into());
        }
        Some(_) => return Err("the schema of its arguments is not that of an object".to_owned()),
    }
    let schema = Value::Object(schema);
    let compiled = Schema::new(&schema).map_err(|why| format!("the schema of its arguments {why}"))?;
    Ok((compiled, link.document(shown_schema(&schema))))
}

fn declaration(server: &Server, link: &Link, name: &str, tool: &Tool, told: &DeclaredTool) -> Declaration {
    let words = match &told.description {
        Some(words) => words.clone(),
        None => link.words(tool.description.as_deref().unwrap_or_default(), DESCRIPTION_CHARS_MAX),
    };
    let words =
        if words.is_empty() { format!("It does not say what `{}` does.", link.remark(&tool.name)) } else { words };
    let description = format!("A tool of the external server `{}`. {words}", server.name);
    let (effect, safety) = match &tool.annotations {
        Some(hints) if server.trust_annotations => believed(hints),
        _ => (Effect::AtMostOnce, Safety::Acts),
    };
    Declaration {
        effect: told.effect.unwrap_or(effect),
        safety: told.safety.unwrap_or(safety),
        origin: Origin::Untrusted,
        parallel: told.parallel,
        timeout: told.timeout_ms.map_or(server.timeout, std::time::Duration::from_millis),
        calls_per_minute_max: told.calls_per_minute_max.or(server.calls_per_minute_max),
        ..Declaration::new(name, description)
    }
}

/// What a server's hints come to where they are believed. What only looks, but out into the open world, still sends out what
/// it looks for.
fn believed(hints: &ToolAnnotations) -> (Effect, Safety) {
    match (hints.read_only_hint, hints.idempotent_hint, hints.open_world_hint) {
        (Some(true), _, Some(false)) => (Effect::Pure, Safety::Observes),
        (Some(true), _, _) => (Effect::Pure, Safety::Sends),
        (_, Some(true), _) => (Effect::Idempotent, Safety::Acts),
        _ => (Effect::AtMostOnce, Safety::Acts),
    }
}

#[cfg(test)]
mod tests;
