//! Web searches, and their errors.

use std::sync::Arc;

use protocol::{OwnerId, SourceKind};
use research::{
    Lead, Source, SourceError,
    source::{SourceQuery, brave::Brave, pages::Pages, searxng::Searxng},
    web::{Web, WebOptions},
};

use crate::site::{Site, web};

const KEY: &str = "a-very-secret-key";

fn owner() -> OwnerId {
    "local".parse().unwrap()
}

async fn find(source: &dyn Source, question: &str) -> Result<Vec<Lead>, SourceError> {
    source.find(SourceQuery { owner: &owner(), question, limit: 10 }).await
}

fn nowhere() -> Arc<Web> {
    web(&[], WebOptions::default())
}

fn searxng(site: &Site) -> Searxng {
    Searxng::new(&site.url(""), nowhere()).unwrap()
}

fn brave(site: &Site) -> Brave {
    Brave::new(&site.url(""), KEY.to_owned().into(), nowhere()).unwrap()
}

#[tokio::test]
async fn pages_named_in_a_question_are_found_and_read() {
    let site = Site::open().await;
    site.page("/pump", "text/html", "<title>Pump</title><p>It draws 1,200 W.</p>");
    let pages = Pages::new(site.web(WebOptions::default()));
    assert_eq!((pages.name(), pages.kind(), pages.sends_out()), ("page", SourceKind::Page, true));
    let url = site.url("/pump");
    let leads = find(&pages, &format!("What do {url}, {url}#x and {url}/?utm_source=me say?")).await.unwrap();
    assert_eq!(leads.iter().map(|lead| lead.address.as_str()).collect::<Vec<_>>(), [url.as_str()]);
    let reading = pages.read(&owner(), &leads[0]).await.unwrap();
    assert_eq!((reading.title.as_deref(), reading.address, reading.is_cached), (Some("Pump"), url, false));
    assert_eq!(reading.passages, ["It draws 1,200 W."]);
    assert!(pages.read(&owner(), &leads[0]).await.unwrap().is_cached);
    assert_eq!(find(&pages, "no address here").await.unwrap(), []);
    let missing = Lead { address: site.url("/missing"), ..leads[0].clone() };
    assert_eq!(pages.read(&owner(), &missing).await.unwrap_err().to_string(), "127.0.0.1 answered with status 404");
}

#[tokio::test]
async fn searxng_is_asked_for_json() {
    let site = Site::open().await;
    let answer = serde_json::json!({ "query": "x", "results": [
        { "url": "https://a.example/1", "title": "A &amp; B", "content": "says <b>this</b>", "publishedDate": "2026-03-03T00:00:00" },
        { "url": "https://a.example/1/#again", "title": "the same" },
        { "url": "ftp://a.example/2", "title": "no page" },
        { "url": "https://b.example/", "title": null, "content": null, "publishedDate": null, "engine": "x" },
        { "title": "no address" },
    ]});
    site.page("/search", "application/json", answer.to_string());
    let source = searxng(&site);
    assert_eq!((source.name(), source.kind(), source.sends_out()), ("searxng", SourceKind::Search, true));
    let leads = find(&source, "how much & when?").await.unwrap();
    assert_eq!(leads.len(), 2);
    let first = Lead {
        address: "https://a.example/1".to_owned(),
        title: "A & B".to_owned(),
        snippet: "says this".to_owned(),
        published: Some("2026-03-03".to_owned()),
    };
    assert_eq!(leads[0], first);
    assert_eq!(leads[1].address, "https://b.example/");
    assert_eq!(site.visits(), ["/search?q=how+much+%26+when%3f&format=json"]);
}

