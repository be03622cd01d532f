/** The fields of a schedule's time: at a moment, after a while, or by a rule. */
import { Choice, DateAndTime, Text } from "./fields.tsx";
import { UNITS } from "./conditions.ts";
import type { FormRule, FormTiming, ScheduleForm } from "./form.ts";
import { dayName } from "./rules.ts";
import type { SetForm } from "./schedule-dialog.tsx";
import { viewerZone } from "./times.ts";
import { TriggerFields } from "./trigger-fields.tsx";
import { texts } from "../languages/planned.ts";

function timings(): readonly [FormTiming, string][] {
  return [
    ["after", texts().onceAfterAWhile],
    ["at", texts().onceAtDateAnd],
    ["rule", texts().againAndAgain],
    ["event", texts().whenSomethingHappens],
  ];
}
function ruleChoices(): readonly [FormRule, string][] {
  return [
    ["daily", texts().everyDay],
    ["weekdays", texts().everyWeekdayMondayFriday],
    ["weekly", texts().everyWeek],
    ["monthly", texts().everyMonth],
    ["cron", texts().aCronExpression],
    ["rrule", texts().aRecurrenceRuleRrule],
  ];
}
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
      <Choice label={texts().when} value={form.timing} options={timings()} onChange={(timing) => set({ timing })} />
      {form.timing === "after" && <Span form={form} set={set} />}
      {form.timing === "at" && (
        <DateAndTime label={texts().dateAndTime} value={form.at} onChange={(at) => set({ at })} />
      )}
      {form.timing === "rule" && <Rule form={form} set={set} />}
      {form.timing === "event" && <TriggerFields form={form} set={set} />}
    </>
  );
}

function Span({ form, set }: Props) {
  return (
    <div class="planned-pair">
      <label class="field">
        {texts().after}
        <input
          class="input"
          type="number"
          min="1"
          value={form.amount}
          onInput={(event) => set({ amount: event.currentTarget.value })}
        />
      </label>
      <Choice
        label={texts().unit}
        value={form.unit}
        options={UNITS.map((unit) => [unit, texts().units[unit]] as const)}
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
        <Choice
          label={texts().howOften}
          value={rule}
          options={ruleChoices()}
          onChange={(next) => set({ rule: next })}
        />
        {rule === "weekly" && (
          <Choice
            label={texts().dayOfTheWeek}
            value={String(form.weekday)}
            options={DAYS.map((day) => [String(day), dayName(day)] as const)}
            onChange={(day) => set({ weekday: Number(day) })}
          />
        )}
        {rule === "monthly" && (
          <Choice
            label={texts().dayOfTheMonth}
            value={form.monthDay}
            options={[...MONTH_DAYS.map((day) => [day, day] as const), ["last", texts().lastDayChoice] as const]}
            onChange={(monthDay) => set({ monthDay })}
          />
        )}
        {rule !== "cron" && rule !== "rrule" && (
          <label class="field">
            {texts().time}
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
        <Text label={texts().cronExpressionMinuteHour} value={form.cron} onChange={(cron) => set({ cron })} />
      )}
      {rule === "rrule" && (
        <>
          <Text label={texts().recurrenceRuleRfc5545} value={form.rrule} onChange={(rrule) => set({ rrule })} />
          <DateAndTime label={texts().starts} value={form.start} onChange={(start) => set({ start })} />
        </>
      )}
      {form.zone !== viewerZone() && (
        <p class="planned-hint">
          {texts().theRuleTimeZone} {form.zone}.
        </p>
      )}
    </>
  );
}
