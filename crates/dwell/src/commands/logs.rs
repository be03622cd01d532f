//! `dwell logs`: the last lines of the running server's log, and those that follow. The server logs
//! to standard error; it keeps the last lines in memory, and these are what is read here.

use std::time::Duration;

use protocol::{LogLevel, LogLine, LogPage};

use super::local_time::local_time;
use crate::{
    cli::LogsArgs,
    command_error::CommandError,
    config::Config,
    output::{Colour, is_coloured},
    print_json,
};

/// How long one request waits for a new line.
const WAIT_MS: u64 = 5_000;
/// Pause before a server that is gone is looked for again.
const AGAIN: Duration = Duration::from_secs(1);

pub(crate) async fn run(config: &Config, asked: LogsArgs) -> Result<(), CommandError> {
    let LogsArgs { follow, lines, level, node } = asked;
    let level = serde_json::json!(LogLevel::from(level));
    let node = node.map(|node| format!("&node={node}")).unwrap_or_default();
    let filter = format!("&level={}{node}", level.as_str().unwrap_or("trace"));
    let client = crate::client(config).await?;
    let page: LogPage = client.get(&format!("/logs?limit={lines}{filter}")).await?;
    if config.output.json && !follow {
        return print_json(&page);
    }
    let printer = LinePrinter { is_json: config.output.json, is_coloured: is_coloured(&std::io::stdout()) };
    printer.print(&page)?;
    if !follow {
        return Ok(());
    }
    tokio::select! {
        followed = print_new(config, &printer, &page, &filter) => followed,
        pressed = tokio::signal::ctrl_c() => Ok(pressed.map_err(anyhow::Error::from)?),
    }
}

/// Prints lines as they are logged, over restarts of the server.
async fn print_new(config: &Config, printer: &LinePrinter, begun: &LogPage, filter: &str) -> Result<(), CommandError> {
    let mut last = begun.last;
    let mut printed_at = begun.data.last().map(|line| line.at);
    let mut is_gone = false;
    // Lines up to here were printed. After a restart the server counts anew.
    let mut printed_until = None;
    loop {
        let asked = match crate::client(config).await {
            Ok(client) => {
                client.get::<LogPage>(&format!("/logs?after={last}&limit=1000&wait_ms={WAIT_MS}{filter}")).await
            }
            Err(failure) => Err(failure),
        };
        match asked {
            Ok(mut page) => {
                is_gone = false;
                page.data.retain(|line| printed_until.is_none_or(|until| line.at > until));
                if page.dropped > 0 {
                    config.output.remark(&format!("{} lines are missing: they came too fast", page.dropped));
                }
                printer.print(&page)?;
                last = page.last;
                printed_at = page.data.last().map_or(printed_at, |line| Some(line.at));
                printed_until = None;
            }
            Err(CommandError::Unreachable(_)) => {
                (last, printed_until) = (0, printed_at);
                if !std::mem::replace(&mut is_gone, true) {
                    config.output.remark("the server is gone; waiting for it");
                }
                tokio::time::sleep(AGAIN).await;
            }
            Err(failure) => return Err(failure),
        }
    }
}

struct LinePrinter {
    is_json: bool,
    is_coloured: bool,
}

impl LinePrinter {
    fn print(&self, page: &LogPage) -> Result<(), CommandError> {
        for line in &page.data {
            if self.is_json {
                println!("{}", serde_json::to_string(line).map_err(anyhow::Error::from)?);
            } else {
                println!("{}", self.line(line));
            }
        }
        Ok(())
    }

    fn line(&self, line: &LogLine) -> String {
        let (name, colour) = match line.level {
            LogLevel::Error => ("ERROR", Colour::Red),
            LogLevel::Warn => ("WARN", Colour::Yellow),
            LogLevel::Info => ("INFO", Colour::Green),
            LogLevel::Debug => ("DEBUG", Colour::Dim),
            LogLevel::Trace => ("TRACE", Colour::Dim),
        };
        let level = colour.paint(&format!("{name:5}"), self.is_coloured);
        format!("{}  {level}  {}: {}", local_time(line.at), line.target, line.message)
    }
}
