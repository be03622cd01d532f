//! Servers at an address: where we go, what we send there, and what becomes of it.

use serde_json::json;
use testkit::Stranger;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};
use tools::Failure;

use crate::house::House;

fn shop(url: &str, more: &str) -> String {
    format!("[shop]\nurl = \"{url}\"\nallow = [\"*\"]\n{more}\n")
}

async fn reached(url: &str, more: &str) -> House {
    let house = House::open(&shop(url, &format!("allow_private = true\n{more}")));
    house.until("it is there", |house| house.server("shop").away_because.is_none()).await;
    house
}

#[tokio::test]
async fn a_call_is_answered_on_either_wire_and_every_request_has_the_credentials() {
    for (old, version) in [(false, "2026-07-28"), (true, "2025-11-25")] {
        let stranger = Stranger { old, ..Stranger::default() }.at_an_address().await;
        let house = reached(&stranger.url(), "headers = { Authorization = \"Bearer abcdefgh\" }").await;
        assert_eq!(house.server("shop").protocol_version.as_deref(), Some(version));
        let sum = house.call("shop_add", json!({ "a": 2, "b": 3 })).await.unwrap();
        assert_eq!(sum.value, json!({ "sum": 5 }));
        assert_eq!(stranger.ledger(), ["add "]);
        let credentials = stranger.authorizations();
        assert!(credentials.iter().all(|told| told == "Bearer abcdefgh"), "{credentials:?}");
        house.external.stop().await;
    }
}

#[tokio::test]
async fn private_addresses_are_not_gone_to_unless_that_is_said() {
    let stranger = Stranger::default().at_an_address().await;
    for url in [stranger.url(), stranger.url().replace("127.0.0.1", "localhost")] {
        let house = House::open(&shop(&url, ""));
        house
            .until("it is refused", |house| {
                house.server("shop").away_because.is_some_and(|told| told.contains("set `allow_private`"))
            })
            .await;
    }
    assert!(stranger.authorizations().is_empty(), "nothing was sent");
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let stranger = Stranger::default().at_an_address().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    let to = stranger.url();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let _ = stream.read(&mut [0; 4096]).await;
            let head = format!("HTTP/1.1 307 Temporary Redirect\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n");
            let _ = stream.write_all(head.as_bytes()).await;
        }
    });
    let house = House::open(&shop(&url, "allow_private = true"));
    house
        .until("it is refused", |house| house.server("shop").away_because.is_some_and(|told| told.contains("307")))
        .await;
    assert!(stranger.authorizations().is_empty(), "nothing was sent there");
}

#[tokio::test]
async fn a_server_that_goes_away_is_used_again_when_it_is_back() {
    for old in [false, true] {
        let stranger = Stranger { old, ..Stranger::default() }.at_an_address().await;
        let (url, address) = (stranger.url(), stranger.address().to_owned());
        let house = reached(&url, "").await;
        stranger.stop().await;
        match house.call("shop_note", json!({ "text": "x" })).await {
            Err(Failure::Failed(told)) => assert!(told.contains("nothing was sent"), "{told}"),
            other => panic!("{other:?}"),
        }
        house.until("that is seen", |house| house.tool("shop_note").tool.away().is_some()).await;
        let again = Stranger { old, ..Stranger::default() }.at(&address).await;
        house.until("it is back", |house| house.tool("shop_note").tool.away().is_none()).await;
        house.call("shop_note", json!({ "text": "y" })).await.unwrap();
        assert_eq!(again.ledger(), ["note y"]);
        house.external.stop().await;
    }
}

#[tokio::test]
async fn a_call_that_is_cut_off_may_have_happened_and_is_not_sent_again() {
    for old in [false, true] {
        let stranger = Stranger { old, ..Stranger::default() }.at_an_address().await;
        let address = stranger.address().to_owned();
        let house = reached(&stranger.url(), "timeout_ms = 2000").await;
        let (called, ()) = tokio::join!(house.call("shop_hang", json!({})), async {
            house.until("it is called", |_| stranger.ledger() == ["hang "]).await;
            stranger.stop().await;
        });
        assert!(matches!(called, Err(Failure::Unknown(_))), "{called:?}");
        let again = Stranger { old, ..Stranger::default() }.at(&address).await;
        house.until("it is back", |house| house.tool("shop_note").tool.away().is_none()).await;
        assert_eq!(again.ledger(), Vec::<String>::new());
        house.external.stop().await;
    }
}

#[tokio::test]
async fn nobody_there_is_said_without_the_address() {
    let house = House::open(&shop("http://127.0.0.1:9/mcp?key=in-the-address", "allow_private = true"));
    house
        .until("it is away", |house| house.server("shop").away_because.is_some_and(|told| told.contains("tried")))
        .await;
    let told = house.server("shop").away_because.unwrap();
    assert!(told.contains("cannot be reached") && !told.contains("in-the-address"), "{told}");
}
