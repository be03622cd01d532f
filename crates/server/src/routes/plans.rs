//! The routes of schedules and alerts.

use axum::{
    http::Method,
    routing::{delete, get, patch, post},
};
use protocol::{
    AlertPage, AlertView, HookAnswer, HookView, PushDevice, PushSubscribe, PushView, ScheduleChange, ScheduleCreate,
    SchedulePage, SchedulePreview, ScheduleStep, ScheduleTimes, ScheduleView,
};

use super::{Route, U32, route};
use crate::{
    hooks,
    rest::{plans, push},
};

/// What begins by itself, and what needs a person.
pub(super) fn of_plans() -> Vec<Route> {
    vec![
        route(Method::GET, "/api/v1/schedules", "Lists schedules, the next run first.", || get(plans::list))
            .query(&[
                ("session_id", "string", "only those of this session"),
                ("conversation_id", "string", "only those of the session with this name"),
                ("ended", "boolean", "also those that were cancelled or have ended"),
            ])
            .answers::<SchedulePage>(200),
        route(
            Method::POST,
            "/api/v1/schedules",
            "Makes a schedule: a reminder, a message or a call, once or by a rule.",
            || post(plans::create),
        )
        .takes::<ScheduleCreate>()
        .answers::<ScheduleView>(201),
        route(Method::POST, "/api/v1/schedules/preview", "Calculates when a schedule would run.", || {
            post(plans::preview)
        })
        .takes::<SchedulePreview>()
        .answers::<ScheduleTimes>(200),
        route(Method::GET, "/api/v1/schedules/{schedule_id}", "A schedule.", || get(plans::get))
            .answers::<ScheduleView>(200),
        route(Method::PATCH, "/api/v1/schedules/{schedule_id}", "Changes what is given.", || patch(plans::update))
            .takes::<ScheduleChange>()
            .answers::<ScheduleView>(200),
        route(Method::DELETE, "/api/v1/schedules/{schedule_id}", "Cancels a schedule.", || delete(plans::cancel))
            .answers::<ScheduleView>(200),
        route(
            Method::POST,
            "/api/v1/schedules/{schedule_id}/do",
            "Pauses, resumes, cancels, runs, approves or snoozes a schedule.",
            || post(plans::step),
        )
        .takes::<ScheduleStep>()
        .answers::<ScheduleView>(200),
        route(
            Method::GET,
            "/api/v1/schedules/{schedule_id}/hook",
            "Where a schedule that waits for webhooks receives them, and the secret that signs them.",
            || get(hooks::show),
        )
        .answers::<HookView>(200),
        route(
            Method::POST,
            "/hooks/{schedule_id}",
            "A webhook starts a schedule. Needs no token: it is signed (Standard Webhooks).",
            || post(hooks::receive),
        )
        .answers::<HookAnswer>(202),
        route(Method::GET, "/api/v1/alerts", "Lists alerts, newest first.", || get(plans::alerts))
            .query(&[("limit", U32, "maximum number of entries")])
            .answers::<AlertPage>(200),
        route(Method::POST, "/api/v1/alerts/{alert_id}/seen", "A person has seen an alert.", || post(plans::see_alert))
            .answers::<AlertView>(200),
        route(
            Method::GET,
            "/api/v1/push",
            "The public key for Web Push, if the server has one, and the browsers that are subscribed.",
            || get(push::view),
        )
        .answers::<PushView>(200),
        route(
            Method::POST,
            "/api/v1/push/devices",
            "Subscribes a browser: it shows alerts while no page is open.",
            || post(push::subscribe),
        )
        .takes::<PushSubscribe>()
        .answers::<PushDevice>(201),
        route(Method::DELETE, "/api/v1/push/devices/{device_id}", "Ends the subscription of a browser.", || {
            delete(push::unsubscribe)
        })
        .answers_empty(204),
    ]
}
