//! Pictures in a message: as bytes, or as an address that Dwell fetches through its address checks.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};
use testkit::{ModelServer, Program, RestClient, RestResponse, RunningServer};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Notify,
};

use crate::{program, started};

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0not much of a picture";
/// The same picture in base64.
const PNG_BASE64: &str = "iVBORw0KGgoAbm90IG11Y2ggb2YgYSBwaWN0dXJl";
/// One byte more than the largest picture.
const TOO_LARGE: usize = 5 * 1024 * 1024 + 1;

/// A picture server on a local port. By path, it serves a picture, a page, a huge body, redirects,
/// or an answer that is delayed.
struct PictureServer {
    address: String,
    /// Releases `/slow`.
    go_on: Arc<Notify>,
}

impl PictureServer {
    async fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let go_on = Arc::new(Notify::new());
        let held = go_on.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(show(stream, held.clone()));
            }
        });
        Self { address, go_on }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

async fn show(stream: TcpStream, held: Arc<Notify>) {
    let mut request = Vec::new();
    while !request.ends_with(b"\r\n\r\n") {
        let mut more = [0; 4096];
        stream.readable().await.unwrap();
        match stream.try_read(&mut more) {
            Ok(0) => return,
            Ok(count) => request.extend(&more[..count]),
            Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::WouldBlock),
        }
    }
    let request = String::from_utf8_lossy(&request).into_owned();
    let path = request.split(' ').nth(1).unwrap_or_default();
    let (kind, body) = match path {
        "/page" => ("text/html", b"<html></html>".to_vec()),
        "/huge" => ("image/png", vec![0; TOO_LARGE]),
        _ => ("image/png; charset=binary", PNG.to_vec()),
    };
    if path == "/slow" {
        held.notified().await;
    }
    let head = match path.strip_prefix("/to/") {
        Some(target) => format!("HTTP/1.1 302 Found\r\nlocation: http://{target}\r\ncontent-length: 0\r\n\r\n"),
        None if path == "/gone" => "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".to_owned(),
        None => format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n", body.len()),
    };
    let mut out = head.into_bytes();
    if out.starts_with(b"HTTP/1.1 200") {
        out.extend(body);
    }
    let mut sent = 0;
    while sent < out.len() && stream.writable().await.is_ok() {
        match stream.try_write(&out[sent..]) {
            Ok(count) => sent += count,
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {}
            Err(_) => return,
        }
    }
}

/// A picture server, a model, and a program that may fetch from that server.
async fn allowed() -> (PictureServer, ModelServer, Program, RunningServer) {
    let (gallery, model) = (PictureServer::open().await, ModelServer::start().await);
    let program = program().with_model(&model).with("DWELL_TOOLS_FETCH_ALLOW", &gallery.address);
    let server = program.start().await;
    (gallery, model, program, server)
}

async fn send(rest: &RestClient, images: Value) -> RestResponse {
    let session = rest.session().await;
    let body = json!({ "message": "What is in this picture?", "images": images });
    let answer = rest.post(&format!("/api/v1/sessions/{session}/turns"), body).await;
    if answer.status != 202 {
        assert_eq!(rest.log(&session).await.len(), 1, "what is refused leaves no trace");
    }
    answer
}

/// The pictures in the last request to the model.
fn seen(model: &ModelServer) -> Vec<String> {
    let request = model.requests().pop().unwrap();
    let last = request.messages().last().unwrap().clone();
    let parts = last["content"].as_array().cloned().unwrap_or_default();
    parts.iter().filter_map(|part| part["image_url"]["url"].as_str().map(str::to_owned)).collect()
}

