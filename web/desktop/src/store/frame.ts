/** Work deferred to the next animation frame, so that a burst of tokens causes one render. */

const HIDDEN_MS = 250;
const waiting = new Set<() => void>();
let isScheduled = false;

/** Runs `work` once before the next frame. A hidden page has no frames and uses a timer instead. */
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
