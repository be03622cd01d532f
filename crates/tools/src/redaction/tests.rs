//! What is redacted, what is not, and that splitting the text makes no difference.

use std::sync::LazyLock;

use proptest::prelude::*;
use secrecy::SecretString;
use serde_json::json;

use super::Redactor;

const CONFIGURED: &str = "correct/horse \"battery\"";

fn redactor() -> Redactor {
    static REDACTOR: LazyLock<Redactor> =
        LazyLock::new(|| Redactor::new([CONFIGURED, "short", "aaaaaaaab"].map(SecretString::from)));
    REDACTOR.clone()
}

/// Pushes the text in pieces of these sizes, and returns all output.
fn streamed(redactor: &Redactor, text: &str, sizes: &[usize]) -> String {
    let (mut stream, mut out, mut rest) = (redactor.stream(), String::new(), text);
    let mut sizes = sizes.iter().cycle();
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(rest.ceil_char_boundary(*sizes.next().unwrap_or(&1)));
        out.push_str(&stream.push(piece));
        assert!(stream.held() <= 8 * 1024, "{} bytes held back", stream.held());
        rest = after;
    }
    out + &stream.finish()
}

#[track_caller]
pub(super) fn check(text: &str, expected: &str) {
    assert_eq!(redactor().redact(text), expected);
    assert_eq!(streamed(&redactor(), text, &[1]), expected, "byte by byte");
    assert_eq!(redactor().redact(expected), expected, "a second time");
}

#[test]
fn configured_secrets_are_taken_out_in_every_spelling() {
    check("a correct/horse \"battery\" b", "a [redacted] b");
    check("correct/horse \\\"battery\\\"", "[redacted]");
    check("correct\\/horse \\\"battery\\\"", "[redacted]");
    check("correct/horse \\\\\\\"battery\\\\\\\"", "[redacted]");
    check("?q=correct%2Fhorse+%22battery%22&r", "?q=[redacted]&r");
    check("?q=correct%2fhorse%20%22battery%22&r", "?q=[redacted]&r");
    check("Y29ycmVjdC9ob3JzZSAiYmF0dGVyeSI=.", "[redacted].");
    // base64("user:" + the secret), of which the first and last characters are not the secret's
    // alone.
    check("dXNlcjpjb3JyZWN0L2hvcnNlICJiYXR0ZXJ5Ig==", "dXNlcjp[redacted]g==");
}

#[test]
fn overlapping_and_near_secrets_are_told_apart() {
    check("xaaaaaaaaaaaaaab", "xaaaaaa[redacted]");
    check("aaaaaaaabaaaaaaaab c", "[redacted] c");
    check("aaaaaaaab aaaaaaaab", "[redacted] [redacted]");
    check("aaaaaaaa", "aaaaaaaa");
    check("short", "short");
}

#[test]
fn a_long_secret_is_one_secret() {
    let secret: String = (0..700).map(|n| format!("{n:x}ü")).collect();
    let redactor = Redactor::new([SecretString::from(secret.clone())]);
    let text = format!("before {secret} after");
    assert_eq!(redactor.redact(&text), "before [redacted] after");
    assert_eq!(streamed(&redactor, &text, &[7]), "before [redacted] after");
}

