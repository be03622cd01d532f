//! The script: the queue of replies, the rule behind it, and what was asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::Method;
use serde_json::{Value, json};

use super::{Reply, Request, json::no_models, strict};
use crate::Offered;

pub(super) type Rule = Arc<dyn Fn(&Request) -> Reply + Send + Sync>;

pub(super) struct Script(Mutex<Inner>);

struct Inner {
    queue: VecDeque<Reply>,
    rule: Rule,
    /// `None` once the owner asked for requests to be forgotten.
    requests: Option<Vec<Request>>,
    /// `None` once the owner asked for anything to be accepted.
    violations: Option<Vec<String>>,
    offered: Offered,
    questions: Vec<String>,
}

impl Default for Script {
    fn default() -> Self {
        Self(Mutex::new(Inner {
            queue: VecDeque::new(),
            rule: Arc::new(Reply::echo),
            requests: Some(Vec::new()),
            violations: Some(Vec::new()),
            offered: Offered::default().page("/v1/models", no_models()),
            questions: Vec::new(),
        }))
    }
}

impl Script {
    pub(super) fn push(&self, reply: Reply) {
        self.lock().queue.push_back(reply);
    }

    pub(super) fn respond_with(&self, rule: Rule) {
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

    pub(super) fn offers(&self, offered: Offered) {
        self.lock().offered = offered;
    }

    pub(super) fn questions(&self) -> Vec<String> {
        self.lock().questions.clone()
    }

    /// Records a question about the server itself and says what it answers.
    pub(super) fn offered(&self, method: &Method, path: &str, body: &[u8]) -> (u16, Value) {
        let mut inner = self.lock();
        inner.questions.push(format!("{method} {path}"));
        let missing = || (404, json!({ "error": { "message": "there is no such thing here", "code": 404 } }));
        inner.offered.answer(path, body).unwrap_or_else(missing)
    }

    pub(super) fn accept_anything(&self) {
        self.lock().violations = None;
    }

    /// Says what a strict provider would not take about the request, and records both; it uses up no reply.
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

    /// Records the request and says how to answer it.
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
