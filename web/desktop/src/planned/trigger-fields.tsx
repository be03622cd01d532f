/** The fields of what a schedule waits for, of late runs and of limits. */
import type { wire } from "@dwell/client";
import { useEffect, useState } from "preact/hooks";
import { api } from "../store/api.ts";
import { activeSessions, titleOf } from "../store/sessions.ts";
import { ANY_TURNS, type FormCatchUp, type FormTrigger, OWN_TURNS, UNITS } from "./conditions.ts";
import { Amount, Choice, Text } from "./fields.tsx";
import type { ScheduleForm } from "./form.ts";
import type { SetForm } from "./schedule-dialog.tsx";

const TRIGGERS: readonly [FormTrigger, string][] = [
  ["home", "A state of the home changes"],
  ["home_event", "The home reports an event"],
  ["hook", "A webhook arrives"],
  ["turn_ended", "A turn of a conversation ends"],
];
const POLICIES: readonly [Exclude<FormCatchUp, "default">, string][] = [
  ["run_late", "Run late, within a time"],
  ["skip", "Leave them out"],
  ["once", "Run once for all of them"],
];

type Props = { form: ScheduleForm; set: SetForm };

/** What it waits for. */
export function TriggerFields({ form, set }: Props) {
  return (
    <>
      <Choice label="What happens" value={form.trigger} options={TRIGGERS} onChange={(trigger) => set({ trigger })} />
      {form.trigger === "home" && <HomeFields form={form} set={set} />}
      {form.trigger === "hook" && (
        <p class="planned-hint">
          Its address and its secret are shown once it is planned. Whoever sends the webhook signs it with the secret.
        </p>
      )}
      {form.trigger === "home_event" && <EventFields form={form} set={set} />}
      {form.trigger === "turn_ended" && <TurnFields form={form} set={set} />}
      <div class="planned-pair">
        <Amount label="Seconds between two runs" value={form.gap} least="0" onChange={(gap) => set({ gap })} />
        <Amount label="Most runs within an hour" value={form.hourly} onChange={(hourly) => set({ hourly })} />
      </div>
    </>
  );
}

function HomeFields({ form, set }: Props) {
  const entities = useEntities();
  const states = entities.find(({ entity_id: id }) => id === form.entity)?.state;
  return (
    <>
      <label class="field">
        Entity
        <input
          class="input planned-code"
          list="planned-entities"
          spellcheck={false}
          placeholder="binary_sensor.washing_machine"
          value={form.entity}
          onInput={(event) => set({ entity: event.currentTarget.value })}
        />
        <datalist id="planned-entities">
          {entities.map(({ entity_id: id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </datalist>
      </label>
      {states !== undefined && <p class="planned-hint">It is {states} now.</p>}
      <div class="planned-pair">
        <State label="From (optional)" value={form.from} onChange={(from) => set({ from })} />
        <State label="To (optional)" value={form.to} onChange={(to) => set({ to })} />
      </div>
    </>
  );
}

function EventFields({ form, set }: Props) {
  return (
    <>
      <Text label="Type of the event" value={form.eventType} onChange={(eventType) => set({ eventType })} />
      <Text
        label="Only with these fields (JSON, optional)"
        value={form.eventData}
        onChange={(eventData) => set({ eventData })}
      />
    </>
  );
}

function TurnFields({ form, set }: Props) {
  const known = activeSessions().map((session) => [session.session_id, titleOf(session)] as const);
  const fixed = [OWN_TURNS, ANY_TURNS, ...known.map(([id]) => id)];
  const other = fixed.includes(form.turnsOf) ? [] : [[form.turnsOf, "Another conversation"] as const];
  return (
    <>
      <Choice
        label="Whose turns"
        value={form.turnsOf}
        options={[[OWN_TURNS, "Its own conversation"], [ANY_TURNS, "Any conversation"], ...other, ...known]}
        onChange={(turnsOf) => set({ turnsOf })}
      />
      <p class="planned-hint">Turns that a schedule has begun do not count.</p>
    </>
  );
}

function State({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <label class="field">
      {label}
      <input class="input" spellcheck={false} value={value} onInput={(event) => onChange(event.currentTarget.value)} />
    </label>
  );
}

/** The entities of the home; none while it is not there, and the id can be typed. */
function useEntities(): readonly wire.EntityView[] {
  const [entities, setEntities] = useState<readonly wire.EntityView[]>([]);
  useEffect(() => {
    const abort = new AbortController();
    api<wire.HomeView>("GET", "/api/v1/home", undefined, abort.signal).then(
      (view) => setEntities(view.entities),
      () => undefined,
    );
    return () => abort.abort();
  }, []);
  return entities;
}

/** Late runs, and the largest number of runs; folded, since the defaults suit most. */
export function MoreFields({ form, set, isNew }: Props & { isNew: boolean }) {
  const isEvent = form.timing === "event";
  const policies = isNew ? [["default", "The usual for its kind"] as const, ...POLICIES] : POLICIES;
  const repeats = isEvent || form.timing === "rule";
  return (
    <details class="planned-more">
      <summary>Late runs and limits</summary>
      <div class="planned-more-body">
        {!isEvent && (
          <Choice<FormCatchUp>
            label="Runs that are late, since the server was off"
            value={form.catchUp}
            options={policies}
            onChange={(catchUp) => set({ catchUp })}
          />
        )}
        {!isEvent && form.catchUp === "run_late" && (
          <div class="planned-pair">
            <Amount label="At most this late" value={form.window} onChange={(window) => set({ window })} />
            <Choice
              label="Unit of the time"
              value={form.windowUnit}
              options={UNITS.map((unit) => [unit, unit] as const)}
              onChange={(windowUnit) => set({ windowUnit })}
            />
          </div>
        )}
        {repeats && (
          <Amount
            label="Largest number of runs (optional)"
            value={form.runsMax}
            onChange={(runsMax) => set({ runsMax })}
          />
        )}
      </div>
    </details>
  );
}
