//! Reading PDF files in a subprocess each, few at a time.

use std::{path::PathBuf, process::Stdio};

use async_trait::async_trait;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::Command,
    sync::Semaphore,
};

use super::{PdfOutput, PdfReader, TIME_MAX, damaged, too_long};
use crate::read::{ExtractedText, ReadError, cut};

/// Maximum size of the subprocess's output in bytes.
const OUTPUT_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// Maximum number of subprocesses at the same time.
const CHILDREN_MAX: usize = 2;

/// Reads each PDF file in a subprocess.
#[derive(Debug)]
pub struct SubprocessPdfReader {
    program: PathBuf,
    places: Semaphore,
}

impl SubprocessPdfReader {
    /// Runs `program read-pdf`, where the program is dwell itself.
    pub fn new(program: PathBuf) -> Self {
        Self { program, places: Semaphore::new(CHILDREN_MAX) }
    }

    async fn said(&self, bytes: Vec<u8>) -> std::io::Result<Vec<u8>> {
        let mut child = Command::new(&self.program)
            .arg("read-pdf")
            // The subprocess needs nothing of this environment.
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let tell = async {
            // A subprocess that ends early reads no more input; its output says why.
            if let Some(mut input) = input {
                let _ = input.write_all(&bytes).await;
            }
        };
        let mut said = Vec::new();
        let hear = async {
            match output {
                Some(output) => output.take(OUTPUT_BYTES_MAX).read_to_end(&mut said).await,
                None => Ok(0),
            }
        };
        let ((), heard) = tokio::join!(tell, hear);
        heard?;
        // The output is complete. Dropping the subprocess would kill it too, but not wait for it.
        let _ = child.kill().await;
        Ok(said)
    }
}

#[async_trait]
impl PdfReader for SubprocessPdfReader {
    async fn read(&self, bytes: Vec<u8>) -> Result<ExtractedText, ReadError> {
        let _place = self.places.acquire().await.map_err(|_| damaged())?;
        let said = match tokio::time::timeout(TIME_MAX, self.said(bytes)).await {
            Ok(Ok(said)) => said,
            Ok(Err(error)) => return Err(ReadError(format!("the process that reads PDF cannot be run: {error}"))),
            Err(_) => return Err(too_long()),
        };
        let line = said.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        // A subprocess that was killed, for example for lack of memory, has no output.
        let PdfOutput { title, published, mut body, error } = serde_json::from_slice(line).map_err(|_| damaged())?;
        cut(&mut body);
        error.map_or(Ok(ExtractedText { title, published, body }), |error| Err(ReadError(error)))
    }
}
