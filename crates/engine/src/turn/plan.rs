//! Plan: which way the turn goes, who answers, and with which tools.

use std::sync::{Arc, Mutex, PoisonError};

use model::{Model, Offline, ToolSpec};
use protocol::{BY_CALL, ModelSettings, PlannerHints, Request, Settings, Stage};
use serde::Serialize;
use session::{Report, Standing, reload::Cached};
use tools::{Reflex, SessionRules, is_offered};

use super::{
    beside, model_settings, offer,
    reflex::BY_REFLEX,
    tool_selection::{Selection, Situation},
    work::Work,
};
use crate::{
    hub::House,
    intent::{Intent, Kind},
};

/// The tool that keeps a note in the session.
const PIN: &str = "pin";
/// The tool that looks for sources.
pub(super) const RESEARCH: &str = "research";
/// The tool that reads a page of the web.
const PAGE_READ: &str = "page_read";
/// The tool that looks into the library alone.
const LIBRARY_SEARCH: &str = "library_search";

/// The ways a turn can go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Way {
    /// Understood and done with no language model.
    Reflex,
    /// A client's own calls are made.
    Call,
    /// Something about the user is kept, then answered.
    ProfileUpdate,
    /// Sources are looked for before anything is said.
    ResearchFirst,
    /// The model thinks and calls tools until it has an answer.
    ToolLoop,
    /// The model answers.
    Direct,
    /// What was asked before in the same situation is done again by rote.
    Reload,
}

/// What the turn will do.
pub(super) struct Plan {
    pub(super) way: Way,
    /// The models to ask, in order.
    pub(super) chain: Vec<Arc<dyn Model>>,
    /// The tools that may be called.
    pub(super) tools: Arc<[ToolSpec]>,
    /// Which of them models are told of.
    selection: Selection,
    /// Those of a window of so many tokens, as they were told last.
    selected: Mutex<Option<(u64, Arc<[ToolSpec]>)>>,
    /// The names of those that the client offers, where there is somebody who can make use of them.
    pub(super) of_client: Option<Vec<String>>,
    /// What the session allows.
    pub(super) rules: SessionRules,
    pub(super) hints: PlannerHints,
    /// How the models are asked.
    settings: ModelSettings,
    /// What an earlier turn did, if that is done again, and the way to go if it cannot be.
    pub(super) replay: Option<(Cached, Way)>,
    /// What was understood without a model.
    pub(super) reflex: Option<Reflex>,
}

/// Picks the way, and tells it.
pub(super) fn enter(work: &mut Work, intent: &Intent, chain: Vec<Arc<dyn Model>>, reflex: Option<Reflex>) -> Plan {
    let hints = work.job.turn.request.planner_hints.clone().unwrap_or_default();
    let rules = rules_of(&work.job.settings);
    let standing = work.job.heard.borrow().standing.clone();
    let has_library = work.house.has_library(&work.job.owner);
    let request = &work.job.turn.request;
    let mut tools = offered(&work.house, has_library, &rules, &standing, request, work.job.is_temporary);
    let is_understood = chain.first().is_some_and(|model| model.traits().understands);
    if !is_understood && !work.recalled.kept.is_empty() {
        // What the message states is kept already; whoever goes by rules alone would note it a second time.
        tools.retain(|tool| tool.name != PIN);
    }
    // What policy forbids is called all the same, so that it is policy that says why not.
    let wanted = reflex.iter().flat_map(|reflex| &reflex.calls).filter_map(|call| work.house.tools.get(&call.tool));
    for entry in wanted {
        if tools.iter().all(|tool| tool.name != entry.declaration.name) {
            tools.push(work.house.tool_specs.of(&entry));
        }
    }
    let of_client = is_understood.then(|| offer::names(work, &rules));
    let way = match &reflex {
        Some(_) if !work.job.turn.request.calls.is_empty() => Way::Call,
        Some(_) => Way::Reflex,
        None => way(work, intent, &tools, is_understood),
    };
    let way = if way == Way::Direct && of_client.as_ref().is_some_and(|names| !names.is_empty()) {
        Way::ToolLoop
    } else {
        way
    };
    if let Some(first) = chain.first() {
        work.model = first.name().to_owned();
    }
    work.chain.clone_from(&chain);
    let selection = Selection::of(&work.house.tools, &work.house.likely_tools, &tools, situation(work, &hints));
    let settings = model_settings::of(work);
    Plan {
        way,
        chain,
        tools: tools.into(),
        selection,
        selected: Mutex::default(),
        of_client,
        rules,
        hints,
        settings,
        replay: None,
        reflex,
    }
}

