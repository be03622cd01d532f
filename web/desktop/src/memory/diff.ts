/** A line-based text diff. */

/** A line of a diff. */
export type DiffLine = { kind: "same" | "added" | "removed"; text: string };

/** Compares two texts line by line. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [a, b] = [before.split("\n"), after.split("\n")];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const same = (text: string): DiffLine => ({ kind: "same", text });
  return [
    ...a.slice(0, start).map(same),
    ...middle(a.slice(start, a.length - end), b.slice(start, b.length - end)),
    ...a.slice(a.length - end).map(same),
  ];
}

/** Above this many pairs of lines everything counts as replaced. */
const PAIRS_MAX = 4_000_000;

function middle(a: readonly string[], b: readonly string[]): DiffLine[] {
  const removed = (text: string): DiffLine => ({ kind: "removed", text });
  const added = (text: string): DiffLine => ({ kind: "added", text });
  if (a.length * b.length > PAIRS_MAX) return [...a.map(removed), ...b.map(added)];
  // `longest[i * width + j]`: the length of the longest common subsequence of `a[i..]` and
  // `b[j..]`.
  const width = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      const skip = Math.max(longest[(i + 1) * width + j] ?? 0, longest[i * width + j + 1] ?? 0);
      longest[i * width + j] = a[i] === b[j] ? (longest[(i + 1) * width + j + 1] ?? 0) + 1 : skip;
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    const [left = "", right = ""] = [a[i], b[j]];
    if (left === right) {
      lines.push({ kind: "same", text: left });
      i += 1;
      j += 1;
    } else if ((longest[(i + 1) * width + j] ?? 0) >= (longest[i * width + j + 1] ?? 0)) {
      lines.push(removed(left));
      i += 1;
    } else {
      lines.push(added(right));
      j += 1;
    }
  }
  return [...lines, ...a.slice(i).map(removed), ...b.slice(j).map(added)];
}
