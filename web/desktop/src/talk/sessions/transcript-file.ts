/** A conversation as a file to read or to process: Markdown or JSON. Pure. */
import type { wire } from "@dwell/client";
import { texts } from "../../languages/dialogs.ts";

/** What of a turn goes into the file. */
type ShownTurn = Pick<wire.TurnView, "request" | "text" | "response" | "error" | "status" | "created_at" | "turn_id">;

/** The answer of a turn, as far as it came. */
function answerOf({ response, text }: ShownTurn): string {
  return response?.message ?? text;
}

/** Why there is no whole answer, in a line; undefined if there is one. */
function troubleOf({ status, error }: ShownTurn): string | undefined {
  if (status === "completed") return undefined;
  return error ? `${status}: ${error.message}` : status;
}

/** The conversation as Markdown: messages as quotes, answers as they are. */
export function asMarkdown(title: string, turns: readonly ShownTurn[]): string {
  const parts = turns.flatMap((turn) => {
    const quoted = turn.request.message
      .trimEnd()
      .split("\n")
      .map((line) => `> ${line}`.trimEnd())
      .join("\n");
    const trouble = troubleOf(turn);
    return [
      `**${texts().youName}**, ${turn.created_at}`,
      quoted,
      ...sourcesAfter(turn),
      ...(trouble === undefined ? [] : [`*(${trouble})*`]),
      "---",
    ];
  });
  return `${[`# ${title.replace(/\s+/g, " ").trim()}`, ...parts.slice(0, -1)].join("\n\n")}\n`;
}

/** The answer, with its sources below. */
function sourcesAfter(turn: ShownTurn): string[] {
  const answer = answerOf(turn).trim();
  const sources = (turn.response?.citations ?? []).map(
    ({ source, title }, index) => `${index + 1}. ${title ? `${title}: ` : ""}${source}`,
  );
  if (answer === "") return [];
  return sources.length === 0 ? [answer] : [answer, `${texts().sources}:\n\n${sources.join("\n")}`];
}

/** The conversation as JSON: one object a turn. */
export function asJson(
  session: Pick<wire.SessionView, "session_id" | "created_at">,
  title: string,
  turns: readonly ShownTurn[],
): string {
  const lines = turns.map((turn) => {
    const trouble = troubleOf(turn);
    return {
      turn_id: turn.turn_id,
      at: turn.created_at,
      message: turn.request.message,
      answer: answerOf(turn),
      ...(turn.response?.citations?.length ? { citations: turn.response.citations } : {}),
      ...(trouble === undefined ? {} : { trouble }),
    };
  });
  return `${JSON.stringify({ session_id: session.session_id, title, created_at: session.created_at, turns: lines }, null, 2)}\n`;
}
