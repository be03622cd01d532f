//! Desktop actions of agents.

use protocol::{
    Action, AgentId, Body, Bounds, Chart, ChartKind, LockHolder, Origin, Series, WindowContent, WindowState,
};
use session::{CONTENT_BYTES_MAX, CommandOutcome, DESKTOP_BYTES_MAX, DesktopFault, Refusal, TurnReport, WINDOWS_MAX};

use super::{BOUNDS, create, create_app, id, monitor, show, test_session, text, toast_id};
use crate::test_session::{TestSession, turn};

fn why(refusal: Result<CommandOutcome, Refusal>) -> DesktopFault {
    match refusal {
        Err(Refusal::Action { why, .. }) => why,
        other => panic!("{other:?}"),
    }
}

/// The main agent runs turn 1, an ephemeral one runs turn 2; the first has locked a window.
fn two_agents() -> TestSession {
    let mut session = test_session();
    session.take_up(2, AgentId::ephemeral(turn(2), &monitor("main")), None);
    let lock = Action::Lock { window_id: id("a"), holder: LockHolder::Agent(AgentId::main()) };
    session.act(1, vec![create("a"), create("b"), lock]).unwrap();
    session
}

#[test]
fn windows_open_in_front_and_focus_raises_them() {
    let mut session = test_session();
    session.act(1, vec![create("a"), create("b"), create("c")]).unwrap();
    assert_eq!(session.stack(), ["a", "b", "c"]);
    session.act(1, vec![Action::Focus { window_id: id("a") }, Action::Minimize { window_id: id("c") }]).unwrap();
    assert_eq!(session.stack(), ["b", "c", "a"]);
    session.act(1, vec![Action::Minimize { window_id: id("a") }]).unwrap();
    let focused = session.state.desktop.focused(&monitor("main")).unwrap();
    assert_eq!(focused.window_id, id("b"), "what is put away is not in front");
    session.act(1, vec![Action::Focus { window_id: id("c") }, Action::Maximize { window_id: id("a") }]).unwrap();
    assert_eq!((session.window("c").state, session.window("a").state), (WindowState::Normal, WindowState::Maximized));
    session.act(1, vec![Action::Close { window_id: id("b") }]).unwrap();
    assert_eq!(session.stack(), ["c", "a"]);
}

#[test]
fn the_same_key_again_does_nothing_and_another_turn_has_keys_of_its_own() {
    let mut session = two_agents();
    let add = |n: u8, session: &mut TestSession| {
        let report = TurnReport::Act { key: "k".to_owned(), actions: vec![create(&format!("n{n}"))], replay_of: None };
        session.try_report(n, report).unwrap();
    };
    add(1, &mut session);
    let before = session.journal.len();
    add(1, &mut session);
    assert_eq!(session.journal.len(), before);
    add(2, &mut session);
    assert_eq!(session.stack(), ["a", "b", "n1", "n2"]);
    let doings = &session.state.open_turn(turn(1)).unwrap().doings;
    assert_eq!((doings.keys.len(), doings.actions.len()), (2, 4));
}

#[test]
fn later_actions_rest_on_earlier_ones_and_one_that_fails_undoes_all() {
    let mut session = test_session();
    let far = Action::Move { window_id: id("a"), x: 7_380, y: 4_120 };
    session.act(1, vec![create("a"), far.clone()]).unwrap();
    assert_eq!(session.window("a").bounds, Bounds { x: 7_380, y: 4_120, ..BOUNDS });
    let wider = Action::Resize { window_id: id("a"), width: 301, height: 200 };
    let refusal = session.act(1, vec![create("b"), wider]).unwrap_err();
    assert_eq!(
        refusal.to_string(),
        "action 2 (`window.resize`): window `a` would be 301x200 at 7380,4120; it is at least 120x80 and lies within \
         7680x4320"
    );
    assert_eq!(session.stack(), ["a"]);
}

