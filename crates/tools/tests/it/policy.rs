//! Whether a call may run: every policy rule, and the limits that no session can change.

use proptest::prelude::*;
use protocol::{Policy, Safety};
use tools::{ACTUATION_SETTING, PastDecision, PolicyInput, Rules, SessionRules, Verdict, is_offered, judge};

const ALL: [Safety; 4] = [Safety::Observes, Safety::Keeps, Safety::Acts, Safety::Sends];

fn rules(actuation: bool, allow: Option<&[&str]>, deny: &[&str], confirm: &[&str]) -> Rules {
    let read = |patterns: &[&str]| patterns.iter().map(|text| text.parse().unwrap()).collect();
    Rules { actuation, allow: allow.map(read), deny: read(deny), confirm: read(confirm) }
}

fn session(actuation: Option<bool>, allow: Option<&[&str]>, deny: &[&str], confirm: &[&str]) -> SessionRules {
    let own = |patterns: &[&str]| patterns.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let policy =
        Policy { actuation, allow: allow.map(own), deny: own(deny), confirm: own(confirm), ..Policy::default() };
    SessionRules::try_from(&policy).unwrap()
}

/// A call of `home_call` on `light.turn_on`.
const fn light(safety: Safety, tainted: bool) -> PolicyInput<'static> {
    PolicyInput { tool: "home_call", scope: Some("light.turn_on"), safety, tainted, confirm: None }
}

const NOTHING: PastDecision = PastDecision { always: false, never: false };
const ALWAYS: PastDecision = PastDecision { always: true, never: false };
const NEVER: PastDecision = PastDecision { always: false, never: true };

fn check(call: PolicyInput<'_>, rules: &Rules, session: &SessionRules, standing: PastDecision, expected: &str) {
    let (kind, reason) = match judge(&call, rules, session, standing) {
        Verdict::Allow => ("allow", String::new()),
        Verdict::Ask(reason) => ("ask", reason),
        Verdict::Deny(reason) => ("deny", reason),
    };
    let (wanted, part) = expected.split_once(": ").unwrap_or((expected, ""));
    assert!(kind == wanted && reason.contains(part), "expected {expected}, found {kind}: {reason}");
}

#[test]
fn without_rules_only_acting_is_denied() {
    let (server, none) = (Rules::default(), SessionRules::default());
    for safety in [Safety::Observes, Safety::Keeps, Safety::Sends] {
        check(light(safety, false), &server, &none, NOTHING, "allow");
    }
    check(light(Safety::Acts, false), &server, &none, NOTHING, &format!("deny: set `{ACTUATION_SETTING}`"));
}

#[test]
fn a_token_that_may_only_talk_has_tools_that_only_read() {
    let server = rules(true, None, &[], &[]);
    let reading = SessionRules { reads_only: true, ..SessionRules::default() };
    check(light(Safety::Observes, false), &server, &reading, NOTHING, "allow");
    for safety in [Safety::Keeps, Safety::Acts, Safety::Sends] {
        check(light(safety, false), &server, &reading, ALWAYS, "deny: the scope `act`");
        assert!(!is_offered("home_call", safety, &server, &reading, false));
    }
    assert!(is_offered("home_call", Safety::Observes, &server, &reading, false));
}

#[test]
fn the_deny_list_comes_first() {
    let none = SessionRules::default();
    let server = rules(true, Some(&["home_call"]), &["home_call:light.*"], &["home_call"]);
    check(light(Safety::Observes, true), &server, &none, ALWAYS, "deny: the server's policy (`home_call:light.*`)");
    let other = PolicyInput { scope: Some("lock.open"), ..light(Safety::Observes, false) };
    check(other, &server, &none, ALWAYS, "allow");
    let stricter = session(None, None, &["home_*"], &[]);
    check(other, &server, &stricter, ALWAYS, "deny: this session's policy (`home_*`)");
}

