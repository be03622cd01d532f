//! What happened, in the words of a logbook.

use protocol::Timestamp;

use super::{
    furniture::{Kind, Piece},
    world::World,
};
use crate::{EntityId, Happening, Period, Sample, State};

/// How many lines at most; the newest are kept.
const LINES_MAX: usize = 2_000;

pub(super) fn logbook(world: &World<'_>, entities: &[EntityId], period: Period) -> Vec<Happening> {
    let wanted = |id: &EntityId| entities.is_empty() || entities.contains(id);
    let mut lines = Vec::new();
    for (id, piece) in world.furniture.all().filter(|(id, _)| wanted(id)) {
        if let Kind::Rule { runs } = &piece.kind {
            for (at, why) in world.runs(runs, period).into_iter().filter(|(at, _)| *at <= world.now) {
                let cause = Some(why.to_owned());
                lines.push(Happening {
                    at,
                    entity_id: Some(id.clone()),
                    name: piece.name.to_owned(),
                    message: "triggered".to_owned(),
                    cause,
                });
            }
        }
        if is_told(piece) {
            let samples = world.series(piece.id, period);
            lines.extend(changes(&samples).map(|sample| line(world, id, piece, sample)));
        }
    }
    lines.sort_by(|one, two| one.at.cmp(&two.at).then_with(|| one.entity_id.cmp(&two.entity_id)));
    if lines.len() > LINES_MAX {
        lines.drain(..lines.len() - LINES_MAX);
    }
    lines
}

/// Numbers that rise and fall are no news.
fn is_told(piece: &Piece) -> bool {
    let is_number = matches!(piece.kind, Kind::Meter { .. } | Kind::Count { .. } | Kind::Weather | Kind::Sun);
    !is_number || matches!(piece.kind, Kind::Sun)
}

/// The samples at which the word changes.
fn changes(samples: &[Sample]) -> impl Iterator<Item = &Sample> {
    samples.windows(2).filter_map(|pair| match pair {
        [before, after] if before.state != after.state => Some(after),
        _ => None,
    })
}

fn line(world: &World<'_>, id: &EntityId, piece: &Piece, sample: &Sample) -> Happening {
    Happening {
        at: sample.at,
        entity_id: Some(id.clone()),
        name: piece.name.to_owned(),
        message: message(piece, &sample.state),
        cause: cause(world, piece, sample.at),
    }
}

fn cause(world: &World<'_>, piece: &Piece, at: Timestamp) -> Option<String> {
    let deed = world.deeds.of(piece.id).iter().rev().find(|deed| deed.at <= at);
    let told =
        deed.filter(|deed| deed.phases.iter().any(|phase| deed.at.as_millis() + phase.after_ms == at.as_millis()));
    told.map(|deed| format!("service {}", deed.service)).or_else(|| world.cause(piece, at).map(str::to_owned))
}

fn message(piece: &Piece, state: &str) -> String {
    let on = state == "on";
    match (piece.domain(), piece.class, state) {
        (_, _, State::UNAVAILABLE) => "became unavailable".to_owned(),
        ("person", _, "home") => "arrived home".to_owned(),
        ("person", _, _) => "left home".to_owned(),
        ("lock", ..) => format!("was {state}"),
        ("sun", _, "above_horizon") => "rose".to_owned(),
        ("sun", ..) => "set".to_owned(),
        ("scene", ..) => "activated".to_owned(),
        ("binary_sensor", Some("motion"), _) => {
            if on { "detected motion" } else { "cleared (no motion detected)" }.to_owned()
        }
        ("binary_sensor", Some("door" | "window"), _) => if on { "was opened" } else { "was closed" }.to_owned(),
        ("binary_sensor", Some("connectivity"), _) => if on { "was connected" } else { "was disconnected" }.to_owned(),
        ("cover" | "valve", ..) => format!("is {state}"),
        (_, _, "on") => "turned on".to_owned(),
        (_, _, "off") => "turned off".to_owned(),
        _ => format!("changed to {state}"),
    }
}
