/** HTML of an agent, in a tree of its own: it cannot look like the page around it, nor act in it. */
import DOMPurify from "dompurify";
import { useEffect, useRef } from "preact/hooks";
import rules from "./html.css?inline";

const TAGS =
  "a abbr b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark ol p pre q rp rt ruby s samp small span strong sub summary sup table tbody td tfoot th thead tr u ul var";
const ATTRIBUTES = "href dir span open src alt width height start reversed colspan rowspan scope lang title".split(" ");

let sheet: CSSStyleSheet | undefined;

/** One stylesheet for all of them. */
function look(): CSSStyleSheet {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
  }
  return sheet;
}

/** The same that the server lets through, once more: what is shown here does not rest on the server alone. */
function harmless(html: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(html, {
    RETURN_DOM_FRAGMENT: true,
    ALLOWED_TAGS: TAGS.split(" "),
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|data:image\/(?:png|jpeg|gif|webp);base64,)/i,
  });
  for (const link of fragment.querySelectorAll("a[href]")) {
    link.setAttribute("target", "_blank");
    link.setAttribute("rel", "noopener noreferrer");
  }
  for (const picture of fragment.querySelectorAll("img:not([alt])")) picture.setAttribute("alt", "");
  return fragment;
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
