//! The Wyoming services for speech, and the satellites: each is asked what it is.

use std::time::Duration;

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};

use super::Diagnosis;
use crate::config::Config;

const AREA: &str = "speech";
const PATIENCE: Duration = Duration::from_secs(5);
/// A description is some kilobytes; what is longer is none.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

pub(super) async fn check(config: &Config) -> Vec<Diagnosis> {
    let voice = &config.voice;
    let mut lines = Vec::new();
    for (key, uri, service) in [
        ("voice.speech_to_text".to_owned(), voice.speech_to_text.as_str(), Some("asr")),
        ("voice.text_to_speech".to_owned(), voice.text_to_speech.as_str(), Some("tts")),
    ] {
        if !uri.is_empty() {
            lines.push(look(&key, uri, service).await);
        }
    }
    for (name, satellite) in &voice.satellites {
        lines.push(look(&format!("voice.satellites.{name}.uri"), &satellite.uri, None).await);
    }
    if lines.is_empty() {
        lines.push(Diagnosis::ok(AREA, "no speech services are configured"));
    }
    lines
}

/// Asks a service what it is; `service` is what it has to offer.
async fn look(key: &str, uri: &str, service: Option<&str>) -> Diagnosis {
    let wrong = |found: String| {
        let advice = format!("start it, or correct `{key}`, as in tcp://127.0.0.1:10300");
        Diagnosis::problem(AREA, format!("{uri}: {found}"), advice)
    };
    let Some(authority) = uri.trim().strip_prefix("tcp://") else {
        return wrong("is no address of a Wyoming service".to_owned());
    };
    let info = match tokio::time::timeout(PATIENCE, describe(authority.trim_end_matches('/'))).await {
        Ok(Ok(info)) => info,
        Ok(Err(error)) => return wrong(format!("{error:#}")),
        Err(_) => return wrong(format!("it does not answer within {} s", PATIENCE.as_secs())),
    };
    let names = |kind: &str| -> Vec<String> {
        let listed = info[kind].as_array().into_iter().flatten();
        listed.filter_map(|one| one["name"].as_str().map(str::to_owned)).collect()
    };
    match service {
        Some(kind) if names(kind).is_empty() => wrong(format!("it answers, but offers no `{kind}`")),
        Some(kind) => Diagnosis::ok(AREA, format!("{uri} answers: {}", names(kind).join(", "))),
        None => Diagnosis::ok(AREA, format!("{uri} answers")),
    }
}

/// The data of the service's description.
async fn describe(authority: &str) -> anyhow::Result<Value> {
    let mut stream = TcpStream::connect(authority).await?;
    stream.write_all(b"{\"type\":\"describe\",\"version\":\"1.5.4\"}\n").await?;
    let mut reader = BufReader::new(stream).take(BYTES_MAX);
    loop {
        let mut line = String::new();
        anyhow::ensure!(reader.read_line(&mut line).await? > 0, "it closes the connection");
        let mut header: Value =
            serde_json::from_str(&line).map_err(|_| anyhow::anyhow!("it does not speak Wyoming"))?;
        // The data may be in the header, or follow it.
        let mut data = header.get_mut("data").map(Value::take).unwrap_or_default();
        let rest = |key: &str| header[key].as_u64().unwrap_or_default();
        let (length, payload) = (rest("data_length"), rest("payload_length"));
        anyhow::ensure!(length.saturating_add(payload) <= BYTES_MAX, "its description is too long");
        let mut body = vec![0; usize::try_from(length + payload).unwrap_or_default()];
        reader.read_exact(&mut body).await?;
        if length > 0 {
            let length = usize::try_from(length).unwrap_or_default();
            data = serde_json::from_slice(&body[..length]).map_err(|_| anyhow::anyhow!("it does not speak Wyoming"))?;
        }
        // Satellites may say other things first.
        if header["type"] == "info" {
            return Ok(data);
        }
    }
}
