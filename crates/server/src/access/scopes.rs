//! Which scope every route, message and MCP tool needs.
//!
//! A route is found here by its method and its path in the table of routes; a test compares both
//! tables. A route that is missing here needs `admin`. Messages are matched without a default, so
//! that a new one does not compile until it is listed.

use axum::http::Method;
use protocol::{
    ClientBody, Code, Problem, Safety,
    Scope::{self, Act, Admin, Read, Talk},
    TurnView,
};

/// Routes by scope: method and path, as in the table of routes.
static ROUTES: [(Scope, &[(&str, &str)]); 4] = [(Read, READ), (Talk, TALK), (Act, ACT), (Admin, ADMIN)];

const READ: &[(&str, &str)] = &[
    ("GET", "/readyz"),
    ("GET", "/openapi.json"),
    // Each of its messages is checked.
    ("GET", "/ws"),
    ("GET", "/events/{session_id}"),
    // Tickets and invitations are worth what the token is that asked for them.
    ("POST", "/api/v1/tickets"),
    ("POST", "/api/v1/invitations"),
    ("GET", "/api/v1/entry"),
    ("DELETE", "/api/v1/entry"),
    ("GET", "/api/v1/sessions"),
    ("GET", "/api/v1/sessions/{session_id}"),
    ("GET", "/api/v1/sessions/{session_id}/window"),
    ("GET", "/api/v1/sessions/{session_id}/events"),
    ("GET", "/api/v1/sessions/{session_id}/export"),
    ("GET", "/api/v1/sessions/{session_id}/turns"),
    ("GET", "/api/v1/sessions/{session_id}/artifacts"),
    ("GET", "/api/v1/sessions/{session_id}/desktop"),
    ("GET", "/api/v1/turns/{turn_id}"),
    ("GET", "/api/v1/turns/{turn_id}/events"),
    ("GET", "/api/v1/turns/{turn_id}/passages"),
    ("GET", "/api/v1/background"),
    ("GET", "/api/v1/tools"),
    ("GET", "/api/v1/approvals"),
    ("GET", "/api/v1/artifacts"),
    ("GET", "/api/v1/artifacts/{artifact_id}"),
    ("GET", "/api/v1/home"),
    ("GET", "/api/v1/models"),
    ("GET", "/api/v1/stats"),
    ("GET", "/api/v1/profile"),
    ("GET", "/api/v1/profile/{key}"),
    ("GET", "/api/v1/memories"),
    ("POST", "/api/v1/memories/search"),
    ("GET", "/api/v1/memory/graph"),
    ("POST", "/api/v1/memories/await_consistency"),
    ("GET", "/api/v1/memories/export"),
    ("GET", "/api/v1/memories/audit"),
    ("GET", "/api/v1/memories/{item_id}"),
    ("GET", "/api/v1/vaults"),
    ("GET", "/api/v1/vaults/{vault_id}"),
    ("GET", "/api/v1/vaults/{vault_id}/memories"),
    ("GET", "/api/v1/vaults/{vault_id}/memories/{memory_id}"),
    ("GET", "/api/v1/vaults/{vault_id}/memories/{memory_id}/entries"),
    ("GET", "/api/v1/vaults/{vault_id}/memories/{memory_id}/entries/{entry_id}"),
    ("GET", "/api/v1/vaults/{vault_id}/memories/{memory_id}/contexts"),
    ("GET", "/api/v1/vaults/{vault_id}/memories/{memory_id}/contexts/latest"),
    ("GET", "/api/v1/vaults/{vault_id}/memories/{memory_id}/contexts/{version}"),
    ("GET", "/api/v1/schedules"),
    ("POST", "/api/v1/schedules/preview"),
    ("GET", "/api/v1/schedules/{schedule_id}"),
    ("GET", "/api/v1/alerts"),
    ("GET", "/api/v1/push"),
    ("POST", "/api/v1/values/read"),
    ("POST", "/api/v1/values/list"),
    ("GET", "/api/v1/library"),
    ("GET", "/api/v1/library/search"),
    ("GET", "/v1/models"),
    ("GET", "/v1/models/{*model}"),
    ("POST", "/v1/messages/count_tokens"),
    ("GET", "/v1/responses/{response_id}"),
    ("GET", "/v1/responses/{response_id}/input_items"),
    ("GET", "/v1/conversations/{conversation_id}"),
    ("GET", "/v1/conversations/{conversation_id}/items"),
    ("GET", "/api/version"),
    ("GET", "/api/tags"),
    ("POST", "/api/show"),
    ("GET", "/api/ps"),
    ("POST", "/api/pull"),
    ("GET", "/ollama/{key}/"),
    ("GET", "/ollama/{key}/api/tags"),
    ("POST", "/ollama/{key}/api/show"),
    ("GET", "/ollama/{key}/api/version"),
    ("GET", "/ollama/{key}/api/ps"),
    ("POST", "/ollama/{key}/api/pull"),
    // Each of its tools is checked.
    ("POST", "/mcp"),
    ("GET", "/mcp"),
    ("DELETE", "/mcp"),
];

