//! The handler that the protocol's library calls.

#![allow(deprecated, reason = "clients of older protocol versions use what newer ones deprecate")]

use std::borrow::Cow;

use protocol::Scope;
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelledNotificationParam,
        CompleteRequestParams, CompleteResult, CompletionInfo, GetPromptRequestParams, GetPromptResponse,
        GetTaskParams, GetTaskResult, Implementation, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
        ReadResourceResponse, Reference, ServerCapabilities, ServerConfig, SetLevelRequestParams,
        SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};

use super::{
    McpHandler, direct,
    error::{McpError, as_answer},
    notifications::{self, NotificationTarget},
    prompts, resources, taint, tasks, tool_list, tools,
};
use crate::trace;

/// How long a client may cache a list.
const FRESH_MS: u64 = 60_000;
/// How long a client may cache a session: not at all, since sessions change.
const FRESH_SESSION_MS: u64 = 0;
/// The name under which the list of tools is followed; no resource has this name.
const TOOLS: &str = "tools";
/// The supported protocol versions, oldest first.
const VERSIONS: [ProtocolVersion; 4] = [
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];
const INSTRUCTIONS: &str = "Dwell keeps durable conversations. `start_session`, then `send_message` and \
    `await_continuation`: the session keeps all messages, also after a restart, and a turn continues when you disconnect. \
    `ask` is one question in a session of its own. `search_memories` searches memories across sessions; \
    `add_entry` and `put_context` keep a memory of your own (see the prompts). All other tools are what Dwell's agents use; \
    calling them directly follows the same policy, including approvals.";

impl ServerHandler for McpHandler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_logging()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_prompts()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_completions()
            .enable_tasks()
            .build();
        let about = Implementation::new("dwell", env!("CARGO_PKG_VERSION")).with_title("Dwell");
        ServerConfig::new(capabilities).with_server_info(about).with_instructions(INSTRUCTIONS)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(&VERSIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let listed = ListToolsResult::with_all_items(tool_list::all(self, taint::scope(&context)));
        Ok(listed.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tool_list::one(self, name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let parent = if self.hub.is_traced() { trace::of_mcp(&context) } else { None };
        let Some(needs) = tool_list::scope(self, &request.name) else {
            return Err(ErrorData::invalid_params(format!("there is no tool {}", request.name), None));
        };
        let response = match taint::check_scope(&context, needs) {
            Err(problem) => Err(problem.into()),
            Ok(()) if tools::own(&request.name).is_some() => {
                observe::scope_maybe(parent, Box::pin(tools::call(self, request, &context))).await
            }
            Ok(()) => observe::scope_maybe(parent, Box::pin(direct::call(self, request, &context))).await,
        };
        match response {
            Ok(response) => Ok(response),
            Err(McpError::Problem(problem)) => Ok(as_answer(&problem).into()),
            Err(McpError::Protocol(error)) => Err(error),
        }
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let listed = ListPromptsResult::with_all_items(prompts::declared());
        Ok(listed.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Public))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        prompts::get(&request.name).map(Into::into)
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let (listed, origin) = resources::list(self, request.and_then(|request| request.cursor)).await?;
        self.shows(&context, origin, "the list of sessions").await?;
        Ok(listed.with_ttl_ms(FRESH_SESSION_MS).with_cache_scope(CacheScope::Private))
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let listed = ListResourceTemplatesResult::with_all_items(resources::templates());
        Ok(listed.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Public))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let (read, origin) = resources::read(self, &request.uri).await?;
        self.shows(&context, origin, &request.uri).await?;
        Ok(read.with_ttl_ms(FRESH_SESSION_MS).with_cache_scope(CacheScope::Private).into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let values = match &request.r#ref {
            Reference::Resource(_) if request.argument.name == "session_id" => {
                resources::complete(self, &request.argument.value).await?
            }
            _ => Vec::new(),
        };
        let values = CompletionInfo::new(values).map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(CompleteResult::new(values))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        tasks::get(self, &request.task_id, &context).await
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // Answers approve calls, and continue turns with the rights that they have.
        taint::check_scope(&context, Scope::Act).map_err(McpError::from)?;
        tasks::update(self, &request.task_id, &request.input_responses).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        taint::check_scope(&context, Scope::Talk).map_err(McpError::from)?;
        tasks::cancel(self, &request.task_id).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.follow(TOOLS.to_owned(), notifications::tools(self.hub.clone(), NotificationTarget::Peer(context.peer)));
    }

    /// Cancelling a request cancels the turn that it started. Disconnecting does not: that only
    /// ends the wait.
    async fn on_cancelled(&self, notification: CancelledNotificationParam, _context: NotificationContext<RoleServer>) {
        let Some(turn_id) = notification.request_id.as_ref().and_then(|request| self.begun_by(request)) else { return };
        let reason = notification.reason.unwrap_or_else(|| "the client cancelled its request".to_owned());
        if let Err(error) = self.hub.cancel_turn(&self.owner, turn_id, Some(reason)).await {
            tracing::warn!(%turn_id, %error, "failed to cancel a turn whose request was cancelled");
        }
    }

    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.set_log_level(&request, &context)
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        notifications::listen(self, context).await;
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // Checks that the resource exists, instead of silently sending nothing.
        resources::read(self, &request.uri).await?;
        let (hub, owner, to) = (self.hub.clone(), self.owner.clone(), NotificationTarget::Peer(context.peer));
        self.follow(request.uri.clone(), notifications::resource(hub, owner, request.uri, to));
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.unfollow(&request.uri);
        Ok(())
    }
}
