//! The apps that come with the desktop, and what an app and the page around it say to each other.
//!
//! An app is an HTML file that runs in a frame with `sandbox="allow-scripts"`: it has no origin, so it can reach neither the
//! page nor the server, and its policy ([`CONTENT_SECURITY_POLICY`]) lets it load nothing but `bridge.js` beside it. All
//! it knows comes by `postMessage` from the page. Every message is an object with `dwell: 1` and a `type`; whatever else
//! arrives is ignored on both sides. The app listens to `window.parent` alone and answers to the origin that `hello` came from; the page
//! listens to that frame's `contentWindow` alone. What the app says carries `window_id` and `token` from `hello`, and
//! the server checks the token.
//!
//! Page to app:
//! - `{type: "hello", window_id, token, params}` once the frame has loaded, and again if any of it changes. `params` are
//!   the window's, or `{}`.
//! - `{type: "restore", commands: [{name, arguments}]}`: what brings the app to where it was, in order; and later, at any time,
//!   what was done in the same window elsewhere (another tab). The app does it silently: it answers and reports
//!   nothing. Doing one of them twice does no harm.
//! - `{type: "request", request_id, request: {type: "query", key} | {type: "command", name, arguments}}`: what an agent asks. The same
//!   `request_id` again gets the same answer and is not done again.
//!
//! App to page:
//! - `{type: "ready", window_id, token, manifest}` as the answer to `hello`; the page passes it on as `app.ready` and
//!   answers with `restore`, also if there is nothing to restore, then with the requests that are open.
//! - `{type: "response", window_id, token, request_id, value?, error?}` with one of the two.
//! - `{type: "did", window_id, token, name, arguments}`: the app is now where this command would bring it. It is said when
//!   the user did what a command does, and after a command whose arguments did not say everything (when it was started,
//!   what colour the note has already). The server keeps it as if the command had been sent, by the manifest's `keep` and
//!   `slot`; the last one said about the same thing counts. It comes after the `response` it belongs to.
//! - `{type: "interaction", window_id, token, text}`: what the user did or what came about, in words, for the agents.

/// The policy that every file of an app is served with.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'unsafe-inline'; \
     img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts";

/// An app that windows can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct App {
    /// Its name, as in `content.app`.
    pub name: &'static str,
    /// What stands above its window unless somebody knows better.
    pub title: &'static str,
    /// What it is for.
    pub description: &'static str,
}

/// What all apps speak with the page through.
pub const BRIDGE: &str = include_str!("../apps/bridge.js");

const APPS: [App; 2] = [
    App { name: "timer", title: "Timer", description: "Counts down from a time you set, with laps." },
    App { name: "notes", title: "Notes", description: "A board of coloured notes to write and move about." },
];

/// The apps there are.
pub fn apps() -> &'static [App] {
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
