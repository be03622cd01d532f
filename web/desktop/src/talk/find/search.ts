/** Finds text in the turns of a conversation. Pure. */

/** A turn's texts: what was asked, what was added, and what was answered. */
export type Searched = { id: string; texts: readonly string[] };

/** Upper and lower case count as the same, and so do different spaces. */
function plain(text: string): string {
  return text.toLowerCase().replace(/\s+/g, " ");
}

/** The ids of the turns that contain the query, in their order. */
export function turnsWith(turns: readonly Searched[], query: string): string[] {
  const wanted = plain(query).trim();
  if (wanted === "") return [];
  return turns.filter(({ texts }) => texts.some((text) => plain(text).includes(wanted))).map(({ id }) => id);
}

/**
 * The hit to start from: the last one before the end of what is read, since people look for what was
 * said lately; or the same one as before, if it is still a hit.
 */
export function startOf(hits: readonly string[], before: string | undefined): number {
  const same = before === undefined ? -1 : hits.indexOf(before);
  return same >= 0 ? same : Math.max(0, hits.length - 1);
}

/** Where a query occurs in a text, as pairs of start and end. */
export function placesIn(text: string, query: string): [number, number][] {
  const [hay, wanted] = [text.toLowerCase(), query.trim().toLowerCase()];
  // Lower case may have another length in few languages; then nothing is marked.
  if (wanted === "" || hay.length !== text.length) return [];
  const places: [number, number][] = [];
  for (let at = hay.indexOf(wanted); at >= 0; at = hay.indexOf(wanted, at + wanted.length)) {
    places.push([at, at + wanted.length]);
  }
  return places;
}
