/** A session's desktop as the page has it: the server's snapshot, what was done since, and what the user does here. */
import type { Dwell, Told, wire } from "@dwell/client";
import { batch, computed, signal } from "@preact/signals";
import { newKey } from "../house/key.ts";
import { Typed } from "./fields.ts";
import { asAction, done, fold, PRIMARY } from "./fold.ts";
import { isSameBounds } from "./geometry.ts";
import { Outbox } from "./outbox.ts";

export { PRIMARY };

/** How long what the user does is collected before it is told. */
const COLLECT_MS = 150;
/** How long a window stays where it was put before the server has said where it is. */
const SETTLE_MS = 1_500;
/** How long to wait before the desktop is read anew: what makes it unknown comes in bursts. */
const REREAD_MS = 250;

/** Something that was pressed and is being worked on. */
export type Act = { windowId: string; path: string | undefined };

/** A session's desktop. */
export class Desk {
  /** How it stands; undefined until the server has told it. */
  readonly view = signal<wire.DesktopView | undefined>(undefined);
  /** The monitor that is looked at. */
  readonly monitor = signal<string>(PRIMARY);
  /** Where windows were put here and the server has not said so yet. */
  readonly #placed = signal<Readonly<Record<string, wire.Bounds>>>({});
  /** The windows of the monitor, from the back to the front. */
  readonly windows = computed(() => {
    const placed = this.#placed.value;
    return (this.view.value?.windows ?? [])
      .filter((window) => window.monitor_id === this.monitor.value)
      .map((window) => {
        const bounds = placed[window.window_id];
        return bounds ? { ...window, bounds } : window;
      });
  });
  /** The window in front, if any is shown. */
  readonly front = computed(() => this.windows.value.findLast((window) => window.state !== "minimized"));
  /** What was pressed and is being worked on, by turn. */
  readonly acts = signal<ReadonlyMap<string, Act>>(new Map());
  /** The last thing that could not be done. */
  readonly problem = signal<unknown>(undefined);
  /** What was typed into forms, by window. */
  readonly typed = new Typed();
  readonly client: Dwell;
  readonly sessionId: string;
  readonly #outbox = new Outbox();
  readonly #listeners = new Set<(event: Told) => void>();
  readonly #onHide = () => void this.flush();
  #seq = 0;
  #flushing: ReturnType<typeof setTimeout> | undefined;
  #rereading: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(client: Dwell, sessionId: string) {
    this.client = client;
    this.sessionId = sessionId;
    globalThis.addEventListener("pagehide", this.#onHide);
  }

