//! Several agents in one session: queues, windows, the timeline.

use proptest::prelude::*;
use protocol::{
    Action, AgentId, Body, Bounds, ChatSend, Interaction, LockHolder, MemoryUsed, MonitorId, OnBusy, Origin, Settings,
    StatusChanged, Transition, TurnError, TurnStatus, WindowAgentStatus, WindowContent, WindowId, WindowPress,
};
use session::{Command, CommandOutcome, QUEUE_MAX, Refusal, TIMELINE_MAX, TimelineEvent, TurnReport, WindowInput};

use crate::test_session::{TestSession, turn};

fn id(name: &str) -> WindowId {
    name.parse().unwrap()
}

fn create(name: &str) -> Action {
    Action::Create {
        window_id: id(name),
        group: None,
        title: name.to_owned(),
        bounds: Bounds { x: 0, y: 0, width: 400, height: 300 },
        content: WindowContent::Text { text: "hello".to_owned() },
        origin: Origin::Trusted,
        token: None,
    }
}

impl TestSession {
    /// A session whose main agent has opened these windows in turn 1.
    fn with_windows(names: &[&str]) -> Self {
        let mut session = Self::begin(Settings::default());
        session.send(1, "open them").unwrap();
        let actions = names.iter().map(|name| create(name)).collect();
        session.report(1, TurnReport::Act { key: "1".to_owned(), actions, replay_of: None });
        session.finish(1, "opened");
        session
    }

    fn tell(&mut self, n: u8, window: &str, message: &str) -> Result<CommandOutcome, Refusal> {
        self.send_in(n, window, WindowInput::Message(message.to_owned()))
    }

    fn press(&mut self, n: u8, window: &str, parallel: bool) -> Result<CommandOutcome, Refusal> {
        let act = WindowPress {
            action: "save".to_owned(),
            action_id: None,
            form_data: [("name".to_owned(), "Ada".to_owned())].into(),
            component_path: None,
            parallel,
        };
        self.send_in(n, window, WindowInput::Act(act))
    }

    fn send_in(&mut self, n: u8, window: &str, input: WindowInput) -> Result<CommandOutcome, Refusal> {
        let (turn_id, window_id) = (turn(n), id(window));
        self.run(Command::SendToWindow { turn_id, window_id, input, served: Vec::new(), idempotency_key: None })
    }

    fn fail(&mut self, n: u8) {
        let error = TurnError { code: "x".to_owned(), message: "x".to_owned(), recoverable: true, details: None };
        self.report(n, TurnReport::Failed { error, usage: None });
    }

    fn agents_of(&self, window: &str) -> Vec<WindowAgentStatus> {
        let of = |body: &Body| match body {
            Body::WindowAgent(change) if change.window_id == id(window) => Some(change.status),
            _ => None,
        };
        self.journal.iter().filter_map(|event| of(&event.body)).collect()
    }

    /// Answers a main turn whose model has received its context.
    fn answer(&mut self, n: u8) {
        self.report(n, TurnReport::Used(MemoryUsed::default()));
        self.finish(n, "that");
    }

    fn told(&self, n: u8) -> usize {
        self.state.timeline_of(turn(n)).count()
    }
}

fn agent(outcome: &CommandOutcome) -> String {
    let CommandOutcome::Accepted { agent_id, .. } = outcome else { panic!("{outcome:?}") };
    agent_id.to_string()
}

#[test]
fn a_window_has_a_line_of_its_own_beside_the_main_agents() {
    let mut session = TestSession::with_windows(&["a", "b"]);
    session.send(2, "main").unwrap();
    assert_eq!(agent(&session.tell(3, "a", "one").unwrap()), "window-a");
    assert_eq!(agent(&session.tell(4, "b", "other").unwrap()), "window-b");
    let CommandOutcome::Accepted { position, .. } = session.tell(5, "a", "two").unwrap() else { panic!() };
    assert_eq!((position, session.state.running().count()), (Some(1), 3));
    session.finish(3, "done");
    assert_eq!(session.status(5), TurnStatus::Running);
    assert_eq!(
        session.agents_of("a"),
        [WindowAgentStatus::Assigned, WindowAgentStatus::Active, WindowAgentStatus::Active]
    );
}

