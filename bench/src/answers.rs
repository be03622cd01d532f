//! The model's answers: always the same 400 bytes in 100 chunks, so that only Dwell's own cost
//! varies.

use std::time::Duration;

use testkit::{ModelServer, Reply};

const CHUNK: &str = "word";
const CHUNKS: usize = 100;

/// A model server that always answers with this text, with a pause before each chunk.
pub(crate) async fn paced(pause: Duration) -> ModelServer {
    let server = ModelServer::start().await;
    server.forget_requests();
    server.respond_with(move |_| text(pause));
    server
}

/// The answer.
pub(crate) fn text(pause: Duration) -> Reply {
    Reply::text("").chunks([CHUNK; CHUNKS]).every(pause)
}

/// A message of 200 bytes that differs from the others.
pub(crate) fn message(number: usize) -> String {
    format!("{:.<200}", format!("Message {number} of a conversation that goes on for a long time "))
}
