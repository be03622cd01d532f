/** Calls that wait for a yes or a no, above every view: one after the other, with exactly what would be run. */
import type { wire } from "@dwell/client";
import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { serverNow } from "../house/api.ts";
import { current } from "../house/sessions.ts";
import { tools } from "../house/tools.ts";
import { announce } from "../kit/announce.ts";
import { Button, IconButton } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { useModal } from "../kit/modal.ts";
import { Trouble } from "../kit/pieces.tsx";
import { firstSentence, toolInWords } from "../kit/value-words.ts";
import { JsonFold, Values } from "../kit/values.tsx";
import { hrefOf } from "../route.ts";
import { answer, keepApprovals, openApprovals, settledNote } from "./approvals/open.ts";
import { effectInWords, safetyInWords, timeLeft } from "./approvals/words.ts";
import { titleFor } from "./sessions/titles.ts";
import "./approvals.css";

/** A dialog that has just come up is not answered by a press that was meant for what was there before. */
const FRESH_MS = 350;

/** The dialog for what waits, and a badge for what was put aside. */
export function Approvals() {
  const aside = useSignal<ReadonlySet<string>>(new Set());
  const done = useSignal(0);
  useEffect(() => keepApprovals(), []);
  const open = openApprovals.value;
  const waiting = open.filter(({ approval_id }) => !aside.value.has(approval_id));
  const next = waiting[0];
  useEffect(() => {
    if (!next) done.value = 0;
    else announce(`${toolInWords(next.tool)} needs your yes or no`);
  }, [next?.approval_id]);
  const hidden = open.length - waiting.length;
  return (
    <>
      <div class="approvals-notes">
        {hidden > 0 && !next && (
          <button class="approvals-badge" type="button" onClick={() => (aside.value = new Set())}>
            <Icon name="lock" small />
            {hidden === 1 ? "1 approval waits" : `${hidden} approvals wait`}
          </button>
        )}
        {settledNote.value && (
          <p class="approvals-settled">
            <Icon name="info" small />
            {settledNote.value}
          </p>
        )}
      </div>
      {next && (
        <ApprovalDialog
          key={next.approval_id}
          approval={next}
          place={done.value + 1}
          count={done.value + waiting.length}
          onDone={() => (done.value += 1)}
          onAside={() => {
            aside.value = new Set([...aside.value, ...waiting.map(({ approval_id }) => approval_id)]);
            announce("Put aside. It still waits; the badge at the top brings it back.");
          }}
        />
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
  // The focus is on the dialog itself: nothing is answered by the next key.
  useModal(dialog, (element) => element.focus());
  useEffect(() => {
    const timer = setTimeout(() => setIsReady(true), FRESH_MS);
    return () => clearTimeout(timer);
  }, []);
  const say = async (decision: wire.Decision) => {
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
  const choice = (label: string, decision: wire.Decision, kind?: "primary" | "danger") => (
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
        <h2 id={heading}>Allow “{name}”?</h2>
        {count > 1 && (
          <span class="approvals-place numbers">
            {place} of {count}
          </span>
        )}
        <IconButton icon="close" label="Put aside" small onPress={onAside} />
      </div>
      <div class="dialog-body scroll" tabIndex={0} role="group" aria-label="What would be run">
        <div id={about} class="approvals-about">
          {tool && <p>{firstSentence(tool.description)}</p>}
          <Where approval={approval} />
        </div>
        <section class="approvals-arguments" aria-label="Arguments">
          <Values value={approval.arguments} />
        </section>
        <JsonFold value={{ tool: approval.tool, arguments: approval.arguments }} label="Exactly as it is sent (JSON)" />
        <dl class="approvals-facts">
          <dt>Why it is asked</dt>
          <dd>
            <Reason text={sentence(approval.reason)} />
          </dd>
          <dt>What it touches</dt>
          <dd>{safetyInWords(approval.safety)}</dd>
          <dt>If repeated</dt>
          <dd>{effectInWords(approval.effect)}</dd>
        </dl>
        {problem !== undefined && <Trouble error={problem} />}
      </div>
      <div class="approvals-foot">
        <Countdown until={approval.expires_at} />
        <div class="approvals-choices">
          {choice("Never allow", "never", "danger")}
          {choice("Deny", "deny")}
          {choice("Always allow", "always")}
          {choice("Allow once", "once", "primary")}
        </div>
        <p class="approvals-hint">
          “Always” is for this tool with these arguments, “never” for the whole tool; both until the session ends.
        </p>
      </div>
    </dialog>
  );
}

/** Which session asks, where it is not the one that is open. */
function Where({ approval }: { approval: wire.ApprovalView }) {
  if (approval.session_id === current.value?.id) return null;
  const to = { view: "talk", session: approval.session_id, detail: approval.turn_id } as const;
  return (
    <p>
      Asked in another session: <a href={hrefOf(to)}>{titleFor(approval.session_id) ?? "go there"}</a>
    </p>
  );
}

/** The time that is left, second by second; said by the words beside it, not read out. */
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

/** Names in a reason stand between backticks. */
function Reason({ text }: { text: string }) {
  return <>{text.split("`").map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}

function sentence(text: string): string {
  const words = text.trim();
  const end = /[.!?]$/.test(words) ? "" : ".";
  return words.charAt(0).toUpperCase() + words.slice(1) + end;
}
