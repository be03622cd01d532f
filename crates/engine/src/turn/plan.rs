//! Plan: the route of the turn, the models that answer, and the tools.

use std::sync::{Arc, Mutex, PoisonError};

use memory::agent::conversation_event::BY_REFLEX;
use model::{Model, ToolSpec};
use offline::OfflineModel;
use ports::Reflex;
use protocol::{BY_CALL, ModelSettings, PlannerHints, Request, Settings, Stage};
use serde::Serialize;
use session::{SavedApprovals, TurnReport, replay_cache::CachedTurn};
use tools::{SessionRules, is_offered, simulation_off};

use super::{
    client_tools, desktop_notes, model_settings,
    state::TurnState,
    tool_selection::{Selection, SelectionContext},
};
use crate::{
    hub::Services,
    intent::{Intent, IntentKind},
};

/// The tool that pins a note to the session.
const PIN: &str = "pin";
/// The tool that researches in several sources.
pub(super) const RESEARCH: &str = "research";
/// The tool that reads a web page.
const PAGE_READ: &str = "page_read";
/// The tool that searches only the library.
const LIBRARY_SEARCH: &str = "library_search";

/// The routes of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum TurnRoute {
    /// Understood and carried out without a language model.
    Reflex,
    /// Direct calls of a client.
    Call,
    /// A fact about the user is stored, then the model answers.
    ProfileUpdate,
    /// Research first, then the model answers.
    ResearchFirst,
    /// The model calls tools until it has an answer.
    ToolLoop,
    /// The model answers without tools.
    Direct,
    /// An identical request in the same situation is replayed from the cache.
    Reload,
}

impl TurnRoute {
    /// As events and spans name it.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Reflex => "reflex",
            Self::Call => "call",
            Self::ProfileUpdate => "profile_update",
            Self::ResearchFirst => "research_first",
            Self::ToolLoop => "tool_loop",
            Self::Direct => "direct",
            Self::Reload => "reload",
        }
    }
}

/// The plan of a turn.
pub(super) struct TurnPlan {
    pub(super) route: TurnRoute,
    /// The models to call, in order.
    pub(super) chain: Vec<Arc<dyn Model>>,
    /// The tools that may be called.
    pub(super) tools: Arc<[ToolSpec]>,
    /// Which of them models see.
    selection: Selection,
    /// The selection for a window of this many tokens, cached.
    selected: Mutex<Option<(u64, Arc<[ToolSpec]>)>>,
    /// The names of the client's tools, if a model can use them.
    pub(super) of_client: Option<Vec<String>>,
    /// The rules of the session.
    pub(super) rules: SessionRules,
    pub(super) hints: PlannerHints,
    /// The settings of the model calls.
    settings: ModelSettings,
    /// The earlier turn to replay, and the route if that is not possible.
    pub(super) replay: Option<(CachedTurn, TurnRoute)>,
    /// What was understood without a model.
    pub(super) reflex: Option<Reflex>,
}

