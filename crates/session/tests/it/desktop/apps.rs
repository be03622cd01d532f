//! Apps in windows: they register, receive requests and answer.

use std::time::Duration;

use protocol::{
    Action, AgentId, AppCommand, AppOutcome, AppRequest, AppRequestId, AppRequested, Body, CommandSpec, LockHolder,
    Manifest, Origin, ReplayMode, StateKey, WindowContent,
};
use serde_json::{Value, json};
use session::{APP_REQUESTS_MAX, AppFault, Command, CommandOutcome, DesktopFault, Effect, Refusal, TurnReport};
use ulid::Ulid;

use super::{create_app, id, monitor, show, test_session, text};
use crate::test_session::{TestSession, turn};

fn manifest() -> Manifest {
    let spec = |name: &str, keep| CommandSpec {
        name: name.to_owned(),
        description: String::new(),
        input: Value::Null,
        keep,
        slot: Some("id".to_owned()),
    };
    Manifest {
        name: "notes".to_owned(),
        state: vec![StateKey { key: "notes".to_owned(), description: String::new() }],
        commands: vec![spec("write", ReplayMode::Last), spec("look", ReplayMode::Nothing)],
        ..Manifest::default()
    }
}

fn register(session: &mut TestSession, token: &str, manifest: Manifest) -> Result<CommandOutcome, Refusal> {
    session.run(Command::RegisterApp { window_id: id("board"), token: token.to_owned(), manifest })
}

fn request_id(n: u8) -> AppRequestId {
    AppRequestId::new(Ulid::from_parts(4, u128::from(n)))
}

fn ask(session: &mut TestSession, turn: u8, n: u8, request: AppRequest) -> Result<CommandOutcome, Refusal> {
    let expires_at = session.now.plus(Duration::from_secs(10));
    let asked = AppRequested { request_id: request_id(n), window_id: id("board"), request, expires_at };
    session.try_report(turn, TurnReport::AskApp(asked))
}

fn query(key: &str) -> AppRequest {
    AppRequest::Query { key: key.to_owned() }
}

fn write(note: u8, text: &str) -> AppCommand {
    AppCommand { name: "write".to_owned(), arguments: json!({ "id": note, "text": text }) }
}

fn answer(session: &mut TestSession, token: &str, n: u8, outcome: AppOutcome) -> Result<CommandOutcome, Refusal> {
    let (window_id, token) = (id("board"), token.to_owned());
    session.run(Command::AnswerFromApp { window_id, token, request_id: request_id(n), outcome })
}

fn heard(session: &TestSession, n: u8) -> Option<AppOutcome> {
    session.state.open_turn(turn(1)).unwrap().doings.requests[&request_id(n)].clone()
}

/// A registered app in the window `board`.
fn ready() -> TestSession {
    let mut session = test_session();
    session.act(1, vec![create_app("board", Some("secret"))]).unwrap();
    register(&mut session, "secret", manifest()).unwrap();
    session
}

fn restored(session: &TestSession) -> &[AppCommand] {
    &session.window("board").app.as_ref().unwrap().restore
}

#[test]
fn an_app_is_heard_with_the_token_of_its_window_only() {
    let mut session = test_session();
    session.act(1, vec![create_app("board", Some("secret")), super::create("plain")]).unwrap();
    let before = session.journal.len();
    for wrong in ["", "secre", "secrets", "SECRET"] {
        let refusal = register(&mut session, wrong, manifest()).unwrap_err();
        assert_eq!(refusal, Refusal::App(AppFault::WrongToken { window_id: id("board") }));
        assert!(!refusal.to_string().contains("secret"));
        let refusal = answer(&mut session, wrong, 1, AppOutcome::Ok(json!(1))).unwrap_err();
        assert_eq!(refusal, Refusal::App(AppFault::WrongToken { window_id: id("board") }));
    }
    let elsewhere =
        |window: &str| Command::RegisterApp { window_id: id(window), token: "secret".to_owned(), manifest: manifest() };
    assert_eq!(session.run(elsewhere("plain")), Err(Refusal::App(AppFault::NoApp { window_id: id("plain") })));
    assert!(matches!(session.run(elsewhere("gone")), Err(Refusal::Desktop(DesktopFault::NoWindow { .. }))));
    assert_eq!(session.journal.len(), before);
    register(&mut session, "secret", manifest()).unwrap();
    register(&mut session, "secret", manifest()).unwrap();
    assert_eq!(session.journal.len(), before + 1, "another page says the same");
}