#[test]
fn keys_are_known_by_their_first_letters() {
    for (secret, kind) in [
        ("sk-proj-abcDEF1234567890abcDEF", "api-key"),
        ("sk-ant-api03-abcdefghijklmnop-_AA", "api-key"),
        ("sk-abcdefghijklmnopqrstuvwxyz", "api-key"),
        ("AIzaSyA-1234567890abcdefghijklmnopqrstu", "api-key"),
        ("ghp_abcdefghijklmnopqrstuvwxyz0123456789", "github"),
        ("gho_abcdefghijklmnopqrstuvwxyz0123456789", "github"),
        ("ghs_abcdefghijklmnopqrstuvwxyz0123456789", "github"),
        ("github_pat_11ABCDEFG0123456789_abcdefghij", "github"),
        ("AKIAIOSFODNN7EXAMPLE", "aws"),
        ("xoxb-123456789012-abcdefABCDEF", "slack"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc-DEF_123", "jwt"),
    ] {
        check(secret, &format!("[redacted:{kind}]"));
        check(&format!("Use {secret}."), &format!("Use [redacted:{kind}]."));
        check(&format!("a\\n{secret}\\n"), &format!("a\\n[redacted:{kind}]\\n"));
        check(&format!("<{secret}> and {secret}"), &format!("<[redacted:{kind}]> and [redacted:{kind}]"));
    }
}

#[test]
fn values_are_known_by_their_names() {
    check("password=hunter2", "password=[redacted:password]");
    check("DB_PASSWORD=swordfish\nPORT=1", "DB_PASSWORD=[redacted:password]\nPORT=1");
    check("https://x.org/?api_key=abcd&n=1", "https://x.org/?api_key=[redacted:secret]&n=1");
    check("password: hunter2", "password: [redacted:password]");
    check("password = 'open sesame'", "password = '[redacted:password]'");
    check(r#"{"password": "a\"b", "n": 1}"#, r#"{"password": "[redacted:password]", "n": 1}"#);
    check(r#"{\"token\":\"a\\\"b\",\"n\":1}"#, r#"{\"token\":\"[redacted:token]\",\"n\":1}"#);
    check("secret: \"unfinished\nnext", "secret: \"[redacted:secret]\nnext");
    let aws = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
    check(&format!("aws_secret_access_key = {aws}"), "aws_secret_access_key = [redacted:secret]");
    check(&format!("aws_secret_access_key {aws} x"), "aws_secret_access_key [redacted:secret] x");
    check("run --token abc123def", "run --token [redacted:token]");
    check("X-Api-Key: 1a2b3c4d5e", "X-Api-Key: [redacted:secret]");
    check("Authorization: Bearer abcdef", "Authorization: Bearer [redacted:authorization]");
    check("Authorization: Basic dXNlcjpwYXNz", "Authorization: Basic [redacted:authorization]");
    check("send Bearer 0123456789abcdef.", "send Bearer [redacted:authorization]");
    check("postgres://me:pa@ss@db:5432/x", "postgres://me:[redacted:password]@db:5432/x");
    check("redis://:pa55@cache", "redis://:[redacted:password]@cache");
}

#[test]
fn private_keys_go_whole() {
    let body = "MIIEpAIBAAKCAQEA0123456789+/abcdef\n".repeat(40);
    let pem = format!("-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----");
    check(&format!("key:\n{pem}\nafter"), "key:\n[redacted:private-key]\nafter");
    check(&pem.replace('\n', "\\n"), "[redacted:private-key]");
    let public = pem.replace("PRIVATE", "PUBLIC");
    check(&public, &public);
}

#[test]
fn ordinary_words_are_left_alone() {
    for text in [
        "the password is wrong, and so is the secret of the Bearer of this letter",
        "Password: required. Token: a unit of text. The secret: patience.",
        "a token budget of 4096, max_tokens=4096, max_tokens: 4096, next_page_token=abcdef",
        "sk-learn and sk-learn-contrib, task-force-sixteen-is-on, AI and AKIA, eyJ, xox",
        "01ARZ3NDEKTSV4RRFFQ69G5FAV 123e4567-e89b-12d3-a456-426614174000",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
        "if token == expected { let token = self.next_token(); secret = config.secret; }",
        "password=${DB_PASSWORD} password=$PASSWORD \"password\": \"\" token=<token> secret=****** token: string",
        "http://localhost:8080/a?b=c https://example.org:443 ssh://git@host:22/x mail me@example.org",
        "---\n----- BEGIN -----\n-----BEGIN PRIVATE KEY----- is how a key begins\n| ----- | --- |",
        "PWD=/home/user Bearer authentication, bearer token, cursor eyJpZCI6MTIzNDU2Nzg5MDEyMzQ1fQ==",
        "Grüße aus 東京 🙂 password= 東",
    ] {
        check(text, text);
    }
}

#[test]
fn prose_is_not_delayed() {
    let text = "The sky above the port was the color of a television tuned to a dead channel; the password is wrong, \
                the token budget is spent, and sk-learn, Asia and eyes are words like any other. ";
    let mut stream = redactor().stream();
    for word in text.split_inclusive(' ') {
        assert_eq!(stream.push(word), word);
    }
    for delta in ["The", " quick", " brown", " fox", " jumped", " over", " password", " and", " token", ":"] {
        assert_eq!(stream.push(delta), delta);
    }
}

#[test]
fn a_beginning_is_held_back_and_let_go() {
    let mut stream = redactor().stream();
    assert_eq!(stream.push("my s"), "my ");
    assert_eq!(stream.push("k"), "");
    assert_eq!(stream.push("y"), "sky");
    assert_eq!(stream.push(" password=hun"), " password=");
    assert_eq!(stream.push("ter2 "), "[redacted:password] ");
    assert_eq!(stream.finish(), "");
}

#[test]
fn documents_lose_what_their_keys_call_secret() {
    let document = json!({
        "password": "hunter2", "pin": 1234, "db": {"client_secret": 99, "token": 7, "note": "use sk-1234567890abcdefgh"},
        "token": ["abcdef", null], "properties": {"password": {"type": "string"}}, "secret": "",
    });
    let expected = json!({
        "password": "[redacted:password]", "pin": "[redacted:code]",
        "db": {"client_secret": "[redacted:secret]", "token": 7, "note": "use [redacted:api-key]"},
        "token": ["[redacted:token]", null], "properties": {"password": {"type": "string"}}, "secret": "",
    });
    assert_eq!(redactor().redact_json(document), expected);
}

#[test]
fn codes_of_locks_and_alarms_are_not_kept() {
    for code in
        [json!("1234"), json!(1234), json!("00 11 22"), json!("1-2-3-4"), json!("sesame"), json!("123456789012")]
    {
        for name in ["code", "Code", "pin", "PIN"] {
            let call = json!({ "service": "alarm_disarm", "data": { name: code.clone() } });
            let kept = redactor().redact_json(call);
            assert_eq!(kept["data"][name], "[redacted:code]", "{name}: {code}");
            assert_eq!(redactor().redact_json(kept.clone()), kept, "a second time");
        }
    }
    assert_eq!(redactor().redact_json(json!({ "code": ["1234"] })), json!({ "code": ["[redacted:code]"] }));
    for named in ["password", "passcode", "secret"] {
        for value in [json!("1234"), json!(1234)] {
            let kept = redactor().redact_json(json!({ named: value }));
            assert!(kept[named].as_str().unwrap().starts_with("[redacted:"), "{kept}");
        }
    }
}

#[test]
fn code_that_opens_nothing_is_left_alone() {
    for document in [
        json!({ "code": "print('hello')" }),
        json!({ "code": "x = 1" }),
        json!({ "code": "a\nb" }),
        json!({ "code": "return 1234567890" }),
        json!({ "code": "EUR", "pin": 17 }),
        json!({ "code": 404 }),
        json!({ "code": -32601 }),
        json!({ "code": "not_found" }),
        json!({ "code": "configuration" }),
        json!({ "code": null, "pin": true }),
        json!({ "code": "", "pin": " - " }),
        json!({ "properties": { "code": { "type": "string", "maxLength": 6000 } } }),
        json!({ "postcode": "10115", "barcode": 40_063_813, "pinned": "1234", "status_code": "1234" }),
    ] {
        assert_eq!(redactor().redact_json(document.clone()), document);
    }
}

/// Quadratic run time would exceed the time limit of the test runner.
#[test]
fn hostile_texts_are_read_to_their_end() {
    let redactor = redactor();
    for part in
        ["a", "-", "eyJ", "eyJ-", "sk-", "password=", "\"", "\\", "https://a:", "token: \"\\", "Bearer ", "aaaaaaaa"]
    {
        let text = part.repeat(40_000 / part.len());
        assert!(!streamed(&redactor, &text, &[1000]).is_empty(), "{part}");
    }
}

/// Fragments for texts that are hard to parse.
fn fragment() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "password",
        "my password is ",
        "Passwort lautet ",
        "password to ",
        "aws ",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        " and",
        "token",
        "secret",
        "api_key",
        "=",
        ":",
        ": ",
        " = ",
        "\"",
        "'",
        "\\\"",
        "\\",
        "\\n",
        "\n",
        " ",
        "Bearer ",
        "Authorization: ",
        "https://",
        "user",
        "@",
        "/",
        ".",
        "-----BEGIN RSA PRIVATE KEY-----",
        "-----END RSA PRIVATE KEY-----",
        "-----",
        "MIIEpAIBAAKCAQEA0123",
        "sk-",
        "ghp_",
        "AKIA",
        "eyJ",
        "xoxb-",
        "hunter2",
        "abcdefghijklmnopqrst",
        "ü",
        "東",
        "aaaaaaaab",
        "correct/horse \"battery\"",
        "0123456789ABCDEF",
        "the",
        "$",
        "(",
        "[redacted]",
        "%20",
        "--",
        "&",
    ]);
    prop_oneof![9 => fixed.prop_map(str::to_owned), 1 => "[a-zA-Z0-9_.=:/-]{1,150}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn pieces_make_no_difference(
        parts in prop::collection::vec(fragment(), 0..24),
        sizes in prop::collection::vec(1_usize..40, 1..8),
    ) {
        let text = parts.concat();
        let redactor = redactor();
        prop_assert_eq!(streamed(&redactor, &text, &sizes), redactor.redact(&text).into_owned());
        prop_assert_eq!(streamed(&redactor, &text, &[1]), redactor.redact(&text).into_owned());
    }

    #[test]
    fn no_secret_is_ever_visible(
        before in prop::collection::vec(fragment(), 0..8),
        after in prop::collection::vec(fragment(), 0..8),
        sizes in prop::collection::vec(1_usize..20, 1..8),
    ) {
        let text = format!("{}{CONFIGURED} ghp_zyxwvutsrqponmlkjihgfedcba{}", before.concat(), after.concat());
        let out = streamed(&redactor(), &text, &sizes);
        prop_assert!(!out.contains(CONFIGURED), "{}", out);
        prop_assert!(!out.contains("zyxwvuts"), "{}", out);
    }

    #[test]
    fn words_come_out_as_they_went_in(text in "([a-z]{1,12}[ ,.!?\n]){0,40}") {
        let redactor = redactor();
        prop_assert_eq!(streamed(&redactor, &text, &[3]), text);
    }
}
