//! What stands beside a message of what happened and what is open: the timeline, the windows, what was done before.

use desktop::content_in_words;
use model::count;
use protocol::{AgentKind, Content, Origin, Transition, Window, WindowState, user_did};
use session::{Desktop, Happened, OpenTurn, Reload, State, TimelineEntry};

/// Tokens of the timeline; what is older is counted.
const TIMELINE_TOKENS_MAX: u64 = 1_500;
/// Windows that are listed; the rest is counted.
const WINDOWS_MAX: usize = 24;
/// Characters of the content of the window that a turn is about.
const CONTENT_CHARS_MAX: usize = 6_000;
/// Things done before that are offered.
const OFFERS_MAX: usize = 3;
/// Characters of an offered request.
const OFFER_CHARS_MAX: usize = 160;

/// What a turn is told beside its message, in words.
#[derive(Default)]
pub(super) struct Beside {
    /// Name of the part, and its words.
    pub(super) parts: Vec<(&'static str, String)>,
    /// Whether some of it may be anybody's words.
    pub(super) is_tainted: bool,
}

/// Puts it together for a turn.
pub(super) fn beside(turn: &OpenTurn, timeline: &[TimelineEntry], desktop: &Desktop, reload: &Reload) -> Beside {
    let monitor_id = turn.agent_id.monitor();
    let own = turn.request.window.as_ref().and_then(|window| desktop.window(&window.window_id));
    let windows: Vec<&Window> = desktop.windows().filter(|window| window.monitor_id == monitor_id).collect();
    let mut parts = Vec::new();
    parts.extend(told(timeline).map(|words| ("timeline", words)));
    parts.extend(open(&windows, desktop.focused(&monitor_id)).map(|words| ("windows", words)));
    parts.extend(own.map(|window| ("window", shown(window))));
    parts.extend(offered(turn, reload).map(|words| ("reload", words)));
    let is_tainted = timeline.iter().any(|entry| entry.origin == Origin::Untrusted)
        || windows.iter().any(|window| window.origin == Origin::Untrusted);
    Beside { parts, is_tainted }
}

/// Who the agent is, where it is not the main one.
pub(super) fn role(turn: &OpenTurn) -> Option<String> {
    match (turn.agent_id.kind()?, &turn.request.window) {
        (AgentKind::Main, _) => None,
        (AgentKind::Ephemeral, _) => Some(
            "You came for this one task while the main agent is at work. You know nothing of the conversation before it; \
             the main agent is told what you did and said."
                .to_owned(),
        ),
        (AgentKind::Window | AgentKind::Parallel, window) => {
            let window_id = window.as_ref().map_or("", |window| window.window_id.as_str());
            Some(format!(
                "You are the agent of the window {window_id}. What the user says or presses there comes to you. Show what \
                 comes of it in that window rather than in words, and keep what you say short. The main agent is told \
                 what you did."
            ))
        }
    }
}

/// What happened since the main agent's last turn. The newest is told in any case.
fn told(timeline: &[TimelineEntry]) -> Option<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut tokens = 0;
    for entry in timeline.iter().rev() {
        let line = tagged(entry);
        tokens += count(&line);
        if tokens > TIMELINE_TOKENS_MAX && !lines.is_empty() {
            lines.push(format!("({} earlier things are left out)", timeline.len() - lines.len()));
            break;
        }
        lines.push(line);
    }
    lines.reverse();
    (!lines.is_empty()).then(|| format!("<timeline>\n{}\n</timeline>", lines.join("\n")))
}

fn tagged(entry: &TimelineEntry) -> String {
    let words = plain(&line(entry));
    match &entry.happened {
        Happened::User(_) => format!("<interaction:user>{words}</interaction:user>"),
        Happened::Agent { agent_id, .. } => format!("<interaction:AI agent=\"{agent_id}\">{words}</interaction:AI>"),
        Happened::RenderFailed { .. } | Happened::Restored(_) | Happened::LeftOut(_) => {
            format!("<interaction:desktop>{words}</interaction:desktop>")
        }
    }
}

