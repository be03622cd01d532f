//! Selects the tools a model sees: a small core always, others if the turn makes them likely, and
//! the rest when the model looks them up.
//!
//! The schemas of all tools would fill a small window before the conversation starts. A tool that
//! was likely once in the conversation stays, and new ones are added at the end, so the beginning
//! of the prompt, which providers cache, rarely changes. Looking up a tool does not change it at
//! all: its schema is a result, and `use_tool` calls it.

use std::collections::BTreeMap;

use model::ToolSpec;
use session::RecentTurn;
use tools::{RegisteredTool, Registry, fits};

pub(crate) use self::likely::LikelyTools;
use self::lookup::specs;
pub(super) use self::lookup::{FIND_TOOLS, USE_TOOL, find, told_call, unwrapped};

mod likely;
mod lookup;

#[cfg(test)]
mod tests;

/// Tokens of the tools that every turn gets.
const CORE_TOKENS_MAX: u64 = 1_500;
/// Tokens of the likely tools of a turn.
const LIKELY_TOKENS_MAX: u64 = 4_000;
/// In a small window the core and the likely tools each take one part in this many.
const PARTS_OF_WINDOW: u64 = 4;

/// What makes tools likely.
#[derive(Clone, Copy, Default)]
pub(super) struct SelectionContext<'a> {
    /// The current message.
    pub(super) message: &'a str,
    /// The turns before it.
    pub(super) recent: &'a [RecentTurn],
    /// Whether windows are open, or the message comes from one.
    pub(super) has_windows: bool,
    /// Whether a replay of an earlier turn is suggested to the model.
    pub(super) offers_replay: bool,
    /// The tools that the caller prefers for this turn.
    pub(super) preferred: &'a [String],
    /// The tools that the session always gets, by name with `*`.
    pub(super) pinned: &'a [String],
}

/// The tools of a turn, in the order of their relevance.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Selection {
    /// Tools that are included whatever space they take.
    demanded: Vec<String>,
    core: Vec<String>,
    /// In the order in which they became likely.
    likely: Vec<String>,
    /// Whether the session has configured its tools.
    is_pinned: bool,
}

impl Selection {
    /// Sorts the tools that may be called in a turn.
    pub(super) fn of(
        registry: &Registry,
        words: &LikelyTools,
        tools: &[ToolSpec],
        situation: SelectionContext<'_>,
    ) -> Self {
        let is_pinned = |name: &str| situation.pinned.iter().any(|pattern| fits(pattern, name));
        let is_preferred = |name: &str| situation.preferred.iter().any(|preferred| preferred == name);
        let mut selection = Self { is_pinned: !situation.pinned.is_empty(), ..Self::default() };
        let mut entries: BTreeMap<&str, std::sync::Arc<RegisteredTool>> = BTreeMap::new();
        for tool in tools {
            let Some(entry) = registry.get(&tool.name) else { continue };
            let wanted = if selection.is_pinned { is_pinned(&tool.name) } else { is_preferred(&tool.name) };
            if wanted || is_preferred(&tool.name) {
                selection.demanded.push(tool.name.clone());
            } else {
                if entry.declaration.is_core {
                    selection.core.push(tool.name.clone());
                }
                entries.insert(&tool.name, entry);
            }
        }
        if !selection.is_pinned {
            selection.likely = likely(registry, words, &entries, situation);
        }
        selection
    }

    /// The tools for a model with that window. If all of them fit there is nothing to look up.
    pub(super) fn shown(
        &self,
        tools: &[ToolSpec],
        window_tokens: u64,
        tokens: impl Fn(&ToolSpec) -> u64,
    ) -> Vec<ToolSpec> {
        let core_max = CORE_TOKENS_MAX.min(window_tokens / PARTS_OF_WINDOW);
        let all: u64 = tools.iter().map(&tokens).sum();
        let is_taken = tools.iter().any(|tool| matches!(tool.name.as_str(), FIND_TOOLS | USE_TOOL));
        if is_taken || (!self.is_pinned && all <= core_max) {
            return tools.to_vec();
        }
        let by_name: BTreeMap<&str, &ToolSpec> = tools.iter().map(|tool| (tool.name.as_str(), tool)).collect();
        let named = |names: &[String]| -> Vec<&ToolSpec> {
            names.iter().filter_map(|name| by_name.get(name.as_str()).copied()).collect()
        };
        let demanded = named(&self.demanded);
        let lookup = specs(tools.iter().filter(|tool| !self.is_always_shown(&tool.name)));
        let mut core = if self.is_pinned { Vec::new() } else { named(&self.core) };
        // The smallest first, so that most of them fit.
        core.sort_by_key(|tool| tokens(tool));
        fit(&mut core, core_max.saturating_sub(lookup.iter().map(&tokens).sum()), &tokens);
        // In a small window not all of the core is included unless it is likely.
        let mut likely = named(&self.likely);
        likely.retain(|tool| core.iter().all(|own| own.name != tool.name));
        // The tools that became likely last are needed most.
        likely.reverse();
        fit(&mut likely, LIKELY_TOKENS_MAX.min(window_tokens / PARTS_OF_WINDOW), &tokens);
        likely.reverse();
        demanded.into_iter().chain(core).cloned().chain(lookup).chain(likely.into_iter().cloned()).collect()
    }

    fn is_always_shown(&self, name: &str) -> bool {
        let mut always = self.demanded.iter().chain(self.core.iter().filter(|_| !self.is_pinned));
        always.any(|own| own == name)
    }
}

/// Leaves out tools that do not fit, from the front on.
fn fit(tools: &mut Vec<&ToolSpec>, tokens_max: u64, tokens: impl Fn(&ToolSpec) -> u64) {
    let mut left = tokens_max;
    tools.retain(|tool| {
        let own = tokens(tool);
        let fits = own <= left;
        left -= if fits { own } else { 0 };
        fits
    });
}

/// The names of tools that the conversation makes likely, in that order.
fn likely(
    registry: &Registry,
    words: &LikelyTools,
    entries: &BTreeMap<&str, std::sync::Arc<RegisteredTool>>,
    situation: SelectionContext<'_>,
) -> Vec<String> {
    let mut likely: Vec<String> = Vec::new();
    let mut add = |name: &str| {
        if entries.contains_key(name) && likely.iter().all(|known| known != name) {
            likely.push(name.to_owned());
        }
    };
    for turn in situation.recent {
        for name in words.of_turn(registry, turn.turn_id, &turn.message).iter() {
            add(name);
        }
        for call in turn.thread.calls() {
            add(&call.planned.tool);
        }
    }
    if situation.has_windows {
        let on_desktop = entries.iter().filter(|(_, entry)| entry.declaration.needs_desktop);
        on_desktop.for_each(|(name, _)| add(name));
    }
    if situation.offers_replay {
        add("desktop_replay");
    }
    for name in words.of_message(registry, situation.message) {
        add(&name);
    }
    likely
}
