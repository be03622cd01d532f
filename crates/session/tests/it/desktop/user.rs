//! What the user does on the desktop.

use protocol::{
    Action, AgentId, Body, Bounds, DialogAnswer, Holder, Interaction, MonitorId, Origin, RestoreMode, Restored,
    TurnStatus, WindowState,
};
use serde_json::json;
use session::{AppFault, Command, Draft, Misfit, Outcome, Refusal};

use super::{BOUNDS, create, create_app, id, life, monitor, show, text, toast_id};
use crate::life::{Life, session_id, turn};

/// As a page sends it.
fn interaction(kind: &str, window: &str, more: serde_json::Value) -> Interaction {
    let mut json = json!({ "type": kind, "window_id": window });
    json.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(json).unwrap()
}

fn plain(kind: &str, window: &str) -> Interaction {
    interaction(kind, window, json!({}))
}

fn interact(life: &mut Life, interactions: Vec<Interaction>) -> Result<Outcome, Refusal> {
    life.run(Command::Interact(interactions))
}

fn said(token: Option<&str>) -> Interaction {
    interaction("app.interaction", "board", json!({ "token": token, "text": "moved a note" }))
}

#[test]
fn what_the_user_does_is_told_and_happens() {
    let mut life = life();
    life.act(1, vec![create("a"), create("b")]).unwrap();
    let before = life.journal.len();
    let moved = interaction("window.move", "a", json!({ "x": 100, "y": 50 }));
    interact(&mut life, vec![plain("window.focus", "a"), moved, plain("window.minimize", "b")]).unwrap();
    assert_eq!(life.names()[before..], ["user.interaction", "actions"]);
    let event = life.journal.last().unwrap();
    assert_eq!((event.turn_id, &event.agent_id), (None, &None), "nobody's turn");
    assert_eq!(life.stack(), ["b", "a"]);
    assert_eq!(life.window("a").bounds, Bounds { x: 100, y: 50, ..BOUNDS });
    assert_eq!(life.window("b").state, WindowState::Minimized);
    interact(&mut life, vec![interaction("window.draw", "a", json!({ "text": "a circle" }))]).unwrap();
    assert_eq!(life.names().last().unwrap(), "user.interaction", "drawing changes nothing by itself");
}

#[test]
fn what_goes_over_the_edge_is_held_at_it() {
    let mut life = life();
    life.act(1, vec![create("a")]).unwrap();
    let moved = interaction("window.move", "a", json!({ "x": 9_000, "y": i64::MAX }));
    let wider = interaction("window.resize", "a", json!({ "width": 9_000, "height": 1 }));
    interact(&mut life, vec![moved, wider]).unwrap();
    assert_eq!(life.window("a").bounds, Bounds { x: 7_380, y: 4_120, width: 300, height: 80 });
    interact(&mut life, vec![interaction("window.move", "a", json!({ "x": -4, "y": i64::MIN }))]).unwrap();
    assert_eq!((life.window("a").bounds.x, life.window("a").bounds.y), (0, 0), "on every side");
}

#[test]
fn windows_that_are_gone_are_skipped_unless_all_are() {
    let mut life = life();
    life.act(1, vec![create("a"), create("b")]).unwrap();
    interact(&mut life, vec![plain("window.focus", "gone"), plain("window.close", "a"), plain("window.focus", "a")])
        .unwrap();
    let told = life.journal.iter().find_map(|event| match &event.body {
        Body::Interacted(done) => Some(done.interactions.clone()),
        _ => None,
    });
    assert_eq!(told.unwrap(), [plain("window.close", "a")]);
    assert_eq!(life.stack(), ["b"]);
    let refused = interact(&mut life, vec![plain("window.focus", "a"), plain("window.close", "gone")]);
    let near = vec!["b".to_owned()];
    assert_eq!(refused, Err(Refusal::Desktop(Misfit::NoWindow { window_id: id("a"), near })));
    let many = vec![plain("window.focus", "b"); 65];
    assert_eq!(interact(&mut life, many), Err(Refusal::TooManyInteractions { interactions: 65 }));
}

#[test]
fn each_monitor_has_its_own_part_of_a_batch() {
    let mut life = life();
    life.run(Command::AddMonitor(monitor("work"))).unwrap();
    life.take_up(2, AgentId::main_of(&monitor("work")), None);
    life.act(1, vec![create("a")]).unwrap();
    life.act(2, vec![create("b")]).unwrap();
    let before = life.journal.len();
    let order = ["a", "a", "b", "a"].map(|window| plain("window.focus", window));
    interact(&mut life, order.to_vec()).unwrap();
    let parts: Vec<(MonitorId, usize)> = life.journal[before..]
        .iter()
        .filter_map(|event| match &event.body {
            Body::Interacted(done) => Some((done.monitor_id.clone(), done.interactions.len())),
            _ => None,
        })
        .collect();
    assert_eq!(parts, [(monitor("main"), 2), (monitor("work"), 1), (monitor("main"), 1)]);
}

