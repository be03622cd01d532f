/** The time as it passes: one clock for everything that shows it. */
import { computed, type ReadonlySignal, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { exactTime } from "../kit/format.ts";
import { serverNow } from "../store/api.ts";
import { absoluteTime, countdown, durationInWords, relativeTime } from "./times.ts";
import { texts } from "../languages/planned.ts";

const TICK_MS = 250;

const now = signal(serverNow());
/** Changes once a second: enough for everything but a countdown. */
const second = computed(() => Math.floor(now.value / 1_000) * 1_000);
let watchers = 0;
let timer: ReturnType<typeof setInterval> | undefined;

/** The current time by the server's clock, to the second. The component renders as it passes. */
export function useNow(): number {
  return useClock(second);
}

function useClock(clock: ReadonlySignal<number>): number {
  useEffect(() => {
    watchers += 1;
    now.value = serverNow();
    timer ??= setInterval(() => (now.value = serverNow()), TICK_MS);
    return () => {
      watchers -= 1;
      if (watchers > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  }, []);
  return clock.value;
}

/** A moment, relative and absolute, in the viewer's zone. */
export function Moment({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={exactTime(at)}>
      <b>{relativeTime(at, now)}</b> <span>{absoluteTime(at, now)}</span>
    </time>
  );
}

/** The time left until a moment, running down. */
export function Countdown({ until, label }: { until: string; label: string }) {
  const left = Date.parse(until) - useClock(now);
  return (
    <span class="planned-countdown numbers" role="timer" aria-label={texts().labelLeft(label, durationInWords(left))}>
      {countdown(left)}
    </span>
  );
}
