//! Web pages: what is fetched, what is refused, and what is cached.

use std::time::Duration;

use research::web::{WebError, WebOptions};
use tools::net::FetchError;

use crate::{
    paper::pdf,
    site::{Site, web},
};

const HTML: &str = "text/html; charset=utf-8";

#[tokio::test]
async fn a_page_is_read_with_its_title_and_date() {
    let site = Site::open().await;
    site.page(
        "/pump",
        "text/html; charset=iso-8859-1",
        b"<title>Pump</title><time datetime=2026-03-03></time><table><tr><th>a<th>b<tr><td>K\xfche<td>2</table>",
    );
    let page = site.web(WebOptions::default()).page(&site.url("/pump#part")).await.unwrap();
    assert_eq!((page.url, page.is_cached), (site.url("/pump"), false));
    assert_eq!((page.text.title.as_deref(), page.text.published.as_deref()), (Some("Pump"), Some("2026-03-03")));
    assert_eq!(page.text.body, "| a | b |\n| Kühe | 2 |");
    assert_eq!(site.visits(), ["/robots.txt", "/pump"]);
    let asked = &site.requests()[1];
    assert!(asked.contains("accept: text/html, application/xhtml+xml"), "{asked}");
    assert!(asked.contains("user-agent: dwell/") && !asked.contains("accept-encoding"), "{asked}");
}

#[tokio::test]
async fn texts_and_pdf_are_read_as_what_they_are() {
    let site = Site::open().await;
    site.page("/a.txt", "text/plain", b"na\xefve").page("/a.md", "text/plain", "# T\n\nx");
    site.page("/b", "text/markdown", "---\ntitle: B\n---\ny").page("/p", "application/pdf", pdf("", &["In print."]));
    let dated = "content-type: text/plain\r\nlast-modified: Tue, 03 Mar 2026 08:00:00 GMT\r\n";
    site.answer("/old", "200 OK", dated, "old");
    let web = site.web(WebOptions::default());
    let read = async |path: &str| web.page(&site.url(path)).await.unwrap().text;
    assert_eq!(read("/a.txt").await.body, "naïve");
    assert_eq!(read("/a.md").await.title.as_deref(), Some("T"));
    assert_eq!(read("/b").await.title.as_deref(), Some("B"));
    assert_eq!(read("/p").await.body, "In print.");
    assert_eq!(read("/old").await.published.as_deref(), Some("2026-03-03"));
}

#[tokio::test]
async fn other_types_are_refused_before_their_body_is_read() {
    let site = Site::open().await;
    // The body never arrives.
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\ncontent-length: 999999999\r\n\r\n".to_vec();
    site.raw("/film", head);
    let error = site.web(WebOptions::default()).page(&site.url("/film")).await.unwrap_err();
    assert!(matches!(error, WebError::Fetch(FetchError::WrongType { .. })), "{error}");
    assert_eq!(error.to_string(), "127.0.0.1 returned `video/mp4`, which is not supported");
}

#[tokio::test]
async fn failures_say_what_failed_and_are_not_kept() {
    let site = Site::open().await;
    site.answer("/broken", "500 Internal Server Error", "content-type: text/html\r\n", "<p>sorry</p>");
    site.page("/scan", "application/pdf", pdf("", &[""]));
    let web = site.web(WebOptions::default());
    let error = async |path: &str| web.page(&site.url(path)).await.unwrap_err().to_string();
    assert_eq!(error("/broken").await, "127.0.0.1 answered with status 500");
    assert_eq!(error("/missing").await, "127.0.0.1 answered with status 404");
    assert!(error("/scan").await.contains("the PDF has no text"));
    assert!(error("/broken").await.contains("500"));
    assert_eq!(site.visits().iter().filter(|path| *path == "/broken").count(), 2);
    for bad in
        ["ftp://127.0.0.1/", "nonsense", "javascript:alert(1)", &format!("http://a.example/{}", "x".repeat(9000))]
    {
        let error = web.page(bad).await.unwrap_err();
        assert!(
            matches!(error, WebError::Fetch(FetchError::BadUrl { .. })) && error.to_string().len() < 300,
            "{error}"
        );
    }
}

