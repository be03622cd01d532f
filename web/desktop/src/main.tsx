/** The page begins here. */
import { effect } from "@preact/signals";
import { render } from "preact";
import { App } from "./app.tsx";
import { dwell } from "./house/connection.ts";
import { comeIn, entry } from "./house/entry.ts";
import { keepSessions } from "./house/sessions.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import "./styles/kit.css";
import "./styles/shell.css";

const root = document.getElementById("app");
if (root) render(<App />, root);

const wait = effect(() => {
  if (entry.value.state !== "in") return;
  queueMicrotask(() => wait());
  void dwell();
  keepSessions();
});
void comeIn();
