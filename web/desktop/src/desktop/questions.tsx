/** Questions of agents, shown above every view. A turn waits for the answer until a time-out. */
import type { wire } from "@dwell/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { current } from "../store/sessions.ts";
import { announce } from "../kit/announce.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Icon } from "../kit/icon.tsx";
import { ErrorNotice } from "../kit/pieces.tsx";
import { FieldInput } from "./content/fields-view.tsx";
import type { DesktopStore } from "./store.ts";
import { fieldsOf, initialValue } from "./fields.ts";
import "./questions.css";

/** Answers this soon after opening are ignored: the key press was meant for something else. */
const SEEN_MS = 400;

/** Shows the oldest open question. */
export function Questions() {
  const desktop = current.value?.desktop;
  const dialogs = desktop?.view.value?.dialogs ?? [];
  const [first] = dialogs;
  if (desktop === undefined || first === undefined) return null;
  return <QuestionDialog key={first.dialog_id} desktop={desktop} dialog={first} others={dialogs.length - 1} />;
}

type Answer = { choice?: string; values?: Record<string, string> };

function QuestionDialog({ desktop, dialog, others }: { desktop: DesktopStore; dialog: wire.Dialog; others: number }) {
  const [isLeaving, setLeaving] = useState(false);
  const [isSending, setSending] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const [shownAt] = useState(Date.now());
  const body = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Fields take the focus. Choices do not, so that a key typed elsewhere chooses nothing.
    const field = body.current?.querySelector<HTMLElement>("input, select, textarea");
    (field ?? body.current)?.focus();
  }, []);
  const answer = async (given: Answer) => {
    if (Date.now() - shownAt < SEEN_MS) return;
    setSending(true);
    setProblem(undefined);
    try {
      await desktop.answer(dialog, given);
    } catch (error) {
      setProblem(error);
      setSending(false);
    }
  };
  const about = desktop.view.value?.windows.find((window) => window.window_id === dialog.window_id);
  return (
    <Dialog title={dialog.title} class="question" onClose={() => setLeaving(true)}>
      <div class="question-body" ref={body} tabIndex={-1}>
        {dialog.text && <p class="question-text">{dialog.text}</p>}
        {about && <p class="question-about">About window “{about.title}”</p>}
        {isLeaving ? (
          <ConfirmSkip isSending={isSending} onStay={() => setLeaving(false)} onLeave={() => void answer({})} />
        ) : "choices" in dialog.form ? (
          <Choices choices={dialog.form.choices} isSending={isSending} onChoose={(choice) => void answer({ choice })} />
        ) : (
          <Fields components={dialog.form.fields} isSending={isSending} onFill={(values) => void answer({ values })} />
        )}
        {problem !== undefined && <ErrorNotice error={problem} />}
        <p class="question-left">
          <Icon name="clock" small /> <TimeLeft until={dialog.expires_at} />
          {others > 0 && ` · ${others === 1 ? "1 more question" : `${others} more questions`}`}
        </p>
      </div>
    </Dialog>
  );
}

/** Confirms that a question is to be skipped, since the agent then continues without an answer. */
function ConfirmSkip(props: { isSending: boolean; onStay: () => void; onLeave: () => void }) {
  const { isSending, onStay, onLeave } = props;
  const stay = useRef<HTMLDivElement>(null);
  useEffect(() => {
    announce("Skip this question? The agent continues without an answer.");
    stay.current?.querySelector("button")?.focus();
  }, []);
  return (
    <div class="question-leave" ref={stay}>
      <p>Skip this question? The agent continues without an answer.</p>
      <div>
        <Button onPress={onStay}>Back</Button>
        <Button kind="danger" disabled={isSending} onPress={onLeave}>
          Skip
        </Button>
      </div>
    </div>
  );
}

function Choices(props: { choices: wire.DialogChoice[]; isSending: boolean; onChoose: (value: string) => void }) {
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
  const [values, setValues] = useState(() =>
    Object.fromEntries(fields.map((field) => [field.name, initialValue(field)])),
  );
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

/** The time left to answer. */
function TimeLeft({ until }: { until: string }) {
  const [now, setNow] = useState(Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((new Date(until).getTime() - now) / 1_000));
  if (seconds === 0) return <span>Time is up</span>;
  const left =
    seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
  return <span class="numbers">{left} left to answer</span>;
}
