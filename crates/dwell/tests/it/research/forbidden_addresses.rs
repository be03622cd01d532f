//! Forbidden addresses: no spelling and no API reaches an address that untrusted input must not
//! reach.

use std::{
    collections::VecDeque,
    io,
    net::{IpAddr, Ipv4Addr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
};

use async_trait::async_trait;
use research::{
    read::pdf::InProcessPdfReader,
    web::{Web, WebOptions},
};
use serde_json::{Value, json};
use testkit::{ModelServer, RestClient, Site, SitePage};
use tools::net::{Fetcher, Resolver};

use crate::{harness::told, program};

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// Stands for a public address. No server is there, and the fetcher below may reach it.
const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(240, 0, 0, 1));

/// Spellings of forbidden addresses; `{port}` is the port of a trap on loopback.
const SPELLINGS: &[(&str, &str)] = &[
    ("plain", "http://127.0.0.1:{port}/trap"),
    ("another loopback", "http://127.9.9.9:{port}/trap"),
    ("decimal", "http://2130706433:{port}/trap"),
    ("octal", "http://0177.0.0.1:{port}/trap"),
    ("octal, long", "http://00000177.0.0.1:{port}/trap"),
    ("hex", "http://0x7f000001:{port}/trap"),
    ("hex, in parts", "http://0x7f.0x0.0x0.0x1:{port}/trap"),
    ("mixed", "http://0x7f.1:{port}/trap"),
    ("short", "http://127.1:{port}/trap"),
    ("zero", "http://0:{port}/trap"),
    ("all zeroes", "http://0.0.0.0:{port}/trap"),
    ("full-width digits", "http://１２７.0.0.1:{port}/trap"),
    ("circled digits", "http://①②⑦.⓪.⓪.①:{port}/trap"),
    ("full-width dots", "http://127。0。0。1:{port}/trap"),
    ("percent-encoded", "http://%31%32%37.0.0.1:{port}/trap"),
    ("trailing dot", "http://127.0.0.1.:{port}/trap"),
    ("by name", "http://localhost:{port}/trap"),
    ("by name with a dot", "http://localhost.:{port}/trap"),
    ("by a name under it", "http://trap.localhost:{port}/trap"),
    ("by name in capitals", "http://LOCALHOST:{port}/trap"),
    ("v6 loopback", "http://[::1]:{port}/trap"),
    ("v6 unspecified", "http://[::]:{port}/trap"),
    ("mapped", "http://[::ffff:127.0.0.1]:{port}/trap"),
    ("mapped in hex", "http://[::ffff:7f00:1]:{port}/trap"),
    ("mapped, written out", "http://[0:0:0:0:0:ffff:7f00:0001]:{port}/trap"),
    ("compatible", "http://[::7f00:1]:{port}/trap"),
    ("NAT64", "http://[64:ff9b::7f00:1]:{port}/trap"),
    ("NAT64 of a public one", "http://[64:ff9b::808:808]/trap"),
    ("local NAT64", "http://[64:ff9b:1::7f00:1]:{port}/trap"),
    ("6to4", "http://[2002:7f00:1::]:{port}/trap"),
    ("Teredo", "http://[2001:0:7f00:1::]:{port}/trap"),
    ("private", "http://10.0.0.1/trap"),
    ("private, 172", "http://172.16.0.1/trap"),
    ("private, 192", "http://192.168.1.1/trap"),
    ("a provider's", "http://100.64.0.1/trap"),
    ("private v6", "http://[fd00::1]/trap"),
    ("link-local", "http://169.254.1.1/trap"),
    ("link-local v6", "http://[fe80::1]/trap"),
    ("metadata", "http://169.254.169.254/latest/meta-data/"),
    ("metadata in decimal", "http://2852039166/latest/meta-data/"),
    ("metadata v6", "http://[fd00:ec2::254]/latest/meta-data/"),
    ("metadata of another cloud", "http://168.63.129.16/metadata"),
    ("multicast", "http://224.0.0.1/trap"),
    ("broadcast", "http://255.255.255.255/trap"),
    ("credentials", "http://user:secret@127.0.0.1:{port}/trap"),
    ("a host as credentials", "http://example.org@127.0.0.1:{port}/trap"),
    ("a backslash", "http://127.0.0.1:{port}\\@example.org/trap"),
    ("many slashes", "http:////127.0.0.1:{port}/trap"),
    ("credentials elsewhere", "http://user:secret@93.184.216.34/trap"),
    ("another port", "http://93.184.216.34:22/trap"),
    ("file", "file:///etc/passwd"),
    ("ftp", "ftp://127.0.0.1:{port}/trap"),
    ("gopher", "gopher://127.0.0.1:{port}/_trap"),
    ("dict", "dict://127.0.0.1:{port}/trap"),
    ("data", "data:text/html,trap"),
    ("javascript", "javascript:fetch('http://127.0.0.1:{port}/trap')"),
    ("ws", "ws://127.0.0.1:{port}/trap"),
    ("wss", "wss://127.0.0.1:{port}/trap"),
    ("nothing", "http://"),
    ("no address", "trap"),
];

