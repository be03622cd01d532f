/** Finds texts of one catalogue on a page that is shown in another language. */
import type { Page } from "playwright-core";

/** Parameters as texts and as numbers, which a text turns into something that can be found again. */
const MARK = "31";

type Entry = string | ((...values: never[]) => string);

function entries(value: object): Entry[] {
  return Object.values(value as Record<string, Entry | object>).flatMap((entry) =>
    typeof entry === "object" ? entries(entry) : [entry],
  );
}

/** What an entry looks like on the page: the words around its parameters. */
function patternOf(entry: Entry): string | undefined {
  if (typeof entry === "string") return pattern(entry);
  try {
    return pattern(entry(...(Array.from({ length: entry.length }, () => new String(MARK)) as unknown as never[])));
  } catch {
    // A parameter that is a list or a name.
    return undefined;
  }
}

function pattern(text: string): string | undefined {
  const words = text.trim();
  // What has no word of its own is the same in all languages, and one word around a parameter would
  // also fit what people write.
  const own = words.replaceAll(MARK, " ").match(/\p{L}{2,}/gu)?.length ?? 0;
  if (own < (words.includes(MARK) ? 2 : 1)) return undefined;
  return words
    .split(MARK)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join(".+");
}

/**
 * The texts of `other` that the page shows, as texts or as labels. Those that `shown` has too, as
 * "Desktop", are not meant.
 */
export async function englishOn(page: Page, other: object, shown: object): Promise<string[]> {
  const own = new Set(entries(shown).map(patternOf));
  const foreign = entries(other)
    .map(patternOf)
    .filter((found) => found !== undefined && !own.has(found));
  return page.evaluate((patterns) => {
    const whole = new RegExp(`^(?:${patterns.join("|")})$`, "u");
    const labels = ["aria-label", "title", "placeholder", "alt", "aria-valuetext"];
    const found = new Set<string>();
    const look = (text: string | null | undefined) => {
      const words = text?.trim() ?? "";
      if (words !== "" && whole.test(words)) found.add(words);
    };
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node instanceof Element) for (const label of labels) look(node.getAttribute(label));
      // What users, models and the server have written is not the page's.
      else if (!node.parentElement?.closest("code, kbd, script, noscript, .prose")) look(node.textContent);
    }
    return [...found];
  }, foreign as string[]);
}
