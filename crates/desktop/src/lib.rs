//! The tools by which agents use a session's desktop, and the apps that come with it.
//!
//! A tool here does not know the session: it checks the model's request, reports what is wrong with
//! it, and passes actions to the desktop port. All window content passes through [`check`], from
//! agents and from clients; checked content loads nothing from elsewhere and runs nothing.
//! [`content_as_text`] describes content to a model, which cannot see it.

mod content;

mod apps;

mod plain_text;

mod pack;

pub use apps::{BRIDGE, BundledApp, CONTENT_SECURITY_POLICY, apps, file};
pub use content::{TEXT_BYTES_MAX, check, read};
pub use pack::{WAIT_MAX, add_artifact_show, add_desktop, tool_of};
pub use plain_text::content_as_text;