#[test]
fn a_manifest_has_its_limits() {
    let mut session = test_session();
    session.act(1, vec![create_app("board", Some("secret"))]).unwrap();
    let key = |n: usize| StateKey { key: format!("key{n}"), description: String::new() };
    let named = |name: &str| Manifest {
        commands: vec![CommandSpec { name: name.to_owned(), ..manifest().commands.remove(0) }],
        ..Manifest::default()
    };
    let twice = Manifest { state: vec![key(1), key(1)], ..Manifest::default() };
    let many_keys = Manifest { state: (0..33).map(key).collect(), ..Manifest::default() };
    let many = (0..65).flat_map(|n| named(&format!("c{n}")).commands).collect();
    let many_commands = Manifest { commands: many, ..Manifest::default() };
    let large = Manifest { description: "x".repeat(33_000), ..manifest() };
    for bad in [twice, many_keys, many_commands, large, named(""), named("a b"), named(&"x".repeat(65))] {
        assert!(matches!(register(&mut session, "secret", bad), Err(Refusal::App(_))));
    }
    register(&mut session, "secret", named("add_note-2")).unwrap();
}

#[test]
fn a_turn_asks_and_hears_the_first_answer() {
    let mut session = ready();
    ask(&mut session, 1, 1, query("notes")).unwrap();
    let before = session.journal.len();
    ask(&mut session, 1, 1, query("notes")).unwrap();
    assert_eq!(session.journal.len(), before, "asking again is asking once");
    assert_eq!((session.state.desktop.requests().count(), heard(&session, 1)), (1, None));
    answer(&mut session, "secret", 1, AppOutcome::Ok(json!(["one"]))).unwrap();
    assert_eq!(session.effects.last(), Some(&Effect::Nudge(turn(1))));
    let before = session.journal.len();
    assert_eq!(answer(&mut session, "secret", 1, AppOutcome::Error("late".to_owned())), Ok(CommandOutcome::Done));
    assert_eq!(session.journal.len(), before);
    assert_eq!(heard(&session, 1), Some(AppOutcome::Ok(json!(["one"]))));
    assert_eq!(session.state.desktop.requests().count(), 0);
}

#[test]
fn an_app_is_asked_what_it_can_be_asked() {
    let mut session = test_session();
    session.act(1, vec![create_app("board", Some("secret"))]).unwrap();
    let early = ask(&mut session, 1, 1, query("notes")).unwrap_err();
    assert_eq!(early.to_string(), "the app in window `board` has not registered yet; try again shortly");
    register(&mut session, "secret", manifest()).unwrap();
    let unknown = ask(&mut session, 1, 1, query("colour")).unwrap_err();
    assert_eq!(unknown.to_string(), "the app has no state key `colour`; available: `notes`");
    let erase = AppRequest::Command(AppCommand { name: "erase".to_owned(), arguments: Value::Null });
    let unknown = ask(&mut session, 1, 1, erase).unwrap_err();
    assert_eq!(unknown.to_string(), "the app has no command `erase`; available: `write`, `look`");
    let huge = ask(&mut session, 1, 1, AppRequest::Command(write(1, &"x".repeat(70_000))));
    assert!(matches!(huge, Err(Refusal::App(AppFault::ArgumentsTooLarge { .. }))));
    for n in 0..32 {
        ask(&mut session, 1, n, query("notes")).unwrap();
    }
    assert_eq!(APP_REQUESTS_MAX, 32);
    assert_eq!(ask(&mut session, 1, 32, query("notes")), Err(Refusal::Desktop(DesktopFault::TooManyRequests)));
}

#[test]
fn a_lock_keeps_commands_of_other_agents_out_of_an_app() {
    let mut session = ready();
    session.take_up(2, AgentId::ephemeral(turn(2), &monitor("main")), None);
    let lock = Action::Lock { window_id: id("board"), holder: LockHolder::Agent(AgentId::main()) };
    session.act(1, vec![lock]).unwrap();
    let refused = ask(&mut session, 2, 1, AppRequest::Command(write(1, "mine")));
    assert!(matches!(refused, Err(Refusal::Desktop(DesktopFault::Locked { .. }))));
    ask(&mut session, 2, 2, query("notes")).unwrap();
    ask(&mut session, 1, 3, AppRequest::Command(write(1, "mine"))).unwrap();
}

