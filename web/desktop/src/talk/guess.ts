/** Estimates the height of a turn before it is rendered, so that the scrollbar is about right. */
import type { Turn } from "../store/turn.ts";

const LINE = 23;
const LETTERS = 92;
/** The height of a turn beside its text: bubble padding, progress line, actions, gap. */
const AROUND = 150;

/** The estimated height of a turn in a column of this width. */
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