/// Picks the route and reports it.
pub(super) fn enter(
    state: &mut TurnState,
    intent: &Intent,
    chain: Vec<Arc<dyn Model>>,
    reflex: Option<Reflex>,
) -> TurnPlan {
    let hints = state.input.turn.request.planner_hints.clone().unwrap_or_default();
    let rules = rules_of(&state.input.settings, &state.input.turn.request);
    let is_understood = chain.first().is_some_and(|model| model.traits().understands);
    // A reflex knows its tools; the others are looked for if a model has to go on.
    let tools = match &reflex {
        Some(reflex) => called(&state.services, reflex),
        None => usable(state, &rules, is_understood),
    };
    let of_client = is_understood.then(|| client_tools::names(state, &rules));
    let way = match &reflex {
        Some(_) if !state.input.turn.request.calls.is_empty() => TurnRoute::Call,
        Some(_) => TurnRoute::Reflex,
        None => route(state, intent, &tools, is_understood),
    };
    let way = if way == TurnRoute::Direct && of_client.as_ref().is_some_and(|names| !names.is_empty()) {
        TurnRoute::ToolLoop
    } else {
        way
    };
    if let Some(first) = chain.first() {
        state.model = first.name().to_owned();
    }
    state.chain.clone_from(&chain);
    let selection = match &reflex {
        Some(_) => Selection::default(),
        None => selection(state, &tools, &hints),
    };
    let settings = model_settings::of(state);
    TurnPlan {
        route: way,
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

/// Adds the tools of a model to the plan of a reflex, since the turn goes on with a model: the user
/// has added something to the message meanwhile.
pub(super) fn go_on_with_model(state: &TurnState, plan: &mut TurnPlan) {
    let Some(reflex) = &plan.reflex else { return };
    let is_understood = plan.chain.first().is_some_and(|model| model.traits().understands);
    let mut tools = usable(state, &plan.rules, is_understood);
    for tool in called(&state.services, reflex) {
        if tools.iter().all(|known| known.name != tool.name) {
            tools.push(tool);
        }
    }
    plan.selection = selection(state, &tools, &plan.hints);
    plan.tools = tools.into();
}

/// The tools that a reflex calls. A forbidden one is called all the same, so that policy gives the
/// reason.
fn called(services: &Services, reflex: &Reflex) -> Vec<ToolSpec> {
    let mut tools: Vec<ToolSpec> = Vec::new();
    for entry in reflex.calls.iter().filter_map(|call| services.tools.get(&call.tool)) {
        if tools.iter().all(|tool| tool.name != entry.declaration.name) {
            tools.push(services.tool_specs.of(&entry));
        }
    }
    tools
}

/// The tools that a model may call.
fn usable(state: &TurnState, rules: &SessionRules, is_understood: bool) -> Vec<ToolSpec> {
    let standing = state.input.inbox.borrow().standing.clone();
    let has_library = state.services.has_library(&state.input.owner);
    let request = &state.input.turn.request;
    let mut tools = offered(&state.services, has_library, rules, &standing, request, state.input.is_temporary);
    if !is_understood && !state.recalled.kept.is_empty() {
        // The message's facts are stored already; a rule-based model would store them a second
        // time.
        tools.retain(|tool| tool.name != PIN);
    }
    tools
}

fn selection(state: &TurnState, tools: &[ToolSpec], hints: &PlannerHints) -> Selection {
    Selection::of(&state.services.tools, &state.services.likely_tools, tools, situation(state, hints))
}

/// What makes tools likely in this turn.
fn situation<'a>(state: &'a TurnState, hints: &'a PlannerHints) -> SelectionContext<'a> {
    let turn = &state.input.turn;
    let monitor_id = turn.agent_id.monitor();
    let is_open = state.input.desktop.windows().any(|window| window.monitor_id == monitor_id);
    SelectionContext {
        message: &turn.request.message,
        recent: &state.input.recent,
        has_windows: is_open || turn.request.window.is_some(),
        offers_replay: desktop_notes::offers_replay(turn, &state.input.reload),
        preferred: &hints.prefer_tools,
        pinned: &state.input.settings.pinned_tools,
    }
}

/// The rules of a session for one of its turns. Patterns are checked when a policy is set; an
/// invalid one forbids everything.
pub(super) fn rules_of(settings: &Settings, request: &Request) -> SessionRules {
    let rules = SessionRules::try_from(&settings.policy);
    let rules = rules.unwrap_or_else(|_| SessionRules { allow: Some(Vec::new()), ..SessionRules::default() });
    SessionRules { reads_only: request.reads_only, ..rules }
}

impl TurnPlan {
    /// The tools for a model with such a window: computed once, though every round asks.
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

    /// The author of the answer if no model is called.
    fn by(&self) -> &'static str {
        if self.route == TurnRoute::Call { BY_CALL } else { BY_REFLEX }
    }

    /// The stage as clients see it.
    pub(super) fn report(&self, shown: &[ToolSpec]) -> TurnReport {
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
        let mut detail = serde_json::json!({ "way": self.route, "models": models, "tools": tools });
        if !shown.is_empty() && !others.is_empty() {
            detail["tools_by_lookup"] = serde_json::json!(others);
        }
        if let Some(names) = self.of_client.as_ref().filter(|names| !names.is_empty()) {
            detail["client_tools"] = serde_json::json!(names);
        }
        if self.reflex.is_none() && !self.settings.is_empty() {
            detail["model_settings"] = serde_json::json!(self.settings);
        }
        TurnReport::Stage(Stage::Plan, Some(detail))
    }
}

fn route(state: &TurnState, intent: &Intent, tools: &[ToolSpec], is_understood: bool) -> TurnRoute {
    let has = |name: &str| tools.iter().any(|tool| tool.name == name);
    match intent.kind {
        _ if !is_understood
            && OfflineModel::is_certain(&state.input.turn.request.message, tools, state.services.world.now()) =>
        {
            TurnRoute::Reflex
        }
        IntentKind::ProfileUpdate if !state.recalled.kept.is_empty() || is_understood && has(PIN) => {
            TurnRoute::ProfileUpdate
        }
        IntentKind::Research if has(RESEARCH) => TurnRoute::ResearchFirst,
        _ if state.input.turn.request.use_web_search == Some(true) && has(RESEARCH) => TurnRoute::ResearchFirst,
        _ if tools.is_empty() => TurnRoute::Direct,
        _ => TurnRoute::ToolLoop,
    }
}

/// The tools that may be called: those that policy allows, without the avoided ones, the preferred
/// ones first.
pub(super) fn offered(
    services: &Services,
    has_library: bool,
    rules: &SessionRules,
    standing: &SavedApprovals,
    request: &Request,
    is_temporary: bool,
) -> Vec<ToolSpec> {
    if !request.allow_tools {
        return Vec::new();
    }
    let hints = request.planner_hints.clone().unwrap_or_default();
    let mut tools: Vec<ToolSpec> = services
        .tools
        .entries()
        .filter(|entry| {
            let (name, safety) = (&entry.declaration.name, entry.declaration.safety);
            let is_web = matches!(name.as_str(), RESEARCH | PAGE_READ);
            // The desktop of a temporary session has no viewers.
            let is_useless = is_temporary && entry.declaration.needs_desktop || name == LIBRARY_SEARCH && !has_library;
            let is_unwanted = hints.avoid_tools.contains(name) || (is_web && request.use_web_search == Some(false));
            let is_barred = simulation_off(name, entry.declaration.is_simulated, rules).is_some();
            let is_useless = is_useless || is_barred;
            !is_unwanted && !is_useless && is_offered(name, safety, &services.rules, rules, standing.forbids(name))
        })
        .map(|entry| services.tool_specs.of(&entry))
        .collect();
    // Stable: the others keep their order.
    tools.sort_by_key(|tool| !hints.prefer_tools.contains(&tool.name));
    tools
}
