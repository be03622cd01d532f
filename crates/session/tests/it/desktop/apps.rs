//! Apps in windows: they register, are asked, and answer.

use std::time::Duration;

use protocol::{
    Action, AgentId, AppCommand, AppOutcome, AppRequest, AppRequestId, AppRequested, Body, CommandSpec, Content,
    Holder, Keep, Manifest, Origin, StateKey,
};
use serde_json::{Value, json};
use session::{APP_REQUESTS_MAX, AppFault, Command, Effect, Misfit, Outcome, Refusal, Report};
use ulid::Ulid;

use super::{create_app, id, life, monitor, show, text};
use crate::life::{Life, turn};

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
        commands: vec![spec("write", Keep::Last), spec("look", Keep::Nothing)],
        ..Manifest::default()
    }
}

fn register(life: &mut Life, token: &str, manifest: Manifest) -> Result<Outcome, Refusal> {
    life.run(Command::RegisterApp { window_id: id("board"), token: token.to_owned(), manifest })
}

fn request_id(n: u8) -> AppRequestId {
    AppRequestId::new(Ulid::from_parts(4, u128::from(n)))
}

fn ask(life: &mut Life, turn: u8, n: u8, request: AppRequest) -> Result<Outcome, Refusal> {
    let expires_at = life.now.plus(Duration::from_secs(10));
    let asked = AppRequested { request_id: request_id(n), window_id: id("board"), request, expires_at };
    life.try_report(turn, Report::AskApp(asked))
}

fn query(key: &str) -> AppRequest {
    AppRequest::Query { key: key.to_owned() }
}

fn write(note: u8, text: &str) -> AppCommand {
    AppCommand { name: "write".to_owned(), arguments: json!({ "id": note, "text": text }) }
}

fn answer(life: &mut Life, token: &str, n: u8, outcome: AppOutcome) -> Result<Outcome, Refusal> {
    let (window_id, token) = (id("board"), token.to_owned());
    life.run(Command::AnswerFromApp { window_id, token, request_id: request_id(n), outcome })
}

fn heard(life: &Life, n: u8) -> Option<AppOutcome> {
    life.state.open_turn(turn(1)).unwrap().doings.requests[&request_id(n)].clone()
}

/// An app in the window `board` that has said what it can do.
fn ready() -> Life {
    let mut life = life();
    life.act(1, vec![create_app("board", Some("secret"))]).unwrap();
    register(&mut life, "secret", manifest()).unwrap();
    life
}

fn restored(life: &Life) -> &[AppCommand] {
    &life.window("board").app.as_ref().unwrap().restore
}

#[test]
fn an_app_is_heard_with_the_token_of_its_window_only() {
    let mut life = life();
    life.act(1, vec![create_app("board", Some("secret")), super::create("plain")]).unwrap();
    let before = life.journal.len();
    for wrong in ["", "secre", "secrets", "SECRET"] {
        let refusal = register(&mut life, wrong, manifest()).unwrap_err();
        assert_eq!(refusal, Refusal::App(AppFault::WrongToken { window_id: id("board") }));
        assert!(!refusal.to_string().contains("secret"));
        let refusal = answer(&mut life, wrong, 1, AppOutcome::Ok(json!(1))).unwrap_err();
        assert_eq!(refusal, Refusal::App(AppFault::WrongToken { window_id: id("board") }));
    }
    let elsewhere =
        |window: &str| Command::RegisterApp { window_id: id(window), token: "secret".to_owned(), manifest: manifest() };
    assert_eq!(life.run(elsewhere("plain")), Err(Refusal::App(AppFault::NoApp { window_id: id("plain") })));
    assert!(matches!(life.run(elsewhere("gone")), Err(Refusal::Desktop(Misfit::NoWindow { .. }))));
    assert_eq!(life.journal.len(), before);
    register(&mut life, "secret", manifest()).unwrap();
    register(&mut life, "secret", manifest()).unwrap();
    assert_eq!(life.journal.len(), before + 1, "another page says the same");
}

