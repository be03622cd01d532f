/** What agents ask, above every view. A turn waits for the answer; silence is one too, after a while. */
import type { wire } from "@dwell/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { current } from "../house/sessions.ts";
import { announce } from "../kit/announce.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Icon } from "../kit/icon.tsx";
import { Trouble } from "../kit/pieces.tsx";
import { FieldInput } from "./content/fields-view.tsx";
import type { Desk } from "./desk.ts";
import { fieldsOf, ownValue } from "./fields.ts";
import "./questions.css";

/** A key that was meant for something else answers nothing. */
const SEEN_MS = 400;

/** The oldest question that is open. */
export function Questions() {
  const desk = current.value?.desk;
  const dialogs = desk?.view.value?.dialogs ?? [];
  const [first] = dialogs;
  if (desk === undefined || first === undefined) return null;
  return <Asked key={first.dialog_id} desk={desk} dialog={first} others={dialogs.length - 1} />;
}

type Answer = { choice?: string; values?: Record<string, string> };

function Asked({ desk, dialog, others }: { desk: Desk; dialog: wire.Dialog; others: number }) {
  const [isLeaving, setLeaving] = useState(false);
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const [shownAt] = useState(Date.now());
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // A field is ready to be typed into. A choice is not: whoever was writing must not have chosen with the next key.
    const field = body.current?.querySelector<HTMLElement>("input, select, textarea");
    (field ?? body.current)?.focus();
  }, []);
  const answer = async (given: Answer) => {
    if (Date.now() - shownAt < SEEN_MS) return;
    setSending(true);
    setProblem(undefined);
    try {
      await desk.answer(dialog, given);
    } catch (error) {
      setProblem(error);
      setSending(false);
    }
  };
  const about = desk.view.value?.windows.find((window) => window.window_id === dialog.window_id);
  return (
    <Dialog title={dialog.title} class="question" onClose={() => setLeaving(true)}>
      <div class="question-body" ref={body} tabIndex={-1}>
        {dialog.text && <p class="question-text">{dialog.text}</p>}
        {about && <p class="question-about">About the window {about.title}</p>}
        {isLeaving ? (
          <Leaving isSending={isSending} onStay={() => setLeaving(false)} onLeave={() => void answer({})} />
        ) : "choices" in dialog.form ? (
          <Choices choices={dialog.form.choices} isSending={isSending} onChoose={(choice) => void answer({ choice })} />
        ) : (
          <Fields components={dialog.form.fields} isSending={isSending} onFill={(values) => void answer({ values })} />
        )}
        {problem !== undefined && <Trouble error={problem} />}
        <p class="question-left">
          <Icon name="clock" small /> <TimeLeft until={dialog.expires_at} />
          {others > 0 && ` · ${others === 1 ? "one more question waits" : `${others} more questions wait`}`}
        </p>
      </div>
    </Dialog>
  );
}

/** Waving a question away is an answer too: it is asked for first. */
function Leaving(props: { isSending: boolean; onStay: () => void; onLeave: () => void }) {
  const { isSending, onStay, onLeave } = props;
  const stay = useRef<HTMLDivElement>(null);
  useEffect(() => {
    announce("Leave the question unanswered? The agent goes on without an answer.");
    stay.current?.querySelector("button")?.focus();
  }, []);
  return (
    <div class="question-leave" ref={stay}>
      <p>Leave it unanswered? The agent is told that you did not want to say, and goes on.</p>
      <div>
        <Button onPress={onStay}>Back to the question</Button>
        <Button kind="danger" disabled={isSending} onPress={onLeave}>
          Leave it unanswered
        </Button>
      </div>
    </div>
  );
}

function Choices(props: { choices: wire.Choice[]; isSending: boolean; onChoose: (value: string) => void }) {
  const { choices, isSending, onChoose } = props;
  return (
    <div class="question-choices">
      {choices.map(({ value, label }) => (
        <Button key={value} disabled={isSending} onPress={() => onChoose(value)}>
          {label}
        </Button>
      ))}
    </div>
  );
}

function Fields(props: {
  components: wire.Component[];
  isSending: boolean;
  onFill: (values: Record<string, string>) => void;
}) {
  const { components, isSending, onFill } = props;
  const fields = fieldsOf(components, true);
  const [values, setValues] = useState(() => Object.fromEntries(fields.map((field) => [field.name, ownValue(field)])));
  return (
    <form
      class="question-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isSending) onFill(values);
      }}
    >
      {components.map((component, index) => {
        if (component.type === "text") return <p key={index}>{component.text}</p>;
        const isField = component.type === "input" || component.type === "select" || component.type === "checkbox";
        if (!isField) return null;
        return (
          <FieldInput
            key={component.name}
            field={component}
            value={values[component.name] ?? ""}
            onChange={(value) => setValues((before) => ({ ...before, [component.name]: value }))}
          />
        );
      })}
      <Button kind="primary" type="submit" disabled={isSending}>
        Answer
      </Button>
    </form>
  );
}

/** How long an answer is waited for, in words. */
function TimeLeft({ until }: { until: string }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((new Date(until).getTime() - now) / 1_000));
  if (seconds === 0) return <span>The time is up</span>;
  const left =
    seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
  return <span class="numbers">{left} left to answer</span>;
}
