/** The form that plans something, or changes what is planned. */
import type { wire } from "@dwell/client";
import { useState } from "preact/hooks";
import { serverNow } from "../store/api.ts";
import { newKey } from "../store/key.ts";
import { activeSessions, titleOf as sessionTitle } from "../store/sessions.ts";
import { tools } from "../store/tools.ts";
import { useAttempt } from "../kit/attempt.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { ErrorNotice, Tabs } from "../kit/pieces.tsx";
import { firstSentence } from "../kit/value-words.ts";
import { OWN_TURNS } from "./conditions.ts";
import { changeOf, createOf, emptyForm, type FormKind, formOf, type ScheduleForm } from "./form.ts";
import { openDialog } from "./open.ts";
import { Preview } from "./preview.tsx";
import { changeSchedule, createSchedule } from "./store.ts";
import { viewerZone } from "./times.ts";
import { Timing } from "./timing.tsx";
import { MoreFields } from "./trigger-fields.tsx";
import { texts } from "../languages/planned.ts";

function kinds() {
  return [
    { id: "remind", label: texts().reminder },
    { id: "timer", label: texts().timer },
    { id: "turn", label: texts().message },
    { id: "call", label: texts().call },
  ] as const;
}

function textLabels(): Record<Exclude<FormKind, "call">, string> {
  return {
    remind: texts().remindMeOf,
    timer: texts().whatForOptional,
    turn: texts().messageToTheAgent,
  };
}

function waitsForOwnTurns({ timing, trigger, turnsOf }: ScheduleForm): boolean {
  return timing === "event" && trigger === "turn_ended" && turnsOf === OWN_TURNS;
}

function isHook(when: wire.When): boolean {
  return when.kind === "event" && when.trigger.on === "hook";
}

/** Changes some fields. */
export type SetForm = (change: Partial<ScheduleForm>) => void;

/** The form; for a new one without `schedule`. */
export function ScheduleDialog({
  schedule,
  onClose,
}: {
  schedule?: wire.ScheduleView | undefined;
  onClose: () => void;
}) {
  const [before] = useState(() =>
    schedule ? formOf(schedule, serverNow(), viewerZone()) : emptyForm(serverNow(), viewerZone()),
  );
  const [form, setForm] = useState(before);
  const [session, setSession] = useState<string | undefined>(undefined);
  // Pressing the button twice plans it once.
  const [key] = useState(newKey);
  const { isBusy, problem, run } = useAttempt();
  const set: SetForm = (change) => setForm((old) => ({ ...old, ...change }));
  // A message, and what waits for the end of a turn of its own, belong to a conversation.
  const needsSession = form.kind === "turn" || (form.kind !== "timer" && waitsForOwnTurns(form));
  const send = async () => {
    const change = schedule && changeOf(form, before);
    const made = schedule
      ? await changeSchedule(schedule.schedule_id, change ?? {})
      : await createSchedule(createOf(form, needsSession ? session : undefined, key));
    // The secret of a webhook is shown when there is a new one.
    const isNewHook = isHook(made.when) && !(schedule && isHook(schedule.when));
    openDialog.value = isNewHook ? { what: "hook", schedule: made } : undefined;
  };
  return (
    <Dialog
      title={schedule ? texts().edit : texts().planSomething}
      class="planned-dialog"
      onClose={onClose}
      foot={
        <>
          <Button onPress={onClose}>{texts().close}</Button>
          <Button kind="primary" disabled={isBusy} onPress={() => void run(send)}>
            {schedule ? texts().save : texts().planIt}
          </Button>
        </>
      }
    >
      {!schedule && <Tabs label={texts().what} tabs={kinds()} value={form.kind} onChange={(kind) => set({ kind })} />}
      {form.kind === "call" ? (
        <CallFields form={form} set={set} />
      ) : (
        <label class="field">
          {textLabels()[form.kind]}
          <textarea
            class="input"
            rows={form.kind === "timer" ? 1 : 2}
            value={form.text}
            onInput={(event) => set({ text: event.currentTarget.value })}
          />
        </label>
      )}
      <Timing form={form} set={set} />
      <Preview form={form} />
      {form.kind !== "timer" && <MoreFields form={form} set={set} isNew={!schedule} />}
      <label class="field">
        {texts().nameOptional}
        <input class="input" value={form.name} onInput={(event) => set({ name: event.currentTarget.value })} />
      </label>
      {!schedule && needsSession && <WhichSession value={session} onChange={setSession} />}
      {problem !== undefined && <ErrorNotice error={problem} />}
    </Dialog>
  );
}

/** The tool and its arguments. */
function CallFields({ form, set }: { form: ScheduleForm; set: SetForm }) {
  const known = [...tools.value.values()].filter(({ enabled }) => enabled).map(({ name }) => name);
  const names = form.tool === "" || known.includes(form.tool) ? known : [form.tool, ...known];
  const tool = tools.value.get(form.tool);
  return (
    <>
      <label class="field">
        {texts().tool}
        <select class="input" value={form.tool} onChange={(event) => set({ tool: event.currentTarget.value })}>
          <option value="">{texts().chooseATool}</option>
          {names.toSorted().map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {tool && <p class="planned-hint">{firstSentence(tool.description)}</p>}
      <label class="field">
        {texts().argumentsJson}
        <textarea
          class="input planned-code"
          rows={3}
          spellcheck={false}
          value={form.arguments}
          onInput={(event) => set({ arguments: event.currentTarget.value })}
        />
      </label>
      <p class="planned-hint">{texts().itMakesExactlyThisCall}</p>
    </>
  );
}

/** The conversation that the message is sent to, or whose turns are waited for. */
function WhichSession({ value, onChange }: { value: string | undefined; onChange: (id: string | undefined) => void }) {
  return (
    <label class="field">
      {texts().conversation}
      <select class="input" value={value ?? ""} onChange={(event) => onChange(event.currentTarget.value || undefined)}>
        <option value="">{texts().theOneForPlans}</option>
        {activeSessions().map((session) => (
          <option key={session.session_id} value={session.session_id}>
            {sessionTitle(session)}
          </option>
        ))}
      </select>
    </label>
  );
}
