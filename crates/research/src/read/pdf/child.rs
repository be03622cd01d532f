//! Reading PDF elsewhere: a process for each, and few at once.

use std::{path::PathBuf, process::Stdio};

use async_trait::async_trait;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::Command,
    sync::Semaphore,
};

use super::{PdfReader, Said, TIME_MAX, damaged, too_long};
use crate::read::{Text, Unreadable, cut};

/// How much is taken of what the process says.
const OUTPUT_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// How many read at once.
const CHILDREN_MAX: usize = 2;

/// Reads each PDF with a process of its own.
#[derive(Debug)]
pub struct Child {
    program: PathBuf,
    places: Semaphore,
}

impl Child {
    /// Reads with `program read-pdf`, which is dwell itself.
    pub fn new(program: PathBuf) -> Self {
        Self { program, places: Semaphore::new(CHILDREN_MAX) }
    }

    async fn said(&self, bytes: Vec<u8>) -> std::io::Result<Vec<u8>> {
        let mut child = Command::new(&self.program)
            .arg("read-pdf")
            // It needs nothing of what this process was told.
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let tell = async {
            // A process that ends early wants no more; what it said tells why.
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
        // It has said all it is asked for. Dropping it would end it too, but leave it to be collected.
        let _ = child.kill().await;
        Ok(said)
    }
}

#[async_trait]
impl PdfReader for Child {
    async fn read(&self, bytes: Vec<u8>) -> Result<Text, Unreadable> {
        let _place = self.places.acquire().await.map_err(|_| damaged())?;
        let said = match tokio::time::timeout(TIME_MAX, self.said(bytes)).await {
            Ok(Ok(said)) => said,
            Ok(Err(error)) => return Err(Unreadable(format!("the process that reads PDF cannot be run: {error}"))),
            Err(_) => return Err(too_long()),
        };
        let line = said.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        // A process that was ended, for want of memory for one, says nothing.
        let Said { title, published, mut body, error } = serde_json::from_slice(line).map_err(|_| damaged())?;
        cut(&mut body);
        error.map_or(Ok(Text { title, published, body }), |error| Err(Unreadable(error)))
    }
}
