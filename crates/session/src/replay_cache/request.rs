//! A request with its place and the state of the desktop at that time.

use protocol::{MonitorId, WindowId, WindowPress};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Where a request was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestPlace {
    /// On a monitor, to its main agent or an ephemeral one.
    Main(MonitorId),
    /// In a window.
    Window(WindowId),
}

impl RequestPlace {
    /// Whether both are monitors or both are windows.
    pub(super) const fn is_same_kind(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Main(_), Self::Main(_)) | (Self::Window(_), Self::Window(_)))
    }
}

/// A request, and the state of the desktop at that time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReplayRequest {
    /// Where it was made.
    pub place: RequestPlace,
    /// The message.
    pub message: String,
    /// The act in the window, if there was one.
    pub act: Option<WindowPress>,
    /// Digest of the desktop.
    pub windows: String,
    /// Digest of the rest of the model's context; `None` if it is unknown.
    pub known: Option<String>,
}

impl ReplayRequest {
    /// Equal for identical requests.
    pub(super) fn fingerprint(&self) -> ReplayFingerprint {
        // Plain data with string keys: it always serializes, and its fields have a fixed order.
        let bytes = serde_json::to_vec(&self.parts()).unwrap_or_default();
        ReplayFingerprint(Sha256::digest(&bytes).iter().take(16).map(|byte| format!("{byte:02x}")).collect())
    }

    /// Whether both are identical. White space around the text does not count.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        self.parts() == other.parts()
    }

    fn parts(&self) -> RequestParts<'_> {
        let act = self.act.as_ref().map(|act| {
            // The client's own id of the act differs each time.
            let WindowPress { action, action_id: _, form_data, component_path, parallel } = act;
            (action, form_data, component_path, *parallel)
        });
        (&self.place, self.message.trim(), act, &self.windows, &self.known)
    }
}

type ActParts<'a> = (&'a String, &'a std::collections::BTreeMap<String, String>, &'a Option<String>, bool);
type RequestParts<'a> = (&'a RequestPlace, &'a str, Option<ActParts<'a>>, &'a str, &'a Option<String>);

/// A digest of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct ReplayFingerprint(String);
