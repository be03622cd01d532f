/** The parts of memory, and which of them an address means. */

/** The tabs. */
export const TABS = [
  { id: "profile", label: "Profile" },
  { id: "facts", label: "Facts" },
  { id: "vaults", label: "Vaults" },
  { id: "search", label: "Search" },
  { id: "library", label: "Library" },
  { id: "used", label: "Told" },
] as const;

/** One of them. */
export type Tab = (typeof TABS)[number]["id"];

/** What an address's detail means: a tab, or a turn whose memory is looked at. */
export function tabOf(detail: string | undefined): { tab: Tab; turn?: string | undefined } {
  if (detail === undefined) return { tab: "profile" };
  const named = TABS.find(({ id }) => id === detail);
  if (named) return { tab: named.id };
  return /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(detail) ? { tab: "used", turn: detail } : { tab: "profile" };
}
