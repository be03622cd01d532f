//! Pages of other origins (CORS): those that are listed, and no others.

use reqwest::{Method, Response, header};
use serde_json::json;
use testkit::{RunningServer, Socket};

use crate::program;

const APP: &str = "https://app.example";
const BEARER: &str = "Bearer test-token-0123456789";
const TOKEN: (&str, &str) = ("authorization", BEARER);

async fn send(server: &RunningServer, method: Method, path: &str, headers: &[(&str, &str)]) -> Response {
    let request = reqwest::Client::new().request(method, format!("{}{path}", server.url()));
    let request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
    request.send().await.unwrap()
}

fn text<'a>(response: &'a Response, name: &str) -> &'a str {
    response.headers().get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
}

const PREFLIGHT: [(&str, &str); 2] =
    [("access-control-request-method", "POST"), ("access-control-request-headers", "authorization, content-type")];

#[tokio::test]
async fn a_listed_page_asks_first_then_reads_answers_and_opens_the_websocket() {
    let server = program().with("DWELL_SERVER_ALLOWED_ORIGINS", APP).start().await;
    let origin = ("origin", APP);
    let asked = [origin, PREFLIGHT[0], PREFLIGHT[1]];
    for path in ["/api/v1/sessions", "/v1/chat/completions", "/mcp"] {
        let allowed = send(&server, Method::OPTIONS, path, &asked).await;
        assert_eq!(allowed.status(), 204, "{path} without a token");
        assert_eq!(text(&allowed, "access-control-allow-origin"), APP);
        assert!(text(&allowed, "access-control-allow-methods").contains("DELETE"));
        assert_eq!(text(&allowed, "access-control-allow-headers"), "authorization, content-type");
        assert_eq!(text(&allowed, "access-control-allow-credentials"), "", "cookies are not asked for");
    }
    let answer = send(&server, Method::GET, "/api/v1/sessions", &[origin, TOKEN]).await;
    assert_eq!((answer.status().as_u16(), text(&answer, "access-control-allow-origin")), (200, APP));
    assert!(text(&answer, "access-control-expose-headers").contains("x-dwell-turn"));
    assert!(text(&answer, "vary").contains("origin"));
    let refused = send(&server, Method::GET, "/api/v1/sessions", &[origin]).await;
    assert_eq!((refused.status().as_u16(), text(&refused, "access-control-allow-origin")), (401, APP), "errors too");
    assert!(Socket::connect_with(server.url(), "", &[TOKEN, origin]).await.is_ok());

    for foreign in ["https://evil.example", "http://app.example", "https://app.example:8443", "null"] {
        let headers = [("origin", foreign), PREFLIGHT[0], TOKEN];
        let answer = send(&server, Method::OPTIONS, "/api/v1/sessions", &headers).await;
        assert_eq!((answer.status().as_u16(), text(&answer, "access-control-allow-origin")), (403, ""), "{foreign}");
        assert!(Socket::connect_with(server.url(), "", &[TOKEN, ("origin", foreign)]).await.is_err(), "{foreign}");
    }
    let elsewhere = [origin, PREFLIGHT[0], ("host", "evil.example")];
    assert_eq!(send(&server, Method::OPTIONS, "/api/v1/sessions", &elsewhere).await.status(), 403);
}

/// Signs a browser in; its cookie.
async fn cookie(server: &RunningServer, origin: &str) -> Option<String> {
    let request = reqwest::Client::new().post(format!("{}/api/v1/entry", server.url())).header("origin", origin);
    let answer = request.json(&json!({ "token": "test-token-0123456789" })).send().await.unwrap();
    let set = answer.headers().get(header::SET_COOKIE)?.to_str().unwrap().to_owned();
    set.split(';').next().map(str::to_owned)
}

#[tokio::test]
async fn a_cookie_counts_for_another_origin_only_if_that_is_asked_for() {
    for with_cookies in [false, true] {
        let program = program().with("DWELL_SERVER_ALLOWED_ORIGINS", APP);
        let program = program.with("DWELL_SERVER_ALLOWED_ORIGINS_COOKIES", &with_cookies.to_string());
        let server = program.start().await;
        let own = cookie(&server, server.url()).await.unwrap();
        assert_eq!(cookie(&server, APP).await.is_some(), with_cookies);
        let headers = [("origin", APP), ("cookie", own.as_str()), ("sec-fetch-site", "same-site")];
        let answer = send(&server, Method::GET, "/api/v1/sessions", &headers).await;
        assert_eq!(answer.status().as_u16(), if with_cookies { 200 } else { 403 });
        let credentials = text(&answer, "access-control-allow-credentials");
        assert_eq!(credentials, if with_cookies { "true" } else { "" });
    }
}

#[tokio::test]
async fn without_a_list_there_is_no_other_origin() {
    let program = program();
    let server = program.start().await;
    let answer = send(&server, Method::OPTIONS, "/api/v1/sessions", &[("origin", APP), PREFLIGHT[0], TOKEN]).await;
    assert_eq!((answer.status().as_u16(), text(&answer, "access-control-allow-origin")), (403, ""));
    let own = send(&server, Method::GET, "/api/v1/sessions", &[("origin", server.url()), TOKEN]).await;
    assert_eq!((own.status().as_u16(), text(&own, "access-control-allow-origin"), text(&own, "vary")), (200, "", ""));
    server.stop().await;
    let wrong = program.with("DWELL_SERVER_ALLOWED_ORIGINS", "*").run(&["serve", "--listen", "127.0.0.1:0"]).await;
    assert!(wrong.code() == 1 && wrong.stderr.contains("`server.allowed_origins` is wrong"), "{wrong:?}");
}
