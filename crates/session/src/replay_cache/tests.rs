//! Only identical requests are replayed, nothing that failed comes back, and the bounds hold.

use std::collections::BTreeMap;

use proptest::{collection::vec, option, prelude::*, sample::select};
use protocol::{
    Action, Bounds, Dialog, DialogForm, DialogId, LockHolder, MonitorId, Notification, Origin, Timestamp, Toast,
    ToastId, Tone, TurnId, WindowContent, WindowId, WindowPress,
};

use super::*;

fn turn(n: u128) -> TurnId {
    TurnId::from_bytes(n.to_be_bytes())
}

fn window(name: &str) -> WindowId {
    name.parse().unwrap()
}

fn create(name: &str, text: &str) -> Action {
    Action::Create {
        window_id: window(name),
        group: None,
        title: name.to_owned(),
        bounds: Bounds { x: 0, y: 0, width: 100, height: 100 },
        content: WindowContent::Text { text: text.to_owned() },
        origin: Origin::default(),
        token: Some("secret".to_owned()),
    }
}

fn asked(message: &str) -> ReplayRequest {
    ReplayRequest {
        place: RequestPlace::Main(MonitorId::primary()),
        message: message.to_owned(),
        act: None,
        windows: "w0".to_owned(),
        known: Some("k0".to_owned()),
    }
}

fn cached(n: u128, asked: ReplayRequest) -> CachedTurn {
    CachedTurn {
        turn_id: turn(n),
        at: Timestamp::from_millis(i64::try_from(n).unwrap()),
        asked,
        actions: vec![create("list", "a list")],
        answer: "Done.".to_owned(),
        is_safe: true,
    }
}

fn with(entries: impl IntoIterator<Item = CachedTurn>) -> ReplayCache {
    let mut reload = ReplayCache::default();
    entries.into_iter().for_each(|entry| reload.add(entry));
    reload
}

/// Templates of requests, in several languages.
const TEMPLATES: [&str; 14] = [
    "delete {}",
    "Delete the file {} for good",
    "please remove {}, thanks!",
    "call {} at 9:30",
    "set the timer to {}",
    "lösche {}",
    "Schalte {} aus",
    "supprime {}",
    "borra el archivo {}",
    "elimina {}",
    "apague {}",
    "verwijder {}",
    "удали {}",
    "{}を削除して",
];

fn any_name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Z]",
        "[a-z]{3,8}",
        "[A-Z][a-z]{2,6} [A-Z][a-z]{2,6}",
        "[0-9]{1,5}",
        "[a-z]{1,4}_[0-9]{1,2}\\.[a-z]{3}",
        select(vec!["Anna", "Änna", "anna", "Ännä", "ANNA", "A", "Α", "А", "1", "１", "l", "I"])
            .prop_map(str::to_owned),
    ]
}

fn any_message() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => (select(TEMPLATES.to_vec()), any_name()).prop_map(|(template, name)| template.replace("{}", &name)),
        1 => "\\PC{0,24}",
    ]
}

fn any_place() -> impl Strategy<Value = RequestPlace> {
    prop_oneof![
        select(vec!["main", "work"]).prop_map(|name| RequestPlace::Main(name.parse().unwrap())),
        select(vec!["main", "list", "chart"]).prop_map(|name| RequestPlace::Window(window(name))),
    ]
}

fn any_act() -> impl Strategy<Value = WindowPress> {
    let form = proptest::collection::btree_map(select(vec!["name", "count", "mail"]), any_name(), 0..3);
    (select(vec!["save", "remove"]), form, option::of(select(vec!["0/1", "0/2"])), any::<bool>(), any::<u8>()).prop_map(
        |(action, form_data, path, parallel, id)| WindowPress {
            action: action.to_owned(),
            action_id: Some(id.to_string()),
            form_data: form_data.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
            component_path: path.map(str::to_owned),
            parallel,
        },
    )
}

fn any_asked() -> impl Strategy<Value = ReplayRequest> {
    let digests = ("w[0-2]", option::weighted(0.9, "k[0-2]"));
    (any_place(), any_message(), option::weighted(0.3, any_act()), digests)
        .prop_map(|(place, message, act, (windows, known))| ReplayRequest { place, message, act, windows, known })
}

