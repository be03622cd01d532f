//! The web page, which may or may not be built into the program: building it needs Node.

use reqwest::Method;

use super::Browser;
use crate::started;

#[tokio::test]
async fn the_page_needs_no_token_or_says_why_it_is_not_there() {
    let (_model, _program, server) = started().await;
    let without_token = Browser::new(&server);
    let got = without_token.get("/").await;
    if got.status == 404 {
        assert_eq!(got.body["message"], "the page is not built into this program");
        assert!(got.body["hint"].as_str().unwrap().contains("`./run`"), "{}", got.body);
    } else {
        assert_eq!(got.status, 200);
        for (name, value) in [
            ("content-type", "text/html; charset=utf-8"),
            ("cache-control", "no-cache"),
            ("x-content-type-options", "nosniff"),
            ("referrer-policy", "no-referrer"),
            ("cross-origin-opener-policy", "same-origin"),
        ] {
            assert_eq!(got.headers[name], value);
        }
        let policy = got.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self'; "), "{policy}");
        let known = [("if-none-match", got.headers["etag"].to_str().unwrap())];
        assert_eq!(without_token.send(Method::GET, "/", None, &known).await.status, 304);
    }
    assert_eq!(without_token.send(Method::HEAD, "/", None, &[]).await.status, got.status);
    assert_eq!(without_token.send(Method::POST, "/", None, &[]).await.status, 401, "it needs a token");
    assert_eq!(without_token.send(Method::GET, "/", None, &[("host", "evil.example")]).await.status, 403);
}

#[tokio::test]
async fn there_are_no_files_but_those_of_the_page() {
    let (_model, _program, server) = started().await;
    for path in
        ["/assets/nothing.js", "/assets/..%2Findex.html", "/assets/%2e%2e%2fpackage.json", "/assets/%2Fetc%2Fpasswd"]
    {
        let got = Browser::new(&server).get(path).await;
        assert_eq!((got.status, got.body["code"].as_str()), (404, Some("not_found")), "{path}");
    }
    assert_eq!(Browser::new(&server).get("/index.html").await.status, 401, "nor other paths without a token");
}
