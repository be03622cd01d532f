/** What the schemas of the server have, and where the client has it. */
import { readFileSync } from "node:fs";

// Compiled, this file is two folders deeper than its source.
const docs = new URL("../../../../docs/", import.meta.url);
const reference = readFileSync(new URL("reference/wire.md", docs), "utf8");

/** The names of the messages in a part of the wire reference. */
function namesOf(title: string): string[] {
  const section = reference.split(`## ${title}`)[1]?.split("\n## ")[0] ?? "";
  return [...section.matchAll(/^### `(.+)`$/gm)].map((match) => String(match[1]));
}

/** Every message from clients. */
export const MESSAGES = namesOf("Messages from the client");
/** Every message from the server that is neither an event nor an answer. */
export const NOTICES = namesOf("Notices (not numbered)");

/** Where each notice goes. A new one fails the test until it is listed here, with its method. */
export const NOTICES_HANDLED: Record<string, string> = {
  session_info: "`follow` and streams start with it",
  "connection.status": "`onNotice`",
  "desktop.snapshot": "`follow` with `desktop`",
  "session.deleted": "ends `follow` and streams with `not_found`",
  "memory.snapshot": "the answer to `memory.list` and `memory.search`",
  "home.changed": "`onNotice`",
  "alert.raised": "`alerts.follow` and `onNotice`",
  pong: "keeps the connection alive",
  "tool.call": "`serve`",
  "tool.cancel": "`serve`",
  "tool.serving": "the answer to `serve`",
};

/** Every REST route, as `METHOD /path`. */
export const ROUTES: string[] = (() => {
  const { paths } = JSON.parse(readFileSync(new URL("openapi.json", docs), "utf8")) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const methods = new Set(["get", "post", "put", "patch", "delete"]);
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).flatMap((method) => (methods.has(method) ? [`${method.toUpperCase()} ${path}`] : [])),
  );
})();

/** Routes that the client does not use, since it sends the same as a message over its WebSocket. */
export const OVER_THE_WEBSOCKET: Record<string, string> = {
  "GET /api/v1/sessions": "session.list",
  "POST /api/v1/sessions": "session.start",
  "GET /api/v1/sessions/{session_id}": "session.get",
  "PATCH /api/v1/sessions/{session_id}": "session.update",
  "DELETE /api/v1/sessions/{session_id}": "session.delete",
  "POST /api/v1/sessions/{session_id}/reset": "session.reset",
  "POST /api/v1/sessions/{session_id}/fork": "session.fork",
  "GET /api/v1/sessions/{session_id}/window": "session.window",
  "POST /api/v1/sessions/import": "session.import",
  "POST /api/v1/sessions/{session_id}/restore": "session.restore",
  "POST /api/v1/sessions/{session_id}/turns": "chat.send",
  "POST /api/v1/sessions/{session_id}/cancel": "agent.cancel",
  "POST /api/v1/turns/{turn_id}/cancel": "agent.cancel",
  "POST /api/v1/turns/{turn_id}/pause": "turn.pause",
  "GET /api/v1/background": "background.list",
  "POST /api/v1/turns/{turn_id}/resume": "turn.resume",
  "POST /api/v1/turns/{turn_id}/tool-results": "tool.answer",
  "POST /api/v1/turns/{turn_id}/retry": "turn.retry",
  "POST /api/v1/approvals/{approval_id}": "approval.answer",
  "GET /api/v1/sessions/{session_id}/desktop": "desktop.get",
  "POST /api/v1/sessions/{session_id}/windows/{window_id}/messages": "window.message",
  "POST /api/v1/sessions/{session_id}/windows/{window_id}/actions": "window.action",
  "POST /api/v1/sessions/{session_id}/interactions": "user.interaction",
  "POST /api/v1/sessions/{session_id}/dialogs/{dialog_id}": "dialog.answer",
  "PUT /api/v1/profile/{key}": "memory.set",
  "GET /api/v1/memories": "memory.get",
  "POST /api/v1/memories/search": "memory.search",
  "GET /api/v1/memory/graph": "memory.graph",
  "POST /api/v1/memories/forget": "memory.forget",
  "GET /api/v1/memories/export": "memory.export",
  "POST /api/v1/memories/import": "memory.import",
  "POST /api/v1/memories/{item_id}/correct": "memory.correct",
  "PATCH /api/v1/vaults/{vault_id}": "vault.update",
  "PATCH /api/v1/vaults/{vault_id}/memories/{memory_id}": "memory.update",
  "GET /api/v1/schedules": "schedule.list",
  "POST /api/v1/schedules": "schedule.create",
  "POST /api/v1/schedules/preview": "schedule.preview",
  "GET /api/v1/schedules/{schedule_id}": "schedule.get",
  "PATCH /api/v1/schedules/{schedule_id}": "schedule.update",
  "DELETE /api/v1/schedules/{schedule_id}": "schedule.do",
  "POST /api/v1/schedules/{schedule_id}/do": "schedule.do",
  "GET /api/v1/alerts": "alert.list",
  "POST /api/v1/alerts/{alert_id}/seen": "alert.seen",
};

/** Routes that are not for this client, with the reason. */
export const NOT_FOR_THIS_CLIENT: [RegExp, string][] = [
  [/^GET \/ws$/, "the connection itself"],
  [/^GET \/events\//, "`follow` yields the same events over the WebSocket"],
  [/^GET \/($|assets\/|apps\/)/, "files of the page and of apps, for browsers"],
  [/^GET \/(service-worker\.js|manifest\.webmanifest)$/, "files of the page, for browsers"],
  [/^\w+ \/api\/v1\/push\b/, "a browser's subscription to its push service"],
  [/^(POST|DELETE) \/api\/v1\/entry$/, "signs a browser in and out, with a cookie and the page's origin"],
  [/^\w+ \/v1\//, "the APIs of OpenAI's and Anthropic's clients"],
  [/^\w+ \/api\/(?!v1\/)/, "Ollama's API"],
  [/^\w+ \/ollama\//, "Ollama's API, with the key in the path"],
  [/^\w+ \/hooks\//, "for the senders of webhooks, who have no token"],
  [/\/schedules\/\{schedule_id\}\/hook$/, "the secret of a webhook, which the page shows"],
  [/^GET \/metrics$/, "for Prometheus"],
  [/^\w+ \/api\/v1\/tokens/, "tokens are made by the command line and the page"],
  [/^GET \/api\/v1\/logs$/, "the log, for the operator's command line"],
  [/^\w+ \/mcp\b/, "for MCP clients"],
  [/^GET \/\.well-known\//, "for MCP clients that sign in"],
];

/** The route that a request was for; the one with the fewest parameters, if several match. */
export function routeOf(method: string, path: string): string | undefined {
  const fits = ROUTES.filter((route) => {
    const [name, template = ""] = route.split(" ");
    const pattern = template.replaceAll(/[.]/g, "\\.").replaceAll(/\{\w+\}/g, "[^/]+");
    return name === method && new RegExp(`^${pattern}$`).test(path);
  });
  const parameters = (route: string) => route.split("{").length;
  return fits.sort((one, other) => parameters(one) - parameters(other))[0];
}
