/** Ties the transcript's scrolling to the page: measures, listens, and puts the view where it is to be. */
import { effect, signal } from "@preact/signals";
import type { Conversation } from "../house/conversation.ts";
import type { Turn } from "../house/turn.ts";
import { guessHeight } from "./guess.ts";
import { type Range, Scrolling } from "./scrolling.ts";

/** So much above and below the view is in the page too, so that a quick hand finds it there. */
const MORE = 900;
/** Older turns are read when the reader is so near the first. */
const NEAR_TOP = 2_400;
/** Pages that are read at most to find a turn that somebody wants to see. */
const PAGES_MAX = 60;
const FOUND_MS = 2_500;
const UNFOLD_MS = 250;

/** The scrolling of one conversation. */
export class Scroller {
  readonly scrolling: Scrolling;
  /** Whether the reader is not at the end. */
  readonly isAway = signal(false);
  /** Whether something was said since they left it. */
  readonly hasNew = signal(false);
  /** The turn that was looked for. */
  readonly found = signal<string | undefined>(undefined);
  readonly #conversation: Conversation;
  readonly #draw: () => void;
  readonly #keys = new WeakMap<Element, string>();
  readonly #observer: ResizeObserver;
  #view: HTMLElement | undefined;
  #list: HTMLElement | undefined;
  #tail: HTMLElement | undefined;
  #range: Range = { from: 0, to: 0 };
  #focused: string | undefined;

