/** Announces an answer to screen readers once it is complete, not token by token. */
import type { wire } from "@dwell/client";
import { useEffect } from "preact/hooks";
import type { Conversation } from "../store/conversation.ts";
import { announce } from "../kit/announce.ts";
import { plainText } from "../kit/markdown-safe.ts";
import { noticesOf } from "./notices.tsx";

/** The maximum length of an announcement; the transcript has the whole text. */
const LETTERS = 600;

/** Announces the results of a conversation's turns. */
export function useAnnouncements(conversation: Conversation | undefined): void {
  useEffect(
    () =>
      conversation?.listen((event) => {
        if (event.type === "research.started") announce(`Searching for sources: ${event.data.query}`);
        if (event.type === "research.done") announce(`${event.data.read} of ${event.data.found} sources read`);
        if (event.type !== "turn.status" || !event.turn_id) return;
        const turn = conversation.turn(event.turn_id);
        const { status } = event.data;
        if (status === "completed") announce(answerWords(turn?.state.value.response));
        else if (status === "failed") announce(`Failed: ${event.data.error?.message ?? ""}`);
        else if (status === "cancelled") announce("Stopped");
        else if (status === "waiting") announce("Waiting for you");
        else if (status === "expired") announce("Timed out");
      }),
    [conversation],
  );
}

/** The answer and its notices. */
function answerWords(response: wire.Response | undefined): string {
  return [`Answer: ${short(response?.message ?? "")}`, ...noticesOf(response)].join(" ");
}

function short(text: string): string {
  const words = plainText(text);
  return words.length > LETTERS ? `${words.slice(0, LETTERS)} … and more` : words;
}
