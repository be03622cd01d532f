/** The tabs of the memory view, and which one a route selects. */

/** The tabs in order. */
export const TABS = [
  { id: "profile", label: "Profile" },
  { id: "facts", label: "Facts" },
  { id: "people", label: "People and things" },
  { id: "vaults", label: "Vaults" },
  { id: "search", label: "Search" },
  { id: "library", label: "Library" },
  { id: "used", label: "Context" },
] as const;

/** The id of a tab. */
export type Tab = (typeof TABS)[number]["id"];

/** The tab that a route's detail selects: a tab id, or a turn whose context is shown. */
export function tabOf(detail: string | undefined): { tab: Tab; turn?: string | undefined } {
  if (detail === undefined) return { tab: "profile" };
  const named = TABS.find(({ id }) => id === detail);
  if (named) return { tab: named.id };
  return /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(detail) ? { tab: "used", turn: detail } : { tab: "profile" };
}
