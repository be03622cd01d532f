//! Commands that were read word by word, as service calls. All of a sentence is done, or nothing of
//! it.

use ports::{ReflexCall, ReflexInput};
use reflex::{Action, Amount, FrameCommand, FrameReading, FrameTarget, Lexicon, Vocabulary};
use serde_json::{Map, Value, json};

use super::{
    act::{ReflexPlan, place_of, service_call},
    answers::AnswerLanguage,
    follow_up::{self, PreviousAction},
    frame_services::{ServiceStep, step},
    frame_targets::{self, Kind},
};
use crate::{
    acting::is_sensitive_entity,
    index::{EntitySnapshot, HomeIndex},
    port::{AreaId, EntityId},
};

/// What a command is read with.
pub(super) struct FrameContext<'a> {
    pub(super) index: &'a HomeIndex,
    pub(super) vocabulary: &'a Vocabulary,
    pub(super) lexicon: &'static Lexicon,
    pub(super) said: &'a ReflexInput<'a>,
    pub(super) here: Option<AreaId>,
    pub(super) answer_language: AnswerLanguage,
}

/// The plan for all commands of a sentence; `None` if one of them means nothing in this home.
pub(super) fn plan(context: &FrameContext<'_>, commands: &[FrameCommand]) -> Option<ReflexPlan> {
    let before: Vec<PreviousAction> = context.said.before.iter().filter_map(follow_up::done).collect();
    let mut calls = Vec::new();
    let mut last: Option<Vec<EntityId>> = None;
    for command in commands {
        match of_command(context, command, &before, last.as_deref())? {
            ReflexPlan::Calls(more) => {
                last = Some(more.iter().flat_map(ids_of).collect());
                // "Time to hoover, start the vacuum" says one thing twice.
                for call in more {
                    if !calls.contains(&call) {
                        calls.push(call);
                    }
                }
            }
            // Nothing is done if one part is not clear.
            unclear => return Some(unclear),
        }
    }
    (!calls.is_empty()).then_some(ReflexPlan::Calls(calls))
}

/// The plan for a sentence with several meanings: the one that all of them come to that are
/// possible in this home.
pub(super) fn the_same(context: &FrameContext<'_>, all: &[Vec<FrameCommand>]) -> Option<ReflexPlan> {
    let mut found: Option<Vec<ReflexCall>> = None;
    for commands in all {
        match (plan(context, commands), &found) {
            (Some(ReflexPlan::Calls(calls)), Some(known)) if calls != *known => return None,
            (Some(ReflexPlan::Calls(calls)), _) => found = Some(calls),
            // What one meaning asks back about is not done by another.
            (Some(ReflexPlan::Asked(_)), _) => return None,
            (Some(ReflexPlan::Answered(_)) | None, _) => {}
        }
    }
    found.map(ReflexPlan::Calls)
}

fn ids_of(call: &ReflexCall) -> Vec<EntityId> {
    let ids = call.arguments["target"]["entity_id"].as_array().map(Vec::as_slice).unwrap_or_default();
    ids.iter().filter_map(|id| id.as_str()?.parse().ok()).collect()
}

fn of_command(
    context: &FrameContext<'_>,
    command: &FrameCommand,
    before: &[PreviousAction],
    last: Option<&[EntityId]>,
) -> Option<ReflexPlan> {
    if let Some(item) = &command.item {
        return add(context, command, item);
    }
    let Some(action) = command.action else { return without_action(context, command, before) };
    if action == Action::Undo {
        return None;
    }
    let target = &command.target;
    if !target.is_empty() || target.is_all {
        return match targets(context, target, action, command.amount.as_ref())? {
            Ok(entities) => calls(command, action, &entities),
            Err(unclear) => Some(unclear),
        };
    }
    // A pronoun, or nothing: what was done before, what was asked about, or the only one there is.
    let entities = match last {
        Some(ids) if target.is_pronoun => ids.iter().filter_map(|id| context.index.get(id)).collect(),
        _ => previous(context, before),
    };
    let fits = |it: &EntitySnapshot| step(action, command.amount.as_ref(), &[], it).is_some();
    if !entities.is_empty() && entities.iter().all(fits) {
        return calls(command, action, &entities);
    }
    // "Softer" after a lamp is not about the radio.
    if target.is_pronoun || !entities.is_empty() && (before.is_empty() || action.is_relative()) {
        return None;
    }
    // After a sentence that was not understood, "go on" may mean what that one was about.
    if context.said.previous.is_some() && before.is_empty() {
        return None;
    }
    let kind = frame_targets::usual(action, command.amount.as_ref())?;
    let found = frame_targets::of_kind(context.index, kind, &[]);
    match frame_targets::the_only(context, kind, found, action)? {
        Ok(entities) => calls(command, action, &entities),
        Err(unclear) => Some(unclear),
    }
}

