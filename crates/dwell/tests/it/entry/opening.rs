//! The link that the server prints, and `dwell open`.

use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf, time::Duration};

use serde_json::{Value, json};
use testkit::Program;

use super::Browser;
use crate::program;

/// The program with a fake browser that writes the address it was given to a file.
fn with_browser(program: Program) -> (Program, PathBuf) {
    let folder = program.folder().join("bin");
    fs::create_dir(&folder).unwrap();
    let (script, shown) = (folder.join("xdg-open"), folder.join("shown"));
    fs::write(&script, format!("#!/bin/sh\necho \"$1\" > '{0}.new' && mv '{0}.new' '{0}'\n", shown.display())).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.display());
    (program.with("PATH", &path), shown)
}

/// The address that the browser was given, once it is there.
async fn shown(path: &PathBuf) -> String {
    for _ in 0..3000 {
        if let Ok(link) = fs::read_to_string(path) {
            return link.trim().to_owned();
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("no browser was started");
}

/// The invitation in a link to this server.
fn invitation(link: &str, url: &str) -> Value {
    let invitation = link.strip_prefix(&format!("{url}/#invitation=")).unwrap_or_else(|| panic!("{link}"));
    json!({ "invitation": invitation })
}

#[tokio::test]
async fn the_server_prints_a_link_that_lets_in_once() {
    let program = program();
    let server = program.start().await;
    let lines = server.greeting();
    assert!(lines.last().unwrap().starts_with("listening on "), "{lines:?}");
    let line = lines.iter().find_map(|line| line.strip_prefix("page "));
    let Some(line) = line else {
        assert!(lines.iter().any(|line| line.starts_with("no page: ")), "{lines:?}");
        return;
    };
    let (link, remark) = line.split_once(' ').unwrap();
    assert_eq!(remark, "(works once, within ten minutes; `dwell open` makes another)");
    let proof = invitation(link, server.url());
    assert_eq!(Browser::new(&server).enter(proof.clone()).await.ok()["owner"], "owner");
    assert_eq!(Browser::new(&server).enter(proof).await.status, 401);
}

#[tokio::test]
async fn open_prints_a_link_that_lets_in_once() {
    let program = program();
    let server = program.start().await;
    let printed = program.run(&["open", "--print"]).await;
    assert_eq!(printed.code(), 0, "{}", printed.stderr);
    let proof = invitation(printed.stdout.trim(), server.url());
    assert_eq!(Browser::new(&server).enter(proof.clone()).await.ok()["owner"], "owner");
    assert_eq!(Browser::new(&server).enter(proof).await.status, 401);

    let printed = program.run(&["open", "--print", "--json"]).await.stdout;
    let printed: Value = serde_json::from_str(&printed).unwrap();
    assert!(printed["opened"] == false && printed["expires_at"].is_string(), "{printed}");
    let proof = invitation(printed["url"].as_str().unwrap(), server.url());
    Browser::new(&server).enter(proof).await.ok();
}

#[tokio::test]
async fn open_shows_the_page_in_the_browser() {
    let (program, path) = with_browser(program());
    let server = program.start().await;
    let opened = program.run(&["open"]).await;
    assert_eq!((opened.code(), opened.stdout), (0, format!("opened {}/ in the browser\n", server.url())));
    let link = shown(&path).await;
    Browser::new(&server).enter(invitation(&link, server.url())).await.ok();
}

#[tokio::test]
async fn the_server_opens_the_page_where_it_is_told_to_and_not_without_a_terminal() {
    let (program, path) = with_browser(program().with("DWELL_SERVER_OPEN", "always"));
    let server = program.start().await;
    let link = shown(&path).await;
    Browser::new(&server).enter(invitation(&link, server.url())).await.ok();
    server.stop().await;
    fs::remove_file(&path).unwrap();
    for open in ["never", "auto"] {
        // There is a display, but the output goes to a pipe and not to a terminal.
        let mut serve = program.command(&["serve", "--listen", "127.0.0.1:0"]);
        serve.env("DWELL_SERVER_OPEN", open).env("DISPLAY", ":0").stdout(std::process::Stdio::piped());
        let mut serve = serve.spawn().unwrap();
        let mut out = tokio::io::BufReader::new(serve.stdout.take().unwrap());
        let mut line = String::new();
        while !line.starts_with("listening on ") {
            line.clear();
            assert!(tokio::io::AsyncBufReadExt::read_line(&mut out, &mut line).await.unwrap() > 0);
        }
        // By the time that another command has its answer, the browser would have been started.
        assert_eq!(program.run(&["open", "--print"]).await.code(), 0);
        tokio::process::Command::new("kill").arg(serve.id().unwrap().to_string()).status().await.unwrap();
        serve.wait().await.unwrap();
        assert!(!path.exists(), "{open}");
    }
}

#[tokio::test]
async fn exit_codes_tell_what_went_wrong() {
    let without_token = program().run(&["open"]).await;
    assert_eq!(without_token.code(), 3, "{}", without_token.stderr);
    let program = program().with("PATH", "/nowhere");
    let _server = program.start().await;
    let blind = program.run(&["open"]).await;
    assert_eq!(blind.code(), 1);
    assert!(blind.stderr.contains("`dwell open --print`"), "{}", blind.stderr);
    let wrong = program.command(&["open", "--print"]).env("DWELL_TOKEN", "wrong").output().await.unwrap();
    assert_eq!(wrong.status.code(), Some(4));
    let wrong = program.command(&["serve"]).env("DWELL_SERVER_OPEN", "perhaps").output().await.unwrap();
    assert_eq!(wrong.status.code(), Some(2));
}
