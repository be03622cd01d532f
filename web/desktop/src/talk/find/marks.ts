/** Marks the found text in the rendered turns, without changing them (CSS Custom Highlight API). */
import { placesIn } from "./search.ts";

const NAME = "talk-find";
/** More marks than this are of no use, and slow. */
const MARKS_MAX = 500;

/** Marks what is there and what is rendered later; returns the function that stops it. */
export function markHits(root: HTMLElement, query: string): () => void {
  // Browsers without it scroll to the hit all the same.
  if (!("highlights" in CSS) || query.trim() === "") return () => undefined;
  let frame = 0;
  const draw = () => {
    frame = 0;
    CSS.highlights.set(NAME, new Highlight(...rangesIn(root, query)));
  };
  const later = () => (frame ||= requestAnimationFrame(draw));
  const watch = new MutationObserver(later);
  watch.observe(root, { childList: true, subtree: true, characterData: true });
  later();
  return () => {
    watch.disconnect();
    cancelAnimationFrame(frame);
    CSS.highlights.delete(NAME);
  };
}

function rangesIn(root: HTMLElement, query: string): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < MARKS_MAX; node = walker.nextNode()) {
    for (const [from, to] of placesIn(node.textContent ?? "", query)) {
      const range = document.createRange();
      range.setStart(node, from);
      range.setEnd(node, to);
      ranges.push(range);
    }
  }
  return ranges;
}
