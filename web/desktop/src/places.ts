/** Routes as text: parses and writes the URL's hash. Pure. */

/** The views of the navigation rail, in their order. */
export const MAIN_VIEWS = ["talk", "desktop", "home", "planned", "memory"] as const;
/** The views in its workshop menu. */
export const WORKSHOP_VIEWS = ["agents", "journal"] as const;
const VIEWS = [...MAIN_VIEWS, ...WORKSHOP_VIEWS] as const;
/** The name of a view. */
export type View = (typeof VIEWS)[number];

/**
 * A route: a view, the session it shows, and a detail within it. `broken` is the address as it was
 * written, if it leads nowhere.
 */
export type Place = {
  view: View;
  session?: string | undefined;
  detail?: string | undefined;
  broken?: string | undefined;
};

/**
 * Parses a hash, `#/VIEW/SESSION/DETAIL`. One that cannot be decoded or names no view is `broken`;
 * an empty one, or one that is no route at all, leads to the chat view.
 */
export function read(hash: string): Place {
  if (!hash.startsWith("#/") || hash === "#/") return { view: "talk" };
  const broken: Place = { view: "talk", broken: hash };
  const parts = decoded(hash.slice(2).split("/"));
  if (parts === undefined) return broken;
  const [view, session, detail] = parts;
  const known = VIEWS.find((name) => name === view);
  if (known === undefined) return broken;
  return { view: known, session: session || undefined, detail: detail || undefined };
}

/** The link to a route. */
export function hrefOf({ view, session, detail }: Place): string {
  const parts = [view, session ?? (detail === undefined ? undefined : ""), detail].filter((part) => part !== undefined);
  return `#/${parts.map(encodeURIComponent).join("/")}`;
}

/** A `%` that no two hexadecimal digits follow makes decoding throw. */
function decoded(parts: readonly string[]): string[] | undefined {
  try {
    return parts.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