#[tokio::test]
async fn large_pages_are_read_as_far_as_they_go_and_large_pdf_not_at_all() {
    let site = Site::open().await;
    site.page("/long", HTML, format!("<p>{}</p>", "word ".repeat(1000)));
    site.page("/print", "application/pdf", pdf("", &["In print."]));
    let web = site.web(WebOptions { bytes_max: 500, ..WebOptions::default() });
    let page = web.page(&site.url("/long")).await.unwrap();
    assert!(page.text.body.starts_with("word word") && page.text.body.len() < 500);
    let error = web.page(&site.url("/print")).await.unwrap_err();
    assert_eq!(error.to_string(), "the PDF at 127.0.0.1 is larger than 500 bytes");
}

#[tokio::test]
async fn robots_are_asked_first_and_once() {
    let site = Site::open().await;
    site.page("/robots.txt", "text/plain", "User-agent: *\nDisallow: /private\nDisallow: /*?print=");
    site.page("/open", HTML, "<p>open</p>").page("/private/a", HTML, "<p>private</p>");
    let web = site.web(WebOptions::default());
    assert!(web.page(&site.url("/open")).await.is_ok());
    for path in ["/private/a", "/%70rivate/a", "/open?print=1"] {
        let error = web.page(&site.url(path)).await.unwrap_err();
        assert_eq!(error, WebError::Robots { host: "127.0.0.1".to_owned() }, "{path}");
    }
    assert_eq!(site.visits(), ["/robots.txt", "/open"]);
    // The operator can switch it off.
    let web = site.web(WebOptions { robots: false, ..WebOptions::default() });
    assert_eq!(web.page(&site.url("/private/a")).await.unwrap().text.body, "private");
}

#[tokio::test]
async fn robots_that_are_missing_allow_and_those_in_trouble_do_not() {
    let site = Site::open().await;
    site.page("/a", HTML, "<p>a</p>").answer("/robots.txt", "403 Forbidden", "", "");
    assert!(site.web(WebOptions::default()).page(&site.url("/a")).await.is_ok());
    site.answer("/robots.txt", "503 Service Unavailable", "", "");
    let web = site.web(WebOptions::default());
    for _ in 0..2 {
        let error = web.page(&site.url("/a")).await.unwrap_err();
        assert_eq!(error, WebError::NoRobots { host: "127.0.0.1".to_owned(), status: 503 });
    }
    site.answer("/robots.txt", "302 Found", "location: /robots.txt\r\n", "");
    assert!(site.web(WebOptions::default()).page(&site.url("/a")).await.is_ok());
    assert_eq!(site.visits().iter().filter(|path| *path == "/a").count(), 2);
}

#[tokio::test]
async fn robots_are_asked_again_after_an_hour() {
    let site = Site::open().await;
    site.page("/a", HTML, "<p>a</p>").page("/b", HTML, "<p>b</p>");
    let web = site.web(WebOptions::default());
    assert!(web.page(&site.url("/a")).await.is_ok());
    site.page("/robots.txt", "text/plain", "User-agent: *\nDisallow: /");
    assert!(web.page(&site.url("/b")).await.is_ok());
    pass(Duration::from_secs(3601)).await;
    assert!(matches!(web.page(&site.url("/b")).await, Err(WebError::Robots { .. })));
}

