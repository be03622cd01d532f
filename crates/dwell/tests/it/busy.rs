//! What happens to a message that is sent while the agent is busy: the five values of `on_busy`,
//! over the WebSocket and over REST.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{ModelServer, Reply, RunningServer};

use crate::{
    harness::{ToolHarness, calls, harness, last, results, say, told},
    started,
};

/// The API over which a message is sent.
#[derive(Clone, Copy, Debug)]
enum ClientApi {
    Socket,
    Rest,
}

const CLIENT_APIS: [ClientApi; 2] = [ClientApi::Socket, ClientApi::Rest];

/// Sends a message while the agent is busy; returns the accepted turn or the error.
async fn send(
    server: &RunningServer,
    api: ClientApi,
    session: &str,
    message: &str,
    on_busy: &str,
) -> Result<Value, Value> {
    let mut data = json!({ "message": message, "on_busy": on_busy });
    match api {
        ClientApi::Socket => {
            data["session_id"] = json!(session);
            server.socket().await.ask("chat.send", data).await
        }
        ClientApi::Rest => {
            let answer = server.rest().post(&format!("/api/v1/sessions/{session}/turns"), data).await;
            if answer.status == 202 { Ok(answer.body) } else { Err(answer.body) }
        }
    }
}

/// A session whose agent is busy: its turn has sent its first words and does not end by itself.
async fn busy(model: &ModelServer, server: &RunningServer) -> (String, String) {
    let session = server.rest().session().await;
    model.push(Reply::text("thinking …").stall_after(1));
    let body = json!({ "message": "A long question.", "early_wait_ms": 20_000 });
    let accepted = say(&server.rest(), &session, body).await.ok();
    (session, id(&accepted).to_owned())
}

fn id(accepted: &Value) -> &str {
    accepted["turn_id"].as_str().unwrap()
}

#[tokio::test]
async fn queue_waits_in_line() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    for api in CLIENT_APIS {
        let (session, running) = busy(&model, &server).await;
        let waiting = send(&server, api, &session, "Later, please.", "queue").await.unwrap();
        assert_eq!((&waiting["position"], &waiting["agent_id"]), (&json!(1), &json!("main")), "{api:?}");
        assert_eq!(rest.get(&format!("/api/v1/turns/{}", id(&waiting))).await.ok()["status"], "pending");
        rest.post(&format!("/api/v1/turns/{running}/cancel"), json!({})).await.ok();
        assert_eq!(rest.ended(id(&waiting)).await["text"], "You said: Later, please.");
    }
}

#[tokio::test]
async fn reject_refuses_and_names_the_turn_that_runs() {
    let (model, _program, server) = started().await;
    for api in CLIENT_APIS {
        let (session, running) = busy(&model, &server).await;
        let refused = send(&server, api, &session, "Now!", "reject").await.unwrap_err();
        assert_eq!((&refused["code"], &refused["turn_id"]), (&json!("busy"), &json!(running)), "{api:?}");
        let view = server.rest().get(&format!("/api/v1/sessions/{session}")).await.ok();
        assert_eq!(view["stats"]["turns"], 1, "nothing was kept of it");
    }
}

#[tokio::test]
async fn steer_goes_into_the_running_turn_between_two_rounds() {
    let ToolHarness { model, tool_server, server, program: _program } = harness().await;
    for api in CLIENT_APIS {
        let rest = server.rest();
        let session = rest.session().await;
        tool_server.hold("look_at_sky");
        model.push(calls("c1", "look_at_sky", "north"));
        let turn = rest.send(&session, "Look at the sky.").await;
        tool_server.until(|tool_server| tool_server.waiting("look_at_sky") == 1).await;
        let steered = send(&server, api, &session, "Mind the clouds.", "steer").await.unwrap();
        assert_eq!(steered["turn_id"], turn, "{api:?}: it has no turn of its own");
        tool_server.release("look_at_sky");
        // Usually the message is read before the next round. In the worst case there is one more
        // round.
        let ended = rest.ended(&turn).await;
        assert!(ended["text"].as_str().unwrap().ends_with("You said: Mind the clouds."), "{ended}");
        assert_eq!((last(&model).last_user(), results(&last(&model)).len()), ("Mind the clouds.", 1));
        let log = rest.log(&session).await;
        assert!(log.iter().any(|event| event["type"] == "message.steered" && event["turn_id"] == turn));
    }
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn steer_in_the_last_moment_is_answered_too() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    let mut socket = server.socket().await;
    socket.ask("session.resume", json!({ "session_id": session })).await.unwrap();
    model.push(Reply::text("a b c d e f g h i j k l m n o p").every(Duration::from_millis(40)));
    let turn = rest.send(&session, "Say the alphabet.").await;
    socket.until(|message| message["type"] == "chat.token").await;
    send(&server, ClientApi::Rest, &session, "Only the vowels.", "steer").await.unwrap();
    let ended = rest.ended(&turn).await;
    assert_eq!(ended["text"], "a b c d e f g h i j k l m n o p\n\nYou said: Only the vowels.");
    assert_eq!((&ended["status"], model.requests().len()), (&json!("completed"), 2));
    assert_eq!(model.violations(), Vec::<String>::new());
}

