/** The fields of a schedule's time: at a moment, after a while, or by a rule. */
import { Choice, DateAndTime, Text } from "./fields.tsx";
import { UNITS } from "./conditions.ts";
import type { FormRule, FormTiming, ScheduleForm } from "./form.ts";
import { dayName } from "./rules.ts";
import type { SetForm } from "./schedule-dialog.tsx";
import { viewerZone } from "./times.ts";
import { TriggerFields } from "./trigger-fields.tsx";

const TIMINGS: readonly [FormTiming, string][] = [
  ["after", "Once, after a while"],
  ["at", "Once, at a date and time"],
  ["rule", "Again and again"],
  ["event", "When something happens"],
];
const RULES: readonly [FormRule, string][] = [
  ["daily", "Every day"],
  ["weekdays", "Every weekday (Monday to Friday)"],
  ["weekly", "Every week"],
  ["monthly", "Every month"],
  ["cron", "A cron expression"],
  ["rrule", "A recurrence rule (RRULE)"],
];
/** Monday first. */
const DAYS = [1, 2, 3, 4, 5, 6, 0] as const;
/** Every month has these. */
const MONTH_DAYS = Array.from({ length: 28 }, (_, index) => String(index + 1));

type Props = { form: ScheduleForm; set: SetForm };

/** The fields. A timer has a span only. */
export function Timing({ form, set }: Props) {
  if (form.kind === "timer") return <Span form={form} set={set} />;
  return (
    <>
      <Choice label="When" value={form.timing} options={TIMINGS} onChange={(timing) => set({ timing })} />
      {form.timing === "after" && <Span form={form} set={set} />}
      {form.timing === "at" && <DateAndTime label="Date and time" value={form.at} onChange={(at) => set({ at })} />}
      {form.timing === "rule" && <Rule form={form} set={set} />}
      {form.timing === "event" && <TriggerFields form={form} set={set} />}
    </>
  );
}

function Span({ form, set }: Props) {
  return (
    <div class="planned-pair">
      <label class="field">
        After
        <input
          class="input"
          type="number"
          min="1"
          value={form.amount}
          onInput={(event) => set({ amount: event.currentTarget.value })}
        />
      </label>
      <Choice
        label="Unit"
        value={form.unit}
        options={UNITS.map((unit) => [unit, unit] as const)}
        onChange={(unit) => set({ unit })}
      />
    </div>
  );
}

function Rule({ form, set }: Props) {
  const { rule } = form;
  return (
    <>
      <div class="planned-pair">
        <Choice label="How often" value={rule} options={RULES} onChange={(next) => set({ rule: next })} />
        {rule === "weekly" && (
          <Choice
            label="Day of the week"
            value={String(form.weekday)}
            options={DAYS.map((day) => [String(day), dayName(day)] as const)}
            onChange={(day) => set({ weekday: Number(day) })}
          />
        )}
        {rule === "monthly" && (
          <Choice
            label="Day of the month"
            value={form.monthDay}
            options={[...MONTH_DAYS.map((day) => [day, day] as const), ["last", "The last day"] as const]}
            onChange={(monthDay) => set({ monthDay })}
          />
        )}
        {rule !== "cron" && rule !== "rrule" && (
          <label class="field">
            Time
            <input
              class="input"
              type="time"
              value={form.time}
              onInput={(event) => set({ time: event.currentTarget.value })}
            />
          </label>
        )}
      </div>
      {rule === "cron" && (
        <Text
          label="Cron expression: minute, hour, day of month, month, day of week"
          value={form.cron}
          onChange={(cron) => set({ cron })}
        />
      )}
      {rule === "rrule" && (
        <>
          <Text label="Recurrence rule (RFC 5545)" value={form.rrule} onChange={(rrule) => set({ rrule })} />
          <DateAndTime label="Starts" value={form.start} onChange={(start) => set({ start })} />
        </>
      )}
      {form.zone !== viewerZone() && <p class="planned-hint">The rule is in the time zone {form.zone}.</p>}
    </>
  );
}
