//! `dwell stats`: what the server, a session or a turn has used.

use protocol::{Percentiles, ServerStats, SessionView, Stats, TurnView};

use crate::{client::Client, config::Config, failure::Failure, print_json};

pub(crate) async fn run(config: &Config, id: Option<&str>, is_json: bool) -> Result<(), Failure> {
    let client = crate::client(config)?;
    match id {
        None => server(&client, is_json).await,
        Some(id) => session_or_turn(&client, id, is_json).await,
    }
}

async fn server(client: &Client, is_json: bool) -> Result<(), Failure> {
    let stats: ServerStats = client.get("/stats").await?;
    if is_json {
        return print_json(&stats);
    }
    println!("since {}", stats.since);
    println!("{} sessions live, {} turns running", stats.live_sessions, stats.running_turns);
    print_totals(&stats.totals);
    println!("first word  {}", times(&stats.first_word));
    println!("whole turn  {}", times(&stats.duration));
    if !stats.ways.is_empty() {
        let ways: Vec<String> = stats.ways.iter().map(|(way, count)| format!("{count} {way}")).collect();
        println!("ways        {}", ways.join(", "));
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
    for (code, count) in &stats.errors {
        println!("error {code}: {count}");
    }
    Ok(())
}

async fn session_or_turn(client: &Client, id: &str, is_json: bool) -> Result<(), Failure> {
    let read: protocol::SessionId = id.parse().map_err(|error| Failure::Usage(format!("{error}")))?;
    if let Ok(session) = client.get::<SessionView>(&format!("/sessions/{read}")).await {
        if is_json {
            return print_json(&session.stats);
        }
        print_totals(&session.stats);
        return Ok(());
    }
    let turn: TurnView = client.get(&format!("/turns/{read}")).await?;
    if is_json {
        return print_json(&turn.stats);
    }
    let stats = turn.stats;
    let ms = |value: Option<u64>| value.map_or_else(|| "-".to_owned(), |ms| format!("{ms} ms"));
    println!("first word {}, whole turn {}", ms(stats.first_word_ms), ms(stats.duration_ms));
    println!("{} rounds, {} tool calls, {} errors", stats.rounds, stats.tool_calls, stats.errors);
    let usage = stats.usage;
    println!("{} tokens in, {} out{}", usage.input_tokens, usage.output_tokens, cost(usage.cost_micros));
    Ok(())
}

fn print_totals(stats: &Stats) {
    let Stats { turns, completed, failed, cancelled, steps, tool_calls, input_tokens, output_tokens, .. } = *stats;
    println!("{turns} turns: {completed} answered, {failed} failed, {cancelled} cancelled");
    println!("{steps} steps, {tool_calls} tool calls, {} errors", stats.errors);
    println!("{input_tokens} tokens in, {output_tokens} out{}", cost(Some(stats.cost_micros).filter(|cost| *cost > 0)));
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
