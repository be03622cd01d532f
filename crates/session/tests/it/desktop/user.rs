//! The user's interactions with the desktop.

use protocol::{
    Action, AgentId, Body, Bounds, DialogAnswer, Interaction, LockHolder, MonitorId, Origin, RestoreMode,
    SessionRestored, TurnStatus, WindowState,
};
use serde_json::json;
use session::{AppFault, Command, CommandOutcome, DesktopFault, EventDraft, Refusal};

use super::{BOUNDS, create, create_app, id, monitor, show, test_session, text, toast_id};
use crate::test_session::{TestSession, session_id, turn};

/// An interaction as a page sends it.
fn interaction(kind: &str, window: &str, more: serde_json::Value) -> Interaction {
    let mut json = json!({ "type": kind, "window_id": window });
    json.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    serde_json::from_value(json).unwrap()
}

fn plain(kind: &str, window: &str) -> Interaction {
    interaction(kind, window, json!({}))
}

fn interact(session: &mut TestSession, interactions: Vec<Interaction>) -> Result<CommandOutcome, Refusal> {
    session.run(Command::Interact(interactions))
}

fn said(token: Option<&str>) -> Interaction {
    interaction("app.interaction", "board", json!({ "token": token, "text": "moved a note" }))
}

#[test]
fn what_the_user_does_is_told_and_happens() {
    let mut session = test_session();
    session.act(1, vec![create("a"), create("b")]).unwrap();
    let before = session.journal.len();
    let moved = interaction("window.move", "a", json!({ "x": 100, "y": 50 }));
    interact(&mut session, vec![plain("window.focus", "a"), moved, plain("window.minimize", "b")]).unwrap();
    assert_eq!(session.names()[before..], ["user.interaction", "actions"]);
    let event = session.journal.last().unwrap();
    assert_eq!((event.turn_id, &event.agent_id), (None, &None), "it belongs to no turn");
    assert_eq!(session.stack(), ["b", "a"]);
    assert_eq!(session.window("a").bounds, Bounds { x: 100, y: 50, ..BOUNDS });
    assert_eq!(session.window("b").state, WindowState::Minimized);
    interact(&mut session, vec![interaction("window.draw", "a", json!({ "text": "a circle" }))]).unwrap();
    assert_eq!(session.names().last().unwrap(), "user.interaction", "drawing changes nothing by itself");
}

#[test]
fn what_goes_over_the_edge_is_held_at_it() {
    let mut session = test_session();
    session.act(1, vec![create("a")]).unwrap();
    let moved = interaction("window.move", "a", json!({ "x": 9_000, "y": i64::MAX }));
    let wider = interaction("window.resize", "a", json!({ "width": 9_000, "height": 1 }));
    interact(&mut session, vec![moved, wider]).unwrap();
    assert_eq!(session.window("a").bounds, Bounds { x: 7_380, y: 4_120, width: 300, height: 80 });
    interact(&mut session, vec![interaction("window.move", "a", json!({ "x": -4, "y": i64::MIN }))]).unwrap();
    assert_eq!((session.window("a").bounds.x, session.window("a").bounds.y), (0, 0), "on every side");
}

#[test]
fn windows_that_are_gone_are_skipped_unless_all_are() {
    let mut session = test_session();
    session.act(1, vec![create("a"), create("b")]).unwrap();
    interact(&mut session, vec![plain("window.focus", "gone"), plain("window.close", "a"), plain("window.focus", "a")])
        .unwrap();
    let told = session.journal.iter().find_map(|event| match &event.body {
        Body::Interacted(done) => Some(done.interactions.clone()),
        _ => None,
    });
    assert_eq!(told.unwrap(), [plain("window.close", "a")]);
    assert_eq!(session.stack(), ["b"]);
    let refused = interact(&mut session, vec![plain("window.focus", "a"), plain("window.close", "gone")]);
    let near = vec!["b".to_owned()];
    assert_eq!(refused, Err(Refusal::Desktop(DesktopFault::NoWindow { window_id: id("a"), near })));
    let many = vec![plain("window.focus", "b"); 65];
    assert_eq!(interact(&mut session, many), Err(Refusal::TooManyInteractions { interactions: 65 }));
}

#[test]
fn each_monitor_has_its_own_part_of_a_batch() {
    let mut session = test_session();
    session.run(Command::AddMonitor(monitor("work"))).unwrap();
    session.take_up(2, AgentId::main_of(&monitor("work")), None);
    session.act(1, vec![create("a")]).unwrap();
    session.act(2, vec![create("b")]).unwrap();
    let before = session.journal.len();
    let order = ["a", "a", "b", "a"].map(|window| plain("window.focus", window));
    interact(&mut session, order.to_vec()).unwrap();
    let parts: Vec<(MonitorId, usize)> = session.journal[before..]
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
    let mut session = test_session();
    session.act(1, vec![create_app("board", Some("secret"))]).unwrap();
    for wrong in [None, Some("guess")] {
        let refused = interact(&mut session, vec![said(wrong)]);
        assert_eq!(refused, Err(Refusal::App(AppFault::WrongToken { window_id: id("board") })));
    }
    interact(&mut session, vec![said(Some("secret"))]).unwrap();
    let told = serde_json::to_string(session.journal.last().unwrap()).unwrap();
    assert!(told.contains("moved a note") && !told.contains("secret"), "{told}");
    let long = interaction("app.interaction", "board", json!({ "token": "secret", "text": "x".repeat(501) }));
    assert_eq!(interact(&mut session, vec![long]), Err(Refusal::InteractionTooLong));
    session.act(1, vec![show("board", text("no app any more"), Origin::Trusted)]).unwrap();
    let before = session.journal.len();
    interact(&mut session, vec![said(Some("secret"))]).unwrap();
    assert_eq!(session.journal.len(), before, "the app is gone, which its page did not know yet");
}

