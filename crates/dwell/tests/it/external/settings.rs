//! The settings of external servers: only the operator's file can change them, and their secrets
//! are never shown.

use reqwest::Method;
use serde_json::json;
use testkit::{Reply, TestMcpServer, ToolCall};

use super::{ExternalHarness, set, shop, tool};
use crate::{harness::told, program};

const SECRET: &str = "shop-K3y-0123456789-abcdef";

#[tokio::test]
async fn secrets_of_a_server_come_out_nowhere() {
    let more = "env = { SHOP_KEY = \"env:OWN_SHOP_KEY\", SHOP_TOKEN = \"literal-t0ken-0123\" }";
    let configuration = shop(more).replace("\"FOLDER/ledger\"]", "\"FOLDER/ledger\", \"--mutter\", \"SHOP_KEY\"]");
    let harness = ExternalHarness::open_with(&configuration, |program| {
        program.with("OWN_SHOP_KEY", SECRET).with("DWELL_LOG_FILTER", "trace").with_log()
    })
    .await;
    let rest = harness.server.rest();
    let session = rest.session().await;
    harness.model.push(Reply::tool_calls([ToolCall::new("c1", "shop_surroundings", json!({}))]));
    let turn = told(&rest, &session, json!({ "message": "What does the shop know?" })).await;
    assert_eq!(turn["status"], "completed", "{turn}");
    let requests: Vec<String> = harness.model.requests().iter().map(|request| request.raw().to_string()).collect();
    let export = rest.text(&format!("/api/v1/sessions/{session}/export")).await;
    assert!(export.contains("SHOP_KEY="), "the server printed its environment: {export}");
    assert!(!export.contains("DWELL_TOKEN") && !export.contains("OPENAI_API_KEY"), "nothing of ours is known there");
    let (tools, printed) = (harness.tools().await.to_string(), harness.program.run(&["config"]).await.stdout);
    assert!(printed.contains("mcp.servers") && printed.contains("(set, not shown)"), "{printed}");
    harness.server.stop().await;
    let files = ["journal.db", "journal.db-wal", "log"];
    let files = files.map(|name| std::fs::read(harness.program.folder().join(name)).unwrap_or_default()).concat();
    let files = String::from_utf8_lossy(&files).into_owned();
    assert!(files.contains("an external server writes: key ["), "what it writes is logged without it");
    for secret in [SECRET, "literal-t0ken-0123"] {
        for (what, text) in [
            ("turn", &turn.to_string()),
            ("export", &export),
            ("tools", &tools),
            ("config", &printed),
            ("files", &files),
        ] {
            assert!(!text.contains(secret), "{secret} is in the {what}");
        }
        assert!(requests.iter().all(|request| !request.contains(secret)), "{secret} went to the model");
    }
}

#[tokio::test]
async fn a_server_at_an_address_is_used_with_its_credentials() {
    let test_server = TestMcpServer::default().at_an_address().await;
    let configuration = format!(
        "[tools]\nactuation = true\n[mcp.servers.shop]\nurl = \"{}\"\nallow_private = true\nallow = [\"note\"]\n\
         headers = {{ Authorization = \"env:SHOP_AUTHORIZATION\" }}",
        test_server.url()
    );
    let bearer = format!("Bearer {SECRET}");
    let harness =
        ExternalHarness::open_with(&configuration, |program| program.with("SHOP_AUTHORIZATION", &bearer)).await;
    let rest = harness.server.rest();
    harness.model.push(Reply::tool_calls([ToolCall::new("c1", "shop_note", json!({ "text": "bread" }))]));
    let turn = told(&rest, &rest.session().await, json!({ "message": "Note bread." })).await;
    assert_eq!((&turn["status"], test_server.ledger()), (&json!("completed"), vec!["note bread".to_owned()]));
    assert!(test_server.authorizations().iter().all(|told| *told == bearer));
    let page = harness.tools().await;
    assert_eq!(page["servers"][0]["protocol_version"], "2026-07-28");
    assert!(page["servers"][0]["left_out"].as_array().unwrap().len() > 10);
}

