/** The open session: its turns, its desktop, and the requests that act on it. */
import { type Dwell, type FeedEvent, type wire } from "@dwell/client";
import { batch, computed, signal } from "@preact/signals";
import { DesktopStore } from "../desktop/store.ts";
import { api, pathWith } from "./api.ts";
import { dwell } from "./connection.ts";
import { newKey } from "./key.ts";
import { isFinal, isMoving, Turn } from "./turn.ts";

/** Turns loaded at first, and per later page: larger pages mean fewer waits when scrolling back. */
const PAGE = 30;
const PAGE_OLDER = 100;

/** A message that was sent and is not in the journal yet. */
export type Outgoing = {
  key: string;
  message: string;
  images: readonly wire.Image[];
  onBusy?: wire.OnBusy | undefined;
  model?: string | undefined;
  background?: boolean | undefined;
  problem?: unknown;
};

/** What a message may carry beside its text. */
export type SendOptions = { images?: wire.Image[]; onBusy?: wire.OnBusy; model?: string; background?: boolean };

/** A session that is open in the page. Create it with `Conversation.open`, end it with `close`. */
export class Conversation {
  readonly session;
  /** The loaded turns, oldest first. */
  readonly turns = signal<readonly Turn[]>([]);
  /** Whether the server has older turns. */
  readonly hasOlder = signal(false);
  /** Messages that are not in the journal yet. */
  readonly outgoing = signal<readonly Outgoing[]>([]);
  /** The error that ended the subscription. */
  readonly problem = signal<unknown>(undefined);
  readonly desktop: DesktopStore;
  /** The turns that are running or waiting, oldest first. */
  readonly open = computed(() => this.#unsettled.value.filter((turn) => !isFinal(turn.state.value.status)));
  /** Whether a turn is running or queued. */
  readonly isBusy = computed(() => this.open.value.some((turn) => isMoving(turn.state.value.status)));
  /** Turns that had not ended when last seen, so that `open` need not watch thousands that have. */
  readonly #unsettled = signal<readonly Turn[]>([]);
  readonly #client: Dwell;
  readonly #byId = new Map<string, Turn>();
  readonly #listeners = new Set<(event: FeedEvent) => void>();
  #older: string | undefined;
  #loading: Promise<void> | undefined;
  #isClosed = false;

  private constructor(client: Dwell, session: wire.SessionView) {
    this.#client = client;
    this.session = signal(session);
    this.desktop = new DesktopStore(client, session.session_id);
  }

  /** Loads the last turns of a session and subscribes to it from there. */
  static async open(sessionId: string): Promise<Conversation> {
    const client = await dwell();
    const session = await client.session(sessionId);
    const conversation = new Conversation(client, session);
    await conversation.loadOlder();
    void conversation.#follow(session.last_seq);
    // Running turns also show their earlier events, loaded in the background.
    for (const turn of conversation.#unsettled.value) void conversation.loadDetails(turn).catch(() => undefined);
    return conversation;
  }

  get id(): string {
    return this.session.value.session_id;
  }

  turn(id: string): Turn | undefined {
    return this.#byId.get(id);
  }

  /** Subscribes to every event; returns the unsubscribe function. */
  listen(listener: (event: FeedEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Loads the page of turns before the loaded ones. Concurrent calls share one request. */
  loadOlder(): Promise<void> {
    this.#loading ??= this.#readOlder().finally(() => (this.#loading = undefined));
    return this.#loading;
  }

  async #readOlder(): Promise<void> {
    const path = `/api/v1/sessions/${this.id}/turns`;
    const limit = this.turns.value.length === 0 ? PAGE : PAGE_OLDER;
    const parameters = { order: "newest", limit, cursor: this.#older };
    const page = await api<wire.TurnPage>("GET", pathWith(path, parameters));
    const older = page.data.filter((view) => !this.#byId.has(view.turn_id)).map((view) => Turn.of(view));
    for (const turn of older) this.#byId.set(turn.id, turn);
    this.#older = page.next_cursor ?? undefined;
    batch(() => {
      this.hasOlder.value = this.#older !== undefined;
      older.reverse();
      this.turns.value = [...older, ...this.turns.value];
      const moving = older.filter((turn) => !isFinal(turn.state.value.status));
      if (moving.length > 0) this.#unsettled.value = [...moving, ...this.#unsettled.value];
    });
  }

  /** Loads the parts of a turn that only its journal events have. */
  async loadDetails(turn: Turn): Promise<void> {
    const page = await api<wire.EventPage>("GET", `/api/v1/turns/${turn.id}/events?limit=1000`);
    turn.mergeEvents(page.data);
  }

  /** Sends a message. It is shown at once, and kept until the server has it. */
  async send(message: string, options: SendOptions = {}): Promise<void> {
    const { images = [], onBusy, model, background } = options;
    const outgoing = { key: newKey(), message, images, onBusy, model, background };
    this.outgoing.value = [...this.outgoing.value, outgoing];
    await this.#deliver(outgoing);
  }

  /** Sends a failed message again with the same idempotency key, so that it arrives only once. */
  async resend(key: string): Promise<void> {
    const outgoing = this.outgoing.value.find((sent) => sent.key === key);
    if (!outgoing) return;
    this.#mark(key, undefined);
    await this.#deliver(outgoing);
  }

  async #deliver({ key, message, images, onBusy, model, background }: Outgoing): Promise<void> {
    try {
      await this.#client.request("chat.send", {
        session_id: this.id,
        message,
        idempotency_key: key,
        ...(images.length > 0 && { images: [...images] }),
        ...(onBusy !== undefined && { on_busy: onBusy }),
        ...(model !== undefined && { model }),
        ...(background === true && { background }),
        monitor_id: this.desktop.monitor.value,
      });
      // A steered message starts no turn of its own; its event confirms it.
      setTimeout(() => this.#drop(key), 2_000);
    } catch (problem) {
      this.#mark(key, problem);
      throw problem;
    }
  }

  #mark(key: string, problem: unknown): void {
    this.outgoing.value = this.outgoing.value.map((sent) => (sent.key === key ? { ...sent, problem } : sent));
  }

  /** Discards a message that could not be sent. */
  discard(key: string): void {
    this.#drop(key);
  }

  /** Cancels a turn, or all open turns. */
  async cancel(turnId?: string): Promise<void> {
    await this.#client.cancel({ session: this.session.value, ...(turnId !== undefined && { turnId }) });
  }

  /** Resumes an interrupted or waiting turn. */
  async resume(turnId: string, outcome?: "happened" | "did_not_happen", callId?: string): Promise<void> {
    await this.#client.resume(turnId, {
      ...(outcome !== undefined && { outcome }),
      ...(callId !== undefined && { callId }),
    });
  }