fn any_cached() -> impl Strategy<Value = CachedTurn> {
    (any_asked(), 1u128..60, any::<bool>()).prop_map(|(asked, n, is_safe)| CachedTurn { is_safe, ..cached(n, asked) })
}

/// Whether two requests differ in any part that counts.
fn is_other(one: &ReplayRequest, other: &ReplayRequest) -> bool {
    let plain = |asked: &ReplayRequest| {
        let act = asked.act.clone().map(|act| WindowPress { action_id: None, ..act });
        ReplayRequest { message: asked.message.trim().to_owned(), act, ..asked.clone() }
    };
    plain(one) != plain(other)
}

/// A small change that makes it another request.
fn changed(asked: &ReplayRequest, what: u8, name: &str) -> ReplayRequest {
    let (mut next, words) = (asked.clone(), asked.message.trim());
    let form = |value: &str| BTreeMap::from([("name".to_owned(), value.to_owned())]);
    match what {
        0 => next.message = format!("{words} {name}"),
        1 => next.message = format!("{name} {words}"),
        2 => next.message = words.replacen(|letter: char| letter.is_ascii_digit(), "", 1) + "7",
        3 => next.message = swap_case(words),
        4 => next.message = words.replacen(' ', "  ", 1) + ".",
        5 => next.windows.push('x'),
        6 => next.known = asked.known.clone().map(|known| known + "x"),
        7 => next.known = None,
        8 => next.place = RequestPlace::Window(window("elsewhere")),
        9 => next.place = RequestPlace::Main("elsewhere".parse().unwrap()),
        10 => match &mut next.act {
            Some(act) => act.form_data.entry("name".into()).or_default().push('x'),
            None => next.act = Some(WindowPress { form_data: form(name), ..press("save") }),
        },
        11 => match &mut next.act {
            Some(act) => act.action.push('x'),
            None => next.act = Some(press(name)),
        },
        _ => match &mut next.act {
            Some(act) => act.component_path = Some("9/9".to_owned()),
            None => next.act = Some(press("remove")),
        },
    }
    next
}

fn swap_case(words: &str) -> String {
    let mut letters = words.chars();
    let Some(first) = letters.next() else { return "x".to_owned() };
    let swapped: String =
        if first.is_lowercase() { first.to_uppercase().collect() } else { first.to_lowercase().collect() };
    swapped + letters.as_str()
}