#[tokio::test]
async fn bytes_reach_the_model_and_stay_with_the_turn() {
    let (model, program, server) = started().await;
    let images = json!([
        { "media_type": "image/png", "data": PNG_BASE64 }, { "media_type": "image/jpeg", "data": "/9j/" },
    ]);
    let rest = server.rest();
    let accepted = send(&rest, images.clone()).await.ok();
    let turn_id = accepted["turn_id"].as_str().unwrap();
    assert_eq!(rest.ended(turn_id).await["status"], "completed");
    let told = [format!("data:image/png;base64,{PNG_BASE64}"), "data:image/jpeg;base64,/9j/".to_owned()];
    assert_eq!(seen(&model), told);

    server.kill().await;
    let server = program.start().await;
    let rest = server.rest();
    let turn = rest.ended(turn_id).await;
    assert_eq!(turn["request"]["images"], images);
    let again = rest.post(&format!("/api/v1/turns/{turn_id}/retry"), json!({})).await.ok();
    assert_eq!(rest.ended(again["turn_id"].as_str().unwrap()).await["status"], "completed");
    assert_eq!(seen(&model), told, "a retry shows them again");
}

#[tokio::test]
async fn an_address_that_is_allowed_is_fetched_once_and_its_bytes_are_kept() {
    let (gallery, model, _program, server) = allowed().await;
    let rest = server.rest();
    for path in ["/picture", &format!("/to/{}/picture", gallery.address)] {
        let accepted = send(&rest, json!([{ "url": gallery.url(path) }])).await.ok();
        let turn = rest.ended(accepted["turn_id"].as_str().unwrap()).await;
        assert_eq!(turn["status"], "completed", "{turn}");
        assert_eq!(seen(&model), [format!("data:image/png;base64,{PNG_BASE64}")]);
        assert_eq!(turn["request"]["images"], json!([{ "media_type": "image/png", "data": PNG_BASE64 }]));
    }
}

#[tokio::test]
async fn addresses_that_only_this_machine_can_reach_are_refused() {
    let gallery = PictureServer::open().await;
    let (model, _program, server) = started().await;
    let rest = server.rest();
    let (local, port) = (gallery.url("/picture"), gallery.address.rsplit(':').next().unwrap());
    for (url, why) in [
        (local.clone(), "loopback"),
        (format!("http://localhost:{port}/picture"), "loopback"),
        (format!("http://[::1]:{port}/picture"), "loopback"),
        (format!("http://[::ffff:127.0.0.1]:{port}/picture"), "an embedded IPv4 address"),
        (format!("http://[::ffff:7f00:1]:{port}/picture"), "an embedded IPv4 address"),
        (format!("http://[64:ff9b::7f00:1]:{port}/picture"), "NAT64"),
        (format!("http://2130706433:{port}/picture"), "loopback"),
        (format!("http://0x7f.1:{port}/picture"), "loopback"),
        (format!("http://0:{port}/picture"), "unspecified"),
        ("http://10.0.0.1/picture".to_owned(), "private"),
        ("http://192.168.1.1/picture".to_owned(), "private"),
        ("http://[fd00::1]/picture".to_owned(), "private"),
        ("http://169.254.169.254/latest/meta-data/".to_owned(), "metadata"),
        ("http://[64:ff9b::a9fe:a9fe]/latest/".to_owned(), "NAT64"),
        ("http://8.8.8.8:22/".to_owned(), "port 22"),
        ("file:///etc/passwd".to_owned(), "only http and https"),
        ("picture.png".to_owned(), "cannot be downloaded"),
    ] {
        let refused = send(&rest, json!([{ "url": url }])).await;
        assert_eq!(refused.code(400), "invalid_request");
        assert!(refused.body.to_string().contains(why), "{url}: {}", refused.body);
    }
    let with_password = local.replace("http://", "http://ada:secret@");
    let refused = send(&rest, json!([{ "url": with_password }])).await;
    assert_eq!(refused.code(400), "invalid_request");
    let told = refused.body.to_string();
    assert!(told.contains("user name or a password") && !told.contains("secret"), "{told}");
    assert_eq!(model.requests().len(), 0);
}

