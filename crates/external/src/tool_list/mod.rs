//! Decides which tools of a server's list are accepted, and builds their declarations.

use std::{collections::HashSet, sync::Arc};

use protocol::{Effect, LeftOutTool, Origin, Safety};
use rmcp::{
    Peer, RoleClient, ServiceError,
    model::{PaginatedRequestParams, Tool, ToolAnnotations},
};
use serde_json::Value;
use tools::{AnyTool, Declaration, fits};

use crate::{
    declaration::ToolOverride,
    link::ServerLink,
    name,
    sanitize::{DESCRIPTION_CHARS_MAX, shown_schema},
    schema::Schema,
    settings::ExternalServer,
    tool::ExternalTool,
};

/// The number of pages read, and the number of tools considered.
const PAGES_MAX: usize = 50;
const LISTED_MAX: usize = 1_000;
/// The number of tools accepted.
const TOOLS_MAX: usize = 128;
/// The number of rejected tools that are listed.
const LEFT_OUT_MAX: usize = 100;

/// The accepted and the rejected tools of a list.
pub(crate) struct AcceptedTools {
    pub(crate) tools: Vec<Arc<dyn AnyTool>>,
    pub(crate) names: Vec<String>,
    pub(crate) left_out: Vec<LeftOutTool>,
}

/// Reads the list page by page, up to the limit.
pub(crate) async fn list(peer: &Peer<RoleClient>) -> Result<Vec<Tool>, ServiceError> {
    if peer.peer_info().is_some_and(|info| info.capabilities.tools.is_none()) {
        return Ok(Vec::new());
    }
    let (mut tools, mut cursor, mut seen) = (Vec::new(), None, HashSet::new());
    for _ in 0..PAGES_MAX {
        let page = peer.list_tools(Some(PaginatedRequestParams::default().with_cursor(cursor.clone()))).await?;
        tools.extend(page.tools);
        cursor = page.next_cursor;
        // A cursor that was seen before would loop.
        let goes_on = cursor.as_ref().is_some_and(|next| seen.insert(next.clone()));
        if !goes_on || tools.len() > LISTED_MAX {
            break;
        }
    }
    Ok(tools)
}

/// Filters a list. It is sorted by name, so that the result does not depend on its order.
pub(crate) fn accept(server: &ExternalServer, link: &Arc<ServerLink>, mut listed: Vec<Tool>) -> AcceptedTools {
    let mut offer = AcceptedTools { tools: Vec::new(), names: Vec::new(), left_out: Vec::new() };
    let mut left_out: Vec<(String, String)> = Vec::new();
    if listed.len() > LISTED_MAX {
        left_out.push(("…".to_owned(), format!("only the first {LISTED_MAX} of its tools are considered")));
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
            left_out.push((theirs, format!("another of its tools would also be named `{name}`")));
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
            "the configuration names a tool that the server does not offer or `allow` excludes"
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

/// Builds an accepted tool. The error says why it is rejected.
fn foreign(server: &ExternalServer, link: &Arc<ServerLink>, name: &str, tool: Tool) -> Result<ExternalTool, String> {
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
    Ok(ExternalTool {
        declaration,
        remote_name: tool.name.into_owned(),
        input,
        shown_input,
        output,
        shown_output,
        link: link.clone(),
    })
}

fn input_schema(link: &ServerLink, tool: &Tool) -> Result<(Schema, Value), String> {
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

fn declaration(
    server: &ExternalServer,
    link: &ServerLink,
    name: &str,
    tool: &Tool,
    told: &ToolOverride,
) -> Declaration {
    let words = match &told.description {
        Some(words) => words.clone(),
        None => link.words(tool.description.as_deref().unwrap_or_default(), DESCRIPTION_CHARS_MAX),
    };
    let words = if words.is_empty() { format!("It does not describe `{}`.", link.remark(&tool.name)) } else { words };
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

/// The effect and the safety that trusted annotations stand for. A read-only tool with access to
/// the open world still sends its queries out.
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
