/** HTML of an agent, in a tree of its own: it cannot look like the page around it, nor act in it. */
import { useEffect, useRef } from "preact/hooks";
import { harmless } from "../../kit/harmless.ts";
import rules from "./html.css?inline";

let sheet: CSSStyleSheet | undefined;

/** One stylesheet for all of them. */
function look(): CSSStyleSheet {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
  }
  return sheet;
}

export function Html({ html }: { html: string }) {
  const host = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = host.current;
    if (!element) return;
    const root = element.shadowRoot ?? element.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [look()];
    root.replaceChildren(harmless(html));
  }, [html]);
  return <div class="desk-html" ref={host} />;
}
