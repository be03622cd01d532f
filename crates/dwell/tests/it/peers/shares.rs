//! The open connections of one owner do not limit another owner.

use serde_json::{Value, json};

use super::{TOKEN, address, answer, counted, peer, request};
use crate::{owners::add, program};

#[tokio::test]
async fn an_owner_has_a_number_of_streams() {
    let program = program().with("DWELL_LIMITS_OWNER_STREAMS_MAX", "2");
    let server = program.start().await;
    let ada = add(&program, "ada").await;
    let rest = server.rest();
    let session = rest.session().await;
    let (socket, _frames) = (server.socket().await, server.frames(&session, 0).await);
    let refused = rest.get(&format!("/events/{session}")).await;
    assert_eq!(refused.code(503), "too_many_connections");
    assert!(refused.body["message"].as_str().unwrap().contains("limits.owner_streams_max"), "{}", refused.body);
    assert_eq!(server.rest().get("/ws").await.status, 400, "that it is no handshake is said first");
    server.socket_as(&ada).await.ask("session.start", json!({})).await.unwrap();
    drop(socket);
    counted(&server, |stats| stats["owners"]["owner"]["streams"] == 1).await;
    server.socket().await.ask("session.start", json!({})).await.unwrap();
}

#[tokio::test]
async fn an_owner_has_a_number_of_connections() {
    let program = program().with("DWELL_LIMITS_OWNER_CONNECTIONS_MAX", "3");
    let server = program.start().await;
    let ada = add(&program, "ada").await;
    let asks = |token: &str| request(token, "/api/v1/sessions");
    let mut held = Vec::new();
    for _ in 0..3 {
        let mut connection = peer(address(&server), 2, &asks(&ada)).await;
        assert_eq!(answer(&mut connection).await.0, 200);
        held.push(connection);
    }
    let (status, refused) = answer(&mut peer(address(&server), 3, &asks(&ada)).await).await;
    assert_eq!((status, &refused["code"]), (503, &json!("too_many_connections")), "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("limits.owner_connections_max"), "{refused}");
    assert_eq!(answer(&mut peer(address(&server), 2, &asks(TOKEN)).await).await.0, 200, "another owner has their own");
    held.pop();
    counted(&server, |stats| stats["owners"]["ada"]["connections"] == 2).await;
    assert_eq!(answer(&mut peer(address(&server), 3, &asks(&ada)).await).await.0, 200);
}

#[tokio::test]
async fn statistics_show_an_owner_its_own_share_and_the_operator_all() {
    let program = program().with("DWELL_LIMITS_OWNER_STREAMS_MAX", "7");
    let server = program.start().await;
    let ada = add(&program, "ada").await;
    let (_hers, _his) = (server.socket_as(&ada).await, server.socket().await);
    let all = server.rest().get("/api/v1/stats").await.ok()["connections"].clone();
    assert_eq!(
        (&all["streams"], &all["owners"]["ada"]["streams"], &all["owners"]["owner"]["streams"]),
        (&json!(2), &json!(1), &json!(1)),
        "{all}"
    );
    let hers = server.rest_as(Some(&ada)).get("/api/v1/stats").await.ok()["connections"].clone();
    assert_eq!((&hers["owners"]["ada"]["streams"], &hers["owners"]["owner"]), (&json!(1), &Value::Null), "{hers}");
    let shown = program.run(&["stats"]).await.stdout;
    assert!(shown.contains("owner ada:") && shown.contains("1 of 7 streams"), "{shown}");
}

/// Each connection needs a file descriptor, and the system limits their number.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn the_limit_of_open_files_is_looked_at() {
    use std::process::Stdio;

    use tokio::{
        io::{AsyncBufReadExt, BufReader},
        process::Command,
    };

    let program = program();
    let serve = program.command(&["serve", "--listen", "127.0.0.1:0"]);
    let mut limited = Command::new("sh");
    limited
        .args(["-c", "ulimit -n 400; exec \"$0\" \"$@\""])
        .arg(serve.as_std().get_program())
        .args(serve.as_std().get_args());
    limited.env_clear().envs(serve.as_std().get_envs().filter_map(|(name, value)| Some((name, value?))));
    limited.env("PATH", "/usr/bin:/bin").stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = limited.spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let said = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            if line.contains("limits.connections_max") {
                return line;
            }
        }
        panic!("the log does not mention it")
    };
    let said = tokio::time::timeout(super::PATIENCE, said).await.expect("the log mentions it");
    assert!(said.contains("400 open files") && said.contains("200 connections"), "{said}");
}