#[test]
fn a_full_line_of_a_window_refuses_by_name() {
    let mut session = TestSession::with_windows(&["a", "b"]);
    for n in 0..=QUEUE_MAX {
        session.tell(10 + u8::try_from(n).unwrap(), "a", "wait").unwrap();
    }
    let refused = session.tell(90, "a", "the eleventh in line").unwrap_err();
    assert!(refused.to_string().contains("the eleventh in line"), "{refused}");
    session.tell(91, "b", "another window has room").unwrap();
}

#[test]
fn parallel_actions_have_agents_of_their_own() {
    let mut session = TestSession::with_windows(&["a"]);
    session.press(2, "a", false).unwrap();
    let two: Vec<String> = [3, 4].map(|n| agent(&session.press(n, "a", true).unwrap())).to_vec();
    assert_eq!(two, [3, 4].map(|n| format!("window-a/{}", turn(n))));
    let agent_id = two[0].parse().unwrap();
    session.run(Command::Interrupt { agent_id: Some(agent_id) }).unwrap();
    let statuses = [2, 3, 4].map(|n| session.status(n));
    assert_eq!(statuses, [TurnStatus::Running, TurnStatus::Cancelled, TurnStatus::Running]);
}

#[test]
fn a_window_is_told_three_main_turns_and_its_own() {
    let mut session = TestSession::with_windows(&["a"]);
    for n in 2..6 {
        session.send(n, &format!("main {n}")).unwrap();
        session.finish(n, "yes");
    }
    session.tell(6, "a", "own one").unwrap();
    session.send(7, "main 7").unwrap();
    session.finish(7, "yes");
    let told = |session: &TestSession, n: u8| -> Vec<String> {
        let turn = session.state.open_turn(turn(n)).unwrap();
        session.state.recent_for(turn).into_iter().map(|turn| turn.message).collect()
    };
    assert_eq!(told(&session, 6), ["main 3", "main 4", "main 5"]);
    session.finish(6, "yes");
    session.tell(8, "a", "own two").unwrap();
    assert_eq!(told(&session, 8), ["main 3", "main 4", "main 5", "own one"], "what main was told later is not told");
    session.send(9, "main 9").unwrap();
    assert!(told(&session, 9).iter().all(|message| message.starts_with("main") || message == "open them"));
}

#[test]
fn what_is_said_on_one_monitor_is_not_told_on_another() {
    let mut session = TestSession::begin(Settings::default());
    let work: MonitorId = "work".parse().unwrap();
    session.send(1, "on main").unwrap();
    session.finish(1, "yes");
    let send = ChatSend { monitor_id: work.clone(), ..ChatSend::text("on work") };
    let outcome = session.run(Command::Send { turn_id: turn(2), send }).unwrap();
    assert_eq!(agent(&outcome), "main@work");
    assert_eq!(session.state.recent_for(session.state.open_turn(turn(2)).unwrap()), []);
    assert_eq!(session.state.desktop.monitors(), [MonitorId::primary(), work.clone()]);
    session.run(Command::RemoveMonitor(work)).unwrap();
    assert_eq!(session.status(2), TurnStatus::Cancelled);
}