#[tokio::test]
async fn steering_twice_with_one_key_is_steering_once() {
    let (model, _program, server) = started().await;
    let (session, running) = busy(&model, &server).await;
    let steer = |message: &str| json!({ "message": message, "on_busy": "steer", "idempotency_key": "k1" });
    let first = say(&server.rest(), &session, steer("Mind the clouds.")).await.ok();
    let again = say(&server.rest(), &session, steer("Mind the clouds.")).await.ok();
    assert_eq!((&first["turn_id"], &first["duplicate"]), (&json!(running), &json!(false)));
    assert_eq!((&again["turn_id"], &again["duplicate"]), (&json!(running), &json!(true)));
    let other = say(&server.rest(), &session, steer("Mind the gap.")).await;
    assert_eq!(other.code(409), "idempotency_conflict");
    let log = server.rest().log(&session).await;
    assert_eq!(log.iter().filter(|event| event["type"] == "message.steered").count(), 1);
}

#[tokio::test]
async fn fork_answers_beside_the_running_turn() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    for api in CLIENT_APIS {
        let (session, running) = busy(&model, &server).await;
        let beside = send(&server, api, &session, "Meanwhile, hello.", "fork").await.unwrap();
        assert!(beside["agent_id"].as_str().unwrap().starts_with("ephemeral"), "{api:?}: {beside}");
        let beside = rest.ended(id(&beside)).await;
        assert_eq!((&beside["status"], &beside["text"]), (&json!("completed"), &json!("You said: Meanwhile, hello.")));
        assert_eq!(rest.get(&format!("/api/v1/turns/{running}")).await.ok()["status"], "streaming");
    }
}

#[tokio::test]
async fn only_so_many_agents_work_beside_the_main_one() {
    let (model, _program, server) = started().await;
    let (session, _) = busy(&model, &server).await;
    for n in 0..4 {
        model.push(Reply::hang());
        send(&server, ClientApi::Rest, &session, &format!("Aside number {n}."), "fork").await.unwrap();
    }
    let refused = send(&server, ClientApi::Rest, &session, "One more.", "fork").await.unwrap_err();
    assert_eq!(refused["code"], "queue_full");
}

#[tokio::test]
async fn interrupt_takes_the_place_of_the_running_turn() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    for api in CLIENT_APIS {
        let (session, running) = busy(&model, &server).await;
        let urgent = send(&server, api, &session, "Drop that.", "interrupt").await.unwrap();
        assert_eq!(rest.ended(&running).await["status"], "cancelled", "{api:?}");
        assert_eq!(rest.ended(id(&urgent)).await["text"], "You said: Drop that.");
    }
}

#[tokio::test]
async fn an_agent_is_interrupted_and_what_waits_comes_next() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let (session, running) = busy(&model, &server).await;
    let waiting = send(&server, ClientApi::Rest, &session, "Then this.", "queue").await.unwrap();
    model.push(Reply::hang());
    let beside = send(&server, ClientApi::Rest, &session, "Beside it.", "fork").await.unwrap();
    model.until(|model| model.in_flight() == 2).await;

    let mut socket = server.socket().await;
    let only = json!({ "session_id": session, "agent_id": beside["agent_id"] });
    let answer = socket.ask("agent.interrupt", only).await.unwrap();
    assert_eq!(answer, json!({ "status": "cancelled", "turn_ids": [beside["turn_id"]] }));
    assert_eq!(rest.get(&format!("/api/v1/turns/{running}")).await.ok()["status"], "streaming");

    let answer = socket.ask("agent.interrupt", json!({ "session_id": session })).await.unwrap();
    assert_eq!(answer["turn_ids"], json!([running]));
    let ended = rest.ended(&running).await;
    assert_eq!((&ended["status"], &ended["reason"]), (&json!("cancelled"), &json!("interrupted")));
    assert_eq!(rest.ended(id(&waiting)).await["status"], "completed", "what waits in line comes next");
    let nothing = socket.ask("agent.interrupt", json!({ "session_id": session })).await.unwrap();
    assert_eq!(nothing, json!({ "status": "not_found", "turn_ids": [] }));
}

#[tokio::test]
async fn with_an_idle_agent_every_way_is_an_ordinary_turn() {
    let (_model, _program, server) = started().await;
    let rest = server.rest();
    let session = rest.session().await;
    for on_busy in ["queue", "reject", "steer", "fork", "interrupt"] {
        let message = format!("This is about {on_busy}.");
        let turn = told(&rest, &session, json!({ "message": message, "on_busy": on_busy })).await;
        assert_eq!((&turn["text"], &turn["agent_id"]), (&json!(format!("You said: {message}")), &json!("main")));
    }
}
