//! PDF files. The library that extracts their text is not made for hostile files. Untrusted files
//! are therefore read in a subprocess ([`SubprocessPdfReader`]), which may run out of memory or
//! time without harm to the server. [`serve`] is the code of that subprocess.

mod extract;
mod subprocess;

use std::{
    io::{self, Read, Write},
    time::Duration,
};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

pub use subprocess::SubprocessPdfReader;

use super::{ExtractedText, ReadError};

/// Maximum time for reading a PDF file.
const TIME_MAX: Duration = Duration::from_secs(30);

/// Reads PDF files.
#[async_trait]
pub trait PdfReader: Send + Sync + 'static {
    /// Reads one file.
    async fn read(&self, bytes: Vec<u8>) -> Result<ExtractedText, ReadError>;
}

/// Reads in this process: for tests and for trusted files.
#[derive(Debug, Clone, Copy, Default)]
pub struct InProcessPdfReader;

#[async_trait]
impl PdfReader for InProcessPdfReader {
    async fn read(&self, bytes: Vec<u8>) -> Result<ExtractedText, ReadError> {
        let work = tokio::task::spawn_blocking(move || read(&bytes));
        match tokio::time::timeout(TIME_MAX, work).await {
            Ok(Ok(text)) => text,
            Ok(Err(_)) => Err(damaged()),
            Err(_) => Err(too_long()),
        }
    }
}

/// Reads a PDF file. A panic of the library becomes an error.
pub(super) fn read(bytes: &[u8]) -> Result<ExtractedText, ReadError> {
    std::panic::catch_unwind(|| extract::text(bytes)).unwrap_or_else(|_| Err(damaged()))
}

/// Output of the subprocess: the text, or the error.
#[derive(Debug, Default, Serialize, Deserialize)]
struct PdfOutput {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    published: Option<String>,
    #[serde(default)]
    body: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Reads a PDF file from `input` and writes the result as one line to `output`: `dwell read-pdf`.
pub fn serve(mut input: impl Read, mut output: impl Write) -> io::Result<()> {
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes)?;
    let said = match super::read(super::MediaKind::Pdf, &bytes, None) {
        Ok(ExtractedText { title, published, body }) => PdfOutput { title, published, body, error: None },
        Err(ReadError(error)) => PdfOutput { error: Some(error), ..PdfOutput::default() },
    };
    // Output that a library may have written before is on other lines.
    writeln!(output, "\n{}", serde_json::to_string(&said)?)?;
    output.flush()
}

fn damaged() -> ReadError {
    ReadError("the PDF is damaged or not supported".to_owned())
}

fn too_long() -> ReadError {
    ReadError("reading the PDF took too long".to_owned())
}
