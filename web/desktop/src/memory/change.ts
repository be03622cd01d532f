/** Tracks changes of memory, made here, in other tabs, or by turns, so that views reload. */
import { effect, signal } from "@preact/signals";
import { current } from "../store/sessions.ts";
import { announce } from "../kit/announce.ts";

const SETTLE_MS = 400;
/** Facts are extracted shortly after a turn ends. */
const AFTER_TURN_MS = 1_200;
const FEEDBACK_MS = 9_000;

/** Incremented whenever memory may have changed. */
export const changes = signal(0);
/** A short confirmation of the last change. */
export const feedback = signal<string | undefined>(undefined);

const tabs = new BroadcastChannel("dwell.memory");
let timer: ReturnType<typeof setTimeout> | undefined;

function soon(ms: number): void {
  clearTimeout(timer);
  timer = setTimeout(() => (changes.value += 1), ms);
}

/** Confirms a change and reloads all views, here and in other tabs. */
export function reportChange(words: string): void {
  feedback.value = words;
  announce(words);
  changes.value += 1;
  tabs.postMessage("changed");
  setTimeout(() => {
    if (feedback.peek() === words) feedback.value = undefined;
  }, FEEDBACK_MS);
}

/** Watches for changes while a view is open; returns the function that stops it. */
export function syncMemory(): () => void {
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
