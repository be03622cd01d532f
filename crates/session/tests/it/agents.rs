//! Several agents in one session: lines, windows, the timeline.

use proptest::prelude::*;
use protocol::{
    Action, AgentId, Body, Bounds, ChatSend, Content, Holder, Interaction, MemoryUsed, MonitorId, OnBusy, Origin,
    Settings, StatusChanged, Transition, TurnError, TurnStatus, WindowAct, WindowAgentStatus, WindowId,
};
use session::{Command, Happened, Outcome, QUEUE_MAX, Refusal, Report, TIMELINE_MAX, WindowInput};

use crate::life::{Life, turn};

fn id(name: &str) -> WindowId {
    name.parse().unwrap()
}

fn create(name: &str) -> Action {
    Action::Create {
        window_id: id(name),
        group: None,
        title: name.to_owned(),
        bounds: Bounds { x: 0, y: 0, width: 400, height: 300 },
        content: Content::Text { text: "hello".to_owned() },
        origin: Origin::Trusted,
        token: None,
    }
}

impl Life {
    /// A session whose main agent has opened these windows in turn 1.
    fn with_windows(names: &[&str]) -> Self {
        let mut life = Self::begin(Settings::default());
        life.send(1, "open them").unwrap();
        let actions = names.iter().map(|name| create(name)).collect();
        life.report(1, Report::Act { key: "1".to_owned(), actions, replay_of: None });
        life.finish(1, "opened");
        life
    }

    fn tell(&mut self, n: u8, window: &str, message: &str) -> Result<Outcome, Refusal> {
        self.send_in(n, window, WindowInput::Message(message.to_owned()))
    }

    fn press(&mut self, n: u8, window: &str, parallel: bool) -> Result<Outcome, Refusal> {
        let act = WindowAct {
            action: "save".to_owned(),
            action_id: None,
            form_data: [("name".to_owned(), "Ada".to_owned())].into(),
            component_path: None,
            parallel,
        };
        self.send_in(n, window, WindowInput::Act(act))
    }

    fn send_in(&mut self, n: u8, window: &str, input: WindowInput) -> Result<Outcome, Refusal> {
        let (turn_id, window_id) = (turn(n), id(window));
        self.run(Command::SendToWindow { turn_id, window_id, input, idempotency_key: None })
    }

    fn fail(&mut self, n: u8) {
        let error = TurnError { code: "x".to_owned(), message: "x".to_owned(), recoverable: true, details: None };
        self.report(n, Report::Failed { error, usage: None });
    }

    fn agents_of(&self, window: &str) -> Vec<WindowAgentStatus> {
        let of = |body: &Body| match body {
            Body::WindowAgent(change) if change.window_id == id(window) => Some(change.status),
            _ => None,
        };
        self.journal.iter().filter_map(|event| of(&event.body)).collect()
    }

    /// A main turn that has told its model what stands beside the message is answered.
    fn answer(&mut self, n: u8) {
        self.report(n, Report::Used(MemoryUsed::default()));
        self.finish(n, "that");
    }

    fn told(&self, n: u8) -> usize {
        self.state.timeline_of(turn(n)).count()
    }
}

fn agent(outcome: &Outcome) -> String {
    let Outcome::Accepted { agent_id, .. } = outcome else { panic!("{outcome:?}") };
    agent_id.to_string()
}

#[test]
fn a_window_has_a_line_of_its_own_beside_the_main_agents() {
    let mut life = Life::with_windows(&["a", "b"]);
    life.send(2, "main").unwrap();
    assert_eq!(agent(&life.tell(3, "a", "one").unwrap()), "window-a");
    assert_eq!(agent(&life.tell(4, "b", "other").unwrap()), "window-b");
    let Outcome::Accepted { position, .. } = life.tell(5, "a", "two").unwrap() else { panic!() };
    assert_eq!((position, life.state.running().count()), (Some(1), 3));
    life.finish(3, "done");
    assert_eq!(life.status(5), TurnStatus::Running);
    assert_eq!(
        life.agents_of("a"),
        [WindowAgentStatus::Assigned, WindowAgentStatus::Active, WindowAgentStatus::Active]
    );
}

#[test]
fn a_full_line_of_a_window_refuses_by_name() {
    let mut life = Life::with_windows(&["a", "b"]);
    for n in 0..=QUEUE_MAX {
        life.tell(10 + u8::try_from(n).unwrap(), "a", "wait").unwrap();
    }
    let refused = life.tell(90, "a", "the eleventh in line").unwrap_err();
    assert!(refused.to_string().contains("the eleventh in line"), "{refused}");
    life.tell(91, "b", "another window has room").unwrap();
}

