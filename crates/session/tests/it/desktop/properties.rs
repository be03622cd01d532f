//! Whatever agents and the user do, in whatever order, limits and locks hold, and the journal alone gives the same desktop.

use proptest::{collection::vec, prelude::*};
use protocol::{
    Action, AgentId, Bounds, Chart, ChartKind, Content, Event, Holder, Interaction, Notification, Origin, Series,
    Toast, Tone, Window, WindowId,
};
use serde_json::json;
use session::{
    CONTENT_BYTES_MAX, Command, DESKTOP_BYTES_MAX, DESKTOP_HEIGHT, DESKTOP_WIDTH, Desktop, MONITORS_MAX,
    NOTIFICATIONS_MAX, State, TOASTS_MAX, WINDOW_HEIGHT_MIN, WINDOW_TITLE_CHARS_MAX, WINDOW_WIDTH_MIN, WINDOWS_MAX,
};

use super::{id, monitor, toast_id};
use crate::life::{Life, turn};

/// The agents, by turn: main, ephemeral, the one of window `w0`, and the main one of another monitor.
fn agents() -> [AgentId; 4] {
    let main = monitor("main");
    [
        AgentId::main(),
        AgentId::ephemeral(turn(2), &main),
        AgentId::window(&id("w0"), &main),
        AgentId::main_of(&monitor("work")),
    ]
}

fn four_agents() -> Life {
    let mut life = Life::begin(protocol::Settings::default());
    life.run(Command::AddMonitor(monitor("work"))).unwrap();
    for (agent_id, n) in agents().into_iter().zip(1..) {
        life.take_up(n, agent_id, (n == 3).then_some("w0"));
    }
    life
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

fn any_content() -> impl Strategy<Value = Content> {
    let long = |size: usize| Content::Text { text: "x".repeat(size) };
    prop_oneof![
        4 => "[a-zä\"\\\\\n]{0,9}".prop_map(|text| Content::Markdown { text }),
        1 => prop_oneof![Just(65_000usize), Just(70_000)].prop_map(long),
        1 => vec(any::<f64>(), 0..4).prop_map(|values| Content::Chart(Chart {
            kind: ChartKind::Line,
            labels: vec![],
            series: vec![Series { name: "s".to_owned(), values }],
        })),
        1 => (0u8..2, any::<i16>()).prop_map(|(app, level)| Content::App {
            app: format!("app{app}"),
            params: json!({ "z": level, "a": [f64::from(level) / 7.0] }),
        }),
    ]
}

fn any_origin() -> impl Strategy<Value = Origin> {
    prop_oneof![Just(Origin::Trusted), Just(Origin::Untrusted)]
}

fn any_holder() -> impl Strategy<Value = Holder> {
    (0usize..5).prop_map(|n| agents().get(n).map_or(Holder::User, |agent| Holder::Agent(agent.clone())))
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
enum Deed {
    /// The agent of this turn.
    Agent(u8, Vec<Action>),
    User(Vec<Interaction>),
}

fn any_deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        8 => (1u8..=4, vec(any_action(), 1..5)).prop_map(|(n, actions)| Deed::Agent(n, actions)),
        1 => vec(any_interaction(), 1..4).prop_map(Deed::User),
    ]
}

fn live(deeds: Vec<Deed>) -> Life {
    let mut life = four_agents();
    for deed in deeds {
        life.now = life.now.plus(std::time::Duration::from_millis(5));
        let before = life.state.clone();
        let (doer, done) = match deed {
            Deed::Agent(n, actions) => (Some(agents()[usize::from(n) - 1].clone()), life.act(n, actions)),
            Deed::User(interactions) => (None, life.run(Command::Interact(interactions))),
        };
        match done {
            Err(_) => assert_eq!(life.state, before, "a refusal changes nothing"),
            Ok(_) => check_locks(&before.desktop, &life.state.desktop, doer.as_ref()),
        }
        check_limits(&life.state.desktop);
    }
    life
}

/// An agent leaves a window alone whose lock somebody else holds; it may bring it to the front.
fn check_locks(before: &Desktop, after: &Desktop, doer: Option<&AgentId>) {
    let Some(doer) = doer else { return };
    for window in before.windows() {
        let holder = window.locked_by.as_ref();
        if holder.is_none_or(|holder| *holder == Holder::Agent(doer.clone())) {
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
        assert_eq!(window.app.is_some(), matches!(window.content, Content::App { .. }));
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
    fn what_is_accepted_replays_to_the_same_desktop_within_its_limits(deeds in vec(any_deed(), 0..60)) {
        let life = live(deeds);
        prop_assert_eq!(&replay(&life.journal).desktop, &life.state.desktop);
    }

    #[test]
    fn a_desktop_reads_back_as_it_was_written(deeds in vec(any_deed(), 0..30)) {
        let life = live(deeds);
        let stored = serde_json::to_string(&life.state.desktop).unwrap();
        let read: Desktop = serde_json::from_str(&stored).unwrap();
        prop_assert_eq!(&read, &life.state.desktop);
        for monitor_id in read.monitors() {
            prop_assert_eq!(read.digest(&monitor_id), life.state.desktop.digest(&monitor_id));
        }
        for event in &life.journal {
            let stored = serde_json::to_string(event).unwrap();
            prop_assert_eq!(&serde_json::from_str::<Event>(&stored).unwrap(), event);
        }
    }
}
