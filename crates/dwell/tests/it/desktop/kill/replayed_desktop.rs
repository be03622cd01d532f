//! A client that only knows the journal: it computes the desktop by replaying all events in order.

use serde_json::{Value, json};

/// The most toasts at a time.
const TOASTS_MAX: usize = 8;
/// The most notifications at a time.
const NOTIFICATIONS_MAX: usize = 32;
/// The fields of a window that are compared.
const FIELDS: [&str; 10] =
    ["window_id", "monitor_id", "group", "title", "bounds", "state", "content", "locked_by", "opened_by", "opened_at"];

/// The desktop as computed from the journal.
#[derive(Debug, Default)]
pub(super) struct ReplayedDesktop {
    /// Ordered from back to front.
    windows: Vec<Value>,
    toasts: Vec<Value>,
    notifications: Vec<Value>,
    dialogs: Vec<Value>,
}

impl ReplayedDesktop {
    pub(super) fn of(log: &[Value]) -> Self {
        let mut desktop = Self::default();
        log.iter().for_each(|event| desktop.take_in(event));
        desktop
    }

    /// The same parts of the desktop that the server shows.
    pub(super) fn parts_of(view: &Value) -> Value {
        let windows: Vec<Value> = view["windows"].as_array().unwrap().iter().map(compared).collect();
        let [toasts, notifications, dialogs] = ["toasts", "notifications", "dialogs"].map(|part| &view[part]);
        json!({ "windows": windows, "toasts": toasts, "notifications": notifications, "dialogs": dialogs })
    }

    pub(super) fn parts(&self) -> Value {
        let windows: Vec<Value> = self.windows.iter().map(compared).collect();
        let Self { toasts, notifications, dialogs, .. } = self;
        json!({ "windows": windows, "toasts": toasts, "notifications": notifications, "dialogs": dialogs })
    }

    fn take_in(&mut self, event: &Value) {
        let data = &event["data"];
        match event["type"].as_str().unwrap() {
            "actions" => data["actions"].as_array().unwrap().iter().for_each(|action| self.act(event, action)),
            "dialog.answered" => self.dialogs.retain(|dialog| dialog["dialog_id"] != data["dialog_id"]),
            "toast.action" => {
                self.toasts.retain(|toast| toast["toast_id"] != data["toast_id"]);
                self.notifications.retain(|toast| toast["toast_id"] != data["toast_id"]);
            }
            _ => {}
        }
    }

    fn act(&mut self, event: &Value, action: &Value) {
        let name = action["type"].as_str().unwrap();
        match name {
            "window.create" => return self.create(event, action),
            "window.close" => return self.windows.retain(|window| window["window_id"] != action["window_id"]),
            "toast.show" => return keep(&mut self.toasts, action, TOASTS_MAX),
            "notification.show" => return keep(&mut self.notifications, action, NOTIFICATIONS_MAX),
            "dialog.show" | "prompt.show" => return keep(&mut self.dialogs, action, usize::MAX),
            "monitor.add" => return,
            _ => {}
        }
        let at = self.windows.iter().position(|window| window["window_id"] == action["window_id"]);
        let at = at.unwrap_or_else(|| panic!("{action} is about a window that is not there"));
        let window = &mut self.windows[at];
        match name {
            "window.focus" if window["state"] == "minimized" => window["state"] = json!("normal"),
            "window.focus" => {}
            "window.maximize" => window["state"] = json!("maximized"),
            "window.restore" => window["state"] = json!("normal"),
            "window.minimize" => window["state"] = json!("minimized"),
            "window.move" => copy(&["x", "y"], action, &mut window["bounds"]),
            "window.resize" => copy(&["width", "height"], action, &mut window["bounds"]),
            "window.title" => copy(&["title"], action, window),
            "window.content" => copy(&["content"], action, window),
            "window.lock" => window["locked_by"] = action["holder"].clone(),
            "window.unlock" => window["locked_by"] = Value::Null,
            other => panic!("there is no action {other}"),
        }
        if ["window.focus", "window.maximize", "window.restore"].contains(&name) {
            let window = self.windows.remove(at);
            self.windows.push(window);
        }
    }

    fn create(&mut self, event: &Value, action: &Value) {
        let id = &action["window_id"];
        assert!(self.windows.iter().all(|window| window["window_id"] != *id), "{id} was opened while it was open");
        let group = action.get("group").unwrap_or(id);
        let monitor = event["data"].get("monitor_id").cloned().unwrap_or(json!("main"));
        let mut window = json!({ "group": group, "monitor_id": monitor, "state": "normal" });
        copy(&["window_id", "title", "bounds", "content"], action, &mut window);
        (window["opened_by"], window["opened_at"]) = (event["agent_id"].clone(), event["at"].clone());
        self.windows.push(window);
    }
}

/// The compared fields of a window.
fn compared(window: &Value) -> Value {
    FIELDS.iter().map(|field| ((*field).to_owned(), window[*field].clone())).collect()
}

fn copy(fields: &[&str], from: &Value, to: &mut Value) {
    for field in fields {
        to[*field] = from[*field].clone();
    }
}

/// Adds an action to a list, without its type; the oldest entries are removed beyond `max`.
fn keep(list: &mut Vec<Value>, action: &Value, max: usize) {
    let mut shown = action.clone();
    shown.as_object_mut().unwrap().remove("type");
    list.push(shown);
    if list.len() > max {
        list.remove(0);
    }
}
