/** Entry point of the page: renders the app, signs in, and starts the stores. */
import { effect } from "@preact/signals";
import { render } from "preact";
import { App } from "./app.tsx";
import { startLanguage } from "./languages/current.ts";
import { dwell } from "./store/connection.ts";
import { resumeSignIn, entry } from "./store/sign-in.ts";
import { syncSessions } from "./store/sessions.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/kit.css";
import "./styles/shell.css";

/** The first load comes before the worker's. */
const WORKER_AFTER_MS = 1_500;

async function startWorker(): Promise<void> {
  try {
    const { registerWorker } = await import("./push/worker.ts");
    await registerWorker();
  } catch {
    // The server went away meanwhile: the next load of the page tries again.
  }
}

const root = document.getElementById("app");
// Before the first paint, so that the page does not change its language under the reader's eyes. No
// top-level await: it would make the bundler split the first load into forty files.
void startLanguage().then(() => root && render(<App />, root));

const wait = effect(() => {
  if (entry.value.state !== "in") return;
  queueMicrotask(() => wait());
  void dwell();
  syncSessions();
  // Later: nothing that the user sees first needs it.
  setTimeout(() => void startWorker(), WORKER_AFTER_MS);
});
void resumeSignIn();
