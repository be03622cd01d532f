/** Schedules: rules in words, times, the form and its requests, and the history. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { wire } from "@dwell/client";
import { catchUpInWords, triggerInWords } from "../src/planned/conditions.ts";
import { changeOf, createOf, emptyForm, formOf, type ScheduleForm, whenOf } from "../src/planned/form.ts";
import { ruleText, whenInWords } from "../src/planned/rules.ts";
import { absoluteTime, countdown, durationInWords, fieldValue, relativeTime } from "../src/planned/times.ts";
import { historyOf, leftOf, missedInWords, outcomeInWords, titleOf } from "../src/planned/words.ts";

const NOW = Date.parse("2026-11-18T10:00:00Z");
const ZONE = "Europe/Berlin";

function filled(change: Partial<ScheduleForm>): ScheduleForm {
  return { ...emptyForm(NOW, ZONE), text: "Tea", ...change };
}

function schedule(change: Partial<wire.ScheduleView>): wire.ScheduleView {
  return {
    schedule_id: "P1",
    session_id: "S1",
    when: { kind: "after", after_ms: 600_000 },
    action: { do: "remind", text: "Tea" },
    catch_up: { policy: "skip" },
    planned_in: ZONE,
    status: "active",
    created_at: "2026-11-18T09:00:00Z",
    runs: 0,
    missed: 0,
    ...change,
  };
}

test("simple rules are said in words, others are not", () => {
  const cron = (expression: string) => whenInWords({ kind: "cron", expression }, "en-GB");
  assert.equal(cron("0 7 * * *"), "Every day at 07:00");
  assert.equal(cron("30 7 * * 1-5"), "Every weekday at 07:30");
  assert.equal(cron("30 7 * * MON-FRI"), "Every weekday at 07:30");
  assert.equal(cron("0 9 * * 6,0"), "Every Saturday and Sunday at 09:00");
  assert.equal(cron("0 9 * * 1,3,5"), "Every Monday, Wednesday and Friday at 09:00");
  assert.equal(cron("0 9 * * 7"), "Every Sunday at 09:00");
  assert.equal(cron("0 9 1 * *"), "Every month on day 1 at 09:00");
  assert.equal(cron("0 18 24 12 *"), "Every year on 24 December at 18:00");
  assert.equal(cron("*/15 * * * *"), "Every 15 minutes");
  assert.equal(cron("0 * * * *"), "Every hour");
  for (const hard of ["0 7 1 * 1", "0 7,9 * * *", "0 7-9 * * *", "0 7 L * *", "61 7 * * *", "0 7 * *", "x"]) {
    assert.equal(cron(hard), undefined, hard);
  }
  const rrule = (rule: string) => whenInWords({ kind: "rrule", rule, start: "2026-11-18T07:30:00" }, "en-GB");
  assert.equal(rrule("FREQ=DAILY"), "Every day at 07:30");
  assert.equal(rrule("FREQ=DAILY;INTERVAL=2"), "Every 2 days at 07:30");
  assert.equal(rrule("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"), "Every weekday at 07:30");
  assert.equal(rrule("FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO"), "Every 2 weeks on Monday and Sunday at 07:30");
  assert.equal(rrule("FREQ=MONTHLY;BYMONTHDAY=-1"), "Every month on the last day at 07:30");
  assert.equal(rrule("FREQ=MONTHLY;BYDAY=1MO"), "Every month on the first Monday at 07:30");
  assert.equal(rrule("FREQ=YEARLY;BYMONTH=12;BYMONTHDAY=24"), "Every year on 24 December at 07:30");
  assert.equal(rrule("FREQ=HOURLY"), "Every hour");
  for (const hard of [
    "FREQ=DAILY;COUNT=3",
    "FREQ=DAILY;BYHOUR=7,9",
    "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=-1",
    "FREQ",
    "",
    "FREQ=WEEKLY;BYDAY=XX",
  ]) {
    assert.equal(rrule(hard), undefined, hard);
  }
  assert.equal(ruleText({ kind: "cron", expression: "0 7 L * *" }), "0 7 L * *");
  assert.equal(whenInWords({ kind: "after", after_ms: 5_400_000 }), "Once, after 1 hour 30 minutes");
});