#[test]
fn closing_the_last_window_of_a_group_ends_its_agent() {
    let mut session = TestSession::with_windows(&["a"]);
    session.tell(2, "a", "open another").unwrap();
    session.report(2, TurnReport::Act { key: "2".to_owned(), actions: vec![create("child")], replay_of: None });
    session.finish(2, "opened");
    assert_eq!(session.state.desktop.window(&id("child")).unwrap().group, id("a"));
    assert_eq!(agent(&session.tell(3, "child", "hello").unwrap()), "window-a");
    session.tell(4, "a", "later").unwrap();
    session.run(Command::Interact(vec![Interaction::Close { window_id: id("a") }])).unwrap();
    assert_eq!(
        (session.status(3), session.status(4)),
        (TurnStatus::Running, TurnStatus::Cancelled),
        "the other window goes on"
    );
    assert!(!session.agents_of("a").contains(&WindowAgentStatus::Released));
    session.run(Command::Interact(vec![Interaction::Close { window_id: id("child") }])).unwrap();
    assert_eq!(session.status(3), TurnStatus::Cancelled);
    assert_eq!(session.agents_of("a").last(), Some(&WindowAgentStatus::Released));
    assert!(session.tell(5, "child", "anybody?").is_err());
}

#[test]
fn an_agent_that_closes_its_own_window_ends_with_its_turn() {
    let mut session = TestSession::with_windows(&["a"]);
    session.tell(2, "a", "close yourself").unwrap();
    let actions = vec![Action::Close { window_id: id("a") }];
    session.report(2, TurnReport::Act { key: "2".to_owned(), actions, replay_of: None });
    assert_eq!((session.status(2), session.agents_of("a").len()), (TurnStatus::Running, 2));
    session.finish(2, "closed");
    assert_eq!(session.agents_of("a").last(), Some(&WindowAgentStatus::Released));
}

#[test]
fn a_reset_forgets_what_was_said_and_leaves_the_windows() {
    let mut session = TestSession::with_windows(&["a"]);
    session.tell(2, "a", "hello").unwrap();
    session.finish(2, "hi");
    session.run(Command::Reset { reason: None, version: None }).unwrap();
    assert_eq!((session.state.timeline().count(), session.state.recent().count()), (0, 0));
    assert_eq!(session.agents_of("a").last(), Some(&WindowAgentStatus::Released));
    assert!(session.state.desktop.window(&id("a")).is_some());
    session.tell(3, "a", "hello again").unwrap();
    assert_eq!(session.state.recent_for(session.state.open_turn(turn(3)).unwrap()), []);
}

#[test]
fn focusing_and_moving_over_and_over_is_told_once() {
    let mut session = TestSession::with_windows(&["a", "b"]);
    let focus = |name: &str| Interaction::Focus { window_id: id(name) };
    let moved = |x: i64| Interaction::Move { window_id: id("a"), x, y: 0 };
    let all = vec![focus("a"), moved(1), moved(2), focus("b"), moved(3), focus("a"), moved(4)];
    session.run(Command::Interact(all)).unwrap();
    let told: Vec<&TimelineEvent> = session.state.timeline().map(|entry| &entry.happened).collect();
    assert_eq!(
        told,
        [&TimelineEvent::User(focus("b")), &TimelineEvent::User(focus("a")), &TimelineEvent::User(moved(4))]
    );
    session.run(Command::Interact(vec![Interaction::Close { window_id: id("b") }, moved(5)])).unwrap();
    assert_eq!(session.state.timeline().count(), 5, "what happened before something else still did");
}

#[test]
fn a_long_timeline_counts_what_it_leaves_out() {
    let mut session = TestSession::with_windows(&["a"]);
    for n in 0..TIMELINE_MAX + 20 {
        let drawn = Interaction::Draw { window_id: id("a"), text: format!("line {n}") };
        session.run(Command::Interact(vec![drawn])).unwrap();
    }
    assert_eq!(session.state.timeline().count(), TIMELINE_MAX);
    assert!(matches!(session.state.timeline().next().unwrap().happened, TimelineEvent::LeftOut(21)));
}

#[test]
fn a_restart_leaves_the_timeline_with_its_turn() {
    let mut session = TestSession::with_windows(&["a"]);
    session.tell(2, "a", "hello").unwrap();
    session.finish(2, "hi");
    session.send(3, "what is new?").unwrap();
    session.run(Command::Recover).unwrap();
    assert_eq!((session.status(3), session.told(3)), (TurnStatus::Running, 1));
    session.answer(3);
    assert_eq!(session.state.timeline().count(), 0);
}

