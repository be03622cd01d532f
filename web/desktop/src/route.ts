/** Where one is: kept in the address after `#`, so that back, forward, reload and bookmarks work. */
import { signal } from "@preact/signals";

/** The views there are. */
export const VIEWS = ["talk", "desktop", "memory", "agents", "journal", "home"] as const;
/** One of them. */
export type View = (typeof VIEWS)[number];

/** A place: a view, the session it is about, and what of it. */
export type Place = { view: View; session?: string | undefined; detail?: string | undefined };

/** Where one is now. */
export const place = signal<Place>(read(location.hash));

addEventListener("hashchange", () => {
  place.value = read(location.hash);
});

/** Reads an address: `#/VIEW/SESSION/DETAIL`. What is not one is the talk view. */
export function read(hash: string): Place {
  const [view, session, detail] = hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const known = VIEWS.find((name) => name === view);
  if (known === undefined) return { view: "talk" };
  return { view: known, session: session || undefined, detail: detail || undefined };
}

/** The address of a place. */
export function hrefOf({ view, session, detail }: Place): string {
  const parts = [view, session ?? (detail === undefined ? undefined : ""), detail].filter((part) => part !== undefined);
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/** Goes somewhere. `replace` leaves no trace in the history. */
export function go(to: Place, replace = false): void {
  const href = hrefOf(to);
  if (href === location.hash) return;
  if (replace) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  place.value = to;
}
