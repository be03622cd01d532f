//! The four tools of the tool server, and their declarations.

use std::fmt::Write;

pub(super) const LOOK_AT_SKY: &str = "look_at_sky";
pub(super) const SET_LABEL: &str = "set_label";
pub(super) const BOOK_TABLE: &str = "book_table";
pub(super) const SEND_LETTER: &str = "send_letter";

/// The declaration of a tool, for a test to change.
#[derive(Clone, Debug)]
pub struct ToolServerTool {
    /// The name, by which the ledger knows the tool whatever the declaration says.
    pub name: String,
    /// The path of the tool, as in `/pure`.
    pub route: String,
    /// The class of effect: what running a call again would do.
    pub effect: String,
    /// The safety class: what the tool touches.
    pub safety: String,
    /// The origin of its results: trusted or untrusted.
    pub origin: String,
    /// Further lines of TOML.
    pub more: String,
}

fn tool(name: &str, route: &str, effect: &str, safety: &str) -> ToolServerTool {
    let [name, route, effect, safety, origin] = [name, route, effect, safety, "trusted"].map(str::to_owned);
    ToolServerTool { name, route, effect, safety, origin, more: String::new() }
}

pub(super) fn toml(base_url: &str, change: impl Fn(&mut ToolServerTool)) -> String {
    let mut out = String::new();
    for mut tool in [
        tool(LOOK_AT_SKY, "/pure", "pure", "observes"),
        tool(SET_LABEL, "/idempotent", "idempotent", "keeps"),
        tool(BOOK_TABLE, "/verifiable", "verifiable", "acts"),
        tool(SEND_LETTER, "/at_most_once", "at_most_once", "sends"),
    ] {
        change(&mut tool);
        let ToolServerTool { name, route, effect, safety, origin, more } = tool;
        let look_up = match effect.as_str() {
            "verifiable" => format!("look_up_url = \"{base_url}/verifiable/look_up\"\n"),
            _ => String::new(),
        };
        let words = name.replace('_', " ");
        let _ = write!(
            out,
            "[[tool]]\nname = \"{name}\"\ndescription = \"Use it to {words}.\"\nurl = \"{base_url}{route}\"\n\
             effect = \"{effect}\"\nsafety = \"{safety}\"\norigin = \"{origin}\"\n{look_up}{more}\n\
             input_schema = {{ type = \"object\", required = [\"note\"], additionalProperties = false, \
             properties = {{ note = {{ type = \"string\" }} }} }}\n\n"
        );
    }
    out
}