fn press(action: &str) -> WindowPress {
    let (action, form_data) = (action.to_owned(), BTreeMap::new());
    WindowPress { action, action_id: None, form_data, component_path: None, parallel: false }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_same_wish_for_another_thing_is_never_done_by_rote(
        template in select(TEMPLATES.to_vec()), one in any_name(), other in any_name(),
    ) {
        prop_assume!(one != other);
        let reload = with([cached(1, asked(&template.replace("{}", &one)))]);
        prop_assert_eq!(reload.exact(&asked(&template.replace("{}", &other))), None);
    }

    #[test]
    fn any_change_of_a_request_makes_it_another(request in any_asked(), what in 0u8..13, name in any_name()) {
        let next = changed(&request, what, &name);
        prop_assume!(is_other(&request, &next));
        let reload = with([cached(1, request)]);
        prop_assert_eq!(reload.exact(&next), None);
    }

    #[test]
    fn only_the_very_same_is_ever_found(entries in vec(any_cached(), 0..40), request in any_asked()) {
        let reload = with(entries);
        if let Some(found) = reload.exact(&request) {
            prop_assert!(!is_other(&found.asked, &request) && found.is_safe && request.known.is_some());
            prop_assert!(!context_dependence::depends_on_context(&request));
        }
    }

    #[test]
    fn the_very_same_is_found_if_it_may_be(request in any_asked(), before in "[ \n\t]{0,3}", after in "[ \n]{0,3}") {
        let mut again = request.clone();
        again.message = format!("{before}{}{after}", request.message);
        if let Some(act) = &mut again.act {
            act.action_id = Some("another time".to_owned());
        }
        let reload = with([cached(1, request.clone())]);
        let may_be = request.known.is_some() && !context_dependence::depends_on_context(&request);
        prop_assert_eq!(reload.exact(&again).is_some(), may_be);
    }

    #[test]
    fn what_failed_never_comes_back(
        entries in vec(any_cached(), 1..40), index in any::<prop::sample::Index>(), later in vec(any_cached(), 0..40),
    ) {
        let mut reload = with(entries.clone());
        let failed = index.get(&entries).clone();
        let was_known = reload.get(failed.turn_id).map(|known| known.asked.clone());
        prop_assert_eq!(reload.fail(failed.turn_id), was_known.is_some());
        if let Some(request) = was_known {
            reload.add(CachedTurn { turn_id: turn(1_000), asked: request.clone(), ..failed });
            later.into_iter().for_each(|entry| reload.add(entry));
            prop_assert_eq!(reload.exact(&request), None);
            let similar = reload.similar(&request, usize::MAX);
            prop_assert!(similar.iter().all(|similar| is_other(&similar.cached.asked, &request)));
        }
    }

    #[test]
    fn a_stored_one_is_the_same(entries in vec(any_cached(), 0..40), failed in vec(1u128..60, 0..10)) {
        let mut reload = with(entries);
        for n in failed {
            reload.fail(turn(n));
        }
        let stored = serde_json::to_string(&reload).unwrap();
        prop_assert!(!stored.contains("secret"));
        prop_assert_eq!(serde_json::from_str::<ReplayCache>(&stored).unwrap(), reload);
    }

    #[test]
    fn offers_are_sorted_of_the_same_kind_of_place_and_hold_the_exact_one(
        entries in vec(any_cached(), 0..40), request in any_asked(), max in 1usize..6,
    ) {
        let reload = with(entries);
        let before = reload.clone();
        let similar = reload.similar(&request, max);
        prop_assert_eq!(&reload, &before);
        prop_assert!(similar.len() <= max && similar.is_sorted_by(|a, b| a.score >= b.score));
        for found in &similar {
            prop_assert!(found.score >= 0.5 && found.cached.asked.place.is_same_kind(&request.place));
        }
        match reload.exact(&request) {
            Some(exact) => prop_assert!(similar[0].cached == exact && similar[0].score == 1.0),
            None => prop_assert!(similar.iter().all(|found| found.score < 1.0)),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn the_bounds_hold_and_the_newest_stay(
        turns in vec((any_asked(), 1u128..60, prop_oneof![3 => 0usize..2_000, 1 => 0usize..90_000]), 0..80),
    ) {
        let mut reload = ReplayCache::default();
        for (asked, n, size) in turns {
            let entry = CachedTurn { actions: vec![create("list", &"x".repeat(size))], ..cached(n, asked) };
            let is_small = CacheEntry::from(entry.clone()).bytes <= TURN_BYTES_MAX;
            reload.add(entry);
            prop_assert_eq!(reload.get(turn(n)).is_some(), is_small);
            prop_assert!(reload.len() <= TURNS_MAX && reload.bytes() <= BYTES_MAX);
        }
        let sizes: Vec<_> = reload.kept.iter().map(|kept| serde_json::to_vec(kept).unwrap().len()).collect();
        prop_assert!(sizes.iter().all(|size| *size <= TURN_BYTES_MAX));
        prop_assert_eq!(sizes.iter().sum::<usize>(), reload.bytes());
    }
}

#[test]
fn a_repeat_is_found_until_it_did_not_work() {
    let request = asked("show the kitchen timer");
    let mut reload = with([cached(1, request.clone())]);
    assert_eq!(reload.exact(&request).map(|found| found.turn_id), Some(turn(1)));
    assert!(reload.fail(turn(1)));
    reload.add(cached(2, request.clone()));
    assert!(reload.exact(&request).is_none() && reload.similar(&request, 5).is_empty());
    // Another state of the desktop makes it another request.
    let elsewise = ReplayRequest { windows: "w1".to_owned(), ..request };
    reload.add(cached(3, elsewise.clone()));
    assert!(reload.exact(&elsewise).is_some());
}

#[test]
fn only_the_last_failures_are_remembered() {
    let mut reload = ReplayCache::default();
    for n in 0..40 {
        reload.add(cached(n, asked(&format!("show list {n}"))));
        assert!(reload.fail(turn(n)));
    }
    for n in 0..40 {
        reload.add(cached(n, asked(&format!("show list {n}"))));
    }
    assert_eq!(reload.len(), 40 - FAILED_MAX);
}

#[test]
fn the_same_request_replaces_its_older_turn() {
    let request = asked("show the kitchen timer");
    let reload = with([cached(1, request.clone()), cached(2, asked("show the list")), cached(3, request.clone())]);
    assert_eq!(reload.len(), 2);
    assert_eq!(reload.exact(&request).map(|found| found.turn_id), Some(turn(3)));
}

#[test]
fn words_that_lean_on_the_conversation_are_offered_but_not_repeated() {
    for message in ["open it again", "the next page", "show me more of those"] {
        let reload = with([cached(1, asked(message))]);
        assert_eq!(reload.exact(&asked(message)), None, "{message}");
        assert_eq!(reload.similar(&asked(message), 3).len(), 1, "{message}");
    }
    let form_data = BTreeMap::from([("note".to_owned(), "the same as before".to_owned())]);
    let request = ReplayRequest { act: Some(WindowPress { form_data, ..press("save") }), ..asked("") };
    assert_eq!(with([cached(1, request.clone())]).exact(&request), None);
}

#[test]
fn closed_windows_are_forgotten_and_clearing_forgets_all() {
    let place = |name: &str| RequestPlace::Window(window(name));
    let mut reload = with([
        cached(1, ReplayRequest { place: place("list"), ..asked("sort by name") }),
        cached(2, ReplayRequest { place: place("chart"), ..asked("sort by name") }),
        cached(3, asked("sort by name")),
    ]);
    reload.forget_windows(&[window("list")]);
    assert!(reload.get(turn(1)).is_none() && reload.get(turn(2)).is_some() && reload.get(turn(3)).is_some());
    reload.fail(turn(3));
    reload.clear();
    assert_eq!(reload, ReplayCache::default());
}

#[test]
fn only_opening_changing_and_saying_is_safe() {
    let window_id = || window("list");
    let toast_id = ToastId::from_bytes([1; 16]);
    let (text, level) = ("hello".to_owned(), Tone::default());
    let safe = [
        create("list", ""),
        Action::Focus { window_id: window_id() },
        Action::Move { window_id: window_id(), x: 1, y: 1 },
        Action::Resize { window_id: window_id(), width: 9, height: 9 },
        Action::Minimize { window_id: window_id() },
        Action::Maximize { window_id: window_id() },
        Action::Restore { window_id: window_id() },
        Action::Title { window_id: window_id(), title: String::new(), origin: Origin::default() },
        Action::Toast(Toast { toast_id, text: text.clone(), level, button: None, replay_of: None }),
        Action::Notification(Notification { toast_id, title: text.clone(), text, level }),
    ];
    let dialog = Dialog {
        dialog_id: DialogId::from_bytes([1; 16]),
        turn_id: turn(1),
        monitor_id: MonitorId::primary(),
        window_id: None,
        title: String::new(),
        text: String::new(),
        form: DialogForm::Choices(vec![]),
        expires_at: Timestamp::from_millis(0),
    };
    let unsafe_ones = [
        Action::Close { window_id: window_id() },
        Action::Lock { window_id: window_id(), holder: LockHolder::User },
        Action::Unlock { window_id: window_id() },
        Action::Dialog(dialog.clone()),
        Action::Prompt(dialog),
        Action::AddMonitor { monitor_id: MonitorId::primary() },
        Action::RemoveMonitor { monitor_id: MonitorId::primary() },
    ];
    assert!(!is_safe(&[]) && is_safe(&safe));
    for action in unsafe_ones {
        let all: Vec<_> = safe.iter().cloned().chain([action.clone()]).collect();
        assert!(!is_safe(&all), "{action:?}");
        let entry = CachedTurn { actions: all, ..cached(1, asked("tidy up")) };
        assert_eq!(with([entry]).exact(&asked("tidy up")), None, "what is said of it does not make it safe");
    }
}
