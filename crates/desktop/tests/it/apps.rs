//! The apps that come with the desktop.

use desktop::{BRIDGE, CONTENT_SECURITY_POLICY, apps, check, file};
use protocol::{Manifest, ReplayMode, WindowContent};
use serde_json::Value;

fn text(app: &str, path: &str) -> &'static str {
    let (_, bytes) = file(app, path).unwrap();
    std::str::from_utf8(bytes).unwrap()
}

fn manifest(app: &str) -> Manifest {
    let (_, rest) = text(app, "index.html").split_once("<script type=\"application/json\" id=\"manifest\">").unwrap();
    let (json, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(json).unwrap()
}

#[test]
fn every_app_is_served_whole_and_nothing_else_is() {
    for app in apps() {
        let (media_type, page) = file(app.name, "index.html").unwrap();
        assert_eq!(media_type, "text/html; charset=utf-8");
        assert!(page.starts_with(b"<!doctype html>"));
        assert!(text(app.name, "index.html").contains("<script src=\"bridge.js\"></script>"), "{}", app.name);
        assert_eq!(file(app.name, "bridge.js"), Some(("text/javascript; charset=utf-8", BRIDGE.as_bytes())));
        for path in ["", "/index.html", "../bridge.js", "manifest.json"] {
            assert_eq!(file(app.name, path), None, "{path}");
        }
        check(WindowContent::App { app: app.name.to_owned(), params: Value::Null }).unwrap();
    }
    assert_eq!(file("doom", "index.html"), None);
}

#[test]
fn an_app_names_no_address_elsewhere() {
    for app in apps() {
        for path in ["index.html", "bridge.js"] {
            let text = text(app.name, path);
            for foreign in
                ["http:", "https:", "//cdn", "@import", "url(", "fetch(", "XMLHttpRequest", "WebSocket", "import("]
            {
                assert!(!text.contains(foreign), "{}/{path}: {foreign}", app.name);
            }
        }
    }
    assert!(CONTENT_SECURITY_POLICY.starts_with("default-src 'none'"));
    assert!(CONTENT_SECURITY_POLICY.ends_with("sandbox allow-scripts"));
}

#[test]
fn an_app_says_what_it_is_and_what_of_it_is_kept() {
    for app in apps() {
        let manifest = manifest(app.name);
        assert_eq!(manifest.name, app.name);
        assert!(!manifest.description.is_empty());
        for command in &manifest.commands {
            assert_eq!(command.input["type"], "object", "{}", command.name);
            if let Some(slot) = &command.slot {
                assert!(command.input["properties"].get(slot).is_some(), "{}: {slot}", command.name);
            }
        }
    }
    let keeps = |app: &str| {
        manifest(app).commands.into_iter().map(|command| (command.name, command.keep, command.slot)).collect::<Vec<_>>()
    };
    let slot = || Some("id".to_owned());
    assert_eq!(
        keeps("notes"),
        [
            ("put".to_owned(), ReplayMode::Last, slot()),
            ("remove".to_owned(), ReplayMode::ClearSlot, slot()),
            ("clear".to_owned(), ReplayMode::Clear, None),
        ]
    );
    assert!(keeps("timer").iter().all(|(_, keep, slot)| (*keep, slot) == (ReplayMode::Last, &None)));
}

#[test]
fn what_an_app_says_it_has_is_in_its_code() {
    for app in apps() {
        let text = text(app.name, "index.html");
        let code = text.rsplit_once("<script>").unwrap().1;
        let manifest = manifest(app.name);
        let names = manifest.commands.iter().map(|command| &command.name);
        for name in names.chain(manifest.state.iter().map(|state| &state.key)) {
            assert!(code.contains(name.as_str()), "{}: {name}", app.name);
        }
    }
}
