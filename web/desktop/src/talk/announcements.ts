/** Announces an answer to screen readers once it is complete, not token by token. */
import type { wire } from "@dwell/client";
import { useEffect } from "preact/hooks";
import type { Conversation } from "../store/conversation.ts";
import { announce } from "../kit/announce.ts";
import { plainText } from "../kit/markdown-safe.ts";
import { noticesOf } from "./notices.tsx";
import { texts } from "../languages/talk.ts";

/** The maximum length of an announcement; the transcript has the whole text. */
const LETTERS = 600;

/** Announces the results of a conversation's turns. */
export function useAnnouncements(conversation: Conversation | undefined): void {
  useEffect(
    () =>
      conversation?.listen((event) => {
        if (event.type === "research.started") announce(texts().searchingForSources(event.data.query));
        if (event.type === "research.done") announce(texts().ofSourcesRead(event.data.read, event.data.found));
        if (event.type !== "turn.status" || !event.turn_id) return;
        const turn = conversation.turn(event.turn_id);
        const { status } = event.data;
        if (status === "completed") announce(answerWords(turn?.state.value.response));
        else if (status === "failed") announce(texts().failedMessage(event.data.error?.message ?? ""));
        else if (status === "cancelled") announce(texts().stopped);
        else if (status === "waiting") announce(texts().waitingForYou);
        else if (status === "expired") announce(texts().timedOut);
      }),
    [conversation],
  );
}

/** The answer and its notices. */
function answerWords(response: wire.Response | undefined): string {
  return [texts().answerMessage(short(response?.message ?? "")), ...noticesOf(response)].join(" ");
}

function short(text: string): string {
  const words = plainText(text);
  return words.length > LETTERS ? texts().wordsAndMore(words.slice(0, LETTERS)) : words;
}
