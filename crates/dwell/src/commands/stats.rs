//! `dwell stats`: the usage of the server, a session or a turn.

use std::collections::BTreeMap;

use protocol::{
    BackupStatus, ConnectionStats, MemoryModelState, MemoryModelStats, Percentiles, QuotaUsage, RetentionStats,
    ServerStats, ServerUsage, SessionView, Stats, TurnView,
};

use super::{sessions::find, size::size};
use crate::{client::Client, command_error::CommandError, config::Config, print_json};

pub(crate) async fn run(config: &Config, id: Option<&str>, node: Option<&str>) -> Result<(), CommandError> {
    let client = crate::client(config).await?;
    match id {
        None => server(&client, node).await,
        Some(id) => session_or_turn(&client, id).await,
    }
}

async fn server(client: &Client, node: Option<&str>) -> Result<(), CommandError> {
    let path = node.map_or_else(|| "/stats".to_owned(), |node| format!("/stats?node={node}"));
    let stats: ServerStats = client.get(&path).await?;
    if client.output.json {
        return print_json(&stats);
    }
    println!("since {}", stats.since);
    println!("{} sessions live, {} turns running", stats.live_sessions, stats.running_turns);
    print_connections(&stats.connections);
    print_totals(&stats.totals);
    println!("first word  {}", times(&stats.first_word));
    println!("whole turn  {}", times(&stats.duration));
    if !stats.ways.is_empty() {
        let ways: Vec<String> = stats.ways.iter().map(|(way, count)| format!("{count} {way}")).collect();
        println!("routes      {}", ways.join(", "));
    }
    for (name, model) in &stats.models {
        let (calls, errors) = (model.calls, model.errors);
        println!(
            "model {name}: {calls} calls, {errors} failed, {} tokens{}",
            model.usage.tokens(),
            cost(model.usage.cost_micros)
        );
    }
    for (name, tool) in &stats.tools {
        println!("tool {name}: {} calls, {} failed, {}", tool.calls, tool.errors, times(&tool.duration));
    }
    print_memory_model(&stats.memory_model);
    let journal = stats.journal;
    println!("journal     {} sessions checked, {} damaged", journal.verified_sessions, journal.damaged_sessions);
    if journal.lost_writes > 0 {
        println!("journal     {} acknowledged writes were lost by the database", journal.lost_writes);
    }
    for (code, count) in &stats.errors {
        println!("error {code}: {count}");
    }
    if let Some(usage) = &stats.usage {
        print_usage(usage);
    }
    if let Some(doubt) = &stats.clock {
        println!("clock       {}", doubt.reason);
    }
    if let Some(backup) = &stats.backup {
        println!("backup      {}", backed_up(backup));
    }
    let RetentionStats { expired, archived, deleted, last_at, .. } = stats.retention;
    if expired + archived + deleted > 0 {
        let last = last_at.map(|at| format!(", last removed at {at}")).unwrap_or_default();
        println!("sessions: {expired} expired, {archived} archived, {deleted} deleted{last}");
    }
    Ok(())
}

/// Prints what the model that extracts facts has done.
fn print_memory_model(stats: &MemoryModelStats) {
    let state = match stats.state {
        MemoryModelState::Off => {
            println!("memory      facts are extracted by rules alone");
            return;
        }
        MemoryModelState::Ready => "ready",
        MemoryModelState::Failing => "failing",
        MemoryModelState::OutOfBudget => "out of budget for this hour",
    };
    let model = stats.model.as_deref().unwrap_or("the model of each session");
    println!("memory      {model}: {state}");
    println!(
        "  {} calls, {} failed, {} messages read, {} left to rules, {} sessions waiting",
        stats.calls, stats.failed, stats.messages, stats.given_up, stats.waiting
    );
    let counts = |counts: &BTreeMap<String, u64>| -> String {
        let counts: Vec<String> = counts.iter().map(|(name, count)| format!("{count} {name}")).collect();
        if counts.is_empty() { "none".to_owned() } else { counts.join(", ") }
    };
    println!("  facts: {}; refused: {}", counts(&stats.applied), counts(&stats.refused));
    if let (Some(error), Some(at)) = (&stats.last_error, stats.failed_at) {
        println!("  the last call failed at {at}: {error}");
    }
}

