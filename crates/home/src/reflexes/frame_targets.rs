//! What a sentence means by a kind of thing: "the blinds", "the light in the kitchen", "the
//! vacuum".

use reflex::{Action, Amount, FrameQuestion, FrameTarget, QuestionKind};

use super::{act::ReflexPlan, frame_services::step, frames::FrameContext, inquire};
use crate::{
    acting::is_sensitive_entity,
    index::{EntitySnapshot, HomeIndex},
    port::AreaId,
};

/// A kind of thing: domains and, if they decide, device classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Kind {
    pub(super) domains: &'static [&'static str],
    classes: &'static [&'static str],
}

const fn kind(domains: &'static [&'static str], classes: &'static [&'static str]) -> Kind {
    Kind { domains, classes }
}

impl Kind {
    pub(super) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "light" | "brightness" | "color" => kind(&["light"], &[]),
            "fan" => kind(&["fan"], &[]),
            "blind" | "shutter" => kind(&["cover"], &["blind", "shutter", "shade"]),
            "curtain" => kind(&["cover"], &["curtain"]),
            "awning" => kind(&["cover"], &["awning"]),
            "cover" => kind(&["cover"], &["blind", "shutter", "shade", "curtain", "awning"]),
            "garage" => kind(&["cover"], &["garage", "garage_door"]),
            "gate" => kind(&["cover"], &["gate"]),
            "window" => kind(&["cover"], &["window"]),
            "door" | "lock" => kind(&["lock"], &[]),
            "climate" | "temperature" => kind(&["climate"], &[]),
            "tv" => kind(&["media_player"], &["tv"]),
            "speaker" | "radio" => kind(&["media_player"], &["speaker", "receiver"]),
            "media" | "volume" => kind(&["media_player"], &[]),
            "vacuum" => kind(&["vacuum"], &[]),
            "mower" => kind(&["lawn_mower"], &[]),
            "alarm" => kind(&["alarm_control_panel"], &[]),
            "valve" => kind(&["valve"], &[]),
            "switch" => kind(&["switch"], &[]),
            _ => return None,
        })
    }

    pub(super) fn has(self, snapshot: &EntitySnapshot) -> bool {
        let class = snapshot.entity.class.as_deref();
        self.domains.contains(&snapshot.entity.id.domain())
            && (self.classes.is_empty() || class.is_some_and(|class| self.classes.contains(&class)))
    }
}

/// The kind that an action has a target of, if it is not said.
pub(super) fn usual(action: Action, amount: Option<&Amount>) -> Option<Kind> {
    match (action, amount) {
        (Action::Set, Some(Amount::Degrees(_))) | (Action::Warmer | Action::Cooler, _) => Kind::of("climate"),
        (
            Action::Pause
            | Action::Resume
            | Action::Next
            | Action::Previous
            | Action::Mute
            | Action::Unmute
            | Action::Louder
            | Action::Quieter,
            None,
        ) => Kind::of("media"),
        (Action::Clean, None) => Kind::of("vacuum"),
        (Action::Mow, None) => Kind::of("mower"),
        (Action::Arm | Action::Disarm, None) => Kind::of("alarm"),
        _ => None,
    }
}

/// All entities of a kind, in these areas.
pub(super) fn of_kind(index: &HomeIndex, kind: Kind, areas: &[String]) -> Vec<EntitySnapshot> {
    let mut found =
        index.matching(|entity| entity.exposed && !entity.auxiliary && kind.domains.contains(&entity.id.domain()));
    found.retain(|it| kind.has(it));
    if !areas.is_empty() {
        found.retain(|it| it.area.as_ref().is_some_and(|area| areas.iter().any(|id| area.id.as_str() == id)));
    }
    found
}