#[test]
fn what_is_not_on_an_allow_list_is_denied() {
    let none = SessionRules::default();
    let server = rules(true, Some(&["current_time", "home_call:light.*"]), &[], &[]);
    check(light(Safety::Acts, false), &server, &none, NOTHING, "allow");
    let lock = PolicyInput { scope: Some("lock.open"), ..light(Safety::Acts, false) };
    check(lock, &server, &none, ALWAYS, "deny: not allowed by the server's policy");
    let narrower = session(None, Some(&["current_time"]), &[], &[]);
    check(
        light(Safety::Acts, false),
        &server,
        &narrower,
        NOTHING,
        "deny: `home_call` on `light.turn_on` is not allowed by this session's policy",
    );
    let wider = session(None, Some(&["*"]), &[], &[]);
    check(lock, &server, &wider, NOTHING, "deny: the server's policy");
    check(
        light(Safety::Observes, false),
        &rules(true, Some(&[]), &[], &[]),
        &none,
        NOTHING,
        "deny: `home_call` on `light.turn_on` is not allowed",
    );
}

#[test]
fn what_a_person_has_refused_stays_refused() {
    let (server, none) = (rules(true, None, &[], &[]), SessionRules::default());
    check(light(Safety::Observes, false), &server, &none, NEVER, "deny: the user has refused `home_call`");
    let both = PastDecision { always: true, never: true };
    check(light(Safety::Observes, false), &server, &none, both, "deny: refused");
}

#[test]
fn actuation_is_off_until_both_allow_it() {
    for (server, own, expected) in [
        (false, None, "deny: set `tools.actuation` in the server's configuration"),
        (false, Some(true), "deny: set `tools.actuation` in the server's configuration"),
        (true, Some(false), "deny: set `policy.actuation` of this session"),
        (true, None, "allow"),
        (true, Some(true), "allow"),
    ] {
        let (server, own) = (rules(server, None, &[], &[]), session(own, None, &[], &[]));
        check(light(Safety::Acts, false), &server, &own, NOTHING, expected);
        check(light(Safety::Sends, false), &server, &own, NOTHING, "allow");
    }
}

#[test]
fn who_has_read_from_outside_asks_before_reaching_out() {
    let (server, none) = (rules(true, None, &[], &[]), SessionRules::default());
    for safety in [Safety::Acts, Safety::Sends] {
        check(light(safety, true), &server, &none, NOTHING, "ask: the turn has read text from outside");
        check(light(safety, true), &server, &none, ALWAYS, "allow");
        check(light(safety, false), &server, &none, NOTHING, "allow");
    }
    for safety in [Safety::Observes, Safety::Keeps] {
        check(light(safety, true), &server, &none, NOTHING, "allow");
    }
}

#[test]
fn what_is_to_be_confirmed_is_asked() {
    let none = SessionRules::default();
    let server = rules(true, None, &[], &["home_call:light.*"]);
    for safety in ALL {
        check(light(safety, false), &server, &none, NOTHING, "ask: the server's policy requires confirmation");
        check(light(safety, false), &server, &none, ALWAYS, "allow");
    }
    let careful = session(None, None, &[], &["*"]);
    check(
        light(Safety::Observes, false),
        &rules(true, None, &[], &[]),
        &careful,
        NOTHING,
        "ask: this session's policy",
    );
}

#[test]
fn what_can_never_run_is_not_offered() {
    let (open, none) = (rules(true, None, &[], &[]), SessionRules::default());
    for (server, own, never, expected) in [
        (open.clone(), none.clone(), false, true),
        (Rules::default(), none.clone(), false, false),
        (rules(true, None, &["home_*"], &[]), none.clone(), false, false),
        (rules(true, None, &["home_call:*"], &[]), none.clone(), false, false),
        (rules(true, None, &["home_call:lock.*"], &[]), none.clone(), false, true),
        (rules(true, Some(&["current_time"]), &[], &[]), none.clone(), false, false),
        (rules(true, Some(&["home_call:light.*"]), &[], &[]), none.clone(), false, true),
        (open.clone(), session(Some(false), None, &[], &[]), false, false),
        (open.clone(), session(None, None, &["home_call"], &[]), false, false),
        (open.clone(), session(None, None, &[], &["home_call"]), false, true),
        (open, none, true, false),
    ] {
        let offered = is_offered("home_call", Safety::Acts, &server, &own, never);
        assert_eq!(offered, expected, "{server:?} {own:?} {never}");
    }
}

