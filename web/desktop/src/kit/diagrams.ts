/** Draws diagrams in one hidden frame, which is made with the first of them. */
import { frameAddress, messageOf } from "./frame.ts";
import { texts } from "../languages/kit.ts";

/** A diagram that is not drawn by then never will be. */
const PATIENCE_MS = 20_000;

type Wish = { resolve: (svg: string) => void; reject: (problem: Error) => void };

const wishes = new Map<number, Wish>();
let frame: Promise<Window> | undefined;
let count = 0;

/** The diagram as an SVG text, to be shown as a picture and in no other way. */
export async function drawDiagram(code: string, isDark: boolean): Promise<string> {
  frame ??= open();
  const target = await frame;
  count += 1;
  const id = count;
  return new Promise<string>((resolve, reject) => {
    wishes.set(id, { resolve, reject });
    setTimeout(() => settle(id, ({ reject: fail }) => fail(new Error(texts().drawingTookTooLong))), PATIENCE_MS);
    // A frame without an origin can only be addressed by `*`.
    target.postMessage({ dwell: 1, type: "draw", id, code, isDark }, "*");
  });
}

function settle(id: number, end: (wish: Wish) => void): void {
  const wish = wishes.get(id);
  wishes.delete(id);
  if (wish) end(wish);
}

function open(): Promise<Window> {
  const element = document.createElement("iframe");
  element.setAttribute("sandbox", "allow-scripts");
  element.setAttribute("aria-hidden", "true");
  element.tabIndex = -1;
  element.title = texts().diagrams;
  element.className = "diagram-frame";
  element.src = frameAddress("diagram");
  const opened = new Promise<Window>((resolve, reject) => {
    const late = setTimeout(() => {
      // The next diagram tries again.
      element.remove();
      frame = undefined;
      reject(new Error(texts().thePartThatDraws));
    }, PATIENCE_MS);
    addEventListener("message", (event) => {
      const target = element.contentWindow;
      if (target === null || event.source !== target) return;
      const message = messageOf(event);
      if (message?.type === "ready") {
        clearTimeout(late);
        resolve(target);
      }
      if (message?.type !== "drawn") return;
      const { id, svg, problem } = message;
      if (typeof id !== "number") return;
      settle(id, ({ resolve: done, reject: fail }) =>
        typeof svg === "string" ? done(svg) : fail(new Error(typeof problem === "string" ? problem : texts().itFailed)),
      );
    });
  });
  document.body.append(element);
  return opened;
}
