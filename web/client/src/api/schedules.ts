/** Schedules: what begins by itself, once or by a rule. */
import { maybeSession, newKey, type Session } from "../session-ref.js";
import type {
  ScheduleChange,
  ScheduleCreate,
  SchedulePage,
  SchedulePreview,
  ScheduleStep,
  ScheduleTimes,
  ScheduleView,
} from "../wire.js";
import type { Port } from "./port.js";

/** What a schedule is; without a session it belongs to the one named `schedules`. */
export type ScheduleOptions = Omit<ScheduleCreate, "session_id" | "conversation_id"> & { session?: Session };

/** `client.schedules`. */
export class Schedules {
  readonly #port: Port;

  constructor(port: Port) {
    this.#port = port;
  }

  /** Makes a schedule; a repetition with the same `idempotency_key` makes no second one. */
  create(options: ScheduleOptions): Promise<ScheduleView> {
    const { session, ...spec } = options;
    return this.#port.request("schedule.create", {
      idempotency_key: newKey(),
      ...maybeSession(session),
      ...spec,
    });
  }

  /** The schedules, the next run first; with `ended` also those that will not run again. */
  list(options: { session?: Session; ended?: boolean } = {}): Promise<SchedulePage> {
    const { session, ended = false } = options;
    return this.#port.request("schedule.list", { ...maybeSession(session), ended });
  }

  /** A schedule, with its next runs and its last one. */
  get(scheduleId: string): Promise<ScheduleView> {
    return this.#port.request("schedule.get", { schedule_id: scheduleId });
  }

  /** Changes what is given; the rest stays. */
  update(scheduleId: string, change: ScheduleChange): Promise<ScheduleView> {
    return this.#port.request("schedule.update", { schedule_id: scheduleId, ...change });
  }

  /** Lets it not run until it is resumed. */
  pause(scheduleId: string): Promise<ScheduleView> {
    return this.#do(scheduleId, { do: "pause" });
  }

  /** Lets it run again. */
  resume(scheduleId: string): Promise<ScheduleView> {
    return this.#do(scheduleId, { do: "resume" });
  }

  /** Takes it back for good. */
  cancel(scheduleId: string): Promise<ScheduleView> {
    return this.#do(scheduleId, { do: "cancel" });
  }

  /** Runs it now, besides its plan. */
  run(scheduleId: string): Promise<ScheduleView> {
    return this.#do(scheduleId, { do: "run" });
  }

  /** Approves one that waits; `digest` is that of the call in its `action`, if it makes one. */
  approve(scheduleId: string, digest = ""): Promise<ScheduleView> {
    return this.#do(scheduleId, { do: "approve", digest });
  }

  /** Repeats a reminder that has run; resolves to the schedule that is new. */
  snooze(scheduleId: string, afterMs: number): Promise<ScheduleView> {
    return this.#do(scheduleId, { do: "snooze", after_ms: afterMs });
  }

  /** When a schedule would run, without making it. */
  preview(options: SchedulePreview): Promise<ScheduleTimes> {
    return this.#port.request("schedule.preview", options);
  }

  #do(scheduleId: string, step: ScheduleStep): Promise<ScheduleView> {
    return this.#port.request("schedule.do", { schedule_id: scheduleId, ...step });
  }
}