/// What makes tools likely in this turn.
fn situation<'a>(work: &'a Work, hints: &'a PlannerHints) -> Situation<'a> {
    let turn = &work.job.turn;
    let monitor_id = turn.agent_id.monitor();
    let is_open = work.job.desktop.windows().any(|window| window.monitor_id == monitor_id);
    Situation {
        message: &turn.request.message,
        recent: &work.job.recent,
        has_windows: is_open || turn.request.window.is_some(),
        offers_replay: beside::offers_replay(turn, &work.job.reload),
        preferred: &hints.prefer_tools,
        pinned: &work.job.settings.pinned_tools,
    }
}

/// What a session allows. Patterns are checked when a policy is set; one that is wrong all the same forbids everything.
pub(super) fn rules_of(settings: &Settings) -> SessionRules {
    let rules = SessionRules::try_from(&settings.policy);
    rules.unwrap_or_else(|_| SessionRules { allow: Some(Vec::new()), ..SessionRules::default() })
}

impl Plan {
    /// Those of the tools that a model with such a window is told of: worked out once, though every round asks.
    pub(super) fn selected(&self, window_tokens: u64) -> Arc<[ToolSpec]> {
        let mut selected = self.selected.lock().unwrap_or_else(PoisonError::into_inner);
        match &*selected {
            Some((known, tools)) if *known == window_tokens => tools.clone(),
            _ => {
                let tools: Arc<[ToolSpec]> = self.selection.shown(&self.tools, window_tokens, ToolSpec::tokens).into();
                *selected = Some((window_tokens, tools.clone()));
                tools
            }
        }
    }

    /// Who answers where no model is asked.
    fn by(&self) -> &'static str {
        if self.way == Way::Call { BY_CALL } else { BY_REFLEX }
    }

    /// The stage as clients see it.
    pub(super) fn report(&self, shown: &[ToolSpec]) -> Report {
        let (models, tools): (Vec<&str>, Vec<&str>) = match &self.reflex {
            Some(reflex) => (vec![self.by()], reflex.calls.iter().map(|call| call.tool.as_str()).collect()),
            None => {
                let models = self.chain.iter().map(|model| model.name()).collect();
                (models, shown.iter().map(|tool| tool.name.as_str()).collect())
            }
        };
        let is_shown = |tool: &&ToolSpec| shown.iter().any(|own| own.name == tool.name);
        let others: Vec<&str> =
            self.tools.iter().filter(|tool| !is_shown(tool)).map(|tool| tool.name.as_str()).collect();
        let mut detail = serde_json::json!({ "way": self.way, "models": models, "tools": tools });
        if !shown.is_empty() && !others.is_empty() {
            detail["tools_by_lookup"] = serde_json::json!(others);
        }
        if let Some(names) = self.of_client.as_ref().filter(|names| !names.is_empty()) {
            detail["client_tools"] = serde_json::json!(names);
        }
        if self.reflex.is_none() && !self.settings.is_empty() {
            detail["model_settings"] = serde_json::json!(self.settings);
        }
        Report::Stage(Stage::Plan, Some(detail))
    }
}

fn way(work: &Work, intent: &Intent, tools: &[ToolSpec], is_understood: bool) -> Way {
    let has = |name: &str| tools.iter().any(|tool| tool.name == name);
    match intent.kind {
        _ if !is_understood && Offline::is_certain(&work.job.turn.request.message, tools, work.house.world.now()) => {
            Way::Reflex
        }
        Kind::ProfileUpdate if !work.recalled.kept.is_empty() || is_understood && has(PIN) => Way::ProfileUpdate,
        Kind::Research if has(RESEARCH) => Way::ResearchFirst,
        _ if work.job.turn.request.use_web_search == Some(true) && has(RESEARCH) => Way::ResearchFirst,
        _ if tools.is_empty() => Way::Direct,
        _ => Way::ToolLoop,
    }
}

/// The tools that may be called: those that policy would let run, without those to be avoided, the preferred ones first.
pub(super) fn offered(
    house: &House,
    has_library: bool,
    rules: &SessionRules,
    standing: &Standing,
    request: &Request,
    is_temporary: bool,
) -> Vec<ToolSpec> {
    if !request.allow_tools {
        return Vec::new();
    }
    let hints = request.planner_hints.clone().unwrap_or_default();
    let mut tools: Vec<ToolSpec> = house
        .tools
        .entries()
        .filter(|entry| {
            let (name, safety) = (&entry.declaration.name, entry.declaration.safety);
            let is_web = matches!(name.as_str(), RESEARCH | PAGE_READ);
            // Nobody sees the desktop of a session that goes with its answer.
            let is_useless = is_temporary && entry.declaration.needs_desktop || name == LIBRARY_SEARCH && !has_library;
            let is_unwanted = hints.avoid_tools.contains(name) || (is_web && request.use_web_search == Some(false));
            !is_unwanted && !is_useless && is_offered(name, safety, &house.rules, rules, standing.forbids(name))
        })
        .map(|entry| house.tool_specs.of(&entry))
        .collect();
    // Stable: the others keep their order.
    tools.sort_by_key(|tool| !hints.prefer_tools.contains(&tool.name));
    tools
}
