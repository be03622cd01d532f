//! The script: queued replies, the rule after them, and the received requests.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::Method;
use serde_json::{Value, json};

use super::{Reply, Request, json::no_models, strict};
use crate::ModelCatalog;

pub(super) type ReplyRule = Arc<dyn Fn(&Request) -> Reply + Send + Sync>;

pub(super) struct ReplyScript(Mutex<Inner>);

struct Inner {
    queue: VecDeque<Reply>,
    rule: ReplyRule,
    /// `None` once the test has asked to forget requests.
    requests: Option<Vec<Request>>,
    /// `None` once the test has asked to accept anything.
    violations: Option<Vec<String>>,
    offered: ModelCatalog,
    questions: Vec<String>,
}

impl Default for ReplyScript {
    fn default() -> Self {
        Self(Mutex::new(Inner {
            queue: VecDeque::new(),
            rule: Arc::new(Reply::echo),
            requests: Some(Vec::new()),
            violations: Some(Vec::new()),
            offered: ModelCatalog::default().page("/v1/models", no_models()),
            questions: Vec::new(),
        }))
    }
}

impl ReplyScript {
    pub(super) fn push(&self, reply: Reply) {
        self.lock().queue.push_back(reply);
    }

    pub(super) fn respond_with(&self, rule: ReplyRule) {
        self.lock().rule = rule;
    }

    pub(super) fn forget_requests(&self) {
        self.lock().requests = None;
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.lock().requests.clone().unwrap_or_default()
    }

    pub(super) fn received(&self) -> usize {
        self.lock().requests.as_ref().map_or(0, Vec::len)
    }

    pub(super) fn violations(&self) -> Vec<String> {
        self.lock().violations.clone().unwrap_or_default()
    }

    pub(super) fn offers(&self, offered: ModelCatalog) {
        self.lock().offered = offered;
    }

    pub(super) fn questions(&self) -> Vec<String> {
        self.lock().questions.clone()
    }

    /// Records a request about the server itself; returns its answer.
    pub(super) fn offered(&self, method: &Method, path: &str, body: &[u8]) -> (u16, Value) {
        let mut inner = self.lock();
        inner.questions.push(format!("{method} {path}"));
        let missing = || (404, json!({ "error": { "message": "there is no such thing here", "code": 404 } }));
        inner.offered.answer(path, body).unwrap_or_else(missing)
    }

    pub(super) fn accept_anything(&self) {
        self.lock().violations = None;
    }

    /// The fault for which a strict provider would refuse the request, recorded with it; a refusal
    /// uses up no reply.
    pub(super) fn refuse(&self, request: &Request) -> Option<String> {
        let mut inner = self.lock();
        let violations = inner.violations.as_mut()?;
        let violation = strict::violation(request.messages())?;
        violations.push(violation.clone());
        if let Some(requests) = &mut inner.requests {
            requests.push(request.clone());
        }
        Some(violation)
    }

    /// Records the request; returns its reply.
    pub(super) fn take_reply(&self, request: &Request) -> Reply {
        let mut inner = self.lock();
        if let Some(requests) = &mut inner.requests {
            requests.push(request.clone());
        }
        if let Some(reply) = inner.queue.pop_front() {
            return reply;
        }
        // A rule may call back into the server, so it runs without the lock.
        let rule = Arc::clone(&inner.rule);
        drop(inner);
        rule(request)
    }

    /// Every change is a single step, so a test that panicked with the lock
    /// held left nothing half done.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
