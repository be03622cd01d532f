//! The home feed for the web page: the current state, and changes while a client follows.

use serde_json::{Value, json};
use testkit::Socket;

use super::{at_home, say};
use crate::program_with_home;

const LAMP: &str = "light.floor_lamp";

fn find<'a>(told: &'a Value, id: &str) -> Option<&'a Value> {
    told["entities"].as_array().unwrap().iter().find(|entity| entity["entity_id"] == id)
}

/// Waits until this connection gets the change of the lamp to this state.
async fn told(socket: &mut Socket, word: &str) -> Value {
    let is_it = |message: &Value| {
        message["type"] == "home.changed" && find(&message["data"], LAMP).is_some_and(|lamp| lamp["state"] == word)
    };
    socket.until(is_it).await.pop().unwrap()
}

#[tokio::test]
async fn the_home_is_shown_with_its_rooms() {
    let (_program, server) = at_home().await;
    let home = server.rest().get("/api/v1/home").await.ok();
    assert_eq!((&home["home"], &home["connection"]), (&json!("simulated"), &json!("connected")));
    let lamp = find(&home, LAMP).unwrap();
    assert_eq!((&lamp["domain"], &lamp["available"]), (&json!("light"), &json!(true)));
    assert!(lamp["changed_at"].is_string() && lamp["name"] == "Floor lamp", "{lamp}");
    let area = home["areas"].as_array().unwrap().iter().find(|area| area["area_id"] == lamp["area_id"]);
    assert!(area.is_some_and(|area| area["name"].is_string()), "{home}");
}

#[tokio::test]
async fn who_follows_the_home_is_told_what_a_turn_switches_until_they_leave() {
    let (_program, server) = at_home().await;
    let rest = server.rest();
    let session = rest.session().await;
    say(&rest, &session, "turn off the floor lamp").await;
    let (mut one, mut other) = (server.socket().await, server.socket().await);
    for socket in [&mut one, &mut other] {
        let home = socket.ask("home.follow", json!({})).await.unwrap();
        assert_eq!(find(&home, LAMP).unwrap()["state"], "off", "{home}");
    }
    say(&rest, &session, "turn on the floor lamp").await;
    for socket in [&mut one, &mut other] {
        let changed = told(socket, "on").await;
        assert!(changed.get("seq").is_none() && changed.get("session_id").is_none(), "{changed}");
    }
    assert_eq!(one.ask("home.unfollow", json!({})).await, Ok(json!({})));
    assert_eq!(one.ask("home.unfollow", json!({})).await, Ok(json!({})), "unfollowing twice changes nothing");
    one.ask("ping", json!({})).await.unwrap();
    one.until(|message| message["type"] == "pong").await;
    say(&rest, &session, "turn off the floor lamp").await;
    told(&mut other, "off").await;
    one.ask("ping", json!({})).await.unwrap();
    let since = one.until(|message| message["type"] == "pong").await;
    assert!(since.iter().all(|message| message["type"] != "home.changed"), "{since:?}");
    let again = one.ask("home.follow", json!({})).await.unwrap();
    assert_eq!(find(&again, LAMP).unwrap()["state"], "off");
}

#[tokio::test]
async fn without_a_home_it_is_said_that_there_is_none() {
    let program = program_with_home().with("DWELL_HOME_ENABLED", "false");
    let server = program.start().await;
    let none = server.rest().get("/api/v1/home").await;
    assert_eq!(none.code(404), "not_found");
    let refused = server.socket().await.ask("home.follow", json!({})).await.unwrap_err();
    assert_eq!(refused["message"], "no home is connected");
    assert!(refused["hint"].as_str().unwrap().contains("home.enabled"), "{refused}");
    assert_eq!(server.socket().await.ask("home.unfollow", json!({})).await, Ok(json!({})));
}