#[tokio::test]
async fn what_an_allowed_server_gives_is_looked_at_all_the_same() {
    let (gallery, model, _program, server) = allowed().await;
    let rest = server.rest();
    let elsewhere = PictureServer::open().await;
    for (path, why) in [
        ("/to/169.254.169.254/latest/".to_owned(), "metadata"),
        (format!("/to/{}/picture", elsewhere.address), "loopback"),
        (format!("/to/ada:secret@{}/picture", gallery.address), "password"),
        (
            format!("/to/[::ffff:127.0.0.1]:{}/picture", elsewhere.address.rsplit(':').next().unwrap()),
            "an embedded IPv4 address",
        ),
        ("/page".to_owned(), "text/html"),
        ("/huge".to_owned(), "at most"),
        ("/gone".to_owned(), "404"),
    ] {
        let refused = send(&rest, json!([{ "url": gallery.url(&path) }])).await;
        assert_eq!(refused.code(400), "invalid_request", "{path}");
        assert!(refused.body.to_string().contains(why), "{path}: {}", refused.body);
    }
    assert_eq!(model.requests().len(), 0);
}

#[tokio::test]
async fn what_is_no_picture_is_refused() {
    let (model, _program, server) = started().await;
    let rest = server.rest();
    for (image, why) in [
        (json!({ "media_type": "image/png", "data": "not base64!" }), "base64"),
        (json!({ "media_type": "image/png", "data": "abc" }), "base64"),
        (json!({ "media_type": "image/png", "data": "a===" }), "base64"),
        (json!({ "media_type": "image/png", "data": "" }), "base64"),
        (json!({ "media_type": "image/svg+xml", "data": PNG_BASE64 }), "image/svg+xml"),
        (json!({ "media_type": "text/plain", "data": PNG_BASE64 }), "text/plain"),
        (json!({ "media_type": "image/png" }), "either `media_type` and `data`, or `url`"),
        (json!({ "media_type": "image/png", "data": PNG_BASE64, "url": "http://example.com/" }), "either"),
    ] {
        let refused = send(&rest, json!([image])).await;
        assert_eq!(refused.code(400), "invalid_request", "{image}");
        assert!(refused.body.to_string().contains(why), "{image}: {}", refused.body);
    }
    let many = vec![json!({ "media_type": "image/png", "data": PNG_BASE64 }); 9];
    let refused = send(&rest, json!(many)).await;
    assert_eq!(refused.code(413), "too_large");
    assert!(refused.body.to_string().contains("at most 8 images"), "{}", refused.body);
    assert_eq!(model.requests().len(), 0);
}

#[tokio::test]
async fn a_socket_answers_while_a_picture_is_slow_to_come() {
    let (gallery, model, _program, server) = allowed().await;
    let mut socket = server.socket().await;
    let send = json!({
        "conversation_id": "c", "message": "What is in this picture?", "images": [{ "url": gallery.url("/slow") }],
    });
    socket.send_text(&json!({ "type": "chat.send", "id": "slow", "data": send }).to_string()).await;
    let prompt = tokio::time::timeout(Duration::from_secs(5), async {
        socket.ask("ping", json!({})).await.unwrap();
        let other = json!({ "conversation_id": "other", "message": "hello" });
        let accepted = socket.ask("chat.send", other).await.unwrap();
        socket.until_end_of(&accepted["turn_id"]).await
    });
    let seen_meanwhile = prompt.await.expect("the reader does not wait for the picture");
    assert!(seen_meanwhile.iter().all(|message| message["re"] != "slow"), "nothing is accepted without its pictures");
    gallery.go_on.notify_one();
    let answered = socket.until(|message| message["re"] == "slow").await.pop().unwrap();
    assert_eq!(answered["type"], "ok", "{answered}");
    socket.until_end_of(&answered["data"]["turn_id"]).await;
    assert_eq!(seen(&model), [format!("data:image/png;base64,{PNG_BASE64}")]);
}