/// What happened, in one line.
pub(crate) fn line(entry: &TimelineEntry) -> String {
    match &entry.happened {
        Happened::User(interaction) => user_did(interaction),
        Happened::RenderFailed { window_id, error } => format!("The window {window_id} could not be shown: {error}"),
        Happened::Restored(summary) => summary.clone(),
        Happened::LeftOut(count) => format!("{count} earlier things are left out."),
        Happened::Agent { task, did, answer, end, .. } => {
            let mut words = format!("Asked: {task}");
            for part in [did, answer] {
                if !part.is_empty() {
                    words.push_str(" → ");
                    words.push_str(part);
                }
            }
            if let Some(end) = ended_badly(*end) {
                words.push_str(&format!(" ({end})"));
            }
            words
        }
    }
}

const fn ended_badly(end: Transition) -> Option<&'static str> {
    match end {
        Transition::Failed => Some("failed"),
        Transition::Cancelled => Some("cancelled"),
        Transition::Expired => Some("ran out of time"),
        Transition::Completed | Transition::Resumed | Transition::Waiting | Transition::Interrupted => None,
    }
}

/// Words that cannot be taken for the marks around them.
fn plain(words: &str) -> String {
    words.replace('<', "‹").replace('>', "›")
}

fn open(windows: &[&Window], focused: Option<&Window>) -> Option<String> {
    if windows.is_empty() {
        return None;
    }
    let mut words = String::from("<open_windows>");
    // Those in front matter most.
    for window in windows.iter().rev().take(WINDOWS_MAX) {
        words.push_str(&format!("\n- {} \"{}\" ({}", window.window_id, plain(&window.title), window.content.kind()));
        if let Content::App { app, .. } = &window.content {
            words.push_str(&format!(" {app}"));
        }
        words.push_str(match window.state {
            WindowState::Normal => "",
            WindowState::Minimized => ", minimized",
            WindowState::Maximized => ", maximized",
        });
        if focused.is_some_and(|focused| focused.window_id == window.window_id) {
            words.push_str(", in front");
        }
        if let Some(holder) = &window.locked_by {
            words.push_str(&format!(", locked by {holder}"));
        }
        words.push(')');
    }
    if windows.len() > WINDOWS_MAX {
        words.push_str(&format!("\n- and {} more", windows.len() - WINDOWS_MAX));
    }
    words.push_str("\n</open_windows>");
    Some(words)
}

fn shown(window: &Window) -> String {
    let words = plain(&content_in_words(&window.content, CONTENT_CHARS_MAX));
    format!("<window id=\"{}\">\n{words}\n</window>", window.window_id)
}

/// Whether something that was done before is offered to be done again.
pub(super) fn offers_replay(turn: &OpenTurn, reload: &Reload) -> bool {
    reload.similar(&State::asked(turn), OFFERS_MAX).iter().any(|similar| similar.cached.is_safe)
}

/// What was done before for a similar request: offered, never done by itself.
fn offered(turn: &OpenTurn, reload: &Reload) -> Option<String> {
    let asked = State::asked(turn);
    let similar = reload.similar(&asked, OFFERS_MAX);
    let lines: Vec<String> = similar
        .iter()
        .filter(|similar| similar.cached.is_safe)
        .map(|similar| {
            let message: String = similar.cached.asked.message.chars().take(OFFER_CHARS_MAX).collect();
            let did = protocol::did(&similar.cached.actions);
            format!("- {} \"{}\": {}", similar.cached.turn_id, plain(&message), plain(&did))
        })
        .collect();
    (!lines.is_empty()).then(|| {
        format!(
            "<reload_options>\nWhat was done before for a similar request; desktop_replay does it again if exactly that is \
             wanted.\n{}\n</reload_options>",
            lines.join("\n")
        )
    })
}