  /** Takes an event of the session. */
  take(event: Told): void {
    batch(() => {
      if (event.type === "desktop.snapshot") this.#takeWhole(event.data);
      else this.#takeNext(event);
    });
    for (const listener of this.#listeners) listener(event);
  }

  /** Listens to every event; gives what ends the listening. */
  listen(listener: (event: Told) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Nobody looks at it any more. */
  close(): void {
    void this.flush();
    this.#isClosed = true;
    clearTimeout(this.#rereading);
    globalThis.removeEventListener("pagehide", this.#onHide);
    this.view.value = undefined;
  }

  // --- what the user does ---

  /** The user did something: it happens here at once, and is told with what else is done in this moment. */
  report(...interactions: wire.Interaction[]): void {
    batch(() => {
      for (const interaction of interactions) {
        const view = this.view.value;
        const action = asAction(interaction);
        const window = view?.windows.find(({ window_id: id }) => id === interaction.window_id);
        if (view && window && action) {
          const doer = { monitorId: window.monitor_id, at: window.updated_at };
          this.view.value = done(view, action, doer);
        }
        this.#outbox.add(interaction);
      }
    });
    this.#flushSoon();
  }

  /** The user put a window somewhere. */
  place(id: string, to: wire.Bounds): void {
    const from = this.view.value?.windows.find((window) => window.window_id === id)?.bounds;
    if (from === undefined || isSameBounds(this.#placed.value[id] ?? from, to)) return;
    this.#placed.value = { ...this.#placed.value, [id]: to };
    this.#outbox.place(id, from, to);
    this.#flushSoon();
  }

  /** Brings a window to the front, unless it is there. */
  focus(id: string): void {
    if (this.front.peek()?.window_id !== id) this.report({ type: "window.focus", window_id: id });
  }

  /** Tells the server what was done and not told yet. */
  async flush(): Promise<void> {
    clearTimeout(this.#flushing);
    this.#flushing = undefined;
    const placed = this.#placed.peek();
    for (const interactions of this.#outbox.drain()) {
      try {
        await this.client.request("user.interaction", { session_id: this.sessionId, interactions });
      } catch (problem) {
        this.#refused(problem);
      }
    }
    setTimeout(() => this.#unplace(placed), SETTLE_MS);
  }

  /** Something was pressed in a window. */
  async press(windowId: string, what: Omit<wire.WindowAct, "action_id">): Promise<void> {
    const key = newKey();
    const { action, form_data: data, component_path: path, parallel } = what;
    await this.client.request("window.action", {
      session_id: this.sessionId,
      window_id: windowId,
      action,
      ...(data && { form_data: data }),
      ...(path && { component_path: path }),
      ...(parallel && { parallel }),
      action_id: key,
      idempotency_key: key,
    });
  }

  /** Words to a window's agent. `key` is the same for the same words sent again. */
  async say(windowId: string, content: string, key: string): Promise<void> {
    const request = { session_id: this.sessionId, window_id: windowId, content, idempotency_key: key };
    await this.client.request("window.message", request);
  }

  /** Answers a question: what is chosen, or what is filled in; neither waves it away. */
  async answer(dialog: wire.Dialog, answer: { choice?: string; values?: Record<string, string> }): Promise<void> {
    const request = { session_id: this.sessionId, dialog_id: dialog.dialog_id, ...answer };
    await this.client.request("choices" in dialog.form ? "dialog.answer" : "prompt.answer", request);
  }

  /** Does something with a toast or a notification; one that has gone elsewhere is gone. */
  async actOnToast(id: string, action = "dismiss"): Promise<void> {
    try {
      await this.client.request("toast.action", { session_id: this.sessionId, toast_id: id, action });
    } catch (problem) {
      const isThere = [...(this.view.value?.toasts ?? []), ...(this.view.value?.notifications ?? [])].some(
        ({ toast_id: one }) => one === id,
      );
      if (isThere) this.#refused(problem);
    }
  }

  /** A window could not be shown. */
  cannotShow(windowId: string, error: string): void {
    const request = { session_id: this.sessionId, window_id: windowId, ok: false, error: error.slice(0, 500) };
    this.client.request("render.feedback", request).catch(() => undefined);
  }

  // --- monitors ---

  /** Looks at a monitor. One beside the first is no longer in the background then; what happens elsewhere is still told. */
  look(id: string): void {
    this.monitor.value = id;
    const all = (this.view.value?.monitors ?? []).map((monitor) => monitor.monitor_id);
    const watched = id === PRIMARY ? undefined : [...new Set([...all, id])];
    void this.client.watchMonitors(this.sessionId, watched);
  }

  async addMonitor(id: string): Promise<void> {
    const view = await this.client.request("monitor.subscribe", { session_id: this.sessionId, monitor_id: id });
    this.#takeWhole(view);
    this.look(id);
  }

  async removeMonitor(id: string): Promise<void> {
    const view = await this.client.request("monitor.remove", { session_id: this.sessionId, monitor_id: id });
    this.#takeWhole(view);
    if (this.monitor.value === id) this.look(PRIMARY);
  }

  // --- what the server says ---

  #takeWhole(view: wire.DesktopView): void {
    if (this.#isClosed) return;
    // What is older than what is known is asked for once more.
    if (view.as_of < this.#seq) {
      this.#reread();
      return;
    }
    this.#seq = view.as_of;
    const turns = new Set(view.agents.flatMap((agent) => [agent.turn_id, ...(agent.queue ?? [])]));
    this.acts.value = new Map([...this.acts.value].filter(([turnId]) => turns.has(turnId)));
    this.#show(view);
  }

  #takeNext(event: Told): void {
    this.#takeAct(event);
    const view = this.view.value;
    if (event.seq === undefined || event.seq <= this.#seq || view === undefined) return;
    this.#seq = event.seq;
    const next = fold(view, event);
    if (event.type === "actions" && !event.turn_id) this.#settle(event.data.actions);
    if (next.view !== view) this.#show(next.view);
    if (next.isStale) this.#reread();
  }

  #show(view: wire.DesktopView): void {
    this.view.value = view;
    const isThere = view.monitors.some((monitor) => monitor.monitor_id === this.monitor.value);
    if (!isThere) this.look(PRIMARY);
    this.typed.keepOnly(new Set(view.windows.map((window) => window.window_id)));
  }

  #takeAct(event: Told): void {
    if (event.type === "message.accepted" && event.data.window?.act) {
      const { window_id: windowId, act } = event.data.window;
      const path = act.component_path ?? undefined;
      this.acts.value = new Map(this.acts.value).set(event.data.turn_id, { windowId, path });
    }
    const isOver =
      event.type === "turn.status" && ["completed", "failed", "cancelled", "expired"].includes(event.data.status);
    if (isOver && event.turn_id && this.acts.value.has(event.turn_id)) {
      const acts = new Map(this.acts.value);
      acts.delete(event.turn_id);
      this.acts.value = acts;
    }
  }

  /** Where the server says that a window is, it is; unless it was moved on meanwhile. */
  #settle(actions: readonly wire.Action[]): void {
    const isThere = ([id, here]: [string, wire.Bounds]) =>
      actions.some((action) => {
        if (action.type !== "window.move" && action.type !== "window.resize") return false;
        const isSame = ([name, value]: [string, unknown]) => !isSide(name) || here[name] === value;
        return action.window_id === id && Object.entries(action).every(isSame);
      });
    const placed = Object.entries(this.#placed.value);
    if (placed.some(isThere)) this.#placed.value = Object.fromEntries(placed.filter((one) => !isThere(one)));
  }

  /** What was put somewhere and not moved since is where the server says. */
  #unplace(then: Readonly<Record<string, wire.Bounds>>): void {
    const left = Object.entries(this.#placed.value).filter(([id, bounds]) => then[id] !== bounds);
    if (left.length < Object.keys(this.#placed.value).length) this.#placed.value = Object.fromEntries(left);
  }

  #refused(problem: unknown): void {
    if (this.#isClosed) return;
    this.problem.value = problem;
    this.#placed.value = {};
    this.#reread();
  }

  #flushSoon(): void {
    this.#flushing ??= setTimeout(() => void this.flush(), COLLECT_MS);
  }

  #reread(): void {
    this.#rereading ??= setTimeout(() => {
      this.#rereading = undefined;
      this.client.request("desktop.get", { session_id: this.sessionId }).then(
        (view) => this.#takeWhole(view),
        // The next snapshot comes with the connection.
        () => undefined,
      );
    }, REREAD_MS);
  }
}

function isSide(name: string): name is keyof wire.Bounds {
  return name === "x" || name === "y" || name === "width" || name === "height";
}