#[test]
fn an_app_speaks_with_its_token_and_the_token_is_not_kept() {
    let mut life = life();
    life.act(1, vec![create_app("board", Some("secret"))]).unwrap();
    for wrong in [None, Some("guess")] {
        let refused = interact(&mut life, vec![said(wrong)]);
        assert_eq!(refused, Err(Refusal::App(AppFault::WrongToken { window_id: id("board") })));
    }
    interact(&mut life, vec![said(Some("secret"))]).unwrap();
    let told = serde_json::to_string(life.journal.last().unwrap()).unwrap();
    assert!(told.contains("moved a note") && !told.contains("secret"), "{told}");
    let long = interaction("app.interaction", "board", json!({ "token": "secret", "text": "x".repeat(501) }));
    assert_eq!(interact(&mut life, vec![long]), Err(Refusal::InteractionTooLong));
    life.act(1, vec![show("board", text("no app any more"), Origin::Trusted)]).unwrap();
    let before = life.journal.len();
    interact(&mut life, vec![said(Some("secret"))]).unwrap();
    assert_eq!(life.journal.len(), before, "the app is gone, which its page did not know yet");
}

#[test]
fn the_users_lock_keeps_every_agent_out_and_the_user_opens_every_lock() {
    let mut life = life();
    let lock = Action::Lock { window_id: id("a"), holder: Holder::Agent(AgentId::main()) };
    life.act(1, vec![create("a"), lock]).unwrap();
    let moved = interaction("window.move", "a", json!({ "x": 0, "y": 0 }));
    interact(&mut life, vec![moved, plain("window.minimize", "a"), plain("window.lock", "a")]).unwrap();
    assert_eq!(life.window("a").locked_by, Some(Holder::User));
    let refused = life.act(1, vec![Action::Unlock { window_id: id("a") }]).unwrap_err();
    assert!(refused.to_string().contains("locked by the user"), "{refused}");
    interact(&mut life, vec![plain("window.unlock", "a")]).unwrap();
    life.act(1, vec![show("a", text("mine again"), Origin::Trusted)]).unwrap();
    let lock = Action::Lock { window_id: id("a"), holder: Holder::Agent(AgentId::main()) };
    life.act(1, vec![lock]).unwrap();
    interact(&mut life, vec![plain("window.close", "a")]).unwrap();
    assert!(life.stack().is_empty());
}

#[test]
fn a_window_that_could_not_be_shown_is_told() {
    let mut life = life();
    life.act(1, vec![create("a")]).unwrap();
    let failed = |window: &str| Command::RenderFailed { window_id: id(window), error: "é".repeat(600) };
    life.run(failed("a")).unwrap();
    let Body::RenderFailed(rendered) = &life.journal.last().unwrap().body else { panic!() };
    assert_eq!(rendered.error.chars().count(), 500);
    assert!(matches!(life.run(failed("gone")), Err(Refusal::Desktop(Misfit::NoWindow { .. }))));
}

#[test]
fn monitors_come_and_go_with_all_that_is_on_them() {
    let mut life = life();
    for name in ["main", "two", "three", "three", "four"] {
        life.run(Command::AddMonitor(monitor(name))).unwrap();
    }
    let full = life.run(Command::AddMonitor(monitor("five"))).unwrap_err();
    assert_eq!(full.to_string(), "a session has at most 4 monitors");
    life.take_up(2, AgentId::main_of(&monitor("two")), None);
    life.act(1, vec![create("a")]).unwrap();
    life.act(2, vec![create("b")]).unwrap();
    life.run(Command::RemoveMonitor(monitor("two"))).unwrap();
    assert_eq!((life.status(1), life.status(2)), (TurnStatus::Running, TurnStatus::Cancelled));
    assert_eq!(life.stack(), ["a"]);
    assert_eq!(life.state.desktop.monitors(), ["main", "three", "four"].map(monitor));
    assert_eq!(life.run(Command::RemoveMonitor(monitor("main"))), Err(Refusal::Desktop(Misfit::PrimaryMonitor)));
    let gone = life.run(Command::RemoveMonitor(monitor("two"))).unwrap_err().to_string();
    assert_eq!(gone, "there is no monitor `two`; there are `main`, `three`, `four`");
}

#[test]
fn nothing_changes_on_the_desktop_of_a_session_that_has_ended() {
    let mut life = life();
    life.act(1, vec![create_app("board", Some("secret"))]).unwrap();
    life.run(Command::End { reason: None, version: None }).unwrap();
    let (window_id, token) = (id("board"), "secret".to_owned());
    let commands = [
        Command::Interact(vec![plain("window.focus", "board")]),
        Command::RenderFailed { window_id: window_id.clone(), error: "e".to_owned() },
        Command::AnswerDialog { dialog_id: super::asking::dialog_id(1), answer: DialogAnswer::Dismissed },
        Command::ActOnToast { toast_id: toast_id(1), action: "dismiss".to_owned() },
        Command::RegisterApp { window_id, token, manifest: protocol::Manifest::default() },
        Command::AddMonitor(monitor("two")),
        Command::RemoveMonitor(monitor("two")),
    ];
    for command in commands {
        assert_eq!(life.run(command), Err(Refusal::Ended));
    }
    assert_eq!(life.act(1, vec![create("late")]), Ok(Outcome::TooLate), "its turn has ended with it");
    assert_eq!(life.state.open_turn(turn(1)), None);
}

#[test]
fn a_restored_session_keeps_its_windows_or_tells_of_them() {
    for (mode, left) in [(RestoreMode::Whole, vec!["a"]), (RestoreMode::Summarized, vec![])] {
        let mut life = life();
        life.act(1, vec![create("a")]).unwrap();
        let restored = Restored {
            session_id: session_id(2),
            windows: mode,
            summary: "one window".to_owned(),
            origin: Origin::Trusted,
        };
        let draft = Draft { turn: None, body: Body::SessionRestored(restored) };
        life.state.apply(&draft.number(life.state.id, life.state.head + 1, life.now));
        assert_eq!(life.stack(), left);
    }
}