#[tokio::test]
async fn searxng_below_a_path_is_asked_there() {
    let site = Site::open().await;
    site.page("/sub/search", "application/json", r#"{"results":[]}"#);
    let source = Searxng::new(&site.url("/sub"), nowhere()).unwrap();
    assert_eq!(find(&source, "x").await.unwrap(), []);
}

#[tokio::test]
async fn searxng_that_cannot_answer_says_what_to_do() {
    let site = Site::open().await;
    let source = searxng(&site);
    let at = site.url("");
    site.answer("/search", "403 Forbidden", "", "");
    assert_eq!(
        find(&source, "x").await.unwrap_err().to_string(),
        format!("the SearXNG at {at} does not return JSON: add `json` to `search.formats` in its settings.yml")
    );
    site.answer("/search", "302 Found", "location: http://elsewhere.example/\r\n", "");
    assert_eq!(
        find(&source, "x").await.unwrap_err().to_string(),
        format!("the SearXNG at {at} answered with status 302 Found")
    );
    site.page("/search", "text/html", "<html>Search</html>");
    let error = find(&source, "x").await.unwrap_err().to_string();
    assert!(error.contains("did not answer with search results in JSON"), "{error}");
    site.page("/search", "application/json", " ".repeat(3 << 20));
    assert!(find(&source, "x").await.unwrap_err().to_string().contains("more than 2097152 bytes"));
    let gone = Searxng::new("http://127.0.0.1:1/", nowhere()).unwrap();
    let error = find(&gone, "a private question").await.unwrap_err().to_string();
    assert_eq!(error, "the SearXNG at http://127.0.0.1:1 cannot be reached");
    for bad in ["", "searx.example", "ftp://searx.example"] {
        assert!(Searxng::new(bad, nowhere()).is_err(), "{bad}");
    }
}

#[tokio::test]
async fn brave_is_asked_with_its_key() {
    let site = Site::open().await;
    let answer = serde_json::json!({ "type": "search", "web": { "results": [
        { "url": "https://a.example/1?utm_source=brave", "title": "A", "page_age": "2026-03-03T10:00:00",
          "description": "It draws <strong>1,200 W</strong> &amp; more &#x27;today&#x27;" },
        { "url": "https://a.example/1", "title": "the same" },
    ]}});
    site.page("/res/v1/web/search", "application/json", answer.to_string());
    let source = brave(&site);
    assert_eq!((source.name(), source.kind(), source.sends_out()), ("brave", SourceKind::Search, true));
    let leads = find(&source, "pump watts").await.unwrap();
    assert_eq!(leads.len(), 1);
    assert_eq!(leads[0].snippet, "It draws 1,200 W & more 'today'");
    assert_eq!(leads[0].published.as_deref(), Some("2026-03-03"));
    assert_eq!(site.visits(), ["/res/v1/web/search?q=pump+watts&count=10"]);
    assert!(site.requests()[0].contains(&format!("x-subscription-token: {KEY}")));
    // If nothing is found, this part is absent.
    site.page("/res/v1/web/search", "application/json", r#"{"type":"search"}"#);
    assert_eq!(find(&source, &"many words ".repeat(100)).await.unwrap(), []);
    assert!(site.visits()[1].len() < 500);
}

#[tokio::test]
async fn brave_that_cannot_answer_says_why_and_never_the_key() {
    let site = Site::open().await;
    let source = brave(&site);
    for (status, words) in [
        ("401 Unauthorized", "rejected the key"),
        ("403 Forbidden", "rejected the key"),
        ("422 Unprocessable Entity", "rejected the question or the key"),
        ("429 Too Many Requests", "too many requests"),
        ("500 Internal Server Error", "answered with status 500"),
    ] {
        site.answer("/res/v1/web/search", status, "", KEY);
        let error = find(&source, "x").await.unwrap_err().to_string();
        assert!(error.contains(words) && !error.contains(KEY), "{status}: {error}");
    }
    let odd = Brave::new(&site.url(""), "with\nlines".to_owned().into(), nowhere()).unwrap();
    assert!(find(&odd, "x").await.unwrap_err().to_string().contains("contains invalid characters"));
}

#[tokio::test]
async fn what_a_search_finds_is_read_like_any_page() {
    let site = Site::open().await;
    site.page("/a", "text/html", "<p>Words.</p>");
    let lead = Lead {
        address: site.url("/a"),
        title: "A".to_owned(),
        snippet: String::new(),
        published: Some("2026-03-03".to_owned()),
    };
    let source = Searxng::new(&site.url(""), site.web(WebOptions::default())).unwrap();
    let reading = source.read(&owner(), &lead).await.unwrap();
    assert_eq!((reading.passages, reading.published), (vec!["Words.".to_owned()], lead.published.clone()));
    // A search result may name any URL; that does not make it reachable.
    let error = searxng(&site).read(&owner(), &lead).await.unwrap_err().to_string();
    assert_eq!(error, "will not fetch from 127.0.0.1: 127.0.0.1 is a loopback address");
}
