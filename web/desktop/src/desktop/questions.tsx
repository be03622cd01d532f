/** Questions of agents, shown above every view. A turn waits for the answer until a time-out. */
import type { wire } from "@dwell/client";
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { serverNow } from "../store/api.ts";
import { current } from "../store/sessions.ts";
import { announce } from "../kit/announce.ts";
import { Button } from "../kit/button.tsx";
import { Dialog } from "../kit/dialog.tsx";
import { Icon } from "../kit/icon.tsx";
import { ErrorNotice } from "../kit/pieces.tsx";
import { FieldInput } from "./content/fields-view.tsx";
import type { DesktopStore } from "./store.ts";
import { fieldsOf, initialValue } from "./fields.ts";
import { texts } from "../languages/approvals.ts";
import "./questions.css";

/** Answers this soon after opening are ignored: the key press was meant for something else. */
const SEEN_MS = 400;

/** The questions that the user postponed, by id. */
const aside = signal<ReadonlySet<string>>(new Set());
/** What was typed into the fields of a question that was postponed, by its id. */
const drafts = new Map<string, Record<string, string>>();

/** The open questions of the session, apart from the postponed ones. */
function openQuestions(): { shown: wire.Dialog[]; postponed: wire.Dialog[] } {
  const dialogs = current.value?.desktop.view.value?.dialogs ?? [];
  const isAside = ({ dialog_id: id }: wire.Dialog) => aside.value.has(id);
  return { shown: dialogs.filter((dialog) => !isAside(dialog)), postponed: dialogs.filter(isAside) };
}

/** Shows the oldest open question. */
export function Questions() {
  const desktop = current.value?.desktop;
  const { shown } = openQuestions();
  const [first] = shown;
  if (desktop === undefined || first === undefined) return null;
  const postpone = () => {
    aside.value = new Set([...aside.value, ...shown.map(({ dialog_id: id }) => id)]);
    announce(texts().postponedBadgeAtTop);
  };
  return (
    <QuestionDialog
      key={first.dialog_id}
      desktop={desktop}
      dialog={first}
      others={shown.length - 1}
      onPostpone={postpone}
    />
  );
}

/** The badge that opens postponed questions again. */
export function QuestionNotes() {
  const { shown, postponed } = openQuestions();
  const [next] = postponed;
  if (next === undefined || shown.length > 0) return null;
  return (
    <button class="approvals-badge" type="button" onClick={() => (aside.value = new Set())}>
      <Icon name="talk" small />
      {texts().openQuestionCount(postponed.length)}
      <small>
        <TimeLeft until={next.expires_at} />
      </small>
    </button>
  );
}

type Answer = { choice?: string; values?: Record<string, string> };

type QuestionProps = { desktop: DesktopStore; dialog: wire.Dialog; others: number; onPostpone: () => void };

function QuestionDialog({ desktop, dialog, others, onPostpone }: QuestionProps) {
  const [isSkipping, setSkipping] = useState(false);
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
      drafts.delete(dialog.dialog_id);
    } catch (error) {
      setProblem(error);
      setSending(false);
    }
  };
  const about = desktop.view.value?.windows.find((window) => window.window_id === dialog.window_id);
  return (
    <Dialog title={dialog.title} class="question" onClose={onPostpone} closeLabel={texts().postpone}>
      <div class="question-body" ref={body} tabIndex={-1}>
        {dialog.text && <p class="question-text">{dialog.text}</p>}
        {about && <p class="question-about">{texts().aboutWindow(about.title)}</p>}
        {isSkipping ? (
          <ConfirmSkip isSending={isSending} onStay={() => setSkipping(false)} onSkip={() => void answer({})} />
        ) : "choices" in dialog.form ? (
          <Choices choices={dialog.form.choices} isSending={isSending} onChoose={(choice) => void answer({ choice })} />
        ) : (
          <Fields
            id={dialog.dialog_id}
            components={dialog.form.fields}
            isSending={isSending}
            onFill={(values) => void answer({ values })}
          />
        )}
        {problem !== undefined && <ErrorNotice error={problem} />}
        <div class="question-foot">
          <p class="question-left">
            <Icon name="clock" small /> <TimeLeft until={dialog.expires_at} />
            {others > 0 && ` · ${texts().moreQuestionCount(others)}`}
          </p>
          {!isSkipping && (
            <Button small kind="plain" onPress={() => setSkipping(true)}>
              {texts().skip}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  );
}

/** Confirms that a question is to be skipped, since the agent then continues without an answer. */
function ConfirmSkip(props: { isSending: boolean; onStay: () => void; onSkip: () => void }) {
  const { isSending, onStay, onSkip } = props;
  const stay = useRef<HTMLDivElement>(null);
  useEffect(() => {
    announce(texts().skipThisQuestionAgent);
    stay.current?.querySelector("button")?.focus();
  }, []);
  return (
    <div class="question-skip" ref={stay}>
      <p>{texts().skipThisQuestionAgent}</p>
      <div>
        <Button onPress={onStay}>{texts().back}</Button>
        <Button kind="danger" disabled={isSending} onPress={onSkip}>
          {texts().skip}
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
  id: string;
  components: wire.Component[];
  isSending: boolean;
  onFill: (values: Record<string, string>) => void;
}) {
  const { id, components, isSending, onFill } = props;
  const fields = fieldsOf(components, true);
  const [values, setValues] = useState(
    () => drafts.get(id) ?? Object.fromEntries(fields.map((field) => [field.name, initialValue(field)])),
  );
  const change = (name: string, value: string) => {
    const next = { ...values, [name]: value };
    drafts.set(id, next);
    setValues(next);
  };
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
            onChange={(value) => change(component.name, value)}
          />
        );
      })}
      <Button kind="primary" type="submit" disabled={isSending}>
        {texts().answer}
      </Button>
    </form>
  );
}

/** The time left to answer. */
function TimeLeft({ until }: { until: string }) {
  const [now, setNow] = useState(serverNow());
  useEffect(() => {
    const timer = setInterval(() => setNow(serverNow()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.ceil((new Date(until).getTime() - now) / 1_000));
  if (seconds === 0) return <span>{texts().timeIsUp}</span>;
  const left =
    seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, "0")} s`;
  return <span class="numbers">{texts().timeLeft(left)}</span>;
}
