//! Tests of reading the error bodies of providers.

use reqwest::header::HeaderValue;
use serde_json::json;

use super::*;
use crate::{Provider, ProviderKind};

fn connection() -> ProviderClient {
    ProviderClient::new(Provider::new("acme", ProviderKind::OpenAi, "m").with_key("sk-1234")).unwrap()
}

fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
    pairs.iter().map(|(name, value)| (name.parse().unwrap(), HeaderValue::from_static(value))).collect()
}

fn wait(pairs: &[(&'static str, &'static str)], body: &str) -> Option<Duration> {
    by_status(429, body, &headers(pairs), &connection()).retry_after()
}

#[test]
fn the_wait_is_read_in_all_its_forms() {
    assert_eq!(wait(&[("retry-after", "7")], ""), Some(Duration::from_secs(7)));
    assert_eq!(wait(&[("retry-after", "1.5")], ""), Some(Duration::from_millis(1500)));
    assert_eq!(wait(&[("retry-after", "7"), ("retry-after-ms", "250")], ""), Some(Duration::from_millis(250)));
    let date = [("retry-after", "Wed, 21 Oct 2015 07:28:30 GMT"), ("date", "Wed, 21 Oct 2015 07:28:00 GMT")];
    assert_eq!(wait(&date, ""), Some(Duration::from_secs(30)));
    let past = [("retry-after", "Wed, 21 Oct 2015 07:27:00 GMT"), ("date", "Wed, 21 Oct 2015 07:28:00 GMT")];
    assert_eq!(wait(&past, ""), Some(Duration::ZERO));
    let details = r#"{"error":{"code":429,"message":"slow","details":[{"@type":"x"},{"retryDelay":"34s"}]}}"#;
    assert_eq!(wait(&[], details), Some(Duration::from_secs(34)));
    for nonsense in ["soon", "-1", "NaN"] {
        assert_eq!(wait(&[("retry-after", nonsense)], ""), None, "{nonsense}");
    }
}

#[test]
fn too_long_is_told_from_wrong() {
    let bodies = [
        r#"{"error":{"message":"This model's maximum context length is 8192 tokens.","code":"context_length_exceeded"}}"#,
        r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 209213 tokens > 200000 maximum"}}"#,
        r#"{"error":{"code":400,"message":"The input token count (1048580) exceeds the maximum number of tokens allowed (1048576)."}}"#,
        r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#,
    ];
    for body in bodies {
        let error = by_status(400, body, &HeaderMap::new(), &connection());
        assert!(matches!(error, Error::TooMuchContext { .. }), "{error:?}");
        assert!(error.falls_back() && !error.is_transient());
    }
    let wrong = by_status(400, r#"{"error":{"message":"missing messages"}}"#, &HeaderMap::new(), &connection());
    assert!(matches!(wrong, Error::Refused { status: 400, .. }) && !wrong.falls_back());
}

#[test]
fn statuses_say_what_to_do() {
    let of = |status| by_status(status, r#"{"error":{"message":"hm sk-1234"}}"#, &HeaderMap::new(), &connection());
    for status in [408, 500, 502, 503, 529] {
        assert!(matches!(of(status), Error::Failed { .. }), "{status}");
    }
    assert_eq!(of(401).to_string(), "acme: the model's provider refused with status 401: hm [key]; check its key");
    assert!(of(404).to_string().ends_with("check the model's name and the provider's address"));
    assert!(of(401).falls_back() && of(404).falls_back() && !of(401).is_transient());
    let empty =
        by_status(429, r#"{"error":{"code":"insufficient_quota","message":"q"}}"#, &HeaderMap::new(), &connection());
    assert!(matches!(empty, Error::Refused { status: 429, .. }), "{empty:?}");
    let large = r#"{"error":{"message":"Request too large for gpt-4o on tokens per min (TPM): Limit 30000"}}"#;
    let large = by_status(429, large, &HeaderMap::new(), &connection());
    assert!(matches!(large, Error::TooMuchContext { .. }), "{large:?}");
}

#[test]
fn errors_in_the_middle_are_sorted_like_those_before() {
    let of = |body| in_stream(body, &connection());
    let overloaded = of(json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}));
    assert!(matches!(overloaded, Error::Failed { status: 529, .. }), "{overloaded:?}");
    let limited = of(json!({"code": 429, "message": "Rate limited"}));
    assert!(matches!(limited, Error::RateLimited { .. }), "{limited:?}");
    let plain = of(json!("the runner has stopped"));
    assert_eq!(plain.to_string(), "acme: the model's provider failed with status 200: the runner has stopped");
    let too_much = of(json!({"code": "context_length_exceeded", "message": "too many"}));
    assert!(matches!(too_much, Error::TooMuchContext { .. }), "{too_much:?}");
}