#[tokio::test]
async fn redirects_are_followed_where_their_sites_allow_it() {
    let (start, end) = (Site::open().await, Site::open().await);
    start.answer("/go", "302 Found", &format!("location: {}\r\n", end.url("/there")), "");
    start.answer("/no", "301 Moved Permanently", &format!("location: {}\r\n", end.url("/private")), "");
    start.answer("/inside", "302 Found", "location: http://169.254.169.254/latest\r\n", "");
    start.answer("/round", "302 Found", "location: /round\r\n", "");
    end.page("/robots.txt", "text/plain", "User-agent: dwell\nDisallow: /private").page("/there", HTML, "<p>there</p>");
    let web = web(&[&start, &end], WebOptions::default());
    let page = web.page(&start.url("/go")).await.unwrap();
    assert_eq!((page.url, page.text.body.as_str()), (end.url("/there"), "there"));
    assert!(matches!(web.page(&start.url("/no")).await, Err(WebError::Robots { .. })));
    let error = web.page(&start.url("/inside")).await.unwrap_err();
    assert!(matches!(error, WebError::Fetch(FetchError::Refused { .. })), "{error}");
    let error = web.page(&start.url("/round")).await.unwrap_err();
    assert_eq!(error.to_string(), "gave up on 127.0.0.1 after 5 redirects");
    assert_eq!(end.visits(), ["/robots.txt", "/there"]);
}

#[tokio::test]
async fn what_strangers_may_not_reach_is_refused_with_and_without_robots() {
    let site = Site::open().await;
    for robots in [true, false] {
        let web = web(&[], WebOptions { robots, ..WebOptions::default() });
        for url in [site.url("/"), "http://[::1]/".to_owned(), "http://u:p@1.1.1.1/".to_owned()] {
            let error = web.page(&url).await.unwrap_err();
            assert!(matches!(error, WebError::Fetch(FetchError::Refused { .. })), "{url}: {error}");
        }
    }
    assert_eq!(site.visits(), Vec::<String>::new());
}

#[tokio::test]
async fn pages_are_kept_for_a_while() {
    let site = Site::open().await;
    let kept = |cache: &str| format!("content-type: text/html\r\n{cache}");
    site.answer("/long", "200 OK", &kept("cache-control: max-age=99999\r\n"), "<p>long</p>");
    site.answer("/short", "200 OK", &kept("cache-control: max-age=60\r\n"), "<p>short</p>");
    site.answer("/never", "200 OK", &kept("cache-control: no-store\r\n"), "<p>never</p>");
    let web = site.web(WebOptions { robots: false, ..WebOptions::default() });
    let is_cached = async |path: &str| web.page(&site.url(path)).await.unwrap().is_cached;
    for (path, again) in [("/long", true), ("/short", true), ("/never", false)] {
        assert!(!is_cached(path).await);
        assert_eq!(is_cached(path).await, again, "{path}");
    }
    assert!(is_cached("/long#elsewhere").await);
    pass(Duration::from_secs(61)).await;
    assert!(is_cached("/long").await && !is_cached("/short").await);
    pass(Duration::from_secs(15 * 60)).await;
    assert!(!is_cached("/long").await);
}

#[tokio::test]
async fn what_several_want_at_once_is_fetched_once() {
    let site = Site::open().await;
    site.page("/a", HTML, "<p>a</p>").page("/b", HTML, "<p>b</p>");
    let web = site.web(WebOptions::default());
    let (a, b) = (site.url("/a"), site.url("/b"));
    let (first, second, other) = tokio::join!(web.page(&a), web.page(&a), web.page(&b));
    assert_eq!((first.unwrap().is_cached, second.unwrap().is_cached, other.unwrap().is_cached), (false, true, false));
    let mut visits = site.visits();
    visits.sort();
    assert_eq!(visits, ["/a", "/b", "/robots.txt"]);

    // The first caller may stop waiting; the others still get the page.
    site.page("/c", HTML, "<p>c</p>");
    let c = site.url("/c");
    let (left, stayed) = tokio::join!(
        async {
            tokio::select! { biased; page = web.page(&c) => Some(page), () = std::future::ready(()) => None }
        },
        web.page(&c)
    );
    assert!(left.is_none());
    assert_eq!(stayed.unwrap().text.body, "c");
    assert_eq!(site.visits().iter().filter(|path| *path == "/c").count(), 1);
}

/// Advances the time.
async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}