#[test]
fn an_app_that_says_nothing_in_time_has_not_answered() {
    let mut session = ready();
    ask(&mut session, 1, 1, query("notes")).unwrap();
    session.now = session.state.desktop.next_expiry().unwrap();
    answer(&mut session, "secret", 1, AppOutcome::Ok(json!(1))).unwrap();
    assert_eq!(heard(&session, 1), None, "the time is up");
    session.run(Command::Expire).unwrap();
    assert_eq!(heard(&session, 1), Some(AppOutcome::TimedOut));
    assert_eq!(session.effects.last(), Some(&Effect::Nudge(turn(1))));
}

#[test]
fn an_answer_that_is_too_large_is_an_error() {
    let mut session = ready();
    ask(&mut session, 1, 1, query("notes")).unwrap();
    answer(&mut session, "secret", 1, AppOutcome::Ok(json!("x".repeat(70_000)))).unwrap();
    let Some(AppOutcome::Error(error)) = heard(&session, 1) else { panic!() };
    assert_eq!(error, "the app's answer has 70002 bytes; at most 65536 are allowed");
}

#[test]
fn closing_the_window_settles_what_its_app_was_asked() {
    let mut session = ready();
    ask(&mut session, 1, 1, query("notes")).unwrap();
    session.act(1, vec![Action::Close { window_id: id("board") }]).unwrap();
    assert_eq!(heard(&session, 1), Some(AppOutcome::Gone));
    assert_eq!(session.state.desktop.requests().count(), 0);
    assert_eq!(session.effects.last(), Some(&Effect::Nudge(turn(1))));
}

#[test]
fn commands_that_were_done_bring_the_app_back() {
    let mut session = ready();
    for (n, (note, text)) in [(1, "a"), (2, "b"), (1, "c"), (3, "d")].into_iter().enumerate() {
        let n = u8::try_from(n).unwrap();
        ask(&mut session, 1, n, AppRequest::Command(write(note, text))).unwrap();
        let outcome = if text == "d" { AppOutcome::Error("full".to_owned()) } else { AppOutcome::Ok(json!(null)) };
        answer(&mut session, "secret", n, outcome).unwrap();
    }
    assert_eq!(restored(&session), [write(2, "b"), write(1, "c")], "the last of each note, less what failed");
    let content = WindowContent::App { app: "notes".to_owned(), params: json!({ "dark": true }) };
    session.act(1, vec![show("board", content, Origin::Trusted)]).unwrap();
    assert_eq!(restored(&session).len(), 2, "it is still the same app");
    let fewer = Manifest { commands: vec![], ..manifest() };
    register(&mut session, "secret", fewer).unwrap();
    assert_eq!(restored(&session), [], "it cannot be told that any more");
}

#[test]
fn another_app_in_the_window_begins_anew() {
    let mut session = ready();
    ask(&mut session, 1, 1, query("notes")).unwrap();
    let content = WindowContent::App { app: "timer".to_owned(), params: Value::Null };
    let refused = session.act(1, vec![show("board", content.clone(), Origin::Trusted)]);
    assert!(matches!(refused, Err(Refusal::Action { why: DesktopFault::NoToken { .. }, .. })));
    let token = Some("other".to_owned());
    session.act(1, vec![Action::Content { window_id: id("board"), content, origin: Origin::Trusted, token }]).unwrap();
    let app = session.window("board").app.as_ref().unwrap();
    assert_eq!((app.token.as_str(), &app.manifest), ("other", &None));
    assert_eq!(heard(&session, 1), Some(AppOutcome::Gone));
    session.act(1, vec![show("board", text("no app"), Origin::Trusted)]).unwrap();
    assert_eq!(session.window("board").app, None);
}

#[test]
fn what_an_app_did_counts_also_when_its_turn_has_ended() {
    let mut session = ready();
    ask(&mut session, 1, 1, AppRequest::Command(write(1, "a"))).unwrap();
    session.finish(1, "done");
    let asked = session.state.desktop.requests().count();
    answer(&mut session, "secret", 1, AppOutcome::Ok(json!(null))).unwrap();
    assert_eq!(session.state.desktop.requests().count(), 0);
    let is_answered = session.journal.iter().any(|event| {
        matches!(&event.body, Body::AppAnswered(answered)
        if answered.outcome == AppOutcome::Ok(json!(null)))
    });
    // Whether the end of a turn drops its requests is the turn's matter; what is still open then
    // counts.
    assert_eq!((is_answered, restored(&session).len()), (asked == 1, asked));
}