#[test]
fn a_window_that_is_not_there_is_refused_with_those_that_are() {
    let mut session = test_session();
    let close = |name: &str| vec![Action::Close { window_id: id(name) }];
    let none = session.act(1, close("notes")).unwrap_err();
    assert_eq!(none.to_string(), "action 1 (`window.close`): there is no window `notes`; no window is open");
    session.act(1, vec![create("board"), create("note"), create("timer")]).unwrap();
    let near = session.act(1, close("notes")).unwrap_err();
    let list = "action 1 (`window.close`): there is no window `notes`; open are `note`, `board`, `timer`";
    assert_eq!(near.to_string(), list);
    assert_eq!(why(session.act(1, vec![create("note")])), DesktopFault::NameTaken { window_id: id("note") });
}

#[test]
fn a_window_fits_its_desktop() {
    let mut session = test_session();
    let place = |x, y, width, height| {
        let Action::Create { window_id, title, content, .. } = create("a") else { panic!() };
        let bounds = Bounds { x, y, width, height };
        vec![Action::Create { window_id, group: None, title, bounds, content, origin: Origin::Trusted, token: None }]
    };
    for (x, y, width, height) in
        [(0, 0, 119, 80), (0, 0, 120, 79), (7_561, 0, 120, 80), (0, 4_241, 120, 80), (u32::MAX, 0, 120, 80)]
    {
        let bounds = Bounds { x, y, width, height };
        assert_eq!(
            why(session.act(1, place(x, y, width, height))),
            DesktopFault::OutOfBounds { window_id: id("a"), bounds }
        );
    }
    session.act(1, place(7_560, 4_240, 120, 80)).unwrap();
}

#[test]
fn titles_and_contents_have_their_limits() {
    let mut session = test_session();
    session.act(1, vec![create("a")]).unwrap();
    let title =
        |title: &str| vec![Action::Title { window_id: id("a"), title: title.to_owned(), origin: Origin::Trusted }];
    for bad in ["", "  ", "a\nb", &"x".repeat(121)] {
        assert_eq!(why(session.act(1, title(bad))), DesktopFault::BadTitle, "{bad:?}");
    }
    session.act(1, title(&"ä".repeat(120))).unwrap();
    let overhead = serde_json::to_string(&text("")).unwrap().len();
    let content = |bytes: usize| vec![show("a", text(&"x".repeat(bytes - overhead)), Origin::Trusted)];
    session.act(1, content(CONTENT_BYTES_MAX)).unwrap();
    let bytes = CONTENT_BYTES_MAX + 1;
    assert_eq!(why(session.act(1, content(bytes))), DesktopFault::ContentTooLarge { window_id: id("a"), bytes });
    let series = vec![Series { name: "s".to_owned(), values: vec![1.0, f64::NAN] }];
    let chart = WindowContent::Chart(Chart { kind: ChartKind::Bar, labels: vec![], series });
    assert_eq!(
        why(session.act(1, vec![show("a", chart, Origin::Trusted)])),
        DesktopFault::NoNumber { window_id: id("a") }
    );
}

#[test]
fn all_windows_together_have_their_limits() {
    let mut session = test_session();
    for n in 0..WINDOWS_MAX {
        session.act(1, vec![create(&format!("w{n}"))]).unwrap();
    }
    assert_eq!(why(session.act(1, vec![create("one-more")])), DesktopFault::TooManyWindows);
    let full = text(&"x".repeat(CONTENT_BYTES_MAX - 100));
    let filled = (0..WINDOWS_MAX).map(|n| session.act(1, vec![show(&format!("w{n}"), full.clone(), Origin::Trusted)]));
    let refusals: Vec<_> = filled.filter_map(Result::err).collect();
    assert!(
        matches!(&refusals[0], Refusal::Action { why: DesktopFault::DesktopFull { bytes }, .. } if *bytes > DESKTOP_BYTES_MAX)
    );
    assert_eq!(WINDOWS_MAX - refusals.len(), 15, "as many as have room beside the small ones");
}

