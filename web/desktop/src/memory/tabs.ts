/** The tabs of the memory view, and which one a route selects. */
import { texts } from "../languages/memory.ts";

/** The tabs in order. */
export function memoryTabs() {
  return [
    { id: "profile", label: texts().profile },
    { id: "facts", label: texts().facts },
    { id: "people", label: texts().peopleAndThings },
    { id: "vaults", label: texts().vaults },
    { id: "search", label: texts().search },
    { id: "library", label: texts().library },
    { id: "used", label: texts().context },
  ] as const;
}

/** The id of a tab. */
export type Tab = ReturnType<typeof memoryTabs>[number]["id"];

/** The tab that a route's detail selects: a tab id, or a turn whose context is shown. */
export function tabOf(detail: string | undefined): { tab: Tab; turn?: string | undefined } {
  if (detail === undefined) return { tab: "profile" };
  const named = memoryTabs().find(({ id }) => id === detail);
  if (named) return { tab: named.id };
  return /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(detail) ? { tab: "used", turn: detail } : { tab: "profile" };
}
