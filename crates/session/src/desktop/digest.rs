//! A digest of the windows of a monitor.

use protocol::{MonitorId, Window};
use sha2::{Digest, Sha256};

use super::Desktop;

impl Desktop {
    /// A digest of the windows of a monitor: equal digests mean that the same windows show the same
    /// content. Position, order and times are left out, so that moving windows does not change it.
    pub fn digest(&self, monitor_id: &MonitorId) -> String {
        let mut windows: Vec<&Window> = self.windows().filter(|window| window.monitor_id == *monitor_id).collect();
        windows.sort_by_key(|window| &window.window_id);
        let mut hasher = Sha256::new();
        for window in windows {
            hasher.update(describe(window));
            hasher.update(b"\n");
        }
        hasher.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

fn describe(window: &Window) -> String {
    let Window { window_id, group, title, state, content, locked_by, .. } = window;
    // Plain data always serializes. Keys are sorted, since the same object may be written in
    // several orders.
    let mut value =
        serde_json::to_value((window_id, group, title, state, content.kind(), content, locked_by)).unwrap_or_default();
    value.sort_all_objects();
    value.to_string()
}
