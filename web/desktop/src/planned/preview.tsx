/** When the form's schedule would run, calculated by the server as the fields change. */
import type { wire } from "@dwell/client";
import { useEffect, useState } from "preact/hooks";
import { describeError } from "../store/api.ts";
import { FormError } from "./conditions.ts";
import { type ScheduleForm, whenOf } from "./form.ts";
import { Moment } from "./now.tsx";
import { whenInWords } from "./rules.ts";
import { previewOf } from "./store.ts";
import { texts } from "../languages/planned.ts";

/** Typing goes on for this long before the server is asked. */
const PAUSE_MS = 250;

/** The next runs, or what is wrong with the time. */
export function Preview({ form }: { form: ScheduleForm }) {
  const [times, setTimes] = useState<wire.ScheduleTimes>();
  const [problem, setProblem] = useState<string>();
  const [when, wrong] = read(form);
  const asked = when && JSON.stringify(when);
  // What waits for something has no times.
  const isEvent = form.kind !== "timer" && form.timing === "event";
  useEffect(() => {
    if (when === undefined || isEvent) return;
    const abort = new AbortController();
    const timer = setTimeout(() => {
      previewOf(when, form.zone, abort.signal).then(
        (found) => {
          setTimes(found);
          setProblem(found.runs.length === 0 ? texts().itWouldNeverRun : undefined);
        },
        (error: unknown) => {
          if (abort.signal.aborted) return;
          setTimes(undefined);
          setProblem(describeError(error).message);
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [asked, form.zone]);
  const shown = wrong ?? (isEvent ? undefined : problem);
  const words = when && whenInWords(when);
  return (
    <section class="planned-preview" aria-label={texts().nextRuns} aria-live="polite">
      <h3>{words === undefined || words === "Once" ? texts().nextRuns : words}</h3>
      {shown !== undefined && <p class="planned-bad">{shown}</p>}
      {shown === undefined && !isEvent && (
        <ol>
          {(times?.runs ?? []).map((at) => (
            <li key={at}>
              <Moment at={at} />
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function read(form: ScheduleForm): [wire.When | undefined, string | undefined] {
  try {
    return [whenOf(form), undefined];
  } catch (error) {
    if (error instanceof FormError) return [undefined, error.message];
    throw error;
  }
}
