//! What was asked, where, and how things stood then.

use protocol::{MonitorId, WindowAct, WindowId};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Where something was asked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// On a monitor, of its main agent or of one beside it.
    Main(MonitorId),
    /// In a window.
    Window(WindowId),
}

impl Place {
    /// Whether both are monitors or both are windows.
    pub(super) const fn is_same_kind(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Main(_), Self::Main(_)) | (Self::Window(_), Self::Window(_)))
    }
}

/// What was asked, and how things stood then.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Where.
    pub place: Place,
    /// The words.
    pub message: String,
    /// What was pressed.
    pub act: Option<WindowAct>,
    /// The digest of the desktop.
    pub windows: String,
    /// The digest of what else the model was told; none means that nobody knows.
    pub known: Option<String>,
}

impl Asked {
    /// The same for two requests that are the same in every respect.
    pub(super) fn fingerprint(&self) -> Fingerprint {
        // Plain data with string keys: it always serialises, and its fields have a fixed order.
        let bytes = serde_json::to_vec(&self.parts()).unwrap_or_default();
        Fingerprint(Sha256::digest(&bytes).iter().take(16).map(|byte| format!("{byte:02x}")).collect())
    }

    /// Whether both are the same in every respect. White space around the words is none of them.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }

    fn parts(&self) -> Parts<'_> {
        let act = self.act.as_ref().map(|act| {
            // The client's own name for this time is another each time.
            let WindowAct { action, action_id: _, form_data, component_path, parallel } = act;
            (action, form_data, component_path, *parallel)
        });
        (&self.place, self.message.trim(), act, &self.windows, &self.known)
    }
}

type Pressed<'a> = (&'a String, &'a std::collections::BTreeMap<String, String>, &'a Option<String>, bool);
type Parts<'a> = (&'a Place, &'a str, Option<Pressed<'a>>, &'a str, &'a Option<String>);

/// What stands for a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct Fingerprint(String);
