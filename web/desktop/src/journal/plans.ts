/** One-line descriptions of events of schedules and alerts. */
import type { wire } from "@dwell/client";
import { exactTime } from "../kit/format.ts";
import { whenInWords } from "../planned/rules.ts";
import { kindOf, titleOf } from "../planned/words.ts";
import { texts } from "../languages/journal.ts";

/** What happened to a schedule. */
export function describeSchedule(event: wire.ScheduleEvent): string {
  switch (event.event) {
    case "created":
      return texts().plannedSpecNextAt(
        spec(event.spec),
        next(event.next_at),
        event.needs_approval ? texts().itWaitsForApproval : "",
      );
    case "changed":
      return texts().changedThePlanTo(spec(event.spec), next(event.next_at));
    case "approved":
      return texts().thePlanIsApproved;
    case "rezoned":
      return texts().thePlanFollowsTime(event.owner_zone, next(event.next_at));
    case "paused":
      return texts().thePlanIsPaused;
    case "resumed":
      return texts().thePlanIsResumed(next(event.next_at));
    case "fired": {
      const others = event.stands_for ? texts().forOtherLateRuns(event.stands_for) : "";
      return texts().aRunBeganPlanned(exactTime(event.key.planned_at), others, next(event.next_at));
    }
    case "missed": {
      const why = event.reason === "late" ? texts().tooLate : texts().notApproved;
      return texts().missed(texts().missedRuns(event.count), why, exactTime(event.first_at));
    }
    case "settled":
      if (event.outcome.status === "failed") return texts().theRunFailed(event.outcome.message);
      return event.outcome.status === "started" ? texts().theRunStartedTurn : texts().theRunIsDone;
    case "cancelled":
      return texts().thePlanIsCancelled;
    case "ended":
      return event.reason === "runs_max" ? texts().thePlanOverHas : texts().thePlanIsOver;
  }
}

/** What happened to an alert. */
export function describeAlert(event: wire.AlertEvent): string {
  switch (event.event) {
    case "raised":
      return texts().alertTitle(event.alert.title);
    case "sending":
      return texts().deliveringAlertByAttempt(event.channel, event.attempt);
    case "delivered":
      return texts().theAlertDeliveredBy(event.channel);
    case "failed": {
      const then = event.retry_at ? texts().againAtRetryAt(exactTime(event.retry_at)) : texts().givenUp;
      return texts().couldNotDeliverAlert(event.channel, event.message, then);
    }
    case "delayed":
      return texts().deliversTheAlertAt(event.channel, exactTime(event.until));
    case "seen":
      return texts().theAlertWasSeen;
    case "closed":
      return texts().theAlertDoneWith;
  }
}

function spec(what: wire.ScheduleSpec): string {
  const when = what.when.kind === "at" ? undefined : whenInWords(what.when);
  const plan = texts().planTitle(kindOf(what), titleOf(what));
  return when === undefined ? plan : `${plan} (${texts().withinSentence(when)})`;
}

function next(at: string | null | undefined): string {
  return at ? texts().nextRunAt(exactTime(at)) : "";
}