/// How a main turn ends.
#[derive(Debug, Clone, Copy)]
enum MainTurnEnd {
    Answered,
    Failed,
    Cancelled,
    Expired,
    Interrupted,
}

proptest! {
    /// Whatever happens to the turns, every timeline entry reaches exactly one turn that is
    /// answered.
    #[test]
    fn the_timeline_reaches_exactly_one_turn_that_is_answered(
        steps in prop::collection::vec((0..4_usize, prop_oneof![
            Just(MainTurnEnd::Answered), Just(MainTurnEnd::Failed), Just(MainTurnEnd::Cancelled), Just(MainTurnEnd::Expired), Just(MainTurnEnd::Interrupted),
        ]), 1..12),
    ) {
        let mut session = TestSession::with_windows(&["a"]);
        let (mut next, mut happened, mut heard) = (10_u8, Vec::new(), Vec::new());
        for (count, end) in steps {
            for _ in 0..count {
                session.tell(next, "a", "do").unwrap();
                session.finish(next, "done");
                happened.push(turn(next));
                next += 1;
            }
            let main = next;
            next += 1;
            session.send(main, "what is new?").unwrap();
            let told: Vec<u64> = session.state.timeline_of(turn(main)).map(|entry| entry.seq).collect();
            prop_assert_eq!(told.len(), session.state.timeline().count(), "all of it is told");
            // Events from now on belong to the next turn.
            session.tell(next, "a", "meanwhile").unwrap();
            session.finish(next, "done");
            happened.push(turn(next));
            next += 1;
            let is_answered = match end {
                MainTurnEnd::Answered => { session.answer(main); true }
                MainTurnEnd::Failed => { session.fail(main); false }
                MainTurnEnd::Cancelled => {
                    session.run(Command::Cancel { turn_id: Some(turn(main)), reason: None }).unwrap();
                    false
                }
                MainTurnEnd::Expired => { session.report(main, TurnReport::Expired { reason: "time_budget".to_owned(), found: None, usage: None }); false }
                MainTurnEnd::Interrupted => {
                    session.run(Command::Recover).unwrap();
                    session.answer(main);
                    true
                }
            };
            if is_answered {
                heard.extend(told);
            }
        }
        session.send(next, "and now?").unwrap();
        heard.extend(session.state.timeline_of(turn(next)).map(|entry| entry.seq));
        session.answer(next);
        prop_assert_eq!(session.state.timeline().count(), 0);
        let ends = session.journal.iter().filter(|event| {
            let is_over = matches!(&event.body, Body::TurnStatus(StatusChanged { status: Transition::Completed, .. }));
            is_over && event.turn_id.is_some_and(|turn| happened.contains(&turn))
        });
        let ends: Vec<u64> = ends.map(|event| event.seq).collect();
        prop_assert_eq!(heard, ends);
    }
}

#[test]
fn an_ephemeral_agent_is_told_nothing_of_the_conversation() {
    let mut session = TestSession::begin(Settings::default());
    session.send(1, "one").unwrap();
    session.finish(1, "yes");
    session.send(2, "two").unwrap();
    let send = ChatSend { on_busy: OnBusy::Fork, ..ChatSend::text("beside") };
    let outcome = session.run(Command::Send { turn_id: turn(3), send }).unwrap();
    assert_eq!(agent(&outcome), AgentId::ephemeral(turn(3), &MonitorId::primary()).to_string());
    assert_eq!(session.state.recent_for(session.state.open_turn(turn(3)).unwrap()), []);
}