#[test]
fn an_agent_works_on_its_own_monitor() {
    let mut session = test_session();
    session.run(session::Command::AddMonitor(monitor("work"))).unwrap();
    session.take_up(2, AgentId::main_of(&monitor("work")), None);
    session.act(1, vec![create("a")]).unwrap();
    session.act(2, vec![create("b")]).unwrap();
    assert_eq!(session.window("b").monitor_id, monitor("work"));
    let focus = vec![Action::Focus { window_id: id("a") }];
    assert_eq!(
        why(session.act(2, focus)),
        DesktopFault::OtherMonitor { window_id: id("a"), monitor_id: monitor("main") }
    );
    assert_eq!(why(session.act(2, vec![create("a")])), DesktopFault::NameTaken { window_id: id("a") });
    let unknown = session.act(2, vec![Action::Close { window_id: id("c") }]).unwrap_err().to_string();
    assert!(unknown.ends_with("open are `b`"), "{unknown}");
    let add = vec![Action::AddMonitor { monitor_id: monitor("third") }];
    assert_eq!(why(session.act(2, add)), DesktopFault::UserOnly);
}

#[test]
fn a_lock_keeps_other_agents_out() {
    let mut session = two_agents();
    let window_id = || id("a");
    let forbidden = [
        Action::Title { window_id: window_id(), title: "mine".to_owned(), origin: Origin::Trusted },
        show("a", text("mine"), Origin::Trusted),
        Action::Move { window_id: window_id(), x: 0, y: 0 },
        Action::Resize { window_id: window_id(), width: 400, height: 400 },
        Action::Minimize { window_id: window_id() },
        Action::Maximize { window_id: window_id() },
        Action::Restore { window_id: window_id() },
        Action::Close { window_id: window_id() },
        Action::Unlock { window_id: window_id() },
        Action::Lock {
            window_id: window_id(),
            holder: LockHolder::Agent(AgentId::ephemeral(turn(2), &monitor("main"))),
        },
    ];
    for action in forbidden {
        let name = action.name();
        let locked = DesktopFault::Locked { window_id: window_id(), holder: LockHolder::Agent(AgentId::main()) };
        assert_eq!(why(session.act(2, vec![action])), locked, "{name}");
    }
    session.act(2, vec![Action::Focus { window_id: window_id() }]).unwrap();
    assert_eq!(session.stack(), ["b", "a"]);
    session.act(1, vec![show("a", text("still mine"), Origin::Trusted)]).unwrap();
    session.act(1, vec![Action::Unlock { window_id: window_id() }]).unwrap();
    session.act(2, vec![Action::Close { window_id: window_id() }]).unwrap();
}

#[test]
fn a_lock_is_taken_in_ones_own_name() {
    let mut session = two_agents();
    for holder in [LockHolder::User, LockHolder::Agent(AgentId::main())] {
        let lock = Action::Lock { window_id: id("b"), holder: holder.clone() };
        assert_eq!(why(session.act(2, vec![lock])), DesktopFault::LockForAnother { window_id: id("b"), holder });
    }
    let text = why(session.act(2, vec![Action::Close { window_id: id("a") }])).to_string();
    assert_eq!(text, "window `a` is locked by agent `main`; leave it as it is until it is released");
}

#[test]
fn untrusted_content_stays_untrusted_until_all_of_it_is_replaced() {
    let mut session = test_session();
    session.act(1, vec![create("a")]).unwrap();
    let title = |origin| vec![Action::Title { window_id: id("a"), title: "t".to_owned(), origin }];
    let content = |origin| vec![show("a", text("c"), origin)];
    let mut origin_after = |actions| {
        session.act(1, actions).unwrap();
        session.window("a").origin
    };
    assert_eq!(origin_after(title(Origin::Untrusted)), Origin::Untrusted);
    assert_eq!(origin_after(content(Origin::Trusted)), Origin::Untrusted, "the title is still untrusted");
    assert_eq!(origin_after(title(Origin::Trusted)), Origin::Trusted);
    assert_eq!(origin_after(content(Origin::Untrusted)), Origin::Untrusted);
    assert_eq!(origin_after(title(Origin::Trusted)), Origin::Untrusted);
    assert_eq!(origin_after(content(Origin::Trusted)), Origin::Trusted);
}

