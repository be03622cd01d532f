/** KaTeX with the settings of this page; a module of its own, so that it is loaded on demand. */
import katex from "katex";
import "katex/dist/katex.min.css";

/**
 * Typesets a formula. It builds nodes and sets styles one by one, which the page's policy allows;
 * the text form would need inline styles. The text comes from a model, so links and HTML are off.
 */
export function drawFormula(tex: string, element: HTMLElement, isBlock: boolean): void {
  katex.render(tex, element, {
    displayMode: isBlock,
    throwOnError: false,
    strict: "ignore",
    trust: false,
    maxExpand: 500,
    maxSize: 20,
  });
}
