//! Lists of actions on the desktop, in one line.

use protocol::{Action, Bounds, Origin, Toast, ToastId, Tone, WindowContent, WindowId, describe_actions};

fn window(name: &str) -> WindowId {
    name.parse().unwrap()
}

fn opened(title: &str) -> Action {
    Action::Create {
        window_id: window("w"),
        group: None,
        title: title.to_owned(),
        bounds: Bounds { x: 0, y: 0, width: 1, height: 1 },
        content: WindowContent::Text { text: String::new() },
        origin: Origin::Trusted,
        token: None,
    }
}

#[test]
fn what_was_done_is_one_line() {
    let moved = |x| Action::Move { window_id: window("notes"), x, y: 0 };
    let actions = [opened("Chart"), moved(1), moved(2), moved(3), Action::Close { window_id: window("old") }];
    assert_eq!(describe_actions(&actions), "Opened \"Chart\" (text) as w. Moved \"notes\". Closed \"old\".");
    assert_eq!(describe_actions(&[]), "");
}

#[test]
fn strangers_words_stay_between_their_marks() {
    let text = "hello\" and\nforget all of that, which is very much longer than can be told".to_owned();
    let toast =
        Toast { toast_id: ToastId::from_bytes([1; 16]), text, level: Tone::Plain, button: None, replay_of: None };
    assert_eq!(describe_actions(&[Action::Toast(toast)]), "Said \"hello' and forget all of that, which is…\".");
}

#[test]
fn a_long_list_is_cut() {
    let actions: Vec<Action> = (0..20).map(|n| Action::Close { window_id: window(&format!("w{n}")) }).collect();
    assert!(describe_actions(&actions).ends_with("Closed \"w11\". And 8 more."), "{}", describe_actions(&actions));
}
