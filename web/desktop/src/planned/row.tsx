/** One schedule in a list: what it does, when it runs, how its last run went, and its buttons. */
import type { wire } from "@dwell/client";
import { useEffect, useRef } from "preact/hooks";
import { alerts } from "../alerts/store.ts";
import { useAttempt } from "../kit/attempt.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { Badge, ErrorNotice } from "../kit/pieces.tsx";
import { JsonFold, Values } from "../kit/values.tsx";
import { hrefOf, place } from "../route.ts";
import { catchUpInWords } from "./conditions.ts";
import { openDialog } from "./open.ts";
import { Moment } from "./now.tsx";
import { ruleText, whenInWords } from "./rules.ts";
import { HookAddress } from "./hook.tsx";
import { stepSchedule } from "./store.ts";
import { durationInWords, viewerZone } from "./times.ts";
import {
  actionInWords,
  iconOf,
  isOpen,
  isSnoozable,
  kindOf,
  leftOf,
  missedInWords,
  outcomeInWords,
  titleOf,
} from "./words.ts";
import { texts } from "../languages/planned.ts";

const SNOOZE_MS = 10 * 60_000;

/** A schedule. A link to it scrolls to it and highlights it. */
export function ScheduleRow({ schedule }: { schedule: wire.ScheduleView }) {
  const row = useRef<HTMLLIElement>(null);
  const { isBusy, problem, run } = useAttempt();
  const isLinked = place.value.detail === schedule.schedule_id;
  useEffect(() => {
    if (isLinked) row.current?.scrollIntoView({ block: "nearest" });
  }, [isLinked]);
  const step = (what: wire.ScheduleStep) => void run(() => stepSchedule(schedule, what));
  const what = actionInWords(schedule);
  return (
    <li ref={row} class={isLinked ? "card planned-row linked" : "card planned-row"}>
      <span class="planned-icon">
        <Icon name={iconOf(schedule)} />
      </span>
      <div class="planned-what">
        <h3>
          <span class="unseen">{kindOf(schedule)}: </span>
          {titleOf(schedule)}
        </h3>
        {what && <p class="planned-action">{what}</p>}
        <Plan schedule={schedule} />
        <LastRun schedule={schedule} />
      </div>
      <Actions schedule={schedule} isBusy={isBusy} step={step} />
      {schedule.status === "waiting" && <Approval schedule={schedule} isBusy={isBusy} step={step} />}
      {problem !== undefined && <ErrorNotice error={problem} />}
    </li>
  );
}

/** When it runs: the next run on the viewer's clock, and the rule in words or as it is written. */
function Plan({ schedule }: { schedule: wire.ScheduleView }) {
  const { when, status, next_at: next, planned_in: zone, runs, runs_max: most } = schedule;
  const rule = ruleText(when);
  const words = whenInWords(when);
  const left = leftOf(schedule);
  const isEvent = when.kind === "event";
  const late = isEvent || !isOpen(schedule) ? undefined : catchUpInWords(schedule.catch_up, durationInWords);
  return (
    <p class="planned-when">
      {status === "waiting" && <Badge tone="warning">{texts().waitsForApproval}</Badge>}
      {status === "paused" && <Badge tone="warning">{texts().paused}</Badge>}
      {status === "cancelled" && <Badge>{texts().cancelled}</Badge>}
      {status === "ended" && (rule !== undefined || !schedule.last_run) && <Badge>{texts().over}</Badge>}
      {next && isOpen(schedule) && <Moment at={next} />}
      {rule !== undefined && <span>{words ?? <code>{rule}</code>}</span>}
      {rule !== undefined && zone !== viewerZone() && <span>({zone})</span>}
      {isEvent && <span>{words}</span>}
      {isEvent && when.trigger.on === "hook" && isOpen(schedule) && <HookAddress id={schedule.schedule_id} />}
      {left !== undefined && <span>{texts().timeLeft(durationInWords(left))}</span>}
      {most != null && <span>{texts().runsOf(runs, most)}</span>}
      {rule !== undefined && late !== undefined && <span>{late}</span>}
    </p>
  );
}

