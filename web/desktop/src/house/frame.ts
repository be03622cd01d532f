/** Work that is put off to the next frame, so that a flood of words costs one drawing each. */

const HIDDEN_MS = 250;
const waiting = new Set<() => void>();
let isScheduled = false;

/** Runs this once before the next drawing. A page that nobody sees draws nothing, and does it a little later. */
export function beforeNextFrame(work: () => void): void {
  waiting.add(work);
  if (isScheduled) return;
  isScheduled = true;
  if (typeof requestAnimationFrame === "undefined" || document.hidden) setTimeout(run, HIDDEN_MS);
  else requestAnimationFrame(run);
}

function run(): void {
  isScheduled = false;
  const now = [...waiting];
  waiting.clear();
  for (const work of now) work();
}
