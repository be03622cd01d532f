/** What the user did and nobody was told of yet. Of each window only the last place counts. Pure. */
import type { wire } from "@dwell/client";
import { steps } from "./geometry.ts";

/** Interactions that the server takes at once. */
export const BATCH_MAX = 64;

/** Collects what the user does until it is sent. */
export class Outbox {
  #done: wire.Interaction[] = [];
  readonly #places = new Map<string, { from: wire.Bounds; to: wire.Bounds }>();

  get isEmpty(): boolean {
    return this.#done.length === 0 && this.#places.size === 0;
  }

  /** Something was done. Focusing one window again and again counts once. */
  add(interaction: wire.Interaction): void {
    const { type, window_id: id } = interaction;
    if (type === "window.focus") this.#done = this.#done.filter((done) => done.type !== type || done.window_id !== id);
    if (type === "window.close") {
      this.#done = this.#done.filter((done) => done.window_id !== id);
      this.#places.delete(id);
    }
    this.#done.push(interaction);
  }

  /** A window was brought from one place to another. */
  place(id: string, from: wire.Bounds, to: wire.Bounds): void {
    this.#places.set(id, { from: this.#places.get(id)?.from ?? from, to });
  }

  /** Everything, in batches the server takes; the box is empty then. */
  drain(): wire.Interaction[][] {
    const all = [...this.#done, ...[...this.#places].flatMap(([id, { from, to }]) => steps(id, from, to))];
    this.#done = [];
    this.#places.clear();
    const batches: wire.Interaction[][] = [];
    for (let at = 0; at < all.length; at += BATCH_MAX) batches.push(all.slice(at, at + BATCH_MAX));
    return batches;
  }
}
