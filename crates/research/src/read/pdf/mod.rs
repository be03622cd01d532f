//! PDF. Their text is found by a library that was not made for hostile files, so those of strangers are read by a process of
//! its own, [`Child`], which may run out of memory or time without anybody else noticing. [`serve`] is that process.

mod child;
mod extract;

use std::{
    io::{self, Read, Write},
    time::Duration,
};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

pub use child::Child;

use super::{Text, Unreadable};

/// How long a PDF is read.
const TIME_MAX: Duration = Duration::from_secs(30);

/// Someone who reads PDF.
#[async_trait]
pub trait PdfReader: Send + Sync + 'static {
    /// Reads one.
    async fn read(&self, bytes: Vec<u8>) -> Result<Text, Unreadable>;
}

/// Reads PDF in this very process: for tests, and for files that one trusts.
#[derive(Debug, Clone, Copy, Default)]
pub struct InProcess;

#[async_trait]
impl PdfReader for InProcess {
    async fn read(&self, bytes: Vec<u8>) -> Result<Text, Unreadable> {
        let work = tokio::task::spawn_blocking(move || read(&bytes));
        match tokio::time::timeout(TIME_MAX, work).await {
            Ok(Ok(text)) => text,
            Ok(Err(_)) => Err(damaged()),
            Err(_) => Err(too_long()),
        }
    }
}

/// Reads a PDF; a library that panics is a PDF that cannot be read.
pub(super) fn read(bytes: &[u8]) -> Result<Text, Unreadable> {
    std::panic::catch_unwind(|| extract::text(bytes)).unwrap_or_else(|_| Err(damaged()))
}

/// What the process that reads a PDF says: the text, or what is wrong.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Said {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    published: Option<String>,
    #[serde(default)]
    body: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Reads a PDF from `input` and says what is in it on one line of `output`: what `dwell read-pdf` does.
pub fn serve(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let said = match super::read(super::Kind::Pdf, &bytes, None) {
        Ok(Text { title, published, body }) => Said { title, published, body, error: None },
        Err(Unreadable(error)) => Said { error: Some(error), ..Said::default() },
    };
    // What a library may have written before it is on other lines.
    writeln!(output, "\n{}", serde_json::to_string(&said)?)?;
    output.flush()
}

fn damaged() -> Unreadable {
    Unreadable("the PDF is damaged, or of a kind that cannot be read".to_owned())
}

fn too_long() -> Unreadable {
    Unreadable("reading the PDF took too long".to_owned())
}
