/** The loaded range of a session's journal: grows backwards and with new events, moves on jumps. */
import type { FeedEvent, wire } from "@dwell/client";
import { computed, signal } from "@preact/signals";
import { api, pathWith } from "../store/api.ts";
import type { Conversation } from "../store/conversation.ts";
import { beforeNextFrame } from "../store/frame.ts";

/**
 * Events loaded at first, and per later page: larger pages mean fewer waits when scrolling back.
 */
const FIRST = 200;
const PAGE = 1_000;

/** The loaded range of a journal. Numbers have no gaps, so its ends define it. */
export class Journal {
  readonly events = signal<readonly wire.SessionEvent[]>([]);
  /** The number of the session's newest event. */
  readonly last = signal(0);
  readonly isLoading = signal(false);
  readonly problem = signal<unknown>(undefined);
  /** Whether there are earlier events. */
  readonly hasOlder = computed(() => (this.events.value[0]?.seq ?? 1) > 1);
  /** Whether the range ends before the newest event. */
  readonly hasNewer = computed(() => (this.events.value.at(-1)?.seq ?? this.last.value) < this.last.value);
  readonly #sessionId: string;
  readonly #stop: () => void;
  #fresh: wire.SessionEvent[] = [];
  #isClosed = false;

  constructor(conversation: Conversation) {
    this.#sessionId = conversation.id;
    this.last.value = conversation.session.value.last_seq;
    this.#stop = conversation.listen((event) => this.#take(event));
    void this.toEnd();
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  /** Loads the newest events. */
  toEnd(): Promise<void> {
    return this.#work(async () => {
      const page = await this.#read(Math.max(0, this.last.value - FIRST), PAGE);
      this.events.value = page;
    });
  }

  /** Loads the page before the range. */
  older(): Promise<void> {
    return this.#work(async () => {
      const first = this.events.value[0]?.seq ?? 1;
      if (first <= 1) return;
      const after = Math.max(0, first - 1 - PAGE);
      const page = await this.#read(after, first - 1 - after);
      this.events.value = [...page, ...this.events.value];
    });
  }

  /** Loads the page after the range. */
  newer(): Promise<void> {
    return this.#work(async () => {
      const page = await this.#read(this.events.value.at(-1)?.seq ?? 0, PAGE);
      const known = this.events.value.at(-1)?.seq ?? 0;
      this.events.value = [...this.events.value, ...page.filter(({ seq }) => seq > known)];
    });
  }

  /** Loads an event number; returns the nearest one that exists. */
  async reach(seq: number): Promise<number> {
    const wanted = Math.max(1, Math.min(this.last.value, Math.round(seq)));
    const [first, last] = [this.events.value[0]?.seq ?? 0, this.events.value.at(-1)?.seq ?? 0];
    if (wanted < first || wanted > last) {
      await this.#work(async () => {
        this.events.value = await this.#read(Math.max(0, wanted - FIRST), FIRST * 2);
      });
    }
    return wanted;
  }

  async #work(work: () => Promise<void>): Promise<void> {
    if (this.isLoading.value) return;
    this.isLoading.value = true;
    try {
      await work();
      this.problem.value = undefined;
      this.#join();
    } catch (problem) {
      this.problem.value = problem;
    } finally {
      this.isLoading.value = false;
    }
  }

  async #read(after: number, limit: number): Promise<wire.SessionEvent[]> {
    const path = pathWith(`/api/v1/sessions/${this.#sessionId}/events`, { after, limit });
    const page = await api<wire.EventPage>("GET", path);
    if (page.last_seq > this.last.value) this.last.value = page.last_seq;
    return page.data;
  }

  #take(event: FeedEvent): void {
    // Live events come again with a number.
    if (event.seq === undefined || this.#isClosed) return;
    this.#fresh.push(event);
    beforeNextFrame(this.#join);
  }

  /** Appends new events if they follow the range without a gap. */
  readonly #join = (): void => {
    const fresh = this.#fresh;
    if (fresh.length === 0 || this.#isClosed) return;
    const newest = fresh.at(-1)?.seq ?? 0;
    const end = this.events.value.at(-1)?.seq ?? 0;
    const next = fresh.filter(({ seq }) => seq > end);
    const follows = next[0]?.seq === end + 1;
    // While a page is loading, new events wait until it has arrived.
    if (this.isLoading.value && !follows) return;
    this.#fresh = [];
    if (newest > this.last.value) this.last.value = newest;
    if (follows) this.events.value = [...this.events.value, ...next];
  };
}
