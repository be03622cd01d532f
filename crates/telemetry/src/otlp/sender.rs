//! Sends spans in batches.

use std::{sync::Arc, time::Duration};

use observe::SpanRecord;
use reqwest::{Client, StatusCode, Url, header::HeaderMap};
use secrecy::{ExposeSecret, SecretString};
use tokio::{
    sync::mpsc,
    task::JoinHandle,
    time::{sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    BadHeaders, ExportCounters, SpanQueue,
    encode::{SpanResource, request},
    headers,
    queue::QUEUE_MAX,
};

/// The path of traces below the collector's address.
const PATH: &str = "v1/traces";
/// Spans of one request.
const BATCH_MAX: usize = 512;
/// How long the first span of a batch waits for others.
const BATCH_WAIT: Duration = Duration::from_secs(1);
/// How long the collector may take.
const SEND_MAX: Duration = Duration::from_secs(10);
/// The waits before a batch is sent again: one more attempt than there are waits.
const BACKOFF: [Duration; 4] =
    [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4), Duration::from_secs(8)];
/// How long a stopping server waits for its last spans to be taken.
const STOP_MAX: Duration = Duration::from_secs(3);

/// Where spans go.
pub struct OtlpSettings {
    /// The address of the collector, without `/v1/traces`.
    pub endpoint: String,
    /// Headers, as `name=value,name=value`.
    pub headers: SecretString,
    /// The name under which this program appears.
    pub service_name: String,
    /// The program's version.
    pub version: String,
}

/// Why spans cannot be exported.
#[derive(Debug, thiserror::Error)]
pub enum BadSettings {
    /// The address is wrong.
    #[error("`telemetry.otlp_endpoint` is wrong: write it as http://HOST:4318")]
    Endpoint,
    /// The headers are wrong.
    #[error("`telemetry.headers` is wrong: {0}")]
    Headers(#[from] BadHeaders),
    /// There is no HTTP client.
    #[error("cannot create an HTTP client for telemetry: {0}")]
    Client(reqwest::Error),
}

/// The task that exports spans.
pub struct OtlpExporter {
    task: JoinHandle<()>,
    stopping: CancellationToken,
    counters: Arc<ExportCounters>,
}

impl OtlpExporter {
    /// Starts the task; returns the queue that it empties.
    pub fn start(settings: &OtlpSettings) -> Result<(Self, SpanQueue), BadSettings> {
        let sender = SpanSender {
            client: Client::builder()
                .timeout(SEND_MAX)
                // A redirect would carry the headers to an address that is not configured.
                .redirect(reqwest::redirect::Policy::none())
                .build()
                .map_err(BadSettings::Client)?,
            url: url(&settings.endpoint).ok_or(BadSettings::Endpoint)?,
            headers: headers::parse(settings.headers.expose_secret())?,
            resource: SpanResource { service_name: settings.service_name.clone(), version: settings.version.clone() },
            counters: Arc::default(),
        };
        let (counters, stopping) = (sender.counters.clone(), CancellationToken::new());
        let (spans, queue) = mpsc::channel(QUEUE_MAX);
        let task = tokio::spawn(sender.run(queue, stopping.clone()));
        let span_queue = SpanQueue { spans, counters: counters.clone() };
        Ok((Self { task, stopping, counters }, span_queue))
    }

    /// How many spans were exported and dropped.
    pub const fn counters(&self) -> &Arc<ExportCounters> {
        &self.counters
    }

    /// Sends what is queued, once, and stops.
    pub async fn stop(self) {
        self.stopping.cancel();
        let mut task = self.task;
        if timeout(STOP_MAX, &mut task).await.is_err() {
            tracing::warn!("the collector of traces did not take the last spans in time");
            task.abort();
        }
    }
}

fn url(endpoint: &str) -> Option<Url> {
    let is_address = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    let base = Url::parse(endpoint).ok().filter(is_address)?;
    Url::parse(&format!("{}/{PATH}", base.as_str().trim_end_matches('/'))).ok()
}

struct SpanSender {
    client: Client,
    url: Url,
    headers: HeaderMap,
    resource: SpanResource,
    counters: Arc<ExportCounters>,
}

impl SpanSender {
    async fn run(self, mut queue: mpsc::Receiver<SpanRecord>, stopping: CancellationToken) {
        let mut batch = Vec::with_capacity(BATCH_MAX);
        loop {
            let is_stopping = tokio::select! {
                biased;
                taken = queue.recv_many(&mut batch, BATCH_MAX) => taken == 0,
                () = stopping.cancelled() => true,
            };
            if !is_stopping {
                let filling = async {
                    while batch.len() < BATCH_MAX {
                        let space = BATCH_MAX - batch.len();
                        if queue.recv_many(&mut batch, space).await == 0 {
                            break;
                        }
                    }
                };
                tokio::select! {
                    () = filling => {}
                    () = sleep(BATCH_WAIT) => {}
                    () = stopping.cancelled() => {}
                }
            }
            if !batch.is_empty() {
                self.send(&batch, &stopping).await;
                batch.clear();
            } else if is_stopping {
                return;
            }
        }
    }

    /// Sends a batch, several times if that can help. A stopping server tries once.
    async fn send(&self, batch: &[SpanRecord], stopping: &CancellationToken) {
        let body = request(&self.resource, batch).to_string();
        let mut waits = BACKOFF.into_iter();
        let problem = loop {
            let problem = match self.attempt(body.clone()).await {
                Ok(()) => {
                    self.counters.exported.inc_by(batch.len() as u64);
                    return;
                }
                Err(problem) => problem,
            };
            let Some(wait) = waits.next().filter(|_| problem.may_pass && !stopping.is_cancelled()) else {
                break problem;
            };
            tokio::select! {
                () = sleep(problem.retry_after.unwrap_or(wait)) => {}
                () = stopping.cancelled() => {}
            }
        };
        self.counters.dropped.inc_by(batch.len() as u64);
        tracing::warn!(spans = batch.len(), problem = problem.text, "the collector of traces did not take spans");
    }

    async fn attempt(&self, body: String) -> Result<(), SendProblem> {
        let request = self.client.post(self.url.clone()).headers(self.headers.clone());
        let request = request.header(reqwest::header::CONTENT_TYPE, "application/json").body(body);
        let answer = request.send().await.map_err(|error| SendProblem {
            text: error.without_url().to_string(),
            may_pass: true,
            retry_after: None,
        })?;
        let status = answer.status();
        if status.is_success() {
            return Ok(());
        }
        let seconds = answer.headers().get("retry-after").and_then(|value| value.to_str().ok()?.parse().ok());
        // Those that the specification names as worth another try.
        let may_pass = [
            StatusCode::TOO_MANY_REQUESTS,
            StatusCode::BAD_GATEWAY,
            StatusCode::SERVICE_UNAVAILABLE,
            StatusCode::GATEWAY_TIMEOUT,
        ];
        let retry_after = seconds.map(|seconds: u64| Duration::from_secs(seconds.min(60)));
        Err(SendProblem { text: format!("status {status}"), may_pass: may_pass.contains(&status), retry_after })
    }
}

/// Why a batch was not taken.
struct SendProblem {
    text: String,
    /// Whether another attempt may help.
    may_pass: bool,
    retry_after: Option<Duration>,
}