#[test]
fn what_no_model_was_told_is_told_by_the_next_turn() {
    let mut session = TestSession::with_windows(&["a"]);
    session.tell(2, "a", "hello").unwrap();
    session.finish(2, "hi");
    session.send(3, "hm").unwrap();
    assert_eq!(session.told(3), 1);
    session.finish(3, "What do you mean?");
    session.send(4, "what is new?").unwrap();
    assert_eq!(session.told(4), 1, "a clarifying question adds nothing to the timeline");
}

#[test]
fn what_was_said_in_a_closed_window_does_not_come_back_with_its_name() {
    let mut session = TestSession::with_windows(&["a"]);
    session.tell(2, "a", "a secret").unwrap();
    session.run(Command::Interact(vec![Interaction::Close { window_id: id("a") }])).unwrap();
    assert_eq!(session.status(2), TurnStatus::Cancelled);
    session.send(3, "open it again").unwrap();
    session.report(3, TurnReport::Act { key: "3".to_owned(), actions: vec![create("a")], replay_of: None });
    session.tell(4, "a", "hello").unwrap();
    let told = session.state.recent_for(session.state.open_turn(turn(4)).unwrap());
    assert!(told.iter().all(|turn| turn.message != "a secret"), "{told:?}");
}

#[test]
fn a_lock_goes_with_its_agent() {
    let mut session = TestSession::with_windows(&["a"]);
    let lock = |holder: &str| {
        let holder = LockHolder::Agent(holder.parse().unwrap());
        vec![Action::Lock { window_id: id("a"), holder }]
    };
    let holder = |session: &TestSession| session.state.desktop.window(&id("a")).unwrap().locked_by.clone();
    let CommandOutcome::Accepted { agent_id, .. } = session.press(2, "a", true).unwrap() else { panic!() };
    let actions = lock(agent_id.as_str());
    session.report(2, TurnReport::Act { key: "2".to_owned(), actions, replay_of: None });
    assert_eq!(holder(&session), Some(LockHolder::Agent(agent_id)));
    session.fail(2);
    assert_eq!(holder(&session), None, "an agent of one turn holds nothing after it");
    session.tell(3, "a", "keep it").unwrap();
    session.report(3, TurnReport::Act { key: "3".to_owned(), actions: lock("window-a"), replay_of: None });
    session.finish(3, "kept");
    assert!(holder(&session).is_some(), "an agent that stays keeps it");
    session.run(Command::Reset { reason: None, version: None }).unwrap();
    assert_eq!(holder(&session), None);
}

#[test]
fn what_is_pressed_in_a_window_of_strange_words_is_strange_from_the_start() {
    let mut session = TestSession::with_windows(&["a"]);
    session.send(2, "show the page").unwrap();
    let content = WindowContent::Text { text: "from the web".to_owned() };
    let actions = vec![Action::Content { window_id: id("a"), content, origin: Origin::Untrusted, token: None }];
    session.report(2, TurnReport::Act { key: "2".to_owned(), actions, replay_of: None });
    session.tell(3, "a", "first").unwrap();
    session.press(4, "a", false).unwrap();
    session.run(Command::Interact(vec![Interaction::Close { window_id: id("a") }])).unwrap();
    let origins: Vec<Origin> = session
        .state
        .timeline()
        .filter(|entry| matches!(entry.happened, TimelineEvent::Agent { .. }))
        .map(|entry| entry.origin)
        .collect();
    assert_eq!(origins, [Origin::Untrusted, Origin::Untrusted]);
}

#[test]
fn what_is_told_once_lives_on_in_the_answer_and_what_stands_there_taints_by_itself() {
    let mut session = TestSession::begin(Settings::default());
    for (n, once) in [(1, true), (2, false)] {
        session.send(n, "what is new?").unwrap();
        session.report(n, TurnReport::Used(MemoryUsed { tainted: true, tainted_once: once, ..MemoryUsed::default() }));
        session.finish(n, "that");
    }
    assert_eq!(session.state.recent().map(|turn| turn.is_tainted).collect::<Vec<_>>(), [true, false]);
}
