//! The list of tools changes while clients are connected: they are notified and get the new list.
//!
//! The program has no setting that changes the list at a moment that a test could choose. The tests
//! therefore serve a registry of their own, like the conformance suite.

use async_trait::async_trait;
use ports::ToolFailure;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use testkit::{McpClient, McpWire};
use tools::{CallContext, Declaration, Tool};

use super::{plain, tools as listed};
use crate::conformance::{ConformanceServer, suite::TOKEN};

/// A tool that is added later.
struct WeatherTool(&'static str);

#[derive(Deserialize, JsonSchema)]
struct EmptyInput {}

#[derive(Serialize, JsonSchema)]
struct SkyOutput {
    sunny: bool,
}

#[async_trait]
impl Tool for WeatherTool {
    type Input = EmptyInput;
    type Output = SkyOutput;

    fn declaration(&self) -> Declaration {
        Declaration::new(self.0, "Says whether the sun shines.").computes()
    }

    async fn call(&self, _: EmptyInput, _: &CallContext) -> Result<SkyOutput, ToolFailure> {
        Ok(SkyOutput { sunny: true })
    }
}

async fn knows(mcp: &McpClient, name: &str) -> bool {
    listed(mcp).await.iter().any(|tool| tool["name"] == name)
}

#[tokio::test]
async fn clients_are_told_that_the_list_has_changed() {
    let mut server = ConformanceServer::open().await;
    let url = server.url.strip_suffix("/mcp").unwrap().to_owned();
    for (wire, name) in [(McpWire::Session, "weather_today"), (McpWire::Alone, "weather_tomorrow")] {
        let mcp = McpClient::http(&url, TOKEN, wire, plain()).await;
        let (mut _listening, mut _subscription) = (None, None);
        if wire == McpWire::Session {
            _listening = mcp.listen().await;
        } else {
            let wanted = json!({ "notifications": { "toolsListChanged": true } });
            _subscription = Some(mcp.begin("subscriptions/listen", wanted));
            mcp.received("notifications/subscriptions/acknowledged").await;
        }
        assert!(!knows(&mcp, name).await);
        // The ping makes sure that the server has finished the handshake and notifies this client.
        mcp.ask("ping", json!({})).await.ok();
        server.registry.add(WeatherTool(name)).unwrap();
        mcp.received("notifications/tools/list_changed").await;
        assert!(knows(&mcp, name).await);
        assert_eq!(mcp.data(name, json!({})).await, json!({ "sunny": true }));
        assert!(!mcp.inbox().iter().any(|told: &Value| told["method"] == "notifications/tools/list_changed"));
    }
}