#[test]
fn a_bad_pattern_of_a_session_is_refused() {
    let policy = Policy { confirm: vec!["Home Call".to_owned()], ..Policy::default() };
    let refused = SessionRules::try_from(&policy).unwrap_err().to_string();
    assert!(refused.contains("`Home Call` is not a valid tool pattern"), "{refused}");
}

#[test]
fn rules_are_read_from_configuration() {
    let text = r#"{"actuation": true, "deny": ["home_call:lock.*"]}"#;
    assert_eq!(serde_json::from_str::<Rules>(text).unwrap(), rules(true, None, &["home_call:lock.*"], &[]));
    let refused = serde_json::from_str::<Rules>(r#"{"deny": ["home:"]}"#).unwrap_err().to_string();
    assert!(refused.contains("nothing follows the colon"), "{refused}");
}

fn patterns() -> impl Strategy<Value = Vec<&'static str>> {
    let some = vec!["*", "a", "b", "a:*", "a:x", "b:y", "*:x", "*:y*"];
    prop::collection::vec(prop::sample::select(some), 0..3)
}

prop_compose! {
    fn any_rules()(
        actuation: bool, allow in prop::option::of(patterns()), deny in patterns(), confirm in patterns(),
    ) -> Rules {
        rules(actuation, allow.as_deref(), &deny, &confirm)
    }
}

prop_compose! {
    fn any_session()(
        actuation: Option<bool>, allow in prop::option::of(patterns()), deny in patterns(), confirm in patterns(),
    ) -> SessionRules {
        session(actuation, allow.as_deref(), &deny, &confirm)
    }
}

prop_compose! {
    fn any_call()(
        tool in prop::sample::select(vec!["a", "b"]), scope in prop::sample::select(vec![None, Some("x"), Some("yy")]),
        safety in prop::sample::select(ALL.to_vec()), tainted: bool,
    ) -> PolicyInput<'static> {
        PolicyInput { tool, scope, safety, tainted, confirm: None }
    }
}

const fn strictness(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Allow => 0,
        Verdict::Ask(_) => 1,
        Verdict::Deny(_) => 2,
    }
}

proptest! {
    #[test]
    fn a_session_can_only_be_stricter(
        call in any_call(), server in any_rules(), own in any_session(), always: bool, never: bool,
    ) {
        let standing = PastDecision { always, never };
        let alone = judge(&call, &server, &SessionRules::default(), standing);
        let together = judge(&call, &server, &own, standing);
        prop_assert!(strictness(&together) >= strictness(&alone), "{alone:?} became {together:?}");
    }

    #[test]
    fn what_is_not_offered_is_denied_whatever_it_touches(
        call in any_call(), server in any_rules(), own in any_session(), always: bool, never: bool,
    ) {
        if !is_offered(call.tool, call.safety, &server, &own, never) {
            let verdict = judge(&call, &server, &own, PastDecision { always, never });
            prop_assert!(matches!(verdict, Verdict::Deny(_)), "{verdict:?}");
        }
    }

    #[test]
    fn always_never_undoes_a_denial(call in any_call(), server in any_rules(), own in any_session(), never: bool) {
        let before = judge(&call, &server, &own, PastDecision { always: false, never });
        let after = judge(&call, &server, &own, PastDecision { always: true, never });
        let expected = if matches!(before, Verdict::Deny(_)) { before } else { Verdict::Allow };
        prop_assert_eq!(after, expected);
    }

    #[test]
    fn nothing_reaches_out_of_a_tainted_turn_unasked(call in any_call(), server in any_rules(), own in any_session()) {
        let call = PolicyInput { tainted: true, ..call };
        if call.safety.reaches_out() {
            prop_assert_ne!(judge(&call, &server, &own, NOTHING), Verdict::Allow);
        }
    }
}
