//! The scripted model as a program, for trying Dwell by hand and for the benchmarks.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use clap::Parser;
use serde_json::json;
use testkit::{ModelServer, Reply, Request, ToolCall};

const BENCH_CHUNKS: usize = 100;
const BENCH_CHUNK: &str = "word";

/// Serves the OpenAI chat-completions API from a script.
#[derive(Parser)]
#[command(name = "scripted-model", version)]
struct Args {
    /// The address to listen on; port 0 picks a free one.
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:0")]
    listen: SocketAddr,
    /// How long to wait before each chunk, in milliseconds.
    #[arg(long, value_name = "N", default_value_t = 0)]
    delay_ms: u64,
    /// Answer everything with this text instead of echoing.
    #[arg(long, value_name = "TEXT", conflicts_with = "bench")]
    text: Option<String>,
    /// Call the first tool offered when the user spoke last, and otherwise
    /// answer with 400 bytes in 100 chunks.
    #[arg(long)]
    bench: bool,
}

#[tokio::main]
async fn main() -> io::Result<()> {
    let args = Args::parse();
    let server = ModelServer::start_on(args.listen).await?;
    server.forget_requests();

    let delay = Duration::from_millis(args.delay_ms);
    if args.bench {
        server.respond_with(move |request| bench(request).every(delay));
    } else if let Some(text) = args.text {
        server.respond_with(move |_| Reply::text(&text).every(delay));
    } else {
        server.respond_with(move |request| Reply::echo(request).every(delay));
    }
    announce(&server);
    tokio::signal::ctrl_c().await
}

#[allow(clippy::print_stdout, reason = "the address is this program's output: the caller reads the port from it")]
fn announce(server: &ModelServer) {
    println!("listening on {}", server.base_url());
}

fn bench(request: &Request) -> Reply {
    let user_spoke_last = request.messages().last().is_some_and(|message| message["role"] == "user");
    match request.tools().first() {
        Some(tool) if user_spoke_last => {
            let name = tool["function"]["name"].as_str().unwrap_or_default();
            // The same id in every run, used once in a conversation.
            let id = format!("call_{}", request.messages().len());
            Reply::tool_calls([ToolCall::new(id, name, json!({ "key": "k" }))])
        }
        _ => Reply::text("").chunks([BENCH_CHUNK; BENCH_CHUNKS]),
    }
}
