//! What stands for the windows of a monitor.

use protocol::{MonitorId, Window};
use sha2::{Digest, Sha256};

use super::Desktop;

impl Desktop {
    /// What stands for the windows of a monitor as they are: where it is the same, the same windows show the same.
    /// Where they are, which is in front and since when is left out, so that tidying up changes nothing.
    pub fn digest(&self, monitor_id: &MonitorId) -> String {
        let mut windows: Vec<&Window> = self.windows().filter(|window| window.monitor_id == *monitor_id).collect();
        windows.sort_by_key(|window| &window.window_id);
        let mut hasher = Sha256::new();
        for window in windows {
            hasher.update(told(window));
            hasher.update(b"\n");
        }
        hasher.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

fn told(window: &Window) -> String {
    let Window { window_id, group, title, state, content, locked_by, .. } = window;
    // Plain data always becomes a value. Its objects are sorted, since the same object may be written in several orders.
    let mut value =
        serde_json::to_value((window_id, group, title, state, content.kind(), content, locked_by)).unwrap_or_default();
    value.sort_all_objects();
    value.to_string()
}
