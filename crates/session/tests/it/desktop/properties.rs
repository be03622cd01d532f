//! In any order of actions by agents and the user, limits and locks hold, and the journal alone
//! gives the same desktop.

use proptest::{collection::vec, prelude::*};
use protocol::{
    Action, AgentId, Bounds, Chart, ChartKind, Event, Interaction, LockHolder, Notification, Origin, Series, Toast,
    Tone, Window, WindowContent, WindowId,
};
use serde_json::json;
use session::{
    CONTENT_BYTES_MAX, Command, DESKTOP_BYTES_MAX, DESKTOP_HEIGHT, DESKTOP_WIDTH, Desktop, MONITORS_MAX,
    NOTIFICATIONS_MAX, State, TOASTS_MAX, WINDOW_HEIGHT_MIN, WINDOW_TITLE_CHARS_MAX, WINDOW_WIDTH_MIN, WINDOWS_MAX,
};

use super::{id, monitor, toast_id};
use crate::test_session::{TestSession, turn};

/// The agents, by turn: main, ephemeral, the one of window `w0`, and the main one of another
/// monitor.
fn agents() -> [AgentId; 4] {
    let main = monitor("main");
    [
        AgentId::main(),
        AgentId::ephemeral(turn(2), &main),
        AgentId::window(&id("w0"), &main),
        AgentId::main_of(&monitor("work")),
    ]
}

fn four_agents() -> TestSession {
    let mut session = TestSession::begin(protocol::Settings::default());
    session.run(Command::AddMonitor(monitor("work"))).unwrap();
    for (agent_id, n) in agents().into_iter().zip(1..) {
        session.take_up(n, agent_id, (n == 3).then_some("w0"));
    }
    session
}

fn any_window() -> impl Strategy<Value = WindowId> {
    prop_oneof![8 => 0u8..6, 1 => 0u8..80].prop_map(|n| id(&format!("w{n}")))
}

fn any_length() -> impl Strategy<Value = u32> {
    prop_oneof![6 => 80u32..800, 1 => 0u32..9_000, 1 => Just(u32::MAX)]
}

fn any_bounds() -> impl Strategy<Value = Bounds> {
    (any_length(), any_length(), any_length(), any_length()).prop_map(|(x, y, width, height)| Bounds {
        x,
        y,
        width,
        height,
    })
}

fn any_content() -> impl Strategy<Value = WindowContent> {
    let long = |size: usize| WindowContent::Text { text: "x".repeat(size) };
    prop_oneof![
        4 => "[a-zä\"\\\\\n]{0,9}".prop_map(|text| WindowContent::Markdown { text }),
        1 => prop_oneof![Just(65_000usize), Just(70_000)].prop_map(long),
        1 => vec(any::<f64>(), 0..4).prop_map(|values| WindowContent::Chart(Chart {
            kind: ChartKind::Line,
            labels: vec![],
            series: vec![Series { name: "s".to_owned(), values }],
        })),
        1 => (0u8..2, any::<i16>()).prop_map(|(app, level)| WindowContent::App {
            app: format!("app{app}"),
            params: json!({ "z": level, "a": [f64::from(level) / 7.0] }),
        }),
    ]
}

fn any_origin() -> impl Strategy<Value = Origin> {
    prop_oneof![Just(Origin::Trusted), Just(Origin::Untrusted)]
}

fn any_holder() -> impl Strategy<Value = LockHolder> {
    (0usize..5).prop_map(|n| agents().get(n).map_or(LockHolder::User, |agent| LockHolder::Agent(agent.clone())))
}

fn any_title() -> impl Strategy<Value = String> {
    prop_oneof![8 => "[a-z]{1,9}", 1 => "[a-z\n]{0,3}", 1 => Just("t".repeat(121))]
}

fn any_token() -> impl Strategy<Value = Option<String>> {
    proptest::option::weighted(0.8, Just("token".to_owned()))
}

prop_compose! {
    fn any_create()(
        window_id in any_window(),
        group in proptest::option::weighted(0.2, any_window()),
        title in any_title(),
        bounds in any_bounds(),
        content in any_content(),
        origin in any_origin(),
        token in any_token(),
    ) -> Action {
        Action::Create { window_id, group, title, bounds, content, origin, token }
    }
}

fn any_action() -> impl Strategy<Value = Action> {
    prop_oneof![
        6 => any_create(),
        1 => any_window().prop_map(|window_id| Action::Close { window_id }),
        1 => any_window().prop_map(|window_id| Action::Focus { window_id }),
        1 => (any_window(), any_length(), any_length()).prop_map(|(window_id, x, y)| Action::Move { window_id, x, y }),
        1 => (any_window(), any_length(), any_length())
            .prop_map(|(window_id, width, height)| Action::Resize { window_id, width, height }),
        1 => any_window().prop_map(|window_id| Action::Minimize { window_id }),
        1 => any_window().prop_map(|window_id| Action::Maximize { window_id }),
        1 => any_window().prop_map(|window_id| Action::Restore { window_id }),
        2 => (any_window(), any_title(), any_origin())
            .prop_map(|(window_id, title, origin)| Action::Title { window_id, title, origin }),
        3 => (any_window(), any_content(), any_origin(), any_token())
            .prop_map(|(window_id, content, origin, token)| Action::Content { window_id, content, origin, token }),
        3 => (any_window(), any_holder()).prop_map(|(window_id, holder)| Action::Lock { window_id, holder }),
        1 => any_window().prop_map(|window_id| Action::Unlock { window_id }),
        1 => (0u8..20).prop_map(|n| Action::Toast(Toast {
            toast_id: toast_id(n),
            text: "t".to_owned(),
            level: Tone::Info,
            button: None,
            replay_of: None,
        })),
        1 => (20u8..80).prop_map(|n| Action::Notification(Notification {
            toast_id: toast_id(n),
            title: "n".to_owned(),
            text: String::new(),
            level: Tone::Plain,
        })),
    ]
}

