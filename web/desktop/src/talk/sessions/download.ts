/** Files of a conversation that the page writes itself, from all its turns. */
import type { wire } from "@dwell/client";
import { api, pathWith } from "../../store/api.ts";
import { titleOf } from "../../store/sessions.ts";
import { printed } from "../print/open.ts";
import { fileName } from "./formats.ts";
import { asJson, asMarkdown } from "./transcript-file.ts";
import { texts } from "../../languages/dialogs.ts";

/** The forms, in display order. */
export function readableFormats() {
  return [
    { id: "markdown", name: "Markdown", about: texts().messagesAndAnswersRead },
    { id: "json", name: "JSON", about: texts().messagesAnswersAndSources },
  ] as const;
}

const PAGE = 100;
/** A bound for the loop; the journal has conversations of any length. */
const PAGES_MAX = 1_000;

/** Reads all turns and saves them as a file. */
export async function download(
  session: wire.SessionView,
  form: ReturnType<typeof readableFormats>[number]["id"],
): Promise<void> {
  const title = titleOf(session);
  const turns = await allTurns(session.session_id);
  const isMarkdown = form === "markdown";
  const text = isMarkdown ? asMarkdown(title, turns) : asJson(session, title, turns);
  save(text, isMarkdown ? "text/markdown" : "application/json", fileName(title, isMarkdown ? "md" : "json"));
}

/** Reads all turns and opens the browser's print dialog with them. */
export async function printSession(session: wire.SessionView): Promise<void> {
  printed.value = { title: titleOf(session), turns: await allTurns(session.session_id) };
}

async function allTurns(id: string): Promise<wire.TurnView[]> {
  const turns: wire.TurnView[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const path = pathWith(`/api/v1/sessions/${id}/turns`, { order: "oldest", limit: PAGE, cursor });
    const { data, next_cursor: next } = await api<wire.TurnPage>("GET", path);
    turns.push(...data);
    if (next == null) return turns;
    cursor = next;
  }
  throw new Error(texts().theConversationTooLong);
}

function save(text: string, type: string, name: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
