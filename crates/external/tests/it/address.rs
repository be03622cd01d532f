//! Servers at an HTTP address: which addresses are used, what is sent, and how failures are
//! handled.

use ports::ToolFailure;
use serde_json::json;
use testkit::TestMcpServer;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use crate::harness::Harness;

fn shop(url: &str, more: &str) -> String {
    format!("[shop]\nurl = \"{url}\"\nallow = [\"*\"]\n{more}\n")
}

async fn reached(url: &str, more: &str) -> Harness {
    let harness = Harness::open(&shop(url, &format!("allow_private = true\n{more}")));
    harness.until("it is there", |harness| harness.server("shop").away_because.is_none()).await;
    harness
}

#[tokio::test]
async fn a_call_is_answered_on_either_wire_and_every_request_has_the_credentials() {
    for (old, version) in [(false, "2026-07-28"), (true, "2025-11-25")] {
        let test_server = TestMcpServer { old, ..TestMcpServer::default() }.at_an_address().await;
        let harness = reached(&test_server.url(), "headers = { Authorization = \"Bearer abcdefgh\" }").await;
        assert_eq!(harness.server("shop").protocol_version.as_deref(), Some(version));
        let sum = harness.call("shop_add", json!({ "a": 2, "b": 3 })).await.unwrap();
        assert_eq!(sum.value, json!({ "sum": 5 }));
        assert_eq!(test_server.ledger(), ["add "]);
        let credentials = test_server.authorizations();
        assert!(credentials.iter().all(|told| told == "Bearer abcdefgh"), "{credentials:?}");
        harness.external.stop().await;
    }
}

#[tokio::test]
async fn private_addresses_are_not_gone_to_unless_that_is_said() {
    let test_server = TestMcpServer::default().at_an_address().await;
    for url in [test_server.url(), test_server.url().replace("127.0.0.1", "localhost")] {
        let harness = Harness::open(&shop(&url, ""));
        harness
            .until("it is refused", |harness| {
                harness.server("shop").away_because.is_some_and(|told| told.contains("set `allow_private`"))
            })
            .await;
    }
    assert!(test_server.authorizations().is_empty(), "nothing was sent");
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let test_server = TestMcpServer::default().at_an_address().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let to = test_server.url();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 4096]).await;
            let head = format!("HTTP/1.1 307 Temporary Redirect\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n");
            let _ = stream.write_all(head.as_bytes()).await;
        }
    });
    let harness = Harness::open(&shop(&url, "allow_private = true"));
    harness
        .until("it is refused", |harness| harness.server("shop").away_because.is_some_and(|told| told.contains("307")))
        .await;
    assert!(test_server.authorizations().is_empty(), "nothing was sent there");
}

#[tokio::test]
async fn a_server_that_goes_away_is_used_again_when_it_is_back() {
    for old in [false, true] {
        let test_server = TestMcpServer { old, ..TestMcpServer::default() }.at_an_address().await;
        let (url, address) = (test_server.url(), test_server.address().to_owned());
        let harness = reached(&url, "").await;
        test_server.stop().await;
        match harness.call("shop_note", json!({ "text": "x" })).await {
            Err(ToolFailure::Failed(told)) => assert!(told.contains("nothing was sent"), "{told}"),
            other => panic!("{other:?}"),
        }
        harness.until("that is seen", |harness| harness.tool("shop_note").tool.away().is_some()).await;
        let again = TestMcpServer { old, ..TestMcpServer::default() }.at(&address).await;
        harness.until("it is back", |harness| harness.tool("shop_note").tool.away().is_none()).await;
        harness.call("shop_note", json!({ "text": "y" })).await.unwrap();
        assert_eq!(again.ledger(), ["note y"]);
        harness.external.stop().await;
    }
}

#[tokio::test]
async fn a_call_that_is_cut_off_may_have_happened_and_is_not_sent_again() {
    for old in [false, true] {
        let test_server = TestMcpServer { old, ..TestMcpServer::default() }.at_an_address().await;
        let address = test_server.address().to_owned();
        let harness = reached(&test_server.url(), "timeout_ms = 2000").await;
        let (called, ()) = tokio::join!(harness.call("shop_hang", json!({})), async {
            harness.until("it is called", |_| test_server.ledger() == ["hang "]).await;
            test_server.stop().await;
        });
        assert!(matches!(called, Err(ToolFailure::Unknown(_))), "{called:?}");
        let again = TestMcpServer { old, ..TestMcpServer::default() }.at(&address).await;
        harness.until("it is back", |harness| harness.tool("shop_note").tool.away().is_none()).await;
        assert_eq!(again.ledger(), Vec::<String>::new());
        harness.external.stop().await;
    }
}

#[tokio::test]
async fn a_missing_server_is_reported_without_the_address() {
    let harness = Harness::open(&shop("http://127.0.0.1:9/mcp?key=in-the-address", "allow_private = true"));
    harness
        .until("it is away", |harness| harness.server("shop").away_because.is_some_and(|told| told.contains("tried")))
        .await;
    let told = harness.server("shop").away_because.unwrap();
    assert!(told.contains("cannot be reached") && !told.contains("in-the-address"), "{told}");
}