#[test]
fn parallel_actions_have_agents_of_their_own() {
    let mut life = Life::with_windows(&["a"]);
    life.press(2, "a", false).unwrap();
    let two: Vec<String> = [3, 4].map(|n| agent(&life.press(n, "a", true).unwrap())).to_vec();
    assert_eq!(two, [3, 4].map(|n| format!("window-a/{}", turn(n))));
    let agent_id = two[0].parse().unwrap();
    life.run(Command::Interrupt { agent_id: Some(agent_id) }).unwrap();
    let statuses = [2, 3, 4].map(|n| life.status(n));
    assert_eq!(statuses, [TurnStatus::Running, TurnStatus::Cancelled, TurnStatus::Running]);
}

#[test]
fn a_window_is_told_three_main_turns_and_its_own() {
    let mut life = Life::with_windows(&["a"]);
    for n in 2..6 {
        life.send(n, &format!("main {n}")).unwrap();
        life.finish(n, "yes");
    }
    life.tell(6, "a", "own one").unwrap();
    life.send(7, "main 7").unwrap();
    life.finish(7, "yes");
    let told = |life: &Life, n: u8| -> Vec<String> {
        let turn = life.state.open_turn(turn(n)).unwrap();
        life.state.recent_for(turn).into_iter().map(|turn| turn.message).collect()
    };
    assert_eq!(told(&life, 6), ["main 3", "main 4", "main 5"]);
    life.finish(6, "yes");
    life.tell(8, "a", "own two").unwrap();
    assert_eq!(told(&life, 8), ["main 3", "main 4", "main 5", "own one"], "what main was told later is not told");
    life.send(9, "main 9").unwrap();
    assert!(told(&life, 9).iter().all(|message| message.starts_with("main") || message == "open them"));
}

#[test]
fn what_is_said_on_one_monitor_is_not_told_on_another() {
    let mut life = Life::begin(Settings::default());
    let work: MonitorId = "work".parse().unwrap();
    life.send(1, "on main").unwrap();
    life.finish(1, "yes");
    let send = ChatSend { monitor_id: work.clone(), ..ChatSend::text("on work") };
    let outcome = life.run(Command::Send { turn_id: turn(2), send }).unwrap();
    assert_eq!(agent(&outcome), "main@work");
    assert_eq!(life.state.recent_for(life.state.open_turn(turn(2)).unwrap()), []);
    assert_eq!(life.state.desktop.monitors(), [MonitorId::primary(), work.clone()]);
    life.run(Command::RemoveMonitor(work)).unwrap();
    assert_eq!(life.status(2), TurnStatus::Cancelled);
}

#[test]
fn closing_the_last_window_of_a_group_ends_its_agent() {
    let mut life = Life::with_windows(&["a"]);
    life.tell(2, "a", "open another").unwrap();
    life.report(2, Report::Act { key: "2".to_owned(), actions: vec![create("child")], replay_of: None });
    life.finish(2, "opened");
    assert_eq!(life.state.desktop.window(&id("child")).unwrap().group, id("a"));
    assert_eq!(agent(&life.tell(3, "child", "hello").unwrap()), "window-a");
    life.tell(4, "a", "later").unwrap();
    life.run(Command::Interact(vec![Interaction::Close { window_id: id("a") }])).unwrap();
    assert_eq!(
        (life.status(3), life.status(4)),
        (TurnStatus::Running, TurnStatus::Cancelled),
        "the other window goes on"
    );
    assert!(!life.agents_of("a").contains(&WindowAgentStatus::Released));
    life.run(Command::Interact(vec![Interaction::Close { window_id: id("child") }])).unwrap();
    assert_eq!(life.status(3), TurnStatus::Cancelled);
    assert_eq!(life.agents_of("a").last(), Some(&WindowAgentStatus::Released));
    assert!(life.tell(5, "child", "anybody?").is_err());
}

#[test]
fn an_agent_that_closes_its_own_window_ends_with_its_turn() {
    let mut life = Life::with_windows(&["a"]);
    life.tell(2, "a", "close yourself").unwrap();
    let actions = vec![Action::Close { window_id: id("a") }];
    life.report(2, Report::Act { key: "2".to_owned(), actions, replay_of: None });
    assert_eq!((life.status(2), life.agents_of("a").len()), (TurnStatus::Running, 2));
    life.finish(2, "closed");
    assert_eq!(life.agents_of("a").last(), Some(&WindowAgentStatus::Released));
}

#[test]
fn a_reset_forgets_what_was_said_and_leaves_the_windows() {
    let mut life = Life::with_windows(&["a"]);
    life.tell(2, "a", "hello").unwrap();
    life.finish(2, "hi");
    life.run(Command::Reset { reason: None, version: None }).unwrap();
    assert_eq!((life.state.timeline().count(), life.state.recent().count()), (0, 0));
    assert_eq!(life.agents_of("a").last(), Some(&WindowAgentStatus::Released));
    assert!(life.state.desktop.window(&id("a")).is_some());
    life.tell(3, "a", "hello again").unwrap();
    assert_eq!(life.state.recent_for(life.state.open_turn(turn(3)).unwrap()), []);
}