#[test]
fn the_users_lock_keeps_every_agent_out_and_the_user_opens_every_lock() {
    let mut session = test_session();
    let lock = Action::Lock { window_id: id("a"), holder: LockHolder::Agent(AgentId::main()) };
    session.act(1, vec![create("a"), lock]).unwrap();
    let moved = interaction("window.move", "a", json!({ "x": 0, "y": 0 }));
    interact(&mut session, vec![moved, plain("window.minimize", "a"), plain("window.lock", "a")]).unwrap();
    assert_eq!(session.window("a").locked_by, Some(LockHolder::User));
    let refused = session.act(1, vec![Action::Unlock { window_id: id("a") }]).unwrap_err();
    assert!(refused.to_string().contains("locked by the user"), "{refused}");
    interact(&mut session, vec![plain("window.unlock", "a")]).unwrap();
    session.act(1, vec![show("a", text("mine again"), Origin::Trusted)]).unwrap();
    let lock = Action::Lock { window_id: id("a"), holder: LockHolder::Agent(AgentId::main()) };
    session.act(1, vec![lock]).unwrap();
    interact(&mut session, vec![plain("window.close", "a")]).unwrap();
    assert!(session.stack().is_empty());
}

#[test]
fn a_window_that_could_not_be_shown_is_told() {
    let mut session = test_session();
    session.act(1, vec![create("a")]).unwrap();
    let failed = |window: &str| Command::RenderFailed { window_id: id(window), error: "é".repeat(600) };
    session.run(failed("a")).unwrap();
    let Body::RenderFailed(rendered) = &session.journal.last().unwrap().body else { panic!() };
    assert_eq!(rendered.error.chars().count(), 500);
    assert!(matches!(session.run(failed("gone")), Err(Refusal::Desktop(DesktopFault::NoWindow { .. }))));
}

#[test]
fn monitors_come_and_go_with_all_that_is_on_them() {
    let mut session = test_session();
    for name in ["main", "two", "three", "three", "four"] {
        session.run(Command::AddMonitor(monitor(name))).unwrap();
    }
    let full = session.run(Command::AddMonitor(monitor("five"))).unwrap_err();
    assert_eq!(full.to_string(), "a session has at most 4 monitors");
    session.take_up(2, AgentId::main_of(&monitor("two")), None);
    session.act(1, vec![create("a")]).unwrap();
    session.act(2, vec![create("b")]).unwrap();
    session.run(Command::RemoveMonitor(monitor("two"))).unwrap();
    assert_eq!((session.status(1), session.status(2)), (TurnStatus::Running, TurnStatus::Cancelled));
    assert_eq!(session.stack(), ["a"]);
    assert_eq!(session.state.desktop.monitors(), ["main", "three", "four"].map(monitor));
    assert_eq!(
        session.run(Command::RemoveMonitor(monitor("main"))),
        Err(Refusal::Desktop(DesktopFault::PrimaryMonitor))
    );
    let gone = session.run(Command::RemoveMonitor(monitor("two"))).unwrap_err().to_string();
    assert_eq!(gone, "there is no monitor `two`; there are `main`, `three`, `four`");
}

#[test]
fn nothing_changes_on_the_desktop_of_a_session_that_has_ended() {
    let mut session = test_session();
    session.act(1, vec![create_app("board", Some("secret"))]).unwrap();
    session.run(Command::End { reason: None, version: None }).unwrap();
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
        assert_eq!(session.run(command), Err(Refusal::Ended));
    }
    assert_eq!(session.act(1, vec![create("late")]), Ok(CommandOutcome::TooLate), "its turn has ended with it");
    assert_eq!(session.state.open_turn(turn(1)), None);
}

#[test]
fn a_restored_session_keeps_its_windows_or_tells_of_them() {
    for (mode, left) in [(RestoreMode::Whole, vec!["a"]), (RestoreMode::Summarized, vec![])] {
        let mut session = test_session();
        session.act(1, vec![create("a")]).unwrap();
        let restored = SessionRestored {
            session_id: session_id(2),
            windows: mode,
            summary: "one window".to_owned(),
            origin: Origin::Trusted,
        };
        let draft = EventDraft { turn: None, body: Body::SessionRestored(restored) };
        session.state.apply(&draft.number(session.state.id, session.state.head + 1, session.now));
        assert_eq!(session.stack(), left);
    }
}
