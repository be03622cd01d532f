//! The apps that come with the desktop, and the message protocol between an app and its page.
//!
//! An app is an HTML file that runs in a frame with `sandbox="allow-scripts"`. It has no origin, so
//! it can reach neither the page nor the server, and its policy ([`CONTENT_SECURITY_POLICY`]) lets
//! it load nothing but `bridge.js` beside it. It gets all its data by `postMessage` from the page.
//! Every message is an object with `dwell: 1` and a `type`; both sides ignore all other messages.
//! The app listens to `window.parent` alone and answers to the origin that `hello` came from; the
//! page listens to that frame's `contentWindow` alone. Messages of the app carry `window_id` and
//! `token` from `hello`, and the server checks the token.
//!
//! Page to app:
//! - `{type: "hello", window_id, token, params}` once the frame has loaded, and again if any of it
//!   changes. `params` are the window's, or `{}`.
//! - `{type: "restore", commands: [{name, arguments}]}`: the commands that restore the app's state,
//!   in order. Later, at any time: commands that were executed in the same window elsewhere
//!   (another tab). The app executes them silently, without answers and reports. Executing one of
//!   them twice is harmless.
//! - `{type: "request", request_id, request: {type: "query", key} | {type: "command", name,
//!   arguments}}`: a request of an agent. A repeated `request_id` gets the same answer and is not
//!   executed again.
//!
//! App to page:
//! - `{type: "ready", window_id, token, manifest}` as the answer to `hello`. The page passes it on
//!   as `app.ready` and answers with `restore`, even if there is nothing to restore, then with the
//!   open requests.
//! - `{type: "response", window_id, token, request_id, value?, error?}` with one of the two.
//! - `{type: "did", window_id, token, name, arguments}`: the app is now in the state that this
//!   command leads to. The app sends it when the user did what a command does, and after a command
//!   whose arguments were incomplete (such as the start time, or the colour of an existing note).
//!   The server stores it as if the command had been sent, by the manifest's `keep` and `slot`; the
//!   last one for the same slot counts. It comes after the `response` it belongs to.
//! - `{type: "interaction", window_id, token, text}`: what the user did or what happened, as text
//!   for the agents.

/// The Content Security Policy of every file of an app.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'unsafe-inline'; \
     img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts";

/// An app that comes with Dwell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BundledApp {
    /// Its name, as in `content.app`.
    pub name: &'static str,
    /// The default title of its window.
    pub title: &'static str,
    /// What it is for.
    pub description: &'static str,
}

/// The script by which all apps talk to the page.
pub const BRIDGE: &str = include_str!("../apps/bridge.js");

const APPS: [BundledApp; 2] = [
    BundledApp { name: "timer", title: "Timer", description: "Counts down from a time you set, with laps." },
    BundledApp { name: "notes", title: "Notes", description: "A board of coloured notes to write and move about." },
];

/// The bundled apps.
pub fn apps() -> &'static [BundledApp] {
    &APPS
}

/// A file of an app, with its media type.
pub fn file(app: &str, path: &str) -> Option<(&'static str, &'static [u8])> {
    let page = match app {
        "timer" => include_str!("../apps/timer/index.html"),
        "notes" => include_str!("../apps/notes/index.html"),
        _ => return None,
    };
    match path {
        "index.html" => Some(("text/html; charset=utf-8", page.as_bytes())),
        "bridge.js" => Some(("text/javascript; charset=utf-8", BRIDGE.as_bytes())),
        _ => None,
    }
}