/// The targets of a command that names none. The outer `None` means that it is not understood.
#[allow(clippy::type_complexity, reason = "not understood, not clear, or clear")]
pub(super) fn by_kind(
    context: &FrameContext<'_>,
    target: &FrameTarget,
    action: Action,
    amount: Option<&Amount>,
) -> Option<Result<Vec<EntitySnapshot>, ReflexPlan>> {
    let kind = match target.kinds.as_slice() {
        [] => in_area(context, target, action, amount)?,
        kinds => {
            let mut known = kinds.iter().map(|name| Kind::of(name));
            let first = known.next()??;
            // "The volume of the TV" is two words for one thing.
            let last = known.try_fold(first, |narrow, next| {
                let next = next?;
                (next.domains == narrow.domains).then_some(if narrow.classes.is_empty() { next } else { narrow })
            })?;
            if matches!((action, kinds), (Action::Open | Action::Close, [only]) if only == "door") {
                return None;
            }
            last
        }
    };
    let mut found = of_kind(context.index, kind, &target.areas);
    if found.is_empty() {
        let place = target.areas.first().map(AreaId::new);
        let place = place.and_then(|id| context.index.areas().into_iter().find(|area| area.id == id));
        let words = context.answer_language.nothing_there(
            kind.domains.first().copied().unwrap_or("entity"),
            place.as_ref().map(|it| it.name.as_str()),
        );
        return Some(Err(ReflexPlan::Answered(words)));
    }
    found.retain(|it| step(action, amount, &[], it).is_some());
    // A garage door is not one of the covers of an area, nor a lock one of its doors.
    let table = context.index.sensitive();
    let is_sensitive = |it: &EntitySnapshot| is_sensitive_entity(&table, it);
    if found.len() > 1 && found.iter().any(is_sensitive) && !is_safe(action) {
        return None;
    }
    if found.is_empty() || target.is_all && !target.areas.is_empty() || !target.areas.is_empty() && many(kind) {
        return (!found.is_empty()).then_some(Ok(found));
    }
    if target.is_all {
        return Some(Ok(found));
    }
    the_only(context, kind, found, action)
}

/// Whether an action on several sensitive things makes them safer.
const fn is_safe(action: Action) -> bool {
    matches!(action, Action::Lock | Action::Close)
}

/// Whether all of a kind in an area are meant by it: "the light in the kitchen".
fn many(kind: Kind) -> bool {
    matches!(kind.domains, ["light" | "cover" | "fan" | "switch" | "climate"])
}

/// The kind that is meant by an area alone: "20 degrees in the bedroom", "close the garage".
fn in_area(context: &FrameContext<'_>, target: &FrameTarget, action: Action, amount: Option<&Amount>) -> Option<Kind> {
    if target.is_all && target.areas.is_empty() {
        return None;
    }
    if let Some(kind) = usual(action, amount) {
        let is_robot = matches!(kind.domains, ["vacuum" | "lawn_mower" | "alarm_control_panel"]);
        return Some(kind).filter(|_| !is_robot);
    }
    let is_cover = matches!(action, Action::Open | Action::Close);
    let covers = of_kind(context.index, kind(&["cover"], &[]), &target.areas);
    match covers.as_slice() {
        [_] if is_cover => Some(kind(&["cover"], &[])),
        _ => None,
    }
}

/// The only one, the one in the speaker's area, or the one that plays; else a question.
#[allow(clippy::type_complexity, reason = "not understood, not clear, or clear")]
pub(super) fn the_only(
    context: &FrameContext<'_>,
    kind: Kind,
    mut found: Vec<EntitySnapshot>,
    action: Action,
) -> Option<Result<Vec<EntitySnapshot>, ReflexPlan>> {
    found.retain(|it| step(action, None, &[], it).is_some() || matches!(action, Action::Set));
    if let Some(here) = &context.here {
        let is_here = |it: &EntitySnapshot| it.area.as_ref().is_some_and(|area| area.id == *here);
        if found.iter().any(is_here) {
            found.retain(is_here);
            if many(kind) {
                return Some(Ok(found));
            }
        }
    }
    if kind.domains == ["media_player"] && found.len() > 1 {
        let wanted = if action == Action::Resume { "paused" } else { "playing" };
        if found.iter().any(|it| it.word() == wanted) {
            found.retain(|it| it.word() == wanted);
        }
    }
    match found.as_slice() {
        [] => None,
        [_] => Some(Ok(found)),
        all => {
            let mut places: Vec<String> =
                all.iter().filter_map(|it| it.area.as_ref().map(|area| area.name.clone())).collect();
            places.sort_unstable();
            places.dedup();
            if places.len() < 2 {
                places = all.iter().map(|it| it.entity.name.clone()).collect();
            }
            Some(Err(ReflexPlan::Asked(context.answer_language.where_to(&places))))
        }
    }
}

/// What a question was about, for "then lock it".
pub(super) fn asked_about(context: &FrameContext<'_>, question: &FrameQuestion) -> Vec<EntitySnapshot> {
    let all = inquire::entities(context.index, question);
    match &question.kind {
        QuestionKind::Which(state) | QuestionKind::Any(state) => {
            all.into_iter().filter(|it| inquire::is_so(it, state)).collect()
        }
        _ => all,
    }
}
