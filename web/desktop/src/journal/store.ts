/** A stretch of a session's journal: read from the end backwards, longer by what comes, moved where one jumps to. */
import type { Told, wire } from "@dwell/client";
import { computed, signal } from "@preact/signals";
import { api, pathWith } from "../house/api.ts";
import type { Conversation } from "../house/conversation.ts";
import { beforeNextFrame } from "../house/frame.ts";

/** Events that are read at once: few at first, then more, for those who go far back. */
const FIRST = 200;
const PAGE = 1_000;

/** The journal of a session, as far as it is read. Numbers have no gaps, so a stretch is known by its ends. */
export class Journal {
  readonly events = signal<readonly wire.SessionEvent[]>([]);
  /** The number of the session's newest event. */
  readonly last = signal(0);
  readonly isLoading = signal(false);
  readonly problem = signal<unknown>(undefined);
  /** Whether there are earlier ones. */
  readonly hasOlder = computed(() => (this.events.value[0]?.seq ?? 1) > 1);
  /** Whether the stretch ends before the newest. */
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

  /** Goes to the newest events. */
  toEnd(): Promise<void> {
    return this.#work(async () => {
      const page = await this.#read(Math.max(0, this.last.value - FIRST), PAGE);
      this.events.value = page;
    });
  }

  /** Reads what stands before. */
  older(): Promise<void> {
    return this.#work(async () => {
      const first = this.events.value[0]?.seq ?? 1;
      if (first <= 1) return;
      const after = Math.max(0, first - 1 - PAGE);
      const page = await this.#read(after, first - 1 - after);
      this.events.value = [...page, ...this.events.value];
    });
  }

  /** Reads what stands after, where one has jumped back. */
  newer(): Promise<void> {
    return this.#work(async () => {
      const page = await this.#read(this.events.value.at(-1)?.seq ?? 0, PAGE);
      const known = this.events.value.at(-1)?.seq ?? 0;
      this.events.value = [...this.events.value, ...page.filter(({ seq }) => seq > known)];
    });
  }

  /** Makes sure that a number is in the stretch; gives the number that is nearest to it. */
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

  #take(event: Told): void {
    // What is told live comes again with a number.
    if (event.seq === undefined || this.#isClosed) return;
    this.#fresh.push(event);
    beforeNextFrame(this.#join);
  }

  /** Puts what came to what is there, if it follows it without a gap. */
  readonly #join = (): void => {
    const fresh = this.#fresh;
    if (fresh.length === 0 || this.#isClosed) return;
    const newest = fresh.at(-1)?.seq ?? 0;
    const end = this.events.value.at(-1)?.seq ?? 0;
    const next = fresh.filter(({ seq }) => seq > end);
    const follows = next[0]?.seq === end + 1;
    // While a page is under way nothing is certain; what came is put there afterwards.
    if (this.isLoading.value && !follows) return;
    this.#fresh = [];
    if (newest > this.last.value) this.last.value = newest;
    if (follows) this.events.value = [...this.events.value, ...next];
  };
}
