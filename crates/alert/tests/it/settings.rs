//! What a channel takes, and mistakes in the configuration file.

use protocol::AlertKind;
use secrecy::ExposeSecret;

use crate::{alert, channel, load, owner};

const HOOK: &str = "[[alerts.channels]]\nkind = \"webhook\"\nurl = \"http://127.0.0.1:9/\"\n\
                    secret = \"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"\n";
const MAIL: &str = "[[alerts.channels]]\nkind = \"email\"\nhost = \"mail.example\"\nfrom = \"d@example.org\"\n\
                    to = [\"a@example.org\"]\n";
const NTFY: &str = "[[alerts.channels]]\nkind = \"ntfy\"\nserver = \"https://ntfy.example\"\ntopic = \"x\"\n";

#[test]
fn a_channel_takes_what_needs_a_person_unless_it_is_told_otherwise() {
    let usual = channel(HOOK);
    for (kind, taken) in [
        (AlertKind::Reminder, true),
        (AlertKind::Timer, true),
        (AlertKind::ApprovalWaiting, true),
        (AlertKind::ScheduleWaiting, true),
        (AlertKind::ScheduleFailed, true),
        (AlertKind::ScheduleFired, false),
        (AlertKind::TurnEnded, false),
    ] {
        assert_eq!(usual.takes(&owner(), kind), taken, "{kind:?}");
    }
    assert!(!usual.is_always());
    let chosen = format!("{HOOK}kinds = [\"turn_ended\"]\nowners = [\"ada\"]\nwhen = \"always\"\n");
    let chosen = channel(&chosen);
    assert!(chosen.takes(&owner(), AlertKind::TurnEnded) && !chosen.takes(&owner(), AlertKind::Timer));
    assert!(!chosen.takes(&"bob".parse().unwrap(), AlertKind::TurnEnded));
    assert!(chosen.is_always());
}

#[test]
fn quiet_hours_delay_all_but_what_was_ordered_for_them() {
    let quiet = format!("{HOOK}quiet = {{ from = \"22:00\", to = \"07:00\", zone = \"Europe/Berlin\" }}\n");
    let quiet = channel(&quiet);
    let night = "2026-10-24T23:00:00Z".parse().unwrap();
    let until = quiet.quiet_until(&alert(AlertKind::ApprovalWaiting), night);
    assert_eq!(until, Some("2026-10-25T06:00:00Z".parse().unwrap()));
    assert_eq!(quiet.quiet_until(&alert(AlertKind::Timer), night), None);
    assert_eq!(quiet.quiet_until(&alert(AlertKind::ApprovalWaiting), until.unwrap()), None);
    assert_eq!(channel(HOOK).quiet_until(&alert(AlertKind::ApprovalWaiting), night), None);
}

#[test]
fn secrets_are_returned_to_be_redacted_and_never_written() {
    let file = format!(
        "{HOOK}headers = {{ Authorization = \"Bearer abc\" }}\n{MAIL}user = \"ada\"\npassword = \"env:MAIL\"\n\
         {NTFY}token = \"tk_1\"\n"
    );
    let loaded = load(&file, "nowhere").unwrap();
    let names: Vec<&str> = loaded.channels.iter().map(|channel| channel.name()).collect();
    assert_eq!(names, ["webhook", "email", "ntfy"]);
    let secrets: Vec<&str> = loaded.secrets.iter().map(ExposeSecret::expose_secret).collect();
    let expected = ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "Bearer abc", "value-of-MAIL", "x", "tk_1"];
    assert_eq!(secrets, expected);
    let table: toml::Table = file.parse().unwrap();
    let declared: Vec<alert::ChannelDeclaration> = table["alerts"]["channels"].clone().try_into().unwrap();
    let written = format!("{}{declared:?}", serde_json::to_string(&declared).unwrap());
    for secret in ["whsec_", "Bearer", "env:MAIL", "tk_1"] {
        assert!(!written.contains(secret), "{secret}: {written}");
    }
    for shown in ["webhook", "http://127.0.0.1:9/", "mail.example", "a@example.org", "https://ntfy.example"] {
        assert!(written.contains(shown), "{shown}: {written}");
    }
}

