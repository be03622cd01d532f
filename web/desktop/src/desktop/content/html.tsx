/** Sanitized HTML of an agent in a shadow root, so that it cannot imitate or affect the page. */
import { useEffect, useRef } from "preact/hooks";
import { sanitize } from "../../kit/sanitize.ts";
import rules from "./html.css?inline";

let sheet: CSSStyleSheet | undefined;

/** The shared style sheet. */
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
    root.replaceChildren(sanitize(html));
  }, [html]);
  return <div class="desktop-html" ref={host} />;
}