/// "And the bed light too", "movie night, please".
fn without_action(context: &FrameContext<'_>, command: &FrameCommand, before: &[PreviousAction]) -> Option<ReflexPlan> {
    let target = &command.target;
    if target.is_empty() || target.is_partial {
        return None;
    }
    if command.continues {
        return continued(context, target, before);
    }
    let is_scene = |id: &String| id.starts_with("scene.") || id.starts_with("script.");
    let [ids] = target.named.as_slice() else { return None };
    let is_request = command.is_polite && target.areas.is_empty() && ids.len() == 1 && ids.iter().all(is_scene);
    let entities: Vec<EntitySnapshot> = ids.iter().filter_map(|id| context.index.get(&id.parse().ok()?)).collect();
    if is_request { calls(command, Action::Activate, &entities) } else { None }
}

/// The action before, elsewhere.
fn continued(context: &FrameContext<'_>, target: &FrameTarget, before: &[PreviousAction]) -> Option<ReflexPlan> {
    let [done] = before else { return None };
    let entities: Vec<EntitySnapshot> = match target.named.as_slice() {
        [] => {
            let in_areas = |it: &EntitySnapshot| {
                it.area.as_ref().is_some_and(|area| target.areas.iter().any(|id| area.id.as_str() == id))
            };
            let kind = target.kinds.iter().find_map(|kind| Kind::of(kind));
            let all = context
                .index
                .matching(|entity| entity.exposed && !entity.auxiliary && entity.id.domain() == done.domain);
            let is_kind = |it: &EntitySnapshot| kind.is_none_or(|kind| kind.has(it));
            all.into_iter().filter(|it| in_areas(it) && is_kind(it)).collect()
        }
        named => {
            let ids = named.iter().flatten().filter_map(|id| id.parse::<EntityId>().ok());
            let entities: Vec<EntitySnapshot> = ids.filter_map(|id| context.index.get(&id)).collect();
            // A fan is turned off as a lamp is.
            if entities.iter().all(|it| it.entity.id.domain() != done.domain) {
                return switched_too(context, &entities, done);
            }
            entities.into_iter().filter(|it| it.entity.id.domain() == done.domain).collect()
        }
    };
    // What was done to one lock is not done to others.
    let table = context.index.sensitive();
    let is_sensitive = |it: &EntitySnapshot| is_sensitive_entity(&table, it);
    if entities.is_empty() || entities.len() > 1 && entities.iter().any(is_sensitive) {
        return None;
    }
    let ids: Vec<EntityId> = entities.iter().map(|it| it.entity.id.clone()).collect();
    Some(ReflexPlan::Calls(vec![service_call(&done.domain, &done.service, done.data.clone(), &ids)]))
}

/// The same switching for things of another kind, where on and off mean the same.
fn switched_too(context: &FrameContext<'_>, entities: &[EntitySnapshot], done: &PreviousAction) -> Option<ReflexPlan> {
    const SWITCHED: &[&str] = &["light", "switch", "fan", "media_player", "input_boolean"];
    let [one] = entities else { return None };
    let domain = one.entity.id.domain();
    let is_switched = SWITCHED.contains(&domain)
        && SWITCHED.contains(&done.domain.as_str())
        && matches!(done.service.as_str(), "turn_on" | "turn_off")
        && done.data.is_empty()
        && !is_sensitive_entity(&context.index.sensitive(), one);
    let ids = std::slice::from_ref(&one.entity.id);
    is_switched.then(|| ReflexPlan::Calls(vec![service_call(domain, &done.service, Map::new(), ids)]))
}

/// What the turn before was about: what it changed, or what it asked for.
fn previous(context: &FrameContext<'_>, before: &[PreviousAction]) -> Vec<EntitySnapshot> {
    let asked = context.said.previous.map(|message| context.lexicon.read(context.vocabulary, message));
    if let Some(FrameReading::Question(question)) = asked {
        return frame_targets::asked_about(context, &question);
    }
    let ids = before.iter().flat_map(|done| &done.entities);
    ids.filter_map(|id| context.index.get(id)).collect()
}

