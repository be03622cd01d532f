//! Desktop actions and questions of a turn, kept so that a resumed turn does not repeat them.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{Action, AppOutcome, AppRequestId, DialogAnswer, DialogId};
use serde::{Deserialize, Serialize};

use crate::limits::ACTIVITY_BYTES_MAX;

/// What a turn has done and asked on the desktop.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DesktopActivity {
    /// The idempotency keys of its actions.
    pub keys: BTreeSet<String>,
    /// The actions, in order.
    pub actions: Vec<Action>,
    /// Whether it has done more than is kept here.
    pub is_cut: bool,
    /// Whether the actions are a replay of an earlier turn.
    pub is_replay: bool,
    /// The dialogs it has opened, and the answers.
    pub dialogs: BTreeMap<DialogId, Option<DialogAnswer>>,
    /// Its requests to apps, and the answers.
    pub requests: BTreeMap<AppRequestId, Option<AppOutcome>>,
}

impl DesktopActivity {
    /// Adds actions. Beyond a limit they are not kept, since a turn with that many actions is not
    /// replayed.
    pub(crate) fn take_in(&mut self, actions: &[Action]) {
        let bytes = |actions: &[Action]| serde_json::to_string(actions).map_or(usize::MAX, |json| json.len());
        self.is_cut |= bytes(&self.actions).saturating_add(bytes(actions)) > ACTIVITY_BYTES_MAX;
        if !self.is_cut {
            self.actions.extend(actions.iter().cloned());
        }
    }

    /// Whether a dialog still waits for the user's answer.
    pub fn awaits_answer(&self) -> bool {
        self.dialogs.values().any(Option::is_none)
    }
}
