/**
 * The store of a session's desktop: the server's snapshot, later events, and local interactions.
 */
import type { Dwell, FeedEvent, wire } from "@dwell/client";
import { batch, computed, signal } from "@preact/signals";
import { newKey } from "../store/key.ts";
import { FormInput } from "./fields.ts";
import { asAction, applyLocally, fold, PRIMARY } from "./fold.ts";
import { isSameBounds } from "./geometry.ts";
import { Outbox } from "./outbox.ts";

export { PRIMARY };

/** How long interactions are batched before they are sent. */
const COLLECT_MS = 150;
/** How long a local window position holds before the server's takes over. */
const SETTLE_MS = 1_500;
/** The delay before the desktop is reloaded, since stale states come in bursts. */
const REREAD_MS = 250;

/** A button press that its agent is working on. */
export type Act = { windowId: string; path: string | undefined };

/** The desktop of one session. */
export class DesktopStore {
  /** The current state; undefined until it is loaded. */
  readonly view = signal<wire.DesktopView | undefined>(undefined);
  /** The selected monitor. */
  readonly monitor = signal<string>(PRIMARY);
  /** Local window positions that the server has not confirmed yet. */
  readonly #placed = signal<Readonly<Record<string, wire.Bounds>>>({});
  /** The windows of the selected monitor, from back to front. */
  readonly windows = computed(() => {
    const placed = this.#placed.value;
    return (this.view.value?.windows ?? [])
      .filter((window) => window.monitor_id === this.monitor.value)
      .map((window) => {
        const bounds = placed[window.window_id];
        return bounds ? { ...window, bounds } : window;
      });
  });
  /** The frontmost visible window. */
  readonly front = computed(() => this.windows.value.findLast((window) => window.state !== "minimized"));
  /** Button presses that agents are working on, by turn. */
  readonly acts = signal<ReadonlyMap<string, Act>>(new Map());
  /** The last error. */
  readonly problem = signal<unknown>(undefined);
  /** Form input, by window. */
  readonly formInput = new FormInput();
  readonly client: Dwell;
  readonly sessionId: string;
  readonly #outbox = new Outbox();
  readonly #listeners = new Set<(event: FeedEvent) => void>();
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

  /** Applies a session event. */
  take(event: FeedEvent): void {
    batch(() => {
      if (event.type === "desktop.snapshot") this.#takeWhole(event.data);
      else this.#takeNext(event);
    });
    for (const listener of this.#listeners) listener(event);
  }

  /** Subscribes to every event; returns the unsubscribe function. */
  listen(listener: (event: FeedEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Sends pending interactions and releases the store. */
  close(): void {
    void this.flush();
    this.#isClosed = true;
    clearTimeout(this.#rereading);
    globalThis.removeEventListener("pagehide", this.#onHide);
    this.view.value = undefined;
  }

  // --- interactions ---

  /** Applies interactions at once and sends them with the next batch. */
  report(...interactions: wire.Interaction[]): void {
    batch(() => {
      for (const interaction of interactions) {
        const view = this.view.value;
        const action = asAction(interaction);
        const window = view?.windows.find(({ window_id: id }) => id === interaction.window_id);
        if (view && window && action) {
          const doer = { monitorId: window.monitor_id, at: window.updated_at };
          this.view.value = applyLocally(view, action, doer);
        }
        this.#outbox.add(interaction);
      }
    });
    this.#flushSoon();
  }

  /** Moves or resizes a window. */
  place(id: string, to: wire.Bounds): void {
    const from = this.view.value?.windows.find((window) => window.window_id === id)?.bounds;
    if (from === undefined || isSameBounds(this.#placed.value[id] ?? from, to)) return;
    this.#placed.value = { ...this.#placed.value, [id]: to };
    this.#outbox.place(id, from, to);
    this.#flushSoon();
  }

  /** Brings a window to the front, unless it is there already. */
  focus(id: string): void {
    if (this.front.peek()?.window_id !== id) this.report({ type: "window.focus", window_id: id });
  }

  /** Sends pending interactions to the server. */
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

  /** Sends a button press in a window. */
  async press(windowId: string, what: Omit<wire.WindowPress, "action_id">): Promise<void> {
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

  /** Sends a message to a window's agent. A retry uses the same idempotency key. */
  async sendMessage(windowId: string, content: string, key: string): Promise<void> {
    const request = { session_id: this.sessionId, window_id: windowId, content, idempotency_key: key };
    await this.client.request("window.message", request);
  }

  /** Answers a dialog with a choice or field values; neither dismisses it. */
  async answer(dialog: wire.Dialog, answer: { choice?: string; values?: Record<string, string> }): Promise<void> {
    const request = { session_id: this.sessionId, dialog_id: dialog.dialog_id, ...answer };
    await this.client.request("choices" in dialog.form ? "dialog.answer" : "prompt.answer", request);
  }

  /** Acts on a toast or notification. One that was dismissed in another tab is no error. */
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

  /** Reports that a window could not be rendered. */
  reportRenderError(windowId: string, error: string): void {
    const request = { session_id: this.sessionId, window_id: windowId, ok: false, error: error.slice(0, 500) };
    this.client.request("render.feedback", request).catch(() => undefined);
  }

  // --- monitors ---

  /**
   * Selects a monitor, which brings it out of the background. Events of the others still arrive.
   */
  selectMonitor(id: string): void {
    this.monitor.value = id;
    const all = (this.view.value?.monitors ?? []).map((monitor) => monitor.monitor_id);
    const watched = id === PRIMARY ? undefined : [...new Set([...all, id])];
    void this.client.watchMonitors(this.sessionId, watched);
  }

  async addMonitor(id: string): Promise<void> {
    const view = await this.client.request("monitor.subscribe", { session_id: this.sessionId, monitor_id: id });
    this.#takeWhole(view);
    this.selectMonitor(id);
  }

  async removeMonitor(id: string): Promise<void> {
    const view = await this.client.request("monitor.remove", { session_id: this.sessionId, monitor_id: id });
    this.#takeWhole(view);
    if (this.monitor.value === id) this.selectMonitor(PRIMARY);
  }

  // --- server state ---

  #takeWhole(view: wire.DesktopView): void {
    if (this.#isClosed) return;
    // A snapshot older than the known state is requested again.
    if (view.as_of < this.#seq) {
      this.#reread();
      return;
    }
    this.#seq = view.as_of;
    const turns = new Set(view.agents.flatMap((agent) => [agent.turn_id, ...(agent.queue ?? [])]));
    this.acts.value = new Map([...this.acts.value].filter(([turnId]) => turns.has(turnId)));
    this.#show(view);
  }

  #takeNext(event: FeedEvent): void {
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
    if (!isThere) this.selectMonitor(PRIMARY);
    this.formInput.keepOnly(new Set(view.windows.map((window) => window.window_id)));
  }

  #takeAct(event: FeedEvent): void {
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

  /** Drops local positions that the server has confirmed, unless the window moved on meanwhile. */
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

  /** Drops local positions that have not changed since `then`. */
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
        // Reconnecting brings the next snapshot.
        () => undefined,
      );
    }, REREAD_MS);
  }
}

function isSide(name: string): name is keyof wire.Bounds {
  return name === "x" || name === "y" || name === "width" || name === "height";
}
