//! The pack of tools by which agents use a session's desktop, and the apps that come with it.
//!
//! A tool here knows no session: it checks what a model asks for, says what is wrong with it, and hands actions to the
//! desktop it is given. What a window shows passes through [`check`], whoever shows it; nothing that gets through loads
//! anything from elsewhere or runs anything. [`content_in_words`] tells a model what it cannot see.

mod content;

mod apps;

mod words;

mod pack;

pub use apps::{App, BRIDGE, CONTENT_SECURITY_POLICY, apps, file};
pub use content::{TEXT_BYTES_MAX, check, read};
pub use pack::{WAIT_MAX, add_artifact_show, add_desktop, tool_of};
pub use words::content_in_words;
