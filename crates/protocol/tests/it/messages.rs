//! Messages of the WebSocket.

use std::sync::Arc;

use protocol::{
    ClientBody, Code, EntityView, HomeChanged, HomeConnection, LiveText, LiveUpdate, Notice, NoticeBody, Problem,
    RequestId, ServedCall, ServedCallCancel, ServerAnswer, ServerMessage, TextDelta, ToolServing,
};
use serde_json::json;

use crate::samples::{at, events, session, turn};

#[test]
fn every_message_of_the_server_has_its_form() {
    let live = LiveText {
        session_id: session(),
        turn_id: turn(),
        agent_id: protocol::AgentId::main(),
        at: at(),
        data: TextDelta { offset: 0, delta: "Hel".to_owned() },
    };
    let lamp = EntityView {
        entity_id: "light.kitchen".to_owned(),
        name: "Kitchen light".to_owned(),
        area_id: Some("kitchen".to_owned()),
        domain: "light".to_owned(),
        state: "on".to_owned(),
        unit: None,
        device_class: None,
        attributes: [("brightness".to_owned(), json!(128))].into(),
        changed_at: at(),
        available: true,
        auxiliary: false,
    };
    let changed = HomeChanged {
        entities: vec![lamp],
        removed: vec!["switch.kettle".to_owned()],
        connection: Some(HomeConnection::Reconnecting),
        why: Some("it does not answer".to_owned()),
        ..HomeChanged::default()
    };
    let serving = ToolServing { worker: "kitchen".to_owned(), tools: vec!["look".to_owned()] };
    let call = ServedCall {
        session_id: session(),
        turn_id: turn(),
        agent_id: protocol::AgentId::main(),
        call_id: "c1".to_owned(),
        tool: "look".to_owned(),
        arguments: json!({ "where": "oven" }),
        until: at(),
        key: "k".to_owned(),
        redelivered: true,
    };
    let cancel = ServedCallCancel { turn_id: turn(), call_id: "c1".to_owned(), reason: "cancelled".to_owned() };
    let notice = |body| ServerMessage::Notice(Notice { session_id: None, at: at(), body });
    let mut problem = Problem::new(Code::RateLimited, "too many requests", "Wait.").about(turn());
    problem.retry_after_ms = Some(20);
    let messages = [
        ServerMessage::Event(Arc::new(events().remove(8))),
        ServerMessage::Live(LiveUpdate::Text(Arc::new(live))),
        notice(NoticeBody::Pong {}),
        notice(NoticeBody::HomeChanged(changed)),
        notice(NoticeBody::ToolServing(serving)),
        notice(NoticeBody::ToolCall(call)),
        notice(NoticeBody::ToolCancel(cancel)),
        ServerMessage::Answer(ServerAnswer::Ok { re: RequestId::Number(7), data: json!({ "turn_id": turn() }) }),
        ServerMessage::Answer(ServerAnswer::Error { re: Some(RequestId::Text("a".to_owned())), data: problem }),
    ];
    for message in &messages {
        let text = serde_json::to_string(message).unwrap();
        assert_eq!(serde_json::from_str::<ServerMessage>(&text).unwrap(), *message, "{text}");
    }
    insta::assert_json_snapshot!(messages);
}

fn read(kind: &str, data: serde_json::Value) -> Result<ClientBody, String> {
    serde_json::from_value(json!({ "type": kind, "data": data })).map_err(|error| error.to_string())
}

#[test]
fn a_client_may_leave_out_what_has_a_default() {
    assert!(read("session.start", json!({})).is_ok());
    assert!(read("session.list", json!({})).is_ok());
    assert!(read("session.list", json!({ "query": "garden", "status": "ended" })).is_ok());
    assert!(read("tool.serve", json!({ "tools": [{ "name": "look" }] })).is_ok());
    assert!(read("tool.progress", json!({ "turn_id": turn(), "call_id": "c1" })).is_ok());
    assert!(read("home.follow", json!({})).is_ok() && read("home.unfollow", json!({})).is_ok());
    let ClientBody::ChatSend(sent) = read("chat.send", json!({ "session_id": session(), "message": "hi" })).unwrap()
    else {
        panic!()
    };
    assert!(sent.send.allow_tools);
    assert_eq!(sent.session.session_id, Some(session()));
}

#[test]
fn what_is_not_a_field_is_refused_by_name() {
    for (kind, data) in [
        ("chat.send", json!({ "session_id": session(), "message": "hi", "colour": "red" })),
        ("session.start", json!({ "colour": "red" })),
        ("session.resume", json!({ "session_id": session(), "colour": "red" })),
        ("session.update", json!({ "session_id": session(), "colour": "red" })),
        ("session.start", json!({ "policy": { "colour": "red" } })),
        ("agent.cancel", json!({ "session_id": session(), "colour": "red" })),
        ("ping", json!({ "colour": "red" })),
    ] {
        let error = read(kind, data).unwrap_err();
        assert!(error.contains("unknown field `colour`"), "{kind}: {error}");
    }
}