test("times are relative and absolute, and a countdown reaches zero with the last second", () => {
  const at = (ms: number) => relativeTime(new Date(NOW + ms).toISOString(), NOW, "en");
  assert.equal(at(0), "now");
  assert.equal(at(30_000), "in 30 seconds");
  assert.equal(at(90_000), "in 90 seconds");
  assert.equal(at(10 * 60_000), "in 10 minutes");
  assert.equal(at(-3 * 3_600_000), "3 hours ago");
  assert.equal(at(3 * 86_400_000), "in 3 days");
  assert.equal(absoluteTime("2026-11-18T06:00:00Z", NOW, "en-GB", ZONE).replaceAll(",", ""), "Wed 18 Nov 07:00");
  assert.match(absoluteTime("2027-11-18T06:00:00Z", NOW, "en-GB", ZONE), /2027/);
  assert.deepEqual([0, -5, 1, 1_000, 59_001, 299_500, 3_600_000, 3_661_000].map(countdown), [
    "00:00",
    "00:00",
    "00:01",
    "00:01",
    "01:00",
    "05:00",
    "1:00:00",
    "1:01:01",
  ]);
  assert.equal(durationInWords(600_000), "10 minutes");
  assert.equal(durationInWords(90_061_000), "1 day 1 hour");
});

test("the fields of the form are the time that they mean", () => {
  const check = (change: Partial<ScheduleForm>, expected: wire.When) =>
    assert.deepEqual(whenOf(filled(change)), expected);
  const cron = (expression: string): wire.When => ({ kind: "cron", expression });
  check({ timing: "after", amount: "2", unit: "seconds" }, { kind: "after", after_ms: 2_000 });
  check({ timing: "after", amount: "1.5", unit: "hours" }, { kind: "after", after_ms: 5_400_000 });
  check({ timing: "rule", rule: "daily", time: "07:05" }, cron("5 7 * * *"));
  check({ timing: "rule", rule: "weekdays", time: "18:30" }, cron("30 18 * * 1-5"));
  check({ timing: "rule", rule: "weekly", weekday: 0, time: "09:00" }, cron("0 9 * * 0"));
  check({ timing: "rule", rule: "monthly", monthDay: "15", time: "09:00" }, cron("0 9 15 * *"));
  check(
    { timing: "rule", rule: "monthly", monthDay: "last", time: "09:00", start: "2026-11-18T11:00" },
    { kind: "rrule", rule: "FREQ=MONTHLY;BYMONTHDAY=-1", start: "2026-11-18T09:00:00" },
  );
  check(
    { timing: "rule", rule: "rrule", rrule: "RRULE:FREQ=DAILY", start: "2026-11-18T11:00" },
    { kind: "rrule", rule: "FREQ=DAILY", start: "2026-11-18T11:00:00" },
  );
  // A timer is a span, whatever was chosen before.
  check({ kind: "timer", timing: "rule", amount: "5", unit: "minutes" }, { kind: "after", after_ms: 300_000 });
  const at = new Date(2026, 10, 20, 7, 30);
  check({ timing: "at", at: fieldValue(at) }, { kind: "at", at: at.toISOString() });
});

test("what is wrong with the form is said before it is sent", () => {
  const wrong = (change: Partial<ScheduleForm>, expected: RegExp) =>
    assert.throws(() => createOf(filled(change), undefined, "K"), expected);
  wrong({ amount: "" }, /after how long/);
  wrong({ amount: "0" }, /above 0/);
  wrong({ timing: "at", at: "" }, /date and a time/);
  wrong({ timing: "rule", rule: "cron", cron: " " }, /five fields/);
  wrong({ timing: "rule", rule: "daily", time: "" }, /time of day/);
  wrong({ text: "  " }, /reminded of/);
  wrong({ kind: "turn", text: "" }, /message/);
  wrong({ kind: "call", tool: "" }, /Choose the tool/);
  wrong({ kind: "call", tool: "x", arguments: "[1]" }, /JSON object/);
  wrong({ kind: "call", tool: "x", arguments: "{" }, /JSON object/);
});

test("a request has what was chosen, and a zone only where a clock is meant", () => {
  assert.deepEqual(createOf(filled({ amount: "2", unit: "seconds" }), undefined, "K"), {
    when: { kind: "after", after_ms: 2_000 },
    action: { do: "remind", text: "Tea" },
    idempotency_key: "K",
  });
  assert.deepEqual(createOf(filled({ kind: "turn", name: " Weather ", timing: "rule" }), "S1", "K"), {
    session_id: "S1",
    name: "Weather",
    when: { kind: "cron", expression: "0 7 * * *" },
    zone: ZONE,
    action: { do: "turn", message: "Tea" },
    idempotency_key: "K",
  });
  const call = createOf(filled({ kind: "call", tool: "light", arguments: '{"on": true}' }), undefined, "K");
  assert.deepEqual(call.action, { do: "call", tool: "light", arguments: { on: true } });
  assert.deepEqual(createOf(filled({ kind: "timer", text: "" }), undefined, "K").action, {
    do: "remind",
    text: "",
    timer: true,
  });
});

