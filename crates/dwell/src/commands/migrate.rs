//! `dwell migrate`: copies everything from the data folder into PostgreSQL, or back.

use anyhow::Context;
use journal::{
    Error, MigratedTable, MigrationProgress, MigrationReport, MigrationStep, RowSource, RowTarget, migrate,
    postgres::DatabaseRows, sqlite::FolderRows,
};
use serde_json::json;

use crate::{
    cli::MigrateArgs,
    command_error::CommandError,
    config::{Config, resolve},
    output::{OutputOptions, Progress},
    print_json,
    shared_files::{self, DatabaseFiles, FolderFiles, SharedFiles},
};

/// The name of the shared files among the tables.
const SHARED_FILES: &str = "shared_files";
/// Characters of a digest that are shown; `--json` has all.
const SHOWN_CHARS: usize = 16;

/// One side of a migration.
struct Side<'a, R: ?Sized> {
    rows: &'a R,
    files: &'a dyn SharedFiles,
}

pub(crate) async fn run(config: &Config, asked: MigrateArgs) -> Result<(), CommandError> {
    let (folder, output) = (config.data_dir(), config.output);
    let files = FolderFiles::new(folder);
    match (asked.to, asked.from) {
        (Some(url), _) => {
            let url = resolve(&url, "--to").map_err(CommandError::Usage)?;
            let source = FolderRows::source(folder).map_err(anyhow::Error::from)?;
            let target = DatabaseRows::target(&url, asked.restart).await.map_err(anyhow::Error::from)?;
            let theirs = DatabaseFiles::new(target.shared_files());
            let (from, to) = (Side { rows: &source, files: &files }, Side { rows: &target, files: &theirs });
            let report = copy(&from, &to, output).await?;
            show(output, &source.place(), &target.place(), &report)?;
            output
                .remark("set `store.url` to this address before the next start; the data folder has a copy of before");
            Ok(())
        }
        (None, Some(url)) => {
            let url = resolve(&url, "--from").map_err(CommandError::Usage)?;
            let source = DatabaseRows::source(&url).await.map_err(anyhow::Error::from)?;
            let ours = DatabaseFiles::new(source.shared_files());
            let copied = async {
                shared_files::check_unused(&ours, &files).await?;
                let target = FolderRows::target(folder, asked.restart)?;
                let (from, to) = (Side { rows: &source, files: &ours }, Side { rows: &target, files: &files });
                copy(&from, &to, output).await
            };
            let copied = copied.await;
            // Without this, servers could use it a minute later.
            let released = source.release().await;
            let report = copied?;
            released.map_err(anyhow::Error::from)?;
            show(output, &source.place(), &folder.display().to_string(), &report)?;
            output.remark(
                "remove `store.url` from the settings before the next start; the database has a copy of before",
            );
            Ok(())
        }
        (None, None) => Err(CommandError::Usage("name the database with --to or --from".to_owned())),
    }
}

/// Copies rows and shared files, compares both sides, and lets servers use the target.
async fn copy(
    from: &Side<'_, impl RowSource>,
    to: &Side<'_, impl RowTarget>,
    output: OutputOptions,
) -> anyhow::Result<MigrationReport> {
    let mut progress = MigrationBar::new(output);
    let migrated = migrate(from.rows, to.rows, &mut |now| progress.show(now)).await;
    drop(progress);
    let mut report = migrated?;
    report.copied_rows += shared_files::copy_all(from.files, to.files).await?;
    report.tables.push(compare(from, to).await?);
    to.rows.finish().await.context("failed to complete the migration")?;
    Ok(report)
}

async fn compare(from: &Side<'_, impl RowSource>, to: &Side<'_, impl RowTarget>) -> anyhow::Result<MigratedTable> {
    let (ours, theirs) = (shared_files::digest(from.files).await?, shared_files::digest(to.files).await?);
    if ours != theirs {
        let side =
            |place: String, (count, sha256): &(u64, String)| format!("{place} has {count} with the digest {sha256}");
        let detail = format!("{}, {}", side(from.rows.place(), &ours), side(to.rows.place(), &theirs));
        return Err(Error::Differs { table: SHARED_FILES.to_owned(), detail }.into());
    }
    let (rows, sha256) = ours;
    Ok(MigratedTable { table: SHARED_FILES.to_owned(), rows, sha256 })
}

fn show(output: OutputOptions, from: &str, to: &str, report: &MigrationReport) -> Result<(), CommandError> {
    if output.json {
        return print_json(&json!({ "from": from, "to": to, "migration": report }));
    }
    if !output.quiet {
        in_words(from, to, report).iter().for_each(|line| println!("{line}"));
    }
    Ok(())
}

fn in_words(from: &str, to: &str, report: &MigrationReport) -> Vec<String> {
    let MigrationReport { copied_rows, resumed_rows, was_complete, tables } = report;
    let first = match (was_complete, resumed_rows) {
        (true, _) => format!("{to} had everything of {from} already"),
        (false, 0) => format!("copied {copied_rows} rows from {from} to {to}"),
        (false, _) => {
            format!("copied {copied_rows} rows from {from} to {to}, after {resumed_rows} of an interrupted run")
        }
    };
    let line = |MigratedTable { table, rows, sha256 }: &MigratedTable| {
        format!("  {table:<17} {rows:>9} rows  {}", sha256.get(..SHOWN_CHARS).unwrap_or(sha256))
    };
    let checked =
        format!("both sides have the same number and the same digest of rows in all {} tables:", tables.len());
    [first, checked].into_iter().chain(tables.iter().map(line)).collect()
}

/// The progress of a migration: a bar for each table on a terminal, otherwise a line.
struct MigrationBar {
    output: OutputOptions,
    bar: Option<(MigrationStep, &'static str, Progress)>,
}

impl MigrationBar {
    const fn new(output: OutputOptions) -> Self {
        Self { output, bar: None }
    }

    fn show(&mut self, MigrationProgress { step, table, done, total }: MigrationProgress) {
        if !matches!(&self.bar, Some((of, name, _)) if (*of, *name) == (step, table)) {
            let doing = match step {
                MigrationStep::Copying => format!("copying {table}"),
                MigrationStep::Comparing => format!("comparing {table}"),
            };
            if total > 0 && !Progress::is_shown(self.output) {
                self.output.remark(&format!("{doing} ({total} rows)"));
            }
            // The last bar goes before the next one comes.
            self.bar = None;
            self.bar = Some((step, table, Progress::pieces(self.output, doing, total)));
        }
        if let Some((_, _, bar)) = &self.bar {
            bar.set(done);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcome_says_what_was_done() {
        let tables = vec![MigratedTable { table: "events".to_owned(), rows: 7, sha256: "ab".repeat(32) }];
        let done = MigrationReport { copied_rows: 9, resumed_rows: 0, was_complete: false, tables };
        let lines = in_words("/data", "the database db/dwell", &done);
        assert_eq!(lines[0], "copied 9 rows from /data to the database db/dwell");
        assert_eq!(lines[2], "  events                    7 rows  abababababababab");
        let resumed = MigrationReport { resumed_rows: 4, ..done };
        assert!(in_words("a", "b", &resumed)[0].ends_with("after 4 of an interrupted run"));
        let complete = MigrationReport { was_complete: true, ..resumed };
        assert_eq!(in_words("a", "b", &complete)[0], "b had everything of a already");
    }
}