#[test]
fn focusing_and_moving_over_and_over_is_told_once() {
    let mut life = Life::with_windows(&["a", "b"]);
    let focus = |name: &str| Interaction::Focus { window_id: id(name) };
    let moved = |x: i64| Interaction::Move { window_id: id("a"), x, y: 0 };
    let all = vec![focus("a"), moved(1), moved(2), focus("b"), moved(3), focus("a"), moved(4)];
    life.run(Command::Interact(all)).unwrap();
    let told: Vec<&Happened> = life.state.timeline().map(|entry| &entry.happened).collect();
    assert_eq!(told, [&Happened::User(focus("b")), &Happened::User(focus("a")), &Happened::User(moved(4))]);
    life.run(Command::Interact(vec![Interaction::Close { window_id: id("b") }, moved(5)])).unwrap();
    assert_eq!(life.state.timeline().count(), 5, "what happened before something else still did");
}

#[test]
fn a_long_timeline_counts_what_it_leaves_out() {
    let mut life = Life::with_windows(&["a"]);
    for n in 0..TIMELINE_MAX + 20 {
        let drawn = Interaction::Draw { window_id: id("a"), text: format!("line {n}") };
        life.run(Command::Interact(vec![drawn])).unwrap();
    }
    assert_eq!(life.state.timeline().count(), TIMELINE_MAX);
    assert!(matches!(life.state.timeline().next().unwrap().happened, Happened::LeftOut(21)));
}

#[test]
fn a_restart_leaves_the_timeline_with_its_turn() {
    let mut life = Life::with_windows(&["a"]);
    life.tell(2, "a", "hello").unwrap();
    life.finish(2, "hi");
    life.send(3, "what is new?").unwrap();
    life.run(Command::Recover).unwrap();
    assert_eq!((life.status(3), life.told(3)), (TurnStatus::Running, 1));
    life.answer(3);
    assert_eq!(life.state.timeline().count(), 0);
}

/// How a main turn ends.
#[derive(Debug, Clone, Copy)]
enum End {
    Answered,
    Failed,
    Cancelled,
    Expired,
    Interrupted,
}

proptest! {
    /// Whatever happens to the turns, what happened is told to one turn that was answered, and to no other.
    #[test]
    fn the_timeline_reaches_exactly_one_turn_that_is_answered(
        steps in prop::collection::vec((0..4_usize, prop_oneof![
            Just(End::Answered), Just(End::Failed), Just(End::Cancelled), Just(End::Expired), Just(End::Interrupted),
        ]), 1..12),
    ) {
        let mut life = Life::with_windows(&["a"]);
        let (mut next, mut happened, mut heard) = (10_u8, Vec::new(), Vec::new());
        for (count, end) in steps {
            for _ in 0..count {
                life.tell(next, "a", "do").unwrap();
                life.finish(next, "done");
                happened.push(turn(next));
                next += 1;
            }
            let main = next;
            next += 1;
            life.send(main, "what is new?").unwrap();
            let told: Vec<u64> = life.state.timeline_of(turn(main)).map(|entry| entry.seq).collect();
            prop_assert_eq!(told.len(), life.state.timeline().count(), "all of it is told");
            // What happens now is for the next turn.
            life.tell(next, "a", "meanwhile").unwrap();
            life.finish(next, "done");
            happened.push(turn(next));
            next += 1;
            let is_answered = match end {
                End::Answered => { life.answer(main); true }
                End::Failed => { life.fail(main); false }
                End::Cancelled => {
                    life.run(Command::Cancel { turn_id: Some(turn(main)), reason: None }).unwrap();
                    false
                }
                End::Expired => { life.report(main, Report::Expired { reason: "time_budget".to_owned(), found: None, usage: None }); false }
                End::Interrupted => {
                    life.run(Command::Recover).unwrap();
                    life.answer(main);
                    true
                }
            };
            if is_answered {
                heard.extend(told);
            }
        }
        life.send(next, "and now?").unwrap();
        heard.extend(life.state.timeline_of(turn(next)).map(|entry| entry.seq));
        life.answer(next);
        prop_assert_eq!(life.state.timeline().count(), 0);
        let ends = life.journal.iter().filter(|event| {
            let is_over = matches!(&event.body, Body::TurnStatus(StatusChanged { status: Transition::Completed, .. }));
            is_over && event.turn_id.is_some_and(|turn| happened.contains(&turn))
        });
        let ends: Vec<u64> = ends.map(|event| event.seq).collect();
        prop_assert_eq!(heard, ends);
    }
}

