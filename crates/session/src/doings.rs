//! What a turn has done on the desktop, and what it has asked there: what must not be done or asked again.

use std::collections::{BTreeMap, BTreeSet};

use protocol::{Action, AppOutcome, AppRequestId, DialogAnswer, DialogId};
use serde::{Deserialize, Serialize};

use crate::limits::DOINGS_BYTES_MAX;

/// What a turn has done and asked on the desktop.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Doings {
    /// The keys under which it has acted.
    pub keys: BTreeSet<String>,
    /// What it has done, in order.
    pub actions: Vec<Action>,
    /// Whether it has done more than is kept here.
    pub is_cut: bool,
    /// Whether that was what an earlier turn had done.
    pub is_replay: bool,
    /// What it has asked the user, and the answers.
    pub dialogs: BTreeMap<DialogId, Option<DialogAnswer>>,
    /// What it has asked apps, and the answers.
    pub requests: BTreeMap<AppRequestId, Option<AppOutcome>>,
}

impl Doings {
    /// Takes in what it has done. Past a limit it is no longer kept: it would not be done again by rote anyway.
    pub(crate) fn take_in(&mut self, actions: &[Action]) {
        let bytes = |actions: &[Action]| serde_json::to_string(actions).map_or(usize::MAX, |json| json.len());
        self.is_cut |= bytes(&self.actions).saturating_add(bytes(actions)) > DOINGS_BYTES_MAX;
        if !self.is_cut {
            self.actions.extend(actions.iter().cloned());
        }
    }

    /// Whether the user still has to answer something.
    pub fn awaits_answer(&self) -> bool {
        self.dialogs.values().any(Option::is_none)
    }
}