  constructor(conversation: Conversation, draw: () => void) {
    this.#conversation = conversation;
    this.#draw = draw;
    const guess = (key: string) => {
      const turn = conversation.turn(key);
      return turn ? guessHeight(turn, this.#list?.clientWidth ?? 720) : 100;
    };
    this.scrolling = new Scrolling(guess);
    this.#observer = new ResizeObserver((entries) => this.#resized(entries));
  }

  /** The turns that have to be in the page, in order; with them the one that has the focus, wherever it is. */
  shown(turns: readonly Turn[]): number[] {
    this.scrolling.heights.setKeys(turns.map(({ id }) => id));
    this.#range = this.scrolling.range(MORE);
    const { from, to } = this.#range;
    const focused = this.#focused === undefined ? undefined : this.scrolling.heights.indexOf(this.#focused);
    const shown = Array.from({ length: to - from }, (_, index) => from + index);
    if (focused !== undefined && focused < from) shown.unshift(focused);
    if (focused !== undefined && focused >= to) shown.push(focused);
    return shown;
  }

  /** Begins to listen; gives what ends it. */
  watch(view: HTMLElement, list: HTMLElement, tail: HTMLElement): () => void {
    this.#view = view;
    this.#list = list;
    this.#tail = tail;
    for (const element of [view, list, tail]) this.#observer.observe(element);
    const stop = new AbortController();
    const { signal: until } = stop;
    view.addEventListener("scroll", () => this.#scrolled(), { passive: true, signal: until });
    view.addEventListener("wheel", (event) => this.#wheeled(event), { passive: true, signal: until });
    view.addEventListener("click", (event) => this.#unfolded(event), { capture: true, signal: until });
    view.addEventListener("keydown", (event) => this.#pressed(event), { signal: until });
    view.addEventListener("focusin", (event) => this.#focus(event), { signal: until });
    view.addEventListener("focusout", () => (this.#focused = undefined), { signal: until });
    const unlisten = this.#conversation.listen((event) => {
      if (event.type === "chat.token" || event.type === "message.accepted" || event.type === "chat.final") {
        if (!this.scrolling.isAtEnd) this.hasNew.value = true;
      }
    });
    // What one says oneself one wants to see.
    let sent = this.#conversation.outgoing.peek().length;
    const unsent = effect(() => {
      const now = this.#conversation.outgoing.value.length;
      if (now > sent) this.toEnd();
      sent = now;
    });
    this.#around();
    this.#draw();
    return () => {
      stop.abort();
      unlisten();
      unsent();
      this.#observer.disconnect();
    };
  }

  /** Follows the height of a turn; gives what ends it. */
  measure(row: HTMLElement, key: string): () => void {
    this.#keys.set(row, key);
    this.#observer.observe(row);
    return () => this.#observer.unobserve(row);
  }

  /** Puts the view where it is to be. */
  settle(): void {
    if (!this.#view) return;
    const { top } = this.scrolling;
    if (Math.abs(this.#view.scrollTop - top) >= 1) this.#view.scrollTop = top;
    this.scrolling.placed(this.#view.scrollTop);
    this.#tell();
    this.#older();
  }

  /** To the end. */
  toEnd(): void {
    this.scrolling.toEnd();
    this.#draw();
  }

  /** To a turn, however far back it is. */
  async find(id: string): Promise<void> {
    const { hasOlder, turns } = this.#conversation;
    for (let page = 0; page < PAGES_MAX && !this.#conversation.turn(id) && hasOlder.value; page += 1) {
      await this.#conversation.loadOlder().catch(() => undefined);
    }
    if (!turns.value.some((turn) => turn.id === id)) return;
    this.scrolling.heights.setKeys(turns.value.map((turn) => turn.id));
    this.scrolling.toItem(id, 24);
    this.found.value = id;
    this.#draw();
    setTimeout(() => (this.found.value = undefined), FOUND_MS);
  }

  #resized(entries: readonly ResizeObserverEntry[]): void {
    let isChanged = false;
    for (const { target, borderBoxSize } of entries) {
      const key = this.#keys.get(target);
      if (key === undefined) isChanged = true;
      // What has left the page has no height.
      else if (target.isConnected) {
        isChanged = this.scrolling.heights.measure(key, borderBoxSize[0]?.blockSize ?? 0) || isChanged;
      }
    }
    if (!isChanged) return;
    this.#around();
    this.settle();
    this.#redraw();
  }

  #around(): void {
    if (!this.#view || !this.#list || !this.#tail) return;
    this.scrolling.measureAround(this.#view.clientHeight, this.#list.offsetTop, this.#tail.offsetHeight);
  }

  #scrolled(): void {
    if (!this.#view) return;
    const { scrollTop, scrollHeight, clientHeight } = this.#view;
    this.scrolling.moved(scrollTop, scrollHeight - clientHeight);
    this.#tell();
    this.#redraw();
    this.#older();
  }

  /** Draws anew where other turns have to be in the page. A few more or less make no difference. */
  #redraw(): void {
    const { from, to } = this.scrolling.range(MORE / 2);
    if (from < this.#range.from || to > this.#range.to) this.#draw();
  }

  #wheeled(event: WheelEvent): void {
    if (event.deltaY < 0) this.#left();
    else if (event.deltaY > 0) this.scrolling.pushEnd();
  }

  /** Whoever unfolds something wants to read it: it grows downwards, and the line that was pressed stays. */
  #unfolded(event: MouseEvent): void {
    if (!(event.target instanceof Element) || !event.target.closest("[aria-expanded], summary, .talk-show-all")) return;
    if (this.scrolling.isAtEnd) this.scrolling.stay();
    setTimeout(() => {
      const view = this.#view;
      if (view && view.scrollHeight - view.scrollTop - view.clientHeight <= 2) this.scrolling.toEnd();
      this.#tell();
    }, UNFOLD_MS);
  }

  #left(): void {
    this.scrolling.leaveEnd();
    this.#tell();
  }

  #pressed(event: KeyboardEvent): void {
    if (["ArrowUp", "PageUp", "Home"].includes(event.key)) this.#left();
    // The browser's own way there would miss what is not in the page yet.
    if (event.key === "End" && event.target === this.#view) this.toEnd();
  }

  #focus(event: FocusEvent): void {
    const row = event.target instanceof Element ? event.target.closest("[data-turn-id]") : null;
    this.#focused = row?.getAttribute("data-turn-id") ?? undefined;
  }

  #tell(): void {
    const { isAtEnd } = this.scrolling;
    if (isAtEnd) this.hasNew.value = false;
    this.isAway.value = !isAtEnd;
  }

  #older(): void {
    const { hasOlder } = this.#conversation;
    if (!hasOlder.peek() || !this.#view || this.#view.scrollTop > NEAR_TOP) return;
    void this.#conversation.loadOlder().catch(() => undefined);
  }
}