#[test]
fn an_ephemeral_agent_is_told_nothing_of_the_conversation() {
    let mut life = Life::begin(Settings::default());
    life.send(1, "one").unwrap();
    life.finish(1, "yes");
    life.send(2, "two").unwrap();
    let send = ChatSend { on_busy: OnBusy::Fork, ..ChatSend::text("beside") };
    let outcome = life.run(Command::Send { turn_id: turn(3), send }).unwrap();
    assert_eq!(agent(&outcome), AgentId::ephemeral(turn(3), &MonitorId::primary()).to_string());
    assert_eq!(life.state.recent_for(life.state.open_turn(turn(3)).unwrap()), []);
}

#[test]
fn what_no_model_was_told_is_told_by_the_next_turn() {
    let mut life = Life::with_windows(&["a"]);
    life.tell(2, "a", "hello").unwrap();
    life.finish(2, "hi");
    life.send(3, "hm").unwrap();
    assert_eq!(life.told(3), 1);
    life.finish(3, "What do you mean?");
    life.send(4, "what is new?").unwrap();
    assert_eq!(life.told(4), 1, "a question back has told nobody");
}

#[test]
fn what_was_said_in_a_closed_window_does_not_come_back_with_its_name() {
    let mut life = Life::with_windows(&["a"]);
    life.tell(2, "a", "a secret").unwrap();
    life.run(Command::Interact(vec![Interaction::Close { window_id: id("a") }])).unwrap();
    assert_eq!(life.status(2), TurnStatus::Cancelled);
    life.send(3, "open it again").unwrap();
    life.report(3, Report::Act { key: "3".to_owned(), actions: vec![create("a")], replay_of: None });
    life.tell(4, "a", "hello").unwrap();
    let told = life.state.recent_for(life.state.open_turn(turn(4)).unwrap());
    assert!(told.iter().all(|turn| turn.message != "a secret"), "{told:?}");
}

#[test]
fn a_lock_goes_with_its_agent() {
    let mut life = Life::with_windows(&["a"]);
    let lock = |holder: &str| {
        let holder = Holder::Agent(holder.parse().unwrap());
        vec![Action::Lock { window_id: id("a"), holder }]
    };
    let holder = |life: &Life| life.state.desktop.window(&id("a")).unwrap().locked_by.clone();
    let Outcome::Accepted { agent_id, .. } = life.press(2, "a", true).unwrap() else { panic!() };
    let actions = lock(agent_id.as_str());
    life.report(2, Report::Act { key: "2".to_owned(), actions, replay_of: None });
    assert_eq!(holder(&life), Some(Holder::Agent(agent_id)));
    life.fail(2);
    assert_eq!(holder(&life), None, "an agent of one turn holds nothing after it");
    life.tell(3, "a", "keep it").unwrap();
    life.report(3, Report::Act { key: "3".to_owned(), actions: lock("window-a"), replay_of: None });
    life.finish(3, "kept");
    assert!(holder(&life).is_some(), "an agent that stays keeps it");
    life.run(Command::Reset { reason: None, version: None }).unwrap();
    assert_eq!(holder(&life), None);
}

#[test]
fn what_is_pressed_in_a_window_of_strange_words_is_strange_from_the_start() {
    let mut life = Life::with_windows(&["a"]);
    life.send(2, "show the page").unwrap();
    let content = Content::Text { text: "from the web".to_owned() };
    let actions = vec![Action::Content { window_id: id("a"), content, origin: Origin::Untrusted, token: None }];
    life.report(2, Report::Act { key: "2".to_owned(), actions, replay_of: None });
    life.tell(3, "a", "first").unwrap();
    life.press(4, "a", false).unwrap();
    life.run(Command::Interact(vec![Interaction::Close { window_id: id("a") }])).unwrap();
    let origins: Vec<Origin> = life
        .state
        .timeline()
        .filter(|entry| matches!(entry.happened, Happened::Agent { .. }))
        .map(|entry| entry.origin)
        .collect();
    assert_eq!(origins, [Origin::Untrusted, Origin::Untrusted]);
}

#[test]
fn what_is_told_once_lives_on_in_the_answer_and_what_stands_there_taints_by_itself() {
    let mut life = Life::begin(Settings::default());
    for (n, once) in [(1, true), (2, false)] {
        life.send(n, "what is new?").unwrap();
        life.report(n, Report::Used(MemoryUsed { tainted: true, tainted_once: once, ..MemoryUsed::default() }));
        life.finish(n, "that");
    }
    assert_eq!(life.state.recent().map(|turn| turn.is_tainted).collect::<Vec<_>>(), [true, false]);
}