fn any_interaction() -> impl Strategy<Value = Interaction> {
    prop_oneof![
        any_window().prop_map(|window_id| Interaction::Focus { window_id }),
        any_window().prop_map(|window_id| Interaction::Close { window_id }),
        any_window().prop_map(|window_id| Interaction::Lock { window_id }),
        any_window().prop_map(|window_id| Interaction::Unlock { window_id }),
        any_window().prop_map(|window_id| Interaction::Minimize { window_id }),
        (any_window(), -9_000i64..9_000, any::<i64>()).prop_map(|(window_id, x, y)| Interaction::Move {
            window_id,
            x,
            y
        }),
        (any_window(), any_length(), any_length()).prop_map(|(window_id, width, height)| Interaction::Resize {
            window_id,
            width,
            height
        }),
    ]
}

#[derive(Debug, Clone)]
enum TestStep {
    /// The agent of this turn.
    Agent(u8, Vec<Action>),
    User(Vec<Interaction>),
}

fn any_step() -> impl Strategy<Value = TestStep> {
    prop_oneof![
        8 => (1u8..=4, vec(any_action(), 1..5)).prop_map(|(n, actions)| TestStep::Agent(n, actions)),
        1 => vec(any_interaction(), 1..4).prop_map(TestStep::User),
    ]
}

fn run_steps(steps: Vec<TestStep>) -> TestSession {
    let mut session = four_agents();
    for step in steps {
        session.now = session.now.plus(std::time::Duration::from_millis(5));
        let before = session.state.clone();
        let (actor, done) = match step {
            TestStep::Agent(n, actions) => (Some(agents()[usize::from(n) - 1].clone()), session.act(n, actions)),
            TestStep::User(interactions) => (None, session.run(Command::Interact(interactions))),
        };
        match done {
            Err(_) => assert_eq!(session.state, before, "a refusal changes nothing"),
            Ok(_) => check_locks(&before.desktop, &session.state.desktop, actor.as_ref()),
        }
        check_limits(&session.state.desktop);
    }
    session
}

/// An agent does not change a window that another actor has locked; it may bring it to the front.
fn check_locks(before: &Desktop, after: &Desktop, actor: Option<&AgentId>) {
    let Some(actor) = actor else { return };
    for window in before.windows() {
        let holder = window.locked_by.as_ref();
        if holder.is_none_or(|holder| *holder == LockHolder::Agent(actor.clone())) {
            continue;
        }
        let left = after.window(&window.window_id).unwrap();
        assert_eq!(&Window { state: left.state, ..window.clone() }, left);
    }
}

fn check_limits(desktop: &Desktop) {
    let windows: Vec<&Window> = desktop.windows().collect();
    assert!(windows.len() <= WINDOWS_MAX);
    let mut bytes = 0;
    for window in &windows {
        let content = serde_json::to_vec(&window.content).unwrap().len();
        assert!(content <= CONTENT_BYTES_MAX);
        bytes += content;
        let Bounds { x, y, width, height } = window.bounds;
        assert!(width >= WINDOW_WIDTH_MIN && height >= WINDOW_HEIGHT_MIN);
        assert!(x + width <= DESKTOP_WIDTH && y + height <= DESKTOP_HEIGHT);
        assert!((1..=WINDOW_TITLE_CHARS_MAX).contains(&window.title.chars().count()));
        assert!(desktop.has_monitor(&window.monitor_id));
        assert!(desktop.group(&window.group).all(|other| other.monitor_id == window.monitor_id));
        assert_eq!(window.app.is_some(), matches!(window.content, WindowContent::App { .. }));
        assert_eq!(desktop.window(&window.window_id), Some(*window));
    }
    assert!(bytes <= DESKTOP_BYTES_MAX);
    let mut names: Vec<&WindowId> = windows.iter().map(|window| &window.window_id).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), windows.len(), "each window stands in the stack once");
    assert!(desktop.toasts().count() <= TOASTS_MAX);
    assert!(desktop.notifications().count() <= NOTIFICATIONS_MAX);
    assert!(desktop.monitors().len() <= MONITORS_MAX);
}

fn replay(journal: &[Event]) -> State {
    journal[1..].iter().fold(State::begin(&journal[0]).unwrap(), |mut state, event| {
        state.apply(event);
        state
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_accepted_replays_to_the_same_desktop_within_its_limits(steps in vec(any_step(), 0..60)) {
        let session = run_steps(steps);
        prop_assert_eq!(&replay(&session.journal).desktop, &session.state.desktop);
    }

    #[test]
    fn a_desktop_reads_back_as_it_was_written(steps in vec(any_step(), 0..30)) {
        let session = run_steps(steps);
        let stored = serde_json::to_string(&session.state.desktop).unwrap();
        let read: Desktop = serde_json::from_str(&stored).unwrap();
        prop_assert_eq!(&read, &session.state.desktop);
        for monitor_id in read.monitors() {
            prop_assert_eq!(read.digest(&monitor_id), session.state.desktop.digest(&monitor_id));
        }
        for event in &session.journal {
            let stored = serde_json::to_string(event).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Event>(&stored).unwrap(), event);
        }
    }
}