const TALK: &[(&str, &str)] = &[
    ("POST", "/api/v1/sessions"),
    ("POST", "/api/v1/sessions/{session_id}/reset"),
    ("POST", "/api/v1/sessions/{session_id}/fork"),
    ("POST", "/api/v1/sessions/{session_id}/turns"),
    ("POST", "/api/v1/sessions/{session_id}/cancel"),
    ("POST", "/api/v1/turns/{turn_id}/cancel"),
    ("POST", "/api/v1/turns/{turn_id}/pause"),
    ("POST", "/api/v1/turns/{turn_id}/tool-results"),
    ("POST", "/api/v1/turns/{turn_id}/retry"),
    ("POST", "/api/v1/ask"),
    ("POST", "/api/v1/alerts/{alert_id}/seen"),
    ("POST", "/v1/chat/completions"),
    ("POST", "/v1/embeddings"),
    ("POST", "/v1/messages"),
    ("POST", "/v1/responses"),
    ("POST", "/v1/responses/{response_id}/cancel"),
    ("POST", "/v1/conversations"),
    ("POST", "/v1/conversations/{conversation_id}"),
    ("POST", "/v1/conversations/{conversation_id}/items"),
    ("POST", "/api/chat"),
    ("POST", "/api/generate"),
    ("POST", "/api/embed"),
    ("POST", "/api/embeddings"),
    ("POST", "/ollama/{key}/api/chat"),
    ("POST", "/ollama/{key}/api/generate"),
    ("POST", "/ollama/{key}/api/embed"),
    ("POST", "/ollama/{key}/api/embeddings"),
];

const ACT: &[(&str, &str)] = &[
    // A policy that a person has narrowed can be widened again by these two.
    ("PATCH", "/api/v1/sessions/{session_id}"),
    ("POST", "/api/v1/sessions/{session_id}/restore"),
    ("DELETE", "/api/v1/sessions/{session_id}"),
    ("POST", "/api/v1/sessions/import"),
    ("DELETE", "/api/v1/sessions/{session_id}/turns/{turn_id}"),
    // The turn continues with the rights of the message that began it.
    ("POST", "/api/v1/turns/{turn_id}/resume"),
    ("POST", "/api/v1/approvals/{approval_id}"),
    ("DELETE", "/api/v1/artifacts/{artifact_id}"),
    // The controls of windows start turns with all tools.
    ("POST", "/api/v1/sessions/{session_id}/windows/{window_id}/messages"),
    ("POST", "/api/v1/sessions/{session_id}/windows/{window_id}/actions"),
    ("POST", "/api/v1/sessions/{session_id}/interactions"),
    ("POST", "/api/v1/sessions/{session_id}/dialogs/{dialog_id}"),
    ("PUT", "/api/v1/profile/{key}"),
    ("DELETE", "/api/v1/profile/{key}"),
    ("POST", "/api/v1/memories/forget"),
    ("POST", "/api/v1/memories/ingest"),
    ("POST", "/api/v1/memories/import"),
    ("DELETE", "/api/v1/memories/{item_id}"),
    ("POST", "/api/v1/memories/{item_id}/correct"),
    ("POST", "/api/v1/vaults"),
    ("PATCH", "/api/v1/vaults/{vault_id}"),
    ("DELETE", "/api/v1/vaults/{vault_id}"),
    ("POST", "/api/v1/vaults/{vault_id}/memories"),
    ("PATCH", "/api/v1/vaults/{vault_id}/memories/{memory_id}"),
    ("DELETE", "/api/v1/vaults/{vault_id}/memories/{memory_id}"),
    ("POST", "/api/v1/vaults/{vault_id}/memories/{memory_id}/control"),
    ("POST", "/api/v1/vaults/{vault_id}/memories/{memory_id}/entries"),
    ("POST", "/api/v1/vaults/{vault_id}/memories/{memory_id}/contexts"),
    ("POST", "/api/v1/schedules"),
    ("PATCH", "/api/v1/schedules/{schedule_id}"),
    ("DELETE", "/api/v1/schedules/{schedule_id}"),
    ("POST", "/api/v1/schedules/{schedule_id}/do"),
    // It answers with the secret that starts the schedule.
    ("GET", "/api/v1/schedules/{schedule_id}/hook"),
    ("POST", "/api/v1/push/devices"),
    ("DELETE", "/api/v1/push/devices/{device_id}"),
    ("POST", "/api/v1/values/write"),
    ("POST", "/api/v1/library/rescan"),
    ("DELETE", "/v1/responses/{response_id}"),
    ("DELETE", "/v1/conversations/{conversation_id}"),
    ("POST", "/api/push"),
    ("POST", "/api/create"),
    ("POST", "/api/copy"),
    ("DELETE", "/api/delete"),
    ("POST", "/ollama/{key}/api/push"),
    ("POST", "/ollama/{key}/api/create"),
    ("POST", "/ollama/{key}/api/copy"),
    ("DELETE", "/ollama/{key}/api/delete"),
];