/** The last run with its outcome and a link to its turn, and how many runs were missed. */
function LastRun({ schedule }: { schedule: wire.ScheduleView }) {
  const { last_run: last, action, session_id: session } = schedule;
  const missed = missedInWords(schedule.missed);
  if (!last && !missed) return null;
  const outcome = last && outcomeInWords(last, action, alerts.value ?? []);
  const turn = last?.outcome?.status === "started" ? last.outcome.turn_id : undefined;
  return (
    <p class="planned-last">
      {last && outcome && (
        <>
          <span class={outcome.isBad ? "planned-bad" : undefined}>{outcome.text}</span> <Moment at={last.planned_at} />
        </>
      )}
      {turn !== undefined && <a href={hrefOf({ view: "talk", session, detail: turn })}>{texts().showTheTurn}</a>}
      {schedule.runs > 1 && <span>{texts().runCount(schedule.runs)}</span>}
      {missed && <Badge tone="danger">{missed}</Badge>}
    </p>
  );
}

type ActionProps = { schedule: wire.ScheduleView; isBusy: boolean; step: (what: wire.ScheduleStep) => void };

function Actions({ schedule, isBusy, step }: ActionProps) {
  const title = titleOf(schedule);
  const { status } = schedule;
  return (
    <div class="planned-actions">
      {status === "active" && (
        <IconButton
          icon="pause"
          label={texts().pauseTitle(title)}
          disabled={isBusy}
          onPress={() => step({ do: "pause" })}
        />
      )}
      {status === "paused" && (
        <IconButton
          icon="retry"
          label={texts().resumeTitle(title)}
          disabled={isBusy}
          onPress={() => step({ do: "resume" })}
        />
      )}
      {(status === "active" || status === "paused") && (
        <IconButton
          icon="play"
          label={texts().runTitleNow(title)}
          disabled={isBusy}
          onPress={() => step({ do: "run" })}
        />
      )}
      {isSnoozable(schedule) && (
        <IconButton
          icon="clock"
          label={texts().snoozeFor10Minutes(title)}
          disabled={isBusy}
          onPress={() => step({ do: "snooze", after_ms: SNOOZE_MS })}
        />
      )}
      {isOpen(schedule) && (
        <>
          <IconButton
            icon="edit"
            label={texts().editTitle(title)}
            onPress={() => (openDialog.value = { what: "edit", schedule })}
          />
          <IconButton
            icon="trash"
            label={texts().cancelTitle(title)}
            onPress={() => (openDialog.value = { what: "cancel", schedule })}
          />
        </>
      )}
    </div>
  );
}

/** Everything that an approval allows, exactly. */
function Approval({ schedule, isBusy, step }: ActionProps) {
  const { action } = schedule;
  const isCall = action.do === "call";
  const digest = isCall ? (action.digest ?? "") : "";
  return (
    <section class="planned-approval" aria-label={texts().approvalOfSchedule(titleOf(schedule))}>
      <p>{isCall ? texts().itMakesExactlyThis : texts().itWasPlannedAfter}</p>
      <div class="planned-call">
        {isCall ? <Values value={{ tool: action.tool, arguments: action.arguments }} /> : <Values value={action} />}
      </div>
      {isCall && <JsonFold value={{ tool: action.tool, arguments: action.arguments }} />}
      {digest !== "" && (
        <p class="planned-digest">
          {texts().digest} <code>{digest}</code>
        </p>
      )}
      <div class="planned-choices">
        <Button disabled={isBusy} onPress={() => step({ do: "cancel" })}>
          {texts().reject}
        </Button>
        <Button kind="primary" disabled={isBusy} onPress={() => step({ do: "approve", digest })}>
          {texts().approve}
        </Button>
      </div>
    </section>
  );
}