#[test]
fn what_the_agent_of_a_window_opens_joins_its_group() {
    let mut session = test_session();
    session.act(1, vec![create("a")]).unwrap();
    session.take_up(2, AgentId::window(&id("a"), &monitor("main")), Some("a"));
    session.take_up(3, AgentId::parallel(&id("a"), turn(3), &monitor("main")), Some("a"));
    session.act(2, vec![create("b")]).unwrap();
    session.act(3, vec![create("c")]).unwrap();
    session.act(1, vec![create("d")]).unwrap();
    let group: Vec<_> = session.state.desktop.group(&id("a")).map(|window| window.window_id.clone()).collect();
    assert_eq!(group, ["a", "b", "c"].map(id));
    assert_eq!(session.window("d").group, id("d"));
    let written = session.journal.iter().rev().find_map(|event| match &event.body {
        Body::Actions(done) if event.turn_id == Some(turn(3)) => Some(done.actions[0].clone()),
        _ => None,
    });
    assert!(matches!(written, Some(Action::Create { group: Some(group), .. }) if group == id("a")));
    session.act(2, vec![Action::Close { window_id: id("a") }, create("e")]).unwrap();
    assert_eq!(session.window("e").group, id("a"), "the group outlives the window that it began with");
    let all = ["b", "c", "e"].map(|name| Action::Close { window_id: id(name) });
    session.act(2, all.into_iter().chain([create("f")]).collect()).unwrap();
    assert_eq!(session.window("f").group, id("f"), "the group was gone by then");
}

#[test]
fn a_group_has_to_be_there() {
    let mut session = test_session();
    session.act(1, vec![create("a")]).unwrap();
    let join = |group: &str| {
        let Action::Create { window_id, title, bounds, content, origin, .. } = create("b") else { panic!() };
        vec![Action::Create { window_id, group: Some(id(group)), title, bounds, content, origin, token: None }]
    };
    let refusal = session.act(1, join("b")).unwrap_err().to_string();
    assert!(refusal.ends_with("there is no group `b` on this monitor; there are `a`"), "{refusal}");
    session.act(1, join("a")).unwrap();
}

#[test]
fn the_digest_tells_what_windows_show_and_not_where_they_are() {
    let mut session = test_session();
    let main = monitor("main");
    session.act(1, vec![create("a"), create("b")]).unwrap();
    let first = session.state.desktop.digest(&main);
    session
        .act(1, vec![Action::Move { window_id: id("a"), x: 0, y: 0 }, Action::Focus { window_id: id("a") }])
        .unwrap();
    session.act(1, vec![Action::Resize { window_id: id("b"), width: 400, height: 300 }]).unwrap();
    assert_eq!(session.state.desktop.digest(&main), first);
    let mut seen = vec![first];
    for action in [
        show("a", text("changed"), Origin::Trusted),
        Action::Minimize { window_id: id("a") },
        Action::Lock { window_id: id("a"), holder: LockHolder::Agent(AgentId::main()) },
        Action::Title { window_id: id("b"), title: "other".to_owned(), origin: Origin::Trusted },
        show("a", WindowContent::Markdown { text: "changed".to_owned() }, Origin::Trusted),
        Action::Close { window_id: id("b") },
    ] {
        let name = action.name();
        session.act(1, vec![action]).unwrap();
        let digest = session.state.desktop.digest(&main);
        assert!(!seen.contains(&digest), "{name}");
        seen.push(digest);
    }
}

#[test]
fn a_question_is_no_action() {
    let mut session = test_session();
    let question = super::asking::choice(1);
    let refusal = session.act(1, vec![create("a"), Action::Dialog(question)]).unwrap_err();
    assert!(refusal.to_string().starts_with("action 2 (`dialog.show`): a question is not an action"), "{refusal}");
}

#[test]
fn the_oldest_toasts_leave() {
    let mut session = test_session();
    for n in 0..12 {
        session.act(1, vec![super::asking::toast(n)]).unwrap();
    }
    let left: Vec<_> = session.state.desktop.toasts().map(|toast| toast.toast_id).collect();
    assert_eq!(left, (4..12).map(toast_id).collect::<Vec<_>>());
}

#[test]
fn an_app_needs_a_token() {
    let mut session = test_session();
    assert_eq!(why(session.act(1, vec![create_app("a", None)])), DesktopFault::NoToken { window_id: id("a") });
    assert_eq!(why(session.act(1, vec![create_app("a", Some(""))])), DesktopFault::NoToken { window_id: id("a") });
    session.act(1, vec![create_app("a", Some("secret"))]).unwrap();
    assert_eq!(session.window("a").app.as_ref().unwrap().token, "secret");
}
