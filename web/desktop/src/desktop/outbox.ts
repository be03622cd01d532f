/** Interactions that were not sent yet. Only the last position of each window is kept. Pure. */
import type { wire } from "@dwell/client";
import { steps } from "./geometry.ts";

/** The maximum number of interactions in one request. */
export const BATCH_MAX = 64;

/** Collects interactions until they are sent. */
export class Outbox {
  #interactions: wire.Interaction[] = [];
  readonly #places = new Map<string, { from: wire.Bounds; to: wire.Bounds }>();

  get isEmpty(): boolean {
    return this.#interactions.length === 0 && this.#places.size === 0;
  }

  /** Adds an interaction. Repeated focus of one window counts once. */
  add(interaction: wire.Interaction): void {
    const { type, window_id: id } = interaction;
    if (type === "window.focus")
      this.#interactions = this.#interactions.filter((done) => done.type !== type || done.window_id !== id);
    if (type === "window.close") {
      this.#interactions = this.#interactions.filter((done) => done.window_id !== id);
      this.#places.delete(id);
    }
    this.#interactions.push(interaction);
  }

  /** Records that a window moved. */
  place(id: string, from: wire.Bounds, to: wire.Bounds): void {
    this.#places.set(id, { from: this.#places.get(id)?.from ?? from, to });
  }

  /** Removes and returns everything, in batches of at most `BATCH_MAX`. */
  drain(): wire.Interaction[][] {
    const all = [...this.#interactions, ...[...this.#places].flatMap(([id, { from, to }]) => steps(id, from, to))];
    this.#interactions = [];
    this.#places.clear();
    const batches: wire.Interaction[][] = [];
    for (let at = 0; at < all.length; at += BATCH_MAX) batches.push(all.slice(at, at + BATCH_MAX));
    return batches;
  }
}