const ADMIN: &[(&str, &str)] = &[
    ("GET", "/api/v1/tokens"),
    ("POST", "/api/v1/tokens"),
    ("DELETE", "/api/v1/tokens/{token_id}"),
    ("POST", "/api/v1/models/refresh"),
    ("POST", "/api/v1/models/try"),
    ("PUT", "/api/v1/models/providers/{provider}"),
    ("DELETE", "/api/v1/models/providers/{provider}"),
    ("PUT", "/api/v1/models/default"),
    ("GET", "/api/v1/config"),
    ("GET", "/api/v1/logs"),
    ("GET", "/api/v1/nodes"),
    // Prometheus has a token of its own for it.
    ("GET", "/metrics"),
    ("POST", "/api/v1/sweep"),
    ("POST", "/api/v1/library/folders"),
    ("DELETE", "/api/v1/library/folders/{folder_id}"),
];

/// The scope that a route needs.
pub(crate) fn of_route(method: &Method, path: &str) -> Scope {
    let method = if method == Method::HEAD { "GET" } else { method.as_str() };
    let listed = ROUTES.iter().find(|(_, routes)| routes.contains(&(method, path)));
    listed.map_or(Admin, |(scope, _)| *scope)
}

/// The scope that a message of the WebSocket needs.
pub(crate) const fn of_message(body: &ClientBody) -> Scope {
    use ClientBody as B;
    match body {
        // Following needs no more than reading, but a name that is unknown starts a session.
        B::SessionGet(_)
        | B::SessionWindow(_)
        | B::SessionList(_)
        | B::SessionExport(_)
        | B::TurnGet(_)
        | B::BackgroundList(_)
        | B::MemoryGet(_)
        | B::MemorySearch(_)
        | B::MemoryGraph(_)
        | B::MemoryExport(_)
        | B::DesktopGet(_)
        | B::HomeFollow(_)
        | B::HomeUnfollow(_)
        | B::ScheduleList(_)
        | B::ScheduleGet(_)
        | B::SchedulePreview(_)
        | B::AlertList(_)
        | B::AlertFollow(_)
        | B::Ping(_) => Read,
        B::SessionResume(asked) => match asked.session.session_id {
            Some(_) => Read,
            None => Talk,
        },
        B::SessionStart(_)
        | B::SessionEnd(_)
        | B::SessionReset(_)
        | B::SessionFork(_)
        | B::ChatSend(_)
        | B::AgentCancel(_)
        | B::AgentInterrupt(_)
        | B::TurnPause(_)
        | B::TurnRetry(_)
        | B::ToolAnswer(_)
        | B::RenderFeedback(_)
        | B::AppReady(_)
        | B::MonitorSubscribe(_)
        | B::AlertSeen(_) => Talk,
        B::SessionUpdate(_)
        | B::ProviderSet(_)
        | B::SessionDelete(_)
        | B::SessionImport(_)
        | B::SessionRestore(_)
        | B::ApprovalAnswer(_)
        | B::TurnResume(_)
        | B::ToolServe(_)
        | B::ToolProgress(_)
        | B::MemorySet(_)
        | B::MemoryCorrect(_)
        | B::MemoryForget(_)
        | B::MemoryUpdate(_)
        | B::VaultUpdate(_)
        | B::MemoryImport(_)
        | B::WindowMessage(_)
        | B::WindowAction(_)
        | B::UserInteraction(_)
        | B::DialogAnswer(_)
        | B::PromptAnswer(_)
        | B::ToastAction(_)
        | B::AppResponse(_)
        | B::MonitorRemove(_)
        | B::ScheduleCreate(_)
        | B::ScheduleUpdate(_)
        | B::ScheduleDo(_) => Act,
    }
}

