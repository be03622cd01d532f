//! The list of tools changes while clients are there: they are told, and find what is there now.
//!
//! No setting of the program changes the list at a moment that a test could choose, so the doors stand here on a registry of
//! the test's own, as they do for the official suite.

use async_trait::async_trait;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use testkit::{Mcp, McpWire};
use tools::{Context, Declaration, Failure, Tool};

use super::{plain, tools as listed};
use crate::conformance::{House, suite::TOKEN};

/// A tool that comes later.
struct Weather(&'static str);

#[derive(Deserialize, JsonSchema)]
struct Nothing {}

#[derive(Serialize, JsonSchema)]
struct Sky {
    sunny: bool,
}

#[async_trait]
impl Tool for Weather {
    type Input = Nothing;
    type Output = Sky;

    fn declaration(&self) -> Declaration {
        Declaration::new(self.0, "Says whether the sun shines.").computes()
    }

    async fn call(&self, _: Nothing, _: &Context) -> Result<Sky, Failure> {
        Ok(Sky { sunny: true })
    }
}

async fn knows(mcp: &Mcp, name: &str) -> bool {
    listed(mcp).await.iter().any(|tool| tool["name"] == name)
}

#[tokio::test]
async fn clients_are_told_that_the_list_has_changed() {
    let mut house = House::open().await;
    let url = house.url.strip_suffix("/mcp").unwrap().to_owned();
    for (wire, name) in [(McpWire::Session, "weather_today"), (McpWire::Alone, "weather_tomorrow")] {
        let mcp = Mcp::http(&url, TOKEN, wire, plain()).await;
        let (mut _listening, mut _subscription) = (None, None);
        if wire == McpWire::Session {
            _listening = mcp.listen().await;
        } else {
            let wanted = json!({ "notifications": { "toolsListChanged": true } });
            _subscription = Some(mcp.begin("subscriptions/listen", wanted));
            mcp.heard("notifications/subscriptions/acknowledged").await;
        }
        assert!(!knows(&mcp, name).await);
        // A client that has heard the answer to its handshake is followed by now.
        mcp.ask("ping", json!({})).await.ok();
        house.registry.add(Weather(name)).unwrap();
        mcp.heard("notifications/tools/list_changed").await;
        assert!(knows(&mcp, name).await);
        assert_eq!(mcp.data(name, json!({})).await, json!({ "sunny": true }));
        assert!(!mcp.inbox().iter().any(|told: &Value| told["method"] == "notifications/tools/list_changed"));
    }
}
