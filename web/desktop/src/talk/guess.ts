/** How high a turn will about be, before it has been shown: good enough that the scrollbar tells the truth. */
import type { Turn } from "../house/turn.ts";

const LINE = 23;
const LETTERS = 92;
/** What every turn has beside its words: the bubble's edges, the line of its work, its actions, the gap. */
const AROUND = 150;

/** The height of a turn in a column that is so wide. */
export function guessHeight(turn: Turn, width: number): number {
  const { asked } = turn.state.peek();
  if (asked.window) return 80;
  const letters = Math.max(24, Math.min(LETTERS, Math.floor(width / 8)));
  const pictures = (asked.images?.length ?? 0) > 0 ? 140 : 0;
  return AROUND + pictures + lines(asked.message, letters * 0.75) * LINE + lines(turn.text.peek(), letters) * LINE;
}

function lines(text: string, letters: number): number {
  let count = 0;
  let from = 0;
  while (from < text.length) {
    let to = text.indexOf("\n", from);
    if (to < 0) to = text.length;
    count += Math.max(0.5, Math.ceil((to - from) / letters));
    from = to + 1;
  }
  return count;
}
