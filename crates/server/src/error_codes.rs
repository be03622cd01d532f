//! The error codes for the reference: what each means, its HTTP status and what a client does about
//! it.

use protocol::Code;
use schemars::schema_for;
use serde::{Deserialize, Serialize};

use crate::problem::status;

/// An error code as the reference describes it.
#[derive(Debug, Serialize)]
pub struct ErrorDescription {
    code: Code,
    status: u16,
    meaning: String,
    advice: &'static str,
}

/// Every error code, in the order of its declaration.
pub fn error_codes() -> Vec<ErrorDescription> {
    let schema = schema_for!(Code).to_value();
    let variants = schema["oneOf"].as_array().into_iter().flatten();
    variants
        .filter_map(|variant| {
            let code = Code::deserialize(&variant["const"]).ok()?;
            let meaning = variant["description"].as_str().unwrap_or_default().to_owned();
            Some(ErrorDescription { code, status: status(code).as_u16(), meaning, advice: advice(code) })
        })
        .collect()
}

/// What to do about an error of this code. The `hint` of the error itself is about the one case.
const fn advice(code: Code) -> &'static str {
    match code {
        Code::InvalidRequest => "Correct the request as `message` says, and send it again.",
        Code::Unauthorized => "Send the owner's token as `Authorization: Bearer TOKEN`.",
        Code::Forbidden => {
            "Address the server by a name in `server.hosts`, from the server's own page, or ask the operator."
        }
        Code::NotFound => "Check the id, and list what there is.",
        Code::MethodNotAllowed => "Use a method that `/openapi.json` lists for the path.",
        Code::IdempotencyConflict => "Use a new key for a new request.",
        Code::VersionConflict => "Read the session again, and repeat the change if it is still right.",
        Code::NameConflict => "Leave the settings out, or choose another name.",
        Code::SessionEnded => "Start a new session, or fork this one.",
        Code::SessionExpired => "Continue in a new session with `session.restore`, or fork this one.",
        Code::Busy => "Wait for the turn, cancel it, or send with `on_busy: queue`.",
        Code::QueueFull => "Keep the message, and send it again when a turn has ended.",
        Code::AlreadyFinal => "Retry it as a new turn with `turn.retry`.",
        Code::TurnOpen => "Wait for the turn to end, or cancel it.",
        Code::NotResumable => "Wait for the turn: it continues by itself.",
        Code::OutcomeNeeded => "Find out whether the call took effect, and resume the turn with `outcome`.",
        Code::ApprovalSettled => "List the open approvals or dialogs, and answer one of those.",
        Code::Locked => "Wait until the lock is released, or release it as the user.",
        Code::PolicyDenied => "Do it in a way that the policy allows, or change the policy.",
        Code::UnknownModel => "Choose a model that `GET /api/v1/models` lists.",
        Code::TooLarge => "Send less at once.",
        Code::TooDeep => "Send JSON with fewer levels.",
        Code::RequestTimeout => "Send the request again over a faster connection.",
        Code::RateLimited => "Wait for `retry_after_ms`, then send it again.",
        Code::TooManyConnections => "Close connections that are not used, and connect again later.",
        Code::QuotaExceeded => "Remove something that counts against the quota, or ask the operator to raise it.",
        Code::Unavailable => "Try again later; look at the server's log if it lasts.",
        Code::Damaged => {
            "Restore a backup, or export the events before the damage; `dwell verify` checks the data folder."
        }
        Code::Internal => "Report it, with the server's log.",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn every_code_is_listed_with_a_meaning() {
        let codes = error_codes();
        assert!(codes.len() > 20, "{codes:?}");
        assert!(codes.iter().all(|error| error.status >= 400 && !error.meaning.is_empty()), "{codes:?}");
        let busy = codes.iter().find(|error| error.code == Code::Busy);
        assert_eq!(busy.map(|error| error.status), Some(409));
        let names: Vec<Value> = codes.iter().filter_map(|error| serde_json::to_value(error.code).ok()).collect();
        assert!(names.contains(&Value::from("quota_exceeded")), "{names:?}");
    }
}