#[test]
fn mistakes_are_named_with_the_channel_and_the_field() {
    let check = |file: &str, expected: &[&str]| {
        let Err(error) = load(file, "nowhere") else { panic!("it is accepted: {file}") };
        for words in expected {
            assert!(error.contains(words), "{words}: {error}");
        }
    };
    check("[[alerts.channels]]\nurl = \"x\"", &["kind"]);
    check("[[alerts.channels]]\nkind = \"pigeon\"", &["`pigeon`", "webhook", "ntfy", "web_push"]);
    check("[[alerts.channels]]\nkind = \"webhook\"\nurl = \"http://x\"", &["`webhook`", "`secret`"]);
    check(&format!("{HOOK}colour = \"red\""), &["`webhook`", "`colour`"]);
    check(&format!("{HOOK}kinds = [\"pizza\"]"), &["`pizza`", "reminder"]);
    check(&format!("{HOOK}kinds = []"), &["`kinds` must not be empty"]);
    check(&format!("{HOOK}owners = []"), &["`owners` must not be empty"]);
    check(&format!("{HOOK}owners = [\"\"]"), &["`webhook`", "1 to"]);
    check(&format!("{HOOK}when = \"often\""), &["`often`", "away"]);
    check(&format!("{HOOK}name = \"My hook\""), &["`My hook`", "`name` must be"]);
    check(&format!("{HOOK}{HOOK}"), &["`webhook`", "`name` is taken"]);
    check(&format!("{HOOK}timeout_ms = 0"), &["`timeout_ms` must be from 1 to 60000"]);
    check(&format!("{HOOK}headers = {{ Host = \"x\" }}"), &["`headers` has `Host`, which Dwell sets itself"]);
    check(&format!("{HOOK}headers = {{ X-Key = \"env:NONE\" }}"), &["`NONE`, which is not set"]);
    check(&HOOK.replace("whsec_", ""), &["`secret` must be `whsec_`"]);
    check(&HOOK.replace("http:", "ftp:"), &["`url` must begin with http:// or https://"]);
    check(&HOOK.replace("http://", "http://ada:pw@"), &["`url` must not contain a user name"]);
    let quiet = |zone: &str| format!("{HOOK}quiet = {{ from = \"22:00\", to = \"7\", zone = \"{zone}\" }}");
    check(&quiet("Europe/Berlin"), &["`quiet.to` must be a time of day"]);
    check(&quiet("Mars").replace("\"7\"", "\"7:00\""), &["`quiet.zone`", "`Mars`"]);
    check(&NTFY.replace("\"x\"", "\"a/b\""), &["`topic` must be"]);
    check(&NTFY.replace("ntfy.example", "ntfy.example?x=1"), &["`server` must be the address"]);
    check(&MAIL.replace("mail.example", "smtp://mail.example"), &["`host` must be the name"]);
    check(&MAIL.replace("[\"a@example.org\"]", "[]"), &["`to` must name a receiver"]);
    check(&MAIL.replace("d@example.org", "nonsense"), &["`from` must be an address", "`nonsense`"]);
    check(&format!("{MAIL}user = \"ada\""), &["`password` is needed beside `user`"]);
    let clear = format!("{MAIL}security = \"none\"\nuser = \"ada\"\npassword = \"x\"");
    check(&clear, &["`security` must be `tls` or `starttls`"]);
    check(&format!("{MAIL}ca_file = \"/nowhere.pem\""), &["`ca_file` `/nowhere.pem` cannot be used"]);
    let push = "[[alerts.channels]]\nkind = \"web_push\"\nkey = \"abc\"\ncontact = \"mailto:a@b.c\"";
    check(push, &["`web_push`", "`key` must be the 32 bytes"]);
    check(&push.replace("mailto:a@b.c", "me"), &["`contact` must be `mailto:`"]);
    let push = push.replace("abc", "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw");
    check(&format!("{push}\n{push}\nname = \"two\""), &["`two`", "one channel of Web Push"]);
    check("[[alerts.channels]]\nkind = \"home\"\nservice = \"notify.x\"", &["`home`", "is of no home", "notify.x"]);
}