  /** Runs the same request again as a new turn. */
  async retry(turnId: string): Promise<void> {
    await this.#client.retry(turnId);
  }

  /** Deletes the text of an ended turn for good, and shows what is left of it. */
  async deleteTurn(turnId: string): Promise<void> {
    await api("DELETE", `/api/v1/sessions/${this.id}/turns/${turnId}`);
    const turn = Turn.of(await api<wire.TurnView>("GET", `/api/v1/turns/${turnId}`));
    this.#byId.set(turnId, turn);
    this.turns.value = this.turns.value.map((other) => (other.id === turnId ? turn : other));
    // Its beginning may have been the title.
    await this.#refresh();
  }

  /** Answers an approval request. The digest ties the answer to exactly the call that was shown. */
  async approve(approval: wire.ApprovalRequest, decision: wire.ApprovalDecision): Promise<void> {
    await this.#client.approve(approval.approval_id, decision, approval.digest);
  }

  /** Changes the session's settings. */
  async update(change: wire.Update): Promise<void> {
    this.session.value = await this.#client.request("session.update", { session_id: this.id, ...change });
  }

  /** Sets the model, from the next turn on. */
  async setModel(model: string): Promise<void> {
    this.session.value = await this.#client.request("provider.set", { session_id: this.id, model });
  }

  /** Ends the subscription. Turns continue on the server. */
  close(): void {
    this.#isClosed = true;
    this.desktop.close();
  }

  #drop(key: string): void {
    if (this.outgoing.value.some((sent) => sent.key === key)) {
      this.outgoing.value = this.outgoing.value.filter((sent) => sent.key !== key);
    }
  }

  async #follow(after: number): Promise<void> {
    try {
      for await (const event of this.#client.follow(this.id, { after, live: true, desktop: true })) {
        if (this.#isClosed) return;
        this.#take(event);
      }
    } catch (problem) {
      if (!this.#isClosed) this.problem.value = problem;
    }
  }

  #take(event: FeedEvent): void {
    batch(() => {
      if (event.type === "message.accepted") this.#begin(event);
      else if (event.turn_id) this.#pass(event.turn_id, event);
      if (event.type === "message.steered" && event.data.idempotency_key) this.#drop(event.data.idempotency_key);
      if (event.type === "session.updated") {
        this.session.value = { ...this.session.value, settings: event.data.settings };
      }
      if (event.type === "session.ended") this.session.value = { ...this.session.value, status: "ended" };
      // The first message gives the session its title.
      const isFirst = event.type === "message.accepted" && this.session.value.title == null;
      if (isFirst || event.type === "turn.status" || event.type === "session.updated") void this.#refresh();
      this.desktop.take(event);
    });
    for (const listener of this.#listeners) listener(event);
  }

  #pass(turnId: string, event: FeedEvent): void {
    const turn = this.#byId.get(turnId);
    turn?.take(event);
    if (turn && event.type === "turn.status" && isFinal(turn.state.value.status)) {
      this.#unsettled.value = this.#unsettled.value.filter((other) => other !== turn);
    }
  }

  #begin(event: Extract<FeedEvent, { type: "message.accepted" }>): void {
    const { turn_id: id, idempotency_key: key } = event.data;
    if (key) this.#drop(key);
    if (this.#byId.has(id)) return;
    const turn = Turn.fromAccepted(event);
    this.#byId.set(id, turn);
    this.turns.value = [...this.turns.value, turn];
    this.#unsettled.value = [...this.#unsettled.value, turn];
  }

  /** Reloads statistics and title, which change with turns, in the background. */
  async #refresh(): Promise<void> {
    try {
      const session = await this.#client.session(this.id);
      if (session.version >= this.session.value.version) this.session.value = session;
    } catch {
      // The next event tries again.
    }
  }
}
