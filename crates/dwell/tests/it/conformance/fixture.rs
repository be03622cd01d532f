//! Dwell's MCP endpoint with the fixtures that the suite expects. Calls of any other name go to
//! Dwell.

use std::sync::{Arc, Mutex};

use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CancelTaskParams, CancelledNotificationParam, CompleteRequestParams,
        CompleteResult, CompletionInfo, GetPromptRequestParams, GetPromptResponse, GetTaskParams, GetTaskResult,
        InitializeRequestParams, InitializeResult, ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult,
        ListToolsResult, PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities,
        ServerConfig, SetLevelRequestParams, SubscribeRequestParams, SubscriptionFilter, Tool,
        UnsubscribeRequestParams, UpdateTaskParams,
    },
    service::{NotificationContext, RequestContext, SubscriptionContext, SubscriptionSink},
};
use server::McpHandler;

use super::{content, elicited, rounds, tasks};

/// What all clients of a run share.
#[derive(Default)]
pub(super) struct Shared {
    pub(super) sinks: Mutex<Vec<SubscriptionSink>>,
}

/// The MCP handler with its fixtures.
pub(super) struct Fixture {
    pub(super) mcp: McpHandler,
    pub(super) shared: Arc<Shared>,
}

type Context = RequestContext<RoleServer>;

impl ServerHandler for Fixture {
    fn get_info(&self) -> ServerConfig {
        let mut own = self.mcp.get_info();
        // The capability that only the fixtures have.
        own.capabilities.prompts =
            ServerCapabilities::builder().enable_prompts().enable_prompts_list_changed().build().prompts;
        own
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: Context,
    ) -> Result<InitializeResult, ErrorData> {
        context.peer.set_peer_info(request.clone());
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut listed = self.mcp.list_tools(request, context).await?;
        listed.tools.extend(content::tools());
        listed.tools.extend(elicited::tools());
        listed.tools.extend(rounds::tools());
        listed.tools.extend(tasks::wrapped());
        Ok(listed)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let fixtures = content::tools().into_iter().chain(elicited::tools()).chain(rounds::tools());
        fixtures.chain(tasks::wrapped()).find(|tool| tool.name == name).or_else(|| self.mcp.get_tool(name))
    }

    async fn call_tool(&self, request: CallToolRequestParams, context: Context) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.to_string();
        if tasks::is_fixture(&name) {
            return tasks::call(&self.mcp, request, context).await;
        }
        if rounds::tools().iter().any(|tool| tool.name == name) {
            return rounds::call(&request, &context);
        }
        if elicited::tools().iter().any(|tool| tool.name == name) {
            return elicited::call(&request, &context).await;
        }
        if content::tools().iter().any(|tool| tool.name == name) {
            return content::call(&self.shared, &request, &context).await;
        }
        self.mcp.call_tool(request, context).await
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut listed = self.mcp.list_prompts(request, context).await?;
        listed.prompts.extend(content::prompts());
        listed.prompts.push(rounds::prompt());
        Ok(listed)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        if request.name == rounds::prompt().name {
            return Ok(rounds::get_prompt(&request));
        }
        match content::get_prompt(&request) {
            Some(found) => Ok(found.into()),
            None => self.mcp.get_prompt(request, context).await,
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut listed = self.mcp.list_resources(request, context).await?;
        listed.resources.extend(content::resources());
        Ok(listed)
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut listed = self.mcp.list_resource_templates(request, context).await?;
        listed.resource_templates.push(content::template());
        Ok(listed)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        match content::read(&request.uri) {
            Some(found) => Ok(found.into()),
            None => self.mcp.read_resource(request, context).await,
        }
    }

    async fn subscribe(&self, request: SubscribeRequestParams, context: Context) -> Result<(), ErrorData> {
        if content::read(&request.uri).is_some() { Ok(()) } else { self.mcp.subscribe(request, context).await }
    }

    async fn unsubscribe(&self, request: UnsubscribeRequestParams, context: Context) -> Result<(), ErrorData> {
        self.mcp.unsubscribe(request, context).await
    }

    async fn complete(&self, request: CompleteRequestParams, context: Context) -> Result<CompleteResult, ErrorData> {
        if let rmcp::model::Reference::Prompt(_) = &request.r#ref {
            let values = CompletionInfo::new(vec![format!("{}-first", request.argument.value)]).unwrap();
            return Ok(CompleteResult::new(values));
        }
        self.mcp.complete(request, context).await
    }

    async fn set_level(&self, request: SetLevelRequestParams, context: Context) -> Result<(), ErrorData> {
        self.mcp.set_level(request, context).await
    }

    async fn get_task(&self, request: GetTaskParams, context: Context) -> Result<GetTaskResult, ErrorData> {
        self.mcp.get_task(request, context).await
    }

    async fn update_task(&self, request: UpdateTaskParams, context: Context) -> Result<(), ErrorData> {
        self.mcp.update_task(request, context).await
    }

    async fn cancel_task(&self, request: CancelTaskParams, context: Context) -> Result<(), ErrorData> {
        self.mcp.cancel_task(request, context).await
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.mcp.on_initialized(context).await;
    }

    async fn on_cancelled(&self, notification: CancelledNotificationParam, context: NotificationContext<RoleServer>) {
        self.mcp.on_cancelled(notification, context).await;
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        self.shared.sinks.lock().unwrap().push(context.sink().clone());
        self.mcp.listen(context).await
    }
}
