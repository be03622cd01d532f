//! Reverse proxies with the example files, changed only in addresses and TLS: requests, WebSockets
//! and event streams pass, and words of an answer are not held back.

use std::{net::TcpListener, path::Path, process::Stdio, time::Duration};

use futures::StreamExt;
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::{ModelServer, Program, Reply, RunningServer, Socket};
use tokio::process::{Child, Command};

use super::{documents, installed, read};
use crate::program;

const NAME: &str = "dwell.example.org";
const TOKEN: &str = "test-token-0123456789";
const PATIENCE: Duration = Duration::from_secs(30);

/// A server that knows the proxy's name, and a model that never ends its answer.
async fn behind() -> (ModelServer, Program, RunningServer) {
    let model = ModelServer::start().await;
    let program = program().with_model(&model);
    let program = program.with("DWELL_SERVER_HOSTS", NAME).with("DWELL_SERVER_TRUSTED_PROXIES", "127.0.0.1");
    let server = program.start().await;
    (model, program, server)
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

fn start(program: &Path, arguments: &[&str], envs: &[(&str, &str)]) -> Child {
    let mut command = Command::new(program);
    command.args(arguments).envs(envs.iter().copied()).kill_on_drop(true);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// A request as a client of the proxy makes it.
fn get(proxy: &str, path: &str) -> reqwest::RequestBuilder {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    client.get(format!("{proxy}{path}")).header("host", NAME).bearer_auth(TOKEN)
}

async fn until_ready(proxy: &str) {
    let ready = async {
        while !get(proxy, "/healthz").send().await.is_ok_and(|response| response.status() == 200) {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    assert!(tokio::time::timeout(PATIENCE, ready).await.is_ok(), "the proxy passes no requests on");
}

/// What every proxy has to pass on.
async fn passes_everything_on(proxy: &str, model: &ModelServer) {
    until_ready(proxy).await;
    let authorization = format!("Bearer {TOKEN}");
    let headers = [("host", NAME), ("authorization", authorization.as_str())];
    let (mut socket, _) = Socket::connect_with(proxy, "", &headers).await.unwrap();
    let session = socket.ask("session.start", json!({})).await.unwrap()["session_id"].as_str().unwrap().to_owned();

    // The model says its first words and then nothing, so the stream is open when they arrive.
    model.push(Reply::text("words ".repeat(40)).stall_after(30));
    let stream = get(proxy, &format!("/events/{session}?after=0")).send().await.unwrap();
    assert_eq!(stream.status(), 200);
    socket.ask("chat.send", json!({ "session_id": session, "message": "talk" })).await.unwrap();
    let mut stream = stream.bytes_stream();
    let mut text = String::new();
    let live = async {
        while !text.contains("words") {
            text += &String::from_utf8_lossy(&stream.next().await.unwrap().unwrap());
        }
    };
    assert!(tokio::time::timeout(PATIENCE, live).await.is_ok(), "words are held back while the answer goes on");
    let live = socket.until(|message| message.to_string().contains("words")).await;
    assert!(!live.is_empty());
    model.until(|model| model.in_flight() == 1).await;

    // The server knows the scheme and the name that the client used: the proxy tells it.
    let metadata = get(proxy, "/.well-known/oauth-protected-resource/mcp").send().await.unwrap();
    let metadata: Value = metadata.json().await.unwrap();
    assert_eq!(metadata["resource"], format!("http://{NAME}/mcp"));

    // A name that the server does not know is refused by it, also behind a proxy.
    let foreign = get(proxy, "/api/v1/sessions").header("origin", "https://evil.example").send().await.unwrap();
    assert_eq!(foreign.status(), 403);
}

#[tokio::test]
async fn nginx_passes_requests_sockets_and_streams() {
    let Some(nginx) = installed("nginx") else { return };
    let (model, _program, server) = behind().await;
    let (folder, port) = (TempDir::new().unwrap(), free_port());
    let upstream = server.url().trim_start_matches("http://");
    let mut site = read("proxy/nginx.conf").replace("127.0.0.1:7437", upstream);
    for (from, to) in [
        ("listen 443 ssl;", format!("listen 127.0.0.1:{port};")),
        ("listen [::]:443 ssl;", String::new()),
        ("ssl_certificate /etc/ssl/dwell/fullchain.pem;", String::new()),
        ("ssl_certificate_key /etc/ssl/dwell/privkey.pem;", String::new()),
    ] {
        assert!(site.contains(from), "the example has changed: {from}");
        site = site.replace(from, &to);
    }
    let at = folder.path().display();
    // One process: workers would outlive a master that is killed.
    let whole = format!(
        "daemon off;\nmaster_process off;\npid {at}/pid;\nerror_log {at}/errors;\nevents {{}}\nhttp {{\naccess_log off;\n\
         client_body_temp_path {at}/body;\nproxy_temp_path {at}/proxy;\nfastcgi_temp_path {at}/fastcgi;\n\
         uwsgi_temp_path {at}/uwsgi;\nscgi_temp_path {at}/scgi;\n{site}\n}}\n"
    );
    let file = folder.path().join("nginx.conf");
    std::fs::write(&file, whole).unwrap();
    let prefix = folder.path().to_str().unwrap();
    let _proxy = start(&nginx, &["-p", prefix, "-e", "errors", "-c", file.to_str().unwrap()], &[]);
    passes_everything_on(&format!("http://127.0.0.1:{port}"), &model).await;
}

#[tokio::test]
async fn caddy_passes_requests_sockets_and_streams() {
    let Some(caddy) = installed("caddy") else { return };
    let (model, _program, server) = behind().await;
    let (folder, port) = (TempDir::new().unwrap(), free_port());
    let file = folder.path().join("Caddyfile");
    // No port for its own administration, which two tests would share.
    std::fs::write(&file, format!("{{\n\tadmin off\n}}\n{}", read("proxy/Caddyfile"))).unwrap();
    let (home, host) = (folder.path().to_str().unwrap(), format!("http://{NAME}:{port}"));
    let upstream = server.url().trim_start_matches("http://");
    let envs = [("DWELL_HOST", host.as_str()), ("DWELL_UPSTREAM", upstream), ("HOME", home), ("XDG_DATA_HOME", home)];
    let _proxy = start(&caddy, &["run", "--config", file.to_str().unwrap(), "--adapter", "caddyfile"], &envs);
    passes_everything_on(&format!("http://127.0.0.1:{port}"), &model).await;
}

#[test]
fn traefik_leads_to_the_port_of_dwell() {
    let [settings] = documents("proxy/traefik.yaml").try_into().unwrap();
    let router: &Value = &settings["http"]["routers"]["dwell"];
    let service = &settings["http"]["services"][router["service"].as_str().unwrap()]["loadBalancer"];
    assert!(router["rule"].as_str().unwrap().contains(NAME), "{router}");
    assert_eq!(service["servers"][0]["url"], "http://127.0.0.1:7437");
    assert_eq!((&service["passHostHeader"], &service["healthCheck"]["path"]), (&json!(true), &json!("/healthz")));
    assert!(service["responseForwarding"]["flushInterval"].is_string(), "{service}");
}
