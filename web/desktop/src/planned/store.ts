/** The owner's schedules, kept up to date while a view or the timers show them. */
import type { wire } from "@dwell/client";
import { computed, effect, signal } from "@preact/signals";
import { api } from "../store/api.ts";
import { connection, onNotice } from "../store/connection.ts";
import { current } from "../store/sessions.ts";
import { announce } from "../kit/announce.ts";
import { isOpen, isTimer } from "./words.ts";
import { texts } from "../languages/planned.ts";

/** Several events of one commit lead to one request. */
const SOON_MS = 100;
/** Other clients plan too, in sessions that are not open here. */
const LOOK_MS = 20_000;

/** The schedules, the next run first; undefined until they are loaded. */
export const schedules = signal<readonly wire.ScheduleView[] | undefined>(undefined);
/** The error of the last failed request. */
export const plannedProblem = signal<unknown>(undefined);
/** Timers that run or are paused. */
export const timers = computed(() => (schedules.value ?? []).filter((one) => isTimer(one) && isOpen(one)));

let followers = 0;
let historyViews = 0;
let asked = 0;
let soon: ReturnType<typeof setTimeout> | undefined;
let stop: (() => void) | undefined;

/** Reloads the schedules. Of two requests, the answer to the later one counts. */
export async function refreshSchedules(): Promise<void> {
  asked += 1;
  const mine = asked;
  try {
    const path = historyViews > 0 ? "/api/v1/schedules?ended=true" : "/api/v1/schedules";
    const { data } = await api<wire.SchedulePage>("GET", path);
    if (mine !== asked) return;
    schedules.value = data;
    plannedProblem.value = undefined;
  } catch (problem) {
    if (mine === asked) plannedProblem.value = problem;
  }
}

/** Keeps the schedules up to date; `withEnded` also lists those that are over. */
export function followSchedules(withEnded: boolean): () => void {
  followers += 1;
  if (withEnded) historyViews += 1;
  if (followers === 1) stop = listen();
  else void refreshSchedules();
  return () => {
    followers -= 1;
    if (withEnded) historyViews -= 1;
    if (followers > 0) return;
    stop?.();
    stop = undefined;
  };
}

function listen(): () => void {
  const later = () => {
    clearTimeout(soon);
    soon = setTimeout(() => void refreshSchedules(), SOON_MS);
  };
  const ends = [
    effect(() => {
      if (connection.value === "up") later();
    }),
    effect(() => current.value?.listen(({ type }) => type === "schedule" && later())),
    onNotice(({ type }) => type === "alert.raised" && later()),
  ];
  const lookNow = () => {
    if (!document.hidden) later();
  };
  document.addEventListener("visibilitychange", lookNow);
  const timer = setInterval(lookNow, LOOK_MS);
  return () => {
    clearTimeout(soon);
    clearInterval(timer);
    document.removeEventListener("visibilitychange", lookNow);
    for (const end of ends) end();
  };
}

function doneTexts(): Record<wire.ScheduleStep["do"], string> {
  return {
    pause: texts().paused,
    resume: texts().resumed,
    cancel: texts().cancelled,
    run: texts().started,
    approve: texts().approved,
    snooze: texts().snoozed,
  };
}

/** Takes one step with a schedule. */
export async function stepSchedule(schedule: wire.ScheduleView, step: wire.ScheduleStep): Promise<void> {
  await stepById(schedule.schedule_id, step);
  announce(doneTexts()[step.do]);
}

/** Takes one step with a schedule of which only the id is known. */
export async function stepById(id: string, step: wire.ScheduleStep): Promise<void> {
  await api<wire.ScheduleView>("POST", `/api/v1/schedules/${id}/do`, step);
  await refreshSchedules();
}

/** Makes a schedule. */
export async function createSchedule(request: wire.ScheduleCreate): Promise<wire.ScheduleView> {
  const made = await api<wire.ScheduleView>("POST", "/api/v1/schedules", request);
  announce(texts().planned);
  await refreshSchedules();
  return made;
}

/** Where the webhooks of a schedule go, as a path of the server, and the secret that signs them. */
export function hookOf(id: string): Promise<{ path: string; secret: string }> {
  return api("GET", `/api/v1/schedules/${id}/hook`);
}

/** Changes a schedule. */
export async function changeSchedule(id: string, change: wire.ScheduleChange): Promise<wire.ScheduleView> {
  const changed = await api<wire.ScheduleView>("PATCH", `/api/v1/schedules/${id}`, change);
  announce(texts().saved);
  await refreshSchedules();
  return changed;
}

/** When a schedule would run. */
export function previewOf(when: wire.When, zone: string, signal: AbortSignal): Promise<wire.ScheduleTimes> {
  return api("POST", "/api/v1/schedules/preview", { when, zone }, signal);
}
