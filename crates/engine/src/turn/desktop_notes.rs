//! Notes about the desktop in the prompt: the timeline, the open windows, and similar earlier
//! turns.

use desktop::content_as_text;
use model::count;
use protocol::{AgentKind, Origin, Transition, Window, WindowContent, WindowState, describe_interaction};
use session::{Desktop, OpenTurn, ReplayCache, State, TimelineEntry, TimelineEvent};

/// Tokens of the timeline; older entries are only counted.
const TIMELINE_TOKENS_MAX: u64 = 1_500;
/// Windows that are listed; the rest are only counted.
const WINDOWS_MAX: usize = 24;
/// Characters of the content of the turn's own window.
const CONTENT_CHARS_MAX: usize = 6_000;
/// Earlier turns that are suggested for a replay.
const OFFERS_MAX: usize = 3;
/// Characters of a suggested request.
const OFFER_CHARS_MAX: usize = 160;

/// Notes about the desktop, as text.
#[derive(Default)]
pub(super) struct DesktopNotes {
    /// The name of each section, and its text.
    pub(super) parts: Vec<(&'static str, String)>,
    /// Whether some of it is untrusted.
    pub(super) is_tainted: bool,
}

/// Builds the notes for a turn.
pub(super) fn desktop_notes(
    turn: &OpenTurn,
    timeline: &[TimelineEntry],
    desktop: &Desktop,
    reload: &ReplayCache,
) -> DesktopNotes {
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
    DesktopNotes { parts, is_tainted }
}

/// The role of the agent, if it is not the main one.
pub(super) fn role(turn: &OpenTurn) -> Option<String> {
    match (turn.agent_id.kind()?, &turn.request.window) {
        (AgentKind::Main, _) => None,
        (AgentKind::Ephemeral, _) => Some(
            "You work on this one task while the main agent is busy. You know nothing of the conversation before it; \
             the main agent learns what you did and said."
                .to_owned(),
        ),
        (AgentKind::Background, _) => Some(
            "You work on this one task in the background, while the conversation goes on without you. Take the time it \
             needs. Nobody reads along: work to the end, and put everything that the user wants to know into your \
             last answer."
                .to_owned(),
        ),
        (AgentKind::Window | AgentKind::Parallel, window) => {
            let window_id = window.as_ref().map_or("", |window| window.window_id.as_str());
            Some(format!(
                "You are the agent of the window {window_id}. What the user writes or presses there comes to you. Show \
                 results in that window rather than in text, and keep answers short. The main agent learns what you \
                 did."
            ))
        }
    }
}

/// What happened since the main agent's last turn. The newest entry is always included.
fn told(timeline: &[TimelineEntry]) -> Option<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut tokens = 0;
    for entry in timeline.iter().rev() {
        let line = tagged(entry);
        tokens += count(&line);
        if tokens > TIMELINE_TOKENS_MAX && !lines.is_empty() {
            lines.push(format!("({} earlier events are left out)", timeline.len() - lines.len()));
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
        TimelineEvent::User(_) => format!("<interaction:user>{words}</interaction:user>"),
        TimelineEvent::Agent { agent_id, .. } => {
            format!("<interaction:AI agent=\"{agent_id}\">{words}</interaction:AI>")
        }
        TimelineEvent::RenderFailed { .. } | TimelineEvent::Restored(_) | TimelineEvent::LeftOut(_) => {
            format!("<interaction:desktop>{words}</interaction:desktop>")
        }
    }
}

/// A timeline entry in one line.
pub(crate) fn line(entry: &TimelineEntry) -> String {
    match &entry.happened {
        TimelineEvent::User(interaction) => describe_interaction(interaction),
        TimelineEvent::RenderFailed { window_id, error } => {
            format!("The window {window_id} could not be shown: {error}")
        }
        TimelineEvent::Restored(summary) => summary.clone(),
        TimelineEvent::LeftOut(count) => format!("{count} earlier events are left out."),
        TimelineEvent::Agent { task, did, answer, end, .. } => {
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
        Transition::Completed
        | Transition::Resumed
        | Transition::Waiting
        | Transition::Interrupted
        | Transition::Pausing
        | Transition::Paused => None,
    }
}

/// Escapes text so that it cannot be taken for the tags around it.
fn plain(words: &str) -> String {
    words.replace('<', "‹").replace('>', "›")
}

fn open(windows: &[&Window], focused: Option<&Window>) -> Option<String> {
    if windows.is_empty() {
        return None;
    }
    let mut words = String::from("<open_windows>");
    // Windows in front come first.
    for window in windows.iter().rev().take(WINDOWS_MAX) {
        words.push_str(&format!("\n- {} \"{}\" ({}", window.window_id, plain(&window.title), window.content.kind()));
        if let WindowContent::App { app, .. } = &window.content {
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
    let words = plain(&content_as_text(&window.content, CONTENT_CHARS_MAX));
    format!("<window id=\"{}\">\n{words}\n</window>", window.window_id)
}

/// Whether a replay of an earlier turn is suggested.
pub(super) fn offers_replay(turn: &OpenTurn, reload: &ReplayCache) -> bool {
    reload.similar(&State::replay_request(turn), OFFERS_MAX).iter().any(|similar| similar.cached.is_safe)
}

/// Earlier turns with a similar request: suggested to the model, never replayed automatically.
fn offered(turn: &OpenTurn, reload: &ReplayCache) -> Option<String> {
    let asked = State::replay_request(turn);
    let similar = reload.similar(&asked, OFFERS_MAX);
    let lines: Vec<String> = similar
        .iter()
        .filter(|similar| similar.cached.is_safe)
        .map(|similar| {
            let message: String = similar.cached.asked.message.chars().take(OFFER_CHARS_MAX).collect();
            let did = protocol::describe_actions(&similar.cached.actions);
            format!("- {} \"{}\": {}", similar.cached.turn_id, plain(&message), plain(&did))
        })
        .collect();
    (!lines.is_empty()).then(|| {
        format!(
            "<reload_options>\nEarlier actions for a similar request; desktop_replay repeats them if exactly that is \
             wanted.\n{}\n</reload_options>",
            lines.join("\n")
        )
    })
}