/// The targets of a command. The outer `None` means that it is not understood, the error that it is
/// not clear.
#[allow(clippy::type_complexity, reason = "not understood, not clear, or clear")]
fn targets(
    context: &FrameContext<'_>,
    target: &FrameTarget,
    action: Action,
    amount: Option<&Amount>,
) -> Option<Result<Vec<EntitySnapshot>, ReflexPlan>> {
    if target.is_pronoun {
        return None;
    }
    if target.named.is_empty() {
        return frame_targets::by_kind(context, target, action, amount);
    }
    let mut entities = Vec::new();
    for ids in &target.named {
        let known = ids.iter().filter_map(|id| context.index.get(&id.parse().ok()?));
        let mut meant: Vec<EntitySnapshot> = known.collect();
        meant.retain(|it| step(action, amount, &target.kinds, it).is_some());
        if !target.areas.is_empty() {
            meant
                .retain(|it| it.area.as_ref().is_some_and(|area| target.areas.iter().any(|id| area.id.as_str() == id)));
        }
        if meant.len() > 1
            && let Some(here) = &context.here
            && meant.iter().any(|it| it.area.as_ref().is_some_and(|area| area.id == *here))
        {
            meant.retain(|it| it.area.as_ref().is_some_and(|area| area.id == *here));
        }
        let table = context.index.sensitive();
        let is_sensitive = |it: &EntitySnapshot| is_sensitive_entity(&table, it);
        match meant.as_slice() {
            [] => return None,
            // A part of a name is not enough for a lock.
            [one] if target.is_partial && is_sensitive(one) => return None,
            [one] => entities.push(one.clone()),
            [first, ..] => {
                let places: Vec<String> = meant.iter().map(place_of).collect();
                return Some(Err(ReflexPlan::Asked(context.answer_language.which_one(&first.entity.name, &places))));
            }
        }
    }
    Some(Ok(entities))
}

/// One call for all entities with the same service and data.
fn calls(command: &FrameCommand, action: Action, entities: &[EntitySnapshot]) -> Option<ReflexPlan> {
    let mut calls: Vec<(String, ServiceStep, Vec<EntityId>)> = Vec::new();
    for snapshot in entities {
        let step = step(action, command.amount.as_ref(), &command.target.kinds, snapshot)?;
        let domain = snapshot.entity.id.domain().to_owned();
        match calls.iter_mut().find(|(of, known, _)| *of == domain && *known == step) {
            Some((_, _, ids)) => ids.push(snapshot.entity.id.clone()),
            None => calls.push((domain, step, vec![snapshot.entity.id.clone()])),
        }
    }
    let calls = calls.into_iter().map(|(domain, (service, data), ids)| service_call(&domain, service, data, &ids));
    let calls: Vec<ReflexCall> = calls.collect();
    (!calls.is_empty()).then_some(ReflexPlan::Calls(calls))
}

/// Adds an item to the list that is named, or to the only one.
fn add(context: &FrameContext<'_>, command: &FrameCommand, item: &str) -> Option<ReflexPlan> {
    let mut lists = context.index.matching(|entity| entity.exposed && entity.id.domain() == "todo");
    let named: Vec<&String> = command.target.named.iter().flatten().collect();
    if !named.is_empty() {
        lists.retain(|list| named.iter().any(|id| list.entity.id.as_str() == id.as_str()));
    }
    let [list] = lists.as_slice() else {
        return Some(ReflexPlan::Answered(context.answer_language.nothing_there("todo", None)));
    };
    Some(ReflexPlan::Calls(vec![add_item(&list.entity.id, item)]))
}

pub(super) fn add_item(list: &EntityId, item: &str) -> ReflexCall {
    let data: Map<String, Value> = json!({ "item": item }).as_object().cloned().unwrap_or_default();
    service_call("todo", "add_item", data, std::slice::from_ref(list))
}

/// "And butter": another item for the list of the turn before.
pub(super) fn another_item(context: &FrameContext<'_>) -> Option<ReflexCall> {
    let before: Vec<PreviousAction> = context.said.before.iter().filter_map(follow_up::done).collect();
    let [done] = before.as_slice() else { return None };
    let [list] = done.entities.as_slice() else { return None };
    let is_list = done.domain == "todo" && done.service == "add_item";
    let item = context.lexicon.continued_item(context.said.message).filter(|_| is_list)?;
    Some(add_item(list, &item))
}

/// The name of the intent of an action, as Home Assistant has it where it has one.
pub(super) const fn intent(action: Option<Action>) -> &'static str {
    match action {
        Some(Action::On | Action::Activate) => "HassTurnOn",
        Some(Action::Off) => "HassTurnOff",
        Some(Action::Toggle) => "HassToggle",
        Some(Action::Open) => "HassOpenCover",
        Some(Action::Close) => "HassCloseCover",
        Some(Action::Lock) => "Lock",
        Some(Action::Unlock) => "Unlock",
        Some(Action::Pause) => "HassMediaPause",
        Some(Action::Resume) => "HassMediaUnpause",
        Some(Action::Next) => "HassMediaNext",
        Some(Action::Previous) => "HassMediaPrevious",
        Some(Action::Mute) => "HassMediaPlayerMute",
        Some(Action::Unmute) => "HassMediaPlayerUnmute",
        Some(Action::Start | Action::Clean | Action::Mow) => "Start",
        Some(Action::Stop) => "Stop",
        Some(Action::Dock) => "ReturnToBase",
        Some(Action::Arm) => "ArmAlarm",
        Some(Action::Disarm) => "DisarmAlarm",
        Some(Action::Add) => "HassListAddItem",
        Some(Action::Undo) => "Undo",
        None => "SameElsewhere",
        Some(_) => "Adjust",
    }
}
