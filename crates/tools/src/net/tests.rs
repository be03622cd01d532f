//! Which addresses untrusted URLs can reach, and which not.

use std::{
    collections::VecDeque,
    io,
    net::{IpAddr, Ipv4Addr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use async_trait::async_trait;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpListener,
};

use super::{AllowRule, FetchError, FetchLimits, Fetcher, Hop, Resolver, next, refusal};

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Answers each query with the next list, and repeats the last one.
struct ScriptedResolver {
    answers: Mutex<VecDeque<Vec<IpAddr>>>,
    asked: AtomicUsize,
}

impl ScriptedResolver {
    fn new(answers: &[&[IpAddr]]) -> Arc<Self> {
        let answers = answers.iter().map(|answer| answer.to_vec()).collect();
        Arc::new(Self { answers: Mutex::new(answers), asked: AtomicUsize::new(0) })
    }
}

#[async_trait]
impl Resolver for ScriptedResolver {
    async fn resolve(&self, _: &str) -> io::Result<Vec<IpAddr>> {
        self.asked.fetch_add(1, SeqCst);
        let mut answers = self.answers.lock().unwrap();
        let answer = answers.front().cloned().unwrap_or_default();
        if answers.len() > 1 {
            answers.pop_front();
        }
        Ok(answer)
    }
}

/// A server that answers every request with the same bytes; returns its port and a request counter.
async fn serve(answer: impl Into<Vec<u8>>) -> (u16, Arc<AtomicUsize>) {
    let listener = TcpListener::bind((LOOPBACK, 0)).await.unwrap();
    let (port, answer) = (listener.local_addr().unwrap().port(), answer.into());
    let visits = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&visits);
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            count.fetch_add(1, SeqCst);
            let answer = answer.clone();
            tokio::spawn(async move {
                let mut request = [0; 4096];
                let _ = stream.read(&mut request).await;
                let _ = stream.write_all(&answer).await;
                // Without a final line break, the response goes on without end.
                if !answer.ends_with(b"\n") {
                    std::future::pending::<()>().await;
                }
            });
        }
    });
    (port, visits)
}

