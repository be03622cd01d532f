/** Memory changes here, in other tabs and by itself after each turn: whoever shows it reads it anew. */
import { effect, signal } from "@preact/signals";
import { current } from "../house/sessions.ts";
import { announce } from "../kit/announce.ts";

const SETTLE_MS = 400;
/** What a turn said is read off it soon after its end. */
const AFTER_TURN_MS = 1_200;
const FEEDBACK_MS = 9_000;

/** Grows whenever memory may have changed. */
export const changes = signal(0);
/** What was done last, for a moment. */
export const feedback = signal<string | undefined>(undefined);

const tabs = new BroadcastChannel("dwell.memory");
let timer: ReturnType<typeof setTimeout> | undefined;

function soon(ms: number): void {
  clearTimeout(timer);
  timer = setTimeout(() => (changes.value += 1), ms);
}

/** Something was changed here: it is said, and everything is read anew, here and in other tabs. */
export function done(words: string): void {
  feedback.value = words;
  announce(words);
  changes.value += 1;
  tabs.postMessage("changed");
  setTimeout(() => {
    if (feedback.peek() === words) feedback.value = undefined;
  }, FEEDBACK_MS);
}

/** Keeps what is shown in step as long as somebody looks; gives what ends it. */
export function keepInStep(): () => void {
  const seen = () => {
    if (!document.hidden) soon(0);
  };
  document.addEventListener("visibilitychange", seen);
  tabs.onmessage = () => soon(0);
  const endFollowing = effect(() => {
    const conversation = current.value;
    return conversation?.listen((event) => {
      if (event.type === "memory.written" || event.type === "memory.summary_created") soon(SETTLE_MS);
      else if (event.type === "turn.status") soon(AFTER_TURN_MS);
    });
  });
  return () => {
    document.removeEventListener("visibilitychange", seen);
    tabs.onmessage = null;
    endFollowing();
    clearTimeout(timer);
  };
}
