/**
 * Draws Mermaid diagrams in a frame without an origin. Mermaid writes styles and markup in ways that
 * the page's own policy forbids; the page gets a picture and shows it as one.
 */
import mermaid from "mermaid";

type Asked = { dwell?: unknown; type?: unknown; id?: unknown; code?: unknown; isDark?: unknown };

let last = Promise.resolve();

addEventListener("message", ({ data, source }: MessageEvent<unknown>) => {
  const { dwell, type, id, code, isDark } = (data ?? {}) as Asked;
  if (source !== parent || dwell !== 1 || type !== "draw") return;
  if (typeof id !== "number" || typeof code !== "string") return;
  // Mermaid has one configuration for all, so that one diagram is drawn after the other.
  last = last.then(() => draw(id, code, isDark === true));
});

async function draw(id: number, code: string, isDark: boolean): Promise<void> {
  const answer = (more: object) => parent.postMessage({ dwell: 1, type: "drawn", id, ...more }, "*");
  try {
    mermaid.initialize({
      startOnLoad: false,
      securityLevel: "strict",
      theme: isDark ? "dark" : "neutral",
      fontFamily: "system-ui, sans-serif",
      // A picture cannot contain HTML in every browser.
      htmlLabels: false,
      suppressErrorRendering: true,
    });
    const { svg } = await mermaid.render(`diagram-${id}`, code);
    answer({ svg });
  } catch (problem) {
    answer({ problem: problem instanceof Error ? problem.message : String(problem) });
  } finally {
    document.body.replaceChildren();
  }
}

parent.postMessage({ dwell: 1, type: "ready" }, "*");