/// The scope that one of Dwell's own MCP tools needs.
pub(crate) fn of_mcp_tool(name: &str) -> Scope {
    match name {
        "get_session" | "list_sessions" | "await_continuation" | "list_background" | "get_profile" | "list_vaults"
        | "list_memories" | "list_entries" | "get_entry" | "get_context" | "search_memories" | "await_consistency"
        | "memory_graph" => Read,
        "start_session" | "send_message" | "ask" | "retry" | "pause" | "cancel" => Talk,
        "end_session" | "delete_session" | "resume" | "set_profile" | "correct" | "forget" | "create_vault"
        | "update_vault" | "delete_vault" | "create_memory" | "update_memory" | "delete_memory" | "control_memory"
        | "add_entry" | "put_context" => Act,
        _ => Admin,
    }
}

/// The scope that a direct call of a registered tool needs.
pub(crate) const fn of_tool(safety: Safety) -> Scope {
    match safety {
        Safety::Observes => Talk,
        Safety::Keeps | Safety::Acts | Safety::Sends => Act,
    }
}

/// Refuses what a token may not do.
pub(crate) fn check(has: Scope, needs: Scope) -> Result<(), Problem> {
    if has >= needs {
        return Ok(());
    }
    let message = format!("this needs a token with the scope `{needs}`, and the token's scope is `{has}`");
    let hint =
        format!("Use a token with the scope `{needs}`; its owner makes one by `dwell tokens create --scope {needs}`.");
    Err(Problem::new(Code::Forbidden, message, hint))
}

/// Refuses results and texts for a running turn that may do more than the token may: they would
/// steer it.
pub(crate) fn check_turn(reads_only: bool, turn: &TurnView) -> Result<(), Problem> {
    if !reads_only || turn.request.reads_only {
        return Ok(());
    }
    let message = "the turn was begun with a token that may act, and this one may not";
    let hint = "Use a token with the scope `act`, or send a message of its own.";
    Err(Problem::new(Code::Forbidden, message, hint).about(turn.turn_id))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{access::is_open, routes};

    #[test]
    fn every_route_has_one_scope_unless_it_is_open_and_no_other_is_listed() {
        let listed: Vec<(&str, &str)> = ROUTES.iter().flat_map(|(_, routes)| routes.iter().copied()).collect();
        let all = routes::routes();
        // Paths of the table have parameters, which no open path is compared with.
        let needed = all.iter().filter(|route| !is_open(&route.method, route.path));
        let needed: BTreeSet<(&str, &str)> = needed.map(|route| (route.method.as_str(), route.path)).collect();
        let unique: BTreeSet<(&str, &str)> = listed.iter().copied().collect();
        assert_eq!(listed.len(), unique.len(), "a route is listed twice");
        assert_eq!(needed, unique);
    }

    #[test]
    fn a_route_that_is_not_listed_needs_everything() {
        assert_eq!(of_route(&Method::GET, "/api/v1/new"), Admin);
        assert_eq!(of_route(&Method::HEAD, "/api/v1/sessions"), Read);
    }

    #[test]
    fn each_scope_includes_the_ones_before_it() {
        for (at, has) in Scope::ALL.into_iter().enumerate() {
            for (needed, needs) in Scope::ALL.into_iter().enumerate() {
                assert_eq!(check(has, needs).is_ok(), needed <= at, "{has} for {needs}");
            }
        }
        let refusal = check(Read, Act).unwrap_err();
        assert_eq!(refusal.code, Code::Forbidden);
        assert!(refusal.message.contains("`act`") && refusal.message.contains("`read`"));
    }
}
