//! The routes of values.

use axum::{Extension, http::Method, routing::post};
use protocol::{ValueList, ValuePage, ValueRead, ValueWrite, ValueWriteResult};

use super::{Route, route};
use crate::{
    limits::ARCHIVE_BYTES_MAX,
    rest::{BodyMax, values},
};

/// Values of programs.
pub(super) fn of_values() -> Vec<Route> {
    vec![
        route(
            Method::POST,
            "/api/v1/values/write",
            "Stores, deletes and refreshes values, all or none; answered once that is on the disk.",
            || post(values::write).layer(Extension(BodyMax(ARCHIVE_BYTES_MAX))),
        )
        .takes::<ValueWrite>()
        .answers::<ValueWriteResult>(200),
        route(
            Method::POST,
            "/api/v1/values/read",
            "Reads values by their keys; keys without a value are left out.",
            || post(values::read),
        )
        .takes::<ValueRead>()
        .answers::<ValuePage>(200),
        route(
            Method::POST,
            "/api/v1/values/list",
            "Lists the values below some parts of a key, by key, by age or by similarity.",
            || post(values::list),
        )
        .takes::<ValueList>()
        .answers::<ValuePage>(200),
    ]
}
