//! What the id of an agent says.

use protocol::{AgentId, AgentKind, MonitorId, TurnId, WindowId};

#[test]
fn an_agent_says_what_it_is_and_where() {
    let (work, turn): (MonitorId, _) = ("work".parse().unwrap(), TurnId::from_bytes([1; 16]));
    let window: WindowId = "settings".parse().unwrap();
    let primary = MonitorId::primary();
    let told = |agent: &AgentId| (agent.kind(), agent.monitor());
    assert_eq!(AgentId::main().as_str(), "main");
    assert_eq!(told(&AgentId::main_of(&work)), (Some(AgentKind::Main), work.clone()));
    assert_eq!(told(&AgentId::ephemeral(turn, &primary)), (Some(AgentKind::Ephemeral), primary.clone()));
    assert_eq!(told(&AgentId::window(&window, &work)), (Some(AgentKind::Window), work.clone()));
    assert_eq!(told(&AgentId::parallel(&window, turn, &work)), (Some(AgentKind::Parallel), work.clone()));
    assert_eq!(AgentId::parallel(&window, turn, &work).group(), Some(window.clone()));
    assert_eq!((AgentId::window(&window, &work).group(), AgentId::main().group()), (Some(window), None));
    assert_eq!("unknown".parse::<AgentId>().unwrap().kind(), None);
}

#[test]
fn the_longest_names_make_an_agent() {
    let (window, monitor) = ("w".repeat(48), "m".repeat(32));
    let turn = TurnId::from_bytes([1; 16]);
    let agent = AgentId::parallel(&window.parse().unwrap(), turn, &monitor.parse().unwrap());
    assert_eq!(agent.monitor().as_str(), monitor);
    assert!(format!("{window}w").parse::<WindowId>().is_err());
    assert!(format!("{monitor}m").parse::<MonitorId>().is_err());
}

#[test]
fn a_name_with_other_characters_is_refused() {
    for name in ["", "Settings", "a b", "-a", "a@b", "a/b"] {
        assert!(name.parse::<WindowId>().is_err(), "{name}");
    }
    let error = "A b".parse::<WindowId>().unwrap_err();
    assert!(error.to_string().contains("a window's name"), "{error}");
}