/// Prints usage and limits.
fn print_usage(usage: &ServerUsage) {
    // The operator sees all owners, including themselves.
    let owners = if usage.owners.is_empty() { std::slice::from_ref(&usage.own) } else { &usage.owners[..] };
    for owner in owners {
        println!("owner {}", owner.owner);
        println!("  running turns   {}", share(owner.running_turns, |count| count.to_string()));
        println!("  open turns      {}", share(owner.open_turns, |count| count.to_string()));
        println!("  sessions        {}", share(owner.sessions, |count| count.to_string()));
        println!("  journal         {}", share(owner.journal_bytes, size));
        println!("  memory records  {}", share(owner.memory_records, |count| count.to_string()));
        println!("  memory          {}", share(owner.memory_bytes, size));
        println!("  artifacts       {}", share(owner.artifact_bytes, size));
        println!("  values          {}", share(owner.value_bytes, size));
    }
    if let Some(library) = &usage.library {
        println!("library");
        println!("  documents       {}", share(library.documents, |count| count.to_string()));
        println!("  files           {}", share(library.bytes, size));
    }
}

fn share(share: QuotaUsage, shown: impl Fn(u64) -> String) -> String {
    match share.max {
        Some(max) => format!("{} of {}", shown(share.used), shown(max)),
        None => format!("{} (no limit)", shown(share.used)),
    }
}

async fn session_or_turn(client: &Client, id: &str) -> Result<(), CommandError> {
    // A turn's id has the same form as a session's; anything else is a name.
    let read = id.parse::<protocol::SessionId>();
    let session = match &read {
        Ok(read) => client.get::<SessionView>(&format!("/sessions/{read}")).await,
        Err(_) => Ok(find(client, id).await?),
    };
    if let Ok(session) = session {
        if client.output.json {
            return print_json(&session.stats);
        }
        print_totals(&session.stats);
        return Ok(());
    }
    let turn: TurnView = client.get(&format!("/turns/{id}")).await?;
    if client.output.json {
        return print_json(&turn.stats);
    }
    let stats = turn.stats;
    let ms = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), |ms| format!("{ms} ms"));
    println!("first word {}, whole turn {}", ms(stats.first_word_ms), ms(stats.duration_ms));
    println!("{} rounds, {} tool calls, {} errors", stats.rounds, stats.tool_calls, stats.errors);
    let usage = stats.usage;
    let cached = cached(usage.cached_tokens);
    println!("{} tokens in{cached}, {} out{}", usage.input_tokens, usage.output_tokens, cost(usage.cost_micros));
    Ok(())
}

/// Prints the open connections in total and for each owner, with their limits.
fn print_connections(stats: &ConnectionStats) {
    let limits = &stats.limits;
    println!(
        "{} of {} connections ({} of {} without a token), {} of {} streams, {} of {} MCP sessions",
        stats.open,
        limits.connections,
        stats.anonymous,
        limits.anonymous_connections,
        stats.streams,
        limits.streams,
        stats.mcp_sessions,
        limits.mcp_sessions
    );
    for (owner, has) in &stats.owners {
        println!(
            "owner {owner}: {} of {} connections, {} of {} streams, {} of {} MCP sessions",
            has.connections,
            limits.owner_connections,
            has.streams,
            limits.owner_streams,
            has.mcp_sessions,
            limits.owner_mcp_sessions
        );
    }
}

fn print_totals(stats: &Stats) {
    let Stats { turns, completed, failed, cancelled, steps, tool_calls, input_tokens, output_tokens, .. } = *stats;
    println!("{turns} turns: {completed} answered, {failed} failed, {cancelled} cancelled");
    println!("{steps} steps, {tool_calls} tool calls, {} errors", stats.errors);
    let (cached, cost) = (cached(stats.cached_tokens), cost(Some(stats.cost_micros).filter(|cost| *cost > 0)));
    println!("{input_tokens} tokens in{cached}, {output_tokens} out{cost}");
}

/// How many input tokens came from the providers' caches, if any.
fn cached(tokens: u64) -> String {
    if tokens == 0 { String::new() } else { format!(" ({tokens} cached)") }
}

fn backed_up(BackupStatus { made_at, bytes, kept, failed_at }: &BackupStatus) -> String {
    let newest =
        made_at.map_or_else(|| "none yet".to_owned(), |at| format!("newest of {kept} made at {at} ({})", size(*bytes)));
    match failed_at {
        Some(at) => format!("{newest}; the last attempt, at {at}, failed: see the server's log"),
        None => newest,
    }
}

fn times(percentiles: &Percentiles) -> String {
    let Percentiles { count, p50_ms, p95_ms, max_ms } = *percentiles;
    if count == 0 {
        return "not measured yet".to_owned();
    }
    format!("p50 {p50_ms:.1} ms, p95 {p95_ms:.1} ms, max {max_ms:.1} ms")
}

fn cost(micros: Option<u64>) -> String {
    #[allow(clippy::cast_precision_loss, reason = "sums of money that are shown with four digits")]
    micros.map_or_else(String::new, |micros| format!(", about ${:.4}", micros as f64 / 1_000_000.0))
}