/// What a host name resolves to, one answer for each lookup.
const NAMES: &[(&str, &[&[IpAddr]])] = &[
    ("means loopback", &[&[LOOPBACK]]),
    ("means both", &[&[PUBLIC, LOOPBACK]]),
    ("means loopback first", &[&[LOOPBACK, PUBLIC]]),
    ("means a private address", &[&[IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1))]]),
    ("means metadata", &[&[IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254))]]),
    ("changes its mind", &[&[PUBLIC], &[LOOPBACK]]),
    ("means nothing", &[&[]]),
];

struct ScriptedResolver {
    answers: Mutex<VecDeque<Vec<IpAddr>>>,
    asked: AtomicUsize,
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

fn at(spelling: &str, trap: &Site) -> String {
    let host = trap.host();
    spelling.replace("{port}", host.rsplit_once(':').unwrap().1)
}

/// A call that the client makes directly.
async fn page_read(rest: &RestClient, session: &str, url: &str) -> Value {
    let call = json!({ "tool": "page_read", "arguments": { "url": url } });
    told(rest, session, json!({ "message": "", "calls": [call] })).await
}

#[tokio::test]
async fn no_spelling_and_no_way_in_reaches_what_is_not_allowed() {
    let (trap, site, model) = (Site::start().await, Site::start().await, ModelServer::start().await);
    trap.put("/trap", SitePage::html("Trap", &["You should not be here. The trap has caught you."]));
    let urls: Vec<String> = SPELLINGS.iter().map(|(_, spelling)| at(spelling, &trap)).collect();
    for (number, url) in urls.iter().enumerate() {
        site.put(&format!("/to/{number}"), SitePage::redirect(url));
    }
    // A search that returns only forbidden addresses.
    let results: Vec<Value> =
        urls.iter().map(|url| json!({ "url": url, "title": "trap", "content": "trap" })).collect();
    site.put("/lies/search", SitePage::of("application/json", json!({ "results": results }).to_string()));
    let program = program()
        .with_model(&model)
        .with("DWELL_TOOLS_FETCH_ALLOW", &site.host())
        .with("SEARXNG_URL", &site.url("/lies"))
        .with("DWELL_HOME_ENABLED", "false")
        .with("DWELL_MEMORY_FOLLOW_SESSIONS", "false");
    let server = program.start().await;
    let rest = server.rest();
    let session = rest.session().await;

    for (number, ((name, _), url)) in SPELLINGS.iter().zip(&urls).enumerate() {
        // Directly, and through a redirect from an allowed site.
        for address in [url.clone(), site.url(&format!("/to/{number}"))] {
            // In a new session each, because a session that has read a page needs approval for the
            // next one.
            let turn = page_read(&rest, &rest.session().await, &address).await;
            let result = turn["steps"].as_array().unwrap().iter().find(|step| step["type"] == "tool_result").unwrap();
            assert_eq!(result["detail"]["status"], "error", "{name} ({address}): {turn}");
        }
        // As the address of a picture in a message.
        for address in [url.clone(), site.url(&format!("/to/{number}"))] {
            let body = json!({ "message": "What is it?", "images": [{ "url": address }] });
            let answer = rest.post(&format!("/api/v1/sessions/{session}/turns"), body).await;
            assert!((400..500).contains(&answer.status), "{name} ({address}): {}", answer.status);
        }
    }
    // Named in a question, and returned by a search.
    let named = urls.join(" and ");
    for message in [format!("research {named}"), "research the trap".to_owned()] {
        let session = rest.session().await;
        let turn = told(&rest, &session, json!({ "message": message })).await;
        let log = rest.log(&session).await;
        let chunks = log.iter().filter(|event| event["type"] == "research.chunk");
        let read: Vec<&Value> = chunks.filter(|event| event["data"]["status"] == "read").collect();
        assert!(read.is_empty(), "{read:?}");
        assert_eq!(turn["status"], "completed", "{turn}");
    }

    // By host names with chosen or changing answers; here the resolver is the test's own.
    for (name, answers) in NAMES {
        let answers = answers.iter().map(|answer| answer.to_vec()).collect();
        let resolver = Arc::new(ScriptedResolver { answers: Mutex::new(answers), asked: AtomicUsize::new(0) });
        let fetcher =
            Fetcher::new(vec!["240.0.0.1".parse().unwrap()]).with_resolver(Arc::clone(&resolver) as Arc<dyn Resolver>);
        let options =
            WebOptions { robots: false, timeout: std::time::Duration::from_millis(300), ..WebOptions::default() };
        let web = Web::new(fetcher, Arc::new(InProcessPdfReader), options);
        let page = web.page("http://trap.example/trap").await;
        assert!(page.is_err(), "a name that {name}: {page:?}");
        assert_eq!(resolver.asked.load(SeqCst), 1, "a name that {name} is asked once");
    }
    assert_eq!(trap.visits(), Vec::<String>::new());
}