#[test]
fn a_manifest_has_its_limits() {
    let mut life = life();
    life.act(1, vec![create_app("board", Some("secret"))]).unwrap();
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
        assert!(matches!(register(&mut life, "secret", bad), Err(Refusal::App(_))));
    }
    register(&mut life, "secret", named("add_note-2")).unwrap();
}

#[test]
fn a_turn_asks_and_hears_the_first_answer() {
    let mut life = ready();
    ask(&mut life, 1, 1, query("notes")).unwrap();
    let before = life.journal.len();
    ask(&mut life, 1, 1, query("notes")).unwrap();
    assert_eq!(life.journal.len(), before, "asking again is asking once");
    assert_eq!((life.state.desktop.requests().count(), heard(&life, 1)), (1, None));
    answer(&mut life, "secret", 1, AppOutcome::Ok(json!(["one"]))).unwrap();
    assert_eq!(life.effects.last(), Some(&Effect::Nudge(turn(1))));
    let before = life.journal.len();
    assert_eq!(answer(&mut life, "secret", 1, AppOutcome::Error("late".to_owned())), Ok(Outcome::Done));
    assert_eq!(life.journal.len(), before);
    assert_eq!(heard(&life, 1), Some(AppOutcome::Ok(json!(["one"]))));
    assert_eq!(life.state.desktop.requests().count(), 0);
}

#[test]
fn an_app_is_asked_what_it_can_be_asked() {
    let mut life = life();
    life.act(1, vec![create_app("board", Some("secret"))]).unwrap();
    let early = ask(&mut life, 1, 1, query("notes")).unwrap_err();
    assert_eq!(early.to_string(), "the app in window `board` has not said yet what it can do; try again shortly");
    register(&mut life, "secret", manifest()).unwrap();
    let unknown = ask(&mut life, 1, 1, query("colour")).unwrap_err();
    assert_eq!(unknown.to_string(), "the app cannot be asked for `colour`; it can be asked for `notes`");
    let erase = AppRequest::Command(AppCommand { name: "erase".to_owned(), arguments: Value::Null });
    let unknown = ask(&mut life, 1, 1, erase).unwrap_err();
    assert_eq!(unknown.to_string(), "the app cannot be told to `erase`; it can be told to `write`, `look`");
    let huge = ask(&mut life, 1, 1, AppRequest::Command(write(1, &"x".repeat(70_000))));
    assert!(matches!(huge, Err(Refusal::App(AppFault::ArgumentsTooLarge { .. }))));
    for n in 0..32 {
        ask(&mut life, 1, n, query("notes")).unwrap();
    }
    assert_eq!(APP_REQUESTS_MAX, 32);
    assert_eq!(ask(&mut life, 1, 32, query("notes")), Err(Refusal::Desktop(Misfit::TooManyRequests)));
}

#[test]
fn a_lock_keeps_commands_of_other_agents_out_of_an_app() {
    let mut life = ready();
    life.take_up(2, AgentId::ephemeral(turn(2), &monitor("main")), None);
    let lock = Action::Lock { window_id: id("board"), holder: Holder::Agent(AgentId::main()) };
    life.act(1, vec![lock]).unwrap();
    let refused = ask(&mut life, 2, 1, AppRequest::Command(write(1, "mine")));
    assert!(matches!(refused, Err(Refusal::Desktop(Misfit::Locked { .. }))));
    ask(&mut life, 2, 2, query("notes")).unwrap();
    ask(&mut life, 1, 3, AppRequest::Command(write(1, "mine"))).unwrap();
}

#[test]
fn an_app_that_says_nothing_in_time_has_not_answered() {
    let mut life = ready();
    ask(&mut life, 1, 1, query("notes")).unwrap();
    life.now = life.state.desktop.next_expiry().unwrap();
    answer(&mut life, "secret", 1, AppOutcome::Ok(json!(1))).unwrap();
    assert_eq!(heard(&life, 1), None, "the time is up");
    life.run(Command::Expire).unwrap();
    assert_eq!(heard(&life, 1), Some(AppOutcome::TimedOut));
    assert_eq!(life.effects.last(), Some(&Effect::Nudge(turn(1))));
}

