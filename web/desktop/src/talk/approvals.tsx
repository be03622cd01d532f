/** The approval dialog, shown above every view: one call at a time, with exactly what would run. */
import type { wire } from "@dwell/client";
import { signal, useSignal } from "@preact/signals";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { serverNow } from "../store/api.ts";
import { current } from "../store/sessions.ts";
import { tools } from "../store/tools.ts";
import { announce } from "../kit/announce.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { useModal } from "../kit/modal.ts";
import { ErrorNotice } from "../kit/pieces.tsx";
import { firstSentence, toolInWords } from "../kit/value-words.ts";
import { JsonFold, Values } from "../kit/values.tsx";
import { hrefOf } from "../route.ts";
import { answer, syncApprovals, openApprovals, settledNote } from "./approvals/open.ts";
import { effectInWords, safetyInWords, timeLeft } from "./approvals/words.ts";
import { titleFor } from "./sessions/titles.ts";
import { texts } from "../languages/approvals.ts";
import "./approvals.css";

/** Clicks this soon after the dialog opens are ignored: they were meant for something else. */
const FRESH_MS = 350;

/** The approvals that the user postponed, by id. */
const aside = signal<ReadonlySet<string>>(new Set());

function openAndShown(): { open: readonly wire.ApprovalView[]; shown: readonly wire.ApprovalView[] } {
  const open = openApprovals.value;
  return { open, shown: open.filter(({ approval_id }) => !aside.value.has(approval_id)) };
}

/** The dialog for open approvals, one after the other. */
export function Approvals() {
  const done = useSignal(0);
  useEffect(() => syncApprovals(), []);
  const { shown } = openAndShown();
  const next = shown[0];
  useEffect(() => {
    if (!next) done.value = 0;
    else announce(texts().needsYourApproval(toolInWords(next.tool)));
  }, [next?.approval_id]);
  if (!next) return null;
  return (
    <ApprovalDialog
      key={next.approval_id}
      approval={next}
      place={done.value + 1}
      count={done.value + shown.length}
      onDone={() => (done.value += 1)}
      onAside={() => {
        aside.value = new Set([...aside.value, ...shown.map(({ approval_id }) => approval_id)]);
        announce(texts().postponedBadgeAtTopOpens);
      }}
    />
  );
}

/** The badge of postponed approvals, and a note on the last one that was answered elsewhere. */
export function ApprovalNotes() {
  const { open, shown } = openAndShown();
  const hidden = open.length - shown.length;
  return (
    <>
      {hidden > 0 && shown.length === 0 && (
        <button class="approvals-badge" type="button" onClick={() => (aside.value = new Set())}>
          <Icon name="lock" small />
          {texts().pendingApprovalCount(hidden)}
        </button>
      )}
      {settledNote.value && (
        <p class="approvals-settled">
          <Icon name="info" small />
          {settledNote.value}
        </p>
      )}
    </>
  );
}

type Props = {
  approval: wire.ApprovalView;
  place: number;
  count: number;
  onDone: () => void;
  onAside: () => void;
};

function ApprovalDialog({ approval, place, count, onDone, onAside }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [heading, about] = [useId(), useId()];
  const [isReady, setIsReady] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  // The dialog itself takes the focus, so that the next key answers nothing.
  useModal(dialog, (element) => element.focus());
  useEffect(() => {
    const timer = setTimeout(() => setIsReady(true), FRESH_MS);
    return () => clearTimeout(timer);
  }, []);
  const say = async (decision: wire.ApprovalDecision) => {
    setIsReady(false);
    setProblem(undefined);
    try {
      await answer(approval, decision);
      onDone();
    } catch (error) {
      setProblem(error);
      setIsReady(true);
    }
  };
  const tool = tools.value.get(approval.tool);
  const name = toolInWords(approval.tool);
  const choice = (label: string, decision: wire.ApprovalDecision, kind?: "primary" | "danger") => (
    <Button disabled={!isReady} onPress={() => void say(decision)} {...(kind && { kind })}>
      {label}
    </Button>
  );
  return (
    <dialog
      ref={dialog}
      class="dialog approvals"
      role="alertdialog"
      aria-labelledby={heading}
      aria-describedby={about}
      tabIndex={-1}
      onCancel={(event) => {
        event.preventDefault();
        onAside();
      }}
    >
      <div class="dialog-head">
        <span class="approvals-sign">
          <Icon name="lock" />
        </span>
        <h2 id={heading}>{texts().allowTool(name)}</h2>
        {count > 1 && (
          <span class="approvals-place numbers">
            {place} {texts().of} {count}
          </span>
        )}
        <IconButton icon="close" label={texts().postpone} small onPress={onAside} />
      </div>
      <div class="dialog-body scroll" tabIndex={0} role="group" aria-label={texts().callDetails}>
        <div id={about} class="approvals-about">
          {tool && <p>{firstSentence(tool.description)}</p>}
          <OtherSession approval={approval} />
        </div>
        <section class="approvals-arguments" aria-label={texts().arguments}>
          <Values value={approval.arguments} />
        </section>
        <JsonFold value={{ tool: approval.tool, arguments: approval.arguments }} label={texts().rawJson} />
        <dl class="approvals-facts">
          <dt>{texts().reason}</dt>
          <dd>
            <Reason text={sentence(approval.reason)} />
          </dd>
          <dt>{texts().effect}</dt>
          <dd>{safetyInWords(approval.safety)}</dd>
          <dt>{texts().ifRepeated}</dt>
          <dd>{effectInWords(approval.effect)}</dd>
        </dl>
        {problem !== undefined && <ErrorNotice error={problem} />}
      </div>
      <div class="approvals-foot">
        <Countdown until={approval.expires_at} />
        <div class="approvals-choices">
          {choice(texts().neverAllow, "never", "danger")}
          {choice(texts().deny, "deny")}
          {choice(texts().alwaysAllow, "always")}
          {choice(texts().allowOnce, "once", "primary")}
        </div>
        <p class="approvals-hint">{texts().alwaysAppliesThisTool}</p>
      </div>
    </dialog>
  );
}

/** A link to the session of the call, if it is not the open one. */
function OtherSession({ approval }: { approval: wire.ApprovalView }) {
  if (approval.session_id === current.value?.id) return null;
  const to = { view: "talk", session: approval.session_id, detail: approval.turn_id } as const;
  return (
    <p>
      {texts().fromAnotherSession} <a href={hrefOf(to)}>{titleFor(approval.session_id) ?? texts().openIt}</a>
    </p>
  );
}

/** The time left to answer, as a bar and a text. */
function Countdown({ until }: { until: string }) {
  const ends = Date.parse(until);
  const [left, setLeft] = useState(() => ends - serverNow());
  const [whole] = useState(left);
  useEffect(() => {
    const timer = setInterval(() => setLeft(ends - serverNow()), 1_000);
    return () => clearInterval(timer);
  }, [ends]);
  const share = whole <= 0 ? 0 : Math.max(0, Math.min(1, left / whole));
  return (
    <div class="approvals-left" role="timer">
      <span class="approvals-bar" aria-hidden="true">
        <span style={{ transform: `scaleX(${share})` }} />
      </span>
      <span class="numbers">{timeLeft(left)}</span>
    </div>
  );
}

/** A reason; names between backticks are shown as code. */
function Reason({ text }: { text: string }) {
  return <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}

function sentence(text: string): string {
  const words = text.trim();
  const end = /[.!?]$/.test(words) ? "" : ".";
  return words.charAt(0).toUpperCase() + words.slice(1) + end;
}
