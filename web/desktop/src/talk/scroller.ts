/**
 * Connects the scroll model to the page: measures rows, handles events, sets the scroll position.
 */
import { effect, signal } from "@preact/signals";
import type { Conversation } from "../store/conversation.ts";
import type { Turn } from "../store/turn.ts";
import { guessHeight } from "./guess.ts";
import { type Range, ScrollModel } from "./scroll-model.ts";

/** The margin that is rendered above and below the view, for fast scrolling. */
const MORE = 900;
/** Older turns are loaded within this distance of the top. */
const NEAR_TOP = 2_400;
/** The maximum number of pages loaded to find a turn. */
const PAGES_MAX = 60;
const FOUND_MS = 2_500;
const UNFOLD_MS = 250;

/** The scrolling of one conversation. */
export class Scroller {
  readonly model: ScrollModel;
  /** Whether the view is scrolled away from the end. */
  readonly isAway = signal(false);
  /** Whether new content has arrived since then. */
  readonly hasNew = signal(false);
  /** The turn that was scrolled to, highlighted for a moment. */
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
    this.model = new ScrollModel(guess);
    this.#observer = new ResizeObserver((entries) => this.#resized(entries));
  }

  /** The indexes of the turns to render, including the focused one wherever it is. */
  shown(turns: readonly Turn[]): number[] {
    this.model.heights.setKeys(turns.map(({ id }) => id));
    this.#range = this.model.range(MORE);
    const { from, to } = this.#range;
    const focused = this.#focused === undefined ? undefined : this.model.heights.indexOf(this.#focused);
    const shown = Array.from({ length: to - from }, (_, index) => from + index);
    if (focused !== undefined && focused < from) shown.unshift(focused);
    if (focused !== undefined && focused >= to) shown.push(focused);
    return shown;
  }

  /** Starts listening; returns the function that stops it. */
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
        if (!this.model.isAtEnd) this.hasNew.value = true;
      }
    });
    // The user's own messages scroll into view.
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

  /** Observes the height of a turn; returns the function that stops it. */
  measure(row: HTMLElement, key: string): () => void {
    this.#keys.set(row, key);
    this.#observer.observe(row);
    return () => this.#observer.unobserve(row);
  }

  /** Applies the scroll position of the model. */
  settle(): void {
    if (!this.#view) return;
    const { top } = this.model;
    if (Math.abs(this.#view.scrollTop - top) >= 1) this.#view.scrollTop = top;
    this.model.placed(this.#view.scrollTop);
    this.#tell();
    this.#older();
  }

  /** Scrolls to the end. */
  toEnd(): void {
    this.model.toEnd();
    this.#draw();
  }

  /** Scrolls to a turn, loading older ones as needed. */
  async find(id: string): Promise<void> {
    const { hasOlder, turns } = this.#conversation;
    for (let page = 0; page < PAGES_MAX && !this.#conversation.turn(id) && hasOlder.value; page += 1) {
      await this.#conversation.loadOlder().catch(() => undefined);
    }
    if (!turns.value.some((turn) => turn.id === id)) return;
    this.model.heights.setKeys(turns.value.map((turn) => turn.id));
    this.model.toItem(id, 24);
    this.found.value = id;
    this.#draw();
    setTimeout(() => (this.found.value = undefined), FOUND_MS);
  }

  #resized(entries: readonly ResizeObserverEntry[]): void {
    let isChanged = false;
    for (const { target, borderBoxSize } of entries) {
      const key = this.#keys.get(target);
      if (key === undefined) isChanged = true;
      // An unmounted row has no height.
      else if (target.isConnected) {
        isChanged = this.model.heights.measure(key, borderBoxSize[0]?.blockSize ?? 0) || isChanged;
      }
    }
    if (!isChanged) return;
    this.#around();
    this.settle();
    this.#redraw();
  }

  #around(): void {
    if (!this.#view || !this.#list || !this.#tail) return;
    this.model.measureAround(this.#view.clientHeight, this.#list.offsetTop, this.#tail.offsetHeight);
  }

  #scrolled(): void {
    if (!this.#view) return;
    const { scrollTop, scrollHeight, clientHeight } = this.#view;
    this.model.moved(scrollTop, scrollHeight - clientHeight);
    this.#tell();
    this.#redraw();
    this.#older();
  }

  /** Renders again if turns are missing near the view. A few more or less make no difference. */
  #redraw(): void {
    const { from, to } = this.model.range(MORE / 2);
    if (from < this.#range.from || to > this.#range.to) this.#draw();
  }

  #wheeled(event: WheelEvent): void {
    if (event.deltaY < 0) this.#left();
    else if (event.deltaY > 0) this.model.pushEnd();
  }

  /** Expanding something keeps the clicked line in place and grows downwards. */
  #unfolded(event: MouseEvent): void {
    if (!(event.target instanceof Element) || !event.target.closest("[aria-expanded], summary, .talk-show-all")) return;
    if (this.model.isAtEnd) this.model.stay();
    setTimeout(() => {
      const view = this.#view;
      if (view && view.scrollHeight - view.scrollTop - view.clientHeight <= 2) this.model.toEnd();
      this.#tell();
    }, UNFOLD_MS);
  }

  #left(): void {
    this.model.leaveEnd();
    this.#tell();
  }

  #pressed(event: KeyboardEvent): void {
    if (["ArrowUp", "PageUp", "Home"].includes(event.key)) this.#left();
    // The browser's own End key does not know the rows that are not rendered.
    if (event.key === "End" && event.target === this.#view) this.toEnd();
  }

  #focus(event: FocusEvent): void {
    const row = event.target instanceof Element ? event.target.closest("[data-turn-id]") : null;
    this.#focused = row?.getAttribute("data-turn-id") ?? undefined;
  }

  #tell(): void {
    const { isAtEnd } = this.model;
    if (isAtEnd) this.hasNew.value = false;
    this.isAway.value = !isAtEnd;
  }

  #older(): void {
    const { hasOlder } = this.#conversation;
    if (!hasOlder.peek() || !this.#view || this.#view.scrollTop > NEAR_TOP) return;
    void this.#conversation.loadOlder().catch(() => undefined);
  }
}
