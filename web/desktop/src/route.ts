/** The route, kept in the URL's hash so that back, forward, reload and bookmarks work. */
import { signal } from "@preact/signals";
import { hrefOf, type Place, read } from "./places.ts";

export { hrefOf, type Place, type View } from "./places.ts";

/** The current route. */
export const place = signal<Place>(read(location.hash));

addEventListener("hashchange", () => {
  place.value = read(location.hash);
});

/** Navigates to a route. `replace` adds no entry to the browser's history. */
export function go(to: Place, replace = false): void {
  const href = hrefOf(to);
  if (href === location.hash) return;
  if (replace) history.replaceState(null, "", href);
  else history.pushState(null, "", href);
  place.value = to;
}
