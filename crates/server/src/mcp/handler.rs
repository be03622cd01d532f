//! The door as the protocol's library calls it.

use std::borrow::Cow;

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CacheScope, CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelledNotificationParam,
        CompleteRequestParams, CompleteResult, CompletionInfo, GetPromptRequestParams, GetPromptResponse,
        GetTaskParams, GetTaskResult, Implementation, ListPromptsResult, ListResourceTemplatesResult,
        ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
        ReadResourceResponse, Reference, ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter,
        Tool, UnsubscribeRequestParams, UpdateTaskParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext},
};

use super::{
    Mcp, declared, direct,
    following::{self, To},
    prompts, resources, tasks, tools,
    trouble::{Trouble, as_answer},
};

/// How long a client may keep a list before it asks again.
const FRESH_MS: u64 = 60_000;
/// How long it may keep a session as it stands: it moves on by itself.
const FRESH_SESSION_MS: u64 = 0;
/// The name under which the list of tools is followed; no resource is called that.
const TOOLS: &str = "tools";
/// The wires there are, oldest first.
const VERSIONS: [ProtocolVersion; 4] = [
    ProtocolVersion::V_2025_03_26,
    ProtocolVersion::V_2025_06_18,
    ProtocolVersion::V_2025_11_25,
    ProtocolVersion::V_2026_07_28,
];
const INSTRUCTIONS: &str = "Dwell keeps conversations alive. `start_session`, then `send_message` and \
    `await_continuation`: the session remembers what was said, also after a restart, and a turn goes on when you disconnect. \
    `ask` is one question in a session of its own. `search_memories` finds what is remembered across sessions; \
    `add_entry` and `put_context` keep a memory of your own (see the prompts). All other tools are what Dwell's agents use; \
    calling them directly follows the same policy, and what needs an approval is asked for.";

impl ServerHandler for Mcp {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
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
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let listed = ListToolsResult::with_all_items(declared::all(self));
        Ok(listed.with_ttl_ms(FRESH_MS).with_cache_scope(CacheScope::Private))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        declared::one(self, name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let response = if tools::own(&request.name).is_some() {
            tools::call(self, request, &context).await
        } else if self.hub.tool(&request.name).is_some() {
            direct::call(self, request, &context).await
        } else {
            return Err(ErrorData::invalid_params(format!("there is no tool {}", request.name), None));
        };
        match response {
            Ok(response) => Ok(response),
            Err(Trouble::Problem(problem)) => Ok(as_answer(&problem).into()),
            Err(Trouble::Protocol(error)) => Err(error),
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
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::update(self, &request.task_id, &request.input_responses).await
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::cancel(self, &request.task_id).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.follow(TOOLS.to_owned(), following::tools(self.hub.clone(), To::Peer(context.peer)));
    }

    /// A request that is taken back takes the turn with it that it has begun. Going away does not: that ends the waiting only.
    async fn on_cancelled(&self, notification: CancelledNotificationParam, _context: NotificationContext<RoleServer>) {
        let Some(turn_id) = notification.request_id.as_ref().and_then(|request| self.begun_by(request)) else { return };
        let reason = notification.reason.unwrap_or_else(|| "the client has taken its request back".to_owned());
        if let Err(error) = self.hub.cancel_turn(&self.owner, turn_id, Some(reason)).await {
            tracing::warn!(%turn_id, %error, "failed to cancel a turn whose request was taken back");
        }
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        following::listen(self, context).await;
        Ok(())
    }

    #[allow(deprecated, reason = "clients of the older wire ask like this")]
    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // Whether it is there is found out now, not when nothing comes.
        resources::read(self, &request.uri).await?;
        let (hub, owner, to) = (self.hub.clone(), self.owner.clone(), To::Peer(context.peer));
        self.follow(request.uri.clone(), following::resource(hub, owner, request.uri, to));
        Ok(())
    }

    #[allow(deprecated, reason = "clients of the older wire ask like this")]
    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.unfollow(&request.uri);
        Ok(())
    }
}
