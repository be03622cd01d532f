/** Timers that run down: a list in the Planned view, and a strip above the other views. */
import type { wire } from "@dwell/client";
import { useEffect } from "preact/hooks";
import { useAttempt } from "../kit/attempt.ts";
import { IconButton } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { ErrorNotice } from "../kit/pieces.tsx";
import { hrefOf, place } from "../route.ts";
import { Countdown } from "./now.tsx";
import { followSchedules, stepSchedule, timers } from "./store.ts";
import { countdown, durationInWords } from "./times.ts";
import { leftOf, titleOf } from "./words.ts";
import { texts } from "../languages/planned.ts";
import "./timers.css";

/** The strip. It is empty while no timer runs, and where the timers are shown anyway. */
export function TimerStrip() {
  useEffect(() => followSchedules(false), []);
  const { view, session } = place.value;
  if (timers.value.length === 0 || view === "planned") return null;
  return (
    <section class="planned-strip" aria-label={texts().timers}>
      <a href={hrefOf({ view: "planned", session })} aria-label={texts().allThatIsPlanned} class="planned-strip-link">
        <Icon name="clock" small />
      </a>
      <TimerList />
    </section>
  );
}

/** The timers. */
export function TimerList() {
  return (
    <ul class="planned-timers">
      {timers.value.map((timer) => (
        <Timer key={timer.schedule_id} timer={timer} />
      ))}
    </ul>
  );
}

function Timer({ timer }: { timer: wire.ScheduleView }) {
  const { isBusy, problem, run } = useAttempt();
  const title = titleOf(timer);
  const isPaused = timer.status === "paused";
  return (
    <li class={isPaused ? "planned-timer paused" : "planned-timer"}>
      <span class="planned-timer-name">{title}</span>
      {timer.next_at ? <Countdown until={timer.next_at} label={title} /> : <PausedTime timer={timer} />}
      <IconButton
        icon={isPaused ? "play" : "pause"}
        label={isPaused ? texts().resumeTitle(title) : texts().pauseTitle(title)}
        disabled={isBusy}
        onPress={() => void run(() => stepSchedule(timer, { do: isPaused ? "resume" : "pause" }))}
      />
      <IconButton
        icon="close"
        label={texts().cancelTitle(title)}
        disabled={isBusy}
        onPress={() => void run(() => stepSchedule(timer, { do: "cancel" }))}
      />
      {problem !== undefined && <ErrorNotice error={problem} />}
    </li>
  );
}

/** What is left of a paused timer. */
function PausedTime({ timer }: { timer: wire.ScheduleView }) {
  const left = leftOf(timer);
  if (left === undefined) return <span class="planned-countdown numbers">{texts().isPaused}</span>;
  return (
    <span
      class="planned-countdown numbers"
      role="img"
      aria-label={texts().timerPausedLeft(titleOf(timer), durationInWords(left))}
    >
      {countdown(left)}
    </span>
  );
}
