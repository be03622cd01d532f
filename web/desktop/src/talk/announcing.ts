/** Says an answer once when it is complete, for those who hear the page. Words that are coming are not read one by one. */
import { useEffect } from "preact/hooks";
import type { Conversation } from "../house/conversation.ts";
import { announce } from "../kit/announce.ts";
import { plainText } from "../kit/markdown-safe.ts";

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
        if (status === "completed") announce(`Answer: ${short(turn?.state.value.response?.message ?? "")}`);
        else if (status === "failed") announce(`It failed: ${event.data.error?.message ?? ""}`);
        else if (status === "cancelled") announce("Stopped");
        else if (status === "waiting") announce("It waits for you");
        else if (status === "expired") announce("It ran out of time");
      }),
    [conversation],
  );
}

function short(text: string): string {
  const words = plainText(text);
  return words.length > LETTERS ? `${words.slice(0, LETTERS)} … and more` : words;
}
