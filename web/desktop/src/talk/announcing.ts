/** Says an answer once when it is complete, for those who hear the page. Words that are coming are not read one by one. */
import type { wire } from "@dwell/client";
import { useEffect } from "preact/hooks";
import type { Conversation } from "../house/conversation.ts";
import { announce } from "../kit/announce.ts";
import { plainText } from "../kit/markdown-safe.ts";
import { noticesOf } from "./notices.tsx";

/** More than this is not listened to in one go; the transcript has it all. */
const LETTERS = 600;

/** Announces what comes of the turns of a conversation. */
export function useAnnouncing(conversation: Conversation | undefined): void {
  useEffect(
    () =>
      conversation?.listen((event) => {
        if (event.type === "research.started") announce(`Looking for sources: ${event.data.query}`);
        if (event.type === "research.done") announce(`${event.data.read} of ${event.data.found} sources read`);
        if (event.type !== "turn.status" || !event.turn_id) return;
        const turn = conversation.turn(event.turn_id);
        const { status } = event.data;
        if (status === "completed") announce(answerWords(turn?.state.value.response));
        else if (status === "failed") announce(`It failed: ${event.data.error?.message ?? ""}`);
        else if (status === "cancelled") announce("Stopped");
        else if (status === "waiting") announce("It waits for you");
        else if (status === "expired") announce("It ran out of time");
      }),
    [conversation],
  );
}

/** The answer, and what there is to know of it. */
function answerWords(response: wire.Response | undefined): string {
  return [`Answer: ${short(response?.message ?? "")}`, ...noticesOf(response)].join(" ");
}

function short(text: string): string {
  const words = plainText(text);
  return words.length > LETTERS ? `${words.slice(0, LETTERS)} … and more` : words;
}