#[test]
fn an_answer_that_is_too_large_is_an_error() {
    let mut life = ready();
    ask(&mut life, 1, 1, query("notes")).unwrap();
    answer(&mut life, "secret", 1, AppOutcome::Ok(json!("x".repeat(70_000)))).unwrap();
    let Some(AppOutcome::Error(error)) = heard(&life, 1) else { panic!() };
    assert_eq!(error, "the app's answer has 70002 bytes; at most 65536 are taken");
}

#[test]
fn closing_the_window_settles_what_its_app_was_asked() {
    let mut life = ready();
    ask(&mut life, 1, 1, query("notes")).unwrap();
    life.act(1, vec![Action::Close { window_id: id("board") }]).unwrap();
    assert_eq!(heard(&life, 1), Some(AppOutcome::Gone));
    assert_eq!(life.state.desktop.requests().count(), 0);
    assert_eq!(life.effects.last(), Some(&Effect::Nudge(turn(1))));
}

#[test]
fn commands_that_were_done_bring_the_app_back() {
    let mut life = ready();
    for (n, (note, text)) in [(1, "a"), (2, "b"), (1, "c"), (3, "d")].into_iter().enumerate() {
        let n = u8::try_from(n).unwrap();
        ask(&mut life, 1, n, AppRequest::Command(write(note, text))).unwrap();
        let outcome = if text == "d" { AppOutcome::Error("full".to_owned()) } else { AppOutcome::Ok(json!(null)) };
        answer(&mut life, "secret", n, outcome).unwrap();
    }
    assert_eq!(restored(&life), [write(2, "b"), write(1, "c")], "the last of each note, less what failed");
    let content = Content::App { app: "notes".to_owned(), params: json!({ "dark": true }) };
    life.act(1, vec![show("board", content, Origin::Trusted)]).unwrap();
    assert_eq!(restored(&life).len(), 2, "it is still the same app");
    let fewer = Manifest { commands: vec![], ..manifest() };
    register(&mut life, "secret", fewer).unwrap();
    assert_eq!(restored(&life), [], "it cannot be told that any more");
}

#[test]
fn another_app_in_the_window_begins_anew() {
    let mut life = ready();
    ask(&mut life, 1, 1, query("notes")).unwrap();
    let content = Content::App { app: "timer".to_owned(), params: Value::Null };
    let refused = life.act(1, vec![show("board", content.clone(), Origin::Trusted)]);
    assert!(matches!(refused, Err(Refusal::Action { why: Misfit::NoToken { .. }, .. })));
    let token = Some("other".to_owned());
    life.act(1, vec![Action::Content { window_id: id("board"), content, origin: Origin::Trusted, token }]).unwrap();
    let app = life.window("board").app.as_ref().unwrap();
    assert_eq!((app.token.as_str(), &app.manifest), ("other", &None));
    assert_eq!(heard(&life, 1), Some(AppOutcome::Gone));
    life.act(1, vec![show("board", text("no app"), Origin::Trusted)]).unwrap();
    assert_eq!(life.window("board").app, None);
}

#[test]
fn what_an_app_did_counts_also_when_its_turn_has_ended() {
    let mut life = ready();
    ask(&mut life, 1, 1, AppRequest::Command(write(1, "a"))).unwrap();
    life.finish(1, "done");
    let asked = life.state.desktop.requests().count();
    answer(&mut life, "secret", 1, AppOutcome::Ok(json!(null))).unwrap();
    assert_eq!(life.state.desktop.requests().count(), 0);
    let is_answered = life.journal.iter().any(|event| {
        matches!(&event.body, Body::AppAnswered(answered)
        if answered.outcome == AppOutcome::Ok(json!(null)))
    });
    // Whether the end of a turn gives up what it has asked is the turn's matter; what is still open then counts.
    assert_eq!((is_answered, restored(&life).len()), (asked == 1, asked));
}
