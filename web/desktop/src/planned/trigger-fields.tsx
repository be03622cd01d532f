/** The fields of what a schedule waits for, of late runs and of limits. */
import type { wire } from "@dwell/client";
import { useEffect, useState } from "preact/hooks";
import { api } from "../store/api.ts";
import { activeSessions, titleOf } from "../store/sessions.ts";
import { ANY_TURNS, type FormCatchUp, type FormTrigger, OWN_TURNS, UNITS } from "./conditions.ts";
import { Amount, Choice, Text } from "./fields.tsx";
import type { ScheduleForm } from "./form.ts";
import type { SetForm } from "./schedule-dialog.tsx";
import { texts } from "../languages/planned.ts";

function triggerChoices(): readonly [FormTrigger, string][] {
  return [
    ["home", texts().aStateHomeChanges],
    ["home_event", texts().theHomeReportsEvent],
    ["hook", texts().aWebhookArrives],
    ["turn_ended", texts().aTurnConversationEnds],
  ];
}
function latePolicies(): readonly [Exclude<FormCatchUp, "default">, string][] {
  return [
    ["run_late", texts().runLateWithinTime],
    ["skip", texts().leaveThemOut],
    ["once", texts().runOnceForAll],
  ];
}

type Props = { form: ScheduleForm; set: SetForm };

/** What it waits for. */
export function TriggerFields({ form, set }: Props) {
  return (
    <>
      <Choice
        label={texts().whatHappens}
        value={form.trigger}
        options={triggerChoices()}
        onChange={(trigger) => set({ trigger })}
      />
      {form.trigger === "home" && <HomeFields form={form} set={set} />}
      {form.trigger === "hook" && <p class="planned-hint">{texts().itsAddressAndIts}</p>}
      {form.trigger === "home_event" && <EventFields form={form} set={set} />}
      {form.trigger === "turn_ended" && <TurnFields form={form} set={set} />}
      <div class="planned-pair">
        <Amount label={texts().secondsBetweenTwoRuns} value={form.gap} least="0" onChange={(gap) => set({ gap })} />
        <Amount label={texts().mostRunsWithinHour} value={form.hourly} onChange={(hourly) => set({ hourly })} />
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
        {texts().entity}
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
      {states !== undefined && <p class="planned-hint">{texts().isNow(states)}</p>}
      <div class="planned-pair">
        <State label={texts().fromOptional} value={form.from} onChange={(from) => set({ from })} />
        <State label={texts().toOptional} value={form.to} onChange={(to) => set({ to })} />
      </div>
    </>
  );
}

function EventFields({ form, set }: Props) {
  return (
    <>
      <Text label={texts().typeOfTheEvent} value={form.eventType} onChange={(eventType) => set({ eventType })} />
      <Text label={texts().onlyWithTheseFields} value={form.eventData} onChange={(eventData) => set({ eventData })} />
    </>
  );
}

function TurnFields({ form, set }: Props) {
  const known = activeSessions().map((session) => [session.session_id, titleOf(session)] as const);
  const fixed = [OWN_TURNS, ANY_TURNS, ...known.map(([id]) => id)];
  const other = fixed.includes(form.turnsOf) ? [] : [[form.turnsOf, texts().anotherConversation] as const];
  return (
    <>
      <Choice
        label={texts().whoseTurns}
        value={form.turnsOf}
        options={[[OWN_TURNS, texts().itsOwnConversation], [ANY_TURNS, texts().anyConversation], ...other, ...known]}
        onChange={(turnsOf) => set({ turnsOf })}
      />
      <p class="planned-hint">{texts().turnsThatScheduleHas}</p>
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
  const policies = isNew ? [["default", texts().theUsualForIts] as const, ...latePolicies()] : latePolicies();
  const repeats = isEvent || form.timing === "rule";
  return (
    <details class="planned-more">
      <summary>{texts().lateRunsAndLimits}</summary>
      <div class="planned-more-body">
        {!isEvent && (
          <Choice<FormCatchUp>
            label={texts().runsThatAreLate}
            value={form.catchUp}
            options={policies}
            onChange={(catchUp) => set({ catchUp })}
          />
        )}
        {!isEvent && form.catchUp === "run_late" && (
          <div class="planned-pair">
            <Amount label={texts().atMostThisLate} value={form.window} onChange={(window) => set({ window })} />
            <Choice
              label={texts().unitOfTheTime}
              value={form.windowUnit}
              options={UNITS.map((unit) => [unit, unit] as const)}
              onChange={(windowUnit) => set({ windowUnit })}
            />
          </div>
        )}
        {repeats && (
          <Amount
            label={texts().largestNumberRunsOptional}
            value={form.runsMax}
            onChange={(runsMax) => set({ runsMax })}
          />
        )}
      </div>
    </details>
  );
}