test("editing sends what was changed only, and keeps a rule in its zone", () => {
  const before = formOf(schedule({ name: "Drink" }), NOW, "Asia/Tokyo");
  assert.deepEqual([before.kind, before.amount, before.unit, before.zone], ["remind", "10", "minutes", "Asia/Tokyo"]);
  assert.deepEqual(changeOf(before, before), {});
  assert.deepEqual(changeOf({ ...before, text: "Coffee" }, before), { action: { do: "remind", text: "Coffee" } });
  assert.deepEqual(changeOf({ ...before, amount: "5" }, before), { when: { kind: "after", after_ms: 300_000 } });
  assert.deepEqual(changeOf({ ...before, timing: "rule" }, before), {
    when: { kind: "cron", expression: "0 7 * * *" },
    zone: "Asia/Tokyo",
  });
  assert.throws(() => changeOf({ ...before, name: "" }, before), /keeps one/);
  const rule = { kind: "rrule", rule: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", start: "2026-11-18T07:30:00" } as const;
  const weekly = formOf(schedule({ when: rule }), NOW, "Asia/Tokyo");
  assert.deepEqual([weekly.rule, weekly.time, weekly.zone], ["weekdays", "07:30", ZONE]);
  assert.deepEqual(changeOf(weekly, weekly), {});
  assert.deepEqual(changeOf({ ...weekly, time: "08:00" }, weekly), {
    when: { kind: "cron", expression: "0 8 * * 1-5" },
  });
  const hard = formOf(schedule({ when: { kind: "cron", expression: "0 7 L * *" } }), NOW, ZONE);
  assert.deepEqual([hard.rule, hard.cron], ["cron", "0 7 L * *"]);
});

test("the history has what ran, was missed or is over, the latest first", () => {
  const ran = schedule({ schedule_id: "A", runs: 1, last_run: { planned_at: "2026-11-18T09:30:00Z" } });
  const missed = schedule({ schedule_id: "B", missed: 2 });
  const over = schedule({ schedule_id: "C", status: "cancelled", created_at: "2026-11-18T09:45:00Z" });
  const history = historyOf([schedule({}), ran, missed, over]);
  assert.deepEqual(
    history.map(({ schedule_id: id }) => id),
    ["C", "A", "B"],
  );
  assert.equal(missedInWords(2), "2 runs missed");
  assert.equal(missedInWords(0), undefined);
});

test("schedules and outcomes have plain names", () => {
  assert.equal(titleOf(schedule({ action: { do: "remind", text: "", timer: true } })), "Timer");
  assert.equal(titleOf(schedule({ action: { do: "call", tool: "turn_on", arguments: {} } })), "Turn on");
  const run = (outcome: wire.RunOutcome) => ({ planned_at: "2026-11-18T09:30:00Z", outcome });
  const turn = { do: "turn", message: "Hello" } as const;
  assert.deepEqual(outcomeInWords(run({ status: "started", turn_id: "T1" }), turn), { text: "Sent", isBad: false });
  const alert = { alert_id: "L1", session_id: "S1", at: "2026-11-18T09:31:00Z", kind: "schedule_failed" } as const;
  const failed = { ...alert, title: "Hello", text: "no key", turn_id: "T1" };
  const later = outcomeInWords(run({ status: "started", turn_id: "T1" }), turn, [failed]);
  assert.deepEqual(later, { text: "Failed: no key", isBad: true });
  assert.deepEqual(outcomeInWords(run({ status: "failed", message: "no model" }), turn), {
    text: "Failed: no model",
    isBad: true,
  });
});

test("a trigger, late runs and limits are sent where they are chosen and mean something", () => {
  const asked = (change: Partial<ScheduleForm>) => {
    const { when, catch_up, runs_max, limits } = createOf(filled(change), undefined, "K");
    return { when, catch_up, runs_max, limits };
  };
  const event = { timing: "event", catchUp: "once", runsMax: "3" } as const;
  assert.deepEqual(asked({ ...event, trigger: "hook" }), {
    when: { kind: "event", trigger: { on: "hook" } },
    catch_up: undefined,
    runs_max: 3,
    limits: undefined,
  });
  const washer = { ...event, entity: " binary_sensor.washer ", to: "off", gap: "0.5", hourly: "4" };
  assert.deepEqual(asked(washer).when, {
    kind: "event",
    trigger: { on: "home", entity_id: "binary_sensor.washer", to: "off" },
  });
  assert.deepEqual(asked(washer).limits, { gap_ms: 500, hourly_max: 4 });
  const late = { timing: "rule", catchUp: "run_late", window: "2", windowUnit: "days" } as const;
  assert.deepEqual(asked(late).catch_up, { policy: "run_late", window_ms: 172_800_000 });
  // What runs once has no number of runs, and a timer nothing of it.
  assert.equal(asked({ timing: "after", runsMax: "3" }).runs_max, undefined);
  assert.equal(asked({ ...late, kind: "timer" }).catch_up, undefined);
  const wrong = (change: Partial<ScheduleForm>, expected: RegExp) => assert.throws(() => asked(change), expected);
  wrong({ timing: "event", entity: "washer" }, /entity to watch/);
  wrong({ timing: "event", trigger: "hook", gap: "-1" }, /seconds between/);
  wrong({ timing: "event", trigger: "hook", hourly: "0" }, /within an hour/);
  wrong({ timing: "rule", runsMax: "1.5" }, /whole number/);
  wrong({ ...late, window: "" }, /how late/);
});

test("an event of the home and turns of other conversations are sent and come back", () => {
  const form = (change: Partial<ScheduleForm>) => filled({ timing: "event", ...change });
  const both = (change: Partial<ScheduleForm>, trigger: wire.Trigger) => {
    const { when } = createOf(form(change), undefined, "K");
    assert.deepEqual(when, { kind: "event", trigger });
    const again = formOf(schedule({ when }), NOW, ZONE);
    assert.deepEqual(again, { ...again, ...change });
    assert.deepEqual(changeOf(again, again), {});
  };
  both({ trigger: "home_event", eventType: "tag_scanned" }, { on: "home_event", event_type: "tag_scanned" });
  both(
    { trigger: "home_event", eventType: "tag_scanned", eventData: '{"tag_id":"hall"}' },
    { on: "home_event", event_type: "tag_scanned", data: { tag_id: "hall" } },
  );
  both({ trigger: "turn_ended", turnsOf: "own" }, { on: "turn_ended" });
  both({ trigger: "turn_ended", turnsOf: "any" }, { on: "turn_ended", any_session: true });
  both({ trigger: "turn_ended", turnsOf: "S9" }, { on: "turn_ended", session_id: "S9" });
  assert.throws(() => createOf(form({ trigger: "home_event" }), undefined, "K"), /type of the event/);
  const wrong = form({ trigger: "home_event", eventType: "x", eventData: "[1]" });
  assert.throws(() => createOf(wrong, undefined, "K"), /JSON object/);
});

test("editing keeps triggers and limits, and says what cannot be removed", () => {
  const when = { kind: "event", trigger: { on: "home", entity_id: "light.desk", from: "off" } } as const;
  const limits = { gap_ms: 5_000, hourly_max: 10 };
  const before = formOf(schedule({ when, limits, runs_max: 5 }), NOW, ZONE);
  assert.deepEqual([before.timing, before.trigger, before.entity, before.from], ["event", "home", "light.desk", "off"]);
  assert.deepEqual([before.gap, before.hourly, before.runsMax], ["5", "10", "5"]);
  assert.deepEqual(changeOf(before, before), {});
  assert.deepEqual(changeOf({ ...before, gap: "1", hourly: "60" }, before).limits, { gap_ms: 1_000, hourly_max: 60 });
  assert.deepEqual(changeOf({ ...before, runsMax: "6" }, before), { runs_max: 6 });
  assert.throws(() => changeOf({ ...before, runsMax: "" }, before), /not removed/);
  const daily = schedule({ when: { kind: "cron", expression: "0 7 * * *" }, catch_up: { policy: "once" } });
  const once = formOf(daily, NOW, ZONE);
  assert.deepEqual(changeOf({ ...once, catchUp: "skip" }, once), { catch_up: { policy: "skip" } });
});

test("triggers, late runs and what is left are said in words", () => {
  assert.equal(triggerInWords({ on: "hook" }), "Each time its webhook arrives");
  const washer = { on: "home", entity_id: "sensor.washer", from: "on", to: "off" } as const;
  assert.equal(triggerInWords(washer), "Each time sensor.washer changes from on to off");
  assert.equal(whenInWords({ kind: "event", trigger: { on: "turn_ended" } }), triggerInWords({ on: "turn_ended" }));
  const any = { on: "turn_ended", any_session: true } as const;
  assert.equal(triggerInWords(any), "Each time a turn of any conversation ends");
  const tag = { on: "home_event", event_type: "tag_scanned", data: { tag_id: "hall" } } as const;
  assert.equal(triggerInWords(tag), 'Each time the home reports tag_scanned with {"tag_id":"hall"}');
  assert.equal(catchUpInWords({ policy: "run_late", window_ms: 3_600_000 }, durationInWords), undefined);
  assert.equal(
    catchUpInWords({ policy: "run_late", window_ms: 7_200_000 }, durationInWords),
    "Runs up to 2 hours late",
  );
  const timer: wire.ScheduleView & { left_ms: number } = { ...schedule({ status: "paused" }), left_ms: 61_000 };
  assert.equal(leftOf(timer), 61_000);
  assert.equal(leftOf({ ...timer, status: "active" }), undefined);
});
