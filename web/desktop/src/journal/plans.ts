/** One-line descriptions of events of schedules and alerts. */
import type { wire } from "@dwell/client";
import { exactTime } from "../kit/format.ts";
import { whenInWords } from "../planned/rules.ts";
import { kindOf, titleOf } from "../planned/words.ts";

/** What happened to a schedule. */
export function describeSchedule(event: wire.ScheduleEvent): string {
  switch (event.event) {
    case "created":
      return `Planned ${spec(event.spec)}${next(event.next_at)}${event.needs_approval ? "; it waits for approval" : ""}`;
    case "changed":
      return `Changed the plan to ${spec(event.spec)}${next(event.next_at)}`;
    case "approved":
      return "The plan is approved";
    case "rezoned":
      return `The plan follows the time zone ${event.owner_zone}${next(event.next_at)}`;
    case "paused":
      return "The plan is paused";
    case "resumed":
      return `The plan is resumed${next(event.next_at)}`;
    case "fired": {
      const others = event.stands_for ? `, for ${event.stands_for} other late runs too` : "";
      return `A run began, planned for ${exactTime(event.key.planned_at)}${others}${next(event.next_at)}`;
    }
    case "missed": {
      const why = event.reason === "late" ? "too late" : "not approved";
      return `Missed ${event.count === 1 ? "a run" : `${event.count} runs`} (${why}), from ${exactTime(event.first_at)}`;
    }
    case "settled":
      if (event.outcome.status === "failed") return `The run failed: ${event.outcome.message}`;
      return event.outcome.status === "started" ? "The run started a turn" : "The run is done";
    case "cancelled":
      return "The plan is cancelled";
    case "ended":
      return event.reason === "runs_max" ? "The plan is over: it has run as often as it may" : "The plan is over";
  }
}

/** What happened to an alert. */
export function describeAlert(event: wire.AlertEvent): string {
  switch (event.event) {
    case "raised":
      return `Alert: ${event.alert.title}`;
    case "sending":
      return `Delivering the alert by ${event.channel}, attempt ${event.attempt}`;
    case "delivered":
      return `The alert is delivered by ${event.channel}`;
    case "failed": {
      const then = event.retry_at ? `; again at ${exactTime(event.retry_at)}` : "; given up";
      return `${event.channel} could not deliver the alert: ${event.message}${then}`;
    }
    case "delayed":
      return `${event.channel} delivers the alert at ${exactTime(event.until)}`;
    case "seen":
      return "The alert was seen";
    case "closed":
      return "The alert is done with";
  }
}

function spec(what: wire.ScheduleSpec): string {
  const when = whenInWords(what.when);
  return `${kindOf(what).toLowerCase()} “${titleOf(what)}”${when === undefined || when === "Once" ? "" : ` (${when.toLowerCase()})`}`;
}

function next(at: string | null | undefined): string {
  return at ? `; next run ${exactTime(at)}` : "";
}
