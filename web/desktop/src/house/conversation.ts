/** One session as the page has it open: its turns, its desktop, and what can be done with it. */
import { type Dwell, type Told, type wire } from "@dwell/client";
import { batch, computed, signal } from "@preact/signals";
import { Desk } from "../desktop/desk.ts";
import { api, pathWith } from "./api.ts";
import { dwell } from "./connection.ts";
import { newKey } from "./key.ts";
import { isFinal, isMoving, Turn } from "./turn.ts";

/** Turns that are read at first, and then at once: whoever scrolls back through a long session should not wait often. */
const PAGE = 30;
const PAGE_OLDER = 100;

/** A message that is on its way. */
export type Outgoing = {
  key: string;
  message: string;
  images: readonly wire.Image[];
  onBusy?: wire.OnBusy | undefined;
  model?: string | undefined;
  problem?: unknown;
};

/** What may be said beside the words. */
export type SendOptions = { images?: wire.Image[]; onBusy?: wire.OnBusy; model?: string };

/** A session that is open in the page. Make it with `Conversation.open`, end it with `close`. */
export class Conversation {
  readonly session;
  /** The turns that are loaded, oldest first. */
  readonly turns = signal<readonly Turn[]>([]);
  /** Whether there are older ones on the server. */
  readonly hasOlder = signal(false);
  /** What was sent and is not in the journal yet. */
  readonly outgoing = signal<readonly Outgoing[]>([]);
  /** What keeps it from being followed. */
  readonly problem = signal<unknown>(undefined);
  readonly desk: Desk;
  /** The turns that somebody works on or that wait, oldest first. */
  readonly open = computed(() => this.#unsettled.value.filter((turn) => !isFinal(turn.state.value.status)));
  /** Whether the agent that answers here is at work. */
  readonly isBusy = computed(() => this.open.value.some((turn) => isMoving(turn.state.value.status)));
  /** Those that had not ended when they were last looked at: of thousands that have, none need be listened to. */
  readonly #unsettled = signal<readonly Turn[]>([]);
  readonly #client: Dwell;
  readonly #byId = new Map<string, Turn>();
  readonly #listeners = new Set<(event: Told) => void>();
  #older: string | undefined;
  #loading: Promise<void> | undefined;
  #isClosed = false;

  private constructor(client: Dwell, session: wire.SessionView) {
    this.#client = client;
    this.session = signal(session);
    this.desk = new Desk(client, session.session_id);
  }

  /** Reads the last turns of a session and follows it from there. */
  static async open(sessionId: string): Promise<Conversation> {
    const client = await dwell();
    const session = await client.session(sessionId);
    const conversation = new Conversation(client, session);
    await conversation.loadOlder();
    void conversation.#follow(session.last_seq);
    // Of turns that are at work, what came before is shown too; nobody waits for it.
    for (const turn of conversation.#unsettled.value) void conversation.recall(turn).catch(() => undefined);
    return conversation;
  }

  get id(): string {
    return this.session.value.session_id;
  }

  turn(id: string): Turn | undefined {
    return this.#byId.get(id);
  }

  /** Listens to every event as it comes; gives what ends the listening. */
  listen(listener: (event: Told) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Reads the page of turns before those that are loaded. Whoever asks while it is being read waits for the same. */
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

  /** Reads what only the journal has of a turn. */
  async recall(turn: Turn): Promise<void> {
    const page = await api<wire.EventPage>("GET", `/api/v1/turns/${turn.id}/events?limit=1000`);
    turn.recall(page.data);
  }

  /** Says something. It is shown at once, and kept until the server has it. */
  async send(message: string, options: SendOptions = {}): Promise<void> {
    const { images = [], onBusy, model } = options;
    const outgoing = { key: newKey(), message, images, onBusy, model };
    this.outgoing.value = [...this.outgoing.value, outgoing];
    await this.#deliver(outgoing);
  }

  /** Sends again what could not be sent. The key is the same: if it did arrive, it stays one message. */
  async resend(key: string): Promise<void> {
    const outgoing = this.outgoing.value.find((sent) => sent.key === key);
    if (!outgoing) return;
    this.#mark(key, undefined);
    await this.#deliver(outgoing);
  }

  async #deliver({ key, message, images, onBusy, model }: Outgoing): Promise<void> {
    try {
      await this.#client.request("chat.send", {
        session_id: this.id,
        message,
        idempotency_key: key,
        ...(images.length > 0 && { images: [...images] }),
        ...(onBusy !== undefined && { on_busy: onBusy }),
        ...(model !== undefined && { model }),
        monitor_id: this.desk.monitor.value,
      });
      // A steered message makes no turn of its own; its event says that it is there.
      setTimeout(() => this.#drop(key), 2_000);
    } catch (problem) {
      this.#mark(key, problem);
      throw problem;
    }
  }

  #mark(key: string, problem: unknown): void {
    this.outgoing.value = this.outgoing.value.map((sent) => (sent.key === key ? { ...sent, problem } : sent));
  }

  /** Gives up a message that could not be sent. */
  discard(key: string): void {
    this.#drop(key);
  }

  /** Stops a turn, or everything that is open. */
  async cancel(turnId?: string): Promise<void> {
    await this.#client.cancel({ session: this.session.value, ...(turnId !== undefined && { turnId }) });
  }

  /** Lets an interrupted or waiting turn go on. */
  async resume(turnId: string, outcome?: "happened" | "did_not_happen", callId?: string): Promise<void> {
    await this.#client.resume(turnId, {
      ...(outcome !== undefined && { outcome }),
      ...(callId !== undefined && { callId }),
    });
  }

  /** Asks the same again. */
  async retry(turnId: string): Promise<void> {
    await this.#client.retry(turnId);
  }

  /** Answers a call that waits for a yes or a no: exactly the one that was shown. */
  async approve(approval: wire.ApprovalRequest, decision: wire.Decision): Promise<void> {
    await this.#client.approve(approval.approval_id, decision, approval.digest);
  }

  /** Changes settings of the session. */
  async update(change: wire.Update): Promise<void> {
    this.session.value = await this.#client.request("session.update", { session_id: this.id, ...change });
  }

  /** Lets another model answer from the next turn on. */
  async setModel(model: string): Promise<void> {
    this.session.value = await this.#client.request("provider.set", { session_id: this.id, model });
  }

  /** Stops following. Turns go on. */
  close(): void {
    this.#isClosed = true;
    this.desk.close();
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

  #take(event: Told): void {
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
      this.desk.take(event);
    });
    for (const listener of this.#listeners) listener(event);
  }

  #pass(turnId: string, event: Told): void {
    const turn = this.#byId.get(turnId);
    turn?.take(event);
    if (turn && event.type === "turn.status" && isFinal(turn.state.value.status)) {
      this.#unsettled.value = this.#unsettled.value.filter((other) => other !== turn);
    }
  }

  #begin(event: Extract<Told, { type: "message.accepted" }>): void {
    const { turn_id: id, idempotency_key: key } = event.data;
    if (key) this.#drop(key);
    if (this.#byId.has(id)) return;
    const turn = Turn.begun(event);
    this.#byId.set(id, turn);
    this.turns.value = [...this.turns.value, turn];
    this.#unsettled.value = [...this.#unsettled.value, turn];
  }

  /** Statistics and title change with turns; nobody waits for them. */
  async #refresh(): Promise<void> {
    try {
      const session = await this.#client.session(this.id);
      if (session.version >= this.session.value.version) this.session.value = session;
    } catch {
      // The next event asks again.
    }
  }
}