fn redirect(location: &str) -> String {
    format!("HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
}

fn allowing(ports: &[u16]) -> Fetcher {
    Fetcher::new(ports.iter().map(|port| format!("127.0.0.1:{port}").parse().unwrap()).collect())
}

async fn refused(fetcher: &Fetcher, url: &str) -> String {
    match fetcher.fetch(url, FetchLimits::default()).await {
        Err(error @ FetchError::Refused { .. }) => error.to_string(),
        other => panic!("{url}: {other:?}"),
    }
}

#[test]
fn addresses_of_the_public_internet_pass_and_others_do_not() {
    for public in [
        "1.1.1.1",
        "8.8.8.8",
        "93.184.216.34",
        "100.63.255.255",
        "100.128.0.0",
        "172.15.0.1",
        "172.32.0.1",
        "2606:4700::1111",
        "2a00:1450::1",
        "2002:808:808::1",
    ] {
        assert_eq!(refusal(public.parse().unwrap()), None, "{public}");
    }
    for (ip, why) in [
        ("127.0.0.1", "loopback"),
        ("127.255.255.254", "loopback"),
        ("0.0.0.0", "unspecified"),
        ("0.1.2.3", "unspecified"),
        ("10.0.0.1", "private"),
        ("172.16.0.1", "private"),
        ("172.31.255.255", "private"),
        ("192.168.0.1", "private"),
        ("100.64.0.1", "provider"),
        ("100.100.100.200", "provider"),
        ("169.254.169.254", "metadata"),
        ("168.63.129.16", "metadata"),
        ("169.254.1.1", "link-local"),
        ("192.0.2.1", "documentation"),
        ("198.51.100.1", "documentation"),
        ("203.0.113.1", "documentation"),
        ("198.18.0.1", "reserved"),
        ("192.0.0.192", "reserved"),
        ("224.0.0.1", "multicast"),
        ("240.0.0.1", "reserved"),
        ("255.255.255.255", "reserved"),
        ("::", "unspecified"),
        ("::1", "loopback"),
        ("::ffff:127.0.0.1", "embedded"),
        ("::ffff:8.8.8.8", "embedded"),
        ("::7f00:1", "embedded"),
        ("64:ff9b::8.8.8.8", "NAT64"),
        ("64:ff9b::127.0.0.1", "NAT64"),
        ("64:ff9b::169.254.169.254", "NAT64"),
        ("64:ff9b:1::1", "NAT64"),
        ("64:ff9b:1:a00:0:100::", "NAT64"),
        ("64:ff9b:2::1", "reserved"),
        ("2002:7f00:1::1", "embeds a refused"),
        ("2002:a00:1::1", "embeds a refused"),
        ("2001:0:7f00:1::", "embeds a refused"),
        ("2001:0:808:808:0:0:80ff:fffe", "embeds a refused"),
        ("2001:470::5efe:10.0.0.1", "embeds a refused"),
        ("fe80::1", "link-local"),
        ("fec0::1", "site-local"),
        ("fc00::1", "private"),
        ("fd00:ec2::254", "private"),
        ("ff02::1", "multicast"),
        ("2001:db8::1", "documentation"),
        ("100::1", "reserved"),
        ("4000::1", "reserved"),
    ] {
        let refusal = refusal(ip.parse().unwrap()).unwrap_or("nothing");
        assert!(refusal.contains(why), "{ip}: {refusal}");
    }
}

#[tokio::test]
async fn literals_are_read_however_they_are_written() {
    let fetcher = Fetcher::default();
    for url in [
        "http://127.0.0.1/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://[::1]/",
        "http://[::ffff:127.0.0.1]/",
        "http://[::ffff:7f00:1]/",
        "http://0/",
        "http://169.254.169.254/latest/meta-data",
        "http://[fd00:ec2::254]/",
        "http://[64:ff9b::808:808]/",
        "http://[64:ff9b::8.8.8.8]/",
        "http://１２７.0.0.1/",
    ] {
        refused(&fetcher, url).await;
    }
    let said = refused(&fetcher, "http://2130706433/").await;
    assert_eq!(said, "will not fetch from 127.0.0.1: 127.0.0.1 is a loopback address");
}

#[tokio::test]
async fn names_are_judged_by_each_of_their_addresses() {
    let fetcher =
        Fetcher::default().with_resolver(ScriptedResolver::new(&[&[[1, 1, 1, 1].into(), [10, 0, 0, 1].into()]]));
    assert!(refused(&fetcher, "http://two.example/").await.contains("10.0.0.1 is a private address"));
    for name in ["localhost", "localhost.", "LOCALHOST", "a.localhost"] {
        let error = refused(&Fetcher::default(), &format!("http://{name}/")).await;
        assert!(error.contains("a loopback address"), "{error}");
    }
    let nothing = Fetcher::default().with_resolver(ScriptedResolver::new(&[&[]]));
    let error = nothing.fetch("http://nowhere.example/", FetchLimits::default()).await.unwrap_err();
    assert_eq!(error.to_string(), "the name nowhere.example cannot be resolved");
}

#[tokio::test]
async fn what_is_no_address_from_outside_is_refused() {
    let fetcher = Fetcher::default();
    for url in ["file:///etc/passwd", "ftp://example.org/", "gopher://example.org/", "data:,x", "nonsense", "http://"] {
        let error = fetcher.fetch(url, FetchLimits::default()).await.unwrap_err();
        assert!(matches!(error, FetchError::BadUrl { .. }), "{url}: {error}");
    }
    assert!(refused(&fetcher, "http://user:pass@1.1.1.1/").await.contains("a password"));
    assert!(refused(&fetcher, "http://1.1.1.1:22/").await.contains("port 22"));
}

#[tokio::test]
async fn a_name_is_resolved_once_and_the_connection_goes_there() {
    let (port, visits) = serve("HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nhi\n").await;
    // Allowed at first and private the second time: there is no second lookup.
    let resolver = ScriptedResolver::new(&[&[LOOPBACK], &[[10, 0, 0, 1].into()]]);
    let fetcher = allowing(&[port]).with_resolver(Arc::clone(&resolver) as Arc<dyn Resolver>);
    let fetched = fetcher.fetch(&format!("http://rebind.example:{port}/"), FetchLimits::default()).await.unwrap();
    assert_eq!((fetched.status, fetched.bytes.as_slice()), (200, b"hi".as_slice()));
    assert_eq!((resolver.asked.load(SeqCst), visits.load(SeqCst)), (1, 1));

    // Public at first and local the second time: the connection goes to the public address.
    let (trap, caught) = serve("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let resolver = ScriptedResolver::new(&[&[[240, 0, 0, 1].into()], &[LOOPBACK]]);
    let fetcher = Fetcher::new(vec!["240.0.0.0/4".parse().unwrap()]).with_resolver(resolver);
    let limits = FetchLimits { timeout: Duration::from_millis(500), ..FetchLimits::default() };
    let error = fetcher.fetch(&format!("http://rebind.example:{trap}/"), limits).await.unwrap_err();
    assert!(matches!(error, FetchError::Unreachable { .. } | FetchError::TimedOut { .. }), "{error}");
    assert_eq!(caught.load(SeqCst), 0);
}

#[tokio::test]
async fn each_redirect_is_checked_like_the_first_address() {
    for (location, why) in [
        ("http://169.254.169.254/latest", "metadata"),
        ("//[::1]/", "loopback"),
        ("http://10.0.0.1/", "private"),
        ("http://u:p@1.1.1.1/", "password"),
        ("http://1.1.1.1:6379/", "port 6379"),
    ] {
        let (port, _) = serve(redirect(location)).await;
        let error = refused(&allowing(&[port]), &format!("http://127.0.0.1:{port}/")).await;
        assert!(error.contains(why), "{location}: {error}");
    }
    let (port, _) = serve(redirect("file:///etc/passwd")).await;
    let error =
        allowing(&[port]).fetch(&format!("http://127.0.0.1:{port}/"), FetchLimits::default()).await.unwrap_err();
    assert!(matches!(error, FetchError::BadUrl { .. }), "{error}");

    // The same name, resolved again for the second hop, is now private.
    let (port, _) = serve(redirect("http://rebind.example/")).await;
    let fetcher = allowing(&[port]).with_resolver(ScriptedResolver::new(&[&[LOOPBACK]]));
    assert!(refused(&fetcher, &format!("http://rebind.example:{port}/")).await.contains("loopback"));
}

#[tokio::test]
async fn redirects_are_followed_up_to_a_limit() {
    let (end, _) =
        serve("HTTP/1.1 404 Not Found\r\ncontent-type: Text/HTML; charset=utf-8\r\ncontent-length: 1\r\n\r\n\n").await;
    let (start, _) = serve(redirect(&format!("http://127.0.0.1:{end}/there#part"))).await;
    let fetcher = allowing(&[start, end]);
    let fetched = fetcher.fetch(&format!("http://127.0.0.1:{start}/"), FetchLimits::default()).await.unwrap();
    assert_eq!(fetched.final_url, format!("http://127.0.0.1:{end}/there"));
    assert_eq!((fetched.status, fetched.media_type.as_str()), (404, "text/html"));

    let (port, visits) = serve(redirect("/again")).await;
    let limits = FetchLimits { redirects_max: 3, ..FetchLimits::default() };
    let error = allowing(&[port]).fetch(&format!("http://127.0.0.1:{port}/"), limits).await.unwrap_err();
    assert_eq!(error.to_string(), "gave up on 127.0.0.1 after 3 redirects");
    assert_eq!(visits.load(SeqCst), 4);
}

#[tokio::test]
async fn bodies_are_cut_off_and_slow_ones_given_up() {
    let (port, _) = serve(format!("HTTP/1.1 200 OK\r\ncontent-length: 9999999\r\n\r\n{}", "x".repeat(5000))).await;
    let url = format!("http://127.0.0.1:{port}/");
    let limits = FetchLimits { bytes_max: 1000, timeout: Duration::from_millis(300), ..FetchLimits::default() };
    let fetched = allowing(&[port]).fetch(&url, limits).await.unwrap();
    assert_eq!((fetched.bytes.len(), fetched.is_cut), (1000, true));

    // The rest never comes.
    let error = allowing(&[port]).fetch(&url, FetchLimits { bytes_max: 1 << 20, ..limits }).await.unwrap_err();
    assert_eq!(error.to_string(), "127.0.0.1 did not answer in time");
}

#[tokio::test]
async fn the_head_says_how_it_is_written_and_how_long_it_may_be_kept() {
    let of = async |head: &str| {
        let (port, _) = serve(format!("HTTP/1.1 200 OK\r\n{head}content-length: 1\r\n\r\n\n")).await;
        allowing(&[port]).fetch(&format!("http://127.0.0.1:{port}/"), FetchLimits::default()).await.unwrap()
    };
    let plain = of("").await;
    assert_eq!((plain.media_type.as_str(), plain.charset), ("application/octet-stream", None));
    assert_eq!((plain.no_store, plain.max_age, plain.last_modified), (false, None, None));
    let told = of("Content-Type: text/html; x=1; Charset=\"ISO-8859-2\"\r\n\
                   Last-Modified: Tue, 03 Mar 2026 08:00:00 GMT\r\n\
                   Cache-Control: private, Max-Age=60\r\n")
    .await;
    assert_eq!((told.media_type.as_str(), told.charset.as_deref()), ("text/html", Some("iso-8859-2")));
    assert_eq!(told.last_modified.as_deref(), Some("Tue, 03 Mar 2026 08:00:00 GMT"));
    assert_eq!((told.no_store, told.max_age), (false, Some(Duration::from_secs(60))));
    assert!(of("Cache-Control: no-cache\r\nCache-Control: no-store\r\n").await.no_store);
    assert_eq!(of("Cache-Control: no-cache\r\n").await.max_age, Some(Duration::ZERO));
}

#[tokio::test]
async fn what_is_of_another_kind_is_not_read() {
    // The body never comes, so reading it would time out.
    let (port, _) = serve("HTTP/1.1 200 OK\r\ncontent-type: video/mp4\r\ncontent-length: 99999\r\n\r\nx").await;
    let url = format!("http://127.0.0.1:{port}/");
    let limits = FetchLimits { accept: &["text/html", "text/plain"], ..FetchLimits::default() };
    let error = allowing(&[port]).fetch(&url, limits).await.unwrap_err();
    assert_eq!(error.to_string(), "127.0.0.1 returned `video/mp4`, which is not supported");

    // The same for a compressed body, which was not requested.
    let head = "content-type: text/html\r\ncontent-encoding: gzip\r\ncontent-length: 2\r\n";
    let (port, _) = serve(format!("HTTP/1.1 200 OK\r\n{head}\r\n\u{1f}\n")).await;
    let error = allowing(&[port]).fetch(&format!("http://127.0.0.1:{port}/"), limits).await.unwrap_err();
    assert_eq!(error.to_string(), "127.0.0.1 returned `text/html compressed by gzip`, which is not supported");

    // For an error response, the status is what counts.
    let (port, _) = serve("HTTP/1.1 404 Not Found\r\ncontent-type: image/png\r\ncontent-length: 9\r\n\r\nx").await;
    let fetched = allowing(&[port]).fetch(&format!("http://127.0.0.1:{port}/"), limits).await.unwrap();
    assert_eq!((fetched.status, fetched.bytes.len()), (404, 0));
}

#[tokio::test]
async fn a_hop_stops_at_a_redirect() {
    let (port, visits) = serve(redirect("http://10.0.0.1/inside")).await;
    let hop = allowing(&[port]).hop(&format!("http://127.0.0.1:{port}/"), FetchLimits::default()).await.unwrap();
    assert_eq!(hop, Hop::Elsewhere("http://10.0.0.1/inside".to_owned()));
    assert_eq!(visits.load(SeqCst), 1);
    assert!(matches!(
        Fetcher::default().hop("http://10.0.0.1/inside", FetchLimits::default()).await,
        Err(FetchError::Refused { .. })
    ));
}

#[test]
fn a_redirect_may_not_give_up_https() {
    let url = |text: &str| text.parse().unwrap();
    let error = next(&url("https://a.example/"), "http://b.example/").unwrap_err();
    assert_eq!(error.to_string(), "will not fetch from b.example: a redirect leads from https to http");
    assert_eq!(next(&url("http://a.example/"), "https://b.example/").unwrap(), url("https://b.example/"));
    assert_eq!(next(&url("https://a.example/x/y"), "../z").unwrap(), url("https://a.example/z"));
}

#[test]
fn an_operator_allows_networks_and_ports() {
    let ip = "192.168.1.9".parse().unwrap();
    let allow = |text: &str| text.parse::<AllowRule>().unwrap();
    assert!(allow("192.168.1.0/24").permits("nas", ip, 5000));
    assert!(allow("NAS.local:8443").permits("nas.local", ip, 8443));
    assert!(!allow("nas.local:8443").permits("nas.local", ip, 443));
    assert!(!allow("nas.local:8443").permits("other", ip, 8443));
    assert!(allow("192.168.1.9:80").permits("whatever", ip, 80));
    assert_eq!(allow("[::1]:80"), AllowRule::HostPort("::1".to_owned(), 80));
    for bad in ["", "nas", "nas:", ":80", "http://x:80", "10.0.0.0/33", "a b:1"] {
        assert!(bad.parse::<AllowRule>().is_err(), "{bad}");
    }
}