#[tokio::test]
async fn a_server_that_cannot_start_does_not_prevent_the_start() {
    let configuration = "[mcp.servers.gone]\ncommand = \"/nowhere/at/all\"\nallow = [\"*\"]\n\
                         [mcp.servers.deaf]\ncommand = \"TEST_SERVER\"\nargs = [\"--deaf\"]\nallow = [\"*\"]";
    let harness = ExternalHarness::open(configuration).await;
    let page = harness.tools().await;
    let servers = page["servers"].as_array().unwrap();
    assert_eq!(servers.len(), 2);
    assert!(servers.iter().all(|server| server["away_because"].is_string()), "{servers:?}");
    assert!(tool(&page, "calculator").is_some());
    let turn =
        told(&harness.server.rest(), &harness.server.rest().session().await, json!({ "message": "Hello." })).await;
    assert_eq!(turn["status"], "completed");
    assert!(harness.server.stop().await.success());
}

#[tokio::test]
async fn what_is_wrong_in_the_file_is_named_before_anything_starts() {
    for (configuration, expected) in [
        ("[mcp.servers.shop]\nallow = [\"*\"]", "`mcp.servers.shop` needs a `command`"),
        ("[mcp.servers.shop]\ncomand = \"x\"", "comand"),
        ("[mcp.servers.shop]\ncommand = \"x\"\nenv = { A = \"env:NOT_SET\" }", "names the variable `NOT_SET`"),
        ("[mcp.servers.shop]\ncommand = \"x\"\ntools.a.effect = \"verifiable\"", "cannot be `verifiable`"),
        ("[mcp]\nclients = {}", "there is no setting `mcp.clients`"),
    ] {
        let finished = set(program(), configuration).run(&["serve", "--listen", "127.0.0.1:0"]).await;
        assert!(!finished.status.success());
        assert!(finished.stderr.contains(expected), "{expected}: {}", finished.stderr);
    }
}

#[tokio::test]
async fn nothing_but_the_file_can_name_a_server() {
    let by_variable = program().with("DWELL_MCP_SERVERS", "{ shop = { command = \"sh\" } }");
    let finished = by_variable.run(&["serve", "--listen", "127.0.0.1:0"]).await;
    assert!(!finished.status.success() && finished.stderr.contains("DWELL_MCP_SERVERS"), "{}", finished.stderr);

    let harness = ExternalHarness::open(&shop("")).await;
    let file = harness.program.folder().join("config.toml");
    let before = std::fs::read(&file).unwrap();
    let rest = harness.server.rest();
    // Routes about tools or settings can only be read.
    let described = rest.get("/openapi.json").await.ok();
    for (path, methods) in described["paths"].as_object().unwrap() {
        let is_about = ["/tools", "/mcp/servers", "/config", "/settings"].iter().any(|part| path.contains(part));
        let changes = methods.as_object().unwrap().keys().find(|method| *method != "get");
        assert!(!is_about || changes.is_none(), "{path} can be changed by {changes:?}");
    }
    for path in ["/api/v1/tools", "/api/v1/tools/servers", "/api/v1/config", "/api/v1/mcp/servers"] {
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE] {
            let body = json!({ "servers": { "other": { "command": "sh", "allow": ["*"] } } });
            let answer = rest.call(method.clone(), path, Some(body), &[]).await;
            assert!(matches!(answer.status, 404 | 405), "{method} {path}: {} {}", answer.status, answer.body);
        }
    }
    // No tool can change the settings either: no tool mentions them, and a server can only change
    // its own list.
    let page = harness.tools().await;
    for listed in page["data"].as_array().unwrap().iter().filter(|tool| tool.get("server").is_none()) {
        assert!(!listed.to_string().contains("mcp"), "{listed}");
    }
    assert_eq!(page["servers"].as_array().unwrap().len(), 1);
    assert_eq!(std::fs::read(&file).unwrap(), before);
}
