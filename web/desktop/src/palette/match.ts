/** Finds commands by what is typed. Pure. */

/** Something that can be found: its title, and other words for it. */
export type Findable = { title: string; words?: string | undefined };

/** How well the parts of a word fit, the best first. */
const WHOLE_TITLE = 8;
const TITLE_START = 5;
const WORD_START = 3;
const INITIALS = 2;
const WITHIN = 1;

/** Lower case, without accents. */
function plain(text: string): string {
  return text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
}

/** How well something fits a query; 0 if it does not. Each word of the query has to be found. */
export function scoreOf({ title, words = "" }: Findable, query: string): number {
  const [name, asked] = [plain(title), plain(query).trim()];
  if (asked === "") return WITHIN;
  const hay = `${name} ${plain(words)}`;
  const initials = (name.match(/[\p{L}\p{N}]+/gu) ?? []).map((word) => word.charAt(0)).join("");
  let sum = 0;
  for (const word of asked.split(/\s+/)) {
    const one = scoreOfWord(word, name, hay, initials);
    if (one === 0) return 0;
    sum += one;
  }
  return name === asked ? sum + WHOLE_TITLE : sum;
}

function scoreOfWord(word: string, name: string, hay: string, initials: string): number {
  if (name.startsWith(word)) return TITLE_START;
  const at = hay.indexOf(word);
  if (at >= 0) {
    const starts = hay.split(/[^\p{L}\p{N}]+/u).some((part) => part.startsWith(word));
    // What is in the title counts more than other words for it.
    return (starts ? WORD_START : WITHIN) + (name.includes(word) ? 0.5 : 0);
  }
  return word.length > 1 && initials.startsWith(word) ? INITIALS : 0;
}

/** What fits a query, the best first; in their given order where they fit alike. */
export function found<T extends Findable>(all: readonly T[], query: string): T[] {
  return all
    .map((one, index) => ({ one, index, score: scoreOf(one, query) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .map(({ one }) => one);
}

/** The next index in a list that starts again at its end. */
export function stepped(index: number, by: number, count: number): number {
  return count === 0 ? 0 : (index + by + count) % count;
}
