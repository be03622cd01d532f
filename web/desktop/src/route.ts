/** The route, kept in the URL's hash so that back, forward, reload and bookmarks work. */
import { signal } from "@preact/signals";

/** The views of the page. */
export const VIEWS = ["talk", "desktop", "memory", "agents", "journal", "home"] as const;
/** The name of a view. */
export type View = (typeof VIEWS)[number];

/** A route: a view, the session it shows, and a detail within it. */
export type Place = { view: View; session?: string | undefined; detail?: string | undefined };

/** The current route. */
export const place = signal<Place>(read(location.hash));

addEventListener("hashchange", () => {
  place.value = read(location.hash);
});

/** Parses a hash, `#/VIEW/SESSION/DETAIL`. Anything else leads to the chat view. */
export function read(hash: string): Place {
  const [view, session, detail] = hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent);
  const known = VIEWS.find((name) => name === view);
  if (known === undefined) return { view: "talk" };
  return { view: known, session: session || undefined, detail: detail || undefined };
}

/** The link to a route. */
export function hrefOf({ view, session, detail }: Place): string {
  const parts = [view, session ?? (detail === undefined ? undefined : ""), detail].filter((part) => part !== undefined);
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/** Navigates to a route. `replace` adds no entry to the browser's history. */
export function go(to: Place, replace = false): void {
  const href = hrefOf(to);
  if (href === location.hash) return;
  if (replace) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  place.value = to;
}
