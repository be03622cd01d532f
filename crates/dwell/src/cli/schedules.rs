//! Arguments of `dwell schedules`.

use clap::{Args, Subcommand};

/// `dwell schedules`: without a command it lists them.
#[derive(Debug, Args)]
pub(crate) struct SchedulesArgs {
    #[command(subcommand)]
    pub(crate) command: Option<SchedulesCommand>,
    #[command(flatten)]
    pub(crate) list: ScheduleListArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum SchedulesCommand {
    /// List schedules, the next run first (the default)
    List(ScheduleListArgs),
    /// Make a schedule, and print its next runs
    Add {
        /// The session that it belongs to, by id or name (default: `schedules`)
        #[arg(long, value_name = "ID|NAME")]
        session: Option<String>,
        #[command(flatten)]
        spec: ScheduleSpecArgs,
    },
    /// Show a schedule, its next runs and its last one
    Show {
        /// The schedule
        #[arg(value_name = "ID|NAME")]
        schedule: String,
    },
    /// Stop a schedule until it is resumed
    Pause {
        /// The schedule
        #[arg(value_name = "ID|NAME")]
        schedule: String,
    },
    /// Let a paused schedule run again
    Resume {
        /// The schedule
        #[arg(value_name = "ID|NAME")]
        schedule: String,
    },
    /// Cancel a schedule for good
    Cancel {
        /// The schedule
        #[arg(value_name = "ID|NAME")]
        schedule: String,
    },
    /// Run a schedule now, besides its plan
    Run {
        /// The schedule
        #[arg(value_name = "ID|NAME")]
        schedule: String,
    },
    /// Approve a schedule that waits, for exactly what `show` prints
    Approve {
        /// The schedule
        #[arg(value_name = "ID|NAME")]
        schedule: String,
    },
    /// Change the time, the name or what a schedule does; the rest stays
    Change {
        /// The schedule
        #[arg(value_name = "ID|NAME")]
        schedule: String,
        #[command(flatten)]
        spec: ScheduleSpecArgs,
    },
    /// Repeat a reminder that has run
    Snooze {
        /// The schedule
        #[arg(value_name = "ID|NAME")]
        schedule: String,
        /// After this time, as `10m` or `1h30m`
        #[arg(long = "in", value_name = "TIME")]
        after: String,
    },
    /// Print when a schedule would run, without making it
    Preview {
        #[command(flatten)]
        when: WhenArgs,
        /// How many runs, at most 50
        #[arg(long, value_name = "N")]
        runs: Option<u32>,
    },
}

/// Which schedules are listed.
#[derive(Debug, Default, Args)]
pub(crate) struct ScheduleListArgs {
    /// Also those that were cancelled or have ended
    #[arg(long)]
    pub(crate) all: bool,
}

/// What a schedule is.
#[derive(Debug, Args)]
pub(crate) struct ScheduleSpecArgs {
    /// Remind of this
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["message", "call"])]
    pub(crate) remind: Option<String>,
    /// Begin a turn with this message
    #[arg(long, value_name = "TEXT", conflicts_with = "call")]
    pub(crate) message: Option<String>,
    /// Call a tool with exactly these arguments, a JSON object
    #[arg(long, num_args = 2, value_names = ["TOOL", "JSON"])]
    pub(crate) call: Option<Vec<String>>,
    #[command(flatten)]
    pub(crate) when: WhenArgs,
    /// A name, with which commands find it
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// What happens to runs that the server slept through: `run_late:1h` (those at most so late),
    /// `skip` (none) or `once` (one for all)
    #[arg(long, value_name = "POLICY")]
    pub(crate) late: Option<String>,
    /// End it after this many runs
    #[arg(long, value_name = "N")]
    pub(crate) runs: Option<u32>,
}

/// When a schedule runs.
#[derive(Debug, Args)]
pub(crate) struct WhenArgs {
    /// Once, after this time, as `10m` or `1h30m`
    #[arg(long = "in", value_name = "TIME", conflicts_with_all = ["at", "cron", "rrule"])]
    pub(crate) after: Option<String>,
    /// Once, at this time on the zone's clock, as "2026-11-19 07:00"; or at a moment, as
    /// `2026-11-19T06:00:00Z`
    #[arg(long, value_name = "TIME", conflicts_with_all = ["cron", "rrule"])]
    pub(crate) at: Option<String>,
    /// Again and again, by a cron expression of five fields, as "0 7 * * 1-5"
    #[arg(long, value_name = "EXPRESSION", conflicts_with = "rrule")]
    pub(crate) cron: Option<String>,
    /// Again and again, by a recurrence rule of iCalendar, as "FREQ=MONTHLY;BYMONTHDAY=-1"
    #[arg(long, value_name = "RULE")]
    pub(crate) rrule: Option<String>,
    /// From when on the recurrence rule counts, on the zone's clock (default: now)
    #[arg(long, value_name = "TIME", requires = "rrule")]
    pub(crate) start: Option<String>,
    /// The time zone, as Europe/Berlin (default: the session's)
    #[arg(long, value_name = "ZONE")]
    pub(crate) zone: Option<String>,
}
